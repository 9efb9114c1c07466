"""phylo/ess: effective samples a second of coupled chains on two cores, against MrBayes's.

Both make two runs of four chains under GTR+G with the moves that they make by default, and as many swaps and samples. Of each run the
first quarter is left out. Effective samples are counted by one estimator for both (Geyer's initial monotone sequence), summed over the two
runs, of the log-likelihood, tree length and each parameter of the model; the least of these counts. MrBayes runs each run in a
process of its own, with its own likelihoods and with BEAGLE's; the better one is the peer. Ratio: ours / the peer's.
Checked: the means of all of these agree within six of their standard errors, and log-likelihoods within a thousandth besides, because
runs that end on different hills of it are not compared.

Nothing of the chains was tuned on these alignments."""

from __future__ import annotations

import tempfile
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean, median
from typing import Sequence

from .. import data, mrbayes
from ..chain_rows import CHAINS, SWAP, of_alignments, our_chains
from ..measure import WORK, MeasurementError, Values
from ..row import Goal, Row, judge, noise, pairs
from . import Plan

NAME = "phylo/ess"
GOAL = Goal("ratio", at_least=1.5)
ALIGNMENTS = {"d041_m1366": 60000, "d062_carnivora": 30000}  # generations
SAMPLE, BURNIN = 50, 0.25
NOT_COUNTED = {"Gen", "LnPr"}


@dataclass
class Sampled:
    """Two runs: how long both took, and what they sampled of each quantity after their burn-in."""

    seconds: float
    runs: list[dict[str, list[float]]]

    def effective(self) -> dict[str, float]:
        return {name: sum(effective_samples(run[name]) for run in self.runs) for name in self.runs[0]}

    def least_a_second(self) -> float:
        return min(self.effective().values()) / self.seconds


def effective_samples(samples: Sequence[float]) -> float:
    """Gives as how many independent samples these count: by Geyer's initial monotone sequence."""
    count, mean = len(samples), fmean(samples)
    off = [value - mean for value in samples]
    variance = sum(one * one for one in off) / count
    if variance <= 0:
        raise MeasurementError("a sampled quantity never changes")

    def correlation(lag: int) -> float:
        return sum(a * b for a, b in zip(off, off[lag:])) / count / variance

    length, latest = -1.0, 2.0
    for lag in range(0, count - 1, 2):
        pair = min(correlation(lag) + correlation(lag + 1), latest)
        if pair <= 0:
            break
        length += 2 * pair
        latest = pair
    return count / max(length, 1.0)


def sampled(text: str) -> dict[str, list[float]]:
    """Gives the columns of a .p file after the burn-in."""
    _, header, *rows = text.splitlines()
    names = header.split("\t")
    kept = [row.split("\t") for row in rows[int(len(rows) * BURNIN):]]
    return {name: [float(row[at]) for row in kept] for at, name in enumerate(names) if name not in NOT_COUNTED}


def ours(alignment: Path, generations: int, seed: int) -> Sampled:
    with tempfile.TemporaryDirectory(prefix="ess-", dir=WORK) as folder:
        seconds = our_chains(alignment, generations, SAMPLE, seed, f"{folder}/run", "--burnin", str(BURNIN))
        return Sampled(seconds, [sampled(Path(f"{folder}/run.run{run}.p").read_text()) for run in (1, 2)])


def theirs(alignment: Path, generations: int, seed: int, beagle: bool) -> Sampled:
    chains = mrbayes.chains(alignment, generations, CHAINS, SAMPLE, SWAP, seed, beagle, moves=None)
    return Sampled(chains.seconds, [sampled(text) for text in chains.parameter_files])


def check(one: Sampled, other: Sampled, name: str) -> str:
    """Says how far means are apart, in standard errors; raises when that is too far."""
    largest = 0.0
    for quantity, effective in one.effective().items():
        means, errors = [], []
        for side, count in ((one, effective), (other, other.effective()[quantity])):
            values = [value for run in side.runs for value in run[quantity]]
            mean = fmean(values)
            means.append(mean)
            errors.append(fmean((value - mean) ** 2 for value in values) / count)
        apart = abs(means[0] - means[1])
        allowed = 6 * sum(errors) ** 0.5 + (abs(means[0]) * 1e-3 if quantity == "LnL" else 0)
        if apart > allowed:
            raise MeasurementError(f"{name}: {quantity} is {means[0]:.5g} here and {means[1]:.5g} in MrBayes, further apart than {allowed:.2g}")
        largest = max(largest, apart / sum(errors) ** 0.5)
    return f"means within {largest:.1f} standard errors of MrBayes's"


def measure(plan: Plan) -> list[Row]:
    return of_alignments(NAME, GOAL, ALIGNMENTS, plan, lambda full_name, name, generations: against_mrbayes(
        full_name, data.alignment(name), generations, plan))


def against_mrbayes(full_name: str, alignment: Path, generations: int, plan: Plan) -> list[Row]:
    plan.tell(f"{full_name}: mrbayes once each way")
    first = {"mrbayes": theirs(alignment, generations, 1, False), "mrbayes with BEAGLE": theirs(alignment, generations, 1, True)}
    peer = max(first, key=lambda side: first[side].least_a_second())
    agreed = check(ours(alignment, generations, 1), first["mrbayes"], full_name)

    def rows(values: Values) -> list[Row]:
        row = Row(full_name, median(values["maslin"]), "effective samples/s", "higher", peer=peer, peer_value=median(values[peer]),
                  peer_version=mrbayes.version(), versions={peer: mrbayes.version()}, again=noise(values, "maslin"), samples=values,
                  checked=agreed)
        slowest = {side: min(chains.effective().items(), key=lambda one: one[1]) for side, chains in first.items()}
        row.note = f"{generations} generations of 2 runs of {CHAINS} chains; once each, the least: " + ", ".join(
            f"{side} {count:.0f} of {quantity} in {first[side].seconds:.1f} s" for side, (quantity, count) in slowest.items())
        return [judge(row, GOAL, pairs(values["maslin"], values[peer]))]

    sides = {"maslin": lambda turn: ours(alignment, generations, 1 + turn).least_a_second(),
             peer: lambda turn: theirs(alignment, generations, 1 + turn, peer != "mrbayes").least_a_second()}
    return plan.rows(full_name, sides, "maslin", rows)
