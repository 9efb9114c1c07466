"""./dev bench: measures the figures, prints them as a table, and writes them as JSON where asked."""

from __future__ import annotations

import argparse
import json
import os
import platform
import sys
from datetime import datetime, timezone
from pathlib import Path

from maslin_report.whole import write_whole
from rich.console import Console
from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

from .figures import (Plan, foreign_blas, grain_neighbours, grain_real, grain_regret, grain_virtual, peers_busy, peers_cholesky,
                      peers_graphs, peers_loops, peers_metg, peers_tasks, phylo_bootstrap, phylo_evaluate, phylo_newview,
                      trace_overhead)
from .measure import MeasurementError
from .row import Row
from .table import table

FIGURES = {module.NAME: module for module in (
    phylo_newview, phylo_evaluate, phylo_bootstrap, grain_regret, grain_virtual, grain_real, grain_neighbours, trace_overhead,
    peers_tasks, peers_graphs, peers_loops, peers_cholesky, peers_metg, peers_busy, foreign_blas)}

BUSY_LOAD = 0.5  # somebody else takes half a core


def machine() -> dict:
    """Gives what the figures depend on besides the program."""
    model = next((line.split(":", 1)[1].strip() for line in Path("/proc/cpuinfo").read_text().splitlines()
                  if line.startswith("model name")), platform.machine())
    return {"processor": model, "cores": len(os.sched_getaffinity(0)), "load_before": round(os.getloadavg()[0], 2)}


def chosen(only: str | None) -> dict:
    """Gives the figures whose name begins with `only`, all without it."""
    found = {name: module for name, module in FIGURES.items() if only is None or name.startswith(only)}
    if not found:
        sys.exit(f"./dev bench: no figure is called '{only}'; there are {', '.join(FIGURES)}")
    return found


def writable(file: str | None) -> Path | None:
    """Gives the file to write, found out before the measurement and not after it."""
    if file is None:
        return None
    path = Path(file)
    if path.is_dir() or not path.parent.is_dir() or not os.access(path.parent, os.W_OK):
        sys.exit(f"./dev bench: cannot write {file}: its folder must exist and be writable")
    return path


def write_json(path: Path, rows: list[Row], about: dict) -> None:
    content = {"measured": datetime.now(timezone.utc).isoformat(timespec="seconds"), "machine": about,
               "rows": [row.as_json() for row in rows]}
    write_whole(path, json.dumps(content, indent=2, ensure_ascii=False) + "\n")


def main() -> int:
    parser = argparse.ArgumentParser(prog="./dev bench", description="Measures the scorecard's figures next to their peers.")
    parser.add_argument("--only", metavar="NAME", help=f"one figure, or those that begin so: {', '.join(FIGURES)}")
    parser.add_argument("--quick", action="store_true", help="fewer runs, and only the smaller alignment")
    parser.add_argument("--json", metavar="FILE", help="write the rows there, too")
    options = parser.parse_args()
    modules, file, about = chosen(options.only), writable(options.json), machine()

    console = Console(stderr=True)
    busy = about["load_before"] > BUSY_LOAD
    if busy:
        console.print(f"The machine is busy (load {about['load_before']}): peers that wait by spinning will look slow, and "
                      "no figure is worth much.", style="yellow")
    rows: list[Row] = []
    failed = False
    columns = (SpinnerColumn(), TextColumn("{task.fields[figure]}"), BarColumn(), TextColumn("{task.fields[at]}"),
               TimeElapsedColumn())
    with Progress(*columns, console=console, transient=True) as progress:
        task = progress.add_task("", total=len(modules), figure="", at="")
        for name, module in modules.items():
            progress.update(task, figure=name, at="")
            try:
                rows += module.measure(Plan(options.quick, lambda at: progress.update(task, at=at)))
            except MeasurementError as error:
                rows.append(Row(name, note=f"failed: {error}"))
                failed = True
            progress.advance(task)
    for row in rows:
        row.quick = options.quick
    Console(width=None if sys.stdout.isatty() else 160).print(table(rows, [why for why, holds in (("quick: too few runs", options.quick), ("busy machine", busy)) if holds]))
    if file:
        write_json(file, rows, about)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
