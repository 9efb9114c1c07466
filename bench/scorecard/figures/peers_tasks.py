"""peers/tasks: independent tasks that one thread creates, and tasks that create tasks.

empty: 1e6 tasks, which a runtime may run in place (inside their own creation); the row says how many. deferred: 2e5
in batches of which none is. work: 0.7 µs each, over the serial time. fib: fib(30), a group and a task a call. Ratio: our time /
the best peer's; libomp's for empty, oneTBB's for fib. Checked: every task ran once, and with the right value."""

from __future__ import annotations

from statistics import median

from ..measure import AGAIN
from ..peers import OURS, Rounds, Target, figure_row, measured, remarks
from ..row import MISSED, Row
from . import Plan

NAME = "peers/tasks"


def in_place(rounds: Rounds) -> str:
    """Says how large a share of the tasks each side ran inside their creation."""
    shares = {side: median(result["in_place"] for result in results) for side, results in rounds.items()}
    return "run in place: " + ", ".join(f"{side} {100 * share:.0f} %" for side, share in shares.items())


def really_deferred(rounds: Rounds) -> Rounds:
    """Gives the sides that ran no task in place, and ours in any case."""
    return {side: results for side, results in rounds.items()
            if side in (OURS, OURS + AGAIN) or all(result["in_place"] == 0 for result in results)}


def deferred_row(rounds: Rounds) -> Row:
    # libgomp's 18 ns are tasks in place, so the cell's best peer that defers is libomp.
    row = figure_row(f"{NAME}/deferred", really_deferred(rounds), "per_task_ns", "ns/task", Target(100, cell=163))
    if row.value is None:
        return row
    if any(result["in_place"] for result in rounds[OURS]):
        row.verdict = MISSED
        remarks(row, "not all of ours were deferred")
    return remarks(row, "batches of " + ", ".join(f"{side} {results[-1]['batch']:.0f}" for side, results in rounds.items()))


def measure(plan: Plan) -> list[Row]:
    return [row for figure, row_of in ROWS.items() if plan.wants(figure.replace("tasks-", f"{NAME}/"))
            for row in measured(plan, [figure], lambda found: [row_of(found.get(figure, {}))])]


def empty_row(rounds: Rounds) -> Row:
    return remarks(figure_row(f"{NAME}/empty", rounds, "per_task_ns", "ns/task", Target(29, cell=58.5), rival="libomp"), in_place(rounds))


ROWS = {
    "tasks-empty": empty_row,
    "tasks-deferred": deferred_row,
    "tasks-work": lambda rounds: figure_row(f"{NAME}/work", rounds, "over_serial", "× serial", Target(0.57)),
    "tasks-fib": lambda rounds: figure_row(f"{NAME}/fib", rounds, "seconds", "ms", Target(17.8, cell=63.6), factor=1e3, rival="oneTBB"),
}
