"""phylo/newview: nanoseconds per site pattern of the likelihood kernel, on one core.

Four rates, double precision, both children inner nodes, with scaling, in the fastest instruction set of this processor.
The goals are what a hand-written kernel reaches; the larger size is bound by memory."""

from __future__ import annotations

import json
from statistics import median

from ..measure import WORK, alternate, binary, execute
from ..row import Goal, Row, aa_spread, judge
from . import Plan

NAME = "phylo/newview"
GOALS_NS = {1024: 7.5, 16384: 14.0}


def rates_of(report: dict) -> dict[int, float]:
    """Gives the nanoseconds per pattern of each number of patterns in Google Benchmark's report. A benchmark's name ends
    in its number of patterns, and its counter `ns_per_pattern` is the figure."""
    found = {}
    for run in report["benchmarks"]:
        if run.get("run_type") == "iteration" and "inner_inner" in run["name"] and "ns_per_pattern" in run:
            patterns = int(run["name"].split("/")[1])
            found[patterns] = min(found.get(patterns, float("inf")), run["ns_per_pattern"])
    return found


def measure(plan: Plan) -> list[Row]:
    WORK.mkdir(parents=True, exist_ok=True)
    rounds: list[dict[int, float]] = []

    def one(_: int) -> float:
        report = WORK / "newview.json"
        execute([binary("bench_phylo_newview"), f"--benchmark_out={report}", "--benchmark_out_format=json",
                 "--benchmark_min_time=0.2"], {"MASLIN_WORKERS": "1"})
        rounds.append(rates_of(json.loads(report.read_text())))
        return 0.0

    alternate({"maslin": one}, plan.runs(), plan.tell)
    rows = []
    for patterns, goal in GOALS_NS.items():
        values = [rates[patterns] for rates in rounds]
        row = Row(f"{NAME}/{patterns}", median(values), "ns/pattern", spread=aa_spread(values), runs=len(values),
                  checked="against a scalar kernel, by the engine's tests", samples={"maslin": values})
        rows.append(judge(row, Goal("value", at_most=goal)))
    return rows
