"""phylo/search: the time of one search on two cores, on ten alignments of 25 to 237 taxa, against IQ-TREE's, PhyML's, RAxML's and
RAxML-NG's, which begin at a tree of their own as ours does.

Each has both cores: two threads where it can share them. Every peer is tried once; those that come near the fastest of them run in each
round, and the fastest of these is the peer. Ratio: the peer's time / ours. Checked: our log-likelihood is no worse than the peer's by 0.1,
and better in the mean over the alignments (phylo/search/better). No search was tuned on these alignments."""

from __future__ import annotations

import tempfile
from dataclasses import replace
from pathlib import Path

from .. import data, tree_search
from ..measure import WORK, binary, execute
from ..row import Goal, Row
from ..tree_rows import WORKERS, better_in_the_mean, compared, each_once, our_lnls
from . import Plan
from .phylo_models import of_raxml

NAME = "phylo/search"
GOAL = Goal("ratio", at_least=3.3)
ALIGNMENTS = ("d025_h1n1ha", "d029_m501", "d050_m3475", "d059_m1809", "d062_carnivora", "d071_m767", "d074_m1749", "d094_rightmyer",
              "d110_fong", "d237_murray")
WORDS = ("--model", "GTR+F+G")
SEED = 1
THREADS_AFTER = {"iqtree": "-nt", "raxml-ng": "--threads"}


def with_both_cores(searcher: tree_search.Searcher) -> tree_search.Searcher:
    """Gives it with two threads, if it can have them."""
    if searcher.name not in THREADS_AFTER:
        return searcher

    def words(file: Path, seed: int) -> list:
        given = [*searcher.words(file, seed)]
        given[given.index(THREADS_AFTER[searcher.name]) + 1] = WORKERS
        # It refuses threads where other processes are on its cores; that the machine is busy, the scorecard says.
        return [*given, "--force", "perf_threads"] if searcher.name == "raxml-ng" else given

    return replace(searcher, words=words, at_a_time=1)


def our_seconds(alignment: Path, seed: int) -> float:
    with tempfile.TemporaryDirectory(prefix="searched-", dir=WORK) as folder:
        return execute([binary("maslin-phylo"), "search", "--msa", alignment, *WORDS, "--seed", str(seed), "--prefix", f"{folder}/run",
                        "--quiet"], {"MASLIN_WORKERS": WORKERS})[0]


def measure(plan: Plan) -> list[Row]:
    means: dict[str, float] = {}

    def rows_of(full_name: str, name: str) -> list[Row]:
        def tell(at: str) -> None:
            plan.tell(f"{full_name}: {at}")

        alignment = data.alignment(name)
        peers = each_once((*map(with_both_cores, tree_search.present()), of_raxml(["-m", "GTRGAMMA"])), [alignment], SEED, tell)
        ours = our_lnls([alignment], WORDS, SEED, tell)
        return compared(full_name, plan, peers, ours, lambda turn: our_seconds(alignment, SEED + turn), GOAL, [], means)

    return data.rows_of_each(NAME, GOAL, ALIGNMENTS, plan, rows_of) + better_in_the_mean(NAME, plan, means)
