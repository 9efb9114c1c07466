"""peers/tasks: independent tasks that one thread creates, and tasks that create tasks.

empty: 1e6 tasks, which a runtime may run in place (inside their own creation); the row says how many. deferred: 2e5
in batches of which none is. work: 0.7 µs each, over the serial time. fib: fib(30), a task a call. Ratio: our time / the
best peer's. Checked: every task ran once, and with the right value."""

from __future__ import annotations

from statistics import median

from ..peers import OURS, Rounds, Target, figure_row, measured, remarks
from ..row import Row
from . import Plan

NAME = "peers/tasks"


def in_place(rounds: Rounds) -> str:
    """Says how large a share of the tasks each side ran inside their creation."""
    shares = {side: median(result["in_place"] for result in results) for side, results in rounds.items()}
    return "run in place: " + ", ".join(f"{side} {100 * share:.0f} %" for side, share in shares.items())


def really_deferred(rounds: Rounds) -> Rounds:
    """Gives the sides that ran no task in place, and ours in any case."""
    return {side: results for side, results in rounds.items()
            if side == OURS or all(result["in_place"] == 0 for result in results)}


def deferred_row(rounds: Rounds) -> Row:
    # libgomp's 18 ns are tasks in place, so the cell's best peer that defers is libomp.
    row = figure_row(f"{NAME}/deferred", really_deferred(rounds), "per_task_ns", "ns/task", Target(100, cell=163))
    if row.value is None:
        return row
    if any(result["in_place"] for result in rounds[OURS]):
        row.met = False
        remarks(row, "not all of ours were deferred")
    return remarks(row, "batches of " + ", ".join(f"{side} {results[-1]['batch']:.0f}" for side, results in rounds.items()))


def measure(plan: Plan) -> list[Row]:
    def rounds(figure: str) -> Rounds:
        return measured(figure, plan.runs(), plan.quick, plan.tell).get(figure, {})

    empty = rounds("tasks-empty")
    return [
        remarks(figure_row(f"{NAME}/empty", empty, "per_task_ns", "ns/task", Target(18, cell=18)), in_place(empty)),
        deferred_row(rounds("tasks-deferred")),
        figure_row(f"{NAME}/work", rounds("tasks-work"), "over_serial", "× serial", Target(0.57)),
        figure_row(f"{NAME}/fib", rounds("tasks-fib"), "seconds", "ms", Target(35, cell=70), factor=1e3),
    ]
