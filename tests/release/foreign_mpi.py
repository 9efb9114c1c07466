"""Builds MPI programs that nobody here wrote by the commands of maslin-mpirun, runs them, and says which of them pass.

foreign_mpi.py FOLDER_OF_COMMANDS [--mpich FOLDER] [--osu FOLDER] [--hpcg FOLDER] [--sweep3d FOLDER]
               [--npb FOLDER] [--only DIR[/PROGRAM]] [--processes 1] [--json FILE]

Each FOLDER is a checkout, in which nothing is written:

--mpich    MPICH (test/mpi of it): a program passes if it ends with status 0 and says "No Errors", or with another
           status where its testlist wants that. Each is run as the testlist says, without what only MPICH reads; runs
           that differ in that alone count once.
--osu      the OSU micro benchmarks, of any release since 4: point-to-point and collective ones; one passes if it prints
           what it measured
--hpcg     HPCG 3.1: passes if it says that its result is valid
--sweep3d  ASCI Sweep3D 2.2b, in Fortran: each output.* of it is a run on as many ranks as it tells of. It passes if all
           integers are the same, and iteration errors and balance have the ten digits that its README asks for.
--npb      NAS parallel benchmarks 3.3 (NPB3.3-MPI), seven in Fortran and one in C, class S on four ranks: one passes if
           it says that its verification was successful

Prints a line for each run and how many passed. Status 1 where one fails.
"""

from __future__ import annotations

import argparse
import concurrent.futures
import itertools
import json
import math
import os
import re
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Iterator

LIMIT_S = 120
SWEEP3D_LIMIT_S = 900
NPB_PROGRAMS, NPB_CLASS, NPB_RANKS = ("bt", "cg", "ep", "ft", "is", "lu", "mg", "sp"), "S", 4
SWEEP3D_DIFFERENCE = 1e-10  # relative: its README asks for ten digits
MPICH_FOLDERS = ("attr", "coll", "comm", "datatype", "errhan", "group", "info", "init", "pt2pt", "topo",
                 "threads/coll", "threads/comm", "threads/init", "threads/pt2pt")
# What configure finds out elsewhere: a system with C's and POSIX's headers and functions.
MPICH_CONFIGURED = """
#define STDC_HEADERS 1
#define HAVE_ASSERT_H 1
#define HAVE_ERRNO_H 1
#define HAVE_INTTYPES_H 1
#define HAVE_MEMORY_H 1
#define HAVE_STDARG_H 1
#define HAVE_STDDEF_H 1
#define HAVE_STDINT_H 1
#define HAVE_STDIO_H 1
#define HAVE_STDLIB_H 1
#define HAVE_STRINGS_H 1
#define HAVE_STRING_H 1
#define HAVE_SYS_STAT_H 1
#define HAVE_SYS_TIME_H 1
#define HAVE_SYS_TYPES_H 1
#define HAVE_UNISTD_H 1
#define HAVE_GETTIMEOFDAY 1
#define HAVE_GETRUSAGE 1
#define HAVE_SYS_RESOURCE_H 1
#define HAVE_FLOAT__COMPLEX 1
#define HAVE_DOUBLE__COMPLEX 1
#define HAVE_LONG_DOUBLE 1
#define HAVE_LONG_DOUBLE__COMPLEX 1
#define HAVE_LONG_LONG 1
#define HAVE_LONG_LONG_INT 1
#define HAVE__BOOL 1
#define HAVE_INT8_T 1
#define HAVE_INT16_T 1
#define HAVE_INT32_T 1
#define HAVE_INT64_T 1
#define HAVE_UINT8_T 1
#define HAVE_UINT16_T 1
#define HAVE_UINT32_T 1
#define HAVE_UINT64_T 1
#define HAVE_MPI_INTEGER16 1
#define USE_LONG_DOUBLE_COMPLEX 1
#ifdef MTEST_USE_THREAD
#define THREAD_PACKAGE_NAME THREAD_PACKAGE_POSIX
#define HAVE_PTHREAD_BARRIER_INIT 1
#define HAVE_ATOMIC 1
#else
#define THREAD_PACKAGE_NAME THREAD_PACKAGE_NONE
#endif
"""
# What the files that OSU's programs share take of one-sided communication. The programs that are run do not call it.
OSU_ONE_SIDED = """
#include <mpi.h>
#include <stdlib.h>
typedef int MPI_Win;
#define MPI_Win_allocate(...) (abort(), MPI_ERR_OTHER)
#define MPI_Win_attach(...) (abort(), MPI_ERR_OTHER)
#define MPI_Win_create(...) (abort(), MPI_ERR_OTHER)
#define MPI_Win_create_dynamic(...) (abort(), MPI_ERR_OTHER)
#define MPI_Win_free(...) (abort(), MPI_ERR_OTHER)
"""


