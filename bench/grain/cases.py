"""What is measured: shapes of phases, how many units of work each has, and on which machines."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar, Iterator, Mapping

SPECS = Path(__file__).parent / "specs"
REAL = 0  # the machine that is here
SHAPES = ("cholesky", "monte-carlo", "stencil", "lognormal", "change")

# Off-loads of a unit where they are computed, so that a run takes about a second on two cores: of all units together.
REAL_KERNELS = {"cholesky": 4608, "monte-carlo": 3072, "stencil": 1536, "lognormal": 12288, "change": 8192, "md": 4000}
MD_KERNELS = 2400

# The more units, the shorter each, so that a run stays within some 120,000 off-loads. A tree search's are short, so there are more.
KERNELS = {16: 2400, 24: 2000, 64: 1200, 96: 900, 256: 480}
TREE_KERNELS = {4: 20000, 8: 14000, 16: 10000, 24: 8000, 96: 3200, 128: 2500}


@dataclass(frozen=True)
class Cases:
    """What a set of cases is made of: every shape with so many units, on so many workers, searches on alignments (site patterns)."""

    machines: tuple[int, ...]  # workers of the described ones
    units: tuple[int, ...]
    trajectories: tuple[int, ...]  # of molecular dynamics
    alignments: dict[str, int]
    several: str  # the alignment that is searched with each of these numbers of replicates; the others with `searches`
    replicates: tuple[int, ...]
    searches: int


# `auto` was developed and its constants were chosen on the first set. The second one was put aside: it decides the goals, and
# whoever changes a policy looks at the first one only.
DEVELOPMENT = Cases((8, 16, 64, 256), (16, 64, 256), (6, 14),
                    {"d026_pocketgopher": 151, "d050_m1044": 488, "d041_m1366": 767, "d044_dornburg": 1752, "d062_carnivora": 5565},
                    "d041_m1366", (4, 16, 128), 16)
HELD_OUT = Cases((12, 48, 128), (24, 96), (5, 10), {"d025_h1n1ha": 615, "d027_m336": 933, "d094_rightmyer": 1699}, "d025_h1n1ha", (8, 24, 96), 24)

# Shapes whose units are uneven, and the one that changes half-way: no fixed configuration is best throughout.
UNEVEN = ("lognormal", "md", "change")


@dataclass(frozen=True)
class Case:
    shape: str  # as people call it: md-6, phylo/d041_m1366
    units: int
    machine: int  # workers of the described one, or REAL
    kernels: int = 0
    patterns: int = 0

    executable: ClassVar[str] = "grain_shapes"
    phase: ClassVar[str] = "grain"  # as MASLIN_PIN calls it

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

    def peers(self, workers: int) -> Mapping[str, tuple[list, dict[str, str]]]:
        """Gives the command and the variables of other runtimes' programs that do the same, by what tables call them; none here."""
        return {}

    @property
    def screening_kernels(self) -> int:
        """Gives how many off-loads of a unit are enough to see which fixed configurations come into question."""
        return max(12, self.kernels // 32 // 12 * 12)


def virtual_cases(of: Cases) -> Iterator[Case]:
    for machine in of.machines:
        for shape in SHAPES:
            for units in of.units:
                yield Case(shape, units, machine, KERNELS[units])
        for units in of.trajectories:
            yield Case(f"md-{units}", units, machine, MD_KERNELS)
        for alignment, patterns in of.alignments.items():
            for units in of.replicates if alignment == of.several else (of.searches,):
                yield Case(f"phylo/{alignment}", units, machine, TREE_KERNELS[units], patterns)


def real_cases(of: Cases) -> Iterator[Case]:
    for shape in SHAPES:
        for units in of.units:
            each = REAL_KERNELS[shape] // units
            yield Case(shape, units, REAL, max(12, each // 12 * 12) if shape == "cholesky" else each)
    for units in of.trajectories:
        yield Case(f"md-{units}", units, REAL, REAL_KERNELS["md"] // units)
    for alignment in of.alignments:
        for units in of.replicates if alignment == of.several else (of.searches,):
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
