/* The entries as Python functions: arrays and numbers in, numbers out, no Numba.

   One module for every Python from 3.11 on (limited API). `entries.h` is generated (c_source.py): for each entry a function
   that takes its arguments one by one, lets the interpreter go, and calls; and ENTRY lines, which name them all.
*/
#define Py_LIMITED_API 0x030B0000
#define PY_SSIZE_T_CLEAN
#include <Python.h>
#define NPY_NO_DEPRECATED_API NPY_2_0_API_VERSION
#define NPY_TARGET_VERSION NPY_2_0_API_VERSION
#include <numpy/ndarraytypes.h>
#include <stdint.h>
#include <string.h>

#define JOIN(a, b) a##b
#define INIT(level) JOIN(PyInit__prebuilt_, level)
#define TEXT_OF(x) #x
#define TEXT(x) TEXT_OF(x)
/* Not every entry needs every one of the helpers below. */
#pragma GCC diagnostic ignored "-Wunused-function"
#define LIKELY(x) __builtin_expect(!!(x), 1)

/* Functions of the C library that have newer versions, the same but for how they report errors: the linker hands every call
   over to these (link.py: --wrap), which call the oldest, so that the code runs with older C libraries too. What nothing
   calls is left out. */
#if defined(__x86_64__)
#define OLDEST "GLIBC_2.2.5"
#else
#define OLDEST "GLIBC_2.17"
#endif
#define OLD1(name)                                                                                                     \
    __asm__(".symver oldest_" #name "," #name "@" OLDEST);                                                             \
    extern double oldest_##name(double);                                                                               \
    double __wrap_##name(double x) { return oldest_##name(x); }
#define OLD2(name)                                                                                                     \
    __asm__(".symver oldest_" #name "," #name "@" OLDEST);                                                             \
    extern double oldest_##name(double, double);                                                                       \
    double __wrap_##name(double x, double y) { return oldest_##name(x, y); }
OLD1(exp) OLD1(exp2) OLD1(log) OLD1(log2) OLD2(pow) OLD2(fmod) OLD2(hypot)

/* Kinds of arrays, each with its one dtype object; others that mean the same are accepted on a slower way. */
enum { OF_F8, OF_F4, OF_I8, OF_I4, OF_I2, OF_I1, OF_U8, OF_U4, OF_U2, OF_U1, OF_B1, KINDS };
static const char *const dtype_names[KINDS] = {"f8", "f4", "i8", "i4", "i2", "i1", "u8", "u4", "u2", "u1", "b1"};
static const int type_numbers[KINDS][2] = {
    {NPY_DOUBLE, NPY_DOUBLE}, {NPY_FLOAT, NPY_FLOAT}, {NPY_LONG, NPY_LONGLONG}, {NPY_INT, NPY_INT},
    {NPY_SHORT, NPY_SHORT}, {NPY_BYTE, NPY_BYTE}, {NPY_ULONG, NPY_ULONGLONG}, {NPY_UINT, NPY_UINT},
    {NPY_USHORT, NPY_USHORT}, {NPY_UBYTE, NPY_UBYTE}, {NPY_BOOL, NPY_BOOL}};
static PyObject *dtypes[KINDS];
static PyTypeObject *array_type;

static int is_kind(const PyArray_Descr *dtype, int kind)
{
    return (dtype->type_num == type_numbers[kind][0] || dtype->type_num == type_numbers[kind][1])
        && dtype->byteorder != '>';
}

/* Address and shape of an array; 0 where it is not of this kind. Read-only arrays are welcome: starts are such. */
static inline int take_array(PyObject *arg, int kind, int axes, int64_t *words)
{
    const int flags = NPY_ARRAY_C_CONTIGUOUS | NPY_ARRAY_ALIGNED;
    if (!LIKELY(Py_TYPE(arg) == array_type) && !PyType_IsSubtype(Py_TYPE(arg), array_type))
        return 0;
    const PyArrayObject_fields *array = (const PyArrayObject_fields *)arg;
    if (!LIKELY(array->nd == axes && (array->flags & flags) == flags))
        return 0;
    if (!LIKELY((PyObject *)array->descr == dtypes[kind]) && !is_kind(array->descr, kind))
        return 0;
    words[0] = (int64_t)(intptr_t)array->data;
    for (int axis = 0; axis < axes; axis++)
        words[1 + axis] = array->dimensions[axis];
    return 1;
}

static inline int take_real(PyObject *arg, int64_t *word)
{
    double value = PyFloat_AsDouble(arg);
    memcpy(word, &value, 8);
    return LIKELY(value != -1.0) || !PyErr_Occurred();
}

static inline int take_integer(PyObject *arg, int64_t *word)
{
    *word = PyLong_AsLongLong(arg);
    return LIKELY(*word != -1) || !PyErr_Occurred();
}

static inline int take_truth(PyObject *arg, int64_t *word)
{
    int truth = arg == Py_True ? 1 : arg == Py_False ? 0 : PyObject_IsTrue(arg);
    *word = truth;
    return truth >= 0;
}

static inline PyObject *real(int64_t word)
{
    double value;
    memcpy(&value, &word, 8);
    return PyFloat_FromDouble(value);
}

/* A tuple that owns its parts. */
static PyObject *together(int count, PyObject **parts)
{
    PyObject *tuple = PyTuple_New(count);
    for (int k = 0; k < count; k++) {
        if (tuple && parts[k])
            PyTuple_SetItem(tuple, k, parts[k]);
        else {
            Py_XDECREF(parts[k]);
            Py_CLEAR(tuple);
        }
    }
    return tuple;
}

static PyObject *wrong_count(const char *name, int wanted, Py_ssize_t count)
{
    return PyErr_Format(PyExc_TypeError, "%s takes %d arguments, not %zd", name, wanted, count);
}

static PyObject *wrong(const char *name, int place, const char *wanted)
{
    if (!PyErr_Occurred())
        PyErr_Format(PyExc_TypeError, "%s: argument %d is to be %s", name, place, wanted);
    return NULL;
}

static PyObject *failed(const char *name)
{
    return PyErr_Format(PyExc_RuntimeError, "%s failed", name);
}

#define RUN(kernel)                                                                                                    \
    PyThreadState *thread = PyEval_SaveThread();                                                                       \
    int status = kernel(words, results);                                                                               \
    PyEval_RestoreThread(thread);

#include "entries.h"

/* A solve as it is called a thousand times a second: targets laid out, a search called, nothing made in between. What a
   call knows is one array of numbers (kernels/calls.py, which says the same in Python): the search and its table, where in
   the table the addresses of the targets and of the start go, how many coordinates and goals there are, which goals have targets, what is
   called before the search, or 0; then of each goal the axes and lengths of its target. `whole` is 16 numbers a goal, then
   the block that the search fills. */
enum { SEARCH_AT, TABLE, TABLE_SIZE, PATIENCE, FAR_BITS, PATH, START, COORDINATES, GOALS, GIVEN, BEFORE, CHECK, HEAD };
enum { AXES, ROWS, COLUMNS, SHAPE };
#define NUMBERS 16
/* Not as it always is: the longer way around says what is wrong, or does it. */
#define UNUSUAL (-1000)
/* What is called before a search and may begin it elsewhere (kernels/posture/query.py): where it is; addresses and lengths of
   its table, its network and its workspace, and of the coordinates to begin at; where it is told (1) that a search met
   everything; where it reads what it goes on with; then, written here, what it said. */
enum { BEFORE_AT, BEFORE_ARRAYS, BEFORE_Q = BEFORE_ARRAYS + 6, BEFORE_MET = BEFORE_Q + 2, BEFORE_RUN, BEFORE_SAID };
/* What verifies where a search that met everything ended (kernels/verify/one.py): where it is; its table; the anchor, or 0: the
   start of each call. The search's result is then so much less. */
enum { CHECK_AT, CHECK_TABLE, CHECK_ANCHOR = CHECK_TABLE + 2 };
#define VERIFIED 100
/* Of a search's table the item behind the start's, and its value from the second sample of a path on (kernels/memory/path.py). */
#define RUN_AFTER_START 1
#define ON_PATH 3
#define NOT_FINITE (-1)
#define AT_POSTURE 0
/* One target, however its numbers lie, into a row of 16; 0 where it is something else. */
static inline int take_target(PyObject *arg, const int64_t *shape, double *row)
{
    if (!LIKELY(Py_TYPE(arg) == array_type))
        return 0;
    const PyArrayObject_fields *array = (const PyArrayObject_fields *)arg;
    if (!LIKELY(array->nd == shape[AXES] && (PyObject *)array->descr == dtypes[OF_F8]
                && (array->flags & NPY_ARRAY_ALIGNED)))
        return 0;
    const npy_intp *size = array->dimensions, *step = array->strides;
    if (!LIKELY(size[0] == shape[ROWS]))
        return 0;
    if (shape[AXES] == 1) {
        for (int64_t k = 0; k < shape[ROWS]; k++)
            row[k] = *(const double *)(array->data + k * step[0]);
        return 1;
    }
    if (!LIKELY(size[1] == shape[COLUMNS]))
        return 0;
    for (int64_t r = 0; r < shape[ROWS]; r++)
        for (int64_t k = 0; k < shape[COLUMNS]; k++)
            *row++ = *(const double *)(array->data + r * step[0] + k * step[1]);
    return 1;
}

typedef int kernel(const int64_t *, int64_t *);

/* A search with these words (as of `lay_out`), from where what comes before it says, if anything does; `numbers`: the targets
   that came with the call, so many. The end of the block tells the start that was given. Other than 0: something failed. */
static int search(int64_t *words, const int64_t *call, int64_t numbers, int64_t count, int64_t *results)
{
    int64_t *before = (int64_t *)(intptr_t)call[BEFORE];
    if (!before)
        return ((kernel *)(intptr_t)words[8])(words, results);
    const int64_t start = words[2], size = words[3];
    int64_t own[12], *said = before + BEFORE_SAID;
    memcpy(own, before + BEFORE_ARRAYS, 6 * sizeof *own);
    own[6] = numbers;
    own[7] = count;
    own[8] = start;
    own[9] = size;
    memcpy(own + 10, before + BEFORE_Q, 2 * sizeof *own);
    if (((kernel *)(intptr_t)before[BEFORE_AT])(own, said))
        return 1;
    if (*said == NOT_FINITE) {
        results[0] = UNUSUAL;
        return 0;
    }
    if (*said == AT_POSTURE)
        words[2] = before[BEFORE_Q];
    ((int64_t *)(intptr_t)words[0])[call[START]] = start;
    int failed = ((kernel *)(intptr_t)words[8])(words, results);
    words[2] = start;
    double *ends = (double *)(intptr_t)words[4] + words[5] - 2 * size;
    if (*said == AT_POSTURE)
        memcpy(ends + size, (const double *)(intptr_t)start, 8 * size);
    if (results[0] <= 0)
        *(double *)(intptr_t)before[BEFORE_MET] = 1.0;
    return failed;
}

/* Whether all that was asked holds of the end of a search with these words. */
static int verified(const int64_t *words, const int64_t *call, int64_t numbers, int64_t count)
{
    const int64_t *check = (const int64_t *)(intptr_t)call[CHECK];
    if (!check)
        return 0;
    const int64_t size = words[3], anchor = check[CHECK_ANCHOR];
    int64_t bits[1], own[] = {check[CHECK_TABLE], check[CHECK_TABLE + 1], words[4] + 8 * (words[5] - 2 * size), size,
                              anchor ? anchor : words[2], size, numbers, count, anchor != 0};
    return ((kernel *)(intptr_t)check[CHECK_AT])(own, bits) == 0 && bits[0] == 0;
}

/* Start and targets of a call as words for its search; 0 where they are not as they always are. */
static int lay_out(PyObject *const *args, Py_ssize_t count, int64_t *words)
{
    int64_t called[2], whole[2];
    if (!LIKELY(count == 4 && take_array(args[0], OF_I8, 1, called) && take_array(args[1], OF_F8, 1, words + 2)
                && take_array(args[3], OF_F8, 1, whole)))
        return 0;
    const int64_t *call = (const int64_t *)(intptr_t)called[0];
    const int64_t goals = call[GOALS];
    if (!LIKELY(words[3] == call[COORDINATES] && whole[1] >= NUMBERS * goals))
        return 0;
    if (goals == 0) {
        if (!LIKELY(args[2] == Py_None))
            return 0;
    } else {
        if (!LIKELY(PyList_CheckExact(args[2]) && PyList_Size(args[2]) == goals))
            return 0;
        const int64_t *given = (const int64_t *)(intptr_t)call[GIVEN];
        double *rows = (double *)(intptr_t)whole[0];
        for (int64_t k = 0; k < goals; k++) {
            PyObject *target = PyList_GetItem(args[2], k);
            const int64_t *shape = call + HEAD + SHAPE * k;
            if ((target != Py_None) != (given[k] != 0))
                return 0;
            if (target != Py_None && !LIKELY(take_target(target, shape, rows + NUMBERS * k)))
                return 0;
        }
        ((int64_t *)(intptr_t)call[TABLE])[call[PATH]] = whole[0];
    }
    words[0] = call[TABLE];
    words[1] = call[TABLE_SIZE];
    words[4] = whole[0] + 8 * NUMBERS * goals;
    words[5] = whole[1] - NUMBERS * goals;
    words[6] = call[PATIENCE];
    words[7] = call[FAR_BITS];
    words[8] = call[SEARCH_AT];
    return 1;
}

/* hand_over(call, start, targets, whole): whether the targets are laid out and the start is as it should be. */
static PyObject *hand_over(PyObject *self, PyObject *const *args, Py_ssize_t count)
{
    int64_t words[9];
    return PyBool_FromLong(lay_out(args, count, words));
}

/* follow(call, start, targets, whole): what the search returns, or UNUSUAL; where that is not above 0, everything being
   met, nobody writes to `whole` any more. */
static PyObject *follow(PyObject *self, PyObject *const *args, Py_ssize_t count)
{
    int64_t words[9], results[1];
    if (!LIKELY(lay_out(args, count, words)))
        return PyLong_FromLong(UNUSUAL);
    const int64_t *call = (const int64_t *)((PyArrayObject_fields *)args[0])->data;
    const int64_t goals = call[GOALS];
    PyThreadState *thread = PyEval_SaveThread();
    const int64_t numbers = words[4] - 8 * NUMBERS * goals;
    int status = search(words, call, numbers, NUMBERS * goals, results);
    const int met = status == 0 && results[0] <= 0 && results[0] != UNUSUAL;
    if (LIKELY(met) && verified(words, call, numbers, NUMBERS * goals))
        results[0] -= VERIFIED;
    PyEval_RestoreThread(thread);
    if (!LIKELY(status == 0))
        return failed("follow");
    if (LIKELY(met))
        ((PyArrayObject_fields *)args[3])->flags &= ~NPY_ARRAY_WRITEABLE;
    return PyLong_FromLongLong(results[0]);
}

/* follow_path(call, start, numbers, blocks): solve for sample after sample, each from the end of the last, until one is not
   met: how many were. numbers: 16 a goal and sample; blocks: one a sample. */
static PyObject *follow_path(PyObject *self, PyObject *const *args, Py_ssize_t count)
{
    int64_t called[2], numbers[2], blocks[2], words[9], results[1] = {0};
    if (count != 4)
        return wrong_count("follow_path", 4, count);
    if (!take_array(args[0], OF_I8, 1, called))
        return wrong("follow_path", 1, "an array of int64 with 1 axes, in C order");
    if (!take_array(args[1], OF_F8, 1, words + 2))
        return wrong("follow_path", 2, "an array of float64 with 1 axes, in C order");
    if (!take_array(args[2], OF_F8, 1, numbers))
        return wrong("follow_path", 3, "an array of float64 with 1 axes, in C order");
    if (!take_array(args[3], OF_F8, 1, blocks))
        return wrong("follow_path", 4, "an array of float64 with 1 axes, in C order");
    const int64_t *call = (const int64_t *)(intptr_t)called[0];
    const int64_t row = NUMBERS * call[GOALS], samples = row ? numbers[1] / row : 0;
    const int64_t block = samples ? blocks[1] / samples : 0;
    if (words[3] != call[COORDINATES] || (samples && block < 2 * words[3]))
        return wrong("follow_path", 2, "as long as the figure has coordinates, and each block long enough");
    words[0] = call[TABLE];
    words[1] = call[TABLE_SIZE];
    words[5] = block;
    words[6] = call[PATIENCE];
    words[7] = call[FAR_BITS];
    words[8] = call[SEARCH_AT];
    int64_t *run = (int64_t *)(intptr_t)call[TABLE] + call[START] + RUN_AFTER_START, first = *run, own = 0;
    int64_t *before = (int64_t *)(intptr_t)call[BEFORE], *its_run = before ? (int64_t *)(intptr_t)before[BEFORE_RUN] : &own;
    const int64_t its_first = *its_run;
    int64_t k = 0;
    int status = 0;
    PyThreadState *thread = PyEval_SaveThread();
    for (; k < samples; k++) {
        const int64_t at = numbers[0] + 8 * row * k;
        ((int64_t *)(intptr_t)call[TABLE])[call[PATH]] = at;
        words[4] = blocks[0] + 8 * block * k;
        status = search(words, call, at, row, results);
        if (status || results[0] > 0 || results[0] == UNUSUAL)
            break;
        words[2] = words[4] + 8 * (block - 2 * words[3]);
        *run = *its_run = ON_PATH;
    }
    *run = first;
    *its_run = its_first;
    PyEval_RestoreThread(thread);
    return status ? failed("follow_path") : PyLong_FromLongLong(k);
}

static PyMethodDef methods[] = {
    {"hand_over", (PyCFunction)(void (*)(void))hand_over, METH_FASTCALL, NULL},
    {"follow", (PyCFunction)(void (*)(void))follow, METH_FASTCALL, NULL},
    {"follow_path", (PyCFunction)(void (*)(void))follow_path, METH_FASTCALL, NULL},
    {NULL, NULL, 0, NULL}};

#define SEARCH(symbol, key) {key, symbol},
static const struct {
    const char *key;
    int (*search)(const int64_t *, int64_t *);
} searches[] = {ALL_SEARCHES{NULL, NULL}};

#define ENTRY(symbol, key, name) {key, {name, (PyCFunction)(void (*)(void))call_##symbol, METH_FASTCALL, NULL}},
static struct {
    const char *key;
    PyMethodDef method;
} entries[] = {ALL_ENTRIES};

/* Whether this CPU has what the code was compiled for. */
static int runs_here(void)
{
#if !defined(CPU_LEVEL)
    return 1;
#elif __GNUC__ >= 12
    __builtin_cpu_init();
    return __builtin_cpu_supports("x86-64-v" TEXT(CPU_LEVEL));
#else
    __builtin_cpu_init();
    if (!__builtin_cpu_supports("sse4.2") || !__builtin_cpu_supports("popcnt"))
        return 0;
    if (CPU_LEVEL >= 3
        && !(__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi")
             && __builtin_cpu_supports("bmi2")))
        return 0;
    return CPU_LEVEL < 4
        || (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512cd")
            && __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl"));
#endif
}

static struct PyModuleDef definition = {
    PyModuleDef_HEAD_INIT, "_prebuilt_" TEXT(LEVEL), "Kernels compiled ahead.", -1, methods, NULL, NULL, NULL, NULL};

static int fill(PyObject *module)
{
    PyObject *numpy = PyImport_ImportModule("numpy");
    if (!numpy)
        return -1;
    array_type = (PyTypeObject *)PyObject_GetAttrString(numpy, "ndarray");
    for (int kind = 0; kind < KINDS && array_type; kind++)
        if (!(dtypes[kind] = PyObject_CallMethod(numpy, "dtype", "s", dtype_names[kind])))
            break;
    Py_DECREF(numpy);
    PyObject *table = PyDict_New();
    if (!array_type || !dtypes[KINDS - 1] || !table || PyModule_AddObjectRef(module, "ENTRIES", table) < 0)
        return -1;
    for (size_t k = 0; k < sizeof entries / sizeof *entries; k++) {
        PyObject *function = PyCFunction_NewEx(&entries[k].method, NULL, NULL);
        if (!function || PyDict_SetItemString(table, entries[k].key, function) < 0)
            return -1;
        Py_DECREF(function);
    }
    Py_DECREF(table);
    PyObject *found = PyDict_New();
    if (!found || PyModule_AddObjectRef(module, "SEARCHES", found) < 0)
        return -1;
    for (size_t k = 0; searches[k].key; k++) {
        PyObject *address = PyLong_FromVoidPtr((void *)(intptr_t)searches[k].search);
        if (!address || PyDict_SetItemString(found, searches[k].key, address) < 0)
            return -1;
        Py_DECREF(address);
    }
    Py_DECREF(found);
    return PyModule_AddStringConstant(module, "DIGEST", DIGEST) < 0
            || PyModule_AddStringConstant(module, "LEVEL", TEXT(LEVEL)) < 0
        ? -1
        : 0;
}

PyMODINIT_FUNC INIT(LEVEL)(void);
PyMODINIT_FUNC INIT(LEVEL)(void)
{
    if (!runs_here())
        return PyErr_Format(PyExc_ImportError, "this CPU is older than level %s, for which the kernels were compiled", TEXT(LEVEL));
    PyObject *module = PyModule_Create(&definition);
    if (module && fill(module) < 0) {
        Py_DECREF(module);
        return NULL;
    }
    return module;
}
