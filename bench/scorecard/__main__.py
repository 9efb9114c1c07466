"""./dev bench: measures the figures, prints them as a table, and writes them as JSON where asked."""

from __future__ import annotations

import sys

from rich.console import Console
from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

from .command import chosen, machine, measured, parsed, refuse, status, until_stopped, writable, write_json
from .shown import BUSY_LOAD
from .table import table


def main() -> int:
    options = parsed(None)
    modules, file, about = chosen(options.only), writable(options.json), machine()
    console = Console(stderr=True)
    busy = about["load_before"] > BUSY_LOAD
    if busy:
        console.print(f"The machine is busy (load {about['load_before']}): peers that wait by spinning will look slow, and "
                      "no figure is worth much.", style="yellow")
    columns = (SpinnerColumn(), TextColumn("{task.fields[figure]}"), TextColumn("{task.fields[at]}"), TimeElapsedColumn())
    with Progress(*columns, console=console, transient=True) as progress:
        task = progress.add_task("", total=None, figure="", at="")
        rows, stopped = until_stopped(measured(modules, options.quick, lambda figure, at: progress.update(task, figure=figure, at=at),
                                               options.aside, options.only or ""))
    if not rows and not stopped:
        refuse(f"no row's name begins with '{options.only}'; ./dev bench --only {next(iter(modules))} shows those that there are")
    reservations = {"quick: too few rounds": options.quick, "stopped: figures are missing": stopped,
                    "busy machine": busy, ", ".join(options.set): options.set}
    Console(width=None if sys.stdout.isatty() else 180).print(table(rows, [why for why, holds in reservations.items() if holds]))
    if file:
        write_json(file, rows, about)
    return status(rows, stopped)


if __name__ == "__main__":
    sys.exit(main())
