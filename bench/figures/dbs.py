#!/usr/bin/env python3
"""Runs the programs of the Dynamic Bisectioning paper under every loop policy and draws the paper's figures.

    python3 bench/figures/dbs.py [--workers 1,2,4] [--rounds 3] [--quick] [--no-misses] [--output out/dbs]

Writes into the output folder:
    times-loop.svg         time by workers: dbs with loop and functional parallelism, the others with loops only (figure 1)
    times-functional.svg   the same with functional parallelism for all (figure 2)
    misses.svg             cache misses (figure 3): hardware counters where perf can read them, cachegrind otherwise
    dbs.json               every sample

Each run compares its answer with the serial one. Policies and numbers of workers alternate, round by round."""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
from collections import defaultdict
from pathlib import Path
from statistics import median
from typing import Callable

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "bench"), str(ROOT / "python"), str(Path(__file__).parent)]
from maslin_report.whole import write_whole  # noqa: E402
from pictures import Bar, Panel, draw  # noqa: E402
from scorecard.measure import MeasurementError, binary, environment_of, execute, show  # noqa: E402

POLICIES = ("dbs", "afs", "gss", "static")
PROGRAMS = ("mta", "cmm", "slu", "sac", "cfd", "mdj")
LOOP, FUNCTIONAL = "loop", "functional"

Key = tuple[str, str, str, int]  # program, form, policy, workers


def command(*words: str, quick: bool) -> list:
    return [binary("maslin-dbs"), *words, *(["--quick"] if quick else [])]


def environment(policy: str, workers: int) -> dict[str, str]:
    return {"MASLIN_LOOP": policy, "MASLIN_WORKERS": str(workers)}


def measure_times(workers: list[int], rounds: int, quick: bool) -> dict[Key, list[float]]:
    """Gives the seconds of every run."""
    seconds: dict[Key, list[float]] = defaultdict(list)
    warm_up = ["--warm-up", "0"] if quick else []
    sides = [(policy, count) for count in workers for policy in POLICIES]
    for turn in range(rounds):
        first = turn % len(sides)
        for policy, count in sides[first:] + sides[:first]:
            show(f"times: round {turn + 1} of {rounds}, {policy} on {count}")
            _, said = execute(command("all", "--json", *warm_up, quick=quick), environment(policy, count))
            for run in json.loads(said):
                if (run["policy"], run["workers"]) != (policy, count):
                    raise MeasurementError(f"asked for {policy} on {count} workers, but {run['policy']} ran on {run['workers']}")
                seconds[run["program"], run["form"], policy, count] += run["seconds"]
    return dict(seconds)


