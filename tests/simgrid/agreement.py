#!/usr/bin/env python3
"""The same graphs on the same machines in Maslin's virtual time and in SimGrid: by how much the two disagree.

    python3 tests/simgrid/agreement.py ON_MASLIN ON_SIMGRID [--seeds N]

prints a line a machine and a shape of graph, each the worst of its seeds."""

from __future__ import annotations

import argparse
import os
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path

import graphs
import machines

RULES = ("placed", "bisecting", "central")


@dataclass(frozen=True)
class TimeLine:
    seconds: float
    begins: dict[int, tuple[int, float]]  # of each task: its worker, and when

    def disagreement(self, other: TimeLine) -> float:
        """Gives by how much the other takes longer, as a share of this one."""
        return other.seconds / self.seconds - 1

    def same_begins(self, other: TimeLine) -> int:
        """Gives how many tasks begin on the same worker, and within 1 ns at the same time."""
        return sum(task in other.begins and other.begins[task][0] == worker and abs(other.begins[task][1] - at) < 1.5e-9
                   for task, (worker, at) in self.begins.items())


def read(text: str) -> TimeLine:
    first, *lines = text.splitlines()
    begins = {}
    for line in lines:
        task, worker, at = line.split()
        begins[int(task)] = int(worker), float(at)
    return TimeLine(float(first), begins)


def run(*command: str, **variables: str) -> str:
    clean = {name: value for name, value in os.environ.items() if not name.startswith("MASLIN_")}
    done = subprocess.run(command, capture_output=True, text=True, env={**clean, **variables}, timeout=60, check=False)
    if done.returncode != 0:
        raise RuntimeError(f"{' '.join(command)}: status {done.returncode}: {done.stderr}")
    return done.stdout


@dataclass(frozen=True)
class Programs:
    on_maslin: str
    on_simgrid: str


def compare(programs: Programs, machine: machines.Machine, shape: str, seed: int) -> tuple[TimeLine, dict[str, TimeLine]]:
    """Gives the time line of Maslin, and SimGrid's under each rule."""
    with tempfile.TemporaryDirectory() as folder:
        at = {name: str(Path(folder, name)) for name in ("graph", "machine.toml", "platform.xml", "trace", "time_line")}
        Path(at["graph"]).write_text(graphs.text(graphs.make(shape, seed)))
        Path(at["machine.toml"]).write_text(machine.spec())
        Path(at["platform.xml"]).write_text(machine.platform())
        ours = run(programs.on_maslin, at["graph"], MASLIN_MACHINE=at["machine.toml"], MASLIN_DURATIONS="declared",
                   MASLIN_TRACE=at["trace"])
        Path(at["time_line"]).write_text(ours)
        return read(ours), {rule: read(run(programs.on_simgrid, at["platform.xml"], at["graph"], rule,
                                           *[at["time_line"]] * (rule == "placed"))) for rule in RULES}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("on_maslin")
    parser.add_argument("on_simgrid")
    parser.add_argument("--seeds", type=int, default=3)
    options = parser.parse_args()
    programs = Programs(options.on_maslin, options.on_simgrid)
    print(f"{'machine':<20} {'graph':<12} {'Maslin':>9}" + "".join(f" {rule:>10}" for rule in RULES) + "  same begins (bisecting, of 1,000)")
    for machine in machines.MACHINES:
        for shape in graphs.SHAPES:
            runs = [compare(programs, machine, shape, seed) for seed in range(options.seeds)]
            worst = [max((ours.disagreement(theirs[rule]) for ours, theirs in runs), key=abs) for rule in RULES]
            same = min(ours.same_begins(theirs["bisecting"]) for ours, theirs in runs)
            columns = "".join(f" {100 * share:+9.3f}%" for share in worst)
            print(f"{machine.name:<20} {shape:<12} {1e3 * runs[0][0].seconds:6.2f} ms{columns}  {same}", flush=True)


if __name__ == "__main__":
    main()
