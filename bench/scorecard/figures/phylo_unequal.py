"""phylo/unequal: the time of one search on partitions of unequal cost, with two workers, against the same with loops that are divided
once and for all (MASLIN_LOOP=static).

The genes of d025 and their proteins stand side by side: a site pattern of a protein costs some ten times as much as one of DNA, and all of the
proteins come first, so halves of the loops are far from halves of the work. Ratio: static / ours. Checked: the same tree, to the last bit."""

from __future__ import annotations

import tempfile
from pathlib import Path
from statistics import median

from .. import data
from ..measure import WORK, MeasurementError, Values, binary, execute
from ..row import Goal, Row, judge, noise, not_measured, paired_ratio, pairs
from ..tree_rows import WORKERS
from . import Plan
from .phylo_models import Rows, phylip_rows, translated

NAME = "phylo/unequal"
GOAL = Goal("ratio", at_least=1.1)
ALIGNMENT = "d025_h1n1ha"
SEED = 1
STATIC, ALONE = "static loops", "one worker"


def side_by_side(first: Rows, second: Rows) -> tuple[dict[str, str], str]:
    """Gives proteins with genes behind them, and the partitions: the proteins, then each position of the codons."""
    end, whole = (len(next(iter(rows.values()))) for rows in (first, second))
    positions = "".join(f"GTR+G, position {frame} = {end + frame}-{end + whole}\\3\n" for frame in (1, 2, 3))
    return {name: first[name] + second[name] for name in first}, f"LG+G, proteins = 1-{end}\n{positions}"


class Searches:
    """Searches and insists on the tree of the first run."""

    def __init__(self, folder: Path):
        genes = phylip_rows(data.alignment(ALIGNMENT).read_text())
        rows, partitions = side_by_side(translated(genes), genes)
        self.alignment, self.partitions, self.tree = folder / "both.phy", folder / "both.part", ""
        self.alignment.write_text(data.phylip(rows))
        self.partitions.write_text(partitions)

    def seconds(self, workers: str, loops: str) -> float:
        with tempfile.TemporaryDirectory(prefix="unequal-", dir=WORK) as folder:
            seconds, _ = execute([binary("maslin-phylo"), "search", "--msa", self.alignment, "--model-file", self.partitions, "--seed", SEED,
                                  "--prefix", f"{folder}/run", "--quiet"], {"MASLIN_WORKERS": workers, "MASLIN_LOOP": loops})
            tree = Path(f"{folder}/run.bestTree").read_text()
        self.tree = self.tree or tree
        if tree != self.tree:
            raise MeasurementError(f"{NAME}: a run with {workers} workers and {loops} loops gave another tree")
        return seconds


def rows(times: Values) -> list[Row]:
    row = Row(NAME, median(times["maslin"]), "s", peer=STATIC, peer_value=median(times[STATIC]), peer_version="this build",
              again=noise(times, "maslin"), checked="the same tree", samples=times,
              note=f"{paired_ratio(times[ALONE], times['maslin']):.2f} times as fast as one worker, static loops "
              f"{paired_ratio(times[ALONE], times[STATIC]):.2f} times")
    return [judge(row, GOAL, pairs(times[STATIC], times["maslin"]))]


def measure(plan: Plan) -> list[Row]:
    if why := data.reason_absent(ALIGNMENT):
        return [not_measured(NAME, why, GOAL)]
    WORK.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="unequal-", dir=WORK) as folder:
        searches = Searches(Path(folder))
        sides = {"maslin": lambda _: searches.seconds(WORKERS, "dbs"), STATIC: lambda _: searches.seconds(WORKERS, "static"),
                 ALONE: lambda _: searches.seconds("1", "dbs")}
        return plan.rows(NAME, sides, "maslin", rows)
