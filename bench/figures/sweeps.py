"""Figures 7 and 8 of the paper on reverse acceleration: Sweep3D on described triblades, and on one Cell."""

from __future__ import annotations

import math
import tempfile
from functools import cache
from pathlib import Path
from typing import Callable, Iterator

import simulation
from links import CLUSTER, PAPER, asked
from table import Cell, Figure

# One Cell of the first kind, for the runs of 50 x 50 x 50 cells: none of the PowerXCell 8i's constants are used there.
ONE_CELL = """name = "one-cell"
about = "bench/figures/links.py"
[workers]
kind = "accelerator"
count = 8
source = "multigrain-cell 3.3: eight SPEs"
[hosts]
contexts = 2
source = "multigrain-cell 3.3: the PPE is a two-way SMT"
[[hop]]
name = "EIB"
shared_by = 8
bandwidth_gb_per_s = 25.6
total_gb_per_s = 204.8
source = "multigrain-cell 3.3: 204.8 GB/s; reverse-acceleration, Roadrunner, of the EIB in general: 25.6 GB/s for a single transfer"
[[route]]
name = "processor"
within = 8
across = ["EIB"]
source = "from local store to local store"
"""


def near_square(ranks: int) -> tuple[int, int]:
    """Gives ranks in i and j: as near to a square as divisors allow, no fewer in i."""
    j = next(j for j in range(math.isqrt(ranks), 0, -1) if ranks % j == 0)
    return ranks // j, j


SPES, CORES = 32, 4  # of a triblade: SPEs; Opteron cores
CELL_NS = 60e3 / (5 * 5 * 10 * 6)  # of a cell in an angle: 60 us for a block


def planes() -> int:
    return 20 if simulation.QUICK else 400


@cache
def sweep(ranks: int, *words: str, columns: int = 0, cell_ns: float = CELL_NS) -> dict:
    """Gives an iteration on so many ranks. Each has 5 x 5 columns, or they divide the `columns` SPEs' (i, j) among them."""
    across = near_square(columns or ranks)
    return asked("sweep", CLUSTER, "--ranks", *near_square(ranks), "--cells", 5 * across[0], 5 * across[1], planes(),
                 "--cell-ns", cell_ns, *words)


def solved(time_of: Callable[[float], float], wanted: float, first: float) -> float:
    """Gives the x of which `time_of`, a straight line, is as wanted."""
    for _ in range(3):
        low, high = time_of(first), time_of(2 * first)
        first += (wanted - low) / (high - low) * first
    return first


@cache
def opteron_cell_ns() -> float:
    """A cell in an angle on an Opteron core: on one triblade, SPEs are twice as fast."""
    return solved(lambda ns: opteron(1, ns), 2 * sweep(SPES)["seconds"], 8 * CELL_NS)


@cache
def opteron(nodes: int, cell_ns: float) -> float:
    return sweep(CORES * nodes, "--hosts", columns=SPES * nodes, cell_ns=round(cell_ns, 3))["seconds"]


@cache
def one_cell(cell_ns: float) -> float:
    """Gives an iteration of 50 x 50 x 50 cells on 4 x 2 SPEs, 10 planes and 3 angles to a block."""
    with tempfile.TemporaryDirectory() as folder:
        spec = Path(folder) / "one-cell.toml"
        spec.write_text(ONE_CELL, encoding="utf-8")
        return asked("sweep", spec, "--ranks", 4, 2, "--cells", 50, 50, 50, "--block-angles", 3, "--cell-ns", round(cell_ns, 3))["seconds"]


SIGNAL_US = 0.5  # of a Cell blade: bench/figures/cell/README.md
ROWS = 12 + 7 + 4  # that are moved for a line: in, out (apps/sweep/README.md), and the fluxes of faces in j and k, in and out
MEMORY_GB_PER_S = 25.6  # of one Cell
ITERATIONS = 10


def accelerator(cell_ns: float) -> tuple[float, float]:
    """Gives the seconds of the accelerator form and those of its transfers, 50 x 50 x 50 cells. The PPE sends each line in one angle
    to an SPE and sees it come back. Lines of a diagonal of j and k are independent; transfers overlap (double buffering)."""
    cells, spes, block, angles = 50, 8, 10, 3
    signals, computing = 2 * SIGNAL_US * 1e-6, cells * cell_ns * 1e-9
    moving = ROWS * cells * 8 / (MEMORY_GB_PER_S * 1e9)
    seconds = 0.0
    lines = 0
    for diagonal in range(cells + block - 1):
        here = angles * (min(diagonal, block - 1) - max(0, diagonal - cells + 1) + 1)
        seconds += max(here * signals, math.ceil(here / spes) * computing, here * moving)
        lines += here
    blocks = ITERATIONS * 8 * (6 // angles) * (cells // block)
    return blocks * seconds, blocks * lines * moving


NODES = (1, 4, 16, 64, 180, 720, 3060)


def sweep7(figure: str) -> Iterator[Cell]:
    for nodes in NODES:
        spes = sweep(SPES * nodes)["seconds"]
        cores = opteron(nodes, opteron_cell_ns())
        yield Cell(figure, str(nodes), "time hybrid", 1e3 * spes, "ms")
        yield Cell(figure, str(nodes), "time Opteron", 1e3 * cores, "ms")
        # "approximately doubles application performance"
        yield Cell(figure, str(nodes), "Opteron/hybrid", cores / spes, "ratio", 2.0 if nodes in (1, 3060) else None, fitted=nodes == 1)
    cell_ns = solved(one_cell, 0.37 / ITERATIONS, CELL_NS)
    yield Cell(figure, "one Cell", "reverse", ITERATIONS * one_cell(cell_ns), "s", 0.37, fitted=True)
    whole, transfers = accelerator(cell_ns)
    yield Cell(figure, "one Cell", "accelerator", whole, "s", 1.3)
    yield Cell(figure, "one Cell", "its transfers", transfers, "s", 0.7)


WITHHELD = (16, 32, 64, 256, 97920)


def sweep8(figure: str) -> Iterator[Cell]:
    for ranks in (1, *WITHHELD):
        linked, free = sweep(ranks), sweep(ranks, "--no-links")
        withheld = ranks in WITHHELD
        share = 100 * (1 - free["seconds"] / linked["seconds"])
        yield Cell(figure, str(ranks), "communication share", share, "%", withheld=withheld)
        yield Cell(figure, str(ranks), "time per iteration", 1e3 * linked["seconds"], "ms", withheld=withheld)
        yield Cell(figure, str(ranks), "not computing", 100 * (1 - linked["computing"]), "%")
        # "Globally, more than sixty million 2,400-byte messages"
        sixty = 60.0 if ranks == WITHHELD[-1] and not simulation.QUICK else None
        yield Cell(figure, str(ranks), "messages", 1e-6 * linked["messages"], "million", sixty, bound=">" if sixty else "")


REMARK = ("60 us of computing for a block of 5 x 5 x 10 cells in 6 angles; an iteration is one sweep. bench/figures/links/README.md says "
          "what is assumed.")
FIGURES = {"sweep7": Figure(sweep7, PAPER, "an iteration of Sweep3D by triblades; 10 of 50 x 50 x 50 cells on one Cell", "links",
                            ("hybrid", "Opteron"), REMARK),
           "sweep8": Figure(sweep8, PAPER, "an iteration of Sweep3D by SPEs; share: against messages that take no time", "links", remark=REMARK)}
