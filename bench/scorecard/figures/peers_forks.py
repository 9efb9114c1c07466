"""peers/forks: problems that fork and join all the way down: fib(30), skynet (a million leaves, ten children a node), eleven
queens, a matrix product of 512 rows in quarters. bench/peers/forks/problems.hpp states them.

Ratio: our time / the best peer's. libfork, Taskflow, TooManyCooks and citor take part where the path of a checkout is given.
Checked: every answer."""

from __future__ import annotations

from ..checkouts import RUNTIMES, given, how_to_measure
from ..peers import Side, compare, measured, values, versions_of
from ..row import Goal, Row, not_measured
from . import Plan

NAME = "peers/forks"
GOAL = Goal("ratio", at_most=1.0)
FIGURES = ("fib", "skynet", "nqueens", "matmul")


def measure(plan: Plan) -> list[Row]:
    more = [Side(name, checkout=True) for name in RUNTIMES if name in given]
    rows = [row for figure in FIGURES for row in measured(plan, [f"forks-{figure}"], lambda found: [row_of(figure, found)], more)]
    return rows + [not_measured(f"{NAME}, {name}", how_to_measure(name), GOAL) for name in RUNTIMES if name not in given]


def row_of(figure: str, found: dict) -> Row:
    rounds = found.get(f"forks-{figure}", {})
    row = compare(f"{NAME}/{figure}", "ms", values(rounds, "seconds", 1e3), GOAL, versions_of(rounds))
    row.checked = "every run's answer" if row.value is not None else ""
    return row
