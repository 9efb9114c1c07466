"""The peer MrBayes 3.2 as Debian packages it, which runs in one thread: on two cores there are two of it, a run each, which is more
than its own way to use them could give. It has likelihoods of its own and those of the library BEAGLE; both take part.

Its moves are set to ours: those that we have not got are left out, and the others are as frequent as ours."""

from __future__ import annotations

import re
import shutil
import subprocess
import tempfile
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from .measure import WORK, MeasurementError, execute

PROCESSES = 2
# The weights of our moves under GTR+G. MrBayes moves rates and frequencies in two ways, of which it keeps one here.
MOVES = {
    "NNI(Tau,V)": 16, "ExtSPR(Tau,V)": 24, "ExtTBR(Tau,V)": 0, "ParsSPR(Tau,V)": 0, "Multiplier(V)": 40, "TLMultiplier(V)": 6,
    "Nodeslider(V)": 14, "Dirichlet(Revmat)": 2, "Slider(Revmat)": 0, "Dirichlet(Pi)": 2, "Slider(Pi)": 0, "Multiplier(Alpha)": 2,
}  # fmt: skip


def installed() -> bool:
    return shutil.which("mb") is not None


@cache
def version() -> str:
    said = subprocess.run(["mb", "-v"], capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL).stdout
    found = re.search(r"[Vv]ersion:? *([0-9.]+[a-z]?)", said)
    return f"mrbayes {found.group(1) if found else 'of unknown version'}"


def nexus(alignment: Path) -> str:
    """Gives an alignment in relaxed PHYLIP as NEXUS."""
    first, *lines = alignment.read_text().splitlines()
    taxa, sites = first.split()
    rows = "".join(f"{' '.join(line.split())}\n" for line in lines if line.strip())
    return (f"#NEXUS\nbegin data;\ndimensions ntax={taxa} nchar={sites};\nformat datatype=dna gap=- missing=?;\nmatrix\n{rows};\nend;\n")


@dataclass
class Chains:
    seconds: float
    parameters: list[dict[str, float]]  # the last sample of each process
    trees: list[str]  # likewise, with the taxa's names
    parameter_files: list[str]  # what the .p file of each process holds


def batch(generations: int, chains: int, sample: int, swap: int, seed: int, beagle: bool, moves: dict[str, int] | None) -> str:
    settings = "" if moves is None else "".join(f"propset {move}$prob={weight};\n" for move, weight in moves.items())
    return ("#NEXUS\nbegin mrbayes;\n"
            f"set autoclose=yes nowarnings=yes seed={seed} swapseed={seed} usebeagle={'yes' if beagle else 'no'};\n"
            # Weights are kept by run and chain, so the number of these comes first.
            f"execute data.nex;\nlset nst=6 rates=gamma;\nmcmcp nruns=1 nchains={chains};\n{settings}"
            f"mcmc ngen={generations} samplefreq={sample} swapfreq={swap} printfreq={generations} mcmcdiagn=no checkpoint=no;\nend;\n")


def chains(alignment: Path, generations: int, of_each: int, sample: int, swap: int, seed: int, beagle: bool = False,
           moves: dict[str, int] | None = MOVES, limit_s: float = 3600) -> Chains:
    """Runs a run of so many chains in each of two processes at the same time."""
    with tempfile.TemporaryDirectory(prefix="mrbayes-", dir=WORK) as folder:

        def one(process: int) -> float:
            own = Path(folder) / str(process)
            own.mkdir()
            (own / "data.nex").write_text(nexus(alignment))
            (own / "job.nex").write_text(batch(generations, of_each, sample, swap, seed + 1000 * process, beagle, moves))
            return execute(["mb", "job.nex"], limit_s=limit_s, cwd=own)[0]

        with ThreadPoolExecutor(PROCESSES) as pool:
            seconds = max(pool.map(one, range(PROCESSES)))
        last, trees, files = [], [], []
        for process in range(PROCESSES):
            files.append((Path(folder) / str(process) / "data.nex.p").read_text())
            lines = files[-1].splitlines()
            last.append(dict(zip(lines[1].split("\t"), map(float, lines[-1].split("\t")))))
            trees.append(last_tree((Path(folder) / str(process) / "data.nex.t").read_text()))
        return Chains(seconds, last, trees, files)


def last_tree(text: str) -> str:
    """Gives the last tree of a .t file with the taxa's names."""
    names = dict(re.findall(r"^ +(\d+) ([^\s,;]+)[,;]$", text, re.MULTILINE))
    trees = re.findall(r"tree gen\.\d+ = \[&U\] (\(.*\);)", text)
    if not trees:
        raise MeasurementError("mrbayes has sampled no tree")
    return re.sub(r"([(,])(\d+):", lambda m: f"{m[1]}{names[m[2]]}:", trees[-1])
