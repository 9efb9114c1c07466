"""place/scale: what scheduling a task takes as graphs grow: products of matrices in 10 to 215 blocks a row (1,000 to 9,938,375 tasks) under
bundles, all tasks in the graph before the first one runs. That is the scheduler of bundles on the graph of the figures
(bench/figures/cellss), and not the engine: there a creator has 4,096 tasks in flight at most, which cannot be set.

`time`: ratio of the ns a task in the largest graph / in the smallest, round by round; the goal is at most 1.25. `memory`: bytes a task of
the largest graph and the scheduler; at most 1,024. The sizes between them are shown. Checked: every task was scheduled."""

from __future__ import annotations

import json
from statistics import median

from ..measure import Values, binary, execute
from ..row import SHOWN, Goal, Row, judge, pairs
from . import Plan

NAME = "place/scale"
CHECKED = "every task scheduled"
BLOCKS = (10, 22, 46, 100, 215)
TIME = Goal("ratio", at_most=1.25)
MEMORY = Goal("value", at_most=1024)


def run(blocks: int) -> dict:
    _, said = execute([binary("figures_cellss"), "matmul", "--blocks", blocks, "--block", "64", "--scheduling"])
    return json.loads(said)


def rows_of(ns: Values, memory: list[float]) -> list[Row]:
    first, *between, last = (f"{blocks ** 3:,}" for blocks in BLOCKS)
    time = Row(f"{NAME}/time", median(ns[last]), "ns a task", peer=f"{first} tasks", peer_value=median(ns[first]), peer_version="this build",
               checked=CHECKED, samples=ns)
    shown = [Row(f"{NAME}/{tasks}", median(ns[tasks]), "ns a task", verdict=SHOWN, rounds=len(ns[tasks]), checked=CHECKED) for tasks in between]
    return [judge(time, TIME, pairs(ns[last], ns[first])),
            judge(Row(f"{NAME}/memory", unit="bytes a task", checked=CHECKED, samples={"bytes": memory}), MEMORY, memory), *shown]


def measure(plan: Plan) -> list[Row]:
    ns: Values = {}
    memory: list[float] = []

    def more(before: int, look: int) -> None:
        for number in range(before, look):
            plan.tell(f"{NAME}: {number + 1} of {look} rounds")
            for blocks in BLOCKS:
                said = run(blocks)
                ns.setdefault(f"{blocks ** 3:,}", []).append(said["ns_a_task"])
            memory.append(said["bytes_a_task"])

    return plan.until_decided(more, lambda: rows_of(ns, memory))
