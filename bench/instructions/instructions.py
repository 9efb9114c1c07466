#!/usr/bin/env python3
"""Counts the instructions that the hot paths take on one worker, by callgrind: what a noisy machine cannot hide.

Each path runs COUNT and three times COUNT times; the difference leaves out what a process takes once. With --against
FILE (an earlier --json) it also prints the change, and the status is 1 where a path takes over one per cent more; the
tests do so with baseline.json. A commit that changes a path on purpose writes that file anew (--json) and says why.

Tasks that their creator runs at once are not among the paths: what is small enough is decided by time, which passes
some fifty times as fast under callgrind.
"""

import argparse
import json
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

PATHS = ("task", "data", "loop", "stream", "offload", "replay", "fork", "message", "exchange", "meeting")
COUNT = 5120
TOLERANCE = 0.01
TRIES = 3  # what depends on time after all (a replay that is tried the other way) only ever adds
SKIPPED = 77


def instructions(program: Path, path: str, count: int) -> int:
    with tempfile.NamedTemporaryFile() as counts:
        command = ["valgrind", "--tool=callgrind", f"--callgrind-out-file={counts.name}", str(program), path, str(count)]
        ran = subprocess.run(command, capture_output=True, text=True)
    if ran.returncode != 0:
        sys.exit(f"{' '.join(command)} ended with status {ran.returncode}:\n{ran.stderr}")
    return int(re.search(r"Collected : (\d+)", ran.stderr)[1])


def main() -> int:
    asked = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    asked.add_argument("program", type=Path, help="the built instructions_paths")
    asked.add_argument("--json", type=Path, metavar="FILE", help="write what was counted there")
    asked.add_argument("--against", type=Path, metavar="FILE", help="compare with what was counted earlier")
    asked.add_argument("--tolerance", type=float, default=TOLERANCE, metavar="PART",
                       help="how much more is too much (%(default)s)")
    asked.add_argument("--compiler", default="", metavar="NAME", help="what built the program: kept with --json; with "
                       "--against, nothing is counted (status 77) where FILE is of another one")
    arguments = asked.parse_args()
    earlier = {"compiler": arguments.compiler, "paths": {}}
    if arguments.against:
        earlier = json.loads(arguments.against.read_text())
    if not shutil.which("valgrind"):
        print("skipped: valgrind is not installed")
        return SKIPPED
    if earlier["compiler"] != arguments.compiler:
        print(f"skipped: {arguments.against} is of {earlier['compiler']}, the program of {arguments.compiler}")
        return SKIPPED
    before = earlier["paths"]
    now, worse = {}, False
    for path in PATHS:
        few = many = float("inf")
        for _ in range(TRIES):
            few = min(few, instructions(arguments.program, path, COUNT))
            many = min(many, instructions(arguments.program, path, 3 * COUNT))
            now[path] = round((many - few) / (2 * COUNT), 1)
            if now[path] <= before.get(path, 0) * (1 + arguments.tolerance):
                break
        line = f"{path:11} {now[path]:9.1f}"
        if path in before:
            change = now[path] / before[path] - 1
            worse |= change > arguments.tolerance
            line += f"  {change:+6.1%}"
        print(line, flush=True)
    if arguments.json:
        arguments.json.write_text(json.dumps({"compiler": arguments.compiler, "paths": now}, indent=1) + "\n")
    if worse:
        print(f"A path takes over {arguments.tolerance:.0%} more than in {arguments.against}.")
    return worse


if __name__ == "__main__":
    sys.exit(main())
