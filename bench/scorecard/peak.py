"""Runs a program and writes the largest peak of its resident memory, in KiB, to a file: peak.py FILE PROGRAM [ARGUMENTS...]

The system counts what a process had before it became the program, too: that is this one, which is small, and not the scorecard."""

import resource
import subprocess
import sys

status = subprocess.run(sys.argv[2:], check=False).returncode
with open(sys.argv[1], "w", encoding="ascii") as told:
    told.write(str(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss))
sys.exit(status if status >= 0 else 128 - status)
