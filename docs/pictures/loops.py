"""Draws one loop under each policy from real runs: python3 docs/pictures/loops.py

Runs the paper's triangular arrays (maslin-dbs mta: 512 columns, column i costs i) with two workers under each policy, records it,
and draws of the recorded loops the one of median length into loop-POLICY.svg beside this file: each row a worker, each bar the
blocks that it took at once. Needs `./dev build`; a busy machine shows as gaps."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from dataclasses import dataclass, field
from html import escape
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "python"))
from maslin_report.style import FONT, IDLE, INK, SOFT, STREAMS  # noqa: E402

POLICIES = ("dbs", "static", "gss", "afs")
WORKERS = 2
WIDTH, LEFT, RIGHT, ROW, GAP, TOP, BOTTOM = 960, 84, 16, 40, 8, 40, 30


@dataclass
class Loop:
    begin: float
    end: float = 0.0
    chunks: list[tuple[int, float, float, int, int]] = field(default_factory=list)  # worker, from, to, first block, blocks


def recorded(policy: str) -> list[Loop]:
    """Gives the loops of one run, times in microseconds."""
    with tempfile.TemporaryDirectory() as folder:
        trace, exported = Path(folder, "run.mtrace"), Path(folder, "run.json")
        environment = os.environ | {"MASLIN_LOOP": policy, "MASLIN_WORKERS": str(WORKERS), "MASLIN_TRACE": str(trace),
                                    "MASLIN_TRACE_DETAIL": "all"}
        programs = ROOT / "build" / "release" / "bin"
        subprocess.run([programs / "maslin-dbs", "mta", "--form", "loop", "--steps", "4", "--repeat", "5"], env=environment,
                       check=True, stdout=subprocess.DEVNULL)
        subprocess.run([programs / "maslin", "trace", "export", "-o", exported, trace], check=True, stdout=subprocess.DEVNULL,
                       stderr=subprocess.DEVNULL)
        document = json.loads(exported.read_text())
    events = document["traceEvents"] if isinstance(document, dict) else document
    workers = sorted({event["tid"] for event in events if event.get("cat") == "chunk"})
    loops: list[Loop] = []
    open_chunks: dict[int, dict] = {}
    for event in sorted((event for event in events if event.get("ph") in "BE"), key=lambda event: event["ts"]):
        if event.get("cat") == "loop" and event["ph"] == "B":
            loops.append(Loop(event["ts"]))
        elif event.get("cat") == "chunk" and event["ph"] == "B":
            open_chunks[event["tid"]] = event
        elif event["ph"] == "E" and event["tid"] in open_chunks:
            begun = open_chunks.pop(event["tid"])
            loops[-1].chunks.append((workers.index(event["tid"]), begun["ts"], event["ts"], begun["args"]["first block"],
                                     begun["args"]["blocks"]))
            loops[-1].end = event["ts"]
    return loops


def typical(loops: list[Loop]) -> Loop:
    """Gives the loop of median length among those in which every worker took part, or of all if there is none."""
    shared = [loop for loop in loops if len({chunk[0] for chunk in loop.chunks}) == WORKERS] or loops
    return sorted(shared, key=lambda loop: loop.end - loop.begin)[len(shared) // 2]


def draw(policy: str, loop: Loop) -> str:
    scale = (WIDTH - LEFT - RIGHT) / (loop.end - loop.begin)
    height = TOP + WORKERS * (ROW + GAP) + BOTTOM
    work = sum(to - at for _, at, to, _, _ in loop.chunks)
    parts = [f'<text x="{LEFT}" y="24" class="title">{policy}: 512 columns, column i costs i; {loop.end - loop.begin:.0f} µs, '
             f"{100 * work / (WORKERS * (loop.end - loop.begin)):.0f} % of two workers' time is work</text>"]
    for worker in range(WORKERS):
        y = TOP + worker * (ROW + GAP)
        parts.append(f'<text x="{LEFT - 8}" y="{y + ROW / 2 + 4}" class="name">worker {worker}</text>')
        parts.append(f'<rect x="{LEFT}" y="{y}" width="{WIDTH - LEFT - RIGHT}" height="{ROW}" fill="{IDLE}"/>')
    for number, (worker, at, to, first, blocks) in enumerate(loop.chunks):
        x, y, width = LEFT + (at - loop.begin) * scale, TOP + worker * (ROW + GAP), (to - at) * scale
        columns = f"{first}–{first + blocks - 1}" if blocks > 1 else f"{first}"
        parts.append(f'<rect x="{x:.1f}" y="{y}" width="{max(width - 0.6, 0.4):.1f}" height="{ROW}" fill="{STREAMS[number % 8]}">'
                     f"<title>columns {columns}, {to - at:.1f} µs</title></rect>")
        if width > 8 * len(columns):
            parts.append(f'<text x="{x + width / 2:.1f}" y="{y + ROW / 2 + 4}" class="inside">{escape(columns)}</text>')
    y = TOP + WORKERS * (ROW + GAP)
    parts.append(f'<text x="{LEFT}" y="{y + 16}" class="note">time ⟶ each bar: the columns that a worker took at once</text>')
    style = (f"text{{font-family:{FONT};font-size:13px;fill:{INK}}}.title{{font-weight:600}}.name{{text-anchor:end}}"
             f".note{{fill:{SOFT};font-size:12px}}.inside{{text-anchor:middle;font-size:12px;fill:white}}")
    return (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" height="{height}">'
            f'<style>{style}</style><rect width="{WIDTH}" height="{height}" fill="white"/>{"".join(parts)}</svg>\n')


def main() -> None:
    for policy in POLICIES:
        loop = typical(recorded(policy))
        Path(__file__).with_name(f"loop-{policy}.svg").write_text(draw(policy, loop))
        print(f"{policy}: {loop.end - loop.begin:.0f} µs, {len(loop.chunks)} times blocks were taken")


if __name__ == "__main__":
    main()
