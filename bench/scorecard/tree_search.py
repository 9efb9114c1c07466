"""Peers that search the tree of one alignment at a time: IQ-TREE and PhyML as Debian packages them, RAxML-NG where somebody built
it. They get the alignments that RAxML resampled, two at a time with a thread each: searches of this size gain less from threads."""

from __future__ import annotations

import re
import shutil
import subprocess
import tempfile
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from time import perf_counter
from typing import Callable, Sequence

from . import checkouts
from .measure import WORK, MeasurementError, execute

AT_A_TIME = 2


@dataclass(frozen=True)
class Searcher:
    name: str
    find: Callable[[], Path | None]
    words: Callable[[Path, int], list]  # arguments of a search, from the alignment and a seed; outputs lie beside the alignment
    result: str  # the name of the file with the log-likelihood; {} stands for the alignment's
    lnl: str  # what it matches there
    at_a_time: int = AT_A_TIME
    version_words: tuple[str, ...] = ("--version",)

    @property
    def program(self) -> Path | None:
        return self.find()


PHYML = "/usr/lib/phyml/bin/phyml"  # Debian's own; what is found first is a script that starts MPI


def installed(*names: str) -> Path | None:
    return next((Path(found) for name in names if (found := shutil.which(name))), None)


SEARCHERS = (
    Searcher("iqtree", lambda: installed("iqtree2", "iqtree"),
             lambda file, seed: ["-s", file, "-m", "GTR+F+G", "-nt", 1, "-seed", seed, "-redo", "-quiet"],
             "{}.iqtree", r"Log-likelihood of the tree: (-[0-9.]+)"),
    Searcher("phyml", lambda: installed(PHYML, "phyml"),
             lambda file, seed: ["-i", file, "-d", "nt", "-m", "GTR", "-f", "e", "-c", 4, "-a", "e", "-v", 0, "-b", 0, "-s", "SPR",
                                 "--r_seed", seed, "--quiet", "--no_memory_check"],
             "{}_phyml_stats.txt", r"Log-likelihood:\s+(-[0-9.]+)"),
    Searcher("raxml-ng", lambda: checkouts.program("raxml-ng"),
             lambda file, seed: ["--search1", "--msa", file, "--model", "GTR+F+G", "--tree", "pars{1}", "--threads", 1, "--seed", seed,
                                 "--redo"],
             "{}.raxml.log", r"Final LogLikelihood: (-[0-9.]+)"),
)


def present() -> list[Searcher]:
    return [one for one in SEARCHERS if one.program]


@cache
def version(searcher: Searcher) -> str:
    done = subprocess.run([searcher.program, *searcher.version_words], capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL)
    found = re.search(r"\d+(?:\.\d+)+", done.stdout + done.stderr)
    return found.group() if found else "unknown"


@dataclass
class Searches:
    seconds: float
    lnls: list[float]


def reported_lnl(searcher: Searcher, file: Path) -> float:
    """Gives the log-likelihood that a search of this alignment left beside it."""
    found = re.search(searcher.lnl, file.with_name(searcher.result.format(file.name)).read_text())
    if not found:
        raise MeasurementError(f"{searcher.name} did not report its log-likelihood")
    return float(found.group(1))


def search(searcher: Searcher, alignments: Sequence[Path], seed: int, limit_s: float = 1800) -> Searches:
    """Searches each alignment's tree; gives the time from the first one's start to the last one's end, and the final
    log-likelihoods. Raises `TooLate` when one takes longer than the limit."""

    def one(file: Path) -> float:
        execute([searcher.program, *searcher.words(file, seed)], limit_s=limit_s, cwd=file.parent)
        return reported_lnl(searcher, file)

    WORK.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="search-", dir=WORK) as folder:
        copies = [Path(shutil.copy(file, folder)) for file in alignments]
        with ThreadPoolExecutor(searcher.at_a_time) as pool:
            seconds, lnls = timed(lambda: list(pool.map(one, copies)))
    return Searches(seconds, lnls)


def timed(call: Callable[[], list[float]]) -> tuple[float, list[float]]:
    begin = perf_counter()
    done = call()
    return perf_counter() - begin, done
