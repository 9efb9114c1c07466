"""grain/regret: what right-sizing costs against the best fixed configuration in hindsight.

The job is 96 bootstrap replicates of an alignment on which neither the search nor right-sizing was tuned. Every fixed configuration runs once; those within a tenth of the best one then run
alternating with right-sizing. Ratio: time with right-sizing / time of the best fixed configuration (1 is perfect, less
is possible). Checked: every configuration gives the same trees, byte by byte."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path
from statistics import median

from .. import data
from ..measure import WORK, MeasurementError, Values, binary, execute
from ..row import Goal, Row, judge, noise, not_measured, pairs
from . import Plan

NAME = "grain/regret"
GOAL = Goal("ratio", at_most=1.05)
ALIGNMENT = "d025_h1n1ha"
REPLICATES = 96
CONTENDERS_WITHIN = 1.10


def configurations(workers: int) -> list[tuple[int, int]]:
    """Gives every (streams, width) with streams × width ≤ workers."""
    return [(streams, width) for width in range(1, workers + 1) for streams in range(1, workers // width + 1)]


class SameTrees:
    """Runs the job and insists that each run gives the trees of the first one."""

    def __init__(self, alignment: Path, workers: int):
        self.alignment, self.workers, self.trees = alignment, workers, None

    def seconds(self, pin: str | None) -> float:
        environment = {"MASLIN_WORKERS": str(self.workers), **({"MASLIN_PIN": f"trees={pin}"} if pin else {})}
        with tempfile.TemporaryDirectory(prefix="regret-", dir=WORK) as folder:
            seconds, _ = execute([binary("maslin-phylo"), "bootstrap", "--msa", self.alignment, "--model", "GTR+F+G",
                                  "--replicates", str(REPLICATES), "--seed", "1", "--prefix", f"{folder}/run", "--json"],
                                 environment)
            trees = Path(f"{folder}/run.bootstraps").read_text()
        if self.trees is None:
            self.trees = trees
        if trees != self.trees:
            raise MeasurementError(f"{pin or 'right-sizing'} gave other trees than the first configuration")
        return seconds


def measure(plan: Plan) -> list[Row]:
    WORK.mkdir(parents=True, exist_ok=True)
    workers = len(os.sched_getaffinity(0))
    if why := data.reason_absent(ALIGNMENT):
        return [not_measured(NAME, why, GOAL)]
    job = SameTrees(data.alignment(ALIGNMENT), workers)
    fixed = {}
    for streams, width in configurations(workers):
        pin = f"{streams}x{width}"
        plan.tell(f"every fixed configuration once: {pin}")
        fixed[pin] = job.seconds(pin)
    fastest = min(fixed.values())
    contenders = [pin for pin, seconds in fixed.items() if seconds <= CONTENDERS_WITHIN * fastest]
    sides = {"right-sizing": lambda _: job.seconds(None), **{pin: lambda _, pin=pin: job.seconds(pin) for pin in contenders}}
    others = ", ".join(f"{pin} {seconds:.1f} s" for pin, seconds in sorted(fixed.items(), key=lambda item: item[1]))

    def rows(times: Values) -> list[Row]:
        best = min(contenders, key=lambda pin: median(times[pin]))
        ours = times["right-sizing"]
        row = Row(NAME, median(ours), "s", peer=f"fixed {best}", peer_value=median(times[best]), peer_version="this build",
                  again=noise(times, "right-sizing"), checked="all configurations: the same trees, byte by byte", samples=times,
                  note=f"{REPLICATES} replicates, {workers} workers; once each: {others}")
        return [judge(row, GOAL, pairs(ours, times[best]))]

    return plan.rows(NAME, sides, "right-sizing", rows)
