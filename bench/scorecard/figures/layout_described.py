"""layout: what `maslin layout` says of layouts, against runs of them on described machines.

`model`: error of its predictions in the 48 cases that were put aside before the model was written, two programs on 1 to 8 described
PlayStations in every layout of a console; all predictions' mean, and the worst one. `named`: what the layout that it names takes over the
best of all that were run, on these consoles (the worst case) and on 8 to 256 described cores (24 cases: their mean, and the worst). Value:
percent. Costs are declared, so each run is the same every time. What the model knows nothing of is not in these rows: costs that vary, and
caches. bench/layout/README.md says what the cases are."""

from __future__ import annotations

import tempfile
from pathlib import Path
from statistics import mean
from typing import Sequence

from layout import cores, judge

from ..row import Goal, Row, judge as judged
from . import Plan

NAME = "layout"
MODEL, CONSOLES, CORES = f"{NAME}/model", f"{NAME}/named/consoles", f"{NAME}/named/cores"
MEAN_ERROR, WORST_ERROR = Goal("value", at_most=5), Goal("value", at_most=15)
WITHIN_IN_ALL = Goal("value", at_most=3)
MEAN_OVER_BEST, WORST_OVER_BEST = Goal("value", at_most=3), Goal("value", at_most=10)


def row_of(name: str, goal: Goal, value: float, samples: dict[str, list[float]], note: str) -> Row:
    return judged(Row(name, unit="%", samples=samples, note=note), goal, [value], exact=True)


def consoles(cases: Sequence[dict]) -> list[Row]:
    """Gives the rows about the cases of bench/layout/judge.py."""
    errors = {name_of(case): [100 * abs(row["error"]) for row in case["rows"]] for case in cases}
    every = [error for of_case in errors.values() for error in of_case]
    over = {name_of(case): [100 * case["over_best"]] for case in cases}
    worst = max(cases, key=lambda case: max(abs(row["error"]) for row in case["rows"]))
    where = max(worst["rows"], key=lambda row: abs(row["error"]))
    behind = max(cases, key=lambda case: case["over_best"])
    return [row_of(f"{MODEL}/mean", MEAN_ERROR, mean(every), errors, f"{len(every)} predictions in {len(cases)} cases"),
            row_of(f"{MODEL}/worst", WORST_ERROR, max(every), errors, f"{name_of(worst)} in {where['layout']}: {100 * where['error']:+.1f} %"),
            row_of(CONSOLES, WITHIN_IN_ALL, max(over.values())[0], over,
                   f"the worst: {name_of(behind)}, {behind['named']} instead of {behind['best']}")]


def name_of(case: dict) -> str:
    return f"{case['program']} {case['size']} on {case['nodes']}"


def on_cores(cases: Sequence[dict]) -> list[Row]:
    """Gives the rows about the cases of bench/layout/cores.py."""
    over = [100 * case["over_best"] for case in cases]
    samples = {"over best": over}
    behind = max(cases, key=lambda case: case["over_best"])
    return [row_of(f"{CORES}/mean", MEAN_OVER_BEST, mean(over), samples, f"{len(cases)} cases"),
            row_of(f"{CORES}/worst", WORST_OVER_BEST, max(over), samples,
                   f"{behind['streams']} streams on {behind['cores']} cores, {behind['named']} instead of {behind['best']}")]


def measure(plan: Plan) -> list[Row]:
    made = []
    if any(plan.wants(name) for name in (MODEL, CONSOLES)):
        made += consoles(judge.judge_all(judge.cases.JUDGED, plan.tell))
    if plan.wants(CORES):
        done = []
        with tempfile.TemporaryDirectory(prefix="maslin_layout_") as folder:
            for number, one in enumerate(cores.FIRST + cores.ASIDE):
                plan.tell(f"{CORES}: {number} of {len(cores.FIRST + cores.ASIDE)}")
                done.append(cores.case(*one, Path(folder)))
        made += on_cores(done)
    return made
