"""The tables and figures of the paper on multigrain parallelism (RAxML and PBPI on a Cell blade) on a described machine."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Iterator

import applications
import pbpi
from applications import RAXML_25, RAXML_42, RAXML_42_LONG, Application
from table import Cell, Figure

PBPI_1000, PBPI_10000 = (pbpi.chain(*size) for size in pbpi.CELL_SIZES)
PBPI_TABLE_6 = pbpi.of_table_6()

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
"""


@dataclass(frozen=True)
class Run:
    """What is simulated: an application on so many Cells, so many streams at a time, each with so many SPEs."""

    app: Application
    streams: int
    width: int
    host: str = EDTLP
    units: int = 0  # bootstraps, as many as streams if not said
    cells: int = 1

    def same(self) -> Run:
        """Gives the run in one way of saying it: who is alone has the host under every policy."""
        return replace(self, units=0 if self.units == self.streams else self.units, host=EDTLP if self.streams == 1 else self.host)

    def seconds(self) -> float:
        return applications.seconds(self.app, machine(self.cells), self.streams, self.width, HOST_POLICY[self.host], self.units)


def machine(cells: int = 1) -> str:
    return MACHINE.format(workers=8 * cells, contexts=2 * cells, cells=cells)


# The runs that constants were fitted to. A cell of such a run predicts nothing, in whichever table it stands.
FITTED = {
    *(Run(RAXML_42, streams, 1) for streams in (1, 2, 8)),  # table 1a
    *(Run(RAXML_42, 1, width) for width in range(1, 9)),  # table 2a
    *(Run(RAXML_42_LONG, 1, width) for width in (1, 2)),  # table 2b
    *(Run(RAXML_25, streams, width) for streams, width in ((8, 1), (4, 2), (2, 4))),  # table 4
    Run(PBPI_1000, 1, 1),  # table 3a
    Run(PBPI_10000, 1, 1),  # table 3b, and 1b
    *(Run(PBPI_TABLE_6, streams, 1, cells=2) for streams in (1, 2)),  # tables 6a and 6b
}


def row_of(figure: str, row: str, column: str, run: Run, published: float | str | None) -> Cell:
    return cell_of(figure, row, column, run.seconds(), published, run.same() in FITTED)


def cell_of(figure: str, row: str, column: str, predicted: float, published: float | str | None, fitted: bool = False) -> Cell:
    known = published if isinstance(published, float) else None
    return Cell(figure, row, column, predicted, "s", known, published == "withheld", fitted)


def by_workers(figure: str, app: Application, edtlp: dict[int, float], linux: dict[int, float]) -> Iterator[Cell]:
    for workers in range(1, 9):
        for column, published in ((EDTLP, edtlp), (LINUX, linux)):
            yield row_of(figure, str(workers), column, Run(app, workers, 1, column), published.get(workers, "withheld"))


def by_width(figure: str, app: Application, published: list[float | str | None], streams: int = 1, cells: int = 1) -> Iterator[Cell]:
    for width, value in enumerate(published, start=1):
        yield row_of(figure, str(width), "time", Run(app, streams, width, cells=cells), value)


def table1a(figure: str) -> Iterator[Cell]:
    return by_workers(figure, RAXML_42, {1: 19.7, 2: 22.2, 4: 28.1, 8: 39.8}, {1: 19.7, 2: 30.0, 4: 43.3, 8: 81.7})


TABLE_1B = {EDTLP: {1: 265.0, 2: 136.1, 4: 72.5, 8: 57.6}, LINUX: {1: 263.5, 2: 145.0, 4: 134.9, 8: 158.3}}


def table1b(figure: str) -> Iterator[Cell]:
    return by_workers(figure, PBPI_10000, TABLE_1B[EDTLP], TABLE_1B[LINUX])


def table2a(figure: str) -> Iterator[Cell]:
    return by_width(figure, RAXML_42, [19.7, 14.0, 13.36, 12.8, 13.8, 12.47, 11.4, 11.44])


def table2b(figure: str) -> Iterator[Cell]:
    return by_width(figure, RAXML_42_LONG, [47.9, 29.5, 23.3, 20.5, 18.7, 18.1, 17.1, 16.8])


def table3a(figure: str) -> Iterator[Cell]:
    return by_width(figure, PBPI_1000, [27.2, 14.9, 11.3, 8.4, 7.3, 6.8, 6.2, 5.9])


