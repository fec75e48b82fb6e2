"""The same call, whatever was called before: on a fresh problem, a used one, threads, in another process, pickled.

A call is a start and targets. Its answer is what a user can read of it, bit by bit. The reference is the answer of a
problem that was never used; each history below gives the answer in another way, and says in words where it differs.

``python -m tests.campaign.history answers NAME…``, ``… threads COUNT SOLVES NAME…`` and ``… sessions COUNT RUNS NAME…``
are what child processes run.
"""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
import threading
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cache, cached_property
from pathlib import Path
from time import process_time
from typing import Any

import numpy as np

import manikin as mk
from manikin.errors import ManikinError

REPOSITORY = Path(__file__).resolve().parents[2]
#: Seconds after which a child process counts as hanging.
PATIENCE = 300.0
#: Seconds between two threads of the interpreter, so that they meet in each other's calls.
SWITCH = 1e-6
#: Steps of a drag, and how much of the way to other targets each goes.
STEPS, STEP = 4, 0.02
#: Seconds of the processor after which calls on threads count as endless, if none has come back meanwhile.
ENDLESS = 5.0
#: What a user reads of one solution, and of many.
BOTH = ("q", "reached", "feasible", "position_errors", "orientation_errors")
ONE, MANY = (*BOTH, "status", "cost"), BOTH
Answer = dict[str, Any]


@dataclass(frozen=True)
class Call:
    """Where a solve starts, and the targets that come with it; of a path or a batch, a row of each for every sample."""

    start: Any
    targets: Any = None
    options: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Subject:
    """What is asked again and again.

    make: a fresh problem, or of a batch its figure and goals.
    calls: those that are compared. others: those that are made in between.
    way: "solve", "path" or "many".
    """

    name: str
    make: Callable[[], Any]
    calls: Sequence[Call]
    others: Sequence[Call]
    way: str = "solve"

    def run(self, made: Any, call: Call) -> Any:
        """What a call returns."""
        if self.way == "path":
            return made.solve_path(call.targets, call.start, **call.options)
        if self.way == "many":
            return mk.solve_many(*made, q0=call.start, targets=call.targets, threads=1, **call.options)
        return made.solve(call.start, targets=call.targets, **call.options)

    def answer(self, made: Any, call: Call) -> Answer:
        """What a user reads of it; a refusal is an answer too."""
        try:
            return read(self.run(made, call))
        except ManikinError as error:
            return {"refused": f"{type(error).__name__}: {error}"}

    def fresh(self, call: Call) -> Answer:
        """The answer of a problem that was never used."""
        return self.answer(self.make(), call)

    @cached_property
    def wanted(self) -> list[Answer]:
        """The answers of fresh problems to all calls."""
        return [self.fresh(call) for call in self.calls]


def read(found: Any) -> Answer:
    """What a user reads of a solution, or of many; arrays as copies."""
    names = ONE if isinstance(found, mk.Solution) else MANY
    return {name: np.array(getattr(found, name)) for name in names}


def differences(got: Answer, wanted: Answer) -> list[str]:
    """In words, every value that is not the same bit by bit."""
    if got.keys() != wanted.keys() or "refused" in got:
        if got == wanted:
            return []
        return [f"{got.get('refused', 'an answer')} for {wanted.get('refused', 'an answer')}"]
    found = []
    for name, value in wanted.items():
        other = got[name]
        if value.tobytes() == other.tobytes():
            continue
        if value.dtype.kind == "f" and value.shape == other.shape:
            found.append(f"{name} by {np.abs(value - other).max():.1e}")
        else:
            found.append(f"{name} {other} for {value}")
    return found


def _compared(pairs: Iterable[tuple[Answer, Answer]]) -> list[str]:
    """The differences of all pairs, by the number of the call."""
    return [
        f"call {number}: {', '.join(words)}"
        for number, (got, wanted) in enumerate(pairs)
        if (words := differences(got, wanted))
    ]


def used(subject: Subject) -> list[str]:
    """One problem for all calls, others in between."""
    made = subject.make()
    got = []
    for call, other in zip(subject.calls, subject.others, strict=True):
        subject.answer(made, other)
        got.append(subject.answer(made, call))
    return _compared(zip(got, subject.wanted, strict=True))


def twice(subject: Subject) -> list[str]:
    """The same call once more."""
    pairs = []
    for call, wanted in zip(subject.calls, subject.wanted, strict=True):
        made = subject.make()
        subject.answer(made, call)
        pairs.append((subject.answer(made, call), wanted))
    return _compared(pairs)


