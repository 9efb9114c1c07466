"""grain/real: right-sizing on this machine, against every fixed configuration, alternating.

Ratio: median of the phase's time under the policy / under the best fixed configuration, round by round; the row is the worst case of its
kind, of cases that were put aside while the policies were made. Checked: every run gives the serial elision's answer, to the last bit. bench/grain/README.md says what the cases are; python3
bench/grain/run.py prints them all."""

from __future__ import annotations

from grain import draw
from grain.cases import HELD_OUT, real_cases
from grain.measurement import measure as measure_cases
from grain.rows import rows
from grain.store import Store

from ..measure import ROOT
from ..row import Row
from . import Plan

NAME = "grain/real"


def measure(plan: Plan) -> list[Row]:
    results = measure_cases(list(real_cases(HELD_OUT)), Store(None), plan.looks, plan.tell)
    draw.write_all(results, ROOT / "out" / "grain" / "real")
    return rows(NAME, results)
