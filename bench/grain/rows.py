"""The goals of right-sizing as rows of the scorecard: each row is the worst case of its kind, and says how many meet the goal."""

from __future__ import annotations

from statistics import median
from typing import Callable

from scorecard.row import FAILED, MET, MISSED, NOT_MEASURED, UNDECIDED, Goal, Interval, Row, interval_of_median, not_measured

from .cases import REAL, UNEVEN
from .result import COLD, WARM, Result

ABSENT = "this build has no policy called auto"


def is_many(one: Result) -> bool:
    return one.case.units >= 64


def is_some(one: Result) -> bool:
    return 16 <= one.case.units < 64


def is_uneven(one: Result) -> bool:
    """Where a phase changes, its parts follow each other only if there are more streams than run at a time."""
    return one.case.program in UNEVEN and (one.case.shape != "change" or one.case.units >= 2 * max(one.case.machine, 2))


def ratios(one: Result, policy: str) -> list[float]:
    """Gives policy / best fixed configuration, round by round."""
    return one.ratios(policy)


def sampling(one: Result, policy: str) -> list[float]:
    """Gives what the policy lost to samples over what S-MGPS lost, round by round."""
    lost = ([run["sampling_lost_seconds"] for run in one.policies[side]] for side in (policy, "s-mgps"))
    return [ours / theirs if theirs > 0 else 0.0 if ours == 0 else float("inf") for ours, theirs in zip(*lost)]


KINDS: tuple[tuple[str, str, Goal, Callable[[Result], bool], Callable[[Result, str], list[float]]], ...] = (
    ("cold-64", COLD, Goal("ratio", at_most=1.02), is_many, ratios),
    ("cold-16", COLD, Goal("ratio", at_most=1.05), is_some, ratios),
    ("warm", WARM, Goal("ratio", at_most=1.01), lambda one: one.case.units >= 16, ratios),
    ("never", COLD, Goal("ratio", at_most=1.10), lambda one: True, ratios),
    ("never-warm", WARM, Goal("ratio", at_most=1.10), lambda one: True, ratios),
    ("sampling", COLD, Goal("ratio", at_most=1 / 3), lambda one: "s-mgps" in one.policies, sampling),
    ("uneven", COLD, Goal("ratio", at_most=0.999), is_uneven, ratios),
)


def row_of(name: str, policy: str, goal: Goal, cases: list[Result], measured: Callable[[Result, str], list[float]]) -> Row:
    if not any(policy in one.policies for one in cases):
        return not_measured(name, ABSENT, goal)
    some = [one for one in cases if policy in one.policies]
    verdicts = [goal.verdict(interval(one, measured(one, policy))) for one in some]
    worst = max(some, key=lambda one: median(measured(one, policy)))
    taken = measured(worst, policy)
    row = Row(name, worst.median_of(policy, "seconds"), "s", peer=f"fixed {worst.best}", peer_version="this build",
              peer_value=median(worst.fixed[worst.best]), ratio=median(taken), goal=str(goal), interval=interval(worst, taken),
              again=worst.again, rounds=len(taken), verdict=MISSED if MISSED in verdicts else UNDECIDED if UNDECIDED in verdicts else MET,
              checked="every off-load ran once" if worst.case.machine != REAL else "the serial answer, to the last bit",
              note=f"the worst of {len(some)}: {worst.case.name}; {verdicts.count(MET)} meet the goal, {verdicts.count(MISSED)} miss it")
    row.samples = {one.case.name: measured(one, policy) for one in some}
    if measured is sampling:
        row.value, row.peer, row.peer_value = worst.median_of(policy, "sampling_lost_seconds"), "s-mgps", worst.median_of("s-mgps", "sampling_lost_seconds")
    return row


def interval(one: Result, measured: list[float]) -> Interval | None:
    """A described machine's run is the same every time, so it is its own interval."""
    return interval_of_median(measured) if one.case.machine == REAL else (min(measured), max(measured))


def decided(one: Result) -> bool:
    """Whether each goal that the case belongs to is met or missed by it."""
    return all(goal.verdict(interval(one, measured(one, policy))) != UNDECIDED
               for _, policy, goal, belongs, measured in KINDS if belongs(one) and policy in one.policies)


def rows(prefix: str, results: list[Result]) -> list[Row]:
    """Gives the rows of the goals; `results` are all of described machines, or all of the real one."""
    found = [one for one in results if one.fixed]
    every = []
    for kind, policy, goal, belongs, value in KINDS:
        some = [one for one in found if belongs(one)]
        if some:
            every.append(row_of(f"{prefix}/{kind}", policy, goal, some, value))
            if every[-1].verdict != NOT_MEASURED and any(one.failed for one in results):
                every[-1].verdict = FAILED
    for one in results:
        if one.note:
            every.append(Row(f"{prefix}/{one.case.name}", note=one.note, verdict=FAILED if one.failed else NOT_MEASURED))
    return every
