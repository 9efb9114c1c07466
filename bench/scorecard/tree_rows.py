"""Rows that compare our searches with several programs': each was tried once, and those that come near the fastest run in each round."""

from __future__ import annotations

import json
import tempfile
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Callable, Mapping, Sequence

from . import tree_search
from .checkouts import how_to_measure
from .figures import Plan
from .measure import WORK, MeasurementError, Values, binary, execute
from .row import MISSED, Goal, Row, judge, noise, pairs

WORKERS = "2"
CONTENDERS_WITHIN = 1.5  # times the fastest peer
AGREEMENT = 0.01  # log-likelihood units within which two optimizations of one tree may differ


def our_seconds(alignment: Path, words: Sequence, replicates: int, seed: int) -> float:
    """Gives the time of so many bootstrap searches; `words` say the model."""
    with tempfile.TemporaryDirectory(prefix="bootstrap-", dir=WORK) as folder:
        seconds, said = execute([binary("maslin-phylo"), "bootstrap", "--msa", alignment, *words, "--replicates", str(replicates), "--seed",
                                 str(seed), "--prefix", f"{folder}/run", "--json", "--quiet"], {"MASLIN_WORKERS": WORKERS})
    trees = len(json.loads(said)["bootstraps"])
    if trees != replicates:
        raise MeasurementError(f"maslin-phylo gave {trees} replicates of {replicates}")
    return seconds


def our_lnls(resampled: Sequence[Path], words: Sequence, seed: int, tell: Callable[[str], None]) -> list[float]:
    """Gives the log-likelihoods of the best trees of alignments."""
    with tempfile.TemporaryDirectory(prefix="searched-", dir=WORK) as folder:
        ours = []
        for index, sites in enumerate(resampled):
            tell(f"answers, replicate {index + 1} of {len(resampled)}")
            _, said = execute([binary("maslin-phylo"), "search", "--msa", sites, *words, "--seed", str(seed), "--prefix",
                               f"{folder}/search{index}", "--json", "--quiet"], {"MASLIN_WORKERS": WORKERS})
            ours.append(json.loads(said)["lnl"])
    return ours


@dataclass(frozen=True)
class Tried:
    """A peer that was tried once: its time, the log-likelihoods that it found, and how it is measured again."""

    seconds: float
    lnls: Sequence[float]
    version: str
    again: Callable[[int], float]  # gives seconds, of the round's number


def once(searcher: tree_search.Searcher, alignments: Sequence, seed: int) -> Tried:
    first = tree_search.search(searcher, alignments, seed)
    return Tried(first.seconds, first.lnls, tree_search.version(searcher),
                 lambda turn: tree_search.search(searcher, alignments, seed + turn).seconds)


def compared(name: str, plan: Plan, peers: Mapping[str, Tried], ours: Sequence[float], timed: Callable[[int], float], goal: Goal,
             notes: Sequence[str], agreement: float = AGREEMENT) -> list[Row]:
    """Gives the row. `ours`: our log-likelihoods on what the peers searched; missed if they are worse than the fastest peer's in the median,
    by more than `agreement`."""
    fastest = min(peer.seconds for peer in peers.values())
    contenders = {peer: tried.again for peer, tried in peers.items() if tried.seconds <= CONTENDERS_WITHIN * fastest}
    gains = {peer: median(mine - other for mine, other in zip(ours, tried.lnls)) for peer, tried in peers.items()}

    def rows(times: Values) -> list[Row]:
        best = min(contenders, key=lambda peer: median(times[peer]))
        row = Row(name, median(times["maslin"]), "s", peer=best, peer_value=median(times[best]), peer_version=peers[best].version,
                  versions={peer: tried.version for peer, tried in peers.items()}, again=noise(times, "maslin"), samples=times,
                  checked="lnL in the median: " + ", ".join(f"{gain:+.2f} to {peer}'s" for peer, gain in gains.items()))
        row.note = "; ".join((
            *notes, "once each: " + ", ".join(f"{peer} {tried.seconds:.1f} s" for peer, tried in peers.items()),
            *([] if "raxml-ng" in peers else [f"raxml-ng not measured: {how_to_measure('raxml-ng')}"])))
        judge(row, goal, pairs(times[best], times["maslin"]))
        if gains[best] < -agreement:
            row.verdict = MISSED
        return [row]

    return plan.rows(name, {"maslin": timed, **contenders}, "maslin", rows)
