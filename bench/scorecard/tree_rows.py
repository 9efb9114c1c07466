"""Rows that compare our searches with several programs': each was tried once, and those that come near the fastest run in each round."""

from __future__ import annotations

import json
import tempfile
from dataclasses import dataclass
from pathlib import Path
from statistics import mean, median
from typing import Callable, Iterable, Mapping, Sequence

from . import tree_search
from .checkouts import how_to_measure
from .figures import Plan
from .measure import WORK, MeasurementError, TooLate, Values, binary, execute
from .row import MISSED, Goal, Row, judge, noise, not_measured, pairs

WORKERS = "2"
FIRST = "raxml-ng"  # is tried first: it is the fastest nearly always
CONTENDERS_WITHIN = 1.5  # times the fastest peer
LONGEST_S = 1800  # a search that takes longer is ended
ENDED_AFTER = 3  # times the fastest peer, and 10 s: so is one that takes so long, as it will be no contender
WORSE = 0.1  # log-likelihood units: a search that ends lower than another one by more has found a worse tree
BETTER = Goal("value", at_least=0.01)  # log-likelihood units in the mean: two optimizations of one tree may differ by less


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
    lnls: Sequence[float]  # none: it was ended after that time
    version: str
    again: Callable[[int], float]  # gives seconds, of the round's number

    def __str__(self) -> str:
        return f"{self.seconds:.1f} s" if self.lnls else f"more than {self.seconds:.0f} s"


def time_limit(peers: Mapping[str, Tried]) -> float:
    """Gives after how many seconds a search is ended, where these peers have been tried."""
    return min([LONGEST_S, *(ENDED_AFTER * peer.seconds + 10 for peer in peers.values() if peer.lnls)])


def once(searcher: tree_search.Searcher, alignments: Sequence, seed: int, limit_s: float) -> Tried:
    def again(turn: int) -> float:
        return tree_search.search(searcher, alignments, seed + turn).seconds

    try:
        first = tree_search.search(searcher, alignments, seed, limit_s)
    except TooLate:
        first = tree_search.Searches(limit_s, [])
    return Tried(first.seconds, first.lnls, tree_search.version(searcher), again)


def each_once(searchers: Iterable[tree_search.Searcher], alignments: Sequence, seed: int, tell: Callable[[str], None]) -> dict[str, Tried]:
    """Tries the searchers one after the other."""
    peers: dict[str, Tried] = {}
    for searcher in sorted(searchers, key=lambda one: one.name != FIRST):
        tell(f"{searcher.name} once")
        peers[searcher.name] = once(searcher, alignments, seed, time_limit(peers))
    return peers


def compared(name: str, plan: Plan, peers: Mapping[str, Tried], ours: Sequence[float], timed: Callable[[int], float], goal: Goal,
             notes: Sequence[str], means: dict[str, float]) -> list[Row]:
    """Gives the row. `ours`: our log-likelihoods on what the peers searched, in the same order. They are compared search by search: missed
    if any is worse than the fastest peer's on the same sites. How much better they are in the mean goes to `means`, by the row's name."""
    gains = {peer: [mine - other for mine, other in zip(ours, tried.lnls)] for peer, tried in peers.items() if tried.lnls}
    if not gains:
        return [not_measured(name, f"no peer ends within {LONGEST_S} s", goal)]
    fastest = min(peers[peer].seconds for peer in gains)
    contenders = {peer: peers[peer].again for peer in gains if peers[peer].seconds <= CONTENDERS_WITHIN * fastest}

    def rows(times: Values) -> list[Row]:
        best = min(contenders, key=lambda peer: median(times[peer]))
        row = Row(name, median(times["maslin"]), "s", peer=best, peer_value=median(times[best]), peer_version=peers[best].version,
                  versions={peer: tried.version for peer, tried in peers.items()}, again=noise(times, "maslin"), samples=times,
                  checked="lnL in the mean, and in the worst search: " + ", ".join(
                      f"{mean(gain):+.2f} and {min(gain):+.2f} to {peer}'s" for peer, gain in gains.items()))
        row.note = "; ".join((
            *notes, "once each: " + ", ".join(f"{peer} {tried}" for peer, tried in peers.items()),
            *([] if FIRST in peers else [f"{FIRST} not measured: {how_to_measure(FIRST)}"])))
        judge(row, goal, pairs(times[best], times["maslin"]))
        if min(gains[best]) < -WORSE:
            row.verdict = MISSED
        means[name] = mean(gains[best])
        return [row]

    return plan.rows(name, {"maslin": timed, **contenders}, "maslin", rows)


def better_in_the_mean(figure: str, plan: Plan, means: Mapping[str, float]) -> list[Row]:
    """Gives the row that says whether our log-likelihoods are better than the fastest peers' in the mean over the figure's rows. Each row
    counts as much, however many searches it has."""
    name = f"{figure}/better"
    if not plan.wants(name):
        return []
    if not means:
        return [not_measured(name, f"it is the mean over the other rows of {figure}, none of which was measured", BETTER)]
    row = Row(name, unit="lnL", better="higher", peer="the fastest of each row", samples={row: [gain] for row, gain in means.items()},
              note="in the mean over " + ", ".join(f"{row.removeprefix(figure + '/')} {gain:+.2f}" for row, gain in means.items()))
    return plan.keep([judge(row, BETTER, [mean(means.values())], exact=True)])
