"""How the page writes numbers, and tables that are wider than a page."""

from __future__ import annotations


def number(value: float, digits: int) -> str:
    """Gives a number with thin spaces between thousands and a true minus."""
    return f"{value:,.{digits}f}".replace(",", "\u202f").replace("-", "\u2212")


def per_cent(value: float | None) -> str:
    return "–" if value is None else f"{100 * value:.1f} %"


def duration(seconds: float) -> str:
    if seconds < 120:
        return f"{seconds:.1f} s"
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes // 60} h {minutes % 60} min" if minutes >= 120 else f"{minutes} min {rest} s"


def plural(count: int, one: str, more: str | None = None) -> str:
    return f"{number(count, 0)} {one if count == 1 else more or one + 's'}"


def scrolled(name: str, table: str) -> str:
    """Gives a table that scrolls by itself, also by keys, where it is wider than the page."""
    return f"<div class=scroll role=region tabindex=0 aria-label='{name}'>{table}</div>"
