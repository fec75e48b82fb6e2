"""A solve is a function of its arguments: whatever was solved before, on whatever thread, after a copy or a pickle."""

from __future__ import annotations

import pickle
import threading
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
import pytest
from tests.solvers.test_meaning import two_arms
from tests.solvers.test_session import floating_chain

import manikin as mk

FEET = ("left_foot", "right_foot")
Made = tuple[mk.Problem, list[Any], dict[str, Any]]
"""A problem, targets for a call (None: the goals' own), options of the call."""


def arm(n: int = 6) -> mk.Figure:
    joints = [
        mk.Joint.revolute(
            f"j{k}", f"s{k}", f"s{k + 1}", "zyx"[k % 3], placement=[0.0, 0.02, 0.2], lower=-2.2, upper=2.2
        )
        for k in range(n)
    ]
    return mk.Figure(
        "arm", [f"s{k}" for k in range(n + 1)], joints, [mk.Site("tip", f"s{n}", [0.0, 0.0, 0.15])]
    )


def fast_arm() -> mk.Figure:
    """An arm whose joints have velocity limits."""
    joints = [
        mk.Joint.revolute(
            f"j{k}",
            f"s{k}",
            f"s{k + 1}",
            "zyx"[k % 3],
            placement=[0, 0, 0.2],
            lower=-2,
            upper=2,
            velocity=1.5,
        )
        for k in range(5)
    ]
    return mk.Figure("fast arm", [f"s{k}" for k in range(6)], joints, [mk.Site("tip", "s5", [0, 0, 0.15])])


@cache
def human() -> mk.Figure:
    return mk.human(stature=1.75, fingers=False)


def near(place: np.ndarray, axes: np.ndarray) -> tuple[float, np.ndarray, np.ndarray]:
    """The square of the distance to a point, as a function of a user's."""
    off = place - np.array([0.3, 0.1, 0.6])
    return float(off @ off), 2.0 * off, np.zeros((3, 3))


def feet(**options: Any) -> list[mk.Goal]:
    return [mk.Pin(foot, **options) for foot in FEET]


def bent(figure: mk.Figure, seed: int) -> np.ndarray:
    """A pose somewhere inside."""
    rng = np.random.default_rng(seed)
    low, high = np.maximum(figure.lower, -0.8), np.minimum(figure.upper, 0.8)
    return np.clip(rng.uniform(low, high), figure.lower, figure.upper)


def at(figure: mk.Figure, site: str, seed: int) -> np.ndarray:
    return figure.pose(bent(figure, seed)).position(site)


HAND = [0.4, -0.2, 1.1]


def _human(goals: list[mk.Goal], more: list[Any] | None = None, **options: Any) -> Made:
    natural = options.pop("natural", True)
    return mk.Problem(human(), goals, natural=natural), more or [], options