def own_end(subject: Subject) -> list[str]:
    """From where the problem's last solve ended, beside a fresh problem from there."""
    pairs = []
    for call, after in zip(subject.calls, subject.others, strict=True):
        made = subject.make()
        first = subject.answer(made, call)
        if "refused" in first:
            continue
        end = first["q"][-1].copy() if subject.way == "path" else first["q"]
        following = Call(end, after.targets, after.options)
        pairs.append((subject.answer(made, following), subject.fresh(following)))
    return _compared(pairs)


def dragged(subject: Subject) -> list[str]:
    """Each step of a drag, its targets moving a little, beside a fresh problem from where that step starts."""
    if subject.way != "solve":
        return []
    pairs = []
    for call, after in zip(subject.calls, subject.others, strict=True):
        made, q = subject.make(), call.start
        for step in range(STEPS):
            here = Call(q, _between(call.targets, after.targets, step * STEP), call.options)
            got = subject.answer(made, here)
            pairs.append((got, subject.fresh(here)))
            if "refused" in got:
                break
            q = got["q"]
    return _compared(pairs)


def _between(targets: Any, others: Any, share: float) -> Any:
    """Points a little way to others; frames and what has no target stay."""
    if targets is None or others is None:
        return targets
    return [
        one if one is None or np.ndim(one) != 1 else one + share * (other - one)
        for one, other in zip(targets, others, strict=True)
    ]


def read_late(subject: Subject) -> list[str]:
    """A solution that is read after its problem has solved for something else."""
    pairs = []
    for call, other, wanted in zip(subject.calls, subject.others, subject.wanted, strict=True):
        made = subject.make()
        try:
            found = subject.run(made, call)
        except ManikinError:
            continue
        subject.answer(made, other)
        pairs.append((read(found), wanted))
    return _compared(pairs)


def pickled(subject: Subject) -> list[str]:
    """A problem that was used, written and read back; the first calls only, since a figure takes long to write."""
    pairs = []
    for call, other, wanted in list(zip(subject.calls, subject.others, subject.wanted, strict=True))[:2]:
        made = subject.make()
        subject.answer(made, other)
        pairs.append((subject.answer(pickle.loads(pickle.dumps(made)), call), wanted))
    return _compared(pairs)


def _run(subject: Subject, session: Any, call: Call, after: Call, between: Callable[[], Any]) -> list[Answer]:
    """The answers of a run, its targets moving a little; something else happens before every step."""
    found = []
    for step in range(STEPS):
        between()
        targets = _between(call.targets, after.targets, step * STEP)
        try:
            found.append(read(session.solve(targets, **call.options)))
        except ManikinError as error:
            found.append({"refused": f"{type(error).__name__}: {error}"})
    return found


def beside_a_session(subject: Subject) -> list[str]:
    """A solve of a problem of which a session is under way."""
    if subject.way != "solve":
        return []
    pairs = []
    for call, after, wanted in zip(subject.calls, subject.others, subject.wanted, strict=True):
        made = subject.make()
        session = made.session(after.start)
        _run(subject, session, after, call, lambda: None)
        pairs.append((subject.answer(made, call), wanted))
        # From where the session is, which is no concern of the problem's own solves.
        here = Call(np.array(session.q), call.targets, call.options)
        pairs.append((subject.answer(made, here), subject.fresh(here)))
    return _compared(pairs)


def sessions(subject: Subject) -> list[str]:
    """A session by itself, beside one whose problem solves meanwhile and has another session under way."""
    if subject.way != "solve":
        return []
    pairs: list[tuple[Answer, Answer]] = []
    for call, after in zip(subject.calls, subject.others, strict=True):
        wanted = _run(subject, subject.make().session(call.start), call, after, lambda: None)
        made = subject.make()
        other = made.session(after.start)

        def between(made: Any = made, other: Any = other, after: Call = after) -> None:
            subject.answer(made, after)
            with suppress(ManikinError):
                other.solve(after.targets, **after.options)

        got = _run(subject, made.session(call.start), call, after, between)
        pairs += zip(got, wanted, strict=True)
    return _compared(pairs)


#: Histories in this process.
HERE: dict[str, Callable[[Subject], list[str]]] = {
    "used": used,
    "twice": twice,
    "own end": own_end,
    "dragged": dragged,
    "read late": read_late,
    "pickled": pickled,
}
if hasattr(mk.Problem, "session"):
    HERE |= {"beside a session": beside_a_session, "sessions": sessions}


def on_threads(subject: Subject, count: int, solves: int) -> list[str]:
    """One problem on so many threads at once, each making the calls in another order, until one answer differs."""
    wanted, made = subject.wanted, subject.make()

    def turn(number: int) -> list[str]:
        place = number % len(wanted)
        words = differences(subject.answer(made, subject.calls[place]), wanted[place])
        return [f"call {place}: {', '.join(words)}"] if words else []

    return _at_once(turn, count, solves)


