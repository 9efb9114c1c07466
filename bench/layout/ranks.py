#!/usr/bin/env python3
"""What `maslin layout` says of ranks that were recorded with their messages, against runs of them on 64 described cores, or accelerators.

    python3 bench/layout/ranks.py [--development] [--accelerators] [--json]

Ranks share a loop each in every step, give a row to the next one, and meet. A case is recorded on one worker; `maslin layout` says of it
what each width takes on one node, and the program runs there on as many workers as all ranks have together, who help those that have
most to do. Costs are declared, so a run is the same every time; messages take no time there. Printed are the errors, in percent and in
standard errors, and what the width that is named takes over the best. --development takes the cases by which the model's own error was
found; the others were put aside until then. --accelerators takes 6, or 16, workers behind hosts."""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from pathlib import Path
from statistics import mean
from typing import Callable, Sequence

sys.path.insert(0, str(Path(__file__).parent))
import cases  # noqa: E402
from cores import LONG, SHORT, USUAL, VIRTUAL  # noqa: E402
from judge import ONE_WORKER, show_summary  # noqa: E402
from scorecard.measure import MeasurementError, binary, execute, show  # noqa: E402

MACHINE = cases.ROOT / "bench" / "grain" / "specs" / "synthetic-64.toml"
EVEN = "--host-us 100 --serial-us 50 --loop-us 4000 --iterations 1024 --spread 0"
STEPS = 10


def of_ranks(program: str) -> list[str]:
    """Gives the same times without the number of off-loads."""
    return program.split(" ", 2)[2].split() if program.startswith("--offloads") else program.split()


DEVELOPMENT = [(ranks, of_ranks(program)) for program in (USUAL, EVEN) for ranks in (2, 6, 16)]
JUDGED = [(ranks, of_ranks(program)) for program in (SHORT, LONG) for ranks in (3, 8, 20)]


# On accelerators: the ranks of the PlayStation's six, and of the blade's 16, whose sources do not say what a signal takes.
CONSOLE = cases.ps3.machine()
BLADE = (cases.ROOT / "specs" / "cell-qs20.toml").read_text(encoding="utf-8").replace("\n[transfer]\n", "\n[transfer]\nsignal_us = 0.5\n")
DEVELOPMENT_THERE = [(ranks, of_ranks(program)) for program in (USUAL, EVEN) for ranks in (2, 3)]
JUDGED_THERE = [(ranks, of_ranks(program)) for program in (SHORT, LONG) for ranks in (2, 3, 4, 8)]


def judged(ranks: int, program: Sequence[str], machine: Path, folder: Path) -> dict:
    """Gives for each width what is predicted, its error bar, and what the run takes."""
    one, trace = folder / "one.toml", folder / "run.mtrace"
    one.write_text(ONE_WORKER, encoding="utf-8")
    words = [binary("layered_programs"), "steps", "--ranks", str(ranks), "--steps", str(STEPS), *program]
    execute(words, VIRTUAL | {"MASLIN_MACHINE": str(one), "MASLIN_TRACE": str(trace)})
    _, said = execute([binary("maslin"), "layout", trace, "--machine", machine, "--json"], {})
    trace.unlink()
    rows = []
    for at in json.loads(said)["candidates"]:
        workers = ranks * at["width"]
        _, ran = execute(words, VIRTUAL | {"MASLIN_MACHINE": str(machine), "MASLIN_WORKERS": str(workers)})
        seconds = json.loads(ran)["seconds"]
        rows.append({"width": at["width"], "predicted_s": at["seconds"], "error_s": at["error_s"], "simulated_s": seconds,
                     "error": at["seconds"] / seconds - 1})
    best = min(rows, key=lambda row: row["simulated_s"])
    return {"ranks": ranks, "program": " ".join(program), "rows": rows, "named": rows[0]["width"], "best": best["width"],
            "over_best": rows[0]["simulated_s"] / best["simulated_s"] - 1}


def judge_all(chosen: Sequence[tuple[int, list[str]]], description: str, tell: Callable[[str], None] = show) -> list[dict]:
    done = []
    with tempfile.TemporaryDirectory(prefix="maslin_layout_") as folder:
        machine = Path(folder) / "machine.toml"
        machine.write_text(description, encoding="utf-8")
        for number, (ranks, program) in enumerate(chosen):
            tell(f"{number} of {len(chosen)}: {ranks} ranks")
            done.append(judged(ranks, program, machine, Path(folder)))
    tell("")
    return done


def summary(done: Sequence[dict]) -> dict:
    rows = [row for case in done for row in case["rows"]]
    return {"cases": len(done), "predictions": len(rows), "mean_error": mean(abs(row["error"]) for row in rows),
            "worst_error": max((row["error"] for row in rows), key=abs),
            "within_two_errors": mean(abs(row["predicted_s"] - row["simulated_s"]) <= 2 * row["error_s"] for row in rows),
            "worst_over_best": max(case["over_best"] for case in done)}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--development", action="store_true", help="the cases by which the model's own error was found")
    parser.add_argument("--accelerators", action="store_true", help="on accelerators instead of cores")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    options = parser.parse_args()
    try:
        if options.accelerators:
            done = judge_all(DEVELOPMENT_THERE, CONSOLE) if options.development else judge_all(JUDGED_THERE, BLADE)
        else:
            done = judge_all(DEVELOPMENT if options.development else JUDGED, MACHINE.read_text(encoding="utf-8"))
    except (MeasurementError, OSError) as problem:
        print(f"ranks: {problem}", file=sys.stderr)
        return 1
    if options.json:
        print(json.dumps({"summary": summary(done), "cases": done}, indent=1))
        return 0
    for case in done:
        print(f"{case['ranks']} ranks, {case['program']}: named width {case['named']}, best {case['best']}: "
              f"{100 * case['over_best']:.1f} % over it")
        for row in sorted(case["rows"], key=lambda row: row["width"]):
            print(f"  {row['width']:4} {row['predicted_s']:.6f} +- {row['error_s']:.6f}, runs {row['simulated_s']:.6f}  "
                  f"{100 * row['error']:+.1f} %")
    show_summary(summary(done))
    return 0


if __name__ == "__main__":
    sys.exit(main())
