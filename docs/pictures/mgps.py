"""Draws figure 5 of the paper on multigrain parallelism from new runs: python3 docs/pictures/mgps.py

Runs `bench/figures/described.py figure5` (MGPS, EDTLP and EDTLP-LLP on a described Cell) and draws its times as lines into mgps.svg beside
this file. Needs `./dev build`; in virtual time, so a busy machine does not show."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from html import escape
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "python"), str(ROOT / "bench" / "figures")]
from maslin_report.style import ACCENT, FONT, INK, LINE, SOFT, STREAMS  # noqa: E402
from pictures import tick_step  # noqa: E402

COLOURS = {"EDTLP-LLP 4": STREAMS[1], "EDTLP-LLP 2": STREAMS[2], "EDTLP": STREAMS[3], "MGPS": ACCENT}  # MGPS above the others
WIDTH, HEIGHT, LEFT, TOP, BOTTOM = 480, 320, 52, 52, 40  # of a panel, and what lies around its lines

Times = dict[str, list[tuple[int, float]]]  # by policy: bootstraps, seconds


def run() -> Times:
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-B", str(ROOT / "bench" / "figures" / "described.py"), "figure5", "--json", "--output", folder]
        cells = json.loads(subprocess.run(command, stdout=subprocess.PIPE, check=True).stdout)
    times: Times = {policy: [] for policy in COLOURS}
    for cell in cells:
        times[cell["column"]].append((int(cell["row"]), cell["predicted"]))
    return times


def panel(left: float, most: int, times: Times) -> list[str]:
    """Draws the lines for up to `most` bootstraps."""
    top = 1.05 * max(seconds for points in times.values() for units, seconds in points if units <= most)
    x0, x1, y0, y1 = left + LEFT, left + WIDTH - 16, HEIGHT - BOTTOM, TOP
    parts = []
    step = tick_step(top)
    for tick in range(int(top / step) + 1):
        at = y0 - (y0 - y1) * tick * step / top
        parts.append(f'<line x1="{x0}" x2="{x1}" y1="{at:.1f}" y2="{at:.1f}" stroke="{LINE}"/>')
        parts.append(f'<text x="{x0 - 6}" y="{at + 4:.1f}" class="end">{tick * step:g}</text>')
    for tick in range(0, most + 1, most // 8):
        parts.append(f'<text x="{x0 + (x1 - x0) * tick / most:.1f}" y="{y0 + 18}" class="middle">{tick}</text>')
    parts.append(f'<text x="{(x0 + x1) / 2}" y="{y0 + 34}" class="middle">bootstraps</text>')
    parts.append(f'<text x="{x0 - 6}" y="{y1 - 8}" class="end">s</text>')
    for policy, points in times.items():
        line = " ".join(f"{x0 + (x1 - x0) * units / most:.1f},{y0 - (y0 - y1) * seconds / top:.1f}"
                        for units, seconds in points if units <= most)
        parts.append(f'<polyline points="{line}" fill="none" stroke="{COLOURS[policy]}" stroke-width="{2.5 if policy == "MGPS" else 1.5}"/>')
    return parts


def picture(times: Times) -> str:
    parts = [*panel(0, 16, times), *panel(WIDTH, 128, times)]
    for number, policy in enumerate(COLOURS):
        parts.append(f'<rect x="{LEFT + 120 * number}" y="14" width="12" height="12" fill="{COLOURS[policy]}"/>')
        parts.append(f'<text x="{LEFT + 18 + 120 * number}" y="25">{escape(policy)}</text>')
    style = (f"text{{font-family:{FONT};font-size:12px;fill:{INK}}}.end{{fill:{SOFT};text-anchor:end}}"
             f".middle{{fill:{SOFT};text-anchor:middle}}")
    return (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {2 * WIDTH} {HEIGHT}" width="{2 * WIDTH}" height="{HEIGHT}">'
            f'<style>{style}</style><rect width="{2 * WIDTH}" height="{HEIGHT}" fill="white"/>{"".join(parts)}</svg>\n')


if __name__ == "__main__":
    Path(__file__).with_name("mgps.svg").write_text(picture(run()), encoding="utf-8")
