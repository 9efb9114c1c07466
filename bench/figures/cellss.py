"""Figures 12 to 21 of the paper on CellSs: how long its applications take with each technique of the workers, and what they
transfer, in program order and in bundles."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Callable, Iterator

import simulation
from scorecard.measure import ROOT, binary, execute
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
NO_CACHE = {f"{order}-no-cache": [*ORDERS[order], "--software-cache", "0"] for order in ("naive", "bundles")}
BLOCKS = (48, 64, 96)
HIT_BLOCKS = (16, 32, 64)
HITS = ("naive", "bundles")
TECHNIQUES = ("mso", "ec", "cache", "db")
FIGURE_12 = ("none", "+mso", "+ec", "+cache", "+db")
SPEC = Path(ROOT) / "specs" / "cell-qs20.toml"
ENGINE = (  # the same techniques where Maslin's engine runs the tasks; it tells each task's end at once
    {"MASLIN_STORE_KEEP": "none", "MASLIN_STORE_WRITE": "through", "MASLIN_STORE_AHEAD": "0"},
    {"MASLIN_STORE_KEEP": "out", "MASLIN_STORE_WRITE": "back", "MASLIN_STORE_AHEAD": "0"},
    {"MASLIN_STORE_KEEP": "out", "MASLIN_STORE_WRITE": "back", "MASLIN_STORE_AHEAD": "0"},
    {"MASLIN_STORE_KEEP": "all", "MASLIN_STORE_WRITE": "back", "MASLIN_STORE_AHEAD": "0"},
    {"MASLIN_STORE_KEEP": "all", "MASLIN_STORE_WRITE": "back", "MASLIN_STORE_AHEAD": "1"},
)
GFLOPS = {"matmul": 25.6, "choleskyC": 16.0}  # of a kernel; bench/figures/cellss/README.md says where they come from
FIGURE_19 = ("naive", "naive-no-cache", "bundles", "bundles-no-cache")
FIGURE_21 = ("naive", "bundles")
SL1_KB = (512, 1024, 2048, 4096, 8192)
SMALLER = 16  # so much less SL1 in a quick run, for problems that are as much smaller


@cache
def runs(application: str, order: str, block: int = 0) -> dict[int, dict]:
    """Gives what a run counted, by the KB of SL1. `block`: elements of a row of a matrix's block; 0: as many as the paper's."""
    sizes = [kb // SMALLER for kb in SL1_KB] if simulation.QUICK else SL1_KB
    words = [application, "--sl1", ",".join(map(str, sizes)), *{**ORDERS, **WORKERS, **NO_CACHE}[order]]
    if simulation.QUICK:
        words += ["--small", *(() if order in NO_CACHE else ("--software-cache", "32"))]
    if block:
        words += ["--block", str(block // 2 if simulation.QUICK else block)]  # a small problem's are half as long
    _, said = execute([binary("figures_cellss"), *words])
    return dict(zip(SL1_KB, json.loads(said)))


def accesses(application: str, order: str, kb: int, block: int = 0) -> int:
    return runs(application, order, block)[kb]["memory_accesses"]


def saved(application: str, kb: int, order: str = "bundles", block: int = 0) -> float:
    """Gives by how much bundles need memory less often than program order, in percent."""
    return 100 * (1 - accesses(application, order, kb, block) / accesses(application, "naive", kb, block))


def sl1_hits(application: str, kb: int, block: int) -> float:
    """Gives the share of the packets under bundles that SL1 had."""
    run = runs(application, "bundles", block)[kb]
    return run["sl1_hits"] / run["packets"]


def software_hits(application: str, order: str, block: int) -> float:
    """Gives the share of the fetches that the software cache had, with the largest SL1."""
    run = runs(application, order, block)[SL1_KB[-1]]
    return run["software_hits"] / run["fetches"]


def more_hits(application: str, block: int) -> float:
    """Gives by how much bundles find more in the software cache, in percent."""
    return 100 * (software_hits(application, "bundles", block) / software_hits(application, "naive", block) - 1)


def hits(name: str, row: str, application: str, block: int = 0) -> Iterator[Cell]:
    for order in HITS:
        yield Cell(name, row, f"{application}: software hits {order}", 100 * software_hits(application, order, block), "%")


def panel_b(name: str, application: str, published: dict[int, tuple[float, str]]) -> Iterator[Cell]:
    """Gives what the software cache has, by the size of a block."""
    rows = {block: f"{block} x {block}" for block in HIT_BLOCKS}
    for block, row in rows.items():
        yield from hits(name, row, application, block)
    for block, row in rows.items():
        number, bound = published.get(block, (None, ""))
        yield Cell(name, row, "more software hits", more_hits(application, block), "%", number, bound=bound)


def panel_b_without_blocks(name: str, application: str) -> Iterator[Cell]:
    """The same where there is one size only, and program order may find nothing."""
    yield from hits(name, "all", application)
    gained = software_hits(application, "bundles", 0) - software_hits(application, "naive", 0)
    yield Cell(name, "all", "software hits gained", 100 * gained, "points", 0.0, bound=">")


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


@cache
def time_line(application: str, blocks: int, workers: int, techniques: int) -> dict:
    """Gives how long a run takes with the first so many of the techniques."""
    words = [application, "--blocks", str(blocks), "--block", "64", "--workers", str(workers), "--time", str(GFLOPS[application])]
    words += ["--with", ",".join(TECHNIQUES[:techniques])] if techniques else []
    _, said = execute([binary("figures_cellss"), *words])
    return json.loads(said)


@cache
def engine_line(application: str, blocks: int, workers: int, techniques: int) -> dict:
    """Gives how long a run takes where Maslin's engine runs the tasks on the described blade."""
    words = [application, "--blocks", str(blocks), "--block", "64", "--time", str(GFLOPS[application]), "--engine"]
    return simulation.run(SPEC, "figures_cellss", words, {"MASLIN_WORKERS": str(workers), "MASLIN_QUIET": "1", **ENGINE[techniques]})


