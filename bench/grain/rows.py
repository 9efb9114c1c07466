"""The goals of right-sizing as rows of the scorecard: each row is the worst case of its kind, and says how many meet the goal."""

from __future__ import annotations

from typing import Callable

from scorecard.row import Goal, Row, judge, skipped

from .cases import REAL, UNEVEN
from .result import COLD, WARM, Result

ABSENT = "this build has no policy called auto"


def is_many(one: Result) -> bool:
    return one.case.units >= 64


def is_some(one: Result) -> bool:
    return 16 <= one.case.units < 64


def is_uneven(one: Result) -> bool:
    """Where a phase changes, its parts follow each other only if there are more streams than run at a time."""
    return one.case.shape in UNEVEN and (one.case.shape != "change" or one.case.units >= 2 * max(one.case.machine, 2))


def sampling(one: Result, policy: str) -> float:
    """Gives what the policy lost to samples over what S-MGPS lost."""
    ours, theirs = (one.median_of(side, "sampling_lost_seconds") for side in (policy, "s-mgps"))
    return ours / theirs if theirs > 0 else 0.0 if ours == 0 else float("inf")


KINDS: tuple[tuple[str, str, Goal, Callable[[Result], bool], Callable[[Result, str], float]], ...] = (
    ("cold-64", COLD, Goal("ratio", at_most=1.02), is_many, Result.ratio),
    ("cold-16", COLD, Goal("ratio", at_most=1.05), is_some, Result.ratio),
    ("warm", WARM, Goal("ratio", at_most=1.01), lambda one: one.case.units >= 16, Result.ratio),
    ("never", COLD, Goal("ratio", at_most=1.10), lambda one: True, Result.ratio),
    ("never-warm", WARM, Goal("ratio", at_most=1.10), lambda one: True, Result.ratio),
    ("sampling", COLD, Goal("ratio", at_most=1 / 3), lambda one: "s-mgps" in one.policies, sampling),
    ("uneven", COLD, Goal("ratio", at_most=0.999), is_uneven, Result.ratio),
)


def row_of(name: str, policy: str, goal: Goal, cases: list[Result], value: Callable[[Result, str], float]) -> Row:
    if not any(policy in one.policies for one in cases):
        return skipped(name, ABSENT, goal)
    some = [one for one in cases if policy in one.policies]
    worst = max(some, key=lambda one: value(one, policy))
    ratio = value(worst, policy)
    met = sum(goal.met(value(one, policy), one.spread) for one in some)
    row = Row(name, worst.median_of(policy, "seconds"), "s", peer=f"fixed {worst.best}", peer_version="this build",
              peer_value=sum(worst.fixed[worst.best]) / len(worst.fixed[worst.best]), ratio=ratio, spread=worst.spread,
              runs=len(worst.policies[policy]), checked="every off-load ran once" if worst.case.machine != REAL else "the serial answer, to the last bit",
              note=f"the worst of {len(some)}: {worst.case.name}; {met} meet the goal")
    row.samples = {one.case.name: [value(one, policy)] for one in some}
    if name.endswith("sampling"):
        row.value, row.peer, row.peer_value = worst.median_of(policy, "sampling_lost_seconds"), "s-mgps", worst.median_of("s-mgps", "sampling_lost_seconds")
    judge(row, goal)
    row.met = met == len(some)
    return row


def rows(prefix: str, results: list[Result]) -> list[Row]:
    """Gives the rows of the goals; `results` are all of described machines, or all of the real one."""
    found = [one for one in results if one.fixed]
    every = []
    for kind, policy, goal, belongs, value in KINDS:
        some = [one for one in found if belongs(one)]
        if some:
            every.append(row_of(f"{prefix}/{kind}", policy, goal, some, value))
            if every[-1].met is not None and any(one.failed for one in results):
                every[-1].met = False
    for one in results:
        if one.note:
            every.append(Row(f"{prefix}/{one.case.name}", note=one.note))
    return every
