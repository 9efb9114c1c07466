"""One row of the scorecard, and when its goal counts as met."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from statistics import median
from typing import Sequence


@dataclass(frozen=True)
class Goal:
    """A bound on a row's `ratio` or, where no peer was measured, on its `value`."""

    on: str  # "ratio" or "value"
    at_least: float | None = None
    at_most: float | None = None

    def __str__(self) -> str:
        sign, bound = ("≥", self.at_least) if self.at_least is not None else ("≤", self.at_most)
        return f"{self.on} {sign} {bound:g}"

    def met(self, measured: float, spread: float) -> bool:
        """Whether the figure reaches the bound within the relative spread of a run against itself."""
        if self.at_least is not None:
            return measured >= self.at_least * (1 - spread)
        return measured <= self.at_most * (1 + spread)


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
    met: bool | None = None  # None: not measured
    spread: float | None = None  # of a run against itself (A/A), relative
    runs: int = 0
    quick: bool = False
    checked: str = ""  # how the answer was checked
    note: str = ""
    samples: dict[str, list[float]] = field(default_factory=dict)

    def as_json(self) -> dict:
        return asdict(self)


def skipped(name: str, why: str, goal: Goal | None = None) -> Row:
    return Row(name, goal=str(goal or ""), note=f"skipped: {why}")


def aa_spread(samples: Sequence[float]) -> float:
    """Gives the typical relative distance of a run from the next one of the same program: the median over neighbours
    of |later / earlier - 1|. Neighbours lie one peer's run apart, as the paired ratios' two sides do."""
    if len(samples) < 2:
        return 0.0
    return median(abs(later / earlier - 1) for earlier, later in zip(samples, samples[1:]))


def paired_ratio(over: Sequence[float], under: Sequence[float]) -> float:
    """Gives the median of over/under, run by run."""
    if len(over) != len(under) or not over:
        raise ValueError(f"{len(over)} runs against {len(under)} are no pairs")
    return median(a / b for a, b in zip(over, under))


def judge(row: Row, goal: Goal) -> Row:
    """Fills in the goal and whether it is met; the row's value, ratio and spread must stand."""
    row.goal = str(goal)
    measured = row.ratio if goal.on == "ratio" else row.value
    row.met = goal.met(measured, row.spread or 0.0)
    return row
