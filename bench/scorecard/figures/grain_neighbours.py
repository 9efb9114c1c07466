"""grain/neighbours: what others on the machine cost.

busy: maslin-phylo's time beside one busy process / without it, over the same of two threads that are never idle and bound to no CPU
(grain_spin). quiet: the time beside one busy process / without it itself; two CPUs that three threads share alike make it 1.5. copies: the time of two copies of maslin-phylo that are started together / one after the other. Checked: the same trees in
every run."""

from __future__ import annotations

import json
import os
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from statistics import median
from time import perf_counter

from grain.real import beginning

from .. import data
from ..measure import AGAIN, MeasurementError, Values, binary, execute
from ..peers import busy_process
from ..row import Goal, Row, judge, noise, not_measured, pairs
from . import Plan

NAME = "grain/neighbours"
BUSY = Goal("ratio", at_most=1.15)
QUIET = Goal("ratio", at_most=1.3)
COPIES = Goal("ratio", at_most=1.1)
ALIGNMENT = "d025_h1n1ha"
REPLICATES = 400  # about a second on two CPUs
WORKERS = min(2, len(os.sched_getaffinity(0)))
PIECES = 20_000  # of 0.1 ms: as long


class SameTrees:
    """Runs the searches and insists on the trees of the first run."""

    def __init__(self, folder: Path):
        self.folder, self.trees = folder, None
        self.alignment = beginning(data.alignment(ALIGNMENT), folder)

    def run(self, _: int = 0) -> float:
        with tempfile.TemporaryDirectory(dir=self.folder) as out:
            seconds, _ = execute([binary("maslin-phylo"), "bootstrap", "--msa", self.alignment, "--model", "GTR+F+G", "--replicates",
                                  REPLICATES, "--seed", 1, "--quiet", "--prefix", f"{out}/run", "--json"], {"MASLIN_WORKERS": str(WORKERS)})
            trees = Path(f"{out}/run.bootstraps").read_text()
        if self.trees is None:
            self.trees = trees
        if trees != self.trees:
            raise MeasurementError("a run gave other trees than the first one")
        return seconds

    def two(self, at_a_time: int) -> float:
        begin = perf_counter()
        with ThreadPoolExecutor(at_a_time) as pool:
            list(pool.map(self.run, range(2)))
        return perf_counter() - begin


def spin() -> float:
    _, said = execute([binary("grain_spin"), WORKERS, PIECES])
    return json.loads(said)["seconds"]


def beside(run) -> float:
    with busy_process():
        return run()


def range_of(values: list[float]) -> str:
    return f"{min(values):.2f} to {max(values):.2f}"


def measure(plan: Plan) -> list[Row]:
    if why := data.reason_absent(ALIGNMENT):
        return [not_measured(f"{NAME}/{name}", why, goal) for name, goal in (("busy", BUSY), ("quiet", QUIET), ("copies", COPIES))]
    with tempfile.TemporaryDirectory(prefix="neighbours-") as folder:
        searches = SameTrees(Path(folder))
        searches.run()
        sides = {"quiet": lambda _: searches.run(), "busy": lambda _: beside(searches.run), "spin quiet": lambda _: spin(),
                           "spin busy": lambda _: beside(spin), "together": lambda _: searches.two(2),
                           "one after the other": lambda _: searches.two(1), "busy" + AGAIN: lambda _: beside(searches.run)}
        return plan.rows(NAME, sides, "together", rows)


def rows(times: Values) -> list[Row]:
    ours = [busy / quiet for busy, quiet in zip(times["busy"], times["quiet"])]
    theirs = [busy / quiet for busy, quiet in zip(times["spin busy"], times["spin quiet"])]
    busy = Row(f"{NAME}/busy", median(ours), "× quiet", peer=f"{WORKERS} spinning threads", peer_value=median(theirs),
               peer_version="this build", again=noise(times, "busy"), checked="the same trees", note=f"ours {range_of(ours)}, theirs {range_of(theirs)}", samples=times)
    quiet = Row(f"{NAME}/quiet", median(times["busy"]), "s", peer="without it", peer_value=median(times["quiet"]), peer_version="this build",
                again=noise(times, "busy"), checked="the same trees", note=f"ratios {range_of(ours)}", samples=times)
    copies = Row(f"{NAME}/copies", median(times["together"]), "s", peer="one after the other",
                 peer_value=median(times["one after the other"]), peer_version="this build",
                 again=noise(times, "together"), checked="the same trees")
    ratios = pairs(times["together"], times["one after the other"])
    copies.note = "ratios " + range_of(ratios)
    return [judge(busy, BUSY, pairs(ours, theirs)), judge(quiet, QUIET, ours), judge(copies, COPIES, ratios)]
