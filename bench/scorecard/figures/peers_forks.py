"""peers/forks: problems that fork and join all the way down: fib(30), skynet (a million leaves, ten children a node), twelve
queens, a matrix product of 1024 rows in quarters. bench/peers/forks/problems.hpp states them. Ours are by ms::fork; fib by ms::group
is peers/tasks/fib.

Ratio: our time / libfork's, of its two pools the better one's, and for the product the best peer's. libfork, Taskflow,
TooManyCooks and citor take part where the path of a checkout is given; a row is not measured without the peer that it is about.
Checked: every answer."""

from __future__ import annotations

from ..checkouts import RUNTIMES, given, how_to_measure
from ..peers import Side, compare, measured, values, versions_of
from ..row import Goal, Row, not_measured
from . import Plan

NAME = "peers/forks"
FIGURES = {"fib": 0.7, "skynet": 0.95, "nqueens": 1.0}  # times libfork
PRODUCT = Goal("ratio", at_most=0.98)  # times the best
RIVAL = "libfork"


def measure(plan: Plan) -> list[Row]:
    more = [Side(name, checkout=True) for name in RUNTIMES if name in given]
    rows = []
    for figure, at_most in FIGURES.items():
        if not plan.wants(f"{NAME}/{figure}"):
            continue
        goal = Goal("ratio", at_most=at_most)
        if RIVAL in given:
            rows += measured(plan, [f"forks-{figure}"], lambda found: [row_of(figure, found, goal, RIVAL)], more)
        else:
            rows.append(not_measured(f"{NAME}/{figure}", how_to_measure(RIVAL), goal))
    if plan.wants(f"{NAME}/matmul"):
        rows += measured(plan, ["forks-matmul"], lambda found: [row_of("matmul", found, PRODUCT)], more)
    return rows + [not_measured(f"{NAME}, {name}", how_to_measure(name)) for name in RUNTIMES if name not in given]


def row_of(figure: str, found: dict, goal: Goal, rival: str = "") -> Row:
    rounds = found.get(f"forks-{figure}", {})
    row = compare(f"{NAME}/{figure}", "ms", values(rounds, "seconds", 1e3), goal, versions_of(rounds), rival=rival)
    row.checked = "every run's answer" if row.value is not None else ""
    return row
