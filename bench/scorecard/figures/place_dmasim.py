"""place/dmasim: how many packets a second the simulator of transfers passes: streams that miss SL1, that hit it, and of eight workers in one
cluster and in two.

Value: packets a second; the goal is at least 5 million. What it counts is checked by the tests of src/model/dma."""

from __future__ import annotations

import json

from ..measure import Values, binary, execute
from ..row import Goal, Row, judge
from . import Plan

NAME = "place/dmasim"
GOAL = Goal("value", at_least=5e6)


def run(rounds: int) -> Values:
    """Gives the packets a second, by what is streamed."""
    values: Values = {}
    for _ in range(rounds):
        _, said = execute([binary("bench_model_dma"), "--benchmark_format=json", "--benchmark_min_time=0.1"])
        for one in json.loads(said)["benchmarks"]:
            values.setdefault(one["name"].removeprefix("stream/"), []).append(one["items_per_second"])
    return values


def rows_of(values: Values) -> list[Row]:
    return [judge(Row(f"{NAME}/{name}", unit="packets/s", better="higher", samples={"rate": rates}), GOAL, rates)
            for name, rates in values.items()]


def measure(plan: Plan) -> list[Row]:
    return rows_of(plan.gather(NAME, run, lambda values: all(row.decided for row in rows_of(values))))
