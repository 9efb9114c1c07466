"""The goals on programs that `auto` has never seen, as rows of the scorecard: the median of all programs (and machines), the 95th of a
hundred, and the worst."""

from __future__ import annotations

from math import ceil
from statistics import median
from typing import Sequence

from grain.cases import REAL
from grain.result import COLD, THIRD, WARM, Result
from scorecard.row import FAILED, MET, MISSED, NOT_MEASURED, UNDECIDED, Goal, Interval, Row, interval_of_median, not_measured, pairs

from .programs import PUT_ASIDE, SEEN_BEFORE

MEASURED = (COLD, WARM, THIRD)  # policies
WARM_RUNS = (WARM, THIRD)

MEDIAN, MOST, WORST = 0.5, 0.95, 1.0
NEVER_SLOWER = Goal("ratio", at_most=1.0)
AHEAD_IN = 0.75  # of the programs: 15 of 20
# What is asked of which runs' time over the best fixed configuration's.
ON_DESCRIBED = {MEDIAN: 1.00, MOST: 1.05, WORST: 1.15}
HERE = (("cold", (COLD,), {MEDIAN: 1.01, MOST: 1.05}),)
DESCRIBED = (("cold", (COLD,), ON_DESCRIBED), ("warm", WARM_RUNS, ON_DESCRIBED))
CALLED = {MEDIAN: "median", MOST: "95-percent", WORST: "worst"}

Compared = tuple[Result, str, list[float]]  # a case, what is compared, and the ratios round by round


def interval(one: Result, ratios: Sequence[float]) -> Interval | None:
    return interval_of_median(ratios) if one.case.machine == REAL else (min(ratios), max(ratios))


def share(values: Sequence[float], of: float) -> float:
    """Gives the least value that so many of all values do not exceed."""
    return sorted(values)[max(0, ceil(of * len(values) - 1e-9) - 1)]


def over_best(results: Sequence[Result], policies: Sequence[str]) -> list[Compared]:
    return [(one, policy, one.ratios(policy)) for one in results for policy in policies]


def over_cold(results: Sequence[Result]) -> list[Compared]:
    return [(one, policy, pairs(one.seconds(policy), one.seconds(COLD))) for one in results for policy in WARM_RUNS]


def seconds_of_peer(one: Result, side: str) -> list[float]:
    return [run["seconds"] for run in one.peers[side]]


def best_peer(one: Result) -> str:
    return min(one.peers, key=lambda side: median(seconds_of_peer(one, side)))


def over_peer(results: Sequence[Result]) -> list[Compared]:
    return [(one, best_peer(one), pairs(one.seconds(COLD), seconds_of_peer(one, best_peer(one)))) for one in results]


def row_of(name: str, goal: Goal, compared: Sequence[Compared], of: float, peer: str) -> Row:
    """Judges the ratio that a share `of` the cases does not exceed. It lies between what the same share of the lower and of the upper ends
    of the cases' intervals does not exceed."""
    intervals = [interval(one, ratios) for one, _, ratios in compared]
    medians = [median(ratios) for _, _, ratios in compared]
    row = Row(name, unit="", peer=peer, peer_version="this build", ratio=share(medians, of), goal=str(goal),
              rounds=min(len(ratios) for _, _, ratios in compared), checked=how_checked(compared[0][0]),
              samples={f"{one.case.name} {what}": ratios for one, what, ratios in compared})
    row.interval = None if None in intervals else (share([low for low, _ in intervals], of), share([high for _, high in intervals], of))
    row.verdict = goal.verdict(row.interval)
    worst = medians.index(max(medians))
    row.again = compared[worst][0].again
    meet = sum(value <= goal.at_most for value in medians)
    row.note = f"{meet} of {len(medians)} within {goal.at_most:g}; the worst: {compared[worst][0].case.name} {medians[worst]:.2f}"
    return row


def how_checked(one: Result) -> str:
    return "the serial answer, and each program's own check" if one.case.machine == REAL else "two runs are alike"


