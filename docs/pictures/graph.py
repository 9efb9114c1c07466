"""Draws the tasks of docs/pictures/graph.cpp from a real run: python3 docs/pictures/graph.py

Each row a worker, each bar a task; the colour says what it does. Writes graph.svg beside this file. Needs `./dev build`."""

from __future__ import annotations

from pathlib import Path

from rows import BOTTOM, LEFT, Rows, Slice, picture, recorded, slices
from maslin_report.style import STREAMS  # rows knows where it lies

TILES = 6
KINDS = ("potrf", "trsm", "syrk", "gemm")


def kinds_by_line() -> dict[str, str]:
    """Gives the kind of task that each line of the program creates."""
    lines = Path(__file__).with_name("graph.cpp").read_text().splitlines()
    return {str(number): kind for number, line in enumerate(lines, 1) for kind in KINDS if f"ms::task({kind}" in line}


def draw(tasks: list[Slice]) -> str:
    rows = Rows(min(task.begin for task in tasks), max(task.end for task in tasks))
    title = (f"Cholesky, {TILES} × {TILES} tiles: {len(tasks)} tasks in {(rows.end - rows.begin) / 1000:.2f} ms, "
             f"{rows.share(tasks)}")
    kinds = kinds_by_line()
    parts: list[str] = []
    for task in tasks:
        kind = kinds[task.event["name"].rsplit(":", 1)[1]]
        parts.append(rows.bar(task, STREAMS[KINDS.index(kind)], f"{kind}, {task.end - task.begin:.0f} µs"))
    for number, kind in enumerate(KINDS):
        x = LEFT + 90 * number
        parts.append(f'<rect x="{x}" y="{BOTTOM + 6}" width="12" height="12" fill="{STREAMS[number]}"/>')
        parts.append(f'<text x="{x + 18}" y="{BOTTOM + 17}" class="note">{kind}</text>')
    return picture(title, parts)


if __name__ == "__main__":
    Path(__file__).with_name("graph.svg").write_text(draw(slices(recorded("page_picture_graph", str(TILES)), "task")))
