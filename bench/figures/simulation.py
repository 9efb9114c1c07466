"""Runs programs on described machines, in declared costs: a run is the same every time."""

from __future__ import annotations

import json
from pathlib import Path

from scorecard.measure import binary, execute

QUICK = False  # simulate a part, in small


def run(machine: Path, program: str, words: list, variables: dict[str, str]) -> object:
    """Gives what the program printed, as JSON."""
    _, said = execute([binary(program), *words], {"MASLIN_MACHINE": str(machine), "MASLIN_DURATIONS": "declared", **variables})
    return json.loads(said)
