"""place/auto: what MASLIN_PLACE=auto takes once it has decided, on the six applications of the CellSs paper, two workers.

Ratio: time under auto / under the better of dbs and locality, round by round; it must never be more than 1.01. Before the rounds the
program runs under auto until that has decided. The note says what it chose, and after how many runs; where a run is too short to be
measured it never decides. Checked: each answer is the serial elision's, to the bit."""

from __future__ import annotations

import json
from statistics import median
from tempfile import TemporaryDirectory

from ..measure import Values, binary, execute
from ..row import Goal, Row, judge, pairs
from . import Plan
from .place_locality import CHECKED, WORKERS, cases

NAME = "place/auto"
NEVER_WORSE = Goal("ratio", at_most=1.01)
OURS, PEERS = "auto", ("dbs", "locality")


def run(case: list[str], rounds: int, folder: str) -> dict:
    """Gives what the program said. `folder` keeps what auto has learned from call to call."""
    program, *sizes = case
    _, said = execute([binary("place_programs"), "auto", program, rounds, WORKERS, *sizes], {"MASLIN_LEARNED": f"{folder}/learned"})
    return json.loads(said)


def row_of(name: str, values: Values, note: str = "") -> Row:
    peer = min(PEERS, key=lambda side: median(values[side]))
    row = Row(name, median(values[OURS]), "s", peer=peer, peer_value=median(values[peer]), peer_version="this build", checked=CHECKED,
              samples=values, note=note)
    return judge(row, NEVER_WORSE, pairs(values[OURS], values[peer]))


def measured(plan: Plan, name: str, words: list[str]) -> Row:
    said: list[dict] = []
    with TemporaryDirectory() as folder:

        def more(rounds: int) -> Values:
            said.append(run(words, rounds, folder))
            return said[-1]["seconds"]

        values = plan.gather(name, more, lambda values: row_of(name, values).decided)
    first = said[0]
    return row_of(name, values, f"{first['decided']} after {first['runs']} runs" if "decided" in first else "not decided")


def measure(plan: Plan) -> list[Row]:
    rows = []
    for case, words in cases():
        name = f"{NAME}/{case}"
        if not plan.wants(name):
            continue
        rows.append(measured(plan, name, words))
    return rows
