"""What ./dev bench is asked for, and what it answers besides the table.

Status: 0 where no row is missed, 1 where one is, 3 where a figure could not be measured or an answer was wrong, 2 for a call that
cannot be followed. Rows that are undecided or not measured change nothing."""

from __future__ import annotations

import argparse
import json
import os
import platform
import re
import sys
from dataclasses import replace
from datetime import datetime, timezone
from pathlib import Path
from typing import Callable, Iterable, Iterator, Mapping, NoReturn, Sequence

from maslin_report.whole import write_whole

from . import checkouts, measure
from .figures import Plan, all_figures, grain_crowded, grain_unseen, may_hold
from .measure import MeasurementError
from .row import FAILED, MISSED, Row

FIGURES = {module.NAME: module for module in all_figures()}
HAVE_ASIDE = (grain_unseen, grain_crowded)  # programs that were put aside


def machine() -> dict:
    """Gives what the figures depend on besides the program."""
    model = next((line.split(":", 1)[1].strip() for line in Path("/proc/cpuinfo").read_text().splitlines()
                  if line.startswith("model name")), platform.machine())
    return {"processor": model, "cores": len(os.sched_getaffinity(0)), "load_before": round(os.getloadavg()[0], 2)}


def refuse(why: str) -> NoReturn:
    print(f"./dev bench: {why}", file=sys.stderr)
    sys.exit(2)


def chosen(only: str | None) -> dict:
    """Gives the figures that have rows whose name begins with `only`, all without it."""
    found = {name: module for name, module in FIGURES.items() if may_hold(name, only or "")}
    if not found:
        refuse(f"no figure is called '{only}'; there are {', '.join(FIGURES)}")
    return found


def writable(file: str | None) -> Path | None:
    """Gives the file to write, found out before the measurement and not after it."""
    if file is None:
        return None
    path = Path(file)
    if path.is_dir() or not path.parent.is_dir() or not os.access(path.parent, os.W_OK):
        refuse(f"cannot write {file}: its folder must exist and be writable")
    return path


def write_json(path: Path, rows: list[Row], about: dict) -> None:
    content = {"measured": datetime.now(timezone.utc).isoformat(timespec="seconds"), "machine": about,
               "set": measure.PASSED,
               "rows": [{**row.as_json(), "processor": about["processor"]} for row in rows]}
    write_whole(path, json.dumps(content, indent=2, ensure_ascii=False) + "\n")


def parsed(words: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="./dev bench", description="Measures the scorecard's figures next to their peers.",
                                     epilog="Status: 0 no row is missed; 1 one is; 3 a figure could not be measured; 2 a wrong call; 130 "
                                     "it was stopped, and shows the rows that it had, of most figures also the whole rounds.")
    parser.add_argument("--only", metavar="NAME", help="the rows whose names begin so, e.g. peers/metg or peers/metg/loops; "
                        f"figures: {', '.join(FIGURES)}")
    parser.add_argument("--quick", action="store_true", help="the same work in three rounds, which decide nothing")
    parser.add_argument("--aside", action="store_true", help="grain/unseen and grain/crowded run programs that were put aside: once, at the end")
    parser.add_argument("--json", metavar="FILE", help="write the rows there, too")
    parser.add_argument("--peer", metavar="NAME=PATH", action="append", default=[],
                        help=f"measure a peer that is not packaged, from a checkout: {', '.join(checkouts.KNOWN)}")
    parser.add_argument("--set", metavar="MASLIN_NAME=VALUE", action="append", default=[],
                        help="set this for all measured programs; what the caller's environment holds does not reach them")
    options = parser.parse_args(words)
    if options.aside and not any(may_hold(figure.NAME, options.only or "") for figure in HAVE_ASIDE):
        refuse(f"--aside is for {' and '.join(figure.NAME for figure in HAVE_ASIDE)}, and --only {options.only} leaves them out")
    for wish in options.set:
        if not re.fullmatch(r"MASLIN_[A-Z_]+=.*", wish):
            refuse(f"--set {wish!r} is no MASLIN_NAME=VALUE; other variables are not passed")
        measure.PASSED.update([wish.split("=", 1)])
    try:
        for wish in options.peer:
            checkouts.accept(wish)
    except checkouts.Refused as refused:
        refuse(str(refused))
    return options


def until_stopped(rows: Iterator[Row]) -> tuple[list[Row], bool]:
    """Gives the rows, and whether Ctrl-C ended them before their end."""
    had: list[Row] = []
    try:
        for row in rows:
            had.append(row)
    except KeyboardInterrupt:
        return had, True
    return had, False


def status(rows: Sequence[Row], stopped: bool) -> int:
    if stopped:
        return 130
    verdicts = {row.verdict for row in rows}
    return 3 if FAILED in verdicts else 1 if MISSED in verdicts else 0


def measured(modules: Mapping, quick: bool, tell: Callable[[str, str], None], aside: bool = False, only: str = "") -> Iterator[Row]:
    """Gives the figures' rows that are wanted, one figure after the other; `tell` hears which one is measured, and what of
    it. Ctrl-C comes after the rows of the rounds that the figure had by then."""

    def wanted(rows: Iterable[Row]) -> list[Row]:
        return [replace(row, quick=quick) for row in rows if row.name.startswith(only)]

    for name, module in modules.items():
        tell(name, "")
        plan = Plan(quick, aside, lambda at, name=name: tell(name, at), only)
        try:
            rows = wanted(module.measure(plan))
        except MeasurementError as error:
            rows = [Row(name, quick=quick, verdict=FAILED, note=str(error))]
        except KeyboardInterrupt:
            yield from wanted(plan.kept)
            raise
        yield from rows
