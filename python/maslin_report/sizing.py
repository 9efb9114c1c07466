"""Right-sizing: what was sampled, what was chosen, and what the choice was worth."""

from __future__ import annotations

from html import escape

import plotly.graph_objects as go

from . import style


def name(configuration: dict) -> str:
    return f"{configuration['streams']} × {configuration['width']}"


def per_cent(value: float | None) -> str:
    return "–" if value is None else f"{100 * value:.1f} %"


def figure(sizing: dict) -> go.Figure:
    """Gives the throughput of each configuration that was sampled, as bars."""
    rows = sizing["configurations"]
    labels = [name(row) for row in rows]
    values = [row["throughput"] for row in rows]
    picture = go.Figure(go.Bar(
        x=labels, y=values, text=[f"{value:.2f}" for value in values], textposition="outside", cliponaxis=False,
        marker={"color": [style.CHOSEN if row["chosen"] else "#b7c4d3" for row in rows]},
        customdata=[[row["samples"], row["seconds"]] for row in rows], width=0.55,
        hovertemplate="%{x}: W = %{y:.3f}<br>%{customdata[0]} samples in %{customdata[1]:.2f} s<extra></extra>"))
    picture.update_layout(**style.layout(height=300))
    picture.update_layout(showlegend=False, margin={"l": 56, "r": 16, "t": 16, "b": 48})
    picture.update_xaxes(type="category", title={"text": "streams × width", "font": {"size": 12, "color": style.SOFT}})
    picture.update_yaxes(title={"text": "throughput W", "font": {"size": 12, "color": style.SOFT}}, rangemode="tozero",
                         gridcolor=style.LINE, zeroline=False, tickfont={"size": 12, "color": style.SOFT})
    return picture


def table(sizing: dict) -> str:
    """Gives the table of the configurations as HTML."""
    rows = sizing["configurations"]
    best = max((row["throughput"] for row in rows), default=0)
    out = ["<table><thead><tr><th>streams × width</th><th class=n>samples</th><th class=n>seconds</th>"
           "<th class=n>throughput W</th><th class=n>of the best</th><th></th></tr></thead><tbody>"]
    for row in rows:
        chosen = row["chosen"]
        out.append(f"<tr{' class=chosen' if chosen else ''}><td>{name(row)}</td><td class=n>{row['samples']}</td>"
                   f"<td class=n>{row['seconds']:.2f}</td><td class=n>{row['throughput']:.3f}</td>"
                   f"<td class=n>{per_cent(row['throughput'] / best if best > 0 else None)}</td>"
                   f"<td>{'chosen' if chosen else ''}</td></tr>")
    out.append("</tbody></table>")
    return "".join(out)


def waiting(sizing: dict) -> str:
    """Gives how the workers waited and what the phase took of the CPUs, in HTML; nothing where that was not said."""
    words = ""
    if sizing.get("waiting"):
        words = f" Workers without work waited by {escape(sizing['waiting'])} ({escape(sizing['waiting_reason'])})."
    if sizing.get("cpu_seconds") is not None:
        words += f" The phase took {sizing['cpu_seconds']:.2f} s of CPU time in {sizing['seconds']:.2f} s."
    return words


def verdict(sizing: dict) -> str:
    """Gives what right-sizing did, in a sentence or two of HTML."""
    if sizing.get("pinned_by"):
        chosen = f" to {name(sizing['chosen'])}" if sizing.get("chosen") else ""
        return f"The configuration was pinned{chosen} by {escape(sizing['pinned_by'])}; nothing was sampled."
    if not sizing.get("chosen"):
        return "The phase ended before a configuration was chosen."
    if not sizing["configurations"]:
        return f"{name(sizing['chosen'])} was used; there was nothing to sample."
    words = f"<b>{name(sizing['chosen'])}</b> (streams × width) was chosen"
    if sizing.get("gain_over_worst") is not None:
        words += (f": {per_cent(sizing['gain_over_worst'])} more throughput than the worst configuration, "
                  f"{per_cent(sizing['loss_to_best'])} less than the best in hindsight")
    total = sizing.get("seconds") or 0
    if total > 0:
        words += (f". Sampling took {sizing['sampling_seconds']:.2f} of {total:.2f} s, in which work was done that had "
                  "to be done anyway")
    return words + "."
