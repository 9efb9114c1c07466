"""What is measured: shapes of phases, how many units of work each has, and on which machines."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Iterator

SPECS = Path(__file__).parent / "specs"
MACHINES = (8, 16, 64, 256)  # workers of the described ones
REAL = 0  # the machine that is here

UNITS = (16, 64, 256)
# The more units, the shorter each, so that a run stays within some 120,000 off-loads. A tree search's are short, so there are more.
KERNELS = {16: 2400, 64: 1200, 256: 480}
MD_KERNELS = 2400
REPLICATES = (4, 16, 128)
TREE_KERNELS = {4: 20000, 16: 10000, 128: 2500}

# Off-loads of a unit where they are computed, so that a run takes about a second on two cores: of all units together.
REAL_KERNELS = {"cholesky": 4608, "monte-carlo": 3072, "stencil": 1536, "lognormal": 12288, "change": 8192, "md-6": 4000, "md-14": 4000}

# Alignments (site patterns), and those that are measured with all numbers of replicates.
ALIGNMENTS = {"d026_pocketgopher": 151, "d050_m1044": 488, "d041_m1366": 767, "d044_dornburg": 1752, "d062_carnivora": 5565}
DEMO = "d041_m1366"

# Shapes whose units are uneven, and the one that changes half-way: no fixed configuration is best throughout.
UNEVEN = ("lognormal", "md-6", "md-14", "change")


@dataclass(frozen=True)
class Case:
    shape: str  # as people call it: md-6, phylo/d041_m1366
    units: int
    machine: int  # workers of the described one, or REAL
    kernels: int = 0
    patterns: int = 0

    @property
    def name(self) -> str:
        return f"{self.shape}/{self.units}/{self.place}"

    @property
    def place(self) -> str:
        return "here" if self.machine == REAL else f"{self.machine} workers"

    @property
    def spec(self) -> Path:
        return SPECS / f"synthetic-{self.machine}.toml"

    @property
    def program(self) -> str:
        """Gives what grain_shapes calls it."""
        return "md" if self.shape.startswith("md-") else "tree" if self.shape.startswith("phylo/") else self.shape

    def words(self, kernels: int = 0) -> list:
        """Gives the arguments of grain_shapes."""
        return [self.program, "--units", self.units, "--kernels", kernels or self.kernels,
                *(["--patterns", self.patterns] if self.patterns else []), *([] if self.machine == REAL else ["--declared"])]

    @property
    def screening_kernels(self) -> int:
        """Gives how many off-loads of a unit are enough to see which fixed configurations come into question."""
        return max(12, self.kernels // 32 // 12 * 12)


def virtual_cases(quick: bool) -> Iterator[Case]:
    for machine in (8, 64) if quick else MACHINES:
        for shape in ("stencil", "lognormal", "change") if quick else ("cholesky", "monte-carlo", "stencil", "lognormal", "change"):
            for units in (64,) if quick else UNITS:
                yield Case(shape, units, machine, KERNELS[units] // (2 if quick else 1))
        for units in (6,) if quick else (6, 14):
            yield Case(f"md-{units}", units, machine, MD_KERNELS // (2 if quick else 1))
        if quick:
            continue
        for alignment, patterns in ALIGNMENTS.items():
            for units in REPLICATES if alignment == DEMO else (16,):
                yield Case(f"phylo/{alignment}", units, machine, TREE_KERNELS[units], patterns)


def real_cases(quick: bool) -> Iterator[Case]:
    for shape, kernels in REAL_KERNELS.items():
        if quick and shape not in ("lognormal", "md-6"):
            continue
        for units in (int(shape[3:]),) if shape.startswith("md-") else (64,) if quick else UNITS:
            each = kernels // units
            yield Case(shape, units, REAL, max(12, each // 12 * 12) if shape == "cholesky" else each)
    for alignment in (DEMO,) if quick else ALIGNMENTS:
        for units in (16,) if quick else REPLICATES if alignment == DEMO else (16,):
            yield Case(f"phylo/{alignment}", units, REAL)


def counts(last: int) -> list[int]:
    """Gives 1 to 16, then four steps a doubling, up to and including `last`, as src/sched/grain/s_mgps.cpp does."""
    every, next_, step = [], 1, 1
    while next_ < last:
        every.append(next_)
        if next_ >= 16 and next_ & (next_ - 1) == 0:
            step = next_ // 4
        next_ += step
    return [*every, last]


def configurations(workers: int, units: int) -> list[tuple[int, int]]:
    """Gives every (streams, width) that fits and that the policies choose from."""
    return [(streams, width) for width in counts(workers) for streams in counts(min(units, workers // width))]


def power_of_two(count: int) -> bool:
    return count & (count - 1) == 0