CASES: dict[str, Callable[[], Made]] = {
    "an arm": lambda: (
        mk.Problem(arm(), [mk.Position("tip", at(arm(), "tip", 1))]),
        [at(arm(), "tip", 2)],
        {},
    ),
    "a short arm, out of reach": lambda: (mk.Problem(arm(4), [mk.Position("tip", [3, 0, 1])]), [], {}),
    "an arm, a place": lambda: (
        mk.Problem(arm(7), [mk.Placement("tip", arm(7).pose(bent(arm(7), 3)).matrix("tip"))]),
        [],
        {},
    ),
    "two axes of an orientation": lambda: (
        mk.Problem(arm(), [mk.Orientation("tip", np.eye(3), axes=(1, 1, 0))]),
        [arm().pose(bent(arm(), 2)).matrix("tip")[:3, :3]],
        {},
    ),
    "linear couplings": lambda: (
        mk.Problem(
            arm(), [mk.Position("tip", at(arm(), "tip", 4))], constraints=["j0 + j1 <= 0.4", "j2 = 0.5*j3"]
        ),
        [],
        {},
    ),
    "an arm, a hard goal": lambda: (
        mk.Problem(arm(), [mk.Position("tip", at(arm(), "tip", 5), hard=True), mk.Posture()]),
        [],
        {},
    ),
    "levels": lambda: (
        mk.Problem(arm(), [[mk.Position("tip", at(arm(), "tip", 6))], [mk.Position("s3", [0.5, 0.0, 0.3])]]),
        [],
        {},
    ),
    "restarts": lambda: (
        mk.Problem(arm(), [mk.Position("tip", [0, 0, -0.5])]),
        [],
        {"restarts": 20, "seed": 3},
    ),
    "several": lambda: (
        mk.Problem(arm(), [mk.Position("tip", at(arm(), "tip", 7))]),
        [],
        {"solutions": 3, "restarts": 6},
    ),
    "the nearest": lambda: (
        mk.Problem(arm(), [mk.Position("tip", at(arm(), "tip", 7))]),
        [],
        {"nearest": True, "restarts": 6},
    ),
    "by projection": lambda: (
        mk.Problem(arm(), [mk.Position("tip", at(arm(), "tip", 8))]),
        [],
        {"method": "projection"},
    ),
    "a potential": lambda: (mk.Problem(arm(), [mk.Potential("tip", near)]), [], {}),
    "a potential beside a hard goal": lambda: (
        mk.Problem(arm(), [mk.Potential("tip", near), mk.Range("s4", z=(0.2, 0.6), hard=True)]),
        [],
        {},
    ),
    "in time": lambda: (mk.Problem(fast_arm(), [mk.Position("tip", [0.5, 0.2, 0.4])]), [], {"dt": 0.1}),
    "in time, hard": lambda: (
        mk.Problem(fast_arm(), [mk.Position("tip", [0.5, 0.2, 0.4], hard=True), mk.LeastChange()]),
        [],
        {"dt": 0.1},
    ),
    "two arms, a pin": lambda: (
        mk.Problem(two_arms(), [mk.Position("hand_a", [0.5, 0, 0.3]), mk.Pin("hand_b", "position")]),
        [],
        {},
    ),
    "two arms, a pin in time": lambda: (
        mk.Problem(two_arms(), [mk.Position("hand_a", [0.5, 0, 0.3]), mk.Pin("hand_b", "position")]),
        [],
        {"dt": 0.1},
    ),
    "two arms, several pins": lambda: (
        mk.Problem(two_arms(), [mk.Position("hand_a", [0.5, 0, 0.3]), mk.Pin("hand_b", "position")]),
        [],
        {"solutions": 3, "restarts": 6},
    ),
    "two arms, a relation": lambda: (
        mk.Problem(two_arms(), [mk.Position("hand_a", [0.4, 0, 0.3]), mk.Relative("hand_b", "hand_a")]),
        [],
        {},
    ),
    "two arms, any of two": lambda: (
        mk.Problem(
            two_arms(),
            [
                mk.AnyOf([mk.Position("hand_a", [0.5, 0, 0.3]), mk.Position("hand_b", [0.5, 0, 0.3])]),
                mk.LeastChange(),
            ],
        ),
        [],
        {},
    ),
    "two arms, any of a pin and a place": lambda: (
        mk.Problem(
            two_arms(), [mk.Position("hand_a", [0.5, 0, 0.3]), mk.AnyOf([mk.Pin("hand_b"), mk.Pin("body")])]
        ),
        [],
        {},
    ),
    "a free chain": lambda: (
        mk.Problem(floating_chain(), [mk.Position("tip", [0.5, 0.2, 0.9])]),
        [np.array([0.6, 0.1, 0.8])],
        {},
    ),
    "a free chain, a place": lambda: (
        mk.Problem(floating_chain(), [mk.Placement("tip", [0.5, 0.2, 0.9], np.eye(3))]),
        [],
        {},
    ),
    "a free chain, hard and a posture": lambda: (
        mk.Problem(floating_chain(), [mk.Position("tip", [0.5, 0.2, 0.9], hard=True), mk.Posture()]),
        [],
        {},
    ),
    "a hand": lambda: _human([mk.Position("right_hand", HAND)], [np.array([0.45, -0.25, 1.2])]),
    "a hand, not naturally": lambda: _human([mk.Position("right_hand", HAND)], natural=False),
    "a hand out of reach": lambda: (
        mk.Problem(human(), [mk.Position("right_hand", [0.4, -0.2, 2.9])], free=["right_*"]),
        [],
        {},
    ),
    "pins, out of reach": lambda: _human([mk.Position("right_hand", [0.4, -0.2, 2.9]), *feet()], restarts=0),
    "pins": lambda: _human(
        [mk.Position("right_hand", HAND), *feet()], [np.array([0.45, -0.25, 1.2]), None, None]
    ),
    "pins, not naturally": lambda: _human([mk.Position("right_hand", HAND), *feet()], natural=False),
    "pins and balance": lambda: _human(
        [mk.Position("right_hand", HAND), *feet(), mk.Balance(margin=0.02, hard=True)]
    ),
    "pins and a gaze": lambda: _human([mk.Position("right_hand", HAND), *feet(), mk.Aim("eyes", at=HAND)]),
    "a relation of hands": lambda: _human(
        [mk.Position("right_hand", HAND), mk.Relative("left_hand", "right_hand"), *feet()]
    ),
    "a person, levels": lambda: (mk.Problem(human(), [feet(), [mk.Position("right_hand", HAND)]]), [], {}),
    "a person, least change": lambda: _human([mk.Position("right_hand", HAND), *feet(), mk.LeastChange()]),
    "a style": lambda: _human(
        [mk.Position("right_hand", [0.4, -0.2, 0.3]), mk.Natural(style="squat"), *feet()]
    ),
    "a person, either hand": lambda: _human(
        [mk.AnyOf([mk.Position("right_hand", HAND), mk.Position("left_hand", HAND)]), *feet()]
    ),
    "pins at places": lambda: _human(
        [mk.Position("right_hand", HAND), *(mk.Pin(f, at=human().pose().matrix(f)) for f in FEET)]
    ),
}


