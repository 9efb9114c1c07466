"""The tables and figures of the paper on multigrain parallelism (RAxML and PBPI on a Cell blade) on a described machine."""

from __future__ import annotations

from typing import Iterator

import applications
from applications import PBPI_1000, PBPI_3000, PBPI_10000, RAXML_25, RAXML_42, RAXML_42_LONG, Application
from table import Cell, Figure

EDTLP, LINUX = "EDTLP", "Linux"
HOST_POLICY = {EDTLP: "edtlp", LINUX: "native"}

MACHINE = """name = "cell"
about = "bench/figures/cell.py"
[workers]
kind = "accelerator"
count = {workers}
groups = {cells}
source = "multigrain-cell 3.3"
[hosts]
contexts = {contexts}
threads_per_core = 2
quantum_us = 10000
switch_us = 1.5
smt = 0.33
source = "bench/figures/cell/README.md"
[transfer]
signal_us = 0.5
bandwidth_gb_per_s = 25.6
source = "bench/figures/cell/README.md"
[[link]]
between = "groups"
bandwidth_gb_per_s = 20
latency_us = {between_cells}
source = "bench/figures/cell/README.md"
"""

BETWEEN_CELLS = 23.0  # microseconds that a signal takes longer; with several processes each has the SPEs of one Cell


def seconds(app: Application, streams: int, width: int, host: str = EDTLP, units: int = 0, cells: int = 1,
            policy: str = "") -> float:
    machine = MACHINE.format(workers=8 * cells, contexts=2 * cells, cells=cells, between_cells=BETWEEN_CELLS if streams == 1 else 0)
    return applications.seconds(app, machine, streams, width, HOST_POLICY[host], units, policy)


def row_of(figure: str, row: str, column: str, predicted: float, published: float | str | None, fitted: bool = False) -> Cell:
    known = published if isinstance(published, float) else None
    return Cell(figure, row, column, predicted, "s", known, published == "withheld", fitted)


def by_workers(figure: str, app: Application, edtlp: dict[int, float], linux: dict[int, float], fitted: tuple[int, ...]) -> Iterator[Cell]:
    for workers in range(1, 9):
        for column, published in ((EDTLP, edtlp), (LINUX, linux)):
            yield row_of(figure, str(workers), column, seconds(app, workers, 1, column), published.get(workers, "withheld"),
                         workers == 1 or column == EDTLP and workers in fitted)


def by_width(figure: str, app: Application, published: list[float | str | None], fitted: int, streams: int = 1, cells: int = 1) -> Iterator[Cell]:
    """`fitted`: up to which width."""
    for width, value in enumerate(published, start=1):
        yield row_of(figure, str(width), "time", seconds(app, streams, width, cells=cells), value, width <= fitted)


def table1a(figure: str) -> Iterator[Cell]:
    return by_workers(figure, RAXML_42, {1: 19.7, 2: 22.2, 4: 28.1, 8: 39.8}, {1: 19.7, 2: 30.0, 4: 43.3, 8: 81.7}, (2, 8))


def table1b(figure: str) -> Iterator[Cell]:
    return by_workers(figure, PBPI_10000, {1: 265.0, 2: 136.1, 4: 72.5, 8: 57.6}, {1: 263.5, 2: 145.0, 4: 134.9, 8: 158.3}, (8,))


def table2a(figure: str) -> Iterator[Cell]:
    return by_width(figure, RAXML_42, [19.7, 14.0, 13.36, 12.8, 13.8, 12.47, 11.4, 11.44], 8)


def table2b(figure: str) -> Iterator[Cell]:
    return by_width(figure, RAXML_42_LONG, [47.9, 29.5, 23.3, 20.5, 18.7, 18.1, 17.1, 16.8], 2)


def table3a(figure: str) -> Iterator[Cell]:
    return by_width(figure, PBPI_3000, [27.2, 14.9, 11.3, 8.4, 7.3, 6.8, 6.2, 5.9], 1)


def table3b(figure: str) -> Iterator[Cell]:
    return by_width(figure, PBPI_10000, [262.0, 131.3, 92.3, 70.1, 58.1, 49.0, 43.0, 39.7], 8)


SCHEMES = ((8, 1), (4, 2), (2, 4))


