"""peers/cholesky: tiled Cholesky decomposition of 2048 rows, in double precision, with OpenBLAS's kernels.

Ratio: our GFLOP/s / the best peer's, OpenBLAS's own two threads among them. Checked: the residual |A - L Lᵀ|."""

from __future__ import annotations

from ..peers import OURS, compare, measured, values, versions_of
from ..row import Goal, Row
from . import Plan

NAME = "peers/cholesky"
GOAL = Goal("ratio", at_least=1.02)
TILES = (64, 128, 256)


def measure(plan: Plan) -> list[Row]:
    tiled = measured("cholesky", plan.runs(), plan.quick, plan.tell)
    whole = measured("cholesky-openblas", plan.runs(), plan.quick, plan.tell, runtimes=(OURS,))["cholesky-openblas"]
    rows = []
    for size in TILES:
        rounds = {**tiled.get(f"cholesky-{size}", {}), **whole}
        row = compare(f"{NAME}/{size}", "GFLOP/s", values(rounds, "gflops"), GOAL, versions_of(rounds), higher=True)
        if row.value is not None:
            row.checked = "residual"
        rows.append(row)
    return rows