def told(found: mk.Solution) -> tuple[Any, ...]:
    """All that a solution says, to the bit."""
    return (
        found.q.tobytes(),
        found.status,
        found.errors.tobytes(),
        found.potential,
        found.anchor.q.tobytes(),
        tuple(told(other) for other in found.alternatives),
    )


def starts(problem: mk.Problem) -> list[np.ndarray]:
    """Two starts: the problem's own, and one somewhere else."""
    figure = problem.figure
    away = np.clip(problem.q0 + 0.1 * bent(figure, 11), figure.lower, figure.upper)
    return [np.array(problem.q0), away]


def disturb(problem: mk.Problem, seed: int, **options: Any) -> None:
    """Random other calls: solves that go on from each other, that miss, that are refused, paths, sessions."""
    rng = np.random.default_rng(seed)
    figure, q = problem.figure, np.array(problem.q0)
    places = [k for k, goal in enumerate(problem.goals) if isinstance(goal, mk.Position)]

    def targets(by: float) -> list[Any]:
        listed: list[Any] = [None] * len(problem.goals)
        for k in places:
            listed[k] = np.asarray(problem.goals[k].target) + by * rng.normal(size=3)  # type: ignore[attr-defined]
        return listed

    for turn in range(4):
        begin = np.clip(q + 0.2 * rng.normal(size=figure.n), figure.lower, figure.upper)
        q = problem.solve(q if turn % 2 else begin, targets(0.05) if places else None, restarts=0).q
    if places:
        problem.solve(q, targets(0.01), **options)
        problem.solve(q, targets(3.0), restarts=0)
        listed = targets(0.0)
        listed[places[0]] = np.full(3, np.nan)
        with pytest.raises(mk.ManikinError):
            problem.solve(q, listed)
        path = [None if t is None else t + 0.01 * rng.normal(size=(3, 3)) for t in targets(0.02)]
        problem.solve_path(path, q, restarts=0)
        session = problem.session(q)
        session.solve(targets(0.02), restarts=0)
    with pytest.raises(mk.ManikinError):
        problem.solve(np.full(figure.n, np.nan))


def call(
    problem: mk.Problem, start: np.ndarray, targets: list[Any], options: dict[str, Any]
) -> tuple[Any, ...]:
    return told(problem.solve(start, targets or None, **options))


