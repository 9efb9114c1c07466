#!/usr/bin/env python3
"""Measures right-sizing: phases of many shapes under every fixed configuration and under every policy.

    python3 bench/grain/run.py [--virtual | --real] [--held-out] [--only TEXT] [--json FILE] [--rounds N] [--output out/grain]

--virtual: on described machines, in declared costs; a run is the same every time. --real: on this machine,
alternating. Both unless one is said. Measured are the cases for development; --held-out: those that the scorecard judges by. --only: cases whose name (SHAPE/UNITS/MACHINE, for example 'change/64/16 workers') contains TEXT.
--json keeps every run there: a measurement that was interrupted goes on where it stood, and fixed configurations are not run again for
another build. Prints a line a case: the best fixed configuration, and for each policy its time over the best's and what it chose; writes
pictures and results.json to out/grain. bench/grain/README.md says what the shapes are."""

from __future__ import annotations

import argparse
import json
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "bench")]
from grain import draw  # noqa: E402
from grain.cases import DEVELOPMENT, HELD_OUT, REAL, real_cases, virtual_cases  # noqa: E402
from grain.measurement import measure  # noqa: E402
from grain.result import POLICIES, Result  # noqa: E402
from grain.rows import rows  # noqa: E402
from grain.store import Store  # noqa: E402
from scorecard.measure import LOOKS, MeasurementError, show  # noqa: E402


def print_table(results: list[Result]) -> None:
    shown = [policy for policy in POLICIES if any(policy in one.policies for one in results)]
    print(f"{'case':34} {'best fixed':>11} {'seconds':>9}  " + " ".join(f"{policy:>17}" for policy in shown))
    for one in results:
        if not one.fixed:
            print(f"{one.case.name:34} {one.note}")
            continue
        best = one.fixed[one.best]
        values = [f"{one.ratio(policy):7.3f} {one.configuration(policy):>9}" if policy in one.policies else "" for policy in shown]
        print(f"{one.case.name:34} {one.best:>11} {sorted(best)[len(best) // 2]:9.4f}  " + " ".join(f"{value:>17}" for value in values))
    for policy in shown:
        ratios = sorted(one.ratio(policy) for one in results if policy in one.policies)
        print(f"{policy:14} median {ratios[len(ratios) // 2]:.3f}, worst {ratios[-1]:.3f}, within 5 %: "
              f"{sum(ratio <= 1.05 for ratio in ratios)} of {len(ratios)}, faster than every fixed: {sum(ratio < 1 for ratio in ratios)}")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--virtual", action="store_true", help="only on described machines")
    parser.add_argument("--real", action="store_true", help="only on this machine")
    parser.add_argument("--held-out", action="store_true", help="the cases that the scorecard judges by, not those for development")
    parser.add_argument("--only", default="", metavar="TEXT", help="cases whose name contains this")
    parser.add_argument("--json", type=Path, metavar="FILE", help="keep every run there, and use those that it holds")
    parser.add_argument("--rounds", type=int, help="on this machine; if not said, until the goals are decided, 7 to 40")
    parser.add_argument("--output", type=Path, default=ROOT / "out" / "grain", help="folder for pictures and results.json")
    options = parser.parse_args()

    of = HELD_OUT if options.held_out else DEVELOPMENT
    cases = [] if options.real and not options.virtual else list(virtual_cases(of))
    cases += [] if options.virtual and not options.real else list(real_cases(of))
    cases = [one for one in cases if options.only in one.name]
    if not cases:
        print(f"grain: no case contains {options.only!r}", file=sys.stderr)
        return 2
    begin = time.monotonic()
    try:
        store = Store(options.json)
        try:
            results = measure(cases, store, [options.rounds] if options.rounds else LOOKS, show)
        finally:
            store.save()
    except KeyboardInterrupt:
        show("")
        print("grain: stopped" + (f"; the same command goes on from {options.json}" if options.json else ""), file=sys.stderr)
        return 130
    except (MeasurementError, OSError, ValueError) as problem:
        show("")
        print(f"grain: {problem}", file=sys.stderr)
        return 1
    show("")
    print_table(results)
    for part, belongs in (("grain/virtual", lambda one: one.case.machine != REAL), ("grain/real", lambda one: one.case.machine == REAL)):
        for row in rows(part, [one for one in results if belongs(one)]):
            ratio = "" if row.ratio is None else f"{row.ratio:.3f}"
            print(f"{row.name:26} {ratio:>7} {row.goal:14} {row.verdict:12} {row.note}")
    draw.write_all(results, options.output)
    draw.write(options.output, "results.json", json.dumps([one.as_json() for one in results if one.fixed], indent=1))
    print(f"{len(cases)} cases in {time.monotonic() - begin:.0f} s; pictures and results.json in {options.output}")
    return 1 if any(one.failed for one in results) else 0


if __name__ == "__main__":
    sys.exit(main())
