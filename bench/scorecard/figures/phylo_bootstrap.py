"""phylo/bootstrap: the time of standard bootstrap searches on two cores, against RAxML's, IQ-TREE's, PhyML's and RAxML-NG's.

RAxML runs in the best static way that it has here: two threads one search after the other, or two processes at a time. The others
search the sites that RAxML resampled, two at a time. Every peer is tried once; those that come near the fastest of them run in
each round, and the fastest of these is the peer. Ratio: the peer's time / ours. Checked: on the very sites that RAxML resampled,
our search's final log-likelihoods are no worse than the peer's in the median.

The alignments are two on which nothing was tuned: one smaller than those that the search's constants were chosen on, one with as
many site patterns as the larger of these and twice as many taxa."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Callable

from .. import data, raxml, tree_search
from ..measure import WORK, MeasurementError
from ..row import Goal, Row
from ..tree_rows import Tried, compared, once, our_lnls, our_seconds
from . import Plan

NAME = "phylo/bootstrap"
GOAL = Goal("ratio", at_least=3.3)
ALIGNMENTS = {"d025_h1n1ha": 8, "d094_rightmyer": 4}  # replicates: a large tree's take long
WORDS = ("--model", "GTR+F+G")
SEED = 1


def raxmls_way(alignment: Path, replicates: int, tell: Callable[[str], None]) -> tuple[int, float, list[float]]:
    """Gives in how many processes RAxML is faster here, its time, and the log-likelihoods of one process on the sites that it
    resamples with this seed. Two processes get thrice the other's time."""
    tell("raxml, two threads")
    threads = raxml.bootstraps(alignment, replicates, SEED)
    tell("raxml, two processes")
    try:
        processes = raxml.bootstraps(alignment, replicates, SEED, processes=2, limit_s=3 * threads.seconds + 10).seconds
    except MeasurementError:
        processes = float("inf")
    return (2, processes, threads.lnls) if processes < threads.seconds else (1, threads.seconds, threads.lnls)


def measure(plan: Plan) -> list[Row]:
    def rows_of(full_name: str, name: str) -> list[Row]:
        with tempfile.TemporaryDirectory(prefix="resampled-", dir=WORK) as folder:
            return against_all(full_name, data.alignment(name), ALIGNMENTS[name], Path(folder), plan)

    return data.rows_of_each(NAME, GOAL, ALIGNMENTS, plan, rows_of)


def against_all(full_name: str, alignment: Path, replicates: int, folder: Path, plan: Plan) -> list[Row]:
    def tell(at: str) -> None:
        plan.tell(f"{full_name}: {at}")

    processes, seconds, lnls = raxmls_way(alignment, replicates, tell)
    resampled = raxml.resampled(alignment, replicates, SEED, folder)
    peers = {"raxml": Tried(seconds, lnls, raxml.version(), lambda turn: raxml.bootstraps(alignment, replicates, SEED + turn, processes).seconds)}
    for searcher in tree_search.present():
        tell(f"{searcher.name} once")
        peers[searcher.name] = once(searcher, resampled, SEED)
    notes = (f"{replicates} replicates", f"raxml: {'two processes at a time' if processes == 2 else 'two threads, one search after the other'}")
    return compared(full_name, plan, peers, our_lnls(resampled, WORDS, SEED, tell),
                    lambda turn: our_seconds(alignment, WORDS, replicates, SEED + turn), GOAL, notes)
