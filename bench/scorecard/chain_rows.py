"""Rows that compare our coupled chains with MrBayes's: two runs of four chains each, under GTR+G, on two cores."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Callable, Mapping

from . import data, mrbayes
from .figures import Plan
from .measure import MeasurementError, binary, execute
from .row import Goal, Row, not_measured

CHAINS, SWAP = 4, 10
WORKERS = "2"


def our_chains(alignment: Path, generations: int, sample: int, seed: int, prefix: str, *more: str) -> float:
    """Gives the seconds of so many generations; `more`: further options."""
    seconds, said = execute([binary("maslin-phylo"), "mcmc", "--msa", alignment, "--model", "GTR+G", "--runs", "2", "--chains", str(CHAINS),
                             "--generations", str(generations), "--sample", str(sample), "--swap", str(SWAP), "--seed", str(seed), *more,
                             "--checkpoint", str(generations), "--diagnostics", str(generations), "--prefix", prefix, "--quiet", "--json"],
                            {"MASLIN_WORKERS": WORKERS})
    made = json.loads(said)["generations"]["total"]
    if made != generations:
        raise MeasurementError(f"maslin-phylo made {made} generations of {generations}")
    return seconds


def of_alignments(figure: str, goal: Goal, alignments: Mapping[str, int], plan: Plan,
                  against_mrbayes: Callable[[str, str, int], list[Row]]) -> list[Row]:
    """Gives a row for each alignment: `against_mrbayes(row's name, alignment's name, generations)`."""

    def rows_of(full_name: str, name: str) -> list[Row]:
        if not mrbayes.installed():
            return [not_measured(full_name, "mrbayes is not installed; ./dev bench installs it", goal)]
        return against_mrbayes(full_name, name, alignments[name])

    return data.rows_of_each(figure, goal, alignments, plan, rows_of)
