"""The time line: for which stream each worker worked, and when the configuration changed."""

from __future__ import annotations

import json
import math
from html import escape

from . import labels, style
from .labels import Box, Edge
from .phylogram import nice, percent

WIDTHS = (240, 480, 960, 1920, 3840, 7680, 15360)  # pixels at which more labels are shown; page.js zooms that far
TOP, FOOT = 40, 30  # pixels: two lines of labels, and the axis
LINE = 17  # pixels, of a label
LETTER = 8.0  # pixels at most, in the mean, in the fonts that the page asks for
MOST_MARKS = 500  # lines of decisions
FAR_APART = 72  # pixels between ticks, at least


def stream_class(stream: int) -> str:
    return "so" if stream < 0 else f"s{stream % len(style.STREAMS)}"


def configuration(decision: dict) -> str:
    return f"{decision['streams']} × {decision['width']}"


def distinct(decisions: list[dict]) -> list[dict]:
    """Leaves out decisions that repeat the one before them."""
    kept: list[dict] = []
    for decision in decisions:
        key = (decision["phase"], decision["streams"], decision["width"], decision["stage"])
        if not kept or key != (kept[-1]["phase"], kept[-1]["streams"], kept[-1]["width"], kept[-1]["stage"]):
            kept.append(decision)
    return kept


def readable(decisions: list[dict], duration: float) -> list[dict]:
    """Leaves out decisions that would be drawn on the one before them, as those of a phase that runs thousands of times."""
    kept: list[dict] = []
    for decision in distinct(decisions):
        if not kept or decision["at_s"] - kept[-1]["at_s"] >= duration / MOST_MARKS or len(decisions) < MOST_MARKS:
            kept.append(decision)
    return kept


def united(trace: dict) -> dict:
    """Gives the trace with one stream for all of one name: a phase that runs again has the same ones."""
    names: dict[str, int] = {}
    streams: list[dict] = []
    numbers = []
    for name, stream in zip(names_of_streams(trace), trace["streams"]):
        if name not in names:
            names[name] = len(streams)
            streams.append(stream)
        numbers.append(names[name])
    tracks = [{**track, "spans": [[begin, end, stream if stream < 0 else numbers[stream]] for begin, end, stream in track["spans"]]}
              for track in trace["tracks"]]
    return {**trace, "streams": streams, "tracks": tracks}


def bars(track: dict, duration: float) -> str:
    """Gives the intervals of one worker: a path for each colour, ten thousand units wide."""
    paths: dict[str, list[str]] = {}
    for begin, end, stream in track["spans"]:
        at, size = round(1e4 * begin / duration, 2), round(1e4 * (end - begin) / duration, 2)
        paths.setdefault(stream_class(stream), []).append(f"M{at:g} 0h{size:g}v1h-{size:g}")
    return "".join(f"<path class={name} d='{''.join(parts)}'/>" for name, parts in sorted(paths.items()))


def label_boxes(share: float, words: str) -> list[Box]:
    """Gives where the label of a decision can stand: right or left of its line, in the first line or in the second."""
    size = LETTER * len(words) + 4
    sides = [(Edge(share), Edge(share, size)), (Edge(share, -size), Edge(share))]
    return [Box(*side, top, top + LINE) for top in (TOP - LINE, TOP - 2 * LINE) for side in sides]


def decision_marks(decisions: list[dict], duration: float, bottom: float) -> str:
    """Gives a line for each decision, and the labels that have room; those of choices first."""
    ordered = sorted(decisions, key=lambda one: one["stage"] == "sampling")
    shares = [min(max(one["at_s"] / duration, 0.0), 1.0) for one in ordered]
    words = [configuration(one) + ("" if one["stage"] == "sampling" else f" {one['stage']}") for one in ordered]
    places = labels.place([label_boxes(share, text) for share, text in zip(shares, words)],
                          (labels.LEFT_OF_ALL, labels.RIGHT_OF_ALL), WIDTHS)
    out = []
    for number, (decision, share, text) in enumerate(zip(ordered, shares, words)):
        kind, at = "tried" if decision["stage"] == "sampling" else "settled", percent(share)
        out.append(f"<line class={kind} x1='{at}' x2='{at}' y1='{TOP - 4}' y2='{bottom}'/>")
        if number not in places:
            continue
        where = places[number]
        anchor, right = ("start", 3) if where.candidate % 2 == 0 else ("end", -3)
        out.append(f"<text class='{kind} time-from-{where.width}' x='{at}' y='{where.box.top + 13:g}' dx='{right}' "
                   f"text-anchor='{anchor}'>{escape(text)}</text>")
    return "".join(out)


