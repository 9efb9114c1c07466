"""comm/*: messages between ranks of one node, by the same MPI program for all.

Ratio: our time / the best of Open MPI and MPICH (those that are installed), each with ranks that spin and that yield, bound to
cores and not (on one core: not); settings that are far from the best are only tried. comm/touched/.../copies: / the time of two
threads without MPI that copy once, by whom it takes less. Ours has two workers; on one core one, and one in each of two
processes. Checked: every message and every result."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Callable

from ..measure import WORK, MeasurementError, Values, execute
from ..mpi import LIMIT_S, NAME, NONE, OURS, SOURCES, Mpi, checked, close_ones, ours, peers, version_of
from ..row import Goal, Row, judge, noise, not_measured, pairs
from . import Plan

PROGRAM = "messages.c"
ONE_CORE = "one-core"


@dataclass(frozen=True)
class Figure:
    what: str
    size: int
    ranks: int
    at_most: float
    one_core: bool = False
    processes: int = 1  # of ours
    copies: bool = False  # against two threads that copy

    @property
    def name(self) -> str:
        divided = f"/{self.processes}-processes" if self.processes > 1 else "/copies" if self.copies else ""
        return f"{NAME}/{self.what}/{self.size}/{ONE_CORE if self.one_core else f'{self.ranks}-ranks'}{divided}"

    @property
    def goal(self) -> Goal:
        return Goal("ratio", at_most=self.at_most)


FIGURES = (
    Figure("latency", 8, 2, 0.8),
    Figure("latency", 2400, 2, 0.8),
    Figure("touched", 1 << 20, 2, 0.65),
    Figure("touched", 1 << 20, 2, 1.05, copies=True),
    Figure("latency", 8, 2, 0.08, one_core=True),
    Figure("rate", 8, 2, 0.5),
    Figure("barrier", 8, 2, 0.55),
    Figure("barrier", 8, 64, 0.05),
    *(Figure(what, size, ranks, 1.0) for what in ("allreduce", "bcast") for size in (8, 1 << 20) for ranks in (2, 16, 64)),
    *(Figure("alltoall", size, ranks, 1.0) for size in (8, 1 << 14) for ranks in (2, 16, 64)),
    *(Figure(what, size, 2, 1.0, processes=2) for what, size in (("latency", 8), ("latency", 2400), ("touched", 1 << 20),
                                                              ("rate", 8), ("barrier", 8), ("allreduce", 8),
                                                              ("allreduce", 1 << 20), ("bcast", 8))),
)


def run(mpi: Mpi, program: Path, figure: Figure) -> float:
    result = mpi.result(figure.ranks, program, figure.what, str(figure.size), processes=figure.processes, one_core=figure.one_core)
    return checked(result, f"{figure.name} of {mpi.library}")


def copies(who: str, program: Path, figure: Figure) -> float:
    _, output = execute([program, who, str(figure.size)], limit_s=LIMIT_S)
    return checked(json.loads(output), f"{figure.name}, copied by the {who}")


def measure(plan: Plan) -> list[Row]:
    wanted = [figure for figure in FIGURES if plan.wants(figure.name)]
    try:
        mine, others = ours(), peers()
        programs = {mpi.library: mpi.compiled(PROGRAM) for mpi in (mine, *others.values())} if wanted else {}
    except MeasurementError as problem:
        return [not_measured(figure.name, str(problem), figure.goal) for figure in wanted]
    return [row for figure in wanted for row in rows_of(plan, figure, mine, others, programs)]


def rows_of(plan: Plan, figure: Figure, mine: Mpi, others: dict[str, Mpi], programs: dict[str, Path]) -> list[Row]:
    def runner(mpi: Mpi) -> Callable[[int], float]:
        return lambda _: run(mpi, programs[mpi.library], figure)

    if figure.copies:
        program = WORK / NAME / "copies"
        execute(["cc", "-O2", "-pthread", SOURCES / "copies.c", "-o", program])
        sides = {f"copied by the {who}": lambda _, who=who: copies(who, program, figure) for who in ("sender", "receiver")}
    elif others:
        # Who binds ranks to cores takes two of them in any case.
        allowed = {name: runner(mpi) for name, mpi in others.items() if not (figure.one_core and mpi.binds)}
        sides = close_ones(allowed, lambda at: plan.tell(f"{figure.name}: {at}"))
    else:
        return [not_measured(figure.name, NONE, figure.goal)]
    return plan.rows(figure.name, {OURS: runner(mine), **sides}, OURS, lambda times: [row_of(figure, times)])


def row_of(figure: Figure, times: Values) -> Row:
    best = min((name for name in times if not name.startswith(OURS)), key=lambda name: median(times[name]))
    row = Row(figure.name, median(times[OURS]), "s", peer=best, peer_value=median(times[best]),
              peer_version="" if figure.copies else version_of(best), again=noise(times, OURS), checked="every message", samples=times)
    return judge(row, figure.goal, pairs(times[OURS], times[best]))
