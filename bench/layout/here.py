#!/usr/bin/env python3
"""The model of layered parallelism against measurement on this machine.

    python3 bench/layout/here.py [--development] [--rounds 7] [--only NAME] [--json FILE]

Each program has one phase, which may run many times: six of bench/unseen that were not looked at when the model was made, the chains of
docs/layout.md, and bootstraps and coupled chains of maslin-phylo. --development takes others, on which what cores share was looked at. The
machine is measured by `maslin machine --calibrate`; `maslin layout --beside` records each program on one worker, alone and beside a copy,
and says what each layout takes; and the program runs in each layout, by turns. Compared is what all runs of the phase take, as a trace of
phases alone gives it. Printed are each layout's error, their mean, and what the layout that is named takes over the best. Use a quiet
machine. The programs check their answers. ./dev bench --only layout/here makes rows of it."""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from dataclasses import dataclass, field
from pathlib import Path
from statistics import mean, median
from typing import Callable, Sequence

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from scorecard import data  # noqa: E402
from scorecard.measure import MeasurementError, alternate, binary, execute, show  # noqa: E402
from maslin_report.whole import write_whole  # noqa: E402  scorecard says where

WORKERS = 2
# Of those of bench/unseen that are not put aside: one of each family, and two of the mixes.
SIX = ("assembly", "knapsack", "heat", "covariance", "fft", "images")
FOR_DEVELOPMENT = ("k-means", "queens", "n-body", "lattice-boltzmann", "boundary-elements", "particles-in-cell")
ALIGNMENT, FOR_DEVELOPMENT_ALIGNMENT = "d041_m1366", "d025_h1n1ha"
ENVIRONMENT = {"MASLIN_LEARNED": "off", "MASLIN_REPORT": "off"}


@dataclass(eq=False)
class Case:
    """A program, and by layouts what the model says and what runs take of its phase, in seconds, round by round."""

    name: str
    command: Sequence
    predicted: dict[str, list[float]] = field(default_factory=dict)
    measured: dict[str, list[float]] = field(default_factory=dict)

    @property
    def errors(self) -> dict[str, float]:
        return {layout: median(self.predicted[layout]) / median(took) - 1 for layout, took in self.measured.items()}

    @property
    def named(self) -> str:
        return min(self.predicted, key=lambda layout: median(self.predicted[layout]))

    @property
    def best(self) -> str:
        return min(self.measured, key=lambda layout: median(self.measured[layout]))

    @property
    def over_best(self) -> float:
        """What the layout that is named takes over the best one."""
        return median(self.measured[self.named]) / median(self.measured[self.best]) - 1


def programs(folder: Path, development: bool = False) -> list[Case]:
    found = [Case(f"unseen/{name}", [binary("unseen_maslin"), name]) for name in (FOR_DEVELOPMENT if development else SIX)]
    if not development:
        found.append(Case("chains", [binary("page_layout_1"), "600"]))
    try:
        alignment = data.alignment(FOR_DEVELOPMENT_ALIGNMENT if development else ALIGNMENT)
    except MeasurementError as absent:
        print(f"bootstraps and mcmc left out: {absent}", file=sys.stderr)
        return found
    phylo = ["sh", "-c", 'exec "$@" --prefix "$0/$$"', folder, binary("maslin-phylo")]  # copies write files of their own
    found.append(Case("bootstraps", [*phylo, "bootstrap", "--msa", alignment, "--model", "GTR+F+G", "--replicates", "6", "--quiet"]))
    found.append(Case("mcmc", [*phylo, "mcmc", "--msa", alignment, "--model", "GTR+G", "--generations", "4000", "--runs", "1", "--chains", "4",
                               "--sample", "100", "--seed", "1", "--quiet"]))
    return found


def calibrated(folder: Path) -> Path:
    """Gives a description of this machine."""
    machine = folder / "here.toml"
    execute([binary("maslin"), "machine", "--calibrate", machine])
    return machine