def finer(step: float) -> float:
    """Gives the next step of 5, 1, 0.5, 0.1, ... or of 2, 1, ...: each divides the one before it."""
    return step / 5 if f"{step:e}"[0] == "5" else step / 2


def axis(duration: float, bottom: float) -> str:
    """Gives the ticks of the axis, more of them where it is wider."""
    least = FAR_APART * duration / WIDTHS[0]
    step = nice(least)
    if step < least:  # the next one of 1, 2, 5
        step *= 2.5 if f"{step:e}"[0] == "2" else 2
    there: set[str] = set()
    out = []
    for width in WIDTHS:
        while width * finer(step) / duration >= FAR_APART:
            step = finer(step)
        if width * step / duration < FAR_APART:
            continue
        for number in range(int(duration / step * 1.000001) + 1):
            at, share = f"{number * step:.6g}", number * step / duration
            if at in there or (1 - share) * width < FAR_APART / 2:  # the picture's edge would cut it
                continue
            there.add(at)
            out.append(f"<text class='note time-from-{width}' x='{percent(share)}' y='{bottom + 18}' "
                       f"text-anchor={'middle' if number else 'start'}>{at} s</text>")
    return "".join(out)


def names_of_streams(trace: dict) -> list[str]:
    return [f"{stream['phase']} {stream['index']}" for stream in trace["streams"]]


def picture(trace: dict) -> str:
    """Gives the picture of the workers' time, as HTML. page.js shows what is pointed at, and zooms."""
    trace = united(trace)
    tracks, duration = trace["tracks"], max(trace["duration_s"], 1e-9)
    row = max(12, min(34, 900 // max(1, len(tracks))))
    bottom = TOP + row * len(tracks)
    busy = {one["worker"]: one["busy"] for one in trace["workers"] if "busy" in one}
    digits = 5 - math.floor(math.log10(duration))
    names, rows = [], []
    for number, track in enumerate(tracks):
        said = f"worker {track['worker']}"
        names.append(f"<li style='height:{row}px;line-height:{row}px'>{said}</li>")
        share = f", {100 * busy[track['worker']]:.1f} % busy" if track["worker"] in busy else ""
        rows.append(f"<svg y='{TOP + row * number + 2}' width='100%' height='{row - 4}' viewBox='0 0 10000 1' "
                    f"preserveAspectRatio=none data-row='{said}{share}'><rect class=idle width=10000 height=1 />"
                    f"{bars(track, duration)}</svg>")
    data = {"duration": duration, "streams": names_of_streams(trace), "most": WIDTHS[-1], "top": TOP, "row": row,
            "tracks": [[[round(begin, digits), round(end, digits), stream] for begin, end, stream in track["spans"]]
                       for track in tracks]}
    words = json.dumps(data, separators=(",", ":")).replace("<", "\\u003c")
    return (
        "<div class=zoom-buttons hidden><button type=button data-zoom=in>Zoom in</button>"
        "<button type=button data-zoom=out>Zoom out</button><button type=button data-zoom=all>Whole run</button></div>"
        f"<div class=timeline style='--top:{TOP}px;--foot:{FOOT}px'><ul class=workers aria-hidden=true>{''.join(names)}</ul>"
        f"<div class='scroll keys' role=application tabindex=0 aria-label='time line of {len(tracks)} workers over "
        f"{duration:.3g} s; left and right go from interval to interval, up and down from worker to worker, plus and minus "
        f"zoom'><div class=time-box><svg width='100%' height='{bottom + FOOT}'>{''.join(rows)}"
        f"{decision_marks(readable(trace['decisions'], duration), duration, bottom)}{axis(duration, bottom)}</svg></div></div></div>"
        f"<script type='application/json' id=time-data>{words}</script>")
