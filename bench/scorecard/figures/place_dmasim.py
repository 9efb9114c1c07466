"""place/dmasim: how many packets a second the simulator of transfers passes: streams that miss SL1, that hit it, and of eight workers in one
cluster and in two.

Value: packets a second; the goal is at least 5 million. What it counts is checked by the tests of src/model/dma."""

from __future__ import annotations

import json

from ..measure import binary, execute
from ..row import Goal, Row, judge
from . import Plan

NAME = "place/dmasim"
GOAL = Goal("value", at_least=5e6)


def run() -> dict[str, float]:
    """Gives the packets a second, by what is streamed."""
    _, said = execute([binary("bench_model_dma"), "--benchmark_format=json", "--benchmark_min_time=0.1"])
    return {one["name"].removeprefix("stream/"): one["items_per_second"] for one in json.loads(said)["benchmarks"]}


def measure(plan: Plan) -> list[Row]:
    values: dict[str, list[float]] = {}
    rows: list[Row] = []
    for before, look in zip((0, *plan.looks), plan.looks):
        plan.tell(f"{NAME}: {look} rounds")
        for _ in range(look - before):
            for name, rate in run().items():
                values.setdefault(name, []).append(rate)
        rows = [judge(Row(f"{NAME}/{name}", unit="packets/s", better="higher", samples={"rate": rates}), GOAL, rates)
                for name, rates in values.items()]
        if all(row.decided for row in rows):
            break
    return rows
