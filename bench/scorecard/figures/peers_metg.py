"""peers/metg: the length of a task at which two workers are as fast as one (METG 50 %), in a 1-D stencil of two columns.

fresh: dependences found each time. replayed: a graph that was recorded. loops: a loop of two iterations a step. Ratio: our
length / the best peer's. Checked: both columns' values against a serial run, each time."""

from __future__ import annotations

from ..peers import Rounds, Target, figure_row, measured, remarks
from ..row import Row
from . import Plan

NAME = "peers/metg"
ROWS = {
    "fresh": ("metg", Target(1.2, cell=2.1)),
    "replayed": ("metg-replayed", Target(0.8, cell=2.1)),
    "loops": ("metg-loops", Target(0.336, cell=0.6)),
}


def beyond(rounds: Rounds) -> str:
    """Names the sides that never reached one worker's speed within the lengths tried."""
    lost = [side for side, results in rounds.items() if any(result["beyond"] for result in results)]
    return f"slower than one worker even at 130 µs in some run: {', '.join(lost)}" if lost else ""


def measure(plan: Plan) -> list[Row]:
    def row_of(name: str, figure: str, target: Target, rounds: Rounds) -> Row:
        return remarks(figure_row(f"{NAME}/{name}", rounds, "seconds", "µs", target, factor=1e6), beyond(rounds))

    rows = []
    for name, (figure, target) in ROWS.items():
        rows += measured(plan, [figure], lambda found: [row_of(name, figure, target, found.get(figure, {}))])
    return rows
