"""The programs as cases of bench/grain, which measures them: here and on described machines, against every fixed configuration."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import ClassVar, Iterator, Mapping, Sequence

from grain.cases import REAL, SPECS, Case
from scorecard.measure import MeasurementError, binary, execute

MACHINES = (8, 16, 64, 256)  # workers of the described ones
POLICIES_OF_OPENMP = ("active", "passive")
SCHEDULES = ("static", "dynamic", "guided")


@dataclass(frozen=True)
class Unseen(Case):
    """`kernels`: how many times as many rounds, with declared costs."""

    small: bool = False  # for tests

    executable: ClassVar[str] = "unseen_maslin"
    phase: ClassVar[str] = "unseen"

    @property
    def program(self) -> str:
        return self.shape

    def words(self, kernels: int = 0) -> list:
        declared = [] if self.machine == REAL else ["--declared", "--longer", kernels or self.kernels]
        return [self.shape, *declared, *(["--small"] if self.small else [])]

    @property
    def screening_kernels(self) -> int:
        return 1

    def peers(self, workers: int) -> Mapping[str, tuple[list, dict[str, str]]]:
        """OpenMP as one sets it by hand: all streams by one thread each, or one after the other by all; each way to wait, and each
        schedule where there are loops to schedule."""
        if not has_openmp():
            return {}
        found = {}
        for streams, width in dict.fromkeys(((workers, 1), (1, workers))):
            command = ["unseen_openmp", self.shape, "--streams", streams, "--width", width, *(["--small"] if self.small else [])]
            for waiting in POLICIES_OF_OPENMP:
                for schedule in SCHEDULES if width > 1 else SCHEDULES[:1]:
                    how = f"{streams}x{width} {waiting}" + (f" {schedule}" if width > 1 else "")
                    found[f"OpenMP {how}"] = (command, {"OMP_WAIT_POLICY": waiting, "OMP_SCHEDULE": schedule})
        return found


def has_openmp() -> bool:
    try:
        binary("unseen_openmp")
        return True
    except MeasurementError:
        return False


def streams_of(name: str, small: bool) -> int:
    """Asks the program how many streams it has, on a described machine under a fixed configuration."""
    _, said = execute([binary(Unseen.executable), name, "--declared", *(["--small"] if small else [])],
                      {"MASLIN_MACHINE": str(SPECS / "synthetic-8.toml"), "MASLIN_DURATIONS": "declared", "MASLIN_QUIET": "1",
                       "MASLIN_PIN": f"{Unseen.phase}=8x1"})
    return json.loads(said)["units"]


def cases(names: Sequence[str], machines: Sequence[int], small: bool = False) -> Iterator[Unseen]:
    """Gives the programs on machines of so many workers; REAL is the one that is here. A worker has as much to do on every described one:
    as much as an eighth of the program, which takes a second."""
    for name in names:
        streams = streams_of(name, small)
        for workers in machines:
            yield Unseen(name, streams, workers, 1 if workers == REAL else max(1, workers // 8), small=small)
