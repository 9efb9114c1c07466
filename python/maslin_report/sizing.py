"""Right-sizing: what was sampled, what was chosen, and what the choice was worth."""

from __future__ import annotations

from html import escape

from .words import per_cent


def name(configuration: dict) -> str:
    return f"{configuration['streams']} × {configuration['width']}"


def table(sizing: dict) -> str:
    """Gives the table of the configurations as HTML; a bar under each throughput shows it beside the others."""
    rows = sizing["configurations"]
    best = max((row["throughput"] for row in rows), default=0)
    out = ["<table><caption class=unseen>Configurations that were sampled</caption><thead><tr><th>streams × width</th>"
           "<th class=n>throughput W</th><th class=n>of the best</th><th class=n>samples</th><th class=n>seconds</th>"
           "</tr></thead><tbody>"]
    for row in rows:
        share = row["throughput"] / best if best > 0 else None
        chosen = row["chosen"]
        out.append(f"<tr{' class=chosen' if chosen else ''}><th scope=row>{name(row)}{' chosen' if chosen else ''}</th>"
                   f"<td class='n bar' style='--share:{100 * (share or 0):.1f}%'>{row['throughput']:.3f}</td>"
                   f"<td class=n>{per_cent(share)}</td><td class=n>{row['samples']}</td>"
                   f"<td class=n>{row['seconds']:.2f}</td></tr>")
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
