"""Two programs print the same: agree.py [--ranks N] PROGRAM PROGRAM. Leaves with status 1 where they do not, or fail; with
77 where mpirun is missing that is to start N ranks of each."""

import argparse
import os
import shutil
import subprocess
import sys


def printed(program: str, ranks: int | None) -> str:
    """Gives what a program prints."""
    launcher = ["mpirun", "--oversubscribe", "--bind-to", "none", "-n", str(ranks)] if ranks else []
    environment = {**os.environ, "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
    done = subprocess.run([*launcher, program], env=environment, capture_output=True, text=True, timeout=60, check=False)
    if done.returncode != 0 or not done.stdout.strip():
        sys.exit(f"{program} left with status {done.returncode} and printed {done.stdout!r} {done.stderr!r}")
    return done.stdout


parser = argparse.ArgumentParser()
parser.add_argument("--ranks", type=int)
parser.add_argument("programs", nargs=2)
options = parser.parse_args()
if options.ranks and not shutil.which("mpirun"):
    print("skipped: there is no mpirun (Debian: openmpi-bin)")
    sys.exit(77)
before, after = (printed(program, options.ranks) for program in options.programs)
if before != after:
    sys.exit(f"expected the same of both:\n{options.programs[0]}: {before}\n{options.programs[1]}: {after}")
print(before, end="")
