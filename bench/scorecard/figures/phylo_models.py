"""phylo/models: the time of bootstrap searches on proteins and on partitioned data, against IQ-TREE's, PhyML's, RAxML's and RAxML-NG's.

protein: the haemagglutinin genes of d025, translated, under LG+G. partitions-N: an alignment cut into N parts of equal size, each under a
GTR+F+G of its own with branch lengths of its own. Peers search what was resampled (each part from its own sites), two at a time with a
thread each, RAxML one after the other with the two threads that it takes at least; ours resamples by itself. Ratio: the fastest peer's
time / ours. Checked, replicate by replicate: on the very sites that peers search, none of our log-likelihoods is worse than its by 0.1, and
they are better in the mean over the rows (phylo/models/better)."""

from __future__ import annotations

import random
import tempfile
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Callable, Mapping, Sequence

from .. import data, raxml, tree_search
from ..measure import WORK, MeasurementError
from ..row import Goal, Row, not_measured
from ..tree_rows import better_in_the_mean, compared, each_once, our_lnls, our_seconds
from . import Plan

NAME = "phylo/models"
GOAL = Goal("ratio", at_least=2.0)
SEED = 1
Rows = Mapping[str, str]
Ranges = Sequence[tuple[int, int]]  # first and last site of each part, from 1

CODE = "FFLLSSSSYY--CC-WLLLLPPPPHHQQRRRRIIIMTTTTNNKKSSRRVVVVAAAADDEEGGGG"  # by codon, bases in the order TCAG; stops say nothing
MOST_STOPS = 0.002  # of the codons: more are no reading frame


@dataclass(frozen=True)
class Case:
    name: str
    alignment: str
    replicates: int
    parts: int = 0  # 0: proteins under LG+G


CASES = (Case("protein", "d025_h1n1ha", 4), Case("partitions-10", "d094_rightmyer", 2, parts=10),
         Case("partitions-100", "d062_carnivora", 2, parts=100))
ALIGNMENTS = tuple(case.alignment for case in CASES)
EVEN_IF_TOO_MANY = ("--force", "model_overfit")  # or RAxML-NG refuses what has more parameters than sites, as 100 parts here have


def amino_acid(codon: str) -> str:
    if len(codon) < 3 or any(base not in "TCAG" for base in codon):
        return "-"
    return CODE[sum("TCAG".index(base) * place for base, place in zip(codon, (16, 4, 1)))]


def translated(rows: Rows) -> dict[str, str]:
    """Gives the proteins of genes in the frame that has the fewest stops."""

    def codons(frame: int) -> list[str]:
        return [row[at:at + 3] for row in rows.values() for at in range(frame, len(row) - 2, 3)]

    stops = {frame: sum(codon in ("TAA", "TAG", "TGA") for codon in codons(frame)) for frame in range(3)}
    frame = min(stops, key=lambda one: stops[one])
    if stops[frame] > MOST_STOPS * len(codons(frame)):
        raise MeasurementError(f"no reading frame: {stops[frame]} stops in the best one")
    proteins = [[amino_acid(row[at:at + 3]) for at in range(frame, len(row) - 2, 3)] for row in rows.values()]
    columns = [column for column in zip(*proteins) if set(column) != {"-"}]
    return {name: "".join(row) for name, row in zip(rows, zip(*columns))}


