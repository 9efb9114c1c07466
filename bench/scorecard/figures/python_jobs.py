"""python/*: what Python programs give to joblib, on Maslin's backend and on joblib's own.

Ratio: our time / the best of loky and threading, at their defaults and at each number of jobs × BLAS threads that fits the
machine, which is what somebody who tries them all sets. Jobs whose code is in BLAS have a second row: our time / that of
threading's default, under which each job starts as many BLAS threads as there are cores. Checked: every answer, against a
sequential run."""

from __future__ import annotations

import json
import math
import os
import subprocess
import sys
from pathlib import Path
from statistics import median
from typing import Callable

from ..measure import ROOT, MeasurementError, Values, binary, execute
from ..row import Goal, Row, judge, noise, not_measured, pairs
from . import Plan

NAME = "python"
JOBS = {"grid_svc": False, "grid_mlp": True, "forest": False, "bootstraps": True, "decompositions": True}  # BLAS inside?
BEST = Goal("ratio", at_most=1.03)
OVERSUBSCRIBED = Goal("ratio", at_most=0.7)
THREADS = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS")
PROGRAM = ROOT / "bench" / "python" / "jobs.py"
OURS, DEFAULT = "maslin", "threading"
# Other numbers of BLAS threads add up in another order. A network that is trained a bit otherwise guesses some samples
# otherwise.
TOLERANCE = {"grid_mlp": 0.02}
USUAL_TOLERANCE = 1e-6


def python() -> Path:
    """Gives the interpreter of an environment in which the package is installed."""
    build = binary("maslin").parents[1]
    installed = [sys.executable, "-B", ROOT / "python" / "tests" / "installed.py", build]
    done = subprocess.run([*installed, "install"], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise MeasurementError((done.stdout + done.stderr).strip().splitlines()[-1])
    return Path(subprocess.run([*installed, "python"], capture_output=True, text=True, check=True).stdout.strip())


def sides(cpus: int) -> dict[str, tuple[str, int, dict[str, str]]]:
    """Gives backend, jobs and variables of each side."""
    made: dict[str, tuple[str, int, dict[str, str]]] = {OURS: ("maslin", -1, {}), "loky": ("loky", -1, {}),
                                                        DEFAULT: ("threading", -1, {})}
    powers = [2**k for k in range(cpus.bit_length())]
    for backend in ("loky", "threading"):
        for jobs in sorted({*powers, cpus}):
            for threads in sorted({*powers, cpus}):
                if jobs * threads <= cpus:
                    made[f"{backend} {jobs}x{threads}"] = (backend, jobs, {name: str(threads) for name in THREADS})
    return made


def measure(plan: Plan) -> list[Row]:
    cpus = len(os.sched_getaffinity(0))
    try:
        interpreter = python()
    except MeasurementError as problem:
        return [not_measured(f"{NAME}/{job}", str(problem), BEST) for job in JOBS]
    rows: list[Row] = []
    for job, in_blas in JOBS.items():
        if not plan.wants(f"{NAME}/{job}"):
            continue
        expected = run(interpreter, job, "sequential", 1, dict.fromkeys(THREADS, "1"))["answers"]

        def runner(side: tuple[str, int, dict[str, str]], job: str = job, expected: list[float] = expected
                   ) -> Callable[[int], float]:
            return lambda _: checked(job, run(interpreter, job, *side), expected, side[0])

        rows += plan.rows(f"{NAME}/{job}", {name: runner(side) for name, side in sides(cpus).items()}, OURS,
                          lambda times, job=job, in_blas=in_blas: rows_of(job, in_blas, times))
    return rows


def run(interpreter: Path, job: str, backend: str, n_jobs: int, variables: dict[str, str]) -> dict:
    installed = {"PYTHONPATH": ""}  # not the package's source in the checkout
    _, output = execute([interpreter, "-B", PROGRAM, job, backend, str(n_jobs)], {**installed, **variables})
    return json.loads(output.splitlines()[-1])


def checked(job: str, result: dict, expected: list[float], backend: str) -> float:
    answers, most = result["answers"], TOLERANCE.get(job, USUAL_TOLERANCE)
    if len(answers) != len(expected) or not all(math.isclose(a, b, rel_tol=most, abs_tol=most)
                                                for a, b in zip(answers, expected)):
        raise MeasurementError(f"{job}: wrong answers of {backend}")
    return result["seconds"]


def rows_of(job: str, in_blas: bool, times: Values) -> list[Row]:
    peers = [name for name in times if not name.startswith(OURS)]
    best = min(peers, key=lambda name: median(times[name]))
    made = [row_of(f"{NAME}/{job}", BEST, best, times)]
    if in_blas:
        made.append(row_of(f"{NAME}/{job}/oversubscribed", OVERSUBSCRIBED, DEFAULT, times))
    return made


def row_of(name: str, goal: Goal, peer: str, times: Values) -> Row:
    row = Row(name, median(times[OURS]), "s", peer=peer, peer_value=median(times[peer]), again=noise(times, OURS),
              checked="every answer", samples=times)
    return judge(row, goal, pairs(times[OURS], times[peer]))
