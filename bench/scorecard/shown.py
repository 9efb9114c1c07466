"""How figures are shown, and when the machine is too busy for them."""

from __future__ import annotations

from typing import Sequence

BUSY_LOAD = 0.5  # somebody else takes half a core


def number(value: float | None) -> str:
    return "" if value is None else f"{value:.4g}"


def span(interval: Sequence[float] | None) -> str:
    return "" if interval is None else " … ".join(number(end) for end in interval)
