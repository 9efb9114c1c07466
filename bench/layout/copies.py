#!/usr/bin/env python3
"""The model of layered parallelism on accelerators with local stores, whose kernels are tasks with data, or loops that say what they move.

    python3 bench/layout/copies.py [--loops] [--aside] [--rows]

Streams off-load kernels of tasks that each read and write data of their own (layered_programs tiles) on described consoles, whose copy
engines, bus or memory are slower or faster than the tasks compute; with --loops kernels of loops whose blocks say what they move
(layered_programs bootstraps). All layouts of a console are run on exec/virtual, with the master of loops that is predicted to be the faster
one. Prints the errors, and what the layout that `maslin layout` names takes over the best. --aside takes the cases that were named and put
aside before the model counted copies, or what loops move; the others were for developing it."""

from __future__ import annotations

import argparse
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
from cores import judged, line  # noqa: E402
from scorecard.measure import MeasurementError  # noqa: E402


@dataclass(frozen=True)
class Console:
    workers: int
    engine: float  # GB/s of a worker's
    bus: float | None = None  # and of all of them
    memory: float | None = None

    def text(self) -> str:
        memory = f'[[memory]]\nlevel = "memory"\nbytes = 1000000000\nshared_by = {self.workers}\nbandwidth_gb_per_s = {self.memory}\n' \
                 'source = "assumed"\n' if self.memory else ""
        return (f'name = "console"\n[workers]\nkind = "accelerator"\ncount = {self.workers}\nsource = "assumed"\n'
                '[hosts]\ncontexts = 2\nswitch_us = 1.5\nsource = "assumed"\n[local_store]\nbytes = 262144\nsource = "assumed"\n'
                f'[transfer]\nsignal_us = 0.5\nlatency_us = 0.1\nbandwidth_gb_per_s = {self.engine}\n'
                + (f"total_gb_per_s = {self.bus}\n" if self.bus else "") + 'source = "assumed"\n' + memory)


TILES = "--streams 4 --offloads 5 --host-us 20 --serial-us 8 --loop-us 240 --iterations 24 --spread 0 --bytes 4000"
FEW = "--streams 6 --offloads 6 --host-us 15 --serial-us 5 --loop-us 480 --iterations 16 --spread 0.3 --bytes 8000"
MANY = "--streams 12 --offloads 4 --host-us 15 --serial-us 5 --loop-us 400 --iterations 80 --spread 0.3 --bytes 3000"
DEVELOPMENT = [(Console(6, *rates), TILES) for rates in ((8,), (1,), (0.5,), (4, 4))]
ASIDE = [(Console(workers, *rates), program) for workers in (6, 8) for program in (FEW, MANY)
         for rates in ((0.7,), (2, 3), (25.6, 204.8, 6))]

# Loops of 24, 40, 16 and 80 blocks of 16 iterations. While one worker computes it moves 0.4, 0.35, 0.27 and 0.61 GB/s.
EVEN_LOOPS = "--streams 4 --offloads 5 --host-us 20 --serial-us 8 --loop-us 240 --iterations 384 --spread 0 --bytes 250"
UNEVEN_LOOPS = "--streams 10 --offloads 5 --host-us 18 --serial-us 6 --loop-us 320 --iterations 640 --spread 0.3 --bytes 175"
FEW_LOOPS = "--streams 6 --offloads 6 --host-us 15 --serial-us 5 --loop-us 480 --iterations 256 --spread 0.3 --bytes 500"
MANY_LOOPS = "--streams 12 --offloads 4 --host-us 15 --serial-us 5 --loop-us 400 --iterations 1280 --spread 0.3 --bytes 190"
LOOPS_DEVELOPMENT = [(Console(6, *rates), program) for program in (EVEN_LOOPS, UNEVEN_LOOPS)
                     for rates in ((8,), (0.25,), (4, 1.4), (8, 64, 1))]
LOOPS_ASIDE = [(Console(workers, *rates), program) for workers in (6, 8) for program in (FEW_LOOPS, MANY_LOOPS)
               for rates in ((0.2,), (2, 1.2), (25.6, 204.8, 1.6))]
CASES = {"tiles": (DEVELOPMENT, ASIDE), "bootstraps": (LOOPS_DEVELOPMENT, LOOPS_ASIDE)}


def case(console: Console, kind: str, program: str, folder: Path) -> dict:
    machine = folder / "machine.toml"
    machine.write_text(console.text(), encoding="utf-8")
    return {"cores": console.workers, "streams": int(program.split()[1])} | judged([kind, *program.split()], machine, folder)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--loops", action="store_true", help="kernels of loops that say what they move")
    parser.add_argument("--aside", action="store_true", help="the cases that were put aside")
    parser.add_argument("--rows", action="store_true", help="print every prediction")
    options = parser.parse_args()
    kind = "bootstraps" if options.loops else "tiles"
    print("cores streams layouts   mean   worst   named   best over best")
    try:
        with tempfile.TemporaryDirectory(prefix="maslin_layout_") as folder:
            for console, program in CASES[kind][options.aside]:
                done = case(console, kind, program, Path(folder))
                print(line(done), f" {console.engine} {console.bus} {console.memory}", flush=True)
                if options.rows:
                    for layout, seconds, error in sorted(done["rows"]):
                        print(f"  {layout:>6} {1e6 * seconds:9.1f} us  {100 * error:+.1f} %")
    except (MeasurementError, OSError) as problem:
        print(f"copies: {problem}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