def table3b(figure: str) -> Iterator[Cell]:
    return by_width(figure, PBPI_10000, [262.0, 131.3, 92.3, 70.1, 58.1, 49.0, 43.0, 39.7])


SCHEMES = ((8, 1), (4, 2), (2, 4))


def table4(figure: str) -> Iterator[Cell]:
    for app, name, published in ((RAXML_42, "42_SC", (41.73, 21.05, 14.42)), (RAXML_25, "25_SC", (16.53, 8.01, 5.6))):
        for (streams, width), value in zip(SCHEMES, published):
            yield row_of(figure, f"{name} {streams}x{width}", "time", Run(app, streams, width), value)


def under_policy(app: Application, units: int, policy: str, cells: int = 1) -> float:
    """Gives the time of a run of so many bootstraps, or processes, whose configuration a policy of MASLIN_GRAIN chooses."""
    return applications.seconds_under(app, machine(cells), 8 * cells, units, HOST_POLICY[EDTLP], policy)


def table5(figure: str) -> Iterator[Cell]:
    for units in (32, 64, 128):
        for streams, width in SCHEMES:
            yield row_of(figure, str(units), f"{streams}x{width}", Run(RAXML_25, streams, width, units=units), "withheld")
        yield cell_of(figure, str(units), "S-MGPS", under_policy(RAXML_25, units, "s-mgps"), "withheld")


TABLE_6: dict[int, tuple[list[float | str], float | str]] = {  # by processes: for each number of SPEs of a process, and under S-MGPS
    1: ([502.0, 267.8, 222.8, 175.8, 142.1, 118.6, 108.1, 134.3, 122.0, 111.9, 138.3, 109.2, 122.3, 133.2, 115.3, 116.5], 110.3),
    2: ([275.9] + ["withheld"] * 7, "withheld"),
    4: ([180.6] + ["withheld"] * 3, "withheld"),
    8: ([355.5, 265.0], 267.0)}


def table6(figure: str, streams: int) -> Iterator[Cell]:
    times, s_mgps = TABLE_6[streams]
    cells = list(by_width(figure, PBPI_TABLE_6, times, streams, cells=2))
    yield from cells
    best = min(cells, key=lambda cell: cell.predicted)
    yield cell_of(figure, best.row, "S-MGPS", under_policy(PBPI_TABLE_6, streams, "s-mgps", cells=2), s_mgps)


def table6a(figure: str) -> Iterator[Cell]:
    return table6(figure, 1)


def table6b(figure: str) -> Iterator[Cell]:
    return table6(figure, 2)


def table6c(figure: str) -> Iterator[Cell]:
    return table6(figure, 4)


def table6d(figure: str) -> Iterator[Cell]:
    return table6(figure, 8)


def by_bootstraps(figure: str, app: Application, most: int) -> Iterator[Cell]:
    for units in range(1, most + 1):
        for streams, width in SCHEMES:
            yield row_of(figure, str(units), f"{streams}x{width}", Run(app, streams, width, units=units), None)


def figure4(figure: str) -> Iterator[Cell]:
    return by_bootstraps(figure, RAXML_42, 16)


POLICIES = (("MGPS", "mgps"), ("EDTLP-LLP 4", "edtlp-llp:4"), ("EDTLP-LLP 2", "edtlp-llp:2"), ("EDTLP", "edtlp"))


def figure5(figure: str) -> Iterator[Cell]:
    for units in (*range(1, 17), 20, 24, 28, 32, 48, 64, 96, 128):
        for column, policy in POLICIES:
            yield cell_of(figure, str(units), column, under_policy(RAXML_42, units, policy), None)


def figure6(figure: str) -> Iterator[Cell]:
    return by_width(figure, RAXML_25, [None] * 8)


def figure7(figure: str) -> Iterator[Cell]:
    return by_bootstraps(figure, RAXML_25, 16)


