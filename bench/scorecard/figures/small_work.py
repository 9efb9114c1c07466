"""small/work: what Maslin adds to work that is too small to be shared, on two workers.

tasks: 8 columns of dependent tasks with bodies of 0.19 µs, over a plain loop that computes the same; the worst of four patterns.
loop, off-load: nanoseconds more than a plain call, for a loop of 200 iterations that stays in place, in a stream. The ratio is that
of our call to the plain one. Checked: every value."""

from __future__ import annotations

import json
import re
from statistics import median

from ..measure import WORK, MeasurementError, Values, binary, by_what, execute
from ..row import Goal, Row, judge, noise, paired_ratio
from . import Plan

NAME = "small/work"
WORKERS = {"MASLIN_WORKERS": "2"}
TASKS = Goal("value", at_most=1.1)
BODY_US = 0.19
CALLS = {"loop": ("two_blocks", Goal("value", at_most=15.0)), "off-load": ("off_load", Goal("value", at_most=25.0))}
RATIOS = re.compile(r"^(\w+) .* fresh .*? ratio +([\d.]+) .*replayed .*? ratio +([\d.]+)$", re.MULTILINE)


def worst_ratios(said: str) -> dict[str, float]:
    """Gives the largest ratio over the patterns, of fresh and of replayed tasks, in what bench_graph_small_tasks prints."""
    found = RATIOS.findall(said)
    if not found:
        raise MeasurementError(f"bench_graph_small_tasks printed no ratio: {said.strip()[-300:]}")
    return {"fresh": max(float(fresh) for _, fresh, _ in found), "replayed": max(float(replayed) for _, _, replayed in found)}


def cpu_ns(report: dict) -> dict[str, float]:
    """Gives the CPU time of a call in nanoseconds by what is called, in Google Benchmark's report on calls in a stream."""
    return {run["name"].removeprefix("in_stream<").removesuffix(">"): run["cpu_time"] for run in report["benchmarks"]
            if run["name"].startswith("in_stream<")}


def tasks() -> dict[str, float]:
    _, said = execute([binary("bench_graph_small_tasks"), 7, 2, BODY_US], WORKERS)
    return worst_ratios(said)


def calls() -> dict[str, float]:
    WORK.mkdir(parents=True, exist_ok=True)
    file = WORK / "small_work.json"
    execute([binary("bench_loop_too_small"), f"--benchmark_out={file}", "--benchmark_out_format=json",
             "--benchmark_filter=in_stream<(plain|two_blocks|off_load)>", "--benchmark_min_time=0.2"], WORKERS)
    report = json.loads(file.read_text())
    if wrong := [run["error_message"] for run in report["benchmarks"] if run.get("error_occurred")]:
        raise MeasurementError(wrong[0])
    return cpu_ns(report)


def task_rows(samples: dict[str, Values]) -> list[Row]:
    note = f"the worst of four patterns; bodies of {BODY_US} µs"
    return [judge(Row(f"{NAME}/tasks-{kind}", unit="× serial", again=noise(values, "maslin"), checked="every value", note=note,
                      samples=values), TASKS, values["maslin"]) for kind, values in samples.items()]


def call_rows(samples: dict[str, Values]) -> list[Row]:
    plain = samples["plain"]
    rows = []
    for name, (call, goal) in CALLS.items():
        ours = samples[call]["maslin"]
        row = Row(f"{NAME}/{name}", unit="ns more", peer="plain call", peer_value=median(plain["maslin"]), checked="every value",
                  ratio=paired_ratio(ours, plain["maslin"]), again=noise(samples[call], "maslin"),
                  samples={**samples[call], "plain call": plain["maslin"]})
        rows.append(judge(row, goal, [with_us - without for with_us, without in zip(ours, plain["maslin"])]))
    return rows


def measure(plan: Plan) -> list[Row]:
    return (plan.rows("tasks", {"maslin": lambda _: tasks()}, "maslin", lambda runs: task_rows(by_what(runs))) +
            plan.rows("calls", {"maslin": lambda _: calls()}, "maslin", lambda runs: call_rows(by_what(runs))))
