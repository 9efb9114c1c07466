"""grain/virtual: right-sizing on described machines of 12, 48 and 128 workers, against every fixed configuration.

Ratio: the phase's time under the policy / under the best fixed configuration; the row is the worst case of its kind. The cases are
held out: no policy was developed on them. In declared costs, so each run is the same every time. Checked: every off-load ran once.
bench/grain/README.md says what the cases are; python3 bench/grain/run.py --held-out prints them all."""

from __future__ import annotations

from grain import draw
from grain.cases import HELD_OUT, virtual_cases
from grain.measurement import measure as measure_cases
from grain.rows import rows
from grain.store import Store

from ..measure import ROOT, WORK
from ..row import Row
from . import Plan

NAME = "grain/virtual"


def measure(plan: Plan) -> list[Row]:
    results = measure_cases(list(virtual_cases(HELD_OUT)), Store(WORK / "grain-virtual.json"), plan.looks, plan.tell)
    draw.write_all(results, ROOT / "out" / "grain")
    return rows(NAME, results)
