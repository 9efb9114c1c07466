#!/usr/bin/env python3
"""Counts the instructions that the hot paths take on one worker, by callgrind: what a noisy machine cannot hide.

Each path runs COUNT and three times COUNT times; the difference leaves out what a process takes once. With --against
FILE (an earlier --json) it also prints the change, and the status is 1 where a path takes over one per cent more.

Tasks that their creator runs at once are not among the paths: what is small enough is decided by time, which passes
some fifty times as fast under callgrind.
"""

import argparse
import json
import re
import subprocess
import sys
import tempfile
from pathlib import Path

PATHS = ("task", "data", "loop", "stream", "offload", "replay", "fork", "message", "exchange", "meeting")
COUNT = 5120
TOLERANCE = 0.01


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
    arguments = asked.parse_args()
    before = json.loads(arguments.against.read_text()) if arguments.against else {}
    now, worse = {}, False
    for path in PATHS:
        few, many = (instructions(arguments.program, path, count) for count in (COUNT, 3 * COUNT))
        now[path] = round((many - few) / (2 * COUNT), 1)
        line = f"{path:11} {now[path]:9.1f}"
        if path in before:
            change = now[path] / before[path] - 1
            worse |= change > TOLERANCE
            line += f"  {change:+6.1%}"
        print(line, flush=True)
    if arguments.json:
        arguments.json.write_text(json.dumps(now, indent=1) + "\n")
    return worse


if __name__ == "__main__":
    sys.exit(main())
