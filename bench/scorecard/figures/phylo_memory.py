"""phylo/memory: the peak of resident memory of one search with two threads, against RAxML-NG's; RAxML's where no checkout of it is given.

Ratio: ours / the peer's. Checked: our log-likelihood is in the median of the rounds no worse than the peer's by 0.1. One search ends
on one of several hills, by chance: of eight searches of d094 six of ours end 5 to 18 units higher than RAxML-NG's, and two 3 lower."""

from __future__ import annotations

import json
import shutil
import tempfile
from pathlib import Path
from statistics import median

from .. import data, tree_search
from ..checkouts import how_to_measure
from ..measure import WORK, MeasurementError, Values, binary, peak_memory
from ..row import Goal, Row, judge, noise, pairs
from ..tree_rows import WORKERS, WORSE
from . import Plan
from .phylo_models import of_raxml
from .phylo_search import WORDS, with_both_cores

NAME = "phylo/memory"
GOAL = Goal("ratio", at_most=1.0)
ALIGNMENTS = ("d025_h1n1ha", "d094_rightmyer")
BEST = "raxml-ng"


class Searches:
    """Runs both programs on an alignment, and compares what they find with the same seed."""

    def __init__(self, alignment: Path, peer: tree_search.Searcher):
        self.alignment, self.peer = alignment, peer
        self.lnls: dict[str, dict[int, float]] = {"maslin": {}, peer.name: {}}

    def ours(self, seed: int) -> float:
        with tempfile.TemporaryDirectory(prefix="peak-", dir=WORK) as folder:
            peak, said = peak_memory([binary("maslin-phylo"), "search", "--msa", self.alignment, *WORDS, "--seed", str(seed), "--prefix",
                                      f"{folder}/run", "--json", "--quiet"], {"MASLIN_WORKERS": WORKERS})
        self.lnls["maslin"][seed] = json.loads(said)["lnl"]
        return peak

    def theirs(self, seed: int) -> float:
        with tempfile.TemporaryDirectory(prefix="peak-", dir=WORK) as folder:
            copy = Path(shutil.copy(self.alignment, folder))
            peak, _ = peak_memory([self.peer.program, *self.peer.words(copy, seed)], cwd=copy.parent)
            self.lnls[self.peer.name][seed] = tree_search.reported_lnl(self.peer, copy)
        return peak

    def checked(self) -> str:
        """Says how far our log-likelihoods are from the peer's of the same rounds; raises when they are too low in the median."""
        found = median(ours - self.lnls[self.peer.name][seed] for seed, ours in self.lnls["maslin"].items())
        if found < -WORSE:
            raise MeasurementError(f"{self.alignment.name}: our log-likelihood is in the median lower than {self.peer.name}'s by {-found:.2f}")
        return f"lnL in the median {found:+.2f} to {self.peer.name}'s"


def measure(plan: Plan) -> list[Row]:
    peer = next((with_both_cores(one) for one in tree_search.present() if one.name == BEST), None) or of_raxml(["-m", "GTRGAMMA"])
    return data.rows_of_each(NAME, GOAL, ALIGNMENTS, plan,
                             lambda full_name, name: against(full_name, Searches(data.alignment(name), peer), plan))


def against(full_name: str, searches: Searches, plan: Plan) -> list[Row]:
    peer = searches.peer.name

    def rows(peaks: Values) -> list[Row]:
        version = tree_search.version(searches.peer)
        row = Row(full_name, median(peaks["maslin"]), "MiB", peer=peer, peer_value=median(peaks[peer]), peer_version=version,
                  versions={peer: version}, again=noise(peaks, "maslin"), samples=peaks, checked=searches.checked())
        if peer != BEST:
            row.note = f"{BEST} not measured: {how_to_measure(BEST)}"
        return [judge(row, GOAL, pairs(peaks["maslin"], peaks[peer]))]

    return plan.rows(full_name, {"maslin": lambda turn: searches.ours(1 + turn), peer: lambda turn: searches.theirs(1 + turn)}, "maslin", rows)
