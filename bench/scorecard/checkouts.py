"""Peers that are not packaged: whoever wants them measured gives the path of a checkout (./dev bench --peer NAME=PATH). Runtimes
are headers, with which we compile a program of our own; of RAxML-NG and Sweep3D the programs that were built there are run."""

from __future__ import annotations

import os
import shutil
import subprocess
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from .measure import ROOT, WORK, MeasurementError

SOURCES = ROOT / "bench" / "peers"


@dataclass(frozen=True)
class Checkout:
    """`header`: what must lie in the folder for headers to be the peer's; `source`: our program; none of both for programs."""

    header: str = ""
    include: str = "include"
    source: str = ""
    standard: str = "-std=c++20"
    programs: tuple[str, ...] = ()  # where a program may lie


KNOWN = {
    "libfork": Checkout("libfork.hpp", source="forks/libfork.cpp", standard="-std=c++23"),
    "taskflow": Checkout("taskflow/taskflow.hpp", include=".", source="forks/taskflow.cpp"),
    "toomanycooks": Checkout("tmc/task.hpp", source="forks/toomanycooks.cpp"),
    "citor": Checkout("citor/thread_pool.h", source="forks/citor.cpp"),
    "raxml-ng": Checkout(programs=("bin/raxml-ng", "build/bin/raxml-ng", "raxml-ng")),
    "sweep3d": Checkout(programs=("maslin/sweep3d.mpi",)),
}
RUNTIMES = tuple(name for name, peer in KNOWN.items() if peer.source)

given: dict[str, Path] = {}  # what the caller said


class Refused(Exception):
    """What the caller gave is no peer: what was found, and what was expected."""


def accept(wish: str) -> None:
    """Takes a NAME=PATH; refuses what is unknown or not there."""
    name, equals, path = wish.partition("=")
    if not equals or not path:
        raise Refused(f"--peer {wish!r} is no NAME=PATH, for example --peer libfork=../libfork")
    if name not in KNOWN:
        raise Refused(f"--peer: no peer is called {name!r}; there are {', '.join(KNOWN)}")
    folder, peer = Path(path).expanduser(), KNOWN[name]
    if not folder.exists():
        raise Refused(f"--peer {name}: there is no {folder}")
    if peer.header and not (folder / peer.include / peer.header).is_file():
        raise Refused(f"--peer {name}: {folder} is no checkout of it: {peer.include}/{peer.header} is not there")
    if peer.programs and not runnable(folder, peer):
        raise Refused(f"--peer {name}: {folder} is no program, and none of {', '.join(peer.programs)} is there; build it first")
    given[name] = folder.resolve()


def runnable(folder: Path, peer: Checkout) -> Path | None:
    return next((file for file in (folder, *(folder / one for one in peer.programs)) if file.is_file() and os.access(file, os.X_OK)), None)


def how_to_measure(name: str) -> str:
    return f"./dev bench --peer {name}=PATH, the path of a checkout"


def program(name: str) -> Path | None:
    """Gives the program of a peer that is one, nothing where no path was given."""
    return runnable(given[name], KNOWN[name]) if name in given else None


def version(name: str) -> str:
    """Gives the checkout's commit where it is one of git's, its folder's name otherwise."""
    done = subprocess.run(["git", "-C", given[name], "describe", "--always", "--tags", "--dirty"], capture_output=True, text=True, check=False)
    return done.stdout.strip() if done.returncode == 0 and (given[name] / ".git").exists() else given[name].name


def compile_by(name: str, compiler: str, *words: str | Path) -> None:
    done = subprocess.run([compiler, *words], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise MeasurementError(f"{name} could not be compiled with {compiler}:\n" + "\n".join(done.stderr.strip().splitlines()[:5]))


@cache
def built(name: str) -> Path:
    """Gives the program for a runtime's headers, compiled once a run of the scorecard."""
    peer, folder = KNOWN[name], given[name]
    WORK.mkdir(parents=True, exist_ok=True)
    made, problems = WORK / f"forks_{name}", WORK / "forks_problems.o"
    always = ("-O3", "-DNDEBUG", "-ffp-contract=off", "-pthread")
    # What is computed between forks is compiled as for our own side. Coroutines want clang, which comes with the packaged peers.
    ours = os.environ.get("CXX", "g++")
    compile_by(name, ours, "-std=c++20", *always, "-c", SOURCES / "forks/problems.cpp", "-o", problems)
    compile_by(name, shutil.which("clang++-19") or ours, peer.standard, *always, f'-DPEER_VERSION="{version(name)}"',
               "-isystem", folder / peer.include, SOURCES / peer.source, SOURCES / "measure.cpp", problems, "-o", made)
    return made
