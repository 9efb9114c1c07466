"""comm/*: messages between ranks of one node, by the same MPI program for all.

Ratio: our time / the best of Open MPI and MPICH (those that are installed), each with ranks that spin and that yield, bound to
cores and not. Ours has two workers; on one core one, and one in each of two processes. Checked: every message and every result."""

from __future__ import annotations

import json
import os
import re
import shutil
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Callable

from ..measure import ROOT, WORK, MeasurementError, Values, binary, execute
from ..row import Goal, Row, judge, noise, not_measured, pairs
from . import Plan

NAME = "comm"
OURS = "maslin"
SOURCE = ROOT / "bench" / "comm" / "messages.c"
LIMIT_S = 120
ONE_CORE = "one-core"


@dataclass(frozen=True)
class Figure:
    what: str
    size: int
    ranks: int
    at_most: float
    one_core: bool = False
    processes: int = 1  # of ours

    @property
    def name(self) -> str:
        divided = f"/{self.processes}-processes" if self.processes > 1 else ""
        return f"{NAME}/{self.what}/{self.size}/{ONE_CORE if self.one_core else f'{self.ranks}-ranks'}{divided}"


FIGURES = (
    Figure("latency", 8, 2, 0.8),
    Figure("latency", 2400, 2, 0.8),
    Figure("touched", 1 << 20, 2, 0.65),
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


@dataclass(frozen=True)
class Side:
    """A program and how it is started."""

    program: Path
    start: tuple[str, ...]
    divides: bool = False  # it has ranks in one process unless told otherwise

    def run(self, figure: Figure) -> float:
        pinned = ("taskset", "-c", str(min(os.sched_getaffinity(0)))) if figure.one_core else ()
        workers = {"MASLIN_WORKERS": str(1 if figure.one_core else 2 // figure.processes)}
        ranks = ("-n", str(figure.ranks))
        if self.divides and figure.processes > 1:
            ranks += ("--processes", str(figure.processes))
        _, output = execute([*pinned, *self.start, *ranks, self.program, figure.what, str(figure.size)], workers, LIMIT_S)
        result = json.loads(output.splitlines()[-1])
        if result["checked"] is not True:
            raise MeasurementError(f"wrong data in {figure.name} of {self.start[0]}")
        return result["seconds"]


def compiled(compiler: str | Path, name: str) -> Path:
    folder = WORK / NAME
    folder.mkdir(parents=True, exist_ok=True)
    execute([compiler, "-O2", SOURCE, "-o", folder / name])
    return folder / name


def peers() -> dict[str, Side]:
    """Gives what is installed of the others, with each of their settings."""
    made: dict[str, Side] = {}
    if shutil.which("mpicc.openmpi"):
        program = compiled("mpicc.openmpi", "openmpi")
        start = ("mpirun.openmpi", "--allow-run-as-root", "--oversubscribe")
        for waits in ("0", "1"):
            for bind in ("none", "core:overload-allowed"):
                made[f"Open MPI {'yields' if waits == '1' else 'spins'}, bound to {bind.partition(':')[0]}"] = Side(
                    program, (*start, "--mca", "mpi_yield_when_idle", waits, "--bind-to", bind))
    if shutil.which("mpicc.mpich"):
        program = compiled("mpicc.mpich", "mpich")
        made["MPICH"] = Side(program, ("mpirun.mpich",))
        made["MPICH bound to core"] = Side(program, ("mpirun.mpich", "-bind-to", "core"))
    return made


def measure(plan: Plan) -> list[Row]:
    try:
        others = peers()
        ours = Side(compiled(binary("maslin-mpicc"), OURS), (str(binary("maslin-mpirun")),), divides=True)
    except MeasurementError as problem:
        return [not_measured(figure.name, str(problem), Goal("ratio", at_most=figure.at_most)) for figure in FIGURES]
    if not others:
        why = "neither Open MPI nor MPICH is installed"
        return [not_measured(figure.name, why, Goal("ratio", at_most=figure.at_most)) for figure in FIGURES]
    rows: list[Row] = []
    for figure in FIGURES:

        def runner(side: Side, figure: Figure = figure) -> Callable[[int], float]:
            return lambda _: side.run(figure)

        sides = {name: runner(side) for name, side in {OURS: ours, **others}.items()}
        rows += plan.rows(figure.name, sides, OURS, lambda times, figure=figure: [row_of(figure, times)])
    return rows


def row_of(figure: Figure, times: Values) -> Row:
    best = min((name for name in times if not name.startswith(OURS)), key=lambda name: median(times[name]))
    row = Row(figure.name, median(times[OURS]), "s", peer=best, peer_value=median(times[best]), peer_version=version_of(best),
              again=noise(times, OURS), checked="every message", samples=times)
    return judge(row, Goal("ratio", at_most=figure.at_most), pairs(times[OURS], times[best]))


def version_of(peer: str) -> str:
    command = ["mpirun.openmpi", "--version"] if peer.startswith("Open MPI") else ["mpirun.mpich", "--version"]
    found = re.search(r"\d+\.\d+(?:\.\d+)?", execute(command)[1])
    return found[0] if found else ""
