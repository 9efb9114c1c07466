"""place/bundles: how many accesses to memory bundles save, on the six applications of the CellSs paper, one worker.

Ratio: accesses of bundles / in program order, counted by DMAsim; the goal is that at least as much is saved as the paper published
(figures 13 to 18), and nothing is lost where program order won there. 10 % of the graph is unrolled when the first task runs; rows
`window/...`: never more than 10 %. `N-workers`: sparselu's accesses on so many workers / in program order, and choleskyC's / on one
worker, the mean from 2,048 KB on (figure 20). `no-hints/...`, `no-co-parents/...`: accesses of bundles / of bundles without that, the mean of the sizes; shown. Each run is the same
every time. Checked: every task ran once, none
before its data, each on the version of its data that program order gives it. bench/figures/cellss/README.md says what is counted."""

from __future__ import annotations

import json

from ..measure import binary, execute
from ..row import SHOWN, Goal, Row, judge
from . import Plan

NAME = "place/bundles"
CHECKED = "every task once, none before its data, each with its version"
SIZES_KB = (512, 1024, 2048, 4096, 8192)

# The application, the KB of SL1 (all: the mean of the ratios), blocks of another size than 64, and the most that may be left.
ROWS: tuple[tuple[str, str, int | None, int | None, float], ...] = (
    ("matmul/8192", "matmul", 8192, None, 0.50),
    ("matmul/2048", "matmul", 2048, None, 1.0),
    *((f"sparselu/{kb}", "sparselu", kb, None, 0.95) for kb in SIZES_KB),
    ("choleskyC/512", "choleskyC", 512, None, 0.75),
    ("choleskyC/1024/48", "choleskyC", 1024, 48, 1.0),
    ("choleskyC/2048", "choleskyC", 2048, None, 1.0),
    ("choleskyC/4096/96", "choleskyC", 4096, 96, 1.0),
    ("choleskyR/2048", "choleskyR", 2048, None, 0.90),
    ("choleskyR/8192", "choleskyR", 8192, None, 0.70),
    ("reduct/mean", "reduct", None, None, 0.40),
    ("reduct-in-place/mean", "reduct-in-place", None, None, 0.40),
    ("fft3d/mean", "fft3d", None, None, 0.94),
)


APPLICATIONS = ("matmul", "sparselu", "choleskyC", "choleskyR", "reduct", "fft3d")
WITHOUT = ("no-hints", "no-co-parents")  # what can be switched off
# With several workers: the application, how many, and the most that may be left of program order's accesses, or of one worker's.
WORKERS: tuple[tuple[str, int, str, float], ...] = (
    *(("sparselu", workers, "program order", 0.92) for workers in (2, 4, 8)),
    *(("choleskyC", workers, "one worker", 1.0) for workers in (2, 4)),
)
WORKERS_KB = SIZES_KB[2:]
PROTOCOLS = {"": [], "window/": ["--created-a-task", "1"]}


def counted(application: str, sizes: tuple[int, ...], block: int | None, words: list[str]) -> dict[str, list[int]]:
    """Gives the accesses to memory by order, one a size."""
    sized = ["--sl1", ",".join(map(str, sizes)), *(["--block", str(block)] if block else [])]
    _, said = execute([binary("figures_cellss"), application, "--order", "program-order,bundles", *sized, *words])
    found: dict[str, list[int]] = {"program-order": [], "bundles": []}
    for run in json.loads(said):
        found[run["order"]].append(run["memory_accesses"])
    return found


def row_of(name: str, found: dict[str, list[int]], most: float) -> Row:
    ratios = [ours / naive for ours, naive in zip(found["bundles"], found["program-order"])]
    ours, naive = (sum(values) / len(values) for values in (found["bundles"], found["program-order"]))
    row = Row(name, ours, "accesses", peer="program order", peer_value=naive, peer_version="this build", checked=CHECKED,
              samples={"ratios": ratios})
    return judge(row, Goal("ratio", at_most=most), [sum(ratios) / len(ratios)], exact=True)


def several(application: str, workers: int, peer: str, most: float) -> Row:
    """Gives the row about bundles on so many workers."""
    one = counted(application, WORKERS_KB, None, [])
    theirs = one["program-order" if peer == "program order" else "bundles"]
    ours = counted(application, WORKERS_KB, None, ["--workers", str(workers)])["bundles"]
    ratios = [mine / other for mine, other in zip(ours, theirs)]
    row = Row(f"{NAME}/{application}/{workers}-workers", sum(ours) / len(ours), "accesses", peer=peer, peer_value=sum(theirs) / len(theirs),
              peer_version="this build", checked=CHECKED, samples={"ratios": ratios})
    return judge(row, Goal("ratio", at_most=most), [sum(ratios) / len(ratios)], exact=True)


def without(part: str, application: str, all_of_it: list[int]) -> Row:
    """Gives the row about what that part of the policy does. `all_of_it`: what bundles count with it."""
    less = counted(application, SIZES_KB, None, [f"--{part}"])["bundles"]
    ratios = [ours / other for ours, other in zip(all_of_it, less)]
    return Row(f"{NAME}/{part}/{application}", sum(all_of_it) / len(all_of_it), "accesses", peer=part, peer_value=sum(less) / len(less),
               peer_version="this build", ratio=sum(ratios) / len(ratios), verdict=SHOWN, rounds=1, checked=CHECKED, samples={"ratios": ratios})


def measure(plan: Plan) -> list[Row]:
    rows = []
    for protocol, words in PROTOCOLS.items():
        for name, application, kb, block, most in ROWS:
            plan.tell(f"{NAME}/{protocol}{name}")
            found = counted(application, (kb,) if kb else SIZES_KB, block, words)
            rows.append(row_of(f"{NAME}/{protocol}{name}", found, most))
    for application, workers, peer, most in WORKERS:
        plan.tell(f"{NAME}/{application}/{workers}-workers")
        rows.append(several(application, workers, peer, most))
    for application in APPLICATIONS:
        all_of_it = counted(application, SIZES_KB, None, [])["bundles"]
        for part in WITHOUT:
            plan.tell(f"{NAME}/{part}/{application}")
            rows.append(without(part, application, all_of_it))
    return rows
