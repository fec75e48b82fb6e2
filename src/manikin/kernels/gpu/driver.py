"""The CUDA driver by ctypes: as much of it as it takes to load a kernel, hand it arrays, run and time it.

The driver (``libcuda.so.1``, ``nvcuda.dll``) comes with the graphics card's own software and is all that is needed
to run kernels that were compiled ahead: no CUDA toolkit, no package. `device()` is the first card, or says what is
missing.
"""

from __future__ import annotations

import ctypes
import sys
import threading
import weakref
from collections.abc import Sequence
from ctypes import byref, c_char_p, c_float, c_int, c_int32, c_int64, c_size_t, c_uint, c_uint64, c_void_p
from functools import lru_cache
from typing import Any

import numpy as np

from manikin.errors import DeviceError

_MULTIPROCESSORS, _MAJOR, _MINOR = 16, 75, 76
_OUT_OF_MEMORY = 2
_ERROR_LOG, _ERROR_LOG_SIZE = 5, 6


def _library() -> ctypes.CDLL:
    name = "nvcuda.dll" if sys.platform == "win32" else "libcuda.so.1"
    try:
        return ctypes.CDLL(name)
    except OSError:
        raise DeviceError(
            f'device="cuda": no CUDA driver is installed here ({name} is not found); it comes with the software of '
            'an NVIDIA graphics card, version 525 or newer. device="cpu" uses all cores'
        ) from None


@lru_cache(maxsize=1)
def device() -> Device:
    """The first graphics card."""
    return Device()


class Device:
    """A graphics card with the context that all users of it in this process share."""

    def __init__(self) -> None:
        self._driver = _library()
        self._lock = threading.Lock()
        if (code := self._driver.cuInit(c_uint(0))) != 0:
            raise DeviceError(
                f'device="cuda": the CUDA driver finds no graphics card that it can use ({self._name(code)}); '
                '`nvidia-smi` says more. device="cpu" uses all cores'
            )
        handle, context = c_int(), c_void_p()
        self._do("cuDeviceGet", byref(handle), c_int(0))
        self._do("cuDevicePrimaryCtxRetain", byref(context), handle)
        self._context = context
        text = ctypes.create_string_buffer(256)
        self._do("cuDeviceGetName", text, c_int(256), handle)
        self.name = text.value.decode()
        numbers = []
        for which in (_MULTIPROCESSORS, _MAJOR, _MINOR):
            number = c_int()
            self._do("cuDeviceGetAttribute", byref(number), c_int(which), handle)
            numbers.append(number.value)
        self.multiprocessors, self.capability = numbers[0], (numbers[1], numbers[2])
        self.use()

    def use(self) -> None:
        """Make the card current in this thread."""
        self._do("cuCtxSetCurrent", self._context)

    def _name(self, code: int) -> str:
        text = c_char_p()
        self._driver.cuGetErrorName(c_int(code), byref(text))
        return text.value.decode() if text.value else f"error {code}"

    def _do(self, call: str, *arguments: Any) -> None:
        code = getattr(self._driver, call)(*arguments)
        if code == _OUT_OF_MEMORY:
            raise DeviceError(f"{self.name}: out of memory; solve fewer problems in one call")
        if code != 0:
            raise DeviceError(f"the CUDA driver: {call} failed with {self._name(code)}")

    def free_memory(self) -> int:
        """Bytes that are free on the card."""
        free, total = c_size_t(), c_size_t()
        self._do("cuMemGetInfo_v2", byref(free), byref(total))
        return free.value

    def module(self, ptx: str) -> Module:
        """Kernels from their PTX, which the driver compiles for this card (and keeps, from one process to the
        next)."""
        return Module(self, ptx)

    def empty(self, shape: int | tuple[int, ...], dtype: Any = np.float32) -> Buffer:
        """An array on the card, not set."""
        return Buffer(self, shape, dtype)

    def array(self, values: np.ndarray) -> Buffer:
        """A copy of an array on the card."""
        made = Buffer(self, values.shape, values.dtype)
        made.set(values)
        return made

    def pinned(self, shape: int | tuple[int, ...], dtype: Any = np.float32) -> np.ndarray:
        """An array of this machine that the card reads and writes by itself, several times as fast as others."""
        kind = np.dtype(dtype)
        count = int(np.prod(shape))
        address = c_void_p()
        self._do("cuMemAllocHost_v2", byref(address), c_size_t(max(count * kind.itemsize, 1)))
        assert address.value is not None
        room = (ctypes.c_char * max(count * kind.itemsize, 1)).from_address(address.value)
        weakref.finalize(room, self._driver.cuMemFreeHost, c_void_p(address.value)).atexit = False
        return np.frombuffer(room, kind, count).reshape(shape)

    def synchronize(self) -> None:
        """Wait for all that was asked; what went wrong in it is raised here."""
        self._do("cuCtxSynchronize")


