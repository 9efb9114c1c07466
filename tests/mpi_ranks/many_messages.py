"""Runs random message programs, any number of them: tags, wild cards, windows, calls of all, of neighbours, all sizes.

many_messages.py FOLDER_OF_COMMANDS [--seed 1] [--programs 1000000] [--in-a-run 2000] [--most-bytes 4194304]
                 [--large-one-in 64] [--processes 1,1,2,3] [--on 1,2,3,8,64,serial,described] [--seconds 150]
                 [--other openmpi] [--nodes 2,3] [--launcher openmpi]

Each run of programs/random_messages.c is `--in-a-run` of them. Its seed decides how many ranks and processes there are,
and on what those of one process run. In one process one takes 0.6 ms of a core, a large one 30 ms; in several processes
that share cores, 3 to 30 ms. With `--other`, the program is built and run by that MPI, too, and what each rank has got
must be the same. With `--nodes`, the launcher of that MPI with which Maslin was built starts each run as so many nodes.
Prints the command of each run that fails, and how many programs were run. Status 1 when any run fails.
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
SPECS = Path(__file__).resolve().parents[2] / "specs"
# How many workers they have.
MACHINES = {"epyc-128": 128, "triblade": 32, "ps3": 6}
# How another MPI starts more ranks than there are cores; its ranks must not spin then.
OTHERS = {"openmpi": ("mpirun.openmpi", "--allow-run-as-root", "--oversubscribe", "--bind-to", "none", "--mca", "mpi_yield_when_idle", "1"),
          "mpich": ("mpirun.mpich",)}


class Drawn:
    """What a seed decides besides the program itself."""

    def __init__(self, seed: int, processes: list[int], on: list[str], nodes: list[int]) -> None:
        drawn = random.Random(seed)
        self.processes = drawn.choice(processes)
        more = drawn.randrange(8)
        self.on = drawn.choice(on) if self.processes == 1 and nodes == [1] else "1"
        self.nodes = drawn.choice(nodes)
        self.ranks = self.nodes * self.processes + more
        self.machine = drawn.choice(list(MACHINES))

    def settings(self) -> dict[str, str]:
        if self.on == "serial":
            return {"MASLIN_SERIAL": "1"}
        if self.on == "described":
            return {"MASLIN_MACHINE": str(SPECS / f"{self.machine}.toml"), "MASLIN_QUIET": "1"}
        return {"MASLIN_WORKERS": self.on}

    def workers(self) -> str:
        """Gives each rank's worker there: they are so far from each other as there is room, so messages pass all links."""
        return " ".join(str(rank * MACHINES[self.machine] // self.ranks) for rank in range(self.ranks))


def run(command: list[str], settings: dict[str, str]) -> str:
    """Gives what a failed run has said; nothing of one that passed."""
    try:
        done = subprocess.run(command, env=os.environ | settings, capture_output=True, text=True, timeout=1000, check=False)
    except subprocess.TimeoutExpired:
        return "no end in 1,000 s"
    if (done.returncode, done.stdout) == (0, "all is right\n"):
        return ""
    return f"status {done.returncode}\n{done.stdout[-2000:]}{done.stderr[-2000:]}"


def difference(ranks: int, ours: Path, theirs: Path) -> str:
    """Gives the first round in which a rank got something else, or nothing; ranks wrote one file each."""
    for rank in range(ranks):
        one, other = (Path(f"{file}.{rank}").read_text().splitlines() for file in (ours, theirs))
        if one == other and one:
            continue
        here = next((lines for lines in zip(one, other) if lines[0] != lines[1]), (f"{len(one)} rounds", f"{len(other)} rounds"))
        return f"rank {rank} got: {here[0]}; under the other MPI: {here[1]}"
    return ""


class Runs:
    def __init__(self, options: argparse.Namespace, folder: Path) -> None:
        self.options, self.folder = options, folder
        self.program = self.built(options.commands / "maslin-mpicc", "ours")
        self.other = self.built(f"mpicc.{options.other}", "theirs") if options.other else None

    def built(self, compiler: Path | str, name: str) -> Path:
        subprocess.run([compiler, "-O2", PROGRAM, "-o", self.folder / name], check=True)
        return self.folder / name

    def failure(self, seed: int) -> str:
        """Runs the programs of a seed; gives the command and what it said, or nothing if all is right."""
        options, drawn = self.options, Drawn(seed, self.options.processes, self.options.on, self.options.nodes)
        divided = ["--processes", str(drawn.processes)] if drawn.processes > 1 else []
        settings = drawn.settings() | {"MASLIN_LEARNED": "off", "MASLIN_REPORT": "off"}
        if drawn.on == "described":
            place = self.folder / "place"
            place.write_text(drawn.workers(), encoding="utf-8")
            divided = ["--place", str(place)]
        command = [str(options.commands / "maslin-mpirun"), "-n", str(drawn.ranks), *divided]
        if options.nodes != [1]:
            command = [*OTHERS[options.launcher], "-n", str(drawn.nodes), *command, "--nodes"]
        words = [str(number) for number in (seed, options.in_a_run, options.most_bytes, options.large_one_in)]
        files = [self.folder / "got", self.folder / "got-by-other"]
        written = [str(files[0])] if self.other else []
        said = run([*command, str(self.program), *words, *written], settings)
        if not said and self.other:
            said = run([*OTHERS[options.other], "-n", str(drawn.ranks), str(self.other), *words, str(files[1])], {})
            said = f"under the other MPI: {said}" if said else difference(drawn.ranks, *files)
        shown = [*(f"{key}={value}" for key, value in settings.items()), *command, str(self.program), *words]
        return f"{' '.join(shown)} {said}" if said else ""


def numbers(text: str) -> list[int]:
    return [int(one) for one in text.split(",")]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("commands", type=Path, help="the folder of maslin-mpicc and maslin-mpirun")
    parser.add_argument("--seed", type=int, default=1, help="of the first run")
    parser.add_argument("--programs", type=int, default=1_000_000, help="how many there are, in all runs")
    parser.add_argument("--in-a-run", type=int, default=2000, help="how many there are in a run")
    parser.add_argument("--most-bytes", type=int, default=4 << 20, help="of a message")
    parser.add_argument("--large-one-in", type=int, default=64, help="one of so many programs has many messages, also long ones")
    parser.add_argument("--processes", type=numbers, default=[1, 1, 2, 3], help="one of these numbers is drawn for each run")
    parser.add_argument("--on", type=lambda text: text.split(","), default=["1", "2", "3", "8", "64", "serial", "described"],
                        help="so many workers, the serial elision or a described machine: one is drawn for each run in one process")
    parser.add_argument("--nodes", type=numbers, default=[1], help="one of these numbers is drawn for each run")
    parser.add_argument("--launcher", choices=OTHERS, default="openmpi", help="the MPI that starts nodes")
    parser.add_argument("--seconds", type=float, default=float("inf"), help="no run begins after so long")
    parser.add_argument("--other", choices=OTHERS, help="the MPI whose ranks must get the same")
    options = parser.parse_args()
    end = time.monotonic() + options.seconds
    with tempfile.TemporaryDirectory() as folder:
        runs = Runs(options, Path(folder))
        run_count = failed = 0
        while run_count * options.in_a_run < options.programs and time.monotonic() < end:
            said = runs.failure(options.seed + run_count)
            run_count += 1
            if said:
                failed += 1
                print(said, flush=True)
    also = f", also by {options.other}" if options.other else ""
    print(f"{run_count * options.in_a_run:,} programs in {run_count} runs, seeds from {options.seed}, up to {options.most_bytes:,} "
          f"bytes a message{also}: {failed} runs failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