@dataclass(frozen=True)
class Run:
    """A program, the number of its ranks, and its words."""

    program: str  # FOLDER/NAME
    ranks: int
    words: tuple[str, ...] = ()
    is_to_fail: bool = False  # its status is not to be 0

    def __str__(self) -> str:
        return " ".join((f"{self.program} on {self.ranks}", *self.words))


@dataclass(frozen=True)
class Outcome:
    run: Run
    said: str  # nothing of one that passed
    measured: str = ""  # of one that passed


class Commands:
    def __init__(self, folder: Path, processes: int) -> None:
        self.folder, self.processes = folder, processes

    def compile(self, language: str, *words: str | Path, cwd: Path | None = None) -> str:
        """Gives what the compiler complains about; nothing if it does not."""
        done = subprocess.run([self.folder / f"maslin-mpi{language}", *words], cwd=cwd, capture_output=True, text=True, check=False)
        return "" if done.returncode == 0 else next((line for line in done.stderr.splitlines() if "error" in line or "undefined" in line), done.stderr[-200:])

    def run(self, ranks: int, program: Path, *words: str, cwd: Path | None = None, threads: bool = False,
            limit_s: int = LIMIT_S) -> tuple[int, str]:
        """Gives the status and everything that was said; status 124 after too long."""
        divided = ["--processes", str(min(self.processes, ranks))] if self.processes > 1 else []
        divided += ["--threads"] if threads else []
        try:
            done = subprocess.run([self.folder / "maslin-mpirun", "-n", str(ranks), *divided, program, *words], cwd=cwd, stdin=subprocess.DEVNULL,
                                  stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace", timeout=limit_s, check=False)
        except subprocess.TimeoutExpired:
            return 124, f"no end in {limit_s} s"
        return done.returncode, done.stdout


def is_wanted(program: str, only: str) -> bool:
    """Is it the one, or in the folder, that `only` names?"""
    return f"{program}/".startswith(f"{only}/" if only else "")


def last_line(said: str) -> str:
    return next((line.strip() for line in reversed(said.splitlines()) if line.strip()), "it says nothing")


def mpich_sources(folder: Path, name: str) -> tuple[Path, ...]:
    """Gives the sources of a program in C: those that its folder's Makefile.am names, or one of its name."""
    said = re.search(rf"^{name}_SOURCES *= *(.*)$", (folder / "Makefile.am").read_text(), re.MULTILINE)
    return tuple(folder / one for one in said.group(1).split()) if said else (folder / f"{name}.c",)


def mpich_macros(folder: Path, name: str) -> list[str]:
    """Gives what that Makefile.am defines for it."""
    said = re.search(rf"^{name}_CPPFLAGS *= *(.*)$", (folder / "Makefile.am").read_text(), re.MULTILINE)
    return [word for word in said.group(1).split() if word.startswith("-D")] if said else []


def mpich_runs(folder: Path) -> list[Run]:
    """Gives the runs that the testlists name for programs in C which are there, each once."""
    found: dict[Run, None] = {}
    for where in MPICH_FOLDERS:
        lists = [folder / where / name for name in ("testlist", "testlist.in")]
        for line in next((one.read_text() for one in lists if one.exists()), "").splitlines():
            words = re.sub(r"@\w+@", "", line.partition("#")[0]).split()
            if len(words) < 2 or not words[1].isdigit() or not mpich_sources(folder / where, words[0])[0].exists():
                continue
            if any(word.startswith(("mem=", "timeLimit=")) for word in words[2:]):  # larger than a test should be
                continue
            found[Run(f"{where}/{words[0]}", int(words[1]), tuple(word[4:] for word in words[2:] if word.startswith("arg=")),
                      any(word in ("resultTest=TestStatus", "resultTest=TestErrFatal") for word in words[2:]))] = None
    return list(found)


class Mpich:
    """MPICH's tests."""

    def __init__(self, commands: Commands, checkout: Path, work: Path) -> None:
        self.commands, self.tests, self.work = commands, checkout / "test" / "mpi", work
        (work / "mpitestconf.h").write_text(MPICH_CONFIGURED)
        (work / "mtest_mpix.h").write_text("/* no extensions of MPICH's */\n")
        (work / "dtpoolsconf.h").write_text(MPICH_CONFIGURED)
        (work / "include").mkdir()  # where ../dtpoolsconf.h is found from
        include = [f"-I{work / 'include'}", *(f"-I{self.tests / folder}" for folder in ("include", "dtpools/include"))]
        self.common = [f"-I{work}", *include, "-w", "-O1"]
        util = self.tests / "util"
        sources = [*(util / f"{name}.c" for name in ("mtest", "mtest_common", "dtypes")), *sorted((self.tests / "dtpools" / "src").glob("*.c"))]
        self.helpers = [self.helper(source) for source in sources]
        self.single, self.thread = self.helper(util / "mtest_single.c"), self.helper(util / "mtest_thread.c", "-DMTEST_USE_THREAD")
        self.main = self.helper(util / "run_mpitests.c")  # of programs that have run() and no main()

    def helper(self, source: Path, *macros: str) -> Path:
        made = self.work / f"{source.stem}.o"
        if said := self.commands.compile("cc", *self.common, *macros, "-c", source, "-o", made):
            sys.exit(f"foreign_mpi.py: {source} does not compile: {said}")
        return made

    def outcomes(self, program: str, runs: list[Run]) -> list[Outcome]:
        made, (where, _, name) = self.work / program.replace("/", "-"), program.rpartition("/")
        sources, threads = mpich_sources(self.tests / where, name), where.startswith("threads/")
        has_main = any(re.search(r"^int main\s*\(", source.read_text(errors="replace"), re.MULTILINE) for source in sources)
        macros = [*mpich_macros(self.tests / where, name), *(["-DMTEST_USE_THREAD", "-pthread"] if threads else [])]
        if said := self.commands.compile("cc", *self.common, *macros, *sources, *([] if has_main else [self.main]), *self.helpers,
                                         self.thread if threads else self.single, "-lm", "-o", made):
            return [Outcome(run, f"does not compile: {said}") for run in runs]
        found = []
        for run in runs:
            status, said = self.commands.run(run.ranks, made, *run.words, cwd=self.work, threads=threads)
            right = status not in (0, 124) if run.is_to_fail else status == 0 and "no errors" in said.lower()
            found.append(Outcome(run, "" if right else f"status {status}: {last_line(said)}"))
        made.unlink()
        return found


def mpich(commands: Commands, checkout: Path, work: Path, only: str) -> Iterator[Outcome]:
    tests = Mpich(commands, checkout, work)
    by_program: dict[str, list[Run]] = {}
    for run in mpich_runs(tests.tests):
        if is_wanted(run.program, only):
            by_program.setdefault(run.program, []).append(run)
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for found in pool.map(tests.outcomes, by_program, by_program.values()):
            yield from found


def osu_programs(checkout: Path) -> Iterator[tuple[Path, list[Path], int]]:
    """Gives the source of each program, what is compiled with it, and its ranks. Since 5.4 all share the files of a
    folder `util`, since 6.0 everything is in a folder `c`, and since 7.1 there are folders for kinds of programs."""
    root = checkout / "c" if (checkout / "c" / "mpi").is_dir() else checkout
    util = [one for one in sorted((root / "util").glob("osu_util*.c")) if not one.stem.endswith(("_nccl", "_pgas"))]
    for where, ranks in (("pt2pt", 2), ("collective", 4)):
        folder = root / "mpi" / where
        own = folder / f"osu_{'pt2pt' if where == 'pt2pt' else 'coll'}.c"
        for source in sorted(set(folder.rglob("osu_*.c")) - {own}):
            alone = re.search(r"^usage\s*\(|^void usage", source.read_text(errors="replace"), re.MULTILINE) is not None
            yield source, util or [own] * (not alone), ranks


def osu(commands: Commands, checkout: Path, work: Path, only: str) -> Iterator[Outcome]:
    """Point-to-point programs on 2 ranks, all others on 4; 20 times each size."""
    one_sided = work / "one_sided.h"
    one_sided.write_text(OSU_ONE_SIDED)
    for source, others, ranks in osu_programs(checkout):
        run = Run(f"osu/{source.stem}", ranks)
        if not is_wanted(run.program, only) or source.stem.endswith(("_mt", "_mp")):  # of several threads or processes
            continue
        made = work / source.stem
        said = commands.compile("cc", "-w", "-O2", "-DFIELD_WIDTH=20", "-DFLOAT_PRECISION=2", "-include", one_sided,
                                *(f"-I{folder}" for folder in {one.parent: None for one in (source, *others)}), source, *others, "-lm", "-o", made)
        if not said:
            status, output = commands.run(ranks, made, "-i", "20", "-x", "2")
            measured = re.findall(r"^\s*[\d.]+(?:\s+[\d.]+)*\s*$", output, re.MULTILINE)
            said = "" if status == 0 and measured else f"status {status}: {last_line(output)}"
        yield Outcome(run, said)


def hpcg(commands: Commands, checkout: Path, work: Path, only: str) -> Iterator[Outcome]:
    run = Run("hpcg/xhpcg", 4, ("32", "32", "32", "10"))
    if not is_wanted(run.program, only):
        return
    sources = sorted((checkout / "src").glob("*.cpp"))
    main = checkout / "testing" / "main.cpp"
    said = commands.compile("cxx", "-w", "-O3", "-DHPCG_NO_OPENMP", f"-I{checkout / 'src'}", *sources,
                            *([main] if main.exists() else []), "-o", work / "xhpcg")
    if not said:
        shutil.copy(checkout / "bin" / "hpcg.dat", work)
        status, output = commands.run(run.ranks, work / "xhpcg", *run.words, cwd=work)
        results = "".join(one.read_text() for one in [*work.glob("HPCG-Benchmark*"), *work.glob("*.yaml")])
        valid = "HPCG result is VALID" in results
        said = "" if status == 0 and valid else f"status {status}: {last_line(output)}"
    yield Outcome(run, said)


def sweep3d_results(said: str) -> list[list[str]]:
    """Gives the numbers of each line of its iterations and its balance."""
    lines = [line for line in said.splitlines() if re.match(r"\s*its\s*=", line) or re.search("Source|Absorption|leakages", line)]
    return [re.findall(r"[-+]?\d+\.\d*(?:[ED][-+]\d+)?|\b\d+\b", line) for line in lines]


def sweep3d_difference(found: list[list[str]], expected: list[list[str]]) -> float:
    """Gives the largest relative difference; infinity where integers differ, or the number of them."""
    if not expected or [len(line) for line in found] != [len(line) for line in expected]:
        return math.inf
    worst = 0.0
    for ours, theirs in zip(itertools.chain(*found), itertools.chain(*expected)):
        if theirs.isdigit() or ours.isdigit():
            worst = worst if ours == theirs else math.inf
        else:
            value, wanted = (float(one.replace("D", "E")) for one in (ours, theirs))
            worst = max(worst, abs(value - wanted) / abs(wanted)) if wanted else max(worst, math.inf if value else 0.0)
    return worst


def sweep3d_compiled(commands: Commands, checkout: Path, work: Path) -> str:
    """Gives what a compiler complains about. As its makefile does it: cpp makes the messages' source."""
    with (work / "mpi_stuff.f").open("w") as made:
        done = subprocess.run(["cpp", "-P", "-traditional-cpp", "-DMPI", checkout / "msg_stuff.cpp"], stdout=made, stderr=subprocess.PIPE, text=True,
                              check=False)
    if done.returncode != 0:
        return last_line(done.stderr)
    sources = [*sorted(one for one in checkout.glob("*.f") if not one.stem.endswith("_stuff")), work / "mpi_stuff.f"]
    return (commands.compile("cc", "-w", "-O2", "-c", checkout / "timers.c", cwd=work)
            or commands.compile("f90", "-w", "-O3", "-march=native", "-std=legacy", "-ffixed-line-length-none", f"-I{checkout}", *sources, "timers.o",
                                "-o", "sweep3d", cwd=work))


def sweep3d(commands: Commands, checkout: Path, work: Path, only: str) -> Iterator[Outcome]:
    """An output file tells its grid, how the ranks divide it, and what is computed between two messages; with that a run
    of the input file of that grid is the same. Outputs of several message libraries may be of one run."""
    compiled: str | None = None
    found: dict[tuple[str, ...], tuple[int, str]] = {}
    for file in sorted(checkout.glob("output.*")):
        expected = file.read_text(errors="replace")
        grid, *division = file.name.split(".")[1], *(re.search(said, expected) for said in (r"(\d+) domains.* (\d+) x +(\d+)", r"(\d+) k-planes by +(\d+)"))
        if not all(division):
            sys.exit(f"foreign_mpi.py: {file}: expected how many domains there are, and how many k-planes and angles a block has")
        (ranks, across, along), (planes, angles) = (one.groups() for one in division)
        run = Run(f"sweep3d/{file.name}", int(ranks))
        if not is_wanted(run.program, only):
            continue
        if compiled is None:
            compiled = sweep3d_compiled(commands, checkout, work)
        if compiled:
            yield Outcome(run, f"does not compile: {compiled}")
            continue
        asked = (grid, across, along, planes, angles)
        if asked not in found:
            first, rest = (checkout / f"input.{grid}").read_text().split("\n", 1)
            (work / "input").write_text(" ".join((across, along, planes, angles, *first.split()[4:])) + "\n" + rest)
            found[asked] = commands.run(run.ranks, work / "sweep3d", cwd=work, limit_s=SWEEP3D_LIMIT_S)
        status, output = found[asked]
        difference = sweep3d_difference(sweep3d_results(output), sweep3d_results(expected))
        if status == 0 and difference <= SWEEP3D_DIFFERENCE:
            yield Outcome(run, "", f"the largest relative difference is {difference:.1e}")
        elif status == 0:
            yield Outcome(run, "integers are not as there" if math.isinf(difference) else f"numbers differ by {difference:.1e}, relative")
        else:
            yield Outcome(run, f"status {status}: {last_line(output)}")


def npb(commands: Commands, checkout: Path, work: Path, only: str) -> Iterator[Outcome]:
    """Its makefiles write beside the sources, so a copy is built. SP and BT need a square number of ranks, the others a power of two."""
    shutil.copytree(checkout / "NPB3.3-MPI" if (checkout / "NPB3.3-MPI").is_dir() else checkout, work, dirs_exist_ok=True)
    compilers = {"MPIF77": commands.folder / "maslin-mpif90", "MPICC": commands.folder / "maslin-mpicc"}
    settings = {**compilers, "FLINK": "$(MPIF77)", "CLINK": "$(MPICC)", "CC": "cc", "BINDIR": "../bin", "RAND": "randi8_safe",
                "FFLAGS": "-w -O2 -std=legacy", "FLINKFLAGS": "-O2", "CFLAGS": "-w -O2", "CLINKFLAGS": "-O2"}
    (work / "config" / "make.def").write_text("".join(f"{name} = {value}\n" for name, value in settings.items()))
    (work / "bin").mkdir(exist_ok=True)
    for name in NPB_PROGRAMS:
        run = Run(f"npb/{name}", NPB_RANKS)
        if not is_wanted(run.program, only):
            continue
        made = subprocess.run(["make", name, f"CLASS={NPB_CLASS}", f"NPROCS={NPB_RANKS}"], cwd=work, capture_output=True, text=True, check=False)
        program = work / "bin" / f"{name}.{NPB_CLASS}.{NPB_RANKS}"
        if made.returncode != 0 or not program.exists():
            yield Outcome(run, f"does not compile: {last_line(made.stderr or made.stdout)}")
            continue
        status, output = commands.run(NPB_RANKS, program, cwd=work)
        right = status == 0 and re.search(r"Verification\s*=\s*SUCCESSFUL", output) is not None
        yield Outcome(run, "" if right else f"status {status}: {last_line(output)}")


SUITES = {"mpich": mpich, "osu": osu, "hpcg": hpcg, "sweep3d": sweep3d, "npb": npb}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("commands", type=Path, help="the folder of maslin-mpicc and maslin-mpirun")
    for name in SUITES:
        parser.add_argument(f"--{name}", type=Path, metavar="FOLDER", help="a checkout")
    parser.add_argument("--only", default="", help="this folder or program alone, such as pt2pt, coll/allred or osu/osu_bw")
    parser.add_argument("--processes", type=int, default=1, help="among which the ranks are divided")
    parser.add_argument("--json", type=Path, help="write every run there")
    options = parser.parse_args()
    chosen = {name: getattr(options, name) for name in SUITES if getattr(options, name)}
    if not chosen:
        parser.error(f"name at least one checkout: {', '.join(f'--{name} FOLDER' for name in SUITES)}")
    outcomes: list[Outcome] = []
    for name, checkout in chosen.items():
        before = len(outcomes)
        with tempfile.TemporaryDirectory() as folder:
            for outcome in SUITES[name](Commands(options.commands.resolve(), options.processes), checkout.resolve(), Path(folder), options.only):
                outcomes.append(outcome)
                print(f"{outcome.run}: {outcome.said or 'passed'}{outcome.measured and f'; {outcome.measured}'}", flush=True)
        if len(outcomes) == before and not options.only:
            sys.exit(f"foreign_mpi.py: --{name} {checkout}: there is no program to run")
    if not outcomes:
        sys.exit(f"foreign_mpi.py: --only {options.only}: there is no such folder or program, such as pt2pt, coll/allred or osu/osu_bw")
    failed = sum(bool(outcome.said) for outcome in outcomes)
    print(f"{len(outcomes) - failed} of {len(outcomes)} runs passed")
    if options.json:
        options.json.write_text(json.dumps([{"program": one.run.program, "ranks": one.run.ranks, "words": one.run.words, "failed": one.said}
                                            for one in outcomes], indent=1) + "\n")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
