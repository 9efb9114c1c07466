"""comm/sweep/*: the original ASCI Sweep3D 2.2b in Fortran, 50^3 cells in 12 iterations, built by each MPI's compiler.

Ratio of 2-ranks: our time / the best of Open MPI and MPICH; of 6-ranks and 24-ranks on the same two cores: / our own of 2
ranks. The note of these says what the others take. The user gives a folder that has the programs (--peer sweep3d=FOLDER): maslin/sweep3d.mpi,
openmpi/sweep3d.mpi, mpich/sweep3d.mpi. Checked: errors to ten digits, as its README asks, and fixups."""

from __future__ import annotations

import re
from pathlib import Path
from statistics import median
from typing import Callable

from .. import checkouts
from ..measure import WORK, MeasurementError, Values
from ..mpi import NONE, OURS, Mpi, close_ones, ours, peers, version_of
from ..row import Goal, Row, judge, noise, not_measured, paired_ratio, pairs
from . import Plan

NAME = "comm/sweep"
PEER = "sweep3d"
GRIDS = {2: "1 2", 6: "2 3", 24: "6 4"}
AT_MOST = {2: 1.0, 6: 1.03, 24: 1.08}
OWN_2 = "maslin, 2 ranks"
# Of its output.50.single.
ERRORS = (1.0, 1.775129752629007, 0.6590838022180041, 0.305348671948977, 0.1412340792725968, 0.06278964613952827, 0.02669559489548973,
          0.01995630423026873, 0.005687930117967335, 0.001854127563340399, 0.0006810748265741558, 0.0002617522032108044)
FIXUPS = (*[0] * 7, 12000, 11712, 11664, 11664, 11664)
LINE = re.compile(r"its =\s*(\d+)\s+err =\s*(\S+)\s+fixs =\s*(\d+)")
ELAPSED = re.compile(r"Elapsed time was:\s*(\S+)")


def seconds_of(output: str) -> float:
    """Gives the seconds of an iteration; refuses wrong results."""
    found = [(float(error.replace("D", "E")), int(fixups)) for _, error, fixups in LINE.findall(output)]
    right = len(found) == len(ERRORS) and all(abs(error - expected) <= 1e-10 * expected for (error, _), expected in zip(found, ERRORS))
    if not right or [fixups for _, fixups in found] != list(FIXUPS):
        raise MeasurementError(f"sweep3d gave other results than its authors': {found}")
    elapsed = ELAPSED.search(output)
    if not elapsed:
        raise MeasurementError("sweep3d did not say how long it took")
    return float(elapsed[1]) / len(ERRORS)


def run(mpi: Mpi, ranks: int) -> float:
    folder = WORK / "comm" / f"sweep.{mpi.library}.{ranks}"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "input").write_text(f"{GRIDS[ranks]} 10 3 16\n50 50 50 6 1\n.1 .1 .1 -12.0\n0 0 0\n0 1 -7\n")
    return seconds_of(mpi.run(ranks, program_of(mpi), cwd=folder))


def program_of(mpi: Mpi) -> Path:
    return checkouts.given[PEER] / mpi.library / "sweep3d.mpi"


def measure(plan: Plan) -> list[Row]:
    wanted = [ranks for ranks in GRIDS if plan.wants(name_of(ranks))]
    if PEER not in checkouts.given:
        return [not_measured(name_of(ranks), checkouts.how_to_measure(PEER), goal_of(ranks)) for ranks in wanted]
    mine = ours()
    others = {name: mpi for name, mpi in peers().items() if program_of(mpi).exists()}
    return [row for ranks in wanted for row in rows_of(plan, ranks, mine, others)]


def name_of(ranks: int) -> str:
    return f"{NAME}/{ranks}-ranks"


def goal_of(ranks: int) -> Goal:
    return Goal("ratio", at_most=AT_MOST[ranks])


def rows_of(plan: Plan, ranks: int, mine: Mpi, others: dict[str, Mpi]) -> list[Row]:
    def runner(mpi: Mpi, on: int = ranks) -> Callable[[int], float]:
        return lambda _: run(mpi, on)

    sides = close_ones({name: runner(mpi) for name, mpi in others.items()}, lambda at: plan.tell(f"{name_of(ranks)}: {at}")) if others else {}
    if ranks == 2 and not sides:
        return [not_measured(name_of(ranks), NONE, goal_of(ranks))]
    own = {} if ranks == 2 else {OWN_2: runner(mine, 2)}
    return plan.rows(name_of(ranks), {OURS: runner(mine), **own, **sides}, OURS, lambda times: [row_of(ranks, times)])


def row_of(ranks: int, times: Values) -> Row:
    others = [name for name in times if not name.startswith(OURS)]
    best = min(others, key=lambda name: median(times[name])) if others else ""
    against = best if ranks == 2 else OWN_2
    row = Row(name_of(ranks), median(times[OURS]), "s", peer=against, peer_value=median(times[against]),
              peer_version=version_of(best) if ranks == 2 else "", again=noise(times, OURS), checked="errors and fixups", samples=times)
    if ranks != 2 and best:
        row.note = f"{best}: {paired_ratio(times[best], times[OURS]):.2f} × as long"
    return judge(row, goal_of(ranks), pairs(times[OURS], times[against]))
