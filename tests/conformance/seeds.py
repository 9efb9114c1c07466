"""Runs the conformance suite on workers with local stores, once for each seed of their copies.

seeds.py CONFORMANCE [--first 1] [--count 200] [--store 256K] [--workers 3] [--filter GTEST_FILTER]

Prints what each seed that fails says last. Status 1 when any does.
"""

import argparse
import os
import subprocess
import sys


def run(program: str, seed: int, options: argparse.Namespace) -> str:
    """Gives what a failed run has said last; nothing of one that passed."""
    environment = os.environ | {
        "MASLIN_STORE": options.store,
        "MASLIN_STORE_SEED": str(seed),
        "MASLIN_TEST_WORKERS": options.workers,
        "MASLIN_WATCHDOG": "20",
        "MASLIN_LEARNED": "off",
    }
    command = [program, "--gtest_brief=1", f"--gtest_filter={options.filter}"]
    try:
        done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=600, check=False)
    except subprocess.TimeoutExpired:
        return "no end in 600 s"
    return "" if done.returncode == 0 else f"status {done.returncode}\n{done.stdout[-4000:]}{done.stderr[-2000:]}"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program", help="the conformance suite")
    parser.add_argument("--first", type=int, default=1, help="the first seed")
    parser.add_argument("--count", type=int, default=200, help="how many seeds")
    parser.add_argument("--store", default="256K", help="bytes of a store")
    parser.add_argument("--workers", default="3", help="numbers of workers, separated by commas")
    parser.add_argument("--filter", default="*", help="which tests, as --gtest_filter has it")
    options = parser.parse_args()
    failed = 0
    for seed in range(options.first, options.first + options.count):
        if said := run(options.program, seed, options):
            failed += 1
            print(f"seed {seed}: {said}", flush=True)
    print(f"{options.count} seeds from {options.first}, store {options.store}: {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
