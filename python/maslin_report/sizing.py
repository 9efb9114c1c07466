"""Right-sizing: what was sampled, what was chosen, and what the choice was worth."""

from __future__ import annotations

from markupsafe import Markup

from .words import per_cent


def name(configuration: dict) -> str:
    return f"{configuration['streams']} × {configuration['width']}"


def waiting(sizing: dict) -> str:
    """Gives how the workers waited and what the phase took of the CPUs; nothing where that was not said."""
    words = ""
    if sizing.get("waiting"):
        words = f" Workers without work waited by {sizing['waiting']} ({sizing['waiting_reason']})."
    if sizing.get("cpu_seconds") is not None:
        words += f" The phase took {sizing['cpu_seconds']:.2f} s of CPU time in {sizing['seconds']:.2f} s."
    return words


def verdict(sizing: dict) -> str:
    """Gives what right-sizing did, in a sentence or two: plain text, or Markup."""
    if sizing.get("pinned_by"):
        chosen = f" to {name(sizing['chosen'])}" if sizing.get("chosen") else ""
        return f"The configuration was pinned{chosen} by {sizing['pinned_by']}; nothing was sampled."
    if not sizing.get("chosen"):
        return "The phase ended before a configuration was chosen."
    if not sizing["configurations"]:
        return f"{name(sizing['chosen'])} was used; there was nothing to sample."
    words = Markup("<b>{}</b> (streams × width) was chosen").format(name(sizing["chosen"]))
    if sizing.get("gain_over_worst") is not None:
        words += (f": {per_cent(sizing['gain_over_worst'])} more throughput than the worst configuration, "
                  f"{per_cent(sizing['loss_to_best'])} less than the best in hindsight")
    total = sizing.get("seconds") or 0
    if total > 0:
        words += (f". Sampling took {sizing['sampling_seconds']:.2f} of {total:.2f} s, in which work was done that had "
                  "to be done anyway")
    return words + "."
