"""Figures 5 and 6 of the paper on reverse acceleration: links and messages on described triblades."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Iterator

from scorecard.measure import ROOT, binary, execute
from table import Cell, Figure

CLUSTER = Path(ROOT) / "specs" / "roadrunner.toml"

SIZES = {"128 B": 128, "2 KB": 2048, "16 KB": 16384, "128 KB": 131072}  # 128 KB is the largest that fits (figure 6)
HUGE = 1 << 40  # whose rate is that of the link


def asked(*words: object) -> object:
    _, said = execute([binary("figures_links"), *words])
    return json.loads(said)


def timed(what: str, key: str) -> dict[tuple[str, int], float]:
    """Gives the seconds of each hop, or of half a round trip over each route, by its name and bytes; of 0 bytes, too."""
    sizes = ",".join(str(size) for size in (0, *SIZES.values(), HUGE))
    return {(one[key], one["bytes"]): one["seconds"] for one in asked(what, CLUSTER, "--bytes", sizes)}


LAYERS = {  # of figure 5: the hops that one transfer takes one after the other, and those that it is on at once
    "EIB": ((), ("EIB",)), "FlexIO": ((), ("EIB", "FlexIO")), "PCIe": (("PCIe",), ()), "shared memory": (("Opteron MPI",), ()),
    "InfiniBand": (("Opteron MPI",), ("InfiniBand",))}


def cml5(figure: str) -> Iterator[Cell]:
    hop = timed("hops", "hop")

    def seconds(layer: str, size: int) -> float:
        after, at_once = LAYERS[layer]
        startups = sum(hop[name, 0] for name in (*after, *at_once))
        return startups + sum(hop[name, size] - hop[name, 0] for name in after) + max((hop[name, size] - hop[name, 0] for name in at_once),
                                                                                     default=0.0)

    # Figure 5's numbers are not in the text but for these, which the description was made from.
    for layer in LAYERS:
        yield Cell(figure, layer, "latency", 1e6 * seconds(layer, 0), "us", 100 / 3200 if layer == "EIB" else None, fitted=layer == "EIB")
    yield Cell(figure, "2 PCIe, MPI", "latency", 1e6 * (2 * seconds("PCIe", 0) + seconds("InfiniBand", 0)), "us", 9.24, fitted=True)
    peaks = {"EIB": 25.6, "FlexIO": 6.25, "PCIe": 2.0, "InfiniBand": 2.0}
    for layer, peak in peaks.items():  # nobody says what the Opterons' memory gives
        for row, size in SIZES.items():
            yield Cell(figure, row, layer, 1e-9 * size / seconds(layer, size), "GB/s")
        yield Cell(figure, "peak", layer, 1e-9 * HUGE / seconds(layer, HUGE), "GB/s", peak, fitted=True)


ROUTES = ("processor", "blade", "triblade", "unit", "cluster")


def cml6(figure: str) -> Iterator[Cell]:
    half = timed("messages", "route")
    for route in ROUTES:
        published = 11.77 if route in ("triblade", "unit") else None  # "inter-blade"; the parts of it were fitted to this sum
        yield Cell(figure, route, "latency", 1e6 * half[route, 0], "us", published, fitted=published is not None)
    for route in ROUTES:
        for row, size in SIZES.items():
            rate = 1e-9 * size / half[route, size]
            # "close to the theoretical maximum"; "noticeably slower than the bottleneck rate, that of the PCIe bus"
            at_peak = {"processor": 25.6, "blade": 6.25}.get(route) if row == "128 KB" else None
            below = 2.0 if route in ("triblade", "unit", "cluster") and row == "128 KB" else None
            yield Cell(figure, row, route, rate, "GB/s", at_peak or below, fitted=at_peak is not None, bound="<" if below else "")


PAPER = "the paper on reverse acceleration"
REMARK = "The text gives peaks and sums of start-ups; specs/roadrunner.toml was made from them (*). Curves are in the paper's pictures only."
FIGURES = {"cml5": Figure(cml5, PAPER, "one transfer on each link of a described triblade, by size", "links", remark=REMARK),
           "cml6": Figure(cml6, PAPER, "half a round trip of a message between SPEs, by size and place", "links", remark=REMARK)}
