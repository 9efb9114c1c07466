"""Runs a program of tests on workers with local stores whose copies come late and in any order, seed after seed.

stores.py promises CONFORMANCE [--first 1] [--count 200] [--jobs 1] [--workers 3] [--filter GTEST_FILTER]
stores.py programs RANDOM_PROGRAMS [--first 1] [--count 1000] [--jobs 1] [--workers 1,2,3,8] [--each 1000]

`promises` runs the conformance suite once a seed, without the suites that run no body on copies. `programs` compares
`--each` random programs a seed, others for each, with the serial elision: a million if nothing is said. Each seed's
programs run on one number of workers, which seeds take by turns: 250,000 programs on 1, 2, 3 and 8 workers each. The
seed also chooses the size of a store, what stays in it, for how many tasks it fetches early, and when what is written
reaches memory: any twelve seeds in a row have each of these times with each number of workers. Status 1 when any seed
fails; what it says stands above its line.
"""

import argparse
import concurrent.futures
import os
import random
import subprocess
import sys

SETTINGS = {
    "promises": {
        "MASLIN_STORE": ("256K", "227K", "160K"),
        "MASLIN_STORE_WRITE": ("through", "renamed", "back"),
        "MASLIN_STORE_KEEP": ("all", "all", "in", "out", "none"),
        "MASLIN_STORE_AHEAD": ("1", "1", "3", "8", "0"),
    },
    "programs": {
        "MASLIN_STORE": ("16K", "4K", "1K"),  # in the last, few tasks find room beside others
        "MASLIN_STORE_WRITE": ("through", "renamed", "back"),
        "MASLIN_STORE_KEEP": ("all", "all", "in", "out", "none"),
        "MASLIN_STORE_AHEAD": ("1", "1", "3", "8", "0"),
        # Under a check each write goes through.
        "MASLIN_CHECK": ("0", "0", "0", "1"),
    },
}
TIMEOUT_S = 600

# Suites that have no task with data, so that they do the same under all seeds: a breakpoint in store::call_on_copies is
# never hit. They take half of the time of all. ctest runs them, too, under three seeds.
WITHOUT_COPIES = (
    "Loops",
    "Phases",
    "PinnedPhases",
    "PhasesInKernels",
    "Grain",
    "PinnedGrain",
    "RankRequests",
    "RanksTogether",
    "RemoteCalls",
    "Ndarray",
    "ArrayMemory",
)


def settings_of(what: str, seed: int) -> dict[str, str]:
    """Gives what the seed sets. Seeds that follow each other write at different times."""
    choose = random.Random(seed).choice
    chosen = {name: choose(values) for name, values in SETTINGS[what].items()}
    writes = SETTINGS[what]["MASLIN_STORE_WRITE"]
    return chosen | {"MASLIN_STORE_WRITE": writes[seed % len(writes)], "MASLIN_STORE_SEED": str(seed)}


def passes(command: list[str], settings: dict[str, str]) -> bool:
    """Runs it; says under which settings it failed, below what it wrote."""
    always = {"MASLIN_WATCHDOG": "20", "MASLIN_LEARNED": "off", "MASLIN_REPORT": "off"}
    try:
        ran = subprocess.run(
            command,
            env=os.environ | always | settings,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            timeout=TIMEOUT_S,
            check=False,
        )
        status, wrote = ran.returncode, ran.stdout
    except subprocess.TimeoutExpired as late:
        status, wrote = f"none in {TIMEOUT_S} s", late.stdout or b""
    if status != 0:
        named = " ".join(f"{name}={value}" for name, value in settings.items())
        # In one piece: others may write beside it.
        sys.stdout.write(f"{wrote.decode(errors='replace')}\nstatus {status}: {named} {' '.join(command)}\n")
        sys.stdout.flush()
    return status == 0


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    kinds = parser.add_subparsers(dest="what", required=True)
    promises = kinds.add_parser("promises")
    promises.add_argument("program", help="the conformance suite")
    promises.add_argument("--count", type=int, default=200, help="how many seeds")
    promises.add_argument("--workers", default="3", help="numbers of workers, separated by commas")
    others = "-" + ":".join(f"{suite}.*" for suite in WITHOUT_COPIES)
    promises.add_argument("--filter", default=others, help="which tests, as --gtest_filter has it")
    programs = kinds.add_parser("programs")
    programs.add_argument("program", help="random_programs")
    programs.add_argument("--count", type=int, default=1000, help="how many seeds")
    programs.add_argument("--each", type=int, default=1000, help="how many programs for each")
    programs.add_argument("--workers", default="1,2,3,8", help="numbers of workers, of which each seed takes one")
    for kind in (promises, programs):
        kind.add_argument("--jobs", type=int, default=1, help="how many seeds at a time")
        kind.add_argument("--first", type=int, default=1, help="the first seed")
    options = parser.parse_args()

    def seed_passes(seed: int) -> bool:
        settings = settings_of(options.what, seed)
        if options.what == "promises":
            settings["MASLIN_TEST_WORKERS"] = options.workers
            return passes([options.program, "--gtest_brief=1", f"--gtest_filter={options.filter}"], settings)
        workers = options.workers.split(",")
        settings["MASLIN_TEST_WORKERS"] = workers[seed % len(workers)]
        return passes([options.program, str((seed - 1) * options.each + 1), str(options.each)], settings)

    seeds = range(options.first, options.first + options.count)
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as side_by_side:
        failed = sum(not passed for passed in side_by_side.map(seed_passes, seeds))
    ran = "the conformance suite" if options.what == "promises" else f"{options.count * options.each} random programs"
    print(f"{ran}: {options.count} seeds from {options.first}, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
