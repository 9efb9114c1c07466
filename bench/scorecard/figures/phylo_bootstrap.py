"""phylo/bootstrap: the time of standard bootstrap searches on two cores, against RAxML's, IQ-TREE's, PhyML's and RAxML-NG's.

RAxML runs in the best static way that it has here: two threads one search after the other, or two processes at a time. The others
search the sites that RAxML resampled, two at a time. Every peer is tried once; those that come near the fastest of them run in
each round, and the fastest of these is the peer. Ratio: the peer's time / ours. Checked: on the very sites that RAxML resampled,
our search's final log-likelihoods are no worse than the peer's in the median.

The alignments are two on which nothing was tuned: one smaller than those that the search's constants were chosen on, one with as
many site patterns as the larger of these and twice as many taxa."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path
from statistics import median
from typing import Callable

from .. import data, raxml, tree_search
from ..checkouts import how_to_measure
from ..measure import WORK, MeasurementError, Values, binary, execute
from ..row import MISSED, Goal, Row, judge, noise, not_measured, pairs
from . import Plan

NAME = "phylo/bootstrap"
GOAL = Goal("ratio", at_least=2.2)
ALIGNMENTS = {"d025_h1n1ha": 8, "d094_rightmyer": 4}  # replicates: a large tree's take long
WORKERS = "2"
SEED = 1
CONTENDERS_WITHIN = 1.5  # times the fastest peer
AGREEMENT = 0.01  # log-likelihood units within which two optimizations of one tree may differ


def our_seconds(alignment: Path, replicates: int, seed: int) -> float:
    with tempfile.TemporaryDirectory(prefix="bootstrap-", dir=WORK) as folder:
        seconds, said = execute([binary("maslin-phylo"), "bootstrap", "--msa", alignment, "--model", "GTR+F+G", "--replicates",
                                 str(replicates), "--seed", str(seed), "--prefix", f"{folder}/run", "--json"],
                                {"MASLIN_WORKERS": WORKERS})
    trees = len(json.loads(said)["bootstraps"])
    if trees != replicates:
        raise MeasurementError(f"maslin-phylo gave {trees} replicates of {replicates}")
    return seconds


def our_lnls(resampled: list[Path], tell: Callable[[str], None]) -> list[float]:
    with tempfile.TemporaryDirectory(prefix="searched-", dir=WORK) as folder:
        ours = []
        for index, sites in enumerate(resampled):
            tell(f"answers, replicate {index + 1} of {len(resampled)}")
            _, said = execute([binary("maslin-phylo"), "search", "--msa", sites, "--model", "GTR+F+G", "--seed", str(SEED),
                               "--prefix", f"{folder}/search{index}", "--json"], {"MASLIN_WORKERS": WORKERS})
            ours.append(json.loads(said)["lnl"])
    return ours


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
    WORK.mkdir(parents=True, exist_ok=True)
    rows = []
    for name, replicates in ALIGNMENTS.items():
        full_name = f"{NAME}/{name.split('_')[0]}"
        if why := data.reason_absent(name):
            rows.append(not_measured(full_name, why, GOAL))
            continue
        with tempfile.TemporaryDirectory(prefix="resampled-", dir=WORK) as folder:
            rows += against_all(full_name, data.alignment(name), replicates, Path(folder), plan)
    return rows


def against_all(full_name: str, alignment: Path, replicates: int, folder: Path, plan: Plan) -> list[Row]:
    def tell(at: str) -> None:
        plan.tell(f"{full_name}: {at}")

    processes, seconds, lnls = raxmls_way(alignment, replicates, tell)
    resampled = raxml.resampled(alignment, replicates, SEED, folder)
    peers: dict[str, Callable[[int], float]] = {"raxml": lambda turn: raxml.bootstraps(alignment, replicates, SEED + turn, processes).seconds}
    tried, found, versions = {"raxml": seconds}, {"raxml": lnls}, {"raxml": raxml.version()}
    for searcher in tree_search.present():
        tell(f"{searcher.name} once")
        first = tree_search.search(searcher, resampled, SEED)
        tried[searcher.name], found[searcher.name] = first.seconds, first.lnls
        versions[searcher.name] = tree_search.version(searcher)
        peers[searcher.name] = lambda turn, searcher=searcher: tree_search.search(searcher, resampled, SEED + turn).seconds
    contenders = {peer: call for peer, call in peers.items() if tried[peer] <= CONTENDERS_WITHIN * min(tried.values())}
    ours = our_lnls(resampled, tell)
    gains = {peer: median(mine - other for mine, other in zip(ours, theirs)) for peer, theirs in found.items()}

    def rows(times: Values) -> list[Row]:
        best = min(contenders, key=lambda peer: median(times[peer]))
        row = Row(full_name, median(times["maslin"]), "s", peer=best, peer_value=median(times[best]), peer_version=versions[best],
                  versions=versions, again=noise(times, "maslin"), samples=times,
                  checked="lnL in the median: " + ", ".join(f"{gain:+.2f} to {peer}'s" for peer, gain in gains.items()))
        row.note = "; ".join(filter(None, (
            f"{replicates} replicates; once each: " + ", ".join(f"{peer} {took:.1f} s" for peer, took in tried.items()),
            f"raxml: {'two processes at a time' if processes == 2 else 'two threads, one search after the other'}",
            "" if "raxml-ng" in tried else f"raxml-ng not measured: {how_to_measure('raxml-ng')}")))
        judge(row, GOAL, pairs(times[best], times["maslin"]))
        if gains[best] < -AGREEMENT:
            row.verdict = MISSED
        return [row]

    sides = {"maslin": lambda turn: our_seconds(alignment, replicates, SEED + turn), **contenders}
    return plan.rows(full_name, sides, "maslin", rows)
