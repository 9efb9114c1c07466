"""Two programs print the same: agree.py PROGRAM PROGRAM. Leaves with status 1 where they do not, or fail."""

import subprocess
import sys


def printed(program: str) -> str:
    done = subprocess.run([program], capture_output=True, text=True, timeout=60, check=False)
    if done.returncode != 0 or not done.stdout.strip():
        sys.exit(f"{program} left with status {done.returncode} and printed {done.stdout!r} {done.stderr!r}")
    return done.stdout


before, after = map(printed, sys.argv[1:])
if before != after:
    sys.exit(f"expected the same of both:\n{sys.argv[1]}: {before}\n{sys.argv[2]}: {after}")
print(before, end="")
