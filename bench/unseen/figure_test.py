"""Runs what grain/unseen and grain/crowded measure, small: three programs here and on eight described workers, one round. Checks every answer
and that each goal has its row; times decide nothing.

    figure_test.py BIN"""

from __future__ import annotations

import os
import sys
from pathlib import Path

sys.path[:0] = [str(Path(__file__).resolve().parents[1])]
os.environ["MASLIN_BENCH_BIN"] = sys.argv[1]
from grain.cases import REAL  # noqa: E402
from grain.measurement import measure  # noqa: E402
from grain.store import Store  # noqa: E402
from scorecard.row import NOT_MEASURED  # noqa: E402
from unseen import crowded  # noqa: E402
from unseen.cases import Unseen, cases, has_openmp  # noqa: E402
from unseen.rows import MEASURED, decided, rows, table  # noqa: E402

PROGRAMS = ("k-means", "queens", "images")  # a few streams, loops of unequal length, off-loads; none was put aside


def main() -> None:
    store = Store(None, Path(__file__).parent, Unseen.executable)
    results = measure(list(cases(PROGRAMS, (8, REAL), small=True)), store, [1], lambda _: None, MEASURED, decided)
    failed = [one.note for one in results if one.failed]
    if failed:
        sys.exit("\n".join(failed))
    made = rows("grain/unseen", results)
    if len(made) != 11 or any(row.ratio is None for row in made if has_openmp() or not row.name.endswith("openmp")):
        sys.exit(f"not every goal has a row with a ratio: {made}")
    if len(table(results).splitlines()) != 1 + len(results):
        sys.exit(f"not a line a case:\n{table(results)}")
    crowds = list(crowded.measure("grain/crowded", PROGRAMS[:1], [1], lambda _: None, small=True))
    if len(crowds) < len(crowded.CROWDS) or any(row.ratio is None and row.verdict != NOT_MEASURED for row in crowds):
        sys.exit(f"not every crowd has its rows: {crowds}")


if __name__ == "__main__":
    main()
