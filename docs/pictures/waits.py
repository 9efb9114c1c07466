"""Draws what each way of waiting costs, from real runs: python3 docs/pictures/waits.py

Runs docs/pictures/waits.cpp on two workers in each situation under each MASLIN_WAIT, in turns, on the machine as it is and beside one more busy process, and draws
the medians of how long it took and of the CPU time that it took into waits.svg beside this file. Needs `./dev build`."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from contextlib import contextmanager, nullcontext
from html import escape
from pathlib import Path
from statistics import median
from typing import Iterator

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "python"))
from maslin_report.style import ACCENT, FONT, INK, LINE, SOFT, STREAMS  # noqa: E402

POLICIES = ("spin", "yield", "adaptive", "park", "auto")
SITUATIONS = {"alike": ("loops of 20 µs, 10 µs in between", 2000), "varied": ("1 to 200 µs", 1000), "long": ("loops of 20 µs, 2 ms in between", 150)}
ROUNDS = 7
WIDTH, HEIGHT, LEFT, TOP, BAR = 320, 210, 44, 46, 18  # of a panel, what lies around its bars, a bar's width

Medians = dict[str, tuple[float, float, str]]  # by policy: seconds, CPU seconds, what `auto` came to


@contextmanager
def busy_process() -> Iterator[None]:
    with subprocess.Popen([sys.executable, "-c", "while True: pass"]) as busy:
        try:
            yield
        finally:
            busy.kill()


def one(situation: str, policy: str) -> dict:
    program = ROOT / "build" / "release" / "bin" / "page_picture_waits"
    environment = {"MASLIN_WORKERS": "2", "MASLIN_WAIT": policy, "MASLIN_PIN": "waits=1x2"}
    command = [program, situation, str(SITUATIONS[situation][1])]
    return json.loads(subprocess.run(command, env=os.environ | environment, stdout=subprocess.PIPE, check=True).stdout)


def measure(situation: str) -> Medians:
    runs: dict[str, list[dict]] = {policy: [] for policy in POLICIES}
    for turn in range(ROUNDS):
        for policy in POLICIES[::-1] if turn % 2 else POLICIES:
            runs[policy].append(one(situation, policy))
    return {policy: (median(run["seconds"] for run in found), median(run["cpu_seconds"] for run in found), found[-1]["waiting"])
            for policy, found in runs.items()}


def panel(left: float, above: float, title: str, found: Medians) -> list[str]:
    most = max(max(seconds, cpu) for seconds, cpu, _ in found.values())
    ground = above + HEIGHT - 40
    height = lambda seconds: (ground - above - TOP) * seconds / most
    parts = [f'<text x="{left + LEFT}" y="{above + 22}" class="title">{escape(title)}</text>',
             f'<line x1="{left + LEFT}" x2="{left + WIDTH - 8}" y1="{ground}" y2="{ground}" stroke="{LINE}"/>']
    step = (WIDTH - LEFT - 8) / len(POLICIES)
    for number, policy in enumerate(POLICIES):
        x = left + LEFT + number * step + (step - 2 * BAR) / 2
        seconds, cpu, served = found[policy]
        for place, (value, colour) in enumerate(((seconds, ACCENT), (cpu, STREAMS[1]))):
            at = x + place * BAR
            parts.append(f'<rect x="{at:.1f}" y="{ground - height(value):.1f}" width="{BAR - 2}" height="{height(value):.1f}" fill="{colour}"/>')
            parts.append(f'<text x="{at + BAR / 2 - 1:.1f}" y="{ground - height(value) - 4:.1f}" class="small">{1000 * value:.0f}</text>')
        parts.append(f'<text x="{x + BAR:.1f}" y="{ground + 16}" class="middle">{policy}</text>')
        if policy == "auto":
            parts.append(f'<text x="{x + BAR:.1f}" y="{ground + 30}" class="small">{served}</text>')
    return parts


def picture(rows: dict[str, dict[str, Medians]]) -> str:
    parts = []
    for row, (where, panels) in enumerate(rows.items()):
        for column, (situation, found) in enumerate(panels.items()):
            parts += panel(column * WIDTH, 30 + row * HEIGHT, f"{situation}, {where}: {SITUATIONS[situation][0]}", found)
    for number, (colour, meaning) in enumerate(((ACCENT, "time, ms"), (STREAMS[1], "CPU time of the process, ms"))):
        parts.append(f'<rect x="{LEFT + 110 * number}" y="10" width="12" height="12" fill="{colour}"/>')
        parts.append(f'<text x="{LEFT + 18 + 110 * number}" y="21">{meaning}</text>')
    style = (f"text{{font-family:{FONT};font-size:12px;fill:{INK}}}.title{{font-weight:600;font-size:11px}}.middle{{text-anchor:middle}}"
             f".small{{fill:{SOFT};font-size:9px;text-anchor:middle}}")
    width, height = WIDTH * len(SITUATIONS), 40 + HEIGHT * len(rows)
    return (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}">'
            f'<style>{style}</style><rect width="{width}" height="{height}" fill="white"/>{"".join(parts)}</svg>\n')


def main() -> None:
    rows: dict[str, dict[str, Medians]] = {}
    for where, neighbour in {"as it is": nullcontext, "one more busy": busy_process}.items():
        with neighbour():
            rows[where] = {situation: measure(situation) for situation in SITUATIONS}
        for situation, found in rows[where].items():
            for policy, (seconds, cpu, served) in found.items():
                print(f"{situation:7} {where:15} {policy:9} {1000 * seconds:6.0f} ms, {1000 * cpu:6.0f} ms of CPU time ({served})", flush=True)
    Path(__file__).with_name("waits.svg").write_text(picture(rows), encoding="utf-8")


if __name__ == "__main__":
    main()
