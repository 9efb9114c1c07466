"""Draws the tasks of docs/pictures/graph.cpp from a real run: python3 docs/pictures/graph.py

Each row a worker, each bar a task; the colour says what it does. Writes graph.svg beside this file. Needs `./dev build`."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "python"))
from maslin_report.style import FONT, IDLE, INK, SOFT, STREAMS  # noqa: E402

WORKERS, TILES = 2, 6
WIDTH, LEFT, RIGHT, ROW, GAP, TOP = 960, 84, 16, 40, 8, 40
KINDS = ("potrf", "trsm", "syrk", "gemm")


def kinds_by_line() -> dict[str, str]:
    """Gives the kind of task that each line of the program creates."""
    lines = Path(__file__).with_name("graph.cpp").read_text().splitlines()
    return {str(number): kind for number, line in enumerate(lines, 1) for kind in KINDS if f"ms::task({kind}" in line}


def recorded() -> list[tuple[int, float, float, str]]:
    """Gives each task's worker, begin and end in microseconds, and kind."""
    with tempfile.TemporaryDirectory() as folder:
        trace, exported = Path(folder, "run.mtrace"), Path(folder, "run.json")
        environment = os.environ | {"MASLIN_WORKERS": str(WORKERS), "MASLIN_TRACE": str(trace), "MASLIN_TRACE_DETAIL": "all"}
        programs = ROOT / "build" / "release" / "bin"
        subprocess.run([programs / "page_picture_graph", str(TILES)], env=environment, check=True)
        subprocess.run([programs / "maslin", "trace", "export", "-o", exported, trace], check=True, stderr=subprocess.DEVNULL)
        document = json.loads(exported.read_text())
    events = document["traceEvents"] if isinstance(document, dict) else document
    spans = sorted((event for event in events if event.get("ph") in "BE"), key=lambda event: event["ts"])
    tracks = sorted({event["tid"] for event in spans if event.get("cat") == "task"})
    kinds = kinds_by_line()
    tasks: list[tuple[int, float, float, str]] = []
    begun: dict[int, dict] = {}
    for event in spans:
        if event["ph"] == "B" and event.get("cat") == "task":
            begun[event["tid"]] = event
        elif event["ph"] == "E" and event["tid"] in begun:
            first = begun.pop(event["tid"])
            tasks.append((tracks.index(event["tid"]), first["ts"], event["ts"], kinds[first["name"].rsplit(":", 1)[1]]))
    return tasks


def draw(tasks: list[tuple[int, float, float, str]]) -> str:
    begin, end = min(task[1] for task in tasks), max(task[2] for task in tasks)
    scale = (WIDTH - LEFT - RIGHT) / (end - begin)
    bottom = TOP + WORKERS * (ROW + GAP)
    busy = sum(to - at for _, at, to, _ in tasks) / (WORKERS * (end - begin))
    parts = [f'<text x="{LEFT}" y="24" class="title">Cholesky, {TILES} × {TILES} tiles: {len(tasks)} tasks in '
             f"{(end - begin) / 1000:.2f} ms, {100 * busy:.0f} % of two workers' time is work</text>"]
    for worker in range(WORKERS):
        y = TOP + worker * (ROW + GAP)
        parts.append(f'<text x="{LEFT - 8}" y="{y + ROW / 2 + 4}" class="name">worker {worker}</text>')
        parts.append(f'<rect x="{LEFT}" y="{y}" width="{WIDTH - LEFT - RIGHT}" height="{ROW}" fill="{IDLE}"/>')
    for worker, at, to, kind in tasks:
        parts.append(f'<rect x="{LEFT + (at - begin) * scale:.1f}" y="{TOP + worker * (ROW + GAP)}" '
                     f'width="{max((to - at) * scale - 0.6, 0.4):.1f}" height="{ROW}" fill="{STREAMS[KINDS.index(kind)]}">'
                     f"<title>{kind}, {to - at:.0f} µs</title></rect>")
    for number, kind in enumerate(KINDS):
        x = LEFT + 90 * number
        parts.append(f'<rect x="{x}" y="{bottom + 6}" width="12" height="12" fill="{STREAMS[number]}"/>')
        parts.append(f'<text x="{x + 18}" y="{bottom + 17}" class="note">{kind}</text>')
    style = (f"text{{font-family:{FONT};font-size:13px;fill:{INK}}}.title{{font-weight:600}}.name{{text-anchor:end}}"
             f".note{{fill:{SOFT};font-size:12px}}")
    height = bottom + 30
    return (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" height="{height}">'
            f'<style>{style}</style><rect width="{WIDTH}" height="{height}" fill="white"/>{"".join(parts)}</svg>\n')


if __name__ == "__main__":
    Path(__file__).with_name("graph.svg").write_text(draw(recorded()))
