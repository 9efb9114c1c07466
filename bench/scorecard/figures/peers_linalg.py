"""peers/linalg: the six applications of the CellSs paper as graphs of tasks, found fresh each time: matrices in blocks of 64 x 64 floats
with OpenBLAS's kernels, the sum of 2,048 vectors of 4,096 floats, a 3-D FFT of 128³ complex numbers in pencils. oneTBB does not find
dependences: its flow graph is given the edges. StarPU runs with its own policy, with `ws` and with `dmda`.

Ratio: our time / the best peer's. `ahead`: of how many of the six, in each round, ours was the shortest. Checked: each run leaves the
bits that its tasks leave one after the other, and these are right by the definition."""

from __future__ import annotations

from typing import Mapping, Sequence

from ..measure import AGAIN
from ..peers import OURS, Rounds, compare, measured, missing, remarks, values, versions_of
from ..row import Goal, Row, judge, not_measured
from . import Plan

NAME = "peers/linalg"
APPLICATIONS = ("matmul", "sparselu", "choleskyC", "choleskyR", "reduct", "fft3d")
GOAL = Goal("ratio", at_most=1.0)
AHEAD = Goal("value", at_least=5)
CHECKED = "each bit, and the definition"


def measure(plan: Plan) -> list[Row]:
    return measured(plan, ["linalg"], rows)


def times(found: dict[str, Rounds], application: str) -> dict[str, list[float]]:
    return values(found.get(f"linalg-{application}", {}), "seconds")


def is_first(samples: Mapping[str, Sequence[float]], number: int) -> bool:
    """Was ours the shortest in that round?"""
    return all(samples[OURS][number] < taken[number] for side, taken in samples.items() if side not in (OURS, OURS + AGAIN))


def rows(found: dict[str, Rounds]) -> list[Row]:
    made, absent = [], missing()
    for application in APPLICATIONS:
        row = compare(f"{NAME}/{application}", "s", times(found, application), GOAL, versions_of(found.get(f"linalg-{application}", {})))
        if row.value is not None:
            row.checked = CHECKED
            remarks(row, f"not installed: {', '.join(absent)}" if absent else "")
        made.append(row)
    samples = [times(found, application) for application in APPLICATIONS]
    if any(row.peer is None for row in made):
        return [*made, not_measured(f"{NAME}/ahead", "not all six were measured beside a peer", AHEAD)]
    ahead = Row(f"{NAME}/ahead", unit="of six", better="higher", checked=CHECKED)
    rounds = min(len(taken) for sides in samples for taken in sides.values())
    return [*made, judge(ahead, AHEAD, [float(sum(is_first(sides, k) for sides in samples)) for k in range(rounds)])]
