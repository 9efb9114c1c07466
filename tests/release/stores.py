"""Runs a program of tests on workers with local stores whose copies come late and in any order, seed after seed.

stores.py promises CONFORMANCE [--first 1] [--count 200] [--workers 3] [--filter GTEST_FILTER]
stores.py programs RANDOM_PROGRAMS [--first 1] [--count 1000] [--each 1000]

`promises` runs the conformance suite once a seed. `programs` compares `--each` random programs a seed, others for each,
with the serial elision: a million if nothing is said. The seed also chooses the size of a store, what stays in it, and
when what is written reaches memory. Status 1 when any seed fails; what it says stands above its line.
"""

import argparse
import os
import random
import subprocess
import sys

SETTINGS = {
    "promises": {
        "MASLIN_STORE": ("256K", "227K", "160K"),
        "MASLIN_STORE_WRITE": ("through", "renamed", "back"),
        "MASLIN_STORE_KEEP": ("all", "all", "in", "out", "none"),
    },
    "programs": {
        "MASLIN_STORE": ("16K", "4K", "1K"),  # in the last, few tasks find room beside others
        "MASLIN_STORE_WRITE": ("through", "renamed", "back"),
        "MASLIN_STORE_KEEP": ("all", "all", "in", "out", "none"),
        # Under a check each write goes through.
        "MASLIN_CHECK": ("0", "0", "0", "1"),
    },
}
TIMEOUT_S = 600


def settings_of(what: str, seed: int) -> dict[str, str]:
    """Gives what the seed sets. Seeds that follow each other write at different times."""
    choose = random.Random(seed).choice
    chosen = {name: choose(values) for name, values in SETTINGS[what].items()}
    writes = SETTINGS[what]["MASLIN_STORE_WRITE"]
    return chosen | {"MASLIN_STORE_WRITE": writes[seed % len(writes)], "MASLIN_STORE_SEED": str(seed)}


def passes(command: list[str], settings: dict[str, str]) -> bool:
    """Runs it; says under which settings it failed."""
    always = {"MASLIN_WATCHDOG": "20", "MASLIN_LEARNED": "off", "MASLIN_REPORT": "off"}
    sys.stdout.flush()
    try:
        status = subprocess.run(command, env=os.environ | always | settings, timeout=TIMEOUT_S, check=False).returncode
    except subprocess.TimeoutExpired:
        status = f"none in {TIMEOUT_S} s"
    if status != 0:
        print(f"status {status}:", *(f"{name}={value}" for name, value in settings.items()), *command, flush=True)
    return status == 0


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    kinds = parser.add_subparsers(dest="what", required=True)
    promises = kinds.add_parser("promises")
    promises.add_argument("program", help="the conformance suite")
    promises.add_argument("--count", type=int, default=200, help="how many seeds")
    promises.add_argument("--workers", default="3", help="numbers of workers, separated by commas")
    promises.add_argument("--filter", default="*", help="which tests, as --gtest_filter has it")
    programs = kinds.add_parser("programs")
    programs.add_argument("program", help="random_programs")
    programs.add_argument("--count", type=int, default=1000, help="how many seeds")
    programs.add_argument("--each", type=int, default=1000, help="how many programs for each")
    for kind in (promises, programs):
        kind.add_argument("--first", type=int, default=1, help="the first seed")
    options = parser.parse_args()

    failed = 0
    for seed in range(options.first, options.first + options.count):
        settings = settings_of(options.what, seed)
        if options.what == "promises":
            settings["MASLIN_TEST_WORKERS"] = options.workers
            command = [options.program, "--gtest_brief=1", f"--gtest_filter={options.filter}"]
        else:
            command = [options.program, str((seed - 1) * options.each + 1), str(options.each)]
        failed += not passes(command, settings)
    ran = "the conformance suite" if options.what == "promises" else f"{options.count * options.each} random programs"
    print(f"{ran}: {options.count} seeds from {options.first}, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
