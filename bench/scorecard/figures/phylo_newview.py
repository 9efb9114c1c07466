"""phylo/newview: nanoseconds per site pattern of the likelihood kernel, on one core.

Four rates, double precision, both children inner nodes, with scaling, in the fastest instruction set of this processor.
The goals are what a hand-written kernel reaches; the larger size is bound by memory."""

from __future__ import annotations

import json
import re
from statistics import median

from ..measure import WORK, alternate, binary, execute
from ..row import Goal, Row, aa_spread, judge
from . import Plan

NAME = "phylo/newview"
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
    rounds: list[dict[int, float]] = []
    instructions: set[str] = set()

    def one(_: int) -> float:
        report = WORK / "newview.json"
        execute([binary("bench_phylo_newview"), f"--benchmark_out={report}", "--benchmark_out_format=json",
                 "--benchmark_filter=newview_inner_inner", "--benchmark_min_time=0.2"], {"MASLIN_WORKERS": "1"})
        content = json.loads(report.read_text())
        rounds.append(rates_of(content))
        instructions.update(found.group(1) for run in content["benchmarks"] if (found := NAME_OF_RUN.match(run["name"])))
        return 0.0

    alternate({"maslin": one}, plan.runs(), plan.tell)
    rows = []
    for patterns, goal in GOALS_NS.items():
        values = [rates[patterns] for rates in rounds]
        row = Row(f"{NAME}/{patterns}", median(values), "ns/pattern", spread=aa_spread(values), runs=len(values),
                  checked="against plain loops, before each run", samples={"maslin": values},
                  note=", ".join(sorted(instructions)))
        rows.append(judge(row, Goal("value", at_most=goal)))
    return rows