@pytest.mark.parametrize("name", CASES)
def test_the_same_call_has_the_same_answer(name):
    made = CASES[name]
    problem, targets, options = made()
    begun = starts(problem)
    expected = [call(made()[0], start, targets, options) for start in begun]  # each of a fresh problem
    for seed in range(2):
        for k in (1, 0, 0, 1):
            assert call(problem, begun[k], targets, options) == expected[k], "after other calls"
        disturb(problem, seed, **({"restarts": 0} if options.get("restarts") == 0 else {}))
    for k in (0, 1):
        assert call(problem, begun[k], targets, options) == expected[k], "after random calls"
        end = np.frombuffer(expected[k][0])
        after = call(problem, end, targets, options)
        assert after == call(made()[0], end, targets, options), "from where the last solve ended"
    other = pickle.loads(pickle.dumps(problem))
    assert [call(other, start, targets, options) for start in begun] == expected, "after pickling"
    again = problem.replace(natural=problem.natural)
    assert [call(again, start, targets, options) for start in begun] == expected, "of an equal problem"


@pytest.mark.parametrize("name", CASES)
def test_four_threads_at_once_have_the_same_answers(name):
    problem, targets, options = CASES[name]()
    begun = starts(problem)
    expected = [call(problem, start, targets, options) for start in begun]
    ready, wrong = threading.Barrier(4), []

    def work(number: int) -> None:
        ready.wait()
        for turn in range(3):
            k = (turn + number) % 2
            if call(problem, begun[k], targets, options) != expected[k]:
                wrong.append((number, turn))

    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


PATHS = {
    "an arm": ("tip", lambda: mk.Problem(arm(), [mk.Position("tip", at(arm(), "tip", 1))])),
    "a free chain": ("tip", lambda: mk.Problem(floating_chain(), [mk.Position("tip", [0.3, 0.2, 0.9])])),
    "two arms": (
        "hand_a",
        lambda: mk.Problem(two_arms(), [mk.Position("hand_a", [0.5, 0, 0.3]), mk.Pin("hand_b", "position")]),
    ),
    "levels": (
        "tip",
        lambda: mk.Problem(
            arm(), [[mk.Position("tip", at(arm(), "tip", 1))], [mk.Position("s3", [0, 0.1, 0.6])]]
        ),
    ),
    "a hand": ("right_hand", lambda: mk.Problem(human(), [mk.Position("right_hand", HAND)])),
    "pins": (
        "right_hand",
        lambda: mk.Problem(human(), [mk.Position("right_hand", HAND), *feet(), mk.Balance()]),
    ),
    "least change": (
        "right_hand",
        lambda: mk.Problem(human(), [mk.Position("right_hand", HAND), *feet(), mk.LeastChange()]),
    ),
    "a style": ("right_hand", lambda: mk.Problem(human(), [mk.Position("right_hand", HAND), mk.Natural()])),
}


@pytest.mark.parametrize("name", PATHS)
def test_the_same_path_has_the_same_answers(name):
    site, made = PATHS[name]
    problem = made()
    start = problem.solve(restarts=0).q
    here = problem.figure.pose(start).position(site)
    u = np.linspace(0.0, 2.0, 7)
    samples = here + 0.05 * np.column_stack([np.sin(u), np.cos(u) - 1.0, np.sin(2.0 * u)])
    if name not in ("pins", "least change"):  # where it takes long
        samples[3] += [9.0, 0.0, 0.0]  # out of reach: solved by itself
    targets = [samples, *(None for _ in problem.goals[1:])]

    def path(of: mk.Problem) -> tuple[bytes, ...]:
        found = of.solve_path(targets, start, restarts=0)
        return found.q.tobytes(), found.reached.tobytes(), found.errors.tobytes(), found.iterations.tobytes()

    expected = path(made())
    for seed in range(2):
        assert path(problem) == expected
        disturb(problem, seed)
    assert path(problem) == path(pickle.loads(pickle.dumps(problem))) == expected
    together: list[Any] = [None] * 4

    def work(number: int) -> None:
        together[number] = path(problem)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert together == [expected] * 4


def test_one_problem_solved_by_four_threads_thousands_of_times():
    """Arrays that two threads wrote into gave wrong answers without an error."""
    problem = mk.Problem(arm(7), [mk.Position("tip", at(arm(7), "tip", 1))])
    points = [at(arm(7), "tip", seed) for seed in range(20)]
    q = np.array(bent(arm(7), 30))
    expected = [problem.solve(q, [point]).q.tobytes() for point in points]
    wrong: list[int] = []

    def work() -> None:
        for turn in range(600):
            k = turn % len(points)
            if problem.solve(q, [points[k]]).q.tobytes() != expected[k]:
                wrong.append(k)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong
