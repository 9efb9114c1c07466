"""peers/busy: what each figure loses when one other process is busy on the two CPUs.

Value: mean time of a call beside the busy process / without it, measured right before; the median would not see the calls
that were interrupted. Ratio: our loss / the smallest loss of a peer (less than 1: we lose less than any). METG has no length
there at which two workers win, so the stencil's time with tasks of 10 µs stands for it. Peers' loops run under their default
schedules. Checked: as in the figures themselves."""

from __future__ import annotations

from ..measure import alternate
from ..peers import OURS, busy_process, compare, present, run
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
    rows = []
    for figure in FIGURES:
        lost: dict[str, dict[str, list[float]]] = {}
        versions: dict[str, str] = {}

        def one(runtime: str) -> float:
            quiet = run(runtime, figure, plan.quick)
            with busy_process():
                busy = run(runtime, figure, plan.quick)
            for name, loss in losses(quiet, busy).items():
                lost.setdefault(name, {}).setdefault(quiet[0]["runtime"], []).append(loss)
                versions[quiet[0]["runtime"]] = quiet[0]["version"]
            return 0.0

        sides = {runtime: lambda _, runtime=runtime: one(runtime) for runtime in (OURS, *present())}
        alternate(sides, plan.runs(quick=1), lambda at: plan.tell(f"{figure}: {at}"))
        for name, samples in (lost or {figure: {}}).items():
            row = compare(f"{NAME}/{name}", "× quiet", samples, GOAL, versions)
            row.checked = "every run's answer" if row.value is not None else ""
            rows.append(row)
    return rows
