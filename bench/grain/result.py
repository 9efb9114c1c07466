"""What one case gave, and how it compares with the best fixed configuration."""

from __future__ import annotations

from dataclasses import dataclass, field
from statistics import median

from scorecard.measure import AGAIN
from scorecard.row import Interval, noise, pairs

from .cases import Case

COLD, WARM, THIRD = "auto cold", "auto warm", "auto third"
WHICH_RUN = {WARM: 2, THIRD: 3}  # of those that share what they learned
POLICIES = ("s-mgps", "mgps", "hill-climbing", "ucb", COLD, WARM)  # as pictures and tables order them
NEAR = 1.15  # times the best: what comes into question after a screening


def name(configuration: tuple[int, int]) -> str:
    return f"{configuration[0]}x{configuration[1]}"


@dataclass
class Result:
    case: Case
    screened: dict[str, float] = field(default_factory=dict)  # seconds of each fixed configuration, of a shortened phase
    fixed: dict[str, list[float]] = field(default_factory=dict)  # of the whole phase, round by round
    policies: dict[str, list[dict]] = field(default_factory=dict)  # what the program printed, round by round
    peers: dict[str, list[dict]] = field(default_factory=dict)  # other runtimes, round by round
    note: str = ""
    failed: bool = False  # a run ended badly, or its answer was wrong

    def seconds(self, policy: str) -> list[float]:
        return [run["seconds"] for run in self.policies[policy]]

    @property
    def best(self) -> str:
        return min(self.fixed, key=lambda one: median(self.fixed[one]))

    def ratios(self, policy: str) -> list[float]:
        """Gives policy / best fixed configuration, round by round."""
        return pairs(self.seconds(policy), self.fixed[self.best])

    def ratio(self, policy: str) -> float:
        return median(self.ratios(policy))

    @property
    def again(self) -> Interval | None:
        """Gives how far the same policy twice a round is from itself, where it was run twice."""
        if COLD + AGAIN not in self.policies:
            return None
        return noise({side: self.seconds(side) for side in (COLD, COLD + AGAIN)}, COLD)

    def median_of(self, policy: str, key: str) -> float:
        return median(run[key] for run in self.policies[policy])

    def configuration(self, policy: str) -> str:
        every = [run["configuration"] for run in self.policies[policy]]
        return max(dict.fromkeys(every), key=every.count)

    def relative(self) -> dict[str, float]:
        """Gives each fixed configuration's time over the best one's, for the heat map."""
        times = self.screened or {one: median(values) for one, values in self.fixed.items()}
        least = min(times.values())
        return {one: seconds / least for one, seconds in times.items()}

    def as_json(self) -> dict:
        return {"case": self.case.name, "shape": self.case.shape, "units": self.case.units, "machine": self.case.place, "best": self.best,
                "best_seconds": median(self.fixed[self.best]), "fixed": self.fixed, "screened": self.screened, "note": self.note,
                "policies": {policy: {"ratio": self.ratio(policy), "configuration": self.configuration(policy),
                                      "seconds": self.seconds(policy), "sampling_seconds": self.median_of(policy, "sampling_seconds"),
                                      "sampling_lost_seconds": self.median_of(policy, "sampling_lost_seconds")} for policy in self.policies}}
