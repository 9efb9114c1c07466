"""peers/busy: what each figure loses when one other process is busy on the two CPUs.

Value: mean time of a call beside the busy process / without it, measured right before; the median would not see the calls
that were interrupted. Ratio: our loss / the smallest loss of a peer (less than 1: we lose less than any). METG has no length
there at which two workers win, so the stencil's time with tasks of 10 µs stands for it. Peers' loops run under their default
schedules. Checked: as in the figures themselves."""

from __future__ import annotations

from ..measure import Values, by_what
from ..peers import MASLIN, OURS, Side, busy_process, compare, present, run
from ..row import Goal, Row
from . import Plan

NAME = "peers/busy"
GOAL = Goal("ratio", at_most=1.0)
FIGURES = ("tasks-empty", "tasks-deferred", "tasks-work", "tasks-fib", "chain", "wavefront", "chain-replayed",
           "wavefront-replayed", "fork-join", "fork-join-after-gap", "triangle-light-first", "triangle-heavy-first", "cholesky",
           "stencil", "stencil-replayed", "stencil-loops")


def losses(quiet: list[dict], busy: list[dict]) -> dict[str, float]:
    """Gives busy/quiet by figure, for the default schedule of each."""

    def seconds(results: list[dict]) -> dict[str, float]:
        return {result["figure"]: result["mean_seconds"] for result in results if result.get("schedule", "default") == "default"}

    before, beside = seconds(quiet), seconds(busy)
    return {figure: beside[figure] / before[figure] for figure in before}


def measure(plan: Plan) -> list[Row]:
    return [row for figure in FIGURES for row in measured_beside(plan, figure)]


def measured_beside(plan: Plan, figure: str) -> list[Row]:
    versions: dict[str, str] = {}

    def one(side: Side) -> dict[str, float]:
        quiet = run(side, [figure])
        with busy_process():
            busy = run(side, [figure])
        versions.update({side.name: result["version"] for result in quiet})
        return losses(quiet, busy)

    def rows(lost: dict[str, Values]) -> list[Row]:
        made = []
        for name, samples in (lost or {figure: {}}).items():
            made.append(compare(f"{NAME}/{name}", "× quiet", samples, GOAL, versions))
            made[-1].checked = "every run's answer" if made[-1].value is not None else ""
        return made

    sides = {side.name: lambda _, side=side: one(side) for side in (MASLIN, *present()) if side.measures(figure)}
    return plan.rows(figure, sides, OURS, lambda runs: rows(by_what(runs)))
