"""One row of the scorecard, and how its goal is decided (docs/decisions/scorecard.md)."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from math import comb
from statistics import median
from typing import Mapping, Sequence

from .measure import AGAIN

MET, MISSED, UNDECIDED, NOT_MEASURED, FAILED = "met", "missed", "undecided", "not measured", "failed"
SHOWN = "shown"  # there is nothing to be judged
CONFIDENCE = 0.95

Interval = tuple[float, float]


@dataclass(frozen=True)
class Goal:
    """A bound on a row's `ratio` or, where no peer was measured, on its `value`."""

    on: str  # "ratio" or "value"
    at_least: float | None = None
    at_most: float | None = None

    def __str__(self) -> str:
        sign, bound = ("≥", self.at_least) if self.at_least is not None else ("≤", self.at_most)
        return f"{self.on} {sign} {bound:g}"

    def verdict(self, interval: Interval | None) -> str:
        """Gives on which side of the bound the interval lies; the bound itself is on the right side."""
        if interval is None:
            return UNDECIDED
        low, high = interval
        right, wrong = ((low >= self.at_least, high < self.at_least) if self.at_least is not None else
                        (high <= self.at_most, low > self.at_most))
        return MET if right else MISSED if wrong else UNDECIDED


@dataclass
class Row:
    name: str
    value: float | None = None
    unit: str = ""
    better: str = "lower"  # or "higher": which way the value is better
    peer: str | None = None
    peer_value: float | None = None
    peer_version: str | None = None
    ratio: float | None = None  # median of the paired ratios; the figure's file says of what to what
    goal: str = ""
    verdict: str = NOT_MEASURED
    interval: Interval | None = None  # 95 %, of the median that the goal is about
    again: Interval | None = None  # 95 %, of the median ratio of our second run of each round to the first: noise, and judges nothing
    rounds: int = 0
    quick: bool = False
    checked: str = ""  # how the answer was checked
    note: str = ""
    samples: dict[str, list[float]] = field(default_factory=dict)  # round by round
    versions: dict[str, str] = field(default_factory=dict)  # of the peers, by the samples' names

    @property
    def met(self) -> bool | None:
        return {MET: True, MISSED: False}.get(self.verdict)

    @property
    def decided(self) -> bool:
        return self.verdict != UNDECIDED

    def as_json(self) -> dict:
        return {**asdict(self), "met": self.met,
                "medians": {side: median(values) for side, values in self.samples.items() if values}}


def not_measured(name: str, why: str, goal: Goal | None = None) -> Row:
    return Row(name, goal=str(goal or ""), note=why)


def interval_of_median(samples: Sequence[float]) -> Interval | None:
    """Gives the distribution-free interval that covers the median with 95 % or more: from the k-th smallest to the k-th
    largest sample, for the largest k at which at most 2.5 % of fair coins' n tosses give fewer than k heads. Gives
    nothing below 6 samples, of which even the extremes cover less."""
    n, k, below = len(samples), 0, 0
    while 2 * (below + comb(n, k)) <= (1 - CONFIDENCE) * 2**n:
        below += comb(n, k)
        k += 1
    if k == 0:
        return None
    ordered = sorted(samples)
    return ordered[k - 1], ordered[n - k]


def size_of(interval: Interval | None) -> Interval | None:
    """Gives between which sizes an error lies that is in the interval, whatever its sign."""
    if interval is None:
        return None
    low, high = interval
    return (0.0 if low <= 0 <= high else min(abs(low), abs(high))), max(abs(low), abs(high))


def pairs(over: Sequence[float], under: Sequence[float]) -> list[float]:
    """Gives over/under, round by round."""
    if len(over) != len(under) or not over:
        raise ValueError(f"{len(over)} runs against {len(under)} are no pairs")
    return [a / b for a, b in zip(over, under)]


def noise(values: Mapping[str, Sequence[float]], side: str) -> Interval | None:
    """Gives the interval of the median ratio of a side's second run of each round to its first: the same work twice."""
    return interval_of_median(pairs(values[side + AGAIN], values[side]))


def paired_ratio(over: Sequence[float], under: Sequence[float]) -> float:
    """Gives the median of over/under, round by round."""
    return median(pairs(over, under))


def judge(row: Row, goal: Goal, measured: Sequence[float], exact: bool = False) -> Row:
    """Fills in what the goal is about, its interval and the verdict from its samples, one a round. `exact`: they are the
    same every time, so that they are their own interval."""
    row.goal, row.rounds = str(goal), len(measured)
    if goal.on == "ratio":
        row.ratio = median(measured)
    else:
        row.value = median(measured)
    row.interval = (min(measured), max(measured)) if exact else interval_of_median(measured)
    row.verdict = goal.verdict(row.interval)
    return row
