#!/usr/bin/env python3
"""Judges the model of layered parallelism against exec/virtual.

    python3 bench/layout/judge.py [--development] [--json] [--quick] [--program NAME]

Each case is recorded once on one worker; `maslin layout` says of it what each layout of a console would take with each master of its
loops, a worker or the host; the program is run in each with each on the described machine. Printed are the errors of what it says of each
layout, which is with the faster master, and of the other one; and what the layout and the master that it names cost over the best of all.
Costs are declared, so a run is the same every time. --development takes the cases that the model was developed on (cases.py); --quick
every sixth case."""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
from pathlib import Path
from typing import Callable

sys.path.insert(0, str(Path(__file__).parent))
import cases  # noqa: E402
from scorecard.measure import MeasurementError, binary, execute, show  # noqa: E402

ONE_WORKER = 'name = "one"\n[workers]\nkind = "cpu"\ncount = 1\nsource = "one worker, to record on"\n'
PHASES = {"bootstraps": "bootstraps", "chain": "chain"}


def simulated(case: cases.Case, machine: Path, streams: int, width: int, master: str) -> float:
    words = [binary("layered_programs"), *case.words()]
    if case.program == "chain":
        words += ["--ranks", str(streams)]
    _, said = execute(words, {"MASLIN_MACHINE": str(machine), "MASLIN_DURATIONS": "declared", "MASLIN_QUIET": "1", "MASLIN_MASTER": master,
                              "MASLIN_PIN": f"{PHASES[case.program]}={streams}x{width}"})
    return json.loads(said)["seconds"]


def judged(case: cases.Case, folder: Path) -> dict:
    """Gives for each layout (of a console) what the model predicts and what exec/virtual says: with the master of its loops that the
    model names (`rows`), and with the other one (`others`)."""
    one, machine, trace = folder / "one.toml", folder / "machine.toml", folder / "run.mtrace"
    one.write_text(ONE_WORKER, encoding="utf-8")
    machine.write_text(case.machine(), encoding="utf-8")
    execute([binary("layered_programs"), *case.words()],
            {"MASLIN_MACHINE": str(one), "MASLIN_DURATIONS": "declared", "MASLIN_QUIET": "1", "MASLIN_TRACE": str(trace)})
    layouts = [(streams * case.nodes, width) for streams, width in cases.LAYOUTS]
    ranks = "streams" if case.program == "chain" else "none"
    _, said = execute([binary("maslin"), "layout", str(trace), "--machine", str(machine), "--ranks", ranks, "--json",
                       "--layout", ",".join(f"{streams}x{width}" for streams, width in layouts)], {})
    trace.unlink()
    report = json.loads(said)
    rows, others = [], []
    for one_of in report["phases"][0]["candidates"]:
        streams, width = one_of["streams"], one_of["width"]
        faster = one_of.get("loop_master", "worker")
        for master, takes in one_of.get("seconds_by_master", {"worker": one_of["seconds"]}).items():  # one worker shares no loops
            seconds = simulated(case, machine, streams, width, master)
            predicted = takes + report["between_s"]
            row = {"layout": f"{streams}x{width}" + (" by host" if master == "host" else ""), "predicted_s": predicted,
                   "error_s": one_of["error_s"], "simulated_s": seconds, "error": predicted / seconds - 1,
                   "idealised": one_of["idealised_s"] / seconds - 1}
            (rows if master == faster else others).append(row)
    named, best = (min(rows + others, key=lambda row: row[takes]) for takes in ("predicted_s", "simulated_s"))
    return {"program": case.program, "size": case.size, "nodes": case.nodes, "rows": rows, "others": others, "named": named["layout"],
            "best": best["layout"], "over_best": named["simulated_s"] / best["simulated_s"] - 1}


def summary(all_cases: list[dict]) -> dict:
    errors = [abs(row["error"]) for case in all_cases for row in case["rows"]]
    others = [abs(row["error"]) for case in all_cases for row in case["others"]]
    ideal = [abs(row["idealised"]) for case in all_cases for row in case["rows"]]
    within = [abs(row["predicted_s"] - row["simulated_s"]) <= 2 * row["error_s"] for case in all_cases for row in case["rows"]]
    return {"cases": len(all_cases), "predictions": len(errors), "mean_error": sum(errors) / len(errors), "worst_error": max(errors),
            "worst_over_best": max(case["over_best"] for case in all_cases),
            "best_or_within_3_percent": sum(case["over_best"] <= 0.03 for case in all_cases),
            "other_predictions": len(others), "mean_error_of_others": sum(others) / len(others), "worst_error_of_others": max(others),
            "within_two_errors": sum(within) / len(within), "mean_error_of_the_equations_alone": sum(ideal) / len(ideal)}


def judge_all(chosen: list[cases.Case], tell: Callable[[str], None] = show) -> list[dict]:
    done = []
    with tempfile.TemporaryDirectory(prefix="maslin_layout_") as folder:
        for number, case in enumerate(chosen):
            tell(f"{number} of {len(chosen)}: {case.program} {case.size} on {case.nodes}")
            done.append(judged(case, Path(folder)))
    tell("")
    return done


def show_summary(figures: dict) -> None:
    for key, value in figures.items():
        print(f"{key.replace('_', ' ')}: {value if isinstance(value, int) else f'{100 * value:.1f} %'}")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--development", action="store_true", help="the cases on which the model was developed")
    parser.add_argument("--quick", action="store_true", help="every sixth case")
    parser.add_argument("--program", choices=tuple(PHASES), help="only this one")
    parser.add_argument("--rows", action="store_true", help="print every prediction")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    options = parser.parse_args()
    chosen = [one for one in (cases.DEVELOPMENT if options.development else cases.JUDGED) if options.program in (None, one.program)]
    if options.quick:
        chosen = chosen[::6]
    for name in [name for name in os.environ if name.startswith("MASLIN_") and name != "MASLIN_BENCH_BIN"]:
        del os.environ[name]
    try:
        done = judge_all(chosen)
    except (MeasurementError, OSError) as problem:
        print(f"judge: {problem}", file=sys.stderr)
        return 1
    if options.json:
        print(json.dumps({"summary": summary(done), "cases": done}, indent=1))
        return 0
    print(f"{'program':10} {'size':>5} {'nodes':>5} {'mean':>7} {'worst':>7}  {'named':>11} {'best':>11} {'over best':>9}")
    for case in done:
        errors = [row["error"] for row in case["rows"]]
        print(f"{case['program']:10} {case['size']:5} {case['nodes']:5} {100 * sum(map(abs, errors)) / len(errors):6.1f}% "
              f"{100 * max(errors, key=abs):6.1f}%  {case['named']:>11} {case['best']:>11} {100 * case['over_best']:8.1f}%")
        if options.rows:
            for row in case["rows"] + case["others"]:
                print(f"    {row['layout']:>11}  model {row['predicted_s']:.6f} +- {row['error_s']:.6f}  exec/virtual {row['simulated_s']:.6f}  "
                      f"{100 * row['error']:+.1f} %  equations alone {100 * row['idealised']:+.1f} %")
    show_summary(summary(done))
    return 0


if __name__ == "__main__":
    sys.exit(main())
