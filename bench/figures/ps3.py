"""Figures 3, 6, 7 and 8 of the paper on a cluster of PlayStation 3: layouts of two programs, processes that share one PPE, and the
consoles beside Cell blades."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Callable, Iterator

import applications
import cell
import pbpi
from applications import RAXML_25, RAXML_42, RAXML_42_LONG, Application
from scorecard.measure import ROOT, MeasurementError
from table import Cell, Figure

SPEC = Path(ROOT) / "specs" / "ps3.toml"
PROCESSES = 6
POLICIES = ("yield", "adaptive", "edtlp", "native")

# What the paper does not print, from the Cell blade, whose processor is the same: cell/README.md says what each was fitted to there.
FROM_THE_BLADE = {"hosts": "threads_per_core = 2\nswitch_us = 1.5\nsmt = 0.33", "transfer": "signal_us = 0.5"}


def machine(nodes: int = 1) -> str:
    """Gives so many of specs/ps3.toml with the numbers that it leaves out, but what a message takes from one to another."""
    text = SPEC.read_text(encoding="utf-8")
    for group, lines in FROM_THE_BLADE.items():
        if text.count(f"\n[{group}]\n") != 1:
            raise MeasurementError(f"{SPEC}: expected one [{group}]")
        text = text.replace(f"\n[{group}]\n", f"\n[{group}]\n{lines}\n")
    return of_nodes(text, nodes)


def of_nodes(description: str, nodes: int) -> str:
    return description.replace("\n[workers]", f"\nnodes = {nodes}\n\n[workers]", 1) if nodes > 1 else description


def between(known: tuple[Application, ...], iterations: int) -> Application:
    """Gives the application at that length, with as many off-loads as the longest: its constants lie on straight lines between
    calibrated lengths, and below the least of them loops shrink in proportion."""
    least, repeats = known[0], known[-1].repeats
    if iterations <= least.iterations:
        return replace(least, repeats=repeats, loop=least.loop * iterations / least.iterations, iterations=iterations)
    for low, high in zip(known, known[1:]):
        if iterations <= high.iterations:
            part = (iterations - low.iterations) / (high.iterations - low.iterations)
            on_line = {name: getattr(low, name) + part * (getattr(high, name) - getattr(low, name))
                       for name in ("host", "serial", "loop", "spread")}
            return replace(low, repeats=repeats, iterations=iterations, **on_line)
    raise MeasurementError(f"{least.program}: nothing is calibrated beyond {known[-1].iterations} iterations")


RAXML = (RAXML_25, RAXML_42, RAXML_42_LONG)
RAXML_LENGTHS = (100, 164, 228, 342, 456)  # iterations of a kernel's loop; 228 is 42_SC
PBPI_LENGTHS = tuple(sites for _, sites in pbpi.CONSOLE_SIZES)  # of the paper's small, medium and large data set


def pbpi_of(sites: int) -> Application:
    """Its sums are calls of MPI_Allreduce (3.1), which MPI libraries make of messages in a tree."""
    return replace(pbpi.chain(218, sites), messages=replace(pbpi.MESSAGES, pattern="tree"))


def seconds(app: Application, policy: str, rounds: int = 1) -> float:
    """Gives the time of a run: of `rounds` bootstraps of each process."""
    return rounds * applications.seconds(app, machine(), PROCESSES, 1, policy)


BOOTSTRAPS = 192
LAYOUTS = [(streams, width) for streams in range(1, PROCESSES + 1) for width in range(1, PROCESSES // streams + 1)]
BLADE_LAYOUTS = [(streams, width) for streams in range(1, 9) for width in range(1, 8 // streams + 1)]  # of one of its two Cells


def bootstraps(count: int, on: str, streams: int, width: int, policy: str) -> float:
    """Gives the time of so many bootstraps, `streams` at a time; the last ones are fewer."""
    rounds, left = divmod(count, streams)
    time = rounds * applications.seconds(RAXML_42, on, streams, width, policy) if rounds else 0.0
    return time + (applications.seconds(RAXML_42, on, left, width, policy) if left else 0.0)


def figure3(figure: str) -> Iterator[Cell]:
    for nodes in (1, 2, 4, 8):
        row = f"{nodes} node{'s' if nodes > 1 else ''}"
        times = {layout: bootstraps(BOOTSTRAPS // nodes, machine(), *layout, "edtlp") for layout in LAYOUTS}
        yield from layouts(figure, row, "RAxML", times, (PROCESSES, 1))
    for length in PBPI_LENGTHS:
        times = {layout: applications.seconds(pbpi_of(length), machine(), *layout, "edtlp") for layout in LAYOUTS}
        yield from layouts(figure, f"{length}", "PBPI", times, (1, PROCESSES))
    for length in PBPI_LENGTHS:
        times = {layout: on_nodes(length, machine(NODES), NODES, *layout) for layout in LAYOUTS}
        yield from layouts(figure, f"{length}, {NODES} nodes", "PBPI", times, (2, 3))
        # The paper says why 2x3 is ahead there: what a sum over all processes takes drops, by more than this.
        more = times[2, 3] - min(time for layout, time in times.items() if layout != (2, 3))
        yield Cell(figure, f"{length}, {NODES} nodes", "PBPI 2x3 is the best if its sums take less by", 1e6 * more / pbpi_of(length).repeats, "us")


NODES = 8


def on_nodes(length: int, on: str, cells: int, streams: int, width: int) -> float:
    """Gives the time of PBPI with so many sites for each Cell (weak scaling), and so many processes on each. Messages take each host what
    they take on one blade; a network takes no time."""
    app = pbpi_of(length)
    app = replace(app, iterations=app.iterations * cells, loop=app.loop * cells)
    return applications.seconds(app, on, streams * cells, width, "edtlp")


def layouts(figure: str, row: str, title: str, times: dict[tuple[int, int], float], best: tuple[int, int]) -> Iterator[Cell]:
    """Gives the times, and what the best of all other layouts takes over the one that the paper found to be the best."""
    for (streams, width), time in times.items():
        yield Cell(figure, row, f"{title} {streams}x{width}", time, "s")
    others = min(time for layout, time in times.items() if layout != best)
    yield Cell(figure, row, f"{title} best other/{best[0]}x{best[1]}", others / times[best], "ratio", 1.0, bound=">")


def least(of: Callable[[int, int, str], float], among: list[tuple[int, int]]) -> float:
    """Gives the time of the best layout under the best policy of hosts. Who is alone has the host under each."""
    return min(of(streams, width, policy) for streams, width in among
               for policy in (("edtlp",) if streams == 1 else ("edtlp", "yield", "adaptive")))


def on_cells(count: int, blade: bool) -> float:
    """Gives the time of RAxML's bootstraps on so many Cells: of consoles, or of blades."""
    on, among = (cell.machine(), BLADE_LAYOUTS) if blade else (machine(), LAYOUTS)
    return least(lambda streams, width, policy: bootstraps(-(-BOOTSTRAPS // count), on, streams, width, policy), among)


def beside(figure: str, title: str, rows: dict[str, dict[str, float]], least: float, greatest: float) -> Iterator[Cell]:
    """Gives each row's times and their ratio, and of all ratios the least and the greatest beside the published ones."""
    ratios = {row: times["PS3"] / times["QS20"] for row, times in rows.items()}
    for row, times in rows.items():
        for side, time in times.items():
            yield Cell(figure, row, f"{title} {side}", time, "s")
        yield Cell(figure, row, f"{title} PS3/QS20", ratios[row], "ratio")
    yield Cell(figure, "all", f"{title} least PS3/QS20", min(ratios.values()), "ratio", least)
    yield Cell(figure, "all", f"{title} greatest PS3/QS20", max(ratios.values()), "ratio", greatest)


def figure8(figure: str) -> Iterator[Cell]:
    raxml = {f"{cells} Cells": {"PS3": on_cells(cells, False), "QS20": on_cells(cells, True)} for cells in (2, 4, 6, 8)}
    yield from beside(figure, "RAxML", raxml, 1.11, 1.13)
    yield Cell(figure, "48 SPEs", "RAxML PS3/QS20", raxml["8 Cells"]["PS3"] / raxml["6 Cells"]["QS20"], "ratio", 1.0, bound="<")

    def chain(length: int, on: str, among: list[tuple[int, int]]) -> float:
        return least(lambda streams, width, policy: applications.seconds(pbpi_of(length), on, streams, width, policy), among)

    def on_eight(length: int, on: str, spes: int) -> float:
        return min(on_nodes(length, on, NODES, streams, spes // streams) for streams in range(1, spes + 1) if spes % streams == 0)

    blades = of_nodes(cell.machine(2), NODES // 2)
    rows = {f"{length}": {"PS3": chain(length, machine(), LAYOUTS), "QS20": chain(length, cell.machine(), BLADE_LAYOUTS)}
            for length in PBPI_LENGTHS}
    rows |= {f"{length}, {NODES} Cells": {"PS3": on_eight(length, machine(NODES), PROCESSES), "QS20": on_eight(length, blades, 8)}
             for length in PBPI_LENGTHS}
    yield from beside(figure, "PBPI", rows, 1.14, 1.27)


def figure6(figure: str) -> Iterator[Cell]:
    ratios = []
    sides = [("PBPI", f"1 node, {length}", pbpi_of(length), 1) for length in PBPI_LENGTHS]
    sides += [("RAxML", f"{nodes} node{'s' if nodes > 1 else ''}", RAXML_42, BOOTSTRAPS // PROCESSES // nodes) for nodes in (1, 2, 4, 8)]
    for title, row, app, rounds in sides:
        times = {policy: seconds(app, policy, rounds) for policy in ("yield", "native")}
        for policy, time in times.items():
            yield Cell(figure, row, f"{title} {policy}", time, "s")
        ratios.append(times["native"] / times["yield"])
        yield Cell(figure, row, f"{title} native/yield", ratios[-1], "ratio")
    yield Cell(figure, "all", "least native/yield", min(ratios), "ratio", 1.7)
    yield Cell(figure, "all", "greatest native/yield", max(ratios), "ratio", 2.7)


def figure7(figure: str) -> Iterator[Cell]:
    gains = []
    def raxml_of(length: int) -> Application:
        return between(RAXML, length)

    for title, of, lengths in (("PBPI", pbpi_of, PBPI_LENGTHS), ("RAxML", raxml_of, RAXML_LENGTHS)):
        for length in lengths:
            times = {policy: seconds(of(length), policy) for policy in POLICIES}
            for policy, time in times.items():
                yield Cell(figure, str(length), f"{title} {policy}", time, "s")
            ratio = times["yield"] / times["adaptive"]
            gains.append(max(ratio, 1 / ratio))
            # The text: adaptive spinning is ahead in all cases of PBPI, and in RAxML for small data sets only.
            bound = ">" if title == "PBPI" or length == lengths[0] else "<" if length == lengths[-1] else ""
            yield Cell(figure, str(length), f"{title} yield/adaptive", ratio, "ratio", 1.0 if bound else None, bound=bound)
    yield Cell(figure, "all", "greatest gain", max(gains), "ratio", 1.1, bound=">")


PAPER = "the paper on a cluster of PlayStation 3"
NODE = ("What the paper does not print (a switch, a signal, the lengths of kernels) is the Cell blade's. What messages take on the network is "
        "in its figures 1 and 2 only, and not in its text: of 8 nodes, those of PBPI take here what they take on one blade.")
FIGURES = {
    "ps3-figure3": Figure(figure3, PAPER, "seconds on described PlayStations 3, by processes x SPEs of each", "ps3",
                          tuple(f"{streams}x{width}" for streams, width in LAYOUTS), NODE),
    "ps3-figure8": Figure(figure8, PAPER, "seconds on described PlayStations 3 and Cell blades, the best layout and policy of each", "ps3",
                          ("PS3", "QS20"), NODE),
    "ps3-figure6": Figure(figure6, PAPER, "seconds on a described PlayStation 3, 6 processes with an SPE each", "ps3", ("yield", "native"), NODE),
    "ps3-figure7": Figure(figure7, PAPER, "seconds on a described PlayStation 3, 6 processes with an SPE each, by length of the sequences",
                          "ps3", POLICIES, NODE)}
