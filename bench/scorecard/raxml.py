"""The peer RAxML 8.2 as Debian packages it. There is no sequential binary in the package: two threads, which wait by
spinning, are the least it accepts; so it is measured on two cores, and suffers when the machine is not quiet."""

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

THREADS = 2


@cache
def binary() -> Path:
    """Gives the fastest of the package's binaries that this processor runs."""
    flags = Path("/proc/cpuinfo").read_text().split()
    for suffix, needs in (("-AVX", "avx"), ("-SSE3", "pni"), ("", None)):
        found = shutil.which(f"raxmlHPC-PTHREADS{suffix}")
        if found and (needs is None or needs in flags):
            return Path(found)
    raise MeasurementError("raxml is not installed; ./dev bench installs it")


@cache
def version() -> str:
    said = subprocess.run([binary(), "-v"], capture_output=True, text=True, check=False).stdout
    found = re.search(r"RAxML version ([0-9.]+)", said)
    return f"{found.group(1) if found else 'unknown'} {binary().name}"


class Job:
    """One call of the program in a folder of its own, which goes when the job does."""

    def __init__(self, arguments: list[str], limit_s: float = 1800, environment: dict[str, str] | None = None):
        WORK.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix="raxml-", dir=WORK) as folder:
            self.seconds, self.output = execute(
                [binary(), "-T", str(THREADS), "-n", "job", "-w", folder, *arguments], environment, limit_s)
            self.info = (Path(folder) / "RAxML_info.job").read_text()
            self.results = {path.name.removeprefix("RAxML_").removesuffix(".job"): path.read_text()
                            for path in Path(folder).glob("RAxML_*.job")}

    def number(self, label: str) -> float:
        """Gives the number that follows a label of the info file."""
        found = re.search(re.escape(label) + r"\s*(-?[0-9.]+(?:[eE][-+]?[0-9]+)?)", self.info)
        if not found:
            raise MeasurementError(f"raxml did not report '{label}'")
        return float(found.group(1))


@dataclass
class Bootstraps:
    seconds: float
    lnls: list[float]  # of each replicate's best tree on that replicate's sites


def bootstraps(alignment: Path, replicates: int, seed: int, processes: int = 1, limit_s: float = 1800) -> Bootstraps:
    """Runs standard bootstrap searches under GTR+F+G: one process after the other, or the replicates dealt to processes
    that run at the same time (then each has seeds of its own)."""
    shares = [replicates // processes + (i < replicates % processes) for i in range(processes)]

    def one(share: tuple[int, int]) -> Job:
        index, count = share
        return Job(["-s", str(alignment), "-m", "GTRGAMMA", "-b", str(seed + 1000 * index), "-p", str(seed + 1000 * index),
                    "-#", str(count)], limit_s)

    with ThreadPoolExecutor(processes) as pool:
        jobs = list(pool.map(one, enumerate(shares)))
    lnls = [float(value) for job in jobs for value in re.findall(r"bootstrap likelihood (-[0-9.]+)", job.info)]
    if len(lnls) != replicates:
        raise MeasurementError(f"raxml reported {len(lnls)} bootstraps of {replicates}")
    return Bootstraps(max(job.seconds for job in jobs), lnls)


def resampled(alignment: Path, replicates: int, seed: int, folder: Path) -> list[Path]:
    """Gives the alignments on which `bootstraps` with one process and that seed searches."""
    copy = folder / "resampled.phy"  # the program names its outputs after the input, in its own folder
    shutil.copyfile(alignment, copy)
    execute([binary(), "-T", str(THREADS), "-f", "j", "-s", copy.name, "-m", "GTRGAMMA", "-b", str(seed), "-#",
             str(replicates), "-n", "resample"], cwd=folder)
    return [folder / f"{copy.name}.BS{i}" for i in range(replicates)]


# Counts the calls of log() in a program that is linked dynamically: RAxML takes one logarithm a site pattern in each
# likelihood evaluation, so the calls tell the number of evaluations exactly.
COUNTER = """
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
static atomic_ulong calls;
static double (*real_log)(double);
__attribute__((constructor)) static void begin(void) { real_log = (double (*)(double))dlsym(RTLD_NEXT, "log"); }
double log(double x) {
  atomic_fetch_add_explicit(&calls, 1, memory_order_relaxed);
  return real_log(x);
}
__attribute__((destructor)) static void end(void) {
  FILE* out = fopen(getenv("COUNT_LOG_FILE"), "w");
  if (out) { fprintf(out, "%lu", atomic_load(&calls)); fclose(out); }
}
"""


@cache
def counter() -> Path:
    library = WORK / "count_log.so"
    WORK.mkdir(parents=True, exist_ok=True)
    library.with_suffix(".c").write_text(COUNTER)
    execute(["g++", "-x", "c", "-std=c11", "-O2", "-shared", "-fPIC", "-fno-builtin", library.with_suffix(".c"), "-o",
             library, "-ldl"])
    return library


@dataclass
class Scaling:
    seconds: float  # inside the program, from its start to the end of the optimization
    lnl: float
    patterns: int
    evaluations: int  # 0 unless counted
    model: str  # at the end, in our notation
    scaler: float  # what every branch was multiplied with


def scale_branches(alignment: Path, tree: Path, count: bool = False) -> Scaling:
    """Optimizes the model's parameters and one common factor of all branch lengths (-f B) of a tree. Whatever it tries is
    a full traversal of the tree and a likelihood, and it does nothing else; so its speed is that of evaluations."""
    arguments = ["-f", "B", "-s", str(alignment), "-t", str(tree), "-m", "GTRGAMMAX", "-e", "0.001", "-p", "1"]
    calls = 0
    if count:
        with tempfile.NamedTemporaryFile(dir=WORK) as told:
            job = Job(arguments, environment={"LD_PRELOAD": str(counter()), "COUNT_LOG_FILE": told.name})
            calls = int(Path(told.name).read_text())
    else:
        job = Job(arguments)
    patterns = int(job.number("Alignment Patterns:"))
    rates = "/".join(f"{job.number(f'rate {a} <-> {b}:'):.6f}" for a, b in ("AC", "AG", "AT", "CG", "CT", "GT"))
    frequencies = "/".join(f"{job.number(f'freq pi({base}):'):.6f}" for base in "ACGT")
    return Scaling(
        seconds=job.number("Overall Time for Tree Evaluation with branch length scalers:"),
        lnl=job.number("Final GAMMA  likelihood:"),
        patterns=patterns,
        evaluations=calls // patterns,
        model=f"GTR{{{rates}}}+FU{{{frequencies}}}+G4m{{{job.number('alpha:')}}}",
        scaler=job.number("Branch length scaler:"),
    )