def no_interval_above(row: Row, compared: Sequence[Compared]) -> Row:
    """Judges each case for itself: an interval that lies wholly above 1 misses, one that reaches below does not."""
    intervals = [interval(one, ratios) for one, _, ratios in compared]
    row.goal = "no interval above 1"
    row.verdict = UNDECIDED if None in intervals else MISSED if any(low > 1 for low, _ in intervals) else MET
    return row


def rows(prefix: str, results: Sequence[Result]) -> list[Row]:
    """Gives the goals' rows of what was measured here, and of what was measured on described machines."""
    made: list[Row] = []
    for place, goals, belongs in (("here", HERE, lambda one: one.case.machine == REAL),
                                  ("described", DESCRIBED, lambda one: one.case.machine != REAL)):
        of_place = [one for one in results if belongs(one)]
        found = [one for one in of_place if one.fixed]
        some = rows_of_place(f"{prefix}/{place}", goals, found) if found else []
        for row in some:
            if any(one.failed for one in of_place):
                row.verdict = FAILED
        made += some
    names = {one.case.shape for one in results}
    seen = sorted(names & set(SEEN_BEFORE))
    for row in made:
        row.note = "; ".join(filter(None, (row.note, f"seen once before: {', '.join(seen)}" if seen else "",
                                           "" if names <= set(PUT_ASIDE) else "programs that auto was tuned on: to meet a goal here proves little")))
    return made + [Row(f"{prefix}/{one.case.name}", note=one.note, verdict=FAILED if one.failed else NOT_MEASURED) for one in results if one.note]


def rows_of_place(prefix: str, goals, found: list[Result]) -> list[Row]:
    made = [row_of(f"{prefix}/{kind}/{CALLED[of]}", Goal("ratio", at_most=most), over_best(found, policies), of, "best fixed")
            for kind, policies, bounds in goals for of, most in bounds.items()]
    warm = over_cold(found)
    made.append(no_interval_above(row_of(f"{prefix}/warm-over-cold", NEVER_SLOWER, warm, WORST, "auto cold"), warm))
    if found[0].case.machine == REAL:
        beside = [one for one in found if one.peers]
        made.append(row_of(f"{prefix}/openmp", NEVER_SLOWER, over_peer(beside), AHEAD_IN, "OpenMP's best") if beside else
                    not_measured(f"{prefix}/openmp", "this build has no unseen_openmp", NEVER_SLOWER))
    return made


def decided(one: Result) -> bool:
    """Whether further rounds of a program would tell nothing new: each of its ratios is on one side of what the goals ask."""
    asked: list[tuple[Goal, list[float]]] = [(Goal("ratio", at_most=most), one.ratios(COLD)) for _, _, bounds in HERE for most in bounds.values()]
    if one.peers:
        asked += [(NEVER_SLOWER, ratios) for _, _, ratios in over_peer([one])]
    return all(goal.verdict(interval(one, ratios)) != UNDECIDED for goal, ratios in asked)


def table(results: Sequence[Result]) -> str:
    """Gives a line a case: the best fixed configuration, what `auto` takes over its time, and what OpenMP does."""
    lines = [f"{'program':34} {'best fixed':>11} {'seconds':>9} {'cold':>6} {'2nd':>6} {'3rd':>6} {'chose':>8} {'over OpenMP':>12}  best of OpenMP"]
    for one in results:
        mark = "*" if one.case.shape in SEEN_BEFORE else ""
        if not one.fixed:
            lines.append(f"{one.case.name + mark:34} {one.note}")
            continue
        ratios = " ".join(f"{one.ratio(policy):6.3f}" for policy in MEASURED)
        peer = f" {median(over_peer([one])[0][2]):12.3f}  {best_peer(one)}" if one.peers else ""
        lines.append(f"{one.case.name + mark:34} {one.best:>11} {median(one.fixed[one.best]):9.4f} {ratios} {one.configuration(COLD):>8}{peer}")
    if any(one.case.shape in SEEN_BEFORE for one in results):
        lines.append("* was seen once before, so it judges less than the others")
    return "\n".join(lines) + "\n"