def figure9(figure: str) -> Iterator[Cell]:
    for streams in (1, 2, 4, 8):
        for width in range(1, 16 // streams + 1):
            yield row_of(figure, str(streams * width), f"{streams} processes", Run(PBPI_TABLE_6, streams, width, cells=2), None)


# How PBPI's processes could send their messages, and wait for them. The first row of table 6b gave each try the time of a message.
TRIES = {"tree": replace(pbpi.MESSAGES, pattern="tree"),
         **{waiting: replace(pbpi.MESSAGES, waiting=waiting) for waiting in ("block", "as-kernel", "yield", "adaptive", "spin")},
         "one-at-a-time": pbpi.ONE_AT_A_TIME, "one-at-a-time-yield": replace(pbpi.ONE_AT_A_TIME, waiting="yield")}
TRIED_ON = {  # what was published for more than one process
    **{(f"1b {streams}", host): (Run(PBPI_10000, streams, 1, host), seconds) for host, times in TABLE_1B.items()
       for streams, seconds in times.items() if streams > 1},
    **{(f"6{part} {streams}x{width}", EDTLP): (Run(PBPI_TABLE_6, streams, width, cells=2), seconds)
       for part, streams in (("b", 2), ("c", 4), ("d", 8)) for width, seconds in enumerate(TABLE_6[streams][0], start=1)
       if isinstance(seconds, float)}}


def pbpi_messages(figure: str) -> Iterator[Cell]:
    errors: dict[tuple[str, str], list[float]] = {}
    for (row, host), (run, published) in TRIED_ON.items():
        yield Cell(figure, row, f"{host} published", None, "s", published)
        for name, messages in TRIES.items():
            predicted = replace(run, app=replace(run.app, messages=messages)).seconds()
            yield Cell(figure, row, f"{host} {name}", predicted, "s")
            if run not in FITTED:
                errors.setdefault((host, name), []).append(100 * abs(predicted / published - 1))
    for (host, name), each in errors.items():
        yield Cell(figure, host, f"{name}: mean error", sum(each) / len(each), "%")


GANG_PROCESSES, GANG_SPES = 8, 8  # of one Cell
LOCAL_STORE_BYTES = 256 * 1024
MEMORY_BYTES_PER_US = 25_600  # which the SPEs of a Cell share


def pbpi_gangs(figure: str) -> Iterator[Cell]:
    """Eight processes, `gang` of which have the PPE and all SPEs at a time (multigrain-cell, 6.3). A likelihood ends with a sum over all
    processes, so each gang has its turn for each likelihood, and the local stores of all SPEs are put aside and brought back."""
    switch_us = 2 * GANG_SPES * LOCAL_STORE_BYTES / MEMORY_BYTES_PER_US
    for app, length in ((PBPI_1000, "1,000"), (PBPI_10000, "10,000")):
        together = {gang: Run(app, gang, GANG_SPES // gang).seconds() for gang in (1, 2, 4, 8)}
        for gang, fixed in together.items():
            gangs = GANG_PROCESSES // gang
            part = replace(app, iterations=max(1, round(app.iterations / gangs)), loop=app.loop / gangs)
            turns = gangs * Run(part, gang, GANG_SPES // gang).seconds()
            switches = gangs * app.repeats * switch_us * 1e-6 if gangs > 1 else 0.0
            row = f"{length} {gang}x{GANG_SPES // gang}"
            yield Cell(figure, row, "so many processes", fixed, "s")
            yield Cell(figure, row, "gangs of 8 processes, switches free", turns, "s")
            yield Cell(figure, row, "gangs of 8 processes", turns + switches, "s")


FIGURES = {make.__name__: Figure(make, "the paper on multigrain parallelism", "seconds on a described Cell blade", "cell") for make in
           (table1a, table1b, table2a, table2b, table3a, table3b, table4, table5, table6a, table6b, table6c, table6d,
            figure4, figure5, figure6, figure7, figure9)}
FIGURES["pbpi-messages"] = Figure(pbpi_messages, "the paper on multigrain parallelism", "seconds on a described Cell blade, PBPI by processes x SPEs "
                                  "of each, as its messages are sent and waited for", "cell",
                                  tuple(name for name in TRIES if name not in ("spin", "one-at-a-time-yield")),
                                  "A message takes what the first row of table 6b says (6b 2x1), which counts in no mean.")
FIGURES["pbpi-gangs"] = Figure(pbpi_gangs, "the paper on multigrain parallelism", "seconds on a described Cell, PBPI by sites and by processes at a "
                               "time x SPEs of each", "cell",
                               ("so many processes", "gangs of 8 processes, switches free", "gangs of 8 processes"),
                               "The paper gives no times of gangs. A switch moves the local stores of 8 SPEs to memory and back, at 25.6 GB/s.")