def by_hardware(words: list, variables: dict[str, str]) -> int:
    """Gives the last-level misses that the processor counted."""
    done = subprocess.run(["perf", "stat", "-x,", "-e", "cache-misses", *map(str, words)], env=environment_of(variables),
                          stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
    found = re.search(r"^(\d+),[^,]*,cache-misses", done.stderr, re.MULTILINE)
    if done.returncode != 0 or not found:
        raise MeasurementError(f"perf counted nothing: {done.stderr.strip()[-300:]}")
    return int(found[1])


def by_cachegrind(words: list, variables: dict[str, str]) -> int:
    """Gives the data misses of cachegrind's first-level cache."""
    # Fair, as otherwise one worker keeps valgrind's only processor and does all the work.
    done = subprocess.run(["valgrind", "--tool=cachegrind", "--cache-sim=yes", "--cachegrind-out-file=/dev/null",
                           "--fair-sched=try", *map(str, words)], env=environment_of(variables), stdin=subprocess.DEVNULL,
                          capture_output=True, text=True, check=False)
    found = re.search(r"D1\s+misses:\s+([\d,]+)", done.stderr)
    if done.returncode != 0 or not found:
        raise MeasurementError(f"cachegrind counted nothing: {done.stderr.strip()[-300:]}")
    return int(found[1].replace(",", ""))


def counter() -> tuple[Callable[[list, dict[str, str]], int], int, str] | None:
    """Gives how misses are counted here, over how many runs, and what to say about it; nothing where they cannot be."""
    if shutil.which("perf"):
        try:
            by_hardware(["true"], {})
            return by_hardware, 20, "last-level misses by the hardware's counters"
        except MeasurementError:
            pass
    if shutil.which("valgrind"):
        return by_cachegrind, 1, ("first-level data misses by cachegrind (no hardware counters here): all workers in one "
                                  "simulated cache, so sharing between caches does not show")
    return None


def measure_misses(count: Callable, runs: int, workers: int, quick: bool) -> dict[Key, float]:
    """Gives the cache misses of one run: those of a process with one run less are taken off, and so the data's
    preparation, the serial run and the comparison are not in it."""
    misses: dict[Key, float] = {}
    for program in PROGRAMS:
        for policy in POLICIES:
            for form in (LOOP, FUNCTIONAL):
                show(f"misses: {program}, {form} form, {policy} on {workers}")
                totals = [count(command(program, "--form", form, "--warm-up", "0", "--repeat", str(repeat), quick=quick),
                                environment(policy, workers)) for repeat in (1, 1 + runs)]
                misses[program, form, policy, workers] = (totals[1] - totals[0]) / runs
    return misses


def time_panels(seconds: dict[Key, list[float]], workers: list[int], form_of: Callable[[str], str],
                mark: bool) -> list[Panel]:
    panels = []
    for program in PROGRAMS:
        serial = [sample for key, samples in seconds.items() if key[:2] == (program, "serial") for sample in samples]
        panel = Panel(program.upper(), "ms", line=median(serial) * 1e3, line_name="serial")
        for count in workers:
            bars = []
            for policy in POLICIES:
                samples = [1e3 * sample for sample in seconds[program, form_of(policy), policy, count]]
                loop_only = 1e3 * median(seconds[program, LOOP, policy, count])
                bars.append(Bar(policy, median(samples), min(samples), max(samples), mark=loop_only if mark else None))
            panel.groups.append((f"{count} worker{'s' if count > 1 else ''}", bars))
        panels.append(panel)
    return panels


def miss_panels(misses: dict[Key, float], workers: int) -> list[Panel]:
    panels = []
    for program in PROGRAMS:
        panel = Panel(program.upper(), "thousand misses")
        for policy in POLICIES:
            panel.groups.append((policy, [Bar(policy, misses[program, form, policy, workers] / 1e3, pale=form == LOOP)
                                          for form in (LOOP, FUNCTIONAL)]))
        panels.append(panel)
    return panels


def print_table(seconds: dict[Key, list[float]], workers: list[int]) -> None:
    """Prints medians in ms, and dbs against the best baseline of the same form."""
    print(f"{'program':8} {'form':11} {'workers':>7} " + " ".join(f"{policy:>9}" for policy in POLICIES) + "  dbs/best")
    for program in PROGRAMS:
        for form in (LOOP, FUNCTIONAL):
            for count in workers:
                times = {policy: 1e3 * median(seconds[program, form, policy, count]) for policy in POLICIES}
                best = min(value for policy, value in times.items() if policy != "dbs")
                print(f"{program:8} {form:11} {count:7} " + " ".join(f"{times[policy]:9.3f}" for policy in POLICIES) +
                      f" {times['dbs'] / best:9.2f}")


def numbers(text: str) -> list[int]:
    try:
        counts = sorted({int(word) for word in text.split(",")})
    except ValueError:
        counts = []
    if not counts or counts[0] < 1:
        raise argparse.ArgumentTypeError(f"'{text}': expected numbers of workers, 1 or more, separated by commas: 1,2,4")
    return counts


def positive(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"'{text}': expected a number, 1 or more")
    return int(text)


def usual_workers() -> list[int]:
    """Gives 1, 2, 4, ... and the number of cores of this process."""
    cores = len(os.sched_getaffinity(0))
    return sorted({1 << bit for bit in range(cores.bit_length()) if 1 << bit <= cores} | {cores})


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--workers", type=numbers, default=usual_workers(), metavar="N,N", help="numbers of workers")
    parser.add_argument("--rounds", type=positive, default=3, metavar="N", help="processes per policy and number of workers")
    parser.add_argument("--quick", action="store_true", help="small sizes: to try the script, not to measure")
    parser.add_argument("--no-misses", action="store_true", help="times only: cachegrind takes minutes")
    parser.add_argument("--output", type=Path, default=ROOT / "out" / "dbs", metavar="FOLDER", help="where the files go")
    options = parser.parse_args()
    workers: list[int] = options.workers
    try:
        options.output.mkdir(parents=True, exist_ok=True)
        seconds = measure_times(workers, options.rounds, options.quick)
        how = None if options.no_misses else counter()
        misses = measure_misses(how[0], how[1], workers[-1], options.quick) if how else {}
        show("")
        pictures = {
            "times-loop.svg": draw("DBS with loop and functional parallelism, the others with loops only",
                                   "median time, whiskers from the shortest to the longest",
                                   POLICIES, time_panels(seconds, workers, lambda p: FUNCTIONAL if p == "dbs" else LOOP, False)),
            "times-functional.svg": draw("All policies with loop and functional parallelism",
                                         "median time, whiskers from the shortest to the longest; a tick: the median with loops only",
                                         POLICIES, time_panels(seconds, workers, lambda _: FUNCTIONAL, True))}
        if how:
            pictures["misses.svg"] = draw(f"Cache misses on {workers[-1]} workers: pale, loops only; full, loop and functional",
                                          how[2], POLICIES, miss_panels(misses, workers[-1]))
        elif not options.no_misses:
            print("no cache misses: neither hardware counters (perf) nor valgrind here; install valgrind", file=sys.stderr)
        for name, picture in pictures.items():
            write_whole(options.output / name, picture)
        as_rows = [{"program": key[0], "form": key[1], "policy": key[2], "workers": key[3], "seconds": samples,
                    "misses": misses.get(key)} for key, samples in seconds.items()]
        write_whole(options.output / "dbs.json",
              json.dumps({"misses": how[2] if how else None, "quick": options.quick, "rows": as_rows}, indent=1) + "\n")
    except (MeasurementError, OSError) as error:
        show("")
        print(f"dbs.py: {error}", file=sys.stderr)
        return 2
    print_table(seconds, workers)
    print(f"written to {options.output}: {', '.join([*pictures, 'dbs.json'])}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
