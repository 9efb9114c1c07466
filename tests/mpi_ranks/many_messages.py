"""Runs random message programs, any number of them: tags, wild cards, calls of all, what does not block, all sizes.

many_messages.py FOLDER_OF_COMMANDS [--seed 1] [--programs 1000000] [--in-a-run 2000] [--most-bytes 4194304]
                 [--processes 1,1,2,3] [--seconds 150]

Each run of programs/random_messages.c is `--in-a-run` of them. Its seed decides how many ranks, workers and processes
there are. In one process small ones take 0.2 ms each; in several that share cores, 20 ms. Prints the command of each
run that fails, and how many programs were run. Status 1 when any run fails.
"""

import argparse
import os
import random
import subprocess
import sys
import tempfile
import time
from pathlib import Path

PROGRAM = Path(__file__).parent / "programs" / "random_messages.c"


def command_of(seed: int, options: argparse.Namespace, program: Path) -> tuple[list[str], dict[str, str]]:
    drawn = random.Random(seed)
    processes = drawn.choice(options.processes)
    ranks = processes + drawn.randrange(8)
    workers = drawn.choice((1, 2, 3, 8)) if processes == 1 else 1
    divided = ["--processes", str(processes)] if processes > 1 else []
    command = [str(options.commands / "maslin-mpirun"), "-n", str(ranks), *divided, str(program), str(seed),
               str(options.in_a_run), str(options.most_bytes)]
    return command, {"MASLIN_WORKERS": str(workers), "MASLIN_LEARNED": "off"}


def run(command: list[str], settings: dict[str, str]) -> str:
    """Gives what a failed run has said; nothing of one that passed."""
    try:
        done = subprocess.run(command, env=os.environ | settings, capture_output=True, text=True, timeout=1000, check=False)
    except subprocess.TimeoutExpired:
        return "no end in 1,000 s"
    if (done.returncode, done.stdout) == (0, "all is right\n"):
        return ""
    return f"status {done.returncode}\n{done.stdout[-2000:]}{done.stderr[-2000:]}"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("commands", type=Path, help="the folder of maslin-mpicc and maslin-mpirun")
    parser.add_argument("--seed", type=int, default=1, help="of the first run")
    parser.add_argument("--programs", type=int, default=1_000_000, help="how many there are, in all runs")
    parser.add_argument("--in-a-run", type=int, default=2000, help="how many there are in a run")
    parser.add_argument("--most-bytes", type=int, default=4 << 20, help="of a message")
    parser.add_argument("--processes", type=lambda text: [int(one) for one in text.split(",")], default=[1, 1, 2, 3],
                        help="one of these numbers is drawn for each run")
    parser.add_argument("--seconds", type=float, default=float("inf"), help="no run begins after so long")
    options = parser.parse_args()
    end = time.monotonic() + options.seconds
    with tempfile.TemporaryDirectory() as folder:
        program = Path(folder) / "random_messages"
        subprocess.run([options.commands / "maslin-mpicc", "-O2", PROGRAM, "-o", program], check=True)
        runs = failed = 0
        while runs * options.in_a_run < options.programs and time.monotonic() < end:
            command, settings = command_of(options.seed + runs, options, program)
            runs += 1
            if said := run(command, settings):
                failed += 1
                print(*(f"{key}={value}" for key, value in settings.items()), *command, said, flush=True)
    print(f"{runs * options.in_a_run:,} programs in {runs} runs, seeds from {options.seed}, up to {options.most_bytes:,} "
          f"bytes a message: {failed} runs failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
