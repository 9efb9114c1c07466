"""grain/virtual: right-sizing on described machines of 8 to 256 workers, against every fixed configuration.

Ratio: the phase's time under the policy / under the best fixed configuration; the row is the worst case of its kind. In declared costs, so
each run is the same every time. Checked: every off-load ran once. bench/grain/README.md says what the cases are; python3 bench/grain/run.py
prints them all."""

from __future__ import annotations

from grain import draw
from grain.cases import virtual_cases
from grain.measurement import measure as measure_cases
from grain.rows import rows
from grain.store import Store

from ..measure import ROOT, WORK
from ..row import Row
from . import Plan

NAME = "grain/virtual"


def measure(plan: Plan) -> list[Row]:
    results = measure_cases(list(virtual_cases(plan.quick)), Store(WORK / "grain-virtual.json"), plan.quick, 1, plan.tell)
    draw.write_all(results, ROOT / "out" / "grain")
    return rows(NAME, results)
