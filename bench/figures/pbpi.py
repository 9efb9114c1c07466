"""PBPI on described machines: what a generation does is what `maslin-phylo mcmc` does, which was counted; what it takes is fitted to
published rows of one process with one SPE.

    python3 bench/figures/pbpi.py --record     # counts anew and writes pbpi_profile.json: two minutes

Counted are, for each number of taxa and sites that a paper names, site patterns (the iterations of a loop), likelihoods (each ends with a
sum over all processes) and the conditional likelihood vectors that they need. Each vector is a loop over the patterns, and so is what sums
up a likelihood: PBPI off-loads these kernels one by one (multigrain-cell, 3.4)."""

from __future__ import annotations

import json
import math
import random
import sys
import tempfile
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

sys.path[:0] = [str(Path(__file__).resolve().parents[1]), str(Path(__file__).resolve().parents[2] / "python")]
from applications import Application, Messages  # noqa: E402
from maslin_report.whole import write_whole  # noqa: E402
from scorecard.measure import binary, execute  # noqa: E402

PROFILE = Path(__file__).parent / "pbpi_profile.json"
CELL_SIZES = ((107, 1000), (107, 10_000))  # taxa, sites: multigrain-cell, 4.2 and 6.3
CONSOLE_SIZES = ((218, 1250), (218, 3000), (218, 5000))  # ps3-cluster, 3.2
GENERATIONS = 20_000
MODEL = "GTR+G"


def evolved(taxa: int, sites: int) -> str:
    """Gives an alignment in PHYLIP, the same one every time: sites that evolved along a random tree (Yule's, branches of 0.05 in the
    mean) under the model of Jukes and Cantor."""
    chance = random.Random(taxa * 1_000_003 + sites)
    tips = [chance.choices("ACGT", k=sites)]
    while len(tips) < taxa:
        parent = tips.pop(chance.randrange(len(tips)))
        for _ in range(2):
            changes = 1 - math.exp(-4 / 3 * chance.expovariate(1 / 0.05))  # to any base, the same one included
            tips.append([chance.choice("ACGT") if chance.random() < changes else base for base in parent])
    return f"{taxa} {sites}\n" + "".join(f"taxon{number} {''.join(tip)}\n" for number, tip in enumerate(tips))


def counted(taxa: int, sites: int, generations: int = GENERATIONS) -> dict[str, int]:
    """Gives what one chain of maslin-phylo computes."""
    with tempfile.TemporaryDirectory(prefix="maslin-pbpi-") as folder:
        alignment = Path(folder) / "evolved.phy"
        alignment.write_text(evolved(taxa, sites), encoding="utf-8")
        _, said = execute([binary("maslin-phylo"), "mcmc", "--msa", alignment, "--model", MODEL, "--runs", "1", "--chains", "1",
                           "--generations", str(generations), "--sample", "1000", "--diagnostics", str(generations), "--seed", "1",
                           "--threads", "1", "--prefix", f"{folder}/chain", "--quiet", "--json"])
    result = json.loads(said)
    return {"taxa": taxa, "sites": sites, "generations": generations, "patterns": result["alignment"]["patterns"], **result["computed"]}


@dataclass(frozen=True)
class Profile:
    """What so many generations of a chain are, and how many patterns the sites have."""

    generations: int
    patterns: int
    likelihoods: int
    vectors: int

    def loops(self) -> float:
        """Gives the loops for each likelihood."""
        return 1 + self.vectors / self.likelihoods


@cache
def profile(taxa: int, sites: int) -> Profile:
    for one in json.loads(PROFILE.read_text(encoding="utf-8")):
        if (one["taxa"], one["sites"]) == (taxa, sites):
            return Profile(one["generations"], one["patterns"], one["likelihoods"], one["vectors"])
    raise KeyError(f"{PROFILE}: nothing of {taxa} taxa and {sites} sites")


SIGNALS_US = 2 * 0.5  # of a loop on one worker, which the described Cell adds: to it and back
# Host time of a message: from the first row of table 6b, two processes with an SPE each. Those that pass the shared memory one at a time
# also wait for each other there.
MESSAGES = Messages(25.4)
ONE_AT_A_TIME = Messages(16.7, one_at_a_time=True)


def loop_us(seconds: float, of: Profile, generations: int) -> float:
    """Gives what a loop took, and what its host did before it, in a run of one process with one SPE."""
    return 1e6 * seconds * of.generations / generations / (of.likelihoods + of.vectors) - SIGNALS_US


@cache
def pattern_and_host_us() -> tuple[float, float]:
    """Gives what a pattern takes in a loop, and a host before each loop: from the first rows of tables 3a and 3b. The caption of table 3a
    says 1,000 generations and the text 3,000 nucleotides; neither goes with table 3b, but 1,000 nucleotides and 20,000 generations do."""
    short, long = (profile(*size) for size in CELL_SIZES)
    of_short, of_long = loop_us(27.2, short, 20_000), loop_us(262.0, long, 20_000)
    pattern = (of_long - of_short) / (long.patterns - short.patterns)
    return pattern, of_short - pattern * short.patterns


def chain(taxa: int, sites: int, generations: int = GENERATIONS) -> Application:
    """Gives a chain of so many generations on a Cell."""
    of = profile(taxa, sites)
    pattern, host = pattern_and_host_us()
    return Application("pbpi", round(generations * of.likelihoods / of.generations), host, 0.0, pattern * of.patterns, of.patterns, 0.0,
                       of.loops(), MESSAGES)


def of_table_6() -> Application:
    """Gives the chain of table 6 and figure 9: 1,000 nucleotides, 200,000 generations. A generation takes 1.85 times as long there as in table
    3a; nothing in the text tells why. Taken here: it makes so many more of the same loops."""
    app = chain(*CELL_SIZES[0], 200_000)
    of = profile(*CELL_SIZES[0])
    pattern, host = pattern_and_host_us()
    loops = 1e6 * 502.0 / app.repeats / (host + pattern * of.patterns + SIGNALS_US)
    return replace(app, loops=loops)


def main() -> int:
    if sys.argv[1:] != ["--record"]:
        print(__doc__)
        return 2
    profiles = [counted(*size) for size in (*CELL_SIZES, *CONSOLE_SIZES)]
    write_whole(PROFILE, "[" + ",\n ".join(json.dumps(one) for one in profiles) + "]\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