def figure12_by(name: str, by: str, line: Callable[[str, int, int, int], dict], blocks: int) -> Iterator[Cell]:
    """Gives times, speed-ups and what each technique gains. `by`: behind the application's name."""
    ms = {(application, workers, techniques): line(application, blocks, workers, techniques)["ns"] * 1e-6
          for application in GFLOPS for workers in range(1, 9) for techniques in range(len(FIGURE_12))}
    every = len(TECHNIQUES)
    for application in GFLOPS:
        for workers in range(1, 9):
            for techniques, bar in enumerate(FIGURE_12):
                yield Cell(name, str(workers), f"{application}{by} {bar}", ms[application, workers, techniques], "ms")
    for application, published in (("matmul", {4: 4.0, 8: 7.2}), ("choleskyC", {8: 7.8})):
        for workers in range(2, 9):
            speed_up = ms[application, 1, every] / ms[application, workers, every]
            yield Cell(name, str(workers), f"{application}{by}: speed-up", speed_up, "times", published.get(workers))
    for application in GFLOPS:
        for techniques, bar in enumerate(FIGURE_12[1:], 1):
            if by and bar == "+ec":  # it cannot be switched off there
                continue
            step = ms[application, 8, techniques - 1] / ms[application, 8, techniques]
            nothing = (application, bar) == ("matmul", "+ec")
            yield Cell(name, "8", f"{application}{by}: {bar} gains", step, "times", 1.0, bound="" if nothing else ">")


def figure12(name: str) -> Iterator[Cell]:
    blocks = 16 if simulation.QUICK else 32  # of 64 x 64: 2,048 x 2,048 elements
    yield from figure12_by(name, "", time_line, blocks)
    yield from figure12_by(name, " by the engine", engine_line, blocks)
    run = time_line("choleskyC", 2 * blocks, 8, len(TECHNIQUES))
    operations = (128 * blocks) ** 3 / 3
    yield Cell(name, "8", "choleskyC, 4,096: rate", operations / run["ns"], "GFLOPS", 125.0, fitted=True)


def figure13(name: str) -> Iterator[Cell]:
    yield from figure(name, "matmul", {512: (0.0, ">"), 1024: (0.0, ">"), 4096: (0.0, ">"), 8192: (50.0, ">")})
    yield from panel_b(name, "matmul", {16: (0.0, ">"), 32: (0.0, ">"), 64: (0.0, "<")})


def figure14(name: str) -> Iterator[Cell]:
    yield from figure(name, "sparselu", {})
    all_sizes = [saved("sparselu", kb) for kb in SL1_KB]
    yield Cell(name, "all", "least saved", min(all_sizes), "%", 5.0)
    yield Cell(name, "all", "most saved", max(all_sizes), "%", 15.0)
    yield from panel_b(name, "sparselu", {block: (0.0, ">") for block in HIT_BLOCKS})


def figure15(name: str) -> Iterator[Cell]:
    yield from figure(name, "choleskyC", {512: (25.0, "")})
    yield from panel_b(name, "choleskyC", {64: (16.0, "")})
    yield Cell(name, "smaller", "most more software hits", max(more_hits("choleskyC", block) for block in HIT_BLOCKS[:-1]), "%", 55.0)


def figure16(name: str) -> Iterator[Cell]:
    yield from figure(name, "choleskyR", {2048: (10.0, ""), 8192: (30.0, "")})
    yield from panel_b(name, "choleskyR", {64: (15.0, "")})


def figure17(name: str) -> Iterator[Cell]:
    yield from figure(name, "reduct", {})
    yield Cell(name, "all", "saved on average", average("reduct"), "%", 60.0)
    yield Cell(name, "all", "in place: on average", average("reduct-in-place"), "%")
    yield from panel_b_without_blocks(name, "reduct")


