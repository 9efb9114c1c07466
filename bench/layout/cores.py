#!/usr/bin/env python3
"""The model of layered parallelism on described machines of cores, none of which it was developed or judged on.

    python3 bench/layout/cores.py [--aside]

6, 24 and 200 streams of kernels with loops on 8 to 128 cores (bench/grain/specs): every layout that `maslin layout` knows is run on
exec/virtual. Prints the errors, and what the layout that it names takes over the best. --aside takes two other programs on other numbers
of cores, which were put aside before the model counted who sleeps."""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from pathlib import Path
from typing import Sequence

sys.path.insert(0, str(Path(__file__).parent))
import cases  # noqa: E402
from judge import ONE_WORKER  # noqa: E402
from scorecard.measure import MeasurementError, binary, execute  # noqa: E402

VIRTUAL = {"MASLIN_DURATIONS": "declared", "MASLIN_QUIET": "1"}


USUAL = "--offloads 12 --host-us 20 --serial-us 30 --loop-us 2000 --iterations 512 --spread 0.5"
SHORT = "--offloads 12 --host-us 5 --serial-us 8 --loop-us 700 --iterations 320 --spread 0.3"
LONG = "--offloads 6 --host-us 60 --serial-us 100 --loop-us 9000 --iterations 2048 --spread 0.8"
FIRST = [(cores, streams, USUAL) for cores in (8, 16, 64, 128) for streams in (6, 24, 200)]
ASIDE = [(cores, streams, program) for program in (SHORT, LONG) for cores in (12, 48, 256) for streams in (10, 40)]


def judged(words: Sequence[str], machine: Path, folder: Path) -> dict:
    """Records the program `layered_programs WORDS` on one worker. Gives the layout that `maslin layout` names, the best one, what the first
    takes over the second, and each layout with what a run takes and the error of its prediction. Runs have the master of loops that is
    predicted to be the faster one. The program has one phase, called as its first word."""
    one, trace = folder / "one.toml", folder / "run.mtrace"
    one.write_text(ONE_WORKER, encoding="utf-8")
    program = [binary("layered_programs"), *words]
    execute(program, VIRTUAL | {"MASLIN_MACHINE": str(one), "MASLIN_TRACE": str(trace)})
    _, said = execute([binary("maslin"), "layout", trace, "--machine", machine, "--json"], {})
    trace.unlink()
    rows = []
    for candidate in json.loads(said)["phases"][0]["candidates"]:
        layout = f"{candidate['streams']}x{candidate['width']}"
        _, ran = execute(program, VIRTUAL | {"MASLIN_MACHINE": str(machine), "MASLIN_PIN": f"{words[0]}={layout}",
                                             "MASLIN_MASTER": candidate.get("loop_master", "auto")})
        seconds = json.loads(ran)["seconds"]
        rows.append((layout, seconds, candidate["seconds"] / seconds - 1))
    best = min(rows, key=lambda row: row[1])
    return {"named": rows[0][0], "best": best[0], "over_best": rows[0][1] / best[1] - 1, "errors": [error for _, _, error in rows],
            "rows": rows}


def case(cores: int, streams: int, program: str, folder: Path) -> dict:
    machine = cases.ROOT / "bench" / "grain" / "specs" / f"synthetic-{cores}.toml"
    return {"cores": cores, "streams": streams} | judged(["bootstraps", "--streams", str(streams), *program.split()], machine, folder)


def line(of: dict) -> str:
    errors = of["errors"]
    return (f"{of['cores']:5} {of['streams']:7} {len(errors):7} {100 * sum(map(abs, errors)) / len(errors):5.1f}% "
            f"{100 * max(errors, key=abs):+6.1f}%  {of['named']:>6} {of['best']:>6} {100 * of['over_best']:8.1f}%")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--aside", action="store_true", help="the cases that were put aside")
    options = parser.parse_args()
    print("cores streams layouts   mean   worst   named   best over best")
    try:
        with tempfile.TemporaryDirectory(prefix="maslin_layout_") as folder:
            for one in ASIDE if options.aside else FIRST:
                print(line(case(*one, Path(folder))), flush=True)
    except (MeasurementError, OSError) as problem:
        print(f"cores: {problem}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
