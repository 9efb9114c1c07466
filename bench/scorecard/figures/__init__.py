"""The scorecard's figures, each in a module of its own: `NAME`, and `measure(plan)`, which gives its rows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Callable


@dataclass(frozen=True)
class Plan:
    """How much to measure."""

    quick: bool
    tell: Callable[[str], None] = lambda _: None  # where the measurement stands, for the progress bar

    def runs(self, quick: int = 3) -> int:
        """Gives the number of rounds: seven at least, fewer where the user is in a hurry."""
        return quick if self.quick else 7
