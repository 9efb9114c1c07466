"""Figures 13 to 18 and 20 of the paper on CellSs: what its applications transfer, in program order and in bundles."""

from __future__ import annotations

import json
from functools import cache
from typing import Iterator

import simulation
from scorecard.measure import binary, execute
from table import Cell, Figure

ORDERS = {  # by the bar in the picture
    "naive": ["--order", "program-order"],
    "chains": ["--order", "chains"],
    "no-hints": ["--order", "bundles", "--no-hints"],
    "no-co-par": ["--order", "bundles", "--no-co-parents"],
    "in-10-%": ["--order", "bundles", "--created-a-task", "1"],
    "bundles": ["--order", "bundles"],
}
WORKERS = {f"{workers}-worker": ["--order", "bundles", "--workers", str(workers)] for workers in (1, 2, 4, 8)}
SL1_KB = (512, 1024, 2048, 4096, 8192)
SMALLER = 16  # so much less SL1 in a quick run, for problems that are as much smaller


@cache
def runs(application: str, order: str) -> dict[int, dict]:
    """Gives what a run counted, by the KB of SL1."""
    sizes = [kb // SMALLER for kb in SL1_KB] if simulation.QUICK else SL1_KB
    words = [application, "--sl1", ",".join(map(str, sizes)), *{**ORDERS, **WORKERS}[order]]
    words += ["--small", "--software-cache", "32"] if simulation.QUICK else []
    _, said = execute([binary("figures_cellss"), *words])
    return dict(zip(SL1_KB, json.loads(said)))


def accesses(application: str, order: str, kb: int) -> int:
    return runs(application, order)[kb]["memory_accesses"]


def saved(application: str, kb: int, order: str = "bundles") -> float:
    """Gives by how much bundles need memory less often than program order, in percent."""
    return 100 * (1 - accesses(application, order, kb) / accesses(application, "naive", kb))


def more_hits(application: str) -> float:
    """Gives by how much bundles find more in the software cache, in percent, with the largest SL1."""
    ratio = {order: runs(application, order)[SL1_KB[-1]] for order in ("naive", "bundles")}
    hits = {order: run["software_hits"] / run["fetches"] for order, run in ratio.items()}
    return 100 * (hits["bundles"] / hits["naive"] - 1)


def average(application: str) -> float:
    return sum(saved(application, kb) for kb in SL1_KB) / len(SL1_KB)


def figure(name: str, application: str, published: dict[int, tuple[float, str]]) -> Iterator[Cell]:
    """Gives the accesses under each policy, and what bundles save. `published`: the percents, and the bound where there is no more."""
    for kb in SL1_KB:
        for order in ORDERS:
            yield Cell(name, f"{kb} KB", f"{application} {order}", accesses(application, order, kb) / 1e6, "million packets")
    for kb in SL1_KB:
        number, bound = published.get(kb, (None, ""))
        yield Cell(name, f"{kb} KB", "saved", saved(application, kb), "%", number, bound=bound)
    for kb in SL1_KB:
        yield Cell(name, f"{kb} KB", "saved in 10 %", saved(application, kb, "in-10-%"), "%")


def figure13(name: str) -> Iterator[Cell]:
    yield from figure(name, "matmul", {512: (0.0, ">"), 1024: (0.0, ">"), 4096: (0.0, ">"), 8192: (50.0, ">")})


def figure14(name: str) -> Iterator[Cell]:
    yield from figure(name, "sparselu", {})
    all_sizes = [saved("sparselu", kb) for kb in SL1_KB]
    yield Cell(name, "all", "least saved", min(all_sizes), "%", 5.0)
    yield Cell(name, "all", "most saved", max(all_sizes), "%", 15.0)


def figure15(name: str) -> Iterator[Cell]:
    yield from figure(name, "choleskyC", {512: (25.0, "")})
    yield Cell(name, "all", "more software hits", more_hits("choleskyC"), "%", 16.0)


def figure16(name: str) -> Iterator[Cell]:
    yield from figure(name, "choleskyR", {2048: (10.0, ""), 8192: (30.0, "")})
    yield Cell(name, "all", "more software hits", more_hits("choleskyR"), "%", 15.0)


def figure17(name: str) -> Iterator[Cell]:
    yield from figure(name, "reduct", {})
    yield Cell(name, "all", "saved on average", average("reduct"), "%", 60.0)
    yield Cell(name, "all", "in place: on average", average("reduct-in-place"), "%")


def figure18(name: str) -> Iterator[Cell]:
    yield from figure(name, "fft3d", {})
    all_sizes = [saved("fft3d", kb) for kb in SL1_KB]
    yield Cell(name, "all", "least saved", min(all_sizes), "%", 6.0)
    yield Cell(name, "all", "most saved", max(all_sizes), "%", 7.0)


def figure20(name: str) -> Iterator[Cell]:
    for application in ("choleskyC", "sparselu"):
        for kb in SL1_KB:
            for order in ("naive", *WORKERS):  # program order on several workers accesses the same as on one
                yield Cell(name, f"{kb} KB", f"{application} {order}", accesses(application, order, kb) / 1e6, "million packets")
    for application, published in (("choleskyC", None), ("sparselu", 8.0)):
        for order in list(WORKERS)[1:]:
            mean = sum(saved(application, kb, order) for kb in SL1_KB[2:]) / 3
            yield Cell(name, order, f"{application} saved, 2048 to 8192 KB", mean, "%", published)


PAPER = "the paper on CellSs"
NOTE = "accesses to memory in million packets of 128 bytes, one worker, by the size of SL1; naive: program order"
REMARK = ("One set of parameters for all six. 10 % of the graph is unrolled when the first task runs; then the program creates four tasks while "
          "one runs. in-10-%: one, so that never more than 10 % is there. bench/figures/cellss/README.md says what the paper leaves open.")
FIGURES = {f"cellss{number}": Figure(make, PAPER, NOTE, "cellss", tuple(ORDERS), REMARK) for number, make in
           ((13, figure13), (14, figure14), (15, figure15), (16, figure16), (17, figure17), (18, figure18))}
FIGURES["cellss20"] = Figure(figure20, PAPER, "accesses to memory in million packets of 128 bytes, bundles on 1 to 8 workers behind one SL1; naive: "
                             "program order", "cellss", ("naive", *WORKERS), "Workers take turns: each runs one task of its bundle, then all do.")
