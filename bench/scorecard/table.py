"""The scorecard as a table."""

from __future__ import annotations

from rich.table import Table

from .row import Row


def number(value: float | None) -> str:
    return "" if value is None else f"{value:.4g}"


def verdict(row: Row) -> str:
    if row.met is None:
        return ""
    return "[green]met[/]" if row.met else "[red]not met[/]"


def table(rows: list[Row], reservations: list[str]) -> Table:
    title = "Scorecard" + (f" ({', '.join(reservations)}: no ground for claims)" if reservations else "")
    made = Table(title=title, caption="Medians; ratios are medians of run-by-run pairs; ± is what a run against itself shows.")
    for heading, justify in (("figure", "left"), ("ours", "right"), ("unit", "left"), ("peer", "left"), ("theirs", "right"),
                             ("ratio", "right"), ("±", "right"), ("goal", "left"), ("", "left"), ("runs", "right"),
                             ("checked, remarks", "left")):
        made.add_column(heading, justify=justify, overflow="fold")
    for row in rows:
        spread = "" if row.spread is None else f"{100 * row.spread:.1f} %"
        made.add_row(row.name, number(row.value), row.unit, row.peer or "", number(row.peer_value), number(row.ratio), spread,
                     row.goal, verdict(row), str(row.runs or ""), "; ".join(filter(None, (row.checked, row.note))))
    return made
