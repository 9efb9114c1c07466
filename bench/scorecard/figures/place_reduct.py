"""place/reduct: the sum of 16,384 vectors of 4,096 floats (256 MiB) as tasks, beside a loop that makes the same additions in place in the
same order, on one thread.

Ratio: time of the tasks on so many workers / of the loop, round by round; at most 1.05. The loop has one thread in both rows, so with two
workers two threads stand beside one; only the row of one worker compares like with like. Checked: both sums are the same, to the bit."""

from __future__ import annotations

import json
from statistics import median

from ..measure import Values, binary, execute
from ..row import Goal, Row, judge, pairs
from . import Plan

NAME = "place/reduct"
GOAL = Goal("ratio", at_most=1.05)
WORKERS = (1, 2)
SIZE = (16384, 4096)


def run(rounds: int, workers: int) -> Values:
    """Gives the seconds of each side, round by round."""
    _, said = execute([binary("place_reduct"), rounds, workers, *SIZE])
    return json.loads(said)["seconds"]


def row_of(name: str, values: Values) -> Row:
    row = Row(name, median(values["tasks"]), "s", peer="a loop", peer_value=median(values["loop"]), peer_version="this build",
              checked="each bit", samples=values)
    return judge(row, GOAL, pairs(values["tasks"], values["loop"]))


def measure(plan: Plan) -> list[Row]:
    rows = []
    for workers in WORKERS:
        name = f"{NAME}/{workers}-workers"
        if not plan.wants(name):
            continue
        values = plan.gather(name, lambda rounds: run(rounds, workers), lambda values: row_of(name, values).decided)
        rows.append(row_of(name, values))
    return rows
