"""How what `body` is told lies in its arrays."""

from __future__ import annotations

from manikin.kernels.gpu.queue import FIRST_COUNT, FIRST_SETTING
from manikin.kernels.tree.dispatch import NUMBERS

#: What the kernel is given, in this order, and the types of arrays; ``setting`` follows as scalars. numbers: (problems
#: or 1, NUMBERS) targets. starts: (problems or 1, n). which: (problems or 1) figures. seeds: (further, n) shares of the
#: ranges. found: (problems, n). report: (problems, REPORT). counter: the next problem. Then the structure, in whole
#: numbers (below), and the numbers of the drives, entries, coordinates and linear constraints. figures: a row each:
#: placements (M + 1, 12), offsets (K), limits (2, n), where seeds are drawn from (2, n), terms (T, PARAMETERS), ends of
#: linear constraints (C, 2).
ARRAYS = {
    **{
        "numbers": "f8",
        "starts": "f8",
        "which": "i4",
        "seeds": "f4",
        "found": "f8",
        "report": "i4",
        "counter": "i4",
    },
    **dict.fromkeys(
        ("counts", "tree", "junction", "first", "dofs", "terms", "slots", "begin", "entries"), "i4"
    ),
    **dict.fromkeys(("strips", "lengths", "variables", "shared", "charts", "linear_first", "linear"), "i4"),
    **dict.fromkeys(("coefficients", "shares", "scale", "weights", "figures"), "f4"),
}
#: Items of ``counts`` behind those of `queue`.
(
    MOTIONS,
    DOFS,
    TERMS,
    BLOCKS,
    WIDTH,
    STRIPS,
    SLOTS,
    CHARTS,
    VALUES,
    LINEAR,
    SWEEPS,
    ENTRIES,
    JUNCTIONS,
    COUNTS,
) = range(FIRST_COUNT, FIRST_COUNT + 14)
#: Of a motion: the motion that carries it, its kind, its first axis value.
PARENT, KIND, AXIS, MOTION = range(4)
#: Of a term, in the order of its strips: kind, motion, block, whether it minds all axes alike.
TERM_KIND, TERM_MOTION, TERM_BLOCK, TERM_ALIKE, TERM = range(5)
#: Of a strip: its block, and the first strip that it has variables in common with.
STRIP_BLOCK, STRIP_FIRST, STRIP = range(3)
#: Of an entry of a column: motion, part, column (`search.layout.Ties`).
ENTRY_MOTION, ENTRY_PART, ENTRY_COLUMN, ENTRY = range(4)
#: Of a slot: form, width and first of its numbers (`memory.targets`), and where in the terms' targets it goes.
SLOT_FORM, SLOT_WIDTH, SLOT_FROM, SLOT_TO, SLOT = range(5)
#: Of an entry of a linear constraint: its coordinate, and whether the search may move that.
LINEAR_DOF, LINEAR_MOVES, LINEAR_ENTRY = range(3)
#: Numbers of an axis of a tree: its direction and a point, U / D and sᵀb / D, then the step (`tree_step`).
AXIS_U, AXIS_STEP, AXIS_SIZE = 6, 12, 13
#: Numbers of a junction of a tree: its frame, later its twist; and the sums of its goals (`tree_rows.gather`).
SUMS, JUNCTION_SIZE = 12, 45
#: Of a chart: its first coordinate, and how many.
CHART = 2
#: Parameters of a term: site, its axes, then the target's point and axes, weight, weights of axes, square to stop at.
PARAMETERS = 29
P_TARGET, P_WEIGHT, P_AXES, P_STOP = 12, 24, 25, 28
#: Numbers of a target: a point and three axes.
TARGET = 12
#: Settings behind those of `queue`: share of the misses' squares that a term stops at.
SHARE, SETTINGS = range(FIRST_SETTING, FIRST_SETTING + 2)
#: Kinds of motions, parts of entries, kinds of terms, forms of targets: those of the CPU.
ROTATE, SLIDE, SWING_TWIST, TWIST_SWING = (
    NUMBERS[name] for name in ("rotate", "slide", "swing_twist", "twist_swing")
)
SLIDES = -2
POINT, LINE, PLANE, AXES, AIM = 0, 1, 2, 3, 4
FORM_POINT, FORM_ROWS, FORM_COLUMNS, FORM_FIRST = 0, 1, 2, 3

#: What is divided by is at least this.
TINY = 1e-12
#: Least square of the cosine of half the angle between two rotations.
HALF_TURN = 1e-6
#: How far a linear constraint may be off for single precision to call it kept.
OFF = 5e-6
