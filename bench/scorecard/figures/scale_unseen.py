"""scale/unseen: what recordings on one worker say of two workers, next to runs on two.

Value: error in percent, of the time that `maslin replay` gives (the engine of `maslin scale`) over the measured one, round by round; a row
is about the median of all programs and policies, or the worst one. No constant of the replay was fitted to a program. Among them are four
whose loops are bound by memory. A program is recorded beside copies of itself, so that what cores share is shared. Checked: each program
its own answer. bench/figures/predict.py says what the programs are, and prints a line for each."""

from __future__ import annotations

import tempfile
from pathlib import Path
from statistics import median
from typing import Sequence

from figures import predict
from unseen.rows import MEDIAN, WORST, share

from ..measure import binary, execute
from ..row import Goal, Row, interval_of_median, pairs, size_of
from . import Plan

NAME = "scale/unseen"
WORKERS = 2
ROWS = (("median", MEDIAN, Goal("value", at_most=3)), ("worst", WORST, Goal("value", at_most=10)))


def errors(case: predict.Case) -> list[float]:
    """Gives the error of each round in percent; above 0: too much was predicted."""
    return [100 * (ratio - 1) for ratio in pairs(case.predicted, case.measured)]


def rows_of(cases: Sequence[predict.Case]) -> list[Row]:
    found = {case.name: errors(case) for case in cases}
    medians = {name: median(of_case) for name, of_case in found.items()}
    intervals = [size_of(interval_of_median(of_case)) for of_case in found.values()]
    worst = max(medians, key=lambda name: abs(medians[name]))
    made = []
    for called, of, goal in ROWS:
        row = Row(f"{NAME}/{called}", share([abs(one) for one in medians.values()], of), "%", checked="each program's own check", goal=str(goal),
                  rounds=min(map(len, found.values())), samples=found,
                  note=f"{sum(abs(one) <= goal.at_most for one in medians.values())} of {len(cases)} within {goal.at_most:g}; the worst: "
                  f"{worst} {medians[worst]:+.1f}")
        if None not in intervals:
            row.interval = share([low for low, _ in intervals], of), share([high for _, high in intervals], of)
        row.verdict = goal.verdict(row.interval)
        made.append(row)
    return made


def measure(plan: Plan) -> list[Row]:
    cases = predict.cases()
    with tempfile.TemporaryDirectory(prefix="scale-unseen-") as folder:
        machine = Path(folder) / "here.toml"
        plan.tell("this machine")
        execute([binary("maslin"), "machine", "--calibrate", machine])

        def more(before: int, look: int) -> None:
            for case in cases:
                predict.measure(case, machine, WORKERS, look - before, plan.tell)

        return plan.until_decided(more, lambda: rows_of(cases))
