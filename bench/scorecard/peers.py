"""The runtimes that do what Maslin does, measured by the programs of bench/peers: one program a runtime, the same figures
in each. Programs exist for those peers that were installed when the project was built; checkouts.py builds those for peers that
are not packaged. A runtime with settings takes part once with each: who measures best counts."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Callable, Iterator, Mapping, Sequence

from . import checkouts
from .measure import AGAIN, WORK, MeasurementError, binary, execute
from .row import Goal, Row, judge, noise, not_measured, paired_ratio, pairs

if TYPE_CHECKING:
    from .figures import Plan

OURS = "maslin"
LIMIT_S = 600  # of one run of one figure

# Results of each round by side: a runtime, with its settings and one of its schedules where it has several.
Rounds = dict[str, list[dict]]

# Figures of small tasks with dependences, or how they begin. A lightweight node calls its successor: a chain of 1e5 overflows the stack.
SMALL_TASKS = ("wavefront", "stencil", "metg")


@dataclass(frozen=True)
class Side:
    """A program under some settings. OpenMP's threads are not placed by a setting: the programs bind each worker themselves."""

    program: str
    setting: str = ""
    variables: Mapping[str, str] = field(default_factory=dict)
    figures: tuple[str, ...] = ()  # those that the setting is for, or how they begin; all if none is named
    instead: str = ""  # the figure that it measures whatever is asked
    checkout: bool = False  # the program is ours for a peer's headers

    @property
    def name(self) -> str:
        return f"{self.program} {self.setting}".strip()

    @property
    def path(self) -> Path:
        return checkouts.built(self.program) if self.checkout else binary(f"peers_{self.program}")

    def measures(self, figure: str) -> bool:
        return not self.figures or figure.startswith(self.figures)


MASLIN = Side("maslin")
PEERS = (
    *(Side(program, policy, {"OMP_WAIT_POLICY": policy}) for program in ("libgomp", "libomp") for policy in ("active", "passive")),
    Side("tbb"),
    Side("tbb-lightweight", figures=SMALL_TASKS),  # nodes whose body runs where the last edge was fed, for small ones
    Side("starpu"),
    # Its policies by name, for tasks whose lengths it can learn.
    *(Side("starpu", policy, {"STARPU_SCHED": policy}, figures=("linalg",)) for policy in ("ws", "dmda")),
)


def present() -> list[Side]:
    """Gives the peers whose programs are built."""
    found = []
    for side in PEERS:
        try:
            binary(f"peers_{side.program}")
            found.append(side)
        except MeasurementError:
            continue
    return found


def missing() -> list[str]:
    """Gives the peers' programs that are not built, because the peer was not installed."""
    built = {side.program for side in present()}
    return sorted({side.program for side in PEERS} - built)


def read(output: str) -> list[dict]:
    """Gives the lines of a program's output; refuses an answer that the program did not find right."""
    results = [json.loads(line) for line in output.splitlines()]
    for result in results:
        if result["checked"] is not True:
            raise MeasurementError(f"{result['runtime']} gave a wrong answer in {result['figure']}")
    return results


HANDED_OVER = {"tasks-deferred"}  # figures of tasks that are handed over, however small


def run(side: Side, figures: Sequence[str]) -> list[dict]:
    """Measures figures once, in one process; gives nothing where the runtime has nothing for them."""
    WORK.mkdir(parents=True, exist_ok=True)
    environment = {"STARPU_HOME": str(WORK), **side.variables}  # where it keeps what it learns of the machine
    if HANDED_OVER.intersection(figures):
        environment["MASLIN_AT_ONCE"] = "0"
    _, output = execute([side.path, *([side.instead] if side.instead else figures)], environment, LIMIT_S)
    return [{**result, "setting": side.setting} for result in read(output)]


def side_of(result: dict) -> str:
    """Gives the name of the side that a result belongs to."""
    schedule = result.get("schedule", "default")
    words = (result["runtime"], result.get("setting", ""), "" if schedule == "default" else schedule)
    return " ".join(filter(None, words))


def measured(plan: Plan, figures: Sequence[str], rows: Callable[[dict[str, Rounds]], list[Row]], more: Sequence[Side] = ()) -> list[Row]:
    """Runs figures on Maslin (twice a round) and each peer, alternating, until the rows are decided; gives these rows. They are
    made of each side's results, round by round, by the results' figure. (One program may measure a figure for several sizes.)"""
    def by_figure(runs: Mapping[str, list[list[dict]]]) -> dict[str, Rounds]:
        found: dict[str, Rounds] = {}
        for side, of_side in runs.items():
            for result in chain(*of_side):
                name = side_of(result) + (AGAIN if side == OURS + AGAIN else "")
                found.setdefault(result["figure"], {}).setdefault(name, []).append(result)
        return found

    sides = {side.name + side.instead: lambda _, side=side: run(side, figures)
             for side in (MASLIN, *present(), *more) if side.measures(figures[0])}
    return plan.rows(figures[0], sides, OURS, lambda runs: rows(by_figure(runs)))


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
            higher: bool = False, rival: str = "") -> Row:
    """Gives the row of our values against the best peer's: the one with the best median of this run. `rival`: the goal is about
    that peer, whatever others do."""
    if OURS not in samples:
        return not_measured(name, "this build of Maslin does not have it", goal)
    ours = samples[OURS]
    better = max if higher else min
    peers = {side: taken for side, taken in samples.items() if side not in (OURS, OURS + AGAIN)}
    others, peers = peers, {side: taken for side, taken in peers.items() if side.startswith(rival)}
    if not peers and goal.on == "ratio":
        return not_measured(name, f"{rival} did not take part" if rival else "no peer is installed; ./dev bench installs them", goal)
    row = Row(name, median(ours), unit, "higher" if higher else "lower", versions={side: versions.get(side, "") for side in others},
              samples={side: list(taken) for side, taken in samples.items()})
    if OURS + AGAIN in samples:
        row.again = noise(samples, OURS)
    if peers:
        best = better(peers, key=lambda side: median(peers[side]))
        row.peer, row.peer_value, row.peer_version = best, median(peers[best]), versions.get(best)
        row.ratio = paired_ratio(ours, peers[best])
    row.note = "; ".join(f"{side} {median(taken):.3g}" for side, taken in others.items() if side != row.peer)
    return judge(row, goal, pairs(ours, peers[row.peer]) if goal.on == "ratio" else ours)


def versions_of(rounds: Rounds) -> dict[str, str]:
    return {side: results[-1]["version"] for side, results in rounds.items()}


def remarks(row: Row, *more: str) -> Row:
    """Puts remarks before what the row says of the other peers."""
    row.note = "; ".join(filter(None, (*more, row.note)))
    return row


def figure_row(name: str, rounds: Rounds, key: str, unit: str, target: Target, factor: float = 1.0, rival: str = "") -> Row:
    """Gives the row of a figure whose goal is a Target."""
    row = compare(name, unit, values(rounds, key, factor), target.goal(), versions_of(rounds), rival=rival)
    if row.value is None:
        return row
    row.checked = "every run's answer"
    return remarks(row, target.remark(row.value, unit))


@contextmanager
def busy_process() -> Iterator[None]:
    """Keeps one other process busy on the CPUs that the programs use."""
    with subprocess.Popen([sys.executable, "-c", "while True: pass"]) as other:
        try:
            os.sched_setaffinity(other.pid, sorted(os.sched_getaffinity(0))[:2])
            yield
        finally:
            other.kill()
