"""The runtimes that do what Maslin does, measured by the programs of bench/peers: one program a runtime, the same figures
in each. Programs exist for those peers that were installed when the project was built."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from contextlib import contextmanager
from dataclasses import dataclass
from statistics import median
from typing import Callable, Iterator, Mapping, Sequence

from .measure import WORK, MeasurementError, alternate, binary, execute
from .row import Goal, Row, aa_spread, judge, paired_ratio, skipped

OURS = "maslin"
PEERS = ("libgomp", "libomp", "tbb", "starpu")
WORKERS = 2
LIMIT_S = 600  # of one run of one figure

# Results of each round by side: a runtime, or a runtime with one of its schedules.
Rounds = dict[str, list[dict]]


def present() -> list[str]:
    """Gives the peers whose programs are built."""
    found = []
    for runtime in PEERS:
        try:
            binary(f"peers_{runtime}")
            found.append(runtime)
        except MeasurementError:
            continue
    return found


def read(output: str) -> list[dict]:
    """Gives the lines of a program's output; refuses an answer that the program did not find right."""
    results = [json.loads(line) for line in output.splitlines()]
    for result in results:
        if result["checked"] is not True:
            raise MeasurementError(f"{result['runtime']} gave a wrong answer in {result['figure']}")
    return results


HANDED_OVER = {"tasks-deferred"}  # figures of tasks that are handed over, however small


def run(runtime: str, figure: str, quick: bool) -> list[dict]:
    """Measures one figure once; gives nothing where the runtime has nothing for it."""
    WORK.mkdir(parents=True, exist_ok=True)
    command = [binary(f"peers_{runtime}"), *(["--quick"] if quick else []), figure]
    environment = {"STARPU_HOME": str(WORK)}  # where it keeps what it learns of the machine
    if figure in HANDED_OVER:
        environment["MASLIN_AT_ONCE"] = "0"
    _, output = execute(command, environment, LIMIT_S)
    return read(output)


def side_of(result: dict) -> str:
    """Gives the name of the side that a result belongs to."""
    schedule = result.get("schedule", "default")
    return result["runtime"] if schedule == "default" else f"{result['runtime']} {schedule}"


def measured(figure: str, rounds: int, quick: bool, tell: Callable[[str], None], runtimes: Sequence[str] | None = None
             ) -> dict[str, Rounds]:
    """Runs a figure on Maslin and each peer, alternating; gives, by the results' figure, each side's results round by
    round. (One program may measure a figure for several sizes.)"""
    found: dict[str, Rounds] = {}

    def one(runtime: str) -> float:
        for result in run(runtime, figure, quick):
            found.setdefault(result["figure"], {}).setdefault(side_of(result), []).append(result)
        return 0.0

    names = list(runtimes) if runtimes else [OURS, *present()]
    alternate({name: lambda _, name=name: one(name) for name in names}, rounds, lambda at: tell(f"{figure}: {at}"))
    return found


@dataclass(frozen=True)
class Target:
    """A goal in a row's unit. `cell` is what the best packaged peer showed on the machine where the goal was set: what
    counts elsewhere is the ratio to the best peer of this run, which is to be as good. Without it the bound counts as it
    stands, for figures that are ratios already."""

    at_most: float
    cell: float | None = None

    def goal(self) -> Goal:
        return Goal("value", at_most=self.at_most) if self.cell is None else Goal("ratio", at_most=self.at_most / self.cell)

    def remark(self, value: float, unit: str) -> str:
        """Says how the absolute figure stands where the ratio is what counts."""
        if self.cell is None:
            return ""
        reached = "reached" if value <= self.at_most else "not reached"
        return f"≤ {self.at_most:g} {unit} is {reached}, with a peer of {self.cell:g} {unit} in mind"


def values(rounds: Rounds, key: str, factor: float = 1.0) -> dict[str, list[float]]:
    return {side: [factor * result[key] for result in results] for side, results in rounds.items()}


def compare(name: str, unit: str, samples: Mapping[str, Sequence[float]], goal: Goal, versions: Mapping[str, str],
            higher: bool = False) -> Row:
    """Gives the row of our values against the best peer's: the one with the best median of this run."""
    if OURS not in samples:
        return skipped(name, "this build of Maslin does not have it", goal)
    ours = samples[OURS]
    better = max if higher else min
    peers = {side: taken for side, taken in samples.items() if side != OURS}
    row = Row(name, median(ours), unit, "higher" if higher else "lower", spread=aa_spread(ours), runs=len(ours),
              samples={side: list(taken) for side, taken in samples.items()})
    if peers:
        best = better(peers, key=lambda side: median(peers[side]))
        row.peer, row.peer_value, row.peer_version = best, median(peers[best]), versions.get(best)
        row.ratio = paired_ratio(ours, peers[best])
    elif goal.on == "ratio":
        return skipped(name, "no peer is installed; ./dev bench installs them", goal)
    row.note = "; ".join(f"{side} {median(taken):.3g}" for side, taken in peers.items() if side != row.peer)
    return judge(row, goal)


def versions_of(rounds: Rounds) -> dict[str, str]:
    return {side: results[-1]["version"] for side, results in rounds.items()}


def remarks(row: Row, *more: str) -> Row:
    """Puts remarks before what the row says of the other peers."""
    row.note = "; ".join(filter(None, (*more, row.note)))
    return row


def figure_row(name: str, rounds: Rounds, key: str, unit: str, target: Target, factor: float = 1.0) -> Row:
    """Gives the row of a figure whose goal is a Target."""
    row = compare(name, unit, values(rounds, key, factor), target.goal(), versions_of(rounds))
    if row.value is None:
        return row
    row.checked = "every run's answer"
    return remarks(row, target.remark(row.value, unit))


@contextmanager
def busy_process() -> Iterator[None]:
    """Keeps one other process busy on the CPUs that the programs use."""
    with subprocess.Popen([sys.executable, "-c", "while True: pass"]) as other:
        try:
            os.sched_setaffinity(other.pid, sorted(os.sched_getaffinity(0))[:WORKERS])
            yield
        finally:
            other.kill()
