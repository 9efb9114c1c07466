"""layout/here: what `maslin layout` says of programs on two cores of this machine, against runs of them in every layout.

`mean`: the mean error of its predictions, of all layouts of all programs. `named`: what the layout that it names takes over the best one,
in the mean of the programs, and of the worst one. Value: percent; an error is the median of those of the rounds, and an interval is put
together from theirs. The programs are six that the model was not made on, the chains of docs/layout.md, and bootstraps and
coupled chains of maslin-phylo (bench/layout/here.py, which prints a line for each). Checked: each program its own answer."""

from __future__ import annotations

import tempfile
from pathlib import Path
from statistics import mean, median
from typing import Callable, Sequence

from layout import here

from ..row import Goal, Interval, Row, interval_of_median, pairs, size_of
from . import Plan

NAME = "layout/here"
ERROR, MEAN_OVER_BEST, WORST_OVER_BEST = Goal("value", at_most=4), Goal("value", at_most=3), Goal("value", at_most=10)


def percents(over: Sequence[float], under: Sequence[float]) -> list[float]:
    """Gives how much more it is, round by round."""
    return [100 * (ratio - 1) for ratio in pairs(over, under)]


def all_of(parts: Sequence[Interval | None], put_together: Callable) -> Interval | None:
    """Gives between what and what the intervals' mean, or their largest, lies."""
    return None if None in parts else (put_together([low for low, _ in parts]), put_together([high for _, high in parts]))


def rows_of(cases: Sequence[here.Case]) -> list[Row]:
    errors = {f"{case.name} {layout}": percents(case.predicted[layout], took) for case in cases for layout, took in case.measured.items()}
    behind = {case.name: percents(case.measured[case.named], case.measured[case.best]) for case in cases}
    sizes = {layout: abs(median(of_layout)) for layout, of_layout in errors.items()}
    over_best = {case: median(behind[case.name]) for case in cases}
    worst, last = max(sizes, key=sizes.__getitem__), max(cases, key=over_best.__getitem__)
    off = [size_of(interval_of_median(of_layout)) for of_layout in errors.values()]
    late = [interval_of_median(of_case) for of_case in behind.values()]
    of_named = f"{sum(case.named == case.best for case in cases)} of {len(cases)} named the best; the worst: {last.name}, {last.named} " \
               f"instead of {last.best}"
    made = []
    for name, goal, value, interval, samples, note in (
            ("mean", ERROR, mean(sizes.values()), all_of(off, mean), errors,
             f"{len(sizes)} layouts; the worst: {worst} {median(errors[worst]):+.1f}"),
            ("named/mean", MEAN_OVER_BEST, mean(over_best.values()), all_of(late, mean), behind, of_named),
            ("named/worst", WORST_OVER_BEST, max(over_best.values()), all_of(late, max), behind, of_named)):
        made.append(Row(f"{NAME}/{name}", value, "%", checked="each program's own check", goal=str(goal), interval=interval,
                        verdict=goal.verdict(interval), rounds=min(map(len, samples.values())), samples=samples, note=note))
    return made


def measure(plan: Plan) -> list[Row]:
    with tempfile.TemporaryDirectory(prefix="layout-here-") as name:
        folder = Path(name)
        cases = here.programs(folder)
        plan.tell("this machine")
        machine = here.calibrated(folder)

        def more(before: int, look: int) -> None:
            for case in cases:
                here.measure(case, machine, folder, look - before, plan.tell)

        return plan.until_decided(more, lambda: rows_of(cases))
