"""phylo/bootstrap: the time of standard bootstrap searches on two cores, on the alignments of phylo/search, against RAxML's, IQ-TREE's,
PhyML's and RAxML-NG's.

RAxML runs in the best static way that it has here: two threads one search after the other, or two processes at a time. The others
search the sites that RAxML resampled, two at a time; a single one gets both cores. Every peer is tried once; those that come near the
fastest of them run in each round, and the fastest of these is the peer. Ratio: the peer's time / ours. Checked, replicate by replicate: on
the very sites that RAxML resampled, none of our searches' final log-likelihoods is worse than the peer's by 0.1, and they are better in the
mean over the alignments (phylo/bootstrap/better)."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Callable, Sequence

from .. import data, raxml, tree_search
from ..measure import WORK, MeasurementError, TooLate
from ..row import Goal, Row
from ..tree_rows import Tried, better_in_the_mean, compared, each_once, our_lnls, our_seconds, time_limit
from . import Plan
from .phylo_search import with_both_cores

NAME = "phylo/bootstrap"
GOAL = Goal("ratio", at_least=3.3)
# Replicates: few where trees are large, because peers run in each of seven rounds or more.
ALIGNMENTS = {"d025_h1n1ha": 8, "d029_m501": 8, "d050_m3475": 4, "d059_m1809": 4, "d062_carnivora": 2, "d071_m767": 4, "d074_m1749": 4,
              "d094_rightmyer": 4, "d110_fong": 1, "d237_murray": 1}
WORDS = ("--model", "GTR+F+G")
SEED = 1


def raxmls_way(alignment: Path, replicates: int, limit_s: float, tell: Callable[[str], None]) -> tuple[int, Tried]:
    """Gives in how many processes RAxML is faster here, and how fast it is so, with the log-likelihoods of one process on the sites that it
    resamples with this seed. Two processes get thrice the other's time."""

    def tried(processes: int, seconds: float, lnls: Sequence[float]) -> tuple[int, Tried]:
        return processes, Tried(seconds, lnls, raxml.version(),
                                lambda turn: raxml.bootstraps(alignment, replicates, SEED + turn, processes).seconds)

    tell("raxml, two threads")
    try:
        threads = raxml.bootstraps(alignment, replicates, SEED, limit_s=limit_s)
    except TooLate:
        return tried(1, limit_s, [])
    if replicates == 1:
        return tried(1, threads.seconds, threads.lnls)
    tell("raxml, two processes")
    try:
        processes = raxml.bootstraps(alignment, replicates, SEED, processes=2, limit_s=3 * threads.seconds + 10).seconds
    except MeasurementError:
        processes = float("inf")
    return tried(2, processes, threads.lnls) if processes < threads.seconds else tried(1, threads.seconds, threads.lnls)


def measure(plan: Plan) -> list[Row]:
    means: dict[str, float] = {}

    def rows_of(full_name: str, name: str) -> list[Row]:
        with tempfile.TemporaryDirectory(prefix="resampled-", dir=WORK) as folder:
            return against_all(full_name, data.alignment(name), ALIGNMENTS[name], Path(folder), plan, means)

    return data.rows_of_each(NAME, GOAL, ALIGNMENTS, plan, rows_of) + better_in_the_mean(NAME, plan, means)


def against_all(full_name: str, alignment: Path, replicates: int, folder: Path, plan: Plan, means: dict[str, float]) -> list[Row]:
    def tell(at: str) -> None:
        plan.tell(f"{full_name}: {at}")

    resampled = raxml.resampled(alignment, replicates, SEED, folder)
    searchers = tree_search.present()
    peers = each_once(map(with_both_cores, searchers) if replicates == 1 else searchers, resampled, SEED, tell)
    processes, peers["raxml"] = raxmls_way(alignment, replicates, time_limit(peers), tell)
    notes = (f"{replicates} replicates", f"raxml: {'two processes at a time' if processes == 2 else 'two threads, one search after the other'}")
    return compared(full_name, plan, peers, our_lnls(resampled, WORDS, SEED, tell),
                    lambda turn: our_seconds(alignment, WORDS, replicates, SEED + turn), GOAL, notes, means)
