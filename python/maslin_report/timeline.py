"""The time line: for which stream each worker worked, and when the configuration changed."""

from __future__ import annotations

import plotly.graph_objects as go

from . import style

MOST_LABELS = 14  # of decisions, before they would cover each other


def colour(stream: int) -> str:
    return style.OTHER if stream < 0 else style.STREAMS[stream % len(style.STREAMS)]


def stream_name(trace: dict, stream: int) -> str:
    if stream < 0:
        return "outside streams"
    found = trace["streams"][stream]
    return f"{found['phase']} {found['index']}"


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


def figure(trace: dict) -> go.Figure:
    """Gives the picture of the workers' time."""
    tracks = trace["tracks"]
    labels = [f"worker {track['worker']}" for track in tracks]
    height = max(12, min(34, 900 // max(1, len(tracks))))

    picture = go.Figure()
    picture.add_trace(go.Bar(y=labels, x=[trace["duration_s"]] * len(labels), base=[0] * len(labels), orientation="h",
                             marker={"color": style.IDLE, "line": {"width": 0}}, hoverinfo="skip", width=0.78))
    rows, starts, lengths, colours, texts = [], [], [], [], []
    for label, track in zip(labels, tracks):
        for begin, end, stream in track["spans"]:
            rows.append(label)
            starts.append(begin)
            lengths.append(round(end - begin, 6))
            colours.append(colour(stream))
            texts.append(stream_name(trace, stream))
    picture.add_trace(go.Bar(
        y=rows, x=lengths, base=starts, orientation="h", width=0.78, customdata=texts,
        marker={"color": colours, "line": {"color": "white", "width": 0.4 if len(rows) < 1500 else 0}},
        hovertemplate="%{customdata}<br>%{y}, %{base:.3f} s, for %{x:.3f} s<extra></extra>"))

    decisions = distinct(trace["decisions"])
    # Labels stand on two levels, so that neighbours do not cover each other.
    placed = [-1e9, -1e9]
    for i, decision in enumerate(decisions):
        final = decision["stage"] != "sampling"
        ink = style.CHOSEN if final else style.SOFT
        picture.add_vline(x=decision["at_s"], line={"color": ink, "width": 2.2 if final else 1,
                                                    "dash": "solid" if final else "dot"})
        level = 0 if decision["at_s"] - placed[0] >= 0.05 * trace["duration_s"] else 1
        room = decision["at_s"] - placed[level] >= 0.05 * trace["duration_s"]
        if not final and (i >= MOST_LABELS or not room):
            continue
        placed[level] = decision["at_s"]
        words = f"<b>{configuration(decision)} {decision['stage']}</b>" if final else configuration(decision)
        late = decision["at_s"] > 0.9 * trace["duration_s"]
        picture.add_annotation(x=decision["at_s"], y=1, yref="paper", text=words, showarrow=False,
                               xanchor="right" if late else "left", xshift=-3 if late else 3, yanchor="bottom",
                               yshift=2 + 16 * level, font={"size": 12, "color": ink})

    picture.update_layout(**style.layout(height=130 + height * len(tracks)))
    picture.update_layout(barmode="overlay", showlegend=False, margin={"l": 84, "r": 24, "t": 44, "b": 48}, bargap=0)
    picture.update_xaxes(title={"text": "seconds since the trace began", "font": {"size": 12, "color": style.SOFT}},
                         range=[0, trace["duration_s"]], gridcolor=style.LINE, zeroline=False,
                         tickfont={"size": 12, "color": style.SOFT})
    picture.update_yaxes(autorange="reversed", fixedrange=True, tickfont={"size": 12}, ticks="")
    if len(tracks) > 40:
        picture.update_yaxes(tickfont={"size": 9})
    return picture
