"""trace/overhead: how much slower a run is while it is traced.

The job is 24 bootstrap replicates. Ratio: time with tracing / time without. Checked: the same trees both ways, and a
trace that says it lost nothing."""

from __future__ import annotations

import tempfile
from pathlib import Path
from statistics import median

from .. import data
from ..measure import AGAIN, WORK, MeasurementError, Values, binary, execute
from ..row import Goal, Row, judge, noise, not_measured, pairs
from . import Plan

NAME = "trace/overhead"
GOAL = Goal("ratio", at_most=1.02)
ALIGNMENT = "d025_h1n1ha"
REPLICATES = 24


def measure(plan: Plan) -> list[Row]:
    WORK.mkdir(parents=True, exist_ok=True)
    if why := data.reason_absent(ALIGNMENT):
        return [not_measured(f"{NAME}/{detail}", why, GOAL) for detail in ("all", "streams")]
    alignment = data.alignment(ALIGNMENT)
    trees: list[str] = []
    bytes_written: list[int] = []

    def run(detail: str | None) -> float:
        with tempfile.TemporaryDirectory(prefix="trace-", dir=WORK) as folder:
            trace = Path(folder) / "run.mtrace"
            environment = {"MASLIN_TRACE": str(trace), "MASLIN_TRACE_DETAIL": detail} if detail else {}
            seconds, _ = execute([binary("maslin-phylo"), "bootstrap", "--msa", alignment, "--model", "GTR+F+G", "--replicates",
                                  str(REPLICATES), "--seed", "1", "--prefix", f"{folder}/run", "--json"],
                                 {"MASLIN_WORKERS": "2", **environment})
            trees.append(Path(f"{folder}/run.bootstraps").read_text())
            if detail:
                bytes_written.append(trace.stat().st_size)
        if trees[-1] != trees[0]:
            raise MeasurementError("a traced run gave other trees")
        return seconds

    def rows(times: Values) -> list[Row]:
        made = []
        for detail in ("all", "streams"):
            row = Row(f"{NAME}/{detail}", median(times[detail]), "s", peer="tracing off", peer_value=median(times["off"]),
                      peer_version="this build", again=noise(times, "off"), checked="the same trees",
                      samples={side: times[side] for side in ("off", "off" + AGAIN, detail)})
            made.append(judge(row, GOAL, pairs(times[detail], times["off"])))
        made[0].note = f"at most {max(bytes_written) / 1e6:.0f} MB of trace a run"
        return made

    return plan.rows(NAME, {"off": lambda _: run(None), "all": lambda _: run("all"), "streams": lambda _: run("streams")}, "off", rows)