def table4(figure: str) -> Iterator[Cell]:
    for app, name, published in ((RAXML_42, "42_SC", (41.73, 21.05, 14.42)), (RAXML_25, "25_SC", (16.53, 8.01, 5.6))):
        for (streams, width), value in zip(SCHEMES, published):
            yield row_of(figure, f"{name} {streams}x{width}", "time", seconds(app, streams, width), value, app is RAXML_25)


def sampled(app: Application, units: int) -> float:
    """Gives the time under S-MGPS (6.2): one unit for each active stream in every configuration that uses all SPEs, then the rest in the
    one of the largest throughput."""
    samples = {scheme: seconds(app, *scheme) for scheme in SCHEMES}
    best = max(SCHEMES, key=lambda scheme: scheme[0] / samples[scheme])
    return sum(samples.values()) + seconds(app, *best, units=units - sum(streams for streams, _ in SCHEMES))


def table5(figure: str) -> Iterator[Cell]:
    for units in (32, 64, 128):
        for streams, width in SCHEMES:
            yield row_of(figure, str(units), f"{streams}x{width}", seconds(RAXML_25, streams, width, units=units), "withheld")
        yield row_of(figure, str(units), "S-MGPS", sampled(RAXML_25, units), "withheld")


SAMPLE = 0.003  # of all generations, for each width: table 6a's S-MGPS


def table6(figure: str, streams: int, times: list[float | str], s_mgps: float | str, fitted: int) -> Iterator[Cell]:
    cells = list(by_width(figure, PBPI_1000, times, fitted, streams, cells=2))
    yield from cells
    all_times = [cell.predicted for cell in cells]
    chosen = min(all_times) + SAMPLE * sum(time - min(all_times) for time in all_times)
    best = str(1 + all_times.index(min(all_times)))
    yield row_of(figure, best, "S-MGPS", chosen, s_mgps, fitted > 1)


def table6a(figure: str) -> Iterator[Cell]:
    return table6(figure, 1, [502.0, 267.8, 222.8, 175.8, 142.1, 118.6, 108.1, 134.3, 122.0, 111.9, 138.3, 109.2, 122.3, 133.2, 115.3,
                              116.5], 110.3, 16)


def table6b(figure: str) -> Iterator[Cell]:
    return table6(figure, 2, [275.9] + ["withheld"] * 7, "withheld", 0)


def table6c(figure: str) -> Iterator[Cell]:
    return table6(figure, 4, [180.6] + ["withheld"] * 3, "withheld", 0)


def table6d(figure: str) -> Iterator[Cell]:
    return table6(figure, 8, [355.5, 265.0], 267.0, 0)


def by_bootstraps(figure: str, app: Application, most: int) -> Iterator[Cell]:
    for units in range(1, most + 1):
        for streams, width in SCHEMES:
            yield row_of(figure, str(units), f"{streams}x{width}", seconds(app, streams, width, units=units), None)


def figure4(figure: str) -> Iterator[Cell]:
    return by_bootstraps(figure, RAXML_42, 16)


POLICIES = (("MGPS", "mgps"), ("EDTLP-LLP 4", "edtlp-llp:4"), ("EDTLP-LLP 2", "edtlp-llp:2"), ("EDTLP", "edtlp"))


def figure5(figure: str) -> Iterator[Cell]:
    for units in (*range(1, 17), 20, 24, 28, 32, 48, 64, 96, 128):
        for column, policy in POLICIES:
            yield row_of(figure, str(units), column, seconds(RAXML_42, units, 0, units=units, policy=policy), None)


def figure6(figure: str) -> Iterator[Cell]:
    return by_width(figure, RAXML_25, [None] * 8, 1)


def figure7(figure: str) -> Iterator[Cell]:
    return by_bootstraps(figure, RAXML_25, 16)


def figure9(figure: str) -> Iterator[Cell]:
    for streams in (1, 2, 4, 8):
        for width in range(1, 16 // streams + 1):
            yield row_of(figure, str(streams * width), f"{streams} processes", seconds(PBPI_1000, streams, width, cells=2), None)


FIGURES = {make.__name__: Figure(make, "the paper on multigrain parallelism", "seconds on a described Cell blade", "cell") for make in
           (table1a, table1b, table2a, table2b, table3a, table3b, table4, table5, table6a, table6b, table6c, table6d,
            figure4, figure5, figure6, figure7, figure9)}
