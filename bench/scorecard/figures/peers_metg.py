"""peers/metg: the length of a task at which two workers are as fast as one (METG 50 %).

fresh, replayed, loops: a 1-D stencil of two columns whose dependences are found each time; a graph that was recorded; a loop of two
iterations a step. fresh/PATTERN, loops/PATTERN: Task Bench's patterns of eight columns (bench/peers/metg.hpp). Ratio: our length / the
best peer's; for fresh patterns Taskflow's, whose edges are made by hand, where the path of its checkout is given. Checked: all
columns' values against a serial run, each time."""

from __future__ import annotations

from typing import Sequence

from ..checkouts import given, how_to_measure
from ..peers import Rounds, Side, Target, compare, figure_row, measured, remarks, values, versions_of
from ..row import Goal, Row, not_measured
from . import Plan

NAME = "peers/metg"
ROWS = {
    "fresh": ("metg", Target(1.2, cell=2.1)),
    "replayed": ("metg-replayed", Target(0.8, cell=2.1)),
    "loops": ("metg-loops", Target(0.336, cell=0.6)),
}
PATTERNS = {"stencil": 0.5, "nearest": 0.5, "fft": 0.5, "all-to-all": 0.9}  # times Taskflow
PATTERN_AS_LOOPS = Goal("ratio", at_most=0.85)


def beyond(rounds: Rounds) -> str:
    """Names the sides that never reached one worker's speed within the lengths tried."""
    lost = [side for side, results in rounds.items() if any(result["beyond"] for result in results)]
    return f"slower than one worker even at 130 µs in some run: {', '.join(lost)}" if lost else ""


def pattern_row(name: str, rounds: Rounds, goal: Goal, rival: str = "") -> Row:
    row = compare(name, "µs", values(rounds, "seconds", 1e6), goal, versions_of(rounds), rival=rival)
    if row.value is None:
        return row
    row.checked = "every run's answer"
    return remarks(row, beyond(rounds))


def measure(plan: Plan) -> list[Row]:
    def row_of(name: str, figure: str, target: Target, rounds: Rounds) -> Row:
        return remarks(figure_row(f"{NAME}/{name}", rounds, "seconds", "µs", target, factor=1e6), beyond(rounds))

    rows = []
    for name, (figure, target) in ROWS.items():
        if f"{NAME}/{name}".startswith(plan.only):  # not for the sake of the patterns below it
            rows += measured(plan, [figure], lambda found: [row_of(name, figure, target, found.get(figure, {}))])
    return rows + [row for pattern, at_most in PATTERNS.items() for row in pattern_rows(plan, pattern, Goal("ratio", at_most=at_most))]


def pattern_rows(plan: Plan, pattern: str, goal: Goal) -> list[Row]:
    fresh, loops = f"{NAME}/fresh/{pattern}", f"{NAME}/loops/{pattern}"

    def rows_of(name: str, goal: Goal, rival: str = "", more: Sequence[Side] = ()) -> list[Row]:
        figure = name.replace("peers/", "").replace("/", "-")
        return measured(plan, [figure], lambda found: [pattern_row(name, found.get(figure, {}), goal, rival)], more)

    rows = []
    if plan.wants(fresh):
        rows += (rows_of(fresh, goal, "Taskflow", [Side("taskflow", checkout=True)]) if "taskflow" in given
                 else [not_measured(fresh, how_to_measure("taskflow"), goal)])
    if plan.wants(loops):
        rows += rows_of(loops, PATTERN_AS_LOOPS)
    return rows
