"""Workspaces with random linear constraints, and the kernels that work on them, callable from Python."""

from __future__ import annotations

import numpy as np
from scipy.optimize import linprog, nnls

from manikin.kernels.memory import layout
from manikin.kernels.memory.layout import view_work
from manikin.kernels.pose import limits
from manikin.kernels.pose.limits import LOWER, ROW_END, ROW_LOWER, ROW_UPPER, SCALE, UPPER, X


class Space:
    """n variables and some rows in the solver's own workspace."""

    def __init__(self, n, rows=None, row_lower=None, row_upper=None, lower=-np.inf, upper=np.inf):
        a = np.zeros((0, n)) if rows is None else np.array(rows, float).reshape(-1, n)
        names = (layout.MOTIONS, layout.VALUES, layout.DRIVES, layout.PARTS, layout.CHARTS, layout.IDENTITY)
        counts = dict.fromkeys(names, 0)
        counts |= {layout.DOFS: n, layout.VARIABLES: n, layout.ROWS: len(a)}
        self.structure, parameters, self.workspace = layout.allocate(dict(sorted(counts.items())))
        self.work = layout.sections(self.structure, parameters, self.workspace).work
        size = np.linalg.norm(a, axis=1)
        self.rows = self.work.rows
        self.rows[:] = a / size[:, None]
        self.vector, self.row = self.work.vector, self.work.row
        self.row[ROW_LOWER] = -np.inf if row_lower is None else np.asarray(row_lower) / size
        self.row[ROW_UPPER] = np.inf if row_upper is None else np.asarray(row_upper) / size
        self.row[ROW_END] = n
        self.vector[LOWER], self.vector[UPPER], self.vector[SCALE] = lower, upper, 1.0

    def call(self, function, *arguments):
        return function(self.structure, self.workspace, *arguments)

    def project(self, x):
        """The nearest point to x that satisfies the constraints; None when there is none."""
        self.vector[X] = x
        ends = self.row[[ROW_LOWER, ROW_UPPER]], self.vector[[LOWER, UPPER]], self.rows.copy()
        possible = self.call(nearest_feasible)
        after = self.row[[ROW_LOWER, ROW_UPPER]], self.vector[[LOWER, UPPER]], self.rows
        assert all(map(np.array_equal, ends, after)), "the kernel overwrote the constraints"
        return self.vector[X].copy() if possible else None

    def violation(self, x):
        """By how much the worst constraint is broken."""
        values = np.concatenate([x, self.rows @ x])
        lower = np.concatenate([self.vector[LOWER], self.row[ROW_LOWER]])
        upper = np.concatenate([self.vector[UPPER], self.row[ROW_UPPER]])
        return float(np.maximum(lower - values, values - upper).max(initial=0.0))

    def inequalities(self):
        """All constraints as G x ≥ h."""
        normals = np.vstack([np.eye(self.vector.shape[1]), self.rows])
        lower = np.concatenate([self.vector[LOWER], self.row[ROW_LOWER]])
        upper = np.concatenate([self.vector[UPPER], self.row[ROW_UPPER]])
        g = np.vstack([normals[np.isfinite(lower)], -normals[np.isfinite(upper)]])
        return g, np.concatenate([lower[np.isfinite(lower)], -upper[np.isfinite(upper)]])

    def nearest_by_scipy(self, x):
        """The projection of x by Lawson and Hanson's least distance programming, on SciPy's `nnls`."""
        g, h = self.inequalities()
        if len(g) == 0:
            return x
        e = np.vstack([g.T, h - g @ x])
        target = np.zeros(len(e))
        target[-1] = 1.0
        r = e @ nnls(e, target, maxiter=1000)[0] - target
        return x - r[:-1] / r[-1]

    def possible_by_scipy(self):
        """Whether any point satisfies the constraints, by linear programming."""
        g, h = self.inequalities()
        return linprog(np.zeros(g.shape[1]), -g, -h, bounds=(None, None)).status == 0


def nearest_feasible(S, W):
    work = view_work(S, W)
    return limits.nearest_feasible(work, work.curve[0], work.curve[1])
