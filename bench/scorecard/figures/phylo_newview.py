"""phylo/newview: nanoseconds per site pattern of the likelihood kernel, on one core.

Four rates, double precision, both children inner nodes, with scaling, in the fastest instruction set of this processor.
The goals are what a hand-written kernel reaches; the larger size is bound by memory."""

from __future__ import annotations

import json
import re

from ..measure import AGAIN, WORK, alternate, binary, execute
from ..row import Goal, Row, judge, noise
from . import Plan

NAME = "phylo/newview"
OURS = "maslin"
GOALS_NS = {1024: 7.5, 16384: 14.0}


NAME_OF_RUN = re.compile(r"newview_inner_inner/(\w+)/(\d+)")


def rates_of(report: dict) -> dict[int, float]:
    """Gives the nanoseconds per pattern of each number of patterns in Google Benchmark's report: the counter
    `per_pattern`, in seconds, of the runs called newview_inner_inner/INSTRUCTIONS/PATTERNS."""
    found = {}
    for run in report["benchmarks"]:
        name = NAME_OF_RUN.fullmatch(run["name"])
        if name and run.get("run_type") == "iteration":
            found[int(name.group(2))] = 1e9 * run["per_pattern"]
    return found


def measure(plan: Plan) -> list[Row]:
    WORK.mkdir(parents=True, exist_ok=True)
    instructions: set[str] = set()
    samples: dict[str, dict[int, list[float]]] = {side: {patterns: [] for patterns in GOALS_NS} for side in (OURS, OURS + AGAIN)}

    def one(side: str) -> float:
        report = WORK / "newview.json"
        execute([binary("bench_phylo_newview"), f"--benchmark_out={report}", "--benchmark_out_format=json",
                 "--benchmark_filter=newview_inner_inner", "--benchmark_min_time=0.2"], {"MASLIN_WORKERS": "1"})
        content = json.loads(report.read_text())
        for patterns, rate in rates_of(content).items():
            if patterns in GOALS_NS:
                samples[side][patterns].append(rate)
        instructions.update(found.group(1) for run in content["benchmarks"] if (found := NAME_OF_RUN.match(run["name"])))
        return 0.0

    def rows() -> list[Row]:
        made = []
        for patterns, goal in GOALS_NS.items():
            values = {side: samples[side][patterns] for side in samples}
            row = Row(f"{NAME}/{patterns}", unit="ns/pattern", again=noise(values, OURS), checked="against plain loops, before each run",
                      samples=values, note=", ".join(sorted(instructions)))
            made.append(judge(row, Goal("value", at_most=goal), values[OURS]))
        return made

    alternate({side: lambda _, side=side: one(side) for side in samples}, plan.looks, plan.tell,
              lambda _: all(row.decided for row in rows()))
    return rows()