def sessions_on_threads(subject: Subject, count: int, runs: int) -> list[str]:
    """Sessions of one problem on so many threads at once, each with runs of its own, until one answer differs."""
    made, pairs = subject.make(), list(zip(subject.calls, subject.others, strict=True))
    wanted = [
        _run(subject, subject.make().session(call.start), call, after, lambda: None) for call, after in pairs
    ]

    def turn(number: int) -> list[str]:
        place = number % len(pairs)
        call, after = pairs[place]
        got = _run(subject, made.session(call.start), call, after, lambda: None)
        return [f"run {place}, {words}" for words in _compared(zip(got, wanted[place], strict=True))]

    return _at_once(turn, count, runs)


def _at_once(turn: Callable[[int], list[str]], count: int, turns: int) -> list[str]:
    """So many turns on each of some threads, until one has found something.

    A thread that does not come back is left behind: the process has to be ended (`_main`).
    """
    found: list[str] = []
    done = [0] * count

    def work(first: int) -> None:
        for number in range(turns):
            done[first] = number
            try:
                found.extend(turn(first + number))
            except Exception as error:
                found.append(f"{type(error).__name__}: {error}")
            if found:
                return

    before = sys.getswitchinterval()
    sys.setswitchinterval(SWITCH)
    try:
        threads = [threading.Thread(target=work, args=(k,), daemon=True) for k in range(count)]
        for thread in threads:
            thread.start()
        spent, last = process_time(), list(done)
        while alive := [thread for thread in threads if thread.is_alive()]:
            alive[0].join(0.01)
            if done != last:
                spent, last = process_time(), list(done)
            elif process_time() - spent > ENDLESS:
                found.insert(0, "a call does not come back")
                break
    finally:
        sys.setswitchinterval(before)
    return found[:1]


def in_a_child(*arguments: str) -> tuple[list[Any], str]:
    """What a child process finds, object by object; and how it ended, where that is not well."""
    path = os.pathsep.join([str(REPOSITORY / "src"), str(REPOSITORY), os.environ.get("PYTHONPATH", "")])
    try:
        done = subprocess.run(
            [sys.executable, "-m", "tests.campaign.history", *arguments],
            cwd=REPOSITORY,
            env={**os.environ, "PYTHONPATH": path},
            capture_output=True,
            timeout=PATIENCE,
        )
    except subprocess.TimeoutExpired:
        return [], f"the process took more than {PATIENCE:.0f} s"
    found, place = [], 0
    while place < len(done.stdout):
        length = int.from_bytes(done.stdout[place : place + 8], "little")
        found.append(pickle.loads(done.stdout[place + 8 : place + 8 + length]))
        place += 8 + length
    if done.returncode == 0:
        return found, ""
    said = done.stderr.decode(errors="replace").strip().splitlines()[-1:]
    return found, f"the process ended with {done.returncode}: {' '.join(said)}"


@cache
def elsewhere(*names: str) -> dict[str, list[Answer]]:
    """The answers of fresh problems in another process, by name."""
    found, ended = in_a_child("answers", *names)
    if ended:
        raise RuntimeError(ended)
    return dict(found)


def other_process(subject: Subject, answers: Sequence[Answer]) -> list[str]:
    """The answers of another process beside those of this one."""
    return _compared(zip(answers, subject.wanted, strict=True))


@cache
def subject_of(name: str) -> Subject:
    """A subject by its name, or by the seed of a random one."""
    from tests.campaign.history_cases import CASES, random_subject

    return CASES[name]() if name in CASES else random_subject(int(name))


def run_history(seed: int) -> dict[str, Any]:
    """All histories of a random figure and random goals; as JSON can hold it."""
    begin = process_time()
    told: dict[str, Any] = {"seed": seed, "found": [], "solves": 0}
    try:
        subject = subject_of(str(seed))
    except ManikinError as error:
        return {**told, "refusal": f"{type(error).__name__}: {error}"}
    told["figure"] = subject.name
    for name, history in HERE.items():
        told["found"] += [f"{name}: {words}" for words in history(subject)]
        told["solves"] += 3 * len(subject.calls)
    return {**told, "cpu": process_time() - begin}


def _send(value: Any) -> None:
    data = pickle.dumps(value)
    sys.stdout.buffer.write(len(data).to_bytes(8, "little") + data)
    sys.stdout.buffer.flush()


def _main(kind: str, *arguments: str) -> None:
    if kind == "answers":
        for name in arguments:
            _send((name, subject_of(name).wanted))
        return
    tried = {"threads": on_threads, "sessions": sessions_on_threads}[kind]
    count, solves, *names = arguments
    for name in names:
        found = tried(subject_of(name), int(count), int(solves))
        _send((name, found))
        if found:
            break
    os._exit(0)  # A thread that does not come back is left behind.


if __name__ == "__main__":
    _main(*sys.argv[1:])
