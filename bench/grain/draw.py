"""Pictures: a heat map of the fixed configurations with what each policy chose, and bars of the policies' times."""

from __future__ import annotations

import math
from html import escape
from pathlib import Path

import pictures
from maslin_report.style import ACCENT, FONT, INK, LINE, SOFT, STREAMS
from maslin_report.whole import write_whole

from .cases import configurations
from .result import COLD, POLICIES, WARM, Result

COLOURS = {"s-mgps": STREAMS[2], "mgps": STREAMS[1], "hill-climbing": STREAMS[4], "ucb": STREAMS[3], COLD: ACCENT, WARM: STREAMS[5]}
MARKS = {"s-mgps": "S", "mgps": "M", "hill-climbing": "H", "ucb": "U", COLD: "A", WARM: "W"}
WORST_SHOWN = 2.0  # times the best: what is slower has the same colour, and its bar ends there
SIDE, LEFT, TOP, BOTTOM = 430, 46, 86, 40


def colour(relative: float) -> str:
    """Gives dark for the best and pale for what takes twice as long or more."""
    share = min(max(relative - 1, 0.0) / (WORST_SHOWN - 1), 1.0) ** 0.6
    dark, pale = (0x1f, 0x5f, 0x99), (0xf4, 0xee, 0xe2)
    return "#" + "".join(f"{round(a + (b - a) * share):02x}" for a, b in zip(dark, pale))


def heat_map(result: Result, left: float) -> list[str]:
    """Configurations that were not run have the colour of the nearest that was."""
    measured = {tuple(map(int, one.split("x"))): value for one, value in result.relative().items()}
    cells = configurations(result.case.machine or max(p * w for p, w in measured), result.case.units)
    streams, widths = sorted({p for p, _ in cells}), sorted({w for _, w in cells})
    wide, high = (SIDE - LEFT - 16) / len(widths), (SIDE - TOP - BOTTOM) / len(streams)

    def x(width: int) -> float:
        return left + LEFT + widths.index(width) * wide

    def y(at_a_time: int) -> float:
        return SIDE - BOTTOM - (streams.index(at_a_time) + 1) * high

    parts = [f'<text x="{left + LEFT}" y="{TOP - 10}" class="title">{escape(result.case.place)}, best {result.best}</text>']
    for p, w in cells:
        value = measured[min(measured, key=lambda one: abs(math.log(one[0] / p)) + abs(math.log(one[1] / w)))]
        told = f"{value:.3f} of the best" if (p, w) in measured else "not run"
        parts.append(f'<rect x="{x(w):.1f}" y="{y(p):.1f}" width="{wide:.1f}" height="{high:.1f}" fill="{colour(value)}">'
                     f"<title>{p}x{w}: {told}</title></rect>")
    for every, axis in ((widths, "w"), (streams, "p")):
        for index, count in enumerate(every):
            if len(every) > 8 and index % (len(every) // 6) and count != every[-1]:
                continue
            at = (f'x="{x(count) + wide / 2:.1f}" y="{SIDE - BOTTOM + 15}" text-anchor="middle"' if axis == "w" else
                  f'x="{left + LEFT - 5}" y="{y(count) + high / 2 + 4:.1f}" text-anchor="end"')
            parts.append(f'<text {at} class="tick">{count}</text>')
    parts.append(f'<text x="{left + SIDE / 2 + LEFT / 2}" y="{SIDE - 6}" class="tick" text-anchor="middle">width</text>')
    together: dict[str, list[str]] = {}
    for policy in result.policies:
        together.setdefault(result.configuration(policy), []).append(policy)
    for one, some in together.items():
        p, w = map(int, one.split("x"))
        if p not in streams or w not in widths:
            continue
        for index, policy in enumerate(some):
            cx = min(x(w) + wide / 2 + 13 * index, left + SIDE - 8)
            parts.append(f'<circle cx="{cx:.1f}" cy="{y(p) + high / 2:.1f}" r="7.5" fill="{COLOURS[policy]}" stroke="white"/>'
                         f'<text x="{cx:.1f}" y="{y(p) + high / 2 + 3.5:.1f}" class="mark">{MARKS[policy]}</text>')
    return parts


def heat_maps(title: str, results: list[Result]) -> str:
    """Gives the SVG of one shape with so many units, a map for each machine."""
    parts = [f'<text x="{LEFT}" y="22" class="head">{escape(title)}: streams at a time (up) × width</text>']
    at = LEFT
    for policy in POLICIES:
        if any(policy in one.policies for one in results):
            parts.append(f'<circle cx="{at}" cy="42" r="7.5" fill="{COLOURS[policy]}"/><text x="{at}" y="45.5" class="mark">{MARKS[policy]}</text>'
                         f'<text x="{at + 12}" y="46">{policy}</text>')
            at += 40 + 7 * len(policy)
    parts.append(f'<text x="{at}" y="46" class="note">dark: the best; pale: twice its time or more</text>')
    for place, result in enumerate(results):
        parts += heat_map(result, place * SIDE)
    width = max(SIDE * len(results), at + 260)
    style = (f"text{{font-family:{FONT};font-size:12px;fill:{INK}}}.head{{font-size:15px;font-weight:600}}.title{{font-weight:600}}"
             f".note{{fill:{SOFT}}}.tick{{fill:{SOFT};font-size:11px}}.mark{{fill:white;font-size:10px;font-weight:600;text-anchor:middle}}"
             f"rect{{stroke:{LINE};stroke-width:0.3}}")
    return (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {SIDE}" width="{width}" height="{SIDE}">'
            f'<style>{style}</style><rect width="{width}" height="{SIDE}" fill="white"/>{"".join(parts)}</svg>\n')


def bars(results: list[Result]) -> str:
    """Gives the SVG of every policy's time over the best fixed configuration's: a panel a shape and machine, a group for each number of units."""
    pictures.COLOURS.update(COLOURS)
    panels: dict[str, pictures.Panel] = {}
    for one in results:
        title = f"{one.case.shape}, {one.case.place}"
        panel = panels.setdefault(title, pictures.Panel(title, "of the best fixed", line=1.0))
        panel.groups.append((str(one.case.units), [pictures.Bar(policy, min(one.ratio(policy), WORST_SHOWN)) for policy in one.policies]))
    shown = [policy for policy in POLICIES if any(policy in one.policies for one in results)]
    return pictures.draw("Policies against the best fixed configuration", "Time of the phase, by units of work; bars that reach 2 are longer.",
                         shown, list(panels.values()))


def write(folder: Path, file: str, text: str) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    write_whole(folder / file, text)


def write_all(results: list[Result], folder: Path) -> None:
    drawn = [one for one in results if one.fixed]
    if not drawn:
        return
    write(folder, "policies.svg", bars(drawn))
    groups: dict[tuple[str, int], list[Result]] = {}
    for one in drawn:
        groups.setdefault((one.case.shape, one.case.units), []).append(one)
    for (shape, units), some in groups.items():
        write(folder, f"{shape.replace('/', '-')}-{units}.svg", heat_maps(f"{shape}, {units} units", some))
