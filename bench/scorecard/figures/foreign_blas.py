"""foreign/blas: streams and tasks that call OpenBLAS, whose threads are set by nobody.

The job is 64 dense systems of equations, made and solved by OpenBLAS, in the streams of a phase or in tasks. Ratio: our time /
the time of the same program with OPENBLAS_NUM_THREADS=1 and Maslin keeping out of it, which is what somebody who knows sets
for this job. The note gives the time where nobody does anything. Checked: every system's solution."""

from __future__ import annotations

import json
from statistics import median

from ..measure import MeasurementError, Values, binary, execute
from ..row import Goal, Row, judge, noise, not_measured, paired_ratio, pairs
from . import Plan

NAME = "foreign/blas"
GOAL = Goal("ratio", at_most=1.0)
SIDES = {
    "maslin": {},
    "by hand": {"MASLIN_FOREIGN": "0", "OPENBLAS_NUM_THREADS": "1"},
    "left alone": {"MASLIN_FOREIGN": "0"},
}


def measure(plan: Plan) -> list[Row]:
    rows = []
    for where in ("streams", "tasks"):
        name = f"{NAME}/{where}"
        try:
            program = binary("foreign_blas")
        except MeasurementError as problem:
            rows.append(not_measured(name, str(problem), GOAL))
            continue

        def run(variables: dict[str, str]) -> float:
            _, output = execute([program, where], {"MASLIN_WORKERS": "2", **variables})
            result = json.loads(output)
            if result["checked"] is not True:
                raise MeasurementError(f"a wrong solution in {where}")
            return result["seconds"]

        sides = {side: lambda _, variables=variables: run(variables) for side, variables in SIDES.items()}
        rows += plan.rows(name, sides, "maslin", lambda times: [row_of(name, times)])
    return rows


def row_of(name: str, times: Values) -> Row:
    row = Row(name, median(times["maslin"]), "s", peer="set by hand", peer_value=median(times["by hand"]),
              peer_version="OPENBLAS_NUM_THREADS=1", again=noise(times, "maslin"), checked="every solution", samples=times)
    row.note = f"where nobody sets anything: {paired_ratio(times['left alone'], times['maslin']):.2f} × as long"
    return judge(row, GOAL, pairs(times["maslin"], times["by hand"]))
