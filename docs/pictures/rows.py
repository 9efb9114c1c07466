"""What the pictures of recorded runs share: the slices of a trace, and a row a worker in which they are drawn."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "python"))
from maslin_report.style import FONT, IDLE, INK, SOFT  # noqa: E402

WORKERS = 2
WIDTH, LEFT, RIGHT, ROW, GAP, TOP = 960, 84, 16, 40, 8, 40
BOTTOM = TOP + WORKERS * (ROW + GAP)  # of the rows


@dataclass
class Slice:
    worker: int
    begin: float  # microseconds
    end: float
    event: dict  # that began it


def recorded(program: str, *arguments: str, **environment: str) -> list[dict]:
    """Gives the events of one run, as `maslin trace export` writes them; times in microseconds."""
    programs = ROOT / "build" / "release" / "bin"
    with tempfile.TemporaryDirectory() as folder:
        trace, exported = Path(folder, "run.mtrace"), Path(folder, "run.json")
        environment |= {"MASLIN_WORKERS": str(WORKERS), "MASLIN_TRACE": str(trace), "MASLIN_TRACE_DETAIL": "all"}
        subprocess.run([programs / program, *arguments], env=os.environ | environment, check=True, stdout=subprocess.DEVNULL)
        subprocess.run([programs / "maslin", "trace", "export", "-o", exported, trace], check=True, stdout=subprocess.DEVNULL,
                       stderr=subprocess.DEVNULL)
        return json.loads(exported.read_text())["traceEvents"]


def slices(events: list[dict], sort: str) -> list[Slice]:
    """Gives the slices of one sort in the order of their ends, workers numbered among those that have one."""
    tracks = sorted({event["tid"] for event in events if event.get("cat") == sort})
    found: list[Slice] = []
    begun: dict[int, list[dict]] = {}  # by track, innermost last
    for event in sorted((event for event in events if event["ph"] in "BE"), key=lambda event: event["ts"]):
        open_here = begun.setdefault(event["tid"], [])
        if event["ph"] == "B":
            open_here.append(event)
        elif (first := open_here.pop())["cat"] == sort:
            found.append(Slice(tracks.index(event["tid"]), first["ts"], event["ts"], first))
    return found


@dataclass
class Rows:
    """The stretch of time that the rows show, in microseconds."""

    begin: float
    end: float

    def x(self, at: float) -> float:
        return LEFT + (at - self.begin) * (WIDTH - LEFT - RIGHT) / (self.end - self.begin)

    def share(self, work: list[Slice]) -> str:
        """Says how much of the workers' time is work."""
        done = sum(each.end - each.begin for each in work) / (WORKERS * (self.end - self.begin))
        return f"{100 * done:.0f} % of two workers' time is work"

    def bar(self, work: Slice, fill: str, title: str) -> str:
        width = self.x(work.end) - self.x(work.begin)
        return (f'<rect x="{self.x(work.begin):.1f}" y="{top(work.worker)}" width="{max(width - 0.6, 0.4):.1f}" '
                f'height="{ROW}" fill="{fill}"><title>{title}</title></rect>')


def top(worker: int) -> int:
    return TOP + worker * (ROW + GAP)


def picture(title: str, parts: list[str], style: str = "") -> str:
    """Gives the SVG: the rows under their title, `parts` on top of them, and what `parts` ask of the style."""
    height = BOTTOM + 30
    style = (f"text{{font-family:{FONT};font-size:13px;fill:{INK}}}.title{{font-weight:600}}.name{{text-anchor:end}}"
             f".note{{fill:{SOFT};font-size:12px}}{style}")
    rows = [f'<text x="{LEFT - 8}" y="{top(worker) + ROW / 2 + 4}" class="name">worker {worker}</text>'
            f'<rect x="{LEFT}" y="{top(worker)}" width="{WIDTH - LEFT - RIGHT}" height="{ROW}" fill="{IDLE}"/>'
            for worker in range(WORKERS)]
    return (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" height="{height}">'
            f'<style>{style}</style><rect width="{WIDTH}" height="{height}" fill="white"/>'
            f'<text x="{LEFT}" y="24" class="title">{title}</text>{"".join(rows)}{"".join(parts)}</svg>\n')
