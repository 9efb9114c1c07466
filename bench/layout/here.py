#!/usr/bin/env python3
"""The model of layered parallelism against measurement on this machine.

    python3 bench/layout/here.py [--rounds 7] [--only NAME] [--json FILE]

Each program is one phase: six of bench/unseen that were not looked at when the model was made, the chains of docs/layout.md, and bootstraps
of maslin-phylo. The machine is measured by `maslin machine --calibrate`; each program is recorded on one worker, `maslin layout --all` says
what each layout takes, and the program runs in each layout, by turns. Compared is the phase's time, as the run's report gives it. Printed
are each layout's error, their mean, and what the layout that is named takes over the best. Use a quiet machine. The programs check their
answers. Not here: maslin-phylo mcmc, which has a phase for each generation."""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from pathlib import Path
from statistics import mean, median
from typing import Callable

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from scorecard import data  # noqa: E402
from scorecard.measure import MeasurementError, alternate, binary, execute, show  # noqa: E402
from maslin_report.whole import write_whole  # noqa: E402  scorecard says where

WORKERS = 2
# Of those of bench/unseen that are not put aside: one of each family, and two of the mixes.
SIX = ("assembly", "knapsack", "heat", "covariance", "fft", "images")
ENVIRONMENT = {"MASLIN_LEARNED": "off", "MASLIN_REPORT": "off"}


def programs(folder: Path) -> dict[str, list]:
    """Gives the commands by name."""
    found: dict[str, list] = {f"unseen/{name}": [binary("unseen_maslin"), name] for name in SIX}
    found["chains"] = [binary("page_layout_1"), "600"]
    try:
        alignment = data.alignment("d041_m1366")
    except MeasurementError as absent:
        print(f"bootstraps left out: {absent}", file=sys.stderr)
        return found
    found["bootstraps"] = [binary("maslin-phylo"), "bootstrap", "--msa", alignment, "--model", "GTR+F+G", "--replicates", "6", "--quiet",
                           "--redo", "--prefix", folder / "bootstraps"]
    return found


def predicted(command: list, machine: Path, trace: Path) -> tuple[str, dict[str, float]]:
    """Gives the name of the program's phase, and what each layout takes of it, the one that is named first."""
    execute(command, ENVIRONMENT | {"MASLIN_WORKERS": "1", "MASLIN_TRACE": str(trace)})
    _, said = execute([binary("maslin"), "layout", trace, "--machine", machine, "--all", "--json"])
    trace.unlink()
    phases = json.loads(said)["phases"]
    if len(phases) != 1 or phases[0]["runs"] != 1:
        raise MeasurementError(f"{command[0]} has {len(phases)} phases; expected one that runs once")
    return phases[0]["name"], {f"{one['streams']}x{one['width']}": one["seconds"] for one in phases[0]["candidates"]}


def phase_seconds(command: list, phase: str, layout: str, report: Path) -> float:
    execute(command, ENVIRONMENT | {"MASLIN_WORKERS": str(WORKERS), "MASLIN_PIN": f"{phase}={layout}", "MASLIN_REPORT": str(report)})
    return next(one["seconds"] for one in json.loads(report.read_text(encoding="utf-8"))["phases"] if one["name"] == phase)


def compared(command: list, machine: Path, folder: Path, rounds: int, tell: Callable[[str], None]) -> dict:
    """Gives what each layout takes by the model, and in each round. In each round the program is recorded anew, too: the median counts."""
    phase, first = predicted(command, machine, folder / "run.mtrace")
    model: dict[str, list[float]] = {layout: [] for layout in first}

    def record(_: int) -> float:
        for layout, seconds in predicted(command, machine, folder / "run.mtrace")[1].items():
            model[layout].append(seconds)
        return 0.0

    sides: dict[str, Callable[[int], float]] = {"recorded": record}
    sides |= {layout: lambda _, layout=layout: phase_seconds(command, phase, layout, folder / "report.json") for layout in first}
    values = alternate(sides, [rounds], tell)
    return {"predicted": model, "measured": {layout: values[layout] for layout in first}}


def judged(found: dict) -> dict:
    """Gives the layouts' errors, the one that is named, the best one, and what the first takes over the second."""
    model = {layout: median(values) for layout, values in found["predicted"].items()}
    took = {layout: median(values) for layout, values in found["measured"].items()}
    named, best = min(model, key=model.__getitem__), min(took, key=took.__getitem__)
    return {"errors": {layout: model[layout] / took[layout] - 1 for layout in model}, "named": named, "best": best,
            "over_best": took[named] / took[best] - 1}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--only", default="", help="names that contain this")
    parser.add_argument("--json", type=Path, help="write every value there")
    wish = parser.parse_args()
    if wish.rounds < 1:
        parser.error(f"--rounds {wish.rounds}: expected one or more")
    every: dict[str, dict] = {}
    with tempfile.TemporaryDirectory(prefix="maslin_here_") as name:
        folder = Path(name)
        chosen = {name: command for name, command in programs(folder).items() if wish.only in name}
        if not chosen:
            parser.error(f"--only {wish.only}: no program's name contains that")
        machine = folder / "here.toml"
        show("this machine")
        execute([binary("maslin"), "machine", "--calibrate", machine])
        description = machine.read_text(encoding="utf-8")
        for program, command in chosen.items():
            found = compared(command, machine, folder, wish.rounds, lambda at, program=program: show(f"{program}: {at}"))
            show("")
            every[program] = found | judged(found)
            one = every[program]
            print(f"{program:22} " + "  ".join(f"{layout} {100 * error:+6.1f}%" for layout, error in sorted(one["errors"].items()))
                  + f"  named {one['named']}, best {one['best']}: {100 * one['over_best']:.1f}% over it", flush=True)
    errors = [abs(error) for one in every.values() for error in one["errors"].values()]
    print(f"mean error {100 * mean(errors):.1f} % over {len(errors)} layouts, worst {100 * max(errors):.1f} %; the named layout takes "
          f"{100 * mean(one['over_best'] for one in every.values()):.1f} % over the best in the mean")
    if wish.json:
        write_whole(wish.json, json.dumps({"machine": description, "programs": every}, indent=1))
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except (MeasurementError, OSError) as problem:
        print(f"here.py: {problem}", file=sys.stderr)
        sys.exit(2)
