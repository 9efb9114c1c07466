"""How the page writes numbers."""

from __future__ import annotations


def number(value: float | None, digits: int) -> str:
    """Gives a number with thin spaces between thousands and a true minus; a dash for none."""
    return "–" if value is None else f"{value:,.{digits}f}".replace(",", "\u202f").replace("-", "\u2212")


def per_cent(value: float | None) -> str:
    return "–" if value is None else f"{100 * value:.1f} %"


def duration(seconds: float) -> str:
    if seconds < 120:
        return f"{seconds:.1f} s"
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes // 60} h {minutes % 60} min" if minutes >= 120 else f"{minutes} min {rest} s"


def plural(count: int, one: str, more: str | None = None) -> str:
    return f"{number(count, 0)} {one if count == 1 else more or one + 's'}"
