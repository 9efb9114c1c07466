"""The MPIs that are measured: ours, and each setting of Open MPI and MPICH that is installed here."""

from __future__ import annotations

import json
import os
import re
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Callable, Mapping, Sequence

from .measure import ROOT, WORK, MeasurementError, TooLate, binary, execute

NAME = "comm"  # how the rows' names begin
OURS = "maslin"
NONE = "neither Open MPI nor MPICH is installed"
SOURCES = ROOT / "bench" / "comm"
LIMIT_S = 120
CLOSE = 1.25  # settings that take longer than this, over the best, when all are tried do not take part


@dataclass(frozen=True)
class Mpi:
    """An MPI with settings of its own."""

    library: str  # maslin, openmpi, mpich
    start: tuple[str, ...]
    workers: bool = False  # its ranks are on workers, in one process unless told otherwise
    binds: bool = False  # each rank to a core of its own, whichever the caller may use

    def compiler(self, language: str) -> str | Path:
        words = {"c": "mpicc", "cpp": "mpicxx"}[language]
        return binary(f"maslin-{words}") if self.library == OURS else f"{words}.{self.library}"

    def compiled(self, source: str, options: Sequence[str] = ()) -> Path:
        """Builds a program of bench/comm, and gives its path."""
        folder = WORK / NAME
        folder.mkdir(parents=True, exist_ok=True)
        made = folder / f"{Path(source).stem}.{self.library}"
        execute([self.compiler(source.rpartition(".")[2]), "-O2", *options, SOURCES / source, "-o", made])
        return made

    def run(self, ranks: int, program: Path, *words: str, processes: int = 1, one_core: bool = False,
            variables: Mapping[str, str] | None = None, cwd: Path | None = None) -> str:
        """Gives what a program prints that runs on two cores, or on one."""
        pinned = ("taskset", "-c", str(min(os.sched_getaffinity(0)))) if one_core else ()
        divided = ("--processes", str(processes)) if self.workers and processes > 1 else ()
        workers = {"MASLIN_WORKERS": str(1 if one_core else 2 // processes)}
        _, output = execute([*pinned, *self.start, "-n", str(ranks), *divided, program, *words], workers | dict(variables or {}), LIMIT_S, cwd)
        return output

    def result(self, ranks: int, program: Path, *words: str, **how) -> dict:
        """Gives the line of JSON that a program of bench/comm prints."""
        return json.loads(self.run(ranks, program, *words, **how).splitlines()[-1])


def ours() -> Mpi:
    return Mpi(OURS, (str(binary("maslin-mpirun")),), workers=True)


def peers() -> dict[str, Mpi]:
    """Gives what is installed of the others, with each of their settings."""
    made: dict[str, Mpi] = {}
    if shutil.which("mpicc.openmpi"):
        start = ("mpirun.openmpi", "--allow-run-as-root", "--oversubscribe")
        for waits in ("0", "1"):
            for bind in ("none", "core:overload-allowed"):
                made[f"Open MPI {'yields' if waits == '1' else 'spins'}, bound to {bind.partition(':')[0]}"] = Mpi(
                    "openmpi", (*start, "--mca", "mpi_yield_when_idle", waits, "--bind-to", bind), binds=bind != "none")
    if shutil.which("mpicc.mpich"):
        made["MPICH"] = Mpi("mpich", ("mpirun.mpich",))
        made["MPICH bound to core"] = Mpi("mpich", ("mpirun.mpich", "-bind-to", "core"), binds=True)
    return made


def version_of(peer: str) -> str:
    command = ["mpirun.openmpi", "--version"] if peer.startswith("Open MPI") else ["mpirun.mpich", "--version"]
    found = re.search(r"\d+\.\d+(?:\.\d+)?", execute(command)[1])
    return found[0] if found else ""


Sides = Mapping[str, Callable[[int], float]]


def close_ones(sides: Sides, tell: Callable[[str], None]) -> Sides:
    """Tries each setting, those that are not far from the best twice, and gives those that are near it. A setting that does
    not end in time is not among them; if none does, that is told."""
    tried: dict[str, float] = {}
    for name, side in sides.items():
        tell(f"{name}, tried")
        try:
            tried[name] = side(0)
        except TooLate as late:
            last = late
    if not tried:
        raise last
    for name in [name for name, took in tried.items() if took <= 2 * min(tried.values())]:
        tried[name] = min(tried[name], sides[name](0))
    return {name: sides[name] for name, took in tried.items() if took <= CLOSE * min(tried.values())}


def checked(result: dict, what: str) -> float:
    """Gives the seconds of a result that the program found right."""
    if result["checked"] is not True:
        raise MeasurementError(f"wrong data in {what}")
    return result["seconds"]
