"""Draws the README's picture from a run: build/release/bin/maslin trace spans out/demo/run.mtrace | python3 docs/pictures/demo.py

Writes demo.svg beside this file: each row a worker, each bar a tree search; below it what right-sizing had in force."""

from __future__ import annotations

import json
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "python"))
from maslin_report.style import CHOSEN, FONT, IDLE, INK, SOFT, STREAMS  # noqa: E402

WIDTH, LEFT, RIGHT, ROW, GAP, TOP = 960, 120, 16, 34, 8, 44


def configurations(decisions: list[dict], end: float) -> list[tuple[float, float, str, bool]]:
    """Gives (from, to, configuration, chosen) for each stretch in which one configuration was in force."""
    stretches: list[tuple[float, float, str, bool]] = []
    for decision, after in zip(decisions, [*decisions[1:], {"at_s": end}]):
        name, chosen = f"{decision['streams']} × {decision['width']}", decision["stage"] == "chosen"
        if stretches and stretches[-1][2:] == (name, chosen):
            stretches[-1] = (stretches[-1][0], after["at_s"], name, chosen)
        else:
            stretches.append((decision["at_s"], after["at_s"], name, chosen))
    return stretches


def tick_step(seconds: float) -> float:
    return next(step for step in (0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 60, 120, 600) if seconds / step <= 12)


def draw(run: dict) -> str:
    begin, end = run["phases"][0]["begin_s"], run["phases"][0]["end_s"]
    scale = (WIDTH - LEFT - RIGHT) / (end - begin)

    def x(at: float) -> float:
        return LEFT + (min(max(at, begin), end) - begin) * scale

    tracks = [track for track in run["tracks"] if track["worker"] >= 0]
    bottom = TOP + len(tracks) * (ROW + GAP)
    parts = [f'<text x="{LEFT}" y="24" class="title">{run["phases"][0]["streams"]} tree searches on {len(tracks)} workers, '
             f"{end - begin:.1f} s: a search of the best tree and its bootstrap replicates</text>"]
    for row, track in enumerate(tracks):
        y = TOP + row * (ROW + GAP)
        parts.append(f'<text x="{LEFT - 10}" y="{y + ROW / 2 + 4}" class="name">worker {track["worker"]}</text>')
        parts.append(f'<rect x="{LEFT}" y="{y}" width="{WIDTH - LEFT - RIGHT}" height="{ROW}" fill="{IDLE}"/>')
        for span_begin, span_end, stream in track["spans"]:
            width = x(span_end) - x(span_begin)
            if stream >= 0 and width > 0.02:
                parts.append(f'<rect x="{x(span_begin):.2f}" y="{y}" width="{width:.2f}" height="{ROW}" '
                             f'fill="{STREAMS[stream % len(STREAMS)]}"/>')
    for at, to, name, chosen in configurations(run["decisions"], end):
        width = x(to) - x(at)
        parts.append(f'<rect x="{x(at):.2f}" y="{bottom}" width="{max(width - 0.5, 0.3):.2f}" height="14" '
                     f'fill="{CHOSEN if chosen else SOFT}" opacity="{1 if chosen else 0.55}"/>')
        if width > 60:
            parts.append(f'<text x="{x(at) + width / 2:.1f}" y="{bottom + 11}" class="inside">'
                         f'{"chosen: " if chosen else ""}{name}</text>')
    parts.append(f'<text x="{LEFT - 10}" y="{bottom + 11}" class="name">streams × width</text>')
    step = tick_step(end - begin)
    for tick in range(int((end - begin) / step) + 1):
        at = begin + tick * step
        parts.append(f'<text x="{x(at):.1f}" y="{bottom + 34}" class="tick">{tick * step:g} s</text>')
    height = bottom + 44
    style = (f"text{{font-family:{FONT};font-size:12px;fill:{INK}}}.title{{font-size:14px;font-weight:600}}"
             f".name{{text-anchor:end;fill:{SOFT}}}.tick{{text-anchor:middle;fill:{SOFT}}}"
             ".inside{text-anchor:middle;fill:white;font-size:10px}")
    return (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" height="{height}">'
            f'<style>{style}</style><rect width="{WIDTH}" height="{height}" fill="white"/>{"".join(parts)}</svg>\n')


if __name__ == "__main__":
    Path(__file__).with_name("demo.svg").write_text(draw(json.load(sys.stdin)), encoding="utf-8")
