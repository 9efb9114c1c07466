"""The alignments that the figures use. Those beside the project are used where they are; the ones that packages of Debian hold serve
everywhere."""

from __future__ import annotations

from pathlib import Path
from typing import Callable, Iterable

from maslin_report.whole import write_whole

from .figures import Plan
from .measure import ROOT, WORK, MeasurementError
from .row import Goal, Row, not_measured

SHARED = ROOT.parent / "shared" / "data"
PACKAGED = {name: ROOT / "build" / "data" / f"{file}.nex" for name, file in {
    "d041_m1366": "m1366", "d025_h1n1ha": "h1n1ha", "d029_m501": "m501", "d050_m3475": "m3475", "d059_m1809": "m1809", "d071_m767": "m767",
    "d074_m1749": "m1749"}.items()}

# What was tuned on which alignments: no search is scored on the first ones, and no right-sizing on any of both.
TUNED_ON = {
    "search": ("d027_m336", "d041_m1366", "d044_dornburg", "d050_m1044"),
    "auto": ("d026_pocketgopher", "d041_m1366", "d044_dornburg", "d050_m1044", "d062_carnivora"),
}
NO_INFORMATION = set("-?NXnx.")


def reason_absent(name: str) -> str | None:
    """Gives why there is no such alignment here, or nothing where there is one."""
    if (SHARED / "alignments" / f"{name}.phy").exists() or (name in PACKAGED and PACKAGED[name].exists()):
        return None
    if name in PACKAGED:
        return f"{PACKAGED[name].name} absent; ./dev bench fetches it"
    return "no such alignment here (../shared/data absent)"


def rows_of_each(figure: str, goal: Goal, names: Iterable[str], plan: Plan, rows_of: Callable[[str, str], list[Row]]) -> list[Row]:
    """Gives the rows of each alignment of which some are wanted, `rows_of(row's name, alignment's name)`, or why it is not here."""
    WORK.mkdir(parents=True, exist_ok=True)
    rows = []
    for name in names:
        full_name = f"{figure}/{name.split('_')[0]}"
        if not plan.wants(full_name):
            continue
        why = reason_absent(name)
        rows += [not_measured(full_name, why, goal)] if why else rows_of(full_name, name)
    return rows


def alignment(name: str) -> Path:
    """Gives the alignment as relaxed PHYLIP, which our program and the peers read alike."""
    shared = SHARED / "alignments" / f"{name}.phy"
    if shared.exists():
        return shared
    if name not in PACKAGED or not PACKAGED[name].exists():
        raise MeasurementError(f"no alignment {name} here; ./dev bench fetches {', '.join(PACKAGED)}")
    made = WORK / f"{name}.phy"
    if not made.exists():
        made.parent.mkdir(parents=True, exist_ok=True)
        write_whole(made, phylip(determined_columns(nexus_rows(PACKAGED[name].read_text()))))
    return made


def nexus_rows(text: str) -> dict[str, str]:
    """Gives the rows of the first matrix of a sequential NEXUS file; the program under test has a reader of its own."""
    body = text[text.lower().index("matrix") + len("matrix"):]
    rows: dict[str, str] = {}
    for line in body[: body.index(";")].splitlines():
        words = line.split()
        if words:
            rows[words[0]] = rows.get(words[0], "") + "".join(words[1:])
    return rows


def determined_columns(rows: dict[str, str]) -> dict[str, str]:
    """Gives the rows without the columns in which no row determines a base."""
    columns = [column for column in zip(*rows.values()) if not NO_INFORMATION.issuperset(column)]
    return {name: "".join(row) for name, row in zip(rows, zip(*columns))}


def phylip(rows: dict[str, str]) -> str:
    length = len(next(iter(rows.values())))
    return f"{len(rows)} {length}\n" + "".join(f"{name} {row}\n" for name, row in rows.items())


def tree_and_model(name: str) -> tuple[Path, Path] | None:
    """Gives the reference tree and model of an alignment, where the project has them beside it."""
    tree = SHARED / "likelihood" / f"{name}.tree"
    model = SHARED / "likelihood" / f"{name}.model"
    return (tree, model) if tree.exists() and model.exists() else None