def predicted(command: Sequence, machine: Path) -> tuple[str, dict[str, float]]:
    """Gives the name of the program's phase, and what each layout takes of it, the one that is named first."""
    _, said = execute([binary("maslin"), "layout", "--beside", "--machine", machine, "--all", "--json", "--", *command], ENVIRONMENT)
    phases = json.loads(said)["phases"]
    if len(phases) != 1:
        raise MeasurementError(f"{command[0]} has {len(phases)} phases; expected one")
    return phases[0]["name"], {f"{one['streams']}x{one['width']}": one["seconds"] for one in phases[0]["candidates"]}


def phase_seconds(command: Sequence, phase: str, layout: str, trace: Path) -> float:
    """Gives what all runs of the phase take in that layout."""
    execute(command, ENVIRONMENT | {"MASLIN_WORKERS": str(WORKERS), "MASLIN_PIN": f"{phase}={layout}", "MASLIN_TRACE": str(trace),
                                    "MASLIN_TRACE_DETAIL": "streams"})
    _, said = execute([binary("maslin"), "trace", "spans", trace])
    trace.unlink()
    return sum(one["end_s"] - one["begin_s"] for one in json.loads(said)["phases"] if one["name"] == phase)


def measure(case: Case, machine: Path, folder: Path, rounds: int, tell: Callable[[str], None]) -> None:
    """Adds so many rounds. In each the program is recorded anew, too."""
    trace = folder / "run.mtrace"
    phase, first = predicted(case.command, machine)  # names the layouts; what it says counts for no round

    def record(_: int) -> float:
        for layout, seconds in predicted(case.command, machine)[1].items():
            case.predicted.setdefault(layout, []).append(seconds)
        return 0.0

    sides: dict[str, Callable[[int], float]] = {"recorded": record}
    sides |= {layout: lambda _, layout=layout: phase_seconds(case.command, phase, layout, trace) for layout in first}
    values = alternate(sides, [rounds], lambda at: tell(f"{case.name}: {at}"))
    for layout in first:
        case.measured.setdefault(layout, []).extend(values[layout])


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--development", action="store_true", help="other programs")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--only", default="", help="names that contain this")
    parser.add_argument("--json", type=Path, help="write every value there")
    wish = parser.parse_args()
    if wish.rounds < 1:
        parser.error(f"--rounds {wish.rounds}: expected one or more")
    with tempfile.TemporaryDirectory(prefix="maslin_here_") as name:
        folder = Path(name)
        chosen = [case for case in programs(folder, wish.development) if wish.only in case.name]
        if not chosen:
            parser.error(f"--only {wish.only}: no program's name contains that")
        show("this machine")
        machine = calibrated(folder)
        description = machine.read_text(encoding="utf-8")
        for case in chosen:
            measure(case, machine, folder, wish.rounds, show)
            show("")
            print(f"{case.name:22} " + "  ".join(f"{layout} {100 * error:+6.1f}%" for layout, error in sorted(case.errors.items()))
                  + f"  named {case.named}, best {case.best}: {100 * case.over_best:.1f}% over it", flush=True)
    errors = [abs(error) for case in chosen for error in case.errors.values()]
    print(f"mean error {100 * mean(errors):.1f} % over {len(errors)} layouts, worst {100 * max(errors):.1f} %; the named layout takes "
          f"{100 * mean(case.over_best for case in chosen):.1f} % over the best in the mean")
    if wish.json:
        write_whole(wish.json, json.dumps({"machine": description, "programs": {case.name: {
            "predicted": case.predicted, "measured": case.measured, "errors": case.errors, "named": case.named, "best": case.best,
            "over_best": case.over_best} for case in chosen}}, indent=1))
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except (MeasurementError, OSError) as problem:
        print(f"here.py: {problem}", file=sys.stderr)
        sys.exit(2)