class Buffer:
    """An array on the card; freed with the object."""

    def __init__(self, owner: Device, shape: int | tuple[int, ...], dtype: Any) -> None:
        self.device, self.dtype = owner, np.dtype(dtype)
        self.shape = (shape,) if isinstance(shape, int) else tuple(shape)
        self.size = int(np.prod(self.shape))
        self.bytes = self.size * self.dtype.itemsize
        address = c_uint64()
        owner._do("cuMemAlloc_v2", byref(address), c_size_t(max(self.bytes, 4)))
        self.address = address.value
        weakref.finalize(self, owner._driver.cuMemFree_v2, c_uint64(self.address)).atexit = False

    def set(self, values: np.ndarray) -> None:
        """Copy an array of the same size here."""
        values = np.ascontiguousarray(values, self.dtype)
        assert values.size == self.size, f"{values.shape} for {self.shape}"
        self.device._do(
            "cuMemcpyHtoD_v2", c_uint64(self.address), c_void_p(values.ctypes.data), c_size_t(self.bytes)
        )

    def get(self, into: np.ndarray | None = None) -> np.ndarray:
        """A copy of it on this machine."""
        into = np.empty(self.shape, self.dtype) if into is None else into
        assert into.nbytes == self.bytes and into.flags.c_contiguous
        self.device._do(
            "cuMemcpyDtoH_v2", c_void_p(into.ctypes.data), c_uint64(self.address), c_size_t(self.bytes)
        )
        return into

    def clear(self) -> None:
        """Set all to zero."""
        self.device._do("cuMemsetD8_v2", c_uint64(self.address), ctypes.c_ubyte(0), c_size_t(self.bytes))

    def arguments(self) -> list[Any]:
        """As Numba's kernels take an array of one dimension: two owners, numbers, their size, address, shape,
        stride."""
        size = self.dtype.itemsize
        return [
            *(c_uint64(0), c_uint64(0), c_int64(self.size), c_int64(size)),
            *(c_uint64(self.address), c_int64(self.size), c_int64(size)),
        ]


class Module:
    """Kernels loaded on the card."""

    def __init__(self, owner: Device, ptx: str) -> None:
        self.device = owner
        self._handle = c_void_p()
        log = ctypes.create_string_buffer(4096)
        options = (c_int * 2)(_ERROR_LOG, _ERROR_LOG_SIZE)
        values = (c_void_p * 2)(ctypes.cast(log, c_void_p), c_void_p(len(log)))
        code = owner._driver.cuModuleLoadDataEx(
            byref(self._handle), c_char_p(ptx.encode()), c_uint(2), options, values
        )
        if code != 0:
            said = log.value.decode(errors="replace").strip()
            raise DeviceError(
                f"{owner.name}, compute capability {owner.capability[0]}.{owner.capability[1]}: its driver does not "
                f"take the kernels ({owner._name(code)}{': ' + said if said else ''}); cards from 8.0 and drivers "
                "from 525 on do"
            )

    def kernel(self, name: str) -> Kernel:
        """A kernel by its name."""
        handle = c_void_p()
        self.device._do("cuModuleGetFunction", byref(handle), self._handle, c_char_p(name.encode()))
        return Kernel(self.device, handle)


class Kernel:
    """Something to run on the card."""

    def __init__(self, owner: Device, handle: c_void_p) -> None:
        self.device, self._handle = owner, handle

    def resident(self, threads: int) -> int:
        """Blocks of so many threads that one multiprocessor has room for at a time."""
        count = c_int()
        self.device._do(
            "cuOccupancyMaxActiveBlocksPerMultiprocessor",
            byref(count),
            self._handle,
            c_int(threads),
            c_size_t(0),
        )
        return max(count.value, 1)

    def launch(self, blocks: int, threads: int, arguments: Sequence[Any]) -> None:
        """Run it, without waiting. Arguments: buffers, NumPy scalars (float32, int32, int64, float64)."""
        flat: list[Any] = []
        for one in arguments:
            if isinstance(one, Buffer):
                flat += one.arguments()
            else:
                flat.append(_C_TYPES[np.dtype(type(one))](one.item()))
        addresses = (c_void_p * len(flat))(*(ctypes.addressof(one) for one in flat))
        self.device._do(
            "cuLaunchKernel",
            self._handle,
            *(c_uint(blocks), c_uint(1), c_uint(1), c_uint(threads), c_uint(1), c_uint(1), c_uint(0)),
            *(c_void_p(None), addresses, c_void_p(None)),
        )


_C_TYPES: dict[Any, Any] = {
    np.dtype(np.float32): c_float,
    np.dtype(np.float64): ctypes.c_double,
    np.dtype(np.int32): c_int32,
    np.dtype(np.int64): c_int64,
}


class Stopwatch:
    """Time on the card between two marks, in seconds."""

    def __init__(self, owner: Device) -> None:
        self.device = owner
        self._marks = (c_void_p(), c_void_p())
        for mark in self._marks:
            owner._do("cuEventCreate", byref(mark), c_uint(0))

    def __enter__(self) -> Stopwatch:
        self.device._do("cuEventRecord", self._marks[0], c_void_p(None))
        return self

    def __exit__(self, *_: object) -> None:
        self.device._do("cuEventRecord", self._marks[1], c_void_p(None))
        self.device._do("cuEventSynchronize", self._marks[1])
        took = c_float()
        self.device._do("cuEventElapsedTime", byref(took), *self._marks)
        self.seconds = took.value / 1e3
