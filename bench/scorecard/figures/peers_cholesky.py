"""peers/cholesky: tiled Cholesky decomposition of 2048 rows, in double precision, with OpenBLAS's kernels.

Ratio: our GFLOP/s / the best peer's, OpenBLAS's own two threads among them. Checked: the residual |A - L Lᵀ|."""

from __future__ import annotations

from ..peers import OURS, Rounds, Side, compare, measured, values, versions_of
from ..row import Goal, Row
from . import Plan

NAME = "peers/cholesky"
GOAL = Goal("ratio", at_least=1.02)
TILES = (64, 128, 256)


def measure(plan: Plan) -> list[Row]:
    return measured(plan, ["cholesky"], rows, more=[Side(OURS, instead="cholesky-openblas")])


def rows(found: dict[str, Rounds]) -> list[Row]:
    made = []
    for size in TILES:
        rounds = {**found.get(f"cholesky-{size}", {}), **found.get("cholesky-openblas", {})}
        made.append(compare(f"{NAME}/{size}", "GFLOP/s", values(rounds, "gflops"), GOAL, versions_of(rounds), higher=True))
        if made[-1].value is not None:
            made[-1].checked = "residual"
    return made
