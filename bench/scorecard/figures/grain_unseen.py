"""grain/unseen: right-sizing on programs of five families, here and on described machines of 8 to 256 workers.

Ratio: median of the phase's time under `auto` / under the best fixed configuration, round by round; a row is about the median of all
programs, the 95th of a hundred or the worst one. Cold: `auto` knows nothing. Warm: the second and the third run with what the runs before
learned. openmp: cold / the same program by OpenMP under the best of its settings. Twenty programs run on which `auto` was tuned; with
--aside the other twenty, which judge. Checked: each run's answer is the serial one, to the last bit, and each program's own check.
out/grain/unseen-tuned-on.txt (or -aside) has a line a program. bench/unseen/README.md says what the programs are."""

from __future__ import annotations

from grain import draw
from grain.cases import REAL
from grain.measurement import measure as measure_cases
from grain.store import Store
from unseen.cases import MACHINES, Unseen, cases
from unseen.programs import PUT_ASIDE, TUNED_ON
from unseen.rows import MEASURED, decided, rows, table

from ..measure import ROOT, WORK
from ..row import Row
from . import Plan

NAME = "grain/unseen"
SOURCES = ROOT / "bench" / "unseen"


def measure(plan: Plan) -> list[Row]:
    kind = "aside" if plan.aside else "tuned-on"
    names = PUT_ASIDE if plan.aside else TUNED_ON
    results = []
    for machines, kept in ((MACHINES, WORK / "grain-unseen.json"), ((REAL,), None)):
        store = Store(kept, SOURCES, Unseen.executable)
        results += measure_cases(list(cases(names, machines)), store, plan.looks, plan.tell, MEASURED, decided)
    draw.write(ROOT / "out" / "grain", f"unseen-{kind}.txt", table(results))
    return rows(f"{NAME}/{kind}", results)
