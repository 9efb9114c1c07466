"""Runs programs on which learning once did harm six times in turn on described machines, each run with what those before learned. No run may
take more than 1.05 times what one stream a worker takes, which is the best fixed configuration of these programs on 8 and 16 workers. Costs
are declared, so times are the same on every machine.

    learning_test.py BIN"""

from __future__ import annotations

import json
import os
import sys
import tempfile
from pathlib import Path

sys.path[:0] = [str(Path(__file__).resolve().parents[1])]
os.environ["MASLIN_BENCH_BIN"] = sys.argv[1]
from grain.cases import SPECS  # noqa: E402
from scorecard.measure import binary, execute  # noqa: E402

RUNS = 6
AT_MOST = 1.05
CASES = (
    ("replicas", 8),  # the first half of each stream is serial, and no off-load ends a slice of it
    ("alignment", 64),  # 300 streams of unequal length, without loops: the last ones run few and wide
    ("alignment", 128),
    ("knapsack", 16),  # the same, with times of 1 to 2,048
)


def seconds(name: str, workers: int, learned: str, **environment: str) -> float:
    _, said = execute([binary("unseen_maslin"), name, "--declared"],
                      {"MASLIN_MACHINE": str(SPECS / f"synthetic-{workers}.toml"), "MASLIN_DURATIONS": "declared", "MASLIN_QUIET": "1",
                       "MASLIN_REPORT": "off", "MASLIN_LEARNED": learned, **environment}, 300)
    return json.loads(said)["seconds"]


def main() -> None:
    late = []
    for name, workers in CASES:
        best = seconds(name, workers, "off", MASLIN_PIN=f"unseen={workers}x1")
        with tempfile.TemporaryDirectory(prefix="unseen-") as folder:
            ratios = [seconds(name, workers, f"{folder}/learned") / best for _ in range(RUNS)]
        print(f"{name} on {workers} workers: {' '.join(f'{ratio:.3f}' for ratio in ratios)} of {workers}x1")
        if max(ratios) > AT_MOST:
            late.append(f"{name} on {workers} workers takes {max(ratios):.2f} times what {workers}x1 takes, expected at most {AT_MOST}")
    if late:
        sys.exit("\n".join(late))


if __name__ == "__main__":
    main()
