#!/usr/bin/env python3
"""Predicts the papers' tables and figures on described machines.

    python3 bench/figures/described.py [NAME...] [--list] [--withheld] [--json] [--quick] [--output out]

NAMEs, or how several begin; all if none is given:
    table1a table1b table2a table2b table3a table3b table4 table5 table6a table6b table6c table6d figure4 figure6 figure7 figure9
        the paper on multigrain parallelism: RAxML and PBPI on a Cell blade
    pbpi-messages
        the same paper: PBPI, whose processes send messages and wait for them in eight ways
    pbpi-gangs
        the same paper: PBPI as eight processes, of which some have the host and all SPEs at a time
    dbs-figure1 dbs-figure2 dbs-figure3
        the paper on Dynamic Bisectioning: six programs on 16 processors of an Origin 2000
    ps3-figure3 ps3-figure6 ps3-figure7 ps3-figure8
        the paper on a cluster of PlayStation 3: which layout is the best, who waits for a kernel, and how; beside Cell blades
    cellss13 cellss14 cellss15 cellss16 cellss17 cellss18 cellss20
        the paper on CellSs: accesses to memory of six applications in program order and in bundles
    cml5 cml6 sweep7 sweep8
        the paper on reverse acceleration: links, messages and Sweep3D on Roadrunner

For each cell: what the paper published, ours, the error; cells that the constants were fitted to (*) do not count towards the error.
Where the paper says less or more without a number, whether ours holds. --withheld prints the cells that the paper's text here does not
give. Draws NAME.svg into out/cell, out/dbs, out/ps3, out/cellss or out/links. The READMEs of bench/figures/ say where each constant comes from."""

from __future__ import annotations

import argparse
import json
import sys
from dataclasses import asdict
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
IN_CHECKOUT = (ROOT / "CMakeLists.txt").is_file()  # an installed copy writes to the current folder
sys.path[:0] = [str(ROOT / "bench"), str(ROOT / "python"), str(Path(__file__).parent)]
import cell  # noqa: E402
import cellss  # noqa: E402
import links  # noqa: E402
import origin  # noqa: E402
import ps3  # noqa: E402
import simulation  # noqa: E402
import sweeps  # noqa: E402
from maslin_report.whole import write_whole  # noqa: E402
from scorecard.measure import MeasurementError, show  # noqa: E402
from table import Cell, Figure, picture, print_figure  # noqa: E402

FIGURES: dict[str, Figure] = {**cell.FIGURES, **origin.FIGURES, **ps3.FIGURES, **cellss.FIGURES, **links.FIGURES, **sweeps.FIGURES}


def write_picture(name: str, cells: list[Cell], folder: Path) -> bool:
    """Gives whether there was anything to draw."""
    drawn = picture(name, FIGURES[name], cells)
    if drawn is None:
        return False
    folder.mkdir(parents=True, exist_ok=True)
    write_whole(folder / f"{name}.svg", drawn)
    return True


def print_errors(cells: list[Cell]) -> None:
    for paper in dict.fromkeys(figure.paper for figure in FIGURES.values()):
        known = [one for one in cells if FIGURES[one.figure].paper == paper and one.error() is not None]
        for what, some in (("published cells", known), ("of them that nothing was fitted to", [one for one in known if not one.fitted])):
            if some:
                print(f"{paper}: mean error over the {len(some)} {what}: {100 * sum(one.error() for one in some) / len(some):.1f} %")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME", help="figures, or how they begin")
    parser.add_argument("--list", action="store_true", help="print the names and run nothing")
    parser.add_argument("--withheld", action="store_true", help="only the cells that the paper's text here does not give")
    parser.add_argument("--json", action="store_true", help="print a list of cells for programs")
    parser.add_argument("--quick", action="store_true", help="simulate a part")
    parser.add_argument("--output", type=Path, help="folder for the pictures (default: out/cell, out/dbs, out/ps3, out/cellss, out/links)")
    options = parser.parse_args()
    simulation.QUICK = options.quick
    wanted = [name for name in FIGURES if not options.names or any(name.startswith(asked) for asked in options.names)]
    unknown = [asked for asked in options.names if not any(name.startswith(asked) for name in FIGURES)]
    if unknown:
        print(f"figures: no figure is called {unknown[0]!r}; there are {', '.join(FIGURES)}", file=sys.stderr)
        return 2
    if options.list:
        print("\n".join(f"{name:12} {FIGURES[name].paper}: {FIGURES[name].note}" for name in wanted))
        return 0
    if options.withheld and not options.names:
        wanted = ["table1a", "table1b", "table5", "table6b", "table6c", "sweep8"]
    every: list[Cell] = []
    folders: list[str] = []
    try:
        for name in wanted:
            show(name)
            cells = list(FIGURES[name].make(name))
            folder = options.output or (ROOT if IN_CHECKOUT else Path()) / "out" / FIGURES[name].folder
            if write_picture(name, cells, folder):
                folders.append(str(folder))
            shown = [one for one in cells if one.withheld] if options.withheld else cells
            every += shown
            show("")
            if not options.json:
                print_figure(name, FIGURES[name], shown)
    except (MeasurementError, OSError) as problem:
        show("")
        print(f"figures: {problem}", file=sys.stderr)
        return 1
    if options.json:
        keys = ("figure", "row", "column", "predicted", "unit") if options.withheld else tuple(asdict(every[0])) if every else ()
        print(json.dumps([{key: value for key, value in asdict(one).items() if key in keys} for one in every], indent=1))
        return 0
    print_errors(every)
    if folders:
        print(f"pictures in {', '.join(dict.fromkeys(folders))}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
