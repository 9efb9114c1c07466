"""The scorecard as a table."""

from __future__ import annotations

from rich.table import Table

from .row import FAILED, MET, MISSED, UNDECIDED, Row
from .shown import number, span

STYLES = {MET: "green", MISSED: "red", FAILED: "red", UNDECIDED: "yellow"}


def verdict(row: Row) -> str:
    style = STYLES.get(row.verdict)
    return f"[{style}]{row.verdict}[/]" if style else row.verdict


def table(rows: list[Row], reservations: list[str]) -> Table:
    title = "Scorecard" + (f" ({', '.join(reservations)}: no ground for claims)" if reservations else "")
    made = Table(title=title, caption="Medians; ratios are medians of run-by-run pairs; 95 %: interval of the median that the goal is about; "
                                      "A/A: the same of ours over ours, which judges nothing.")
    for heading, justify in (("figure", "left"), ("ours", "right"), ("unit", "left"), ("peer", "left"), ("theirs", "right"),
                             ("ratio", "right"), ("95 %", "right"), ("A/A", "right"), ("goal", "left"), ("", "left"),
                             ("rounds", "right"), ("checked, remarks", "left")):
        made.add_column(heading, justify=justify, overflow="fold")
    for row in rows:
        made.add_row(row.name, number(row.value), row.unit, row.peer or "", number(row.peer_value), number(row.ratio), span(row.interval),
                     span(row.again), row.goal, verdict(row), str(row.rounds or ""), "; ".join(filter(None, (row.checked, row.note))))
    return made
