#!/usr/bin/env python3
"""Draws docs/pictures/bundles.svg: the accesses to memory of the CellSs paper's applications under each order.

    python3 docs/pictures/bundles.py [CELLS.json]

CELLS.json is what `maslin figures cellss --json` printed; without it, that is run (some minutes)."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "bench"), str(ROOT / "bench" / "figures"), str(ROOT / "python")]
from maslin_report.whole import write_whole  # noqa: E402
from pictures import Bar, Panel, draw  # noqa: E402

FIGURES = [f"cellss{number}" for number in range(13, 19)]
BARS = ("naive", "chains", "no-hints", "no-co-par", "in-10-%", "bundles")


def cells() -> list[dict]:
    if len(sys.argv) > 1:
        return json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))
    words = [sys.executable, "-B", ROOT / "bench" / "figures" / "described.py", "cellss", "--json"]
    return json.loads(subprocess.run(words, check=True, capture_output=True, text=True).stdout)


def main() -> None:
    panels: dict[str, Panel] = {}
    for cell in cells():
        application, _, bar = cell["column"].rpartition(" ")
        if bar not in BARS or cell["figure"] not in FIGURES or cell["unit"] != "million packets":
            continue
        panel = panels.setdefault(application, Panel(application, "million packets"))
        size = cell["row"].removesuffix(" KB")
        if not panel.groups or panel.groups[-1][0] != size:
            panel.groups.append((size, []))
        panel.groups[-1][1].append(Bar(bar, cell["predicted"]))
    note = "packets of 128 bytes from and to memory, one worker, by KB of the cache; naive: program order"
    write_whole(ROOT / "docs" / "pictures" / "bundles.svg", draw("Accesses to memory", note, BARS, list(panels.values())))


if __name__ == "__main__":
    main()
