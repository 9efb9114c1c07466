"""Draws panels of grouped bars as SVG."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from html import escape
from typing import Sequence

from maslin_report.style import ACCENT, FONT, INK, LINE, OTHER, SOFT, STREAMS

COLOURS = {"ours": ACCENT, "paper": OTHER, "dbs": ACCENT, "afs": STREAMS[1], "gss": STREAMS[2], "static": OTHER,
           "yield": ACCENT, "adaptive": STREAMS[1], "edtlp": STREAMS[2], "native": OTHER,
           "naive": OTHER, "chains": STREAMS[3], "no-hints": STREAMS[1], "no-co-par": STREAMS[2],
           "in-10-%": STREAMS[4], "bundles": ACCENT,
           "none": OTHER, "+mso": STREAMS[3], "+ec": STREAMS[1], "+cache": STREAMS[2], "+db": ACCENT,
           "naive-no-cache": STREAMS[3], "bundles-no-cache": STREAMS[1],
           "1-worker": ACCENT, "2-worker": STREAMS[1], "4-worker": STREAMS[2], "8-worker": STREAMS[3],
           "tree": OTHER, "block": STREAMS[3], "as-kernel": STREAMS[4], "one-at-a-time": STREAMS[2],
           "hybrid": ACCENT, "Opteron": OTHER, "PS3": ACCENT, "QS20": OTHER,
           **{f"{streams}x{width}": STREAMS[(streams - 1) % len(STREAMS)] for streams in range(1, 7) for width in range(1, 7)}}
COLUMNS, WIDTH, HEIGHT = 3, 320, 230  # of a panel
LEFT, RIGHT, TOP, BOTTOM = 52, 12, 34, 30  # within it
HEAD = 84


@dataclass
class Bar:
    policy: str
    value: float
    least: float | None = None
    most: float | None = None
    mark: float | None = None  # a tick across the bar
    pale: bool = False


@dataclass
class Panel:
    title: str
    unit: str
    line: float | None = None  # across the panel
    line_name: str = ""
    groups: list[tuple[str, list[Bar]]] = field(default_factory=list)


def paler(colour: str) -> str:
    """Gives the colour mixed with white."""
    return "#" + "".join(f"{255 - (255 - int(colour[at:at + 2], 16)) * 2 // 5:02x}" for at in (1, 3, 5))


def tick_step(top: float) -> float:
    """Gives a round step that divides 0 to `top` in 3 to 6."""
    magnitude = 10.0 ** math.floor(math.log10(top / 3))
    return next(magnitude * factor for factor in (1, 2, 5, 10) if top / (magnitude * factor) <= 6)


def panel_svg(panel: Panel, left: float, upper: float) -> list[str]:
    bars = [bar for _, group in panel.groups for bar in group]
    shown = [value for bar in bars for value in (bar.value, bar.mark) if value is not None]
    top = 1.15 * max([*shown, panel.line or 0.0, 1e-9])
    x0, x1 = left + LEFT, left + WIDTH - RIGHT
    y0, y1 = upper + HEIGHT - BOTTOM, upper + TOP

    def y(value: float) -> float:
        return y0 - (y0 - y1) * min(max(value, 0.0), top) / top

    parts = [f'<text x="{x0}" y="{upper + 20}" class="title">{escape(panel.title)}</text>',
             f'<text x="{x1}" y="{upper + 20}" class="unit">{escape(panel.unit)}</text>']
    step = tick_step(top)
    for tick in range(int(top / step) + 1):
        at = y(tick * step)
        parts.append(f'<line x1="{x0}" x2="{x1}" y1="{at:.1f}" y2="{at:.1f}" stroke="{LINE}"/>')
        parts.append(f'<text x="{x0 - 6}" y="{at + 4:.1f}" class="tick">{tick * step:g}</text>')
    wide = (x1 - x0) / max(1, len(panel.groups))
    for number, (name, group) in enumerate(panel.groups):
        bar_wide = min(0.8 * wide / max(1, len(group)), 34)
        begin = x0 + (number + 0.5) * wide - 0.5 * bar_wide * len(group)
        for place, bar in enumerate(group):
            x = begin + place * bar_wide
            middle = x + 0.5 * bar_wide
            gap = min(2.0, bar_wide / 4)
            parts.append(f'<rect x="{x + gap / 2:.1f}" y="{y(bar.value):.1f}" width="{bar_wide - gap:.1f}" '
                         f'height="{y0 - y(bar.value):.1f}" fill="{paler(COLOURS[bar.policy]) if bar.pale else COLOURS[bar.policy]}">'
                         f"<title>{bar.policy}: {bar.value:.3g} {escape(panel.unit)}</title></rect>")
            if bar.least is not None and bar.most is not None:
                parts.append(f'<line x1="{middle:.1f}" x2="{middle:.1f}" y1="{y(bar.least):.1f}" y2="{y(bar.most):.1f}" '
                             f'stroke="{SOFT}"/>')
            if bar.mark is not None:
                parts.append(f'<line x1="{x:.1f}" x2="{x + bar_wide:.1f}" y1="{y(bar.mark):.1f}" y2="{y(bar.mark):.1f}" '
                             f'stroke="{INK}" stroke-width="2"/>')
        parts.append(f'<text x="{x0 + (number + 0.5) * wide:.1f}" y="{y0 + 18}" class="group">{escape(name)}</text>')
    if panel.line is not None:
        at = y(panel.line)
        parts.append(f'<line x1="{x0}" x2="{x1}" y1="{at:.1f}" y2="{at:.1f}" stroke="{INK}" stroke-dasharray="4 3"/>')
        parts.append(f'<text x="{x1}" y="{at - 4:.1f}" class="unit halo">{escape(panel.line_name)}</text>')
    return parts


def draw(title: str, note: str, policies: Sequence[str], panels: Sequence[Panel]) -> str:
    """Gives the SVG of the panels in rows of three, with a legend of the policies."""
    width = COLUMNS * WIDTH
    parts = [f'<text x="{LEFT}" y="26" class="head">{escape(title)}</text>',
             f'<text x="{LEFT}" y="46" class="note">{escape(note)}</text>']
    x, y = LEFT - 90, 58
    for before, policy in zip(("", *policies), policies):
        x += max(90, 30 + 7 * len(before))
        if x + 18 + 7 * len(policy) > width:
            x, y = LEFT, y + 18
        parts.append(f'<rect x="{x}" y="{y}" width="12" height="12" fill="{COLOURS[policy]}"/>')
        parts.append(f'<text x="{x + 18}" y="{y + 11}">{policy}</text>')
    head = HEAD + y - 58
    height = head + HEIGHT * math.ceil(len(panels) / COLUMNS)
    for number, panel in enumerate(panels):
        parts += panel_svg(panel, WIDTH * (number % COLUMNS), head + HEIGHT * (number // COLUMNS))
    style = (f"text{{font-family:{FONT};font-size:12px;fill:{INK}}}.head{{font-size:15px;font-weight:600}}"
             f".title{{font-weight:600}}.note{{fill:{SOFT}}}.unit{{fill:{SOFT};text-anchor:end}}"
             ".halo{stroke:white;stroke-width:3px;paint-order:stroke}"
             f".tick{{fill:{SOFT};text-anchor:end;font-size:11px}}.group{{fill:{SOFT};text-anchor:middle}}")
    return (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}">'
            f'<style>{style}</style><rect width="{width}" height="{height}" fill="white"/>{"".join(parts)}</svg>\n')
