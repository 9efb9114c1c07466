"""phylo/mcmc: the time of coupled chains on two cores, against MrBayes's: 20,000 generations of d041, 2,000 of d062, 4,000 of d237 and
1,000 of d110, as larger alignments take longer.

Both make two runs of four chains under GTR+G with the same moves, as often, and as many swaps and samples. MrBayes runs each run
in a process of its own, with its own likelihoods and with BEAGLE's; the faster one is the peer. Ratio: ours / the peer's.
Checked: our program gives the likelihoods of MrBayes's last samples, at their trees and parameters.

Nothing of the chains was tuned on these alignments. The likelihoods of d110 take 7 GB; where there is less memory it is not measured."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path
from statistics import median

from .. import data, mrbayes
from ..chain_rows import CHAINS, SWAP, of_alignments, our_chains
from ..measure import WORK, MeasurementError, Values, available_memory, binary, execute
from ..row import Goal, Row, judge, noise, not_measured, pairs
from . import Plan

NAME = "phylo/mcmc"
GOAL = Goal("ratio", at_most=0.8)
ALIGNMENTS = {"d041_m1366": 20000, "d062_carnivora": 2000, "d110_fong": 1000, "d237_murray": 4000}  # generations
GB_OF_CHAINS = {"d110_fong": 8.0}  # with what the files and the peer need; the others fit where the project is built
SAMPLE = 500
AGREEMENT = 0.1  # MrBayes prints seven digits of lengths and parameters; the likelihoods of BEAGLE are in single precision
# Those of mrbayes.MOVES. Given ones do not adapt, so that both programs make them as often to the end.
WEIGHTS = "nni=16,spr=24,branch=40,tree=6,node=14,rates=2,frequencies=2,shape=2"


def our_seconds(alignment: Path, generations: int, seed: int) -> float:
    with tempfile.TemporaryDirectory(prefix="mcmc-", dir=WORK) as folder:
        return our_chains(alignment, generations, SAMPLE, seed, f"{folder}/run", "--weights", WEIGHTS)


def check(alignment: Path, sampled: mrbayes.Chains, name: str) -> str:
    """Says how far the two programs' likelihoods of the same samples are apart; raises when that is too far."""
    largest = 0.0
    for number, (values, newick) in enumerate(zip(sampled.parameters, sampled.trees)):
        tree = WORK / f"{name}.mrbayes{number}.nwk"
        tree.write_text(newick + "\n")
        rates = "/".join(str(values[f"r({pair})"] / values["r(G<->T)"]) for pair in ("A<->C", "A<->G", "A<->T", "C<->G", "C<->T", "G<->T"))
        frequencies = "/".join(str(values[f"pi({base})"]) for base in "ACGT")
        _, said = execute([binary("maslin-phylo"), "evaluate", "--msa", alignment, "--tree", tree, "--model",
                           f"GTR{{{rates}}}+FU{{{frequencies}}}+G4m{{{values['alpha']}}}", "--json"])
        apart = abs(json.loads(said)["lnl"] - values["LnL"])
        largest = max(largest, apart)
        if apart > max(AGREEMENT, abs(values["LnL"]) * 2e-6):
            raise MeasurementError(f"{name}: log-likelihood {json.loads(said)['lnl']:.4f}, but MrBayes says {values['LnL']:.4f}")
    return f"lnL of MrBayes's samples within {largest:.3f}"


def measure(plan: Plan) -> list[Row]:
    return of_alignments(NAME, GOAL, ALIGNMENTS, plan, lambda full_name, name, generations: against_mrbayes(
        full_name, data.alignment(name), name, generations, plan))


def against_mrbayes(full_name: str, alignment: Path, name: str, generations: int, plan: Plan) -> list[Row]:
    needed, available = GB_OF_CHAINS.get(name, 0.0), available_memory() / 1e9
    if available < needed:
        return [not_measured(full_name, f"its chains need {needed:.0f} GB of memory, and {available:.1f} GB are available here", GOAL)]

    def theirs(beagle: bool, seed: int) -> mrbayes.Chains:
        return mrbayes.chains(alignment, generations, CHAINS, SAMPLE, SWAP, seed, beagle)

    plan.tell(f"{full_name}: mrbayes once each way")
    first = {"mrbayes": theirs(False, 1), "mrbayes with BEAGLE": theirs(True, 1)}
    agreed = check(alignment, first["mrbayes"], name)
    peer = min(first, key=lambda side: first[side].seconds)

    def rows(times: Values) -> list[Row]:
        row = Row(full_name, median(times["maslin"]), "s", peer=peer, peer_value=median(times[peer]), peer_version=mrbayes.version(),
                  versions={"mrbayes": mrbayes.version()}, again=noise(times, "maslin"), samples=times, checked=agreed)
        row.note = (f"{generations} generations of 2 runs of {CHAINS} chains; once each: "
                    + ", ".join(f"{side} {chains.seconds:.1f} s" for side, chains in first.items()))
        return [judge(row, GOAL, pairs(times["maslin"], times[peer]))]

    sides = {"maslin": lambda turn: our_seconds(alignment, generations, 1 + turn),
             peer: lambda turn: theirs(peer != "mrbayes", 1 + turn).seconds}
    return plan.rows(full_name, sides, "maslin", rows)