def figure18(name: str) -> Iterator[Cell]:
    yield from figure(name, "fft3d", {})
    all_sizes = [saved("fft3d", kb) for kb in SL1_KB]
    yield Cell(name, "all", "least saved", min(all_sizes), "%", 6.0)
    yield Cell(name, "all", "most saved", max(all_sizes), "%", 7.0)
    yield from panel_b_without_blocks(name, "fft3d")


def figure19(name: str) -> Iterator[Cell]:
    for kb in SL1_KB:
        for order in FIGURE_19:
            yield Cell(name, f"{kb} KB", f"choleskyC {order}", accesses("choleskyC", order, kb) / 1e6, "million packets")
    for order in ("naive", "bundles"):
        for kb in SL1_KB:
            ratio = accesses("choleskyC", f"{order}-no-cache", kb) / accesses("choleskyC", order, kb)
            yield Cell(name, f"{kb} KB", f"{order}: without/with", ratio, "ratio", 1.0)


def figure20(name: str) -> Iterator[Cell]:
    for application in ("choleskyC", "sparselu"):
        for kb in SL1_KB:
            for order in ("naive", *WORKERS):  # program order on several workers accesses the same as on one
                yield Cell(name, f"{kb} KB", f"{application} {order}", accesses(application, order, kb) / 1e6, "million packets")
    for application, published in (("choleskyC", None), ("sparselu", 8.0)):
        for order in list(WORKERS)[1:]:
            mean = sum(saved(application, kb, order) for kb in SL1_KB[2:]) / 3
            yield Cell(name, order, f"{application} saved, 2048 to 8192 KB", mean, "%", published)


def figure21(name: str) -> Iterator[Cell]:
    applications = ("choleskyC", "choleskyR")
    for application in applications:
        for block in BLOCKS:
            for kb in SL1_KB:
                for order in FIGURE_21:
                    title = f"{application}, blocks of {block} {order}"
                    yield Cell(name, f"{kb} KB", title, accesses(application, order, kb, block) / 1e6, "million packets")
    for application in applications:
        for block in BLOCKS:
            for kb in SL1_KB:
                yield Cell(name, f"{kb} KB", f"{application}-{block} saved", saved(application, kb, block=block), "%")
    for application in applications:
        for larger, smaller in zip(BLOCKS[1:], BLOCKS):
            ratio = sl1_hits(application, SL1_KB[-1], larger) / sl1_hits(application, SL1_KB[-1], smaller)
            yield Cell(name, f"{SL1_KB[-1]} KB", f"{application} hits, {larger}/{smaller}", ratio, "ratio", 1.0, bound=">")


PAPER = "the paper on CellSs"
NOTE = "accesses to memory in million packets of 128 bytes, one worker, by the size of SL1; naive: program order"
REMARK = ("One set of parameters for all six. 10 % of the graph is unrolled when the first task runs; then the program creates four tasks while "
          "one runs. in-10-%: one, so that never more than 10 % is there. bench/figures/cellss/README.md says what the paper leaves open.")
FIGURES = {f"cellss{number}": Figure(make, PAPER, NOTE, "cellss", tuple(ORDERS), REMARK) for number, make in
           ((13, figure13), (14, figure14), (15, figure15), (16, figure16), (17, figure17), (18, figure18))}
FIGURES["cellss20"] = Figure(figure20, PAPER, "accesses to memory in million packets of 128 bytes, bundles on 1 to 8 workers behind one SL1; naive: "
                             "program order", "cellss", ("naive", *WORKERS), "Workers take turns: each runs one task of its bundle, then all do.")
FIGURES["cellss12"] = Figure(figure12, PAPER, "milliseconds on 1 to 8 workers, as the workers' techniques are added one after the other; 2,048 x 2,048",
                             "cellss", FIGURE_12, "mso: minimal stage-out; ec: early call-back; db: double buffering. First bundles that a host "
                             "prepares, as in the paper; then Maslin's engine on specs/cell-qs20.toml. The rate at 4,096 x 4,096 is what "
                             "choleskyC's kernels were fitted to; nothing else was fitted. bench/figures/cellss/README.md says what its "
                             "speed-up on 8 would be with other kernels.")
FIGURES["cellss19"] = Figure(figure19, PAPER, "accesses to memory in million packets of 128 bytes, one worker, with a software cache and without; naive: "
                             "program order", "cellss", FIGURE_19, "The paper found no difference.")
FIGURES["cellss21"] = Figure(figure21, PAPER, "accesses to memory in million packets of 128 bytes, one worker, by the size of blocks; naive: program "
                             "order", "cellss", FIGURE_21, "The matrix has 48 x 48 blocks of each size. In the paper program order won for "
                             "choleskyC at 1024 KB (blocks of 48), 2048 KB (64) and 4096 KB (96).")
FIGURES = {name: FIGURES[name] for name in sorted(FIGURES)}
