"""phylo/newview: nanoseconds per site pattern of the likelihood kernel, on one core.

Four rates, double precision, both children inner nodes, with scaling, in the fastest instruction set of this processor. The goals of
four states are what a hand-written kernel reaches; the larger size is bound by memory. Ratio of 20 states: newview's time / what bounds
it, the longer of two: the time of as many multiplications with addition in registers, and that of reading and writing as many bytes."""

from __future__ import annotations

import json
import re
from statistics import median

from ..measure import WORK, Values, binary, by_what, execute
from ..row import Goal, Row, judge, noise, not_measured, pairs
from . import Plan

NAME = "phylo/newview"
OURS = "maslin"
GOALS_NS = {1024: 7.5, 16384: 14.0}
OF_20_STATES = Goal("ratio", at_most=1.1)
KERNEL, KERNEL_20, ARITHMETIC, MEMORY = "newview_inner_inner", "newview20_inner_inner", "bound20_arithmetic", "bound20_memory"

NAME_OF_RUN = re.compile(rf"({KERNEL}|{KERNEL_20}|{ARITHMETIC}|{MEMORY})/(\w+)/(\d+)")
Samples = dict[tuple[str, int], Values]  # by what ran and on how many patterns


def rates_of(report: dict) -> dict[tuple[str, int], float]:
    """Gives the nanoseconds per pattern of each kernel and number of patterns in Google Benchmark's report: the counter
    `per_pattern`, in seconds, of the runs called KERNEL/INSTRUCTIONS/PATTERNS."""
    found = {}
    for run in report["benchmarks"]:
        name = NAME_OF_RUN.fullmatch(run["name"])
        if name and run.get("run_type") == "iteration":
            found[name.group(1), int(name.group(3))] = 1e9 * run["per_pattern"]
    return found


def of_20_states(samples: Samples, patterns: int) -> Row:
    """Gives the row that compares newview with what bounds it."""
    name = f"{NAME}/20-states/{patterns}"
    if (ARITHMETIC, patterns) not in samples:
        return not_measured(name, "the bounds of these instructions are not known", OF_20_STATES)
    values = samples[KERNEL_20, patterns]
    bounds = {"arithmetic": samples[ARITHMETIC, patterns][OURS], "memory": samples[MEMORY, patterns][OURS]}
    largest = max(bounds, key=lambda bound: median(bounds[bound]))
    row = Row(name, median(values[OURS]), "ns/pattern", peer=f"bound by {largest}", peer_value=median(bounds[largest]),
              peer_version="this build", again=noise(values, OURS), checked="against plain loops, before each run", samples={**values, **bounds},
              note=", ".join(f"{bound} {median(times):.1f} ns" for bound, times in bounds.items()))
    return judge(row, OF_20_STATES, pairs(values[OURS], bounds[largest]))


def measure(plan: Plan) -> list[Row]:
    WORK.mkdir(parents=True, exist_ok=True)
    instructions: set[str] = set()

    def run(_: int) -> dict[tuple[str, int], float]:
        report = WORK / "newview.json"
        execute([binary("bench_phylo_newview"), f"--benchmark_out={report}", "--benchmark_out_format=json",
                 f"--benchmark_filter=({KERNEL}|{KERNEL_20}|{ARITHMETIC}|{MEMORY})/", "--benchmark_min_time=0.2"], {"MASLIN_WORKERS": "1"})
        content = json.loads(report.read_text())
        instructions.update(found.group(2) for run in content["benchmarks"] if (found := NAME_OF_RUN.match(run["name"])))
        return rates_of(content)

    def rows(samples: Samples) -> list[Row]:
        made = []
        for patterns, goal in GOALS_NS.items():
            values = samples[KERNEL, patterns]
            row = Row(f"{NAME}/{patterns}", unit="ns/pattern", again=noise(values, OURS), checked="against plain loops, before each run",
                      samples=values, note=", ".join(sorted(instructions)))
            made.append(judge(row, Goal("value", at_most=goal), values[OURS]))
        return made + [of_20_states(samples, patterns) for patterns in GOALS_NS]

    return plan.rows("newview", {OURS: run}, OURS, lambda runs: rows(by_what(runs)))