def blocks(sites: int, parts: int) -> Ranges:
    ends = [sites * part // parts for part in range(parts + 1)]
    return [(first + 1, last) for first, last in zip(ends, ends[1:])]


def resampled(rows: Rows, ranges: Ranges, replicates: int, folder: Path) -> list[Path]:
    """Writes alignments of as many sites, drawn with replacement from each part."""
    made = []
    for replicate in range(replicates):
        draw = random.Random(SEED + replicate)
        sites = [draw.randrange(first - 1, last) for first, last in ranges for _ in range(first, last + 1)]
        made.append(folder / f"replicate{replicate}.phy")
        made[-1].write_text(data.phylip({name: "".join(row[site] for site in sites) for name, row in rows.items()}))
    return made


@dataclass(frozen=True)
class Files:
    """What says which model is whose: in RAxML-NG's form and ours, in IQ-TREE's, in RAxML's."""

    ours: Path
    iqtree: Path
    raxml: Path


def written(ranges: Ranges, folder: Path) -> Files:
    files = Files(folder / "models.part", folder / "models.nex", folder / "models.raxml")
    named = [(f"p{number}", f"{first}-{last}") for number, (first, last) in enumerate(ranges, start=1)]
    files.ours.write_text("".join(f"GTR+F+G, {name} = {sites}\n" for name, sites in named))
    files.raxml.write_text("".join(f"DNA, {name} = {sites}\n" for name, sites in named))
    files.iqtree.write_text("#nexus\nbegin sets;\n" + "".join(f"  charset {name} = {sites};\n" for name, sites in named)
                            + "  charpartition all = " + ", ".join(f"GTR+F+G:{name}" for name, _ in named) + ";\nend;\n")
    return files


def searchers(files: Files | None) -> list[tree_search.Searcher]:
    """Gives those that are here: with partitions, or for proteins (null)."""
    words: dict[str, Callable[[Path, int], list]] = {
        "iqtree": lambda file, seed: ["-s", file, *(["-Q", files.iqtree] if files else ["-m", "LG+G"]), "-nt", 1, "-seed", seed, "-redo", "-quiet"],
        "raxml-ng": lambda file, seed: ["--search1", "--msa", file, "--tree", "pars{1}", "--threads", 1, "--seed", seed, "--redo",
                                        *(["--model", files.ours, "--brlen", "unlinked", *EVEN_IF_TOO_MANY] if files else ["--model", "LG+G"])]}
    if not files:
        # -f m: the matrix's frequencies. Without it PhyML counts those of proteins, whatever its help says.
        words["phyml"] = lambda file, seed: ["-i", file, "-d", "aa", "-m", "LG", "-f", "m", "-c", 4, "-a", "e", "-v", 0, "-b", 0, "-s",
                                             "SPR", "--r_seed", seed, "--quiet", "--no_memory_check"]
    found = [replace(one, words=words[one.name]) for one in tree_search.present() if one.name in words]
    return [*found, of_raxml(["-m", "GTRGAMMA", "-q", files.raxml, "-M"] if files else ["-m", "PROTGAMMALG"])]


def of_raxml(words: Sequence) -> tree_search.Searcher:
    """Gives RAxML's search with the two threads that it takes at least; `words` say the model."""
    return tree_search.Searcher(
        "raxml", raxml.binary, lambda file, seed: ["-T", str(raxml.THREADS), "-s", file.name, "-n", file.name, "-p", seed, *words],
        "RAxML_info.{}", r"Final GAMMA-based Score of best tree (-[0-9.]+)", at_a_time=1, version_words=("-v",))


def our_words(files: Files | None) -> list:
    return ["--model-file", files.ours, "--brlen", "unlinked"] if files else ["--model", "LG+G"]


def measure_case(name: str, case: Case, folder: Path, plan: Plan, means: dict[str, float]) -> list[Row]:
    def tell(at: str) -> None:
        plan.tell(f"{name}: {at}")

    rows = phylip_rows(data.alignment(case.alignment).read_text())
    if not case.parts:
        rows = translated(rows)
    whole = folder / "whole.phy"
    whole.write_text(data.phylip(rows))
    ranges = blocks(len(next(iter(rows.values()))), max(case.parts, 1))
    files = written(ranges, folder) if case.parts else None
    replicates = resampled(rows, ranges, case.replicates, folder)
    peers = each_once(searchers(files), replicates, SEED, tell)
    words = our_words(files)
    ours = our_lnls(replicates, words, SEED, tell)
    return compared(name, plan, peers, ours, lambda turn: our_seconds(whole, words, case.replicates, SEED + turn), GOAL,
                    [f"{case.replicates} replicates"], means)


def phylip_rows(text: str) -> dict[str, str]:
    """Gives the rows of relaxed sequential PHYLIP."""
    return dict(line.split() for line in text.splitlines()[1:] if line.strip())


def measure(plan: Plan) -> list[Row]:
    WORK.mkdir(parents=True, exist_ok=True)
    rows: list[Row] = []
    means: dict[str, float] = {}
    for case in CASES:
        name = f"{NAME}/{case.name}"
        if not plan.wants(name):
            continue
        if why := data.reason_absent(case.alignment):
            rows.append(not_measured(name, why, GOAL))
            continue
        with tempfile.TemporaryDirectory(prefix="models-", dir=WORK) as folder:
            rows += measure_case(name, case, Path(folder), plan, means)
    return rows + better_in_the_mean(NAME, plan, means)
