"""Runs programs against each other, alternating, and keeps what each run took."""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any, Callable, Hashable, Mapping, Sequence, TypeVar

ROOT = Path(__file__).resolve().parents[2]
WORK = ROOT / "build" / "bench"  # what a measurement writes; each one in a folder of its own

# Variables of the caller that would change what is measured do not reach the programs.
CALLERS_OWN = ("MASLIN_", "OMP_", "GOMP_", "KMP_", "LIBOMP_", "OPENBLAS_", "GOTO_", "MKL_", "BLIS_", "STARPU_", "TBB_")
PASSED: dict[str, str] = {}  # those that ./dev bench --set passes on purpose; what a row sets itself wins

# When it is looked whether enough rounds were run: few looks, because each is another chance to be wrong.
LOOKS = (7, 14, 28, 40)
QUICK_LOOKS = (3,)
AGAIN = " again"  # the second side of the same work


class MeasurementError(Exception):
    """A figure could not be measured: what was run, and what it said."""


class TooLate(MeasurementError):
    """A program did not end within its limit."""


def binary(name: str) -> Path:
    """Gives the path of one of our built programs."""
    path = Path(os.environ.get("MASLIN_BENCH_BIN", ROOT / "build" / "release" / "bin")) / name
    if not path.exists():
        raise MeasurementError(f"{path} is not built; run ./dev build {name}")
    return path


def environment_of(variables: Mapping[str, str] | None = None) -> dict[str, str]:
    """Gives the environment of a program that is measured: the caller's without what would change the measurement, then what
    ./dev bench --set passes, then `variables`."""
    clean = {key: value for key, value in os.environ.items() if not key.startswith(CALLERS_OWN)}
    return {**clean, **PASSED, **(variables or {})}


def execute(command: Sequence[str | Path], environment: Mapping[str, str] | None = None, limit_s: float = 1800,
            cwd: Path | None = None, enter: Callable[[], None] | None = None) -> tuple[float, str]:
    """Runs a program to its end; gives its wall time in seconds and what it wrote to its output. `enter` is called in its process before it
    begins."""
    words = [str(word) for word in command]
    start = time.perf_counter()
    try:
        done = subprocess.run(words, env=environment_of(environment), cwd=cwd, stdin=subprocess.DEVNULL,
                              capture_output=True, text=True, timeout=limit_s, check=False, preexec_fn=enter)
    except subprocess.TimeoutExpired as late:
        raise TooLate(f"did not finish within {limit_s:.0f} s: {' '.join(words)}") from late
    seconds = time.perf_counter() - start
    if done.returncode != 0:
        said = (done.stderr or done.stdout).strip().splitlines()[-5:]
        raise MeasurementError(f"status {done.returncode} from: {' '.join(words)}\n" + "\n".join(said))
    return seconds, done.stdout


def peak_memory(command: Sequence[str | Path], environment: Mapping[str, str] | None = None, cwd: Path | None = None) -> tuple[float, str]:
    """Runs a program to its end; gives its peak of resident memory in MiB (no less than some 10) and what it wrote to its output."""
    with tempfile.NamedTemporaryFile("r") as told:
        _, said = execute([sys.executable, "-I", "-S", Path(__file__).with_name("peak.py"), told.name, *command], environment, cwd=cwd)
        return int(told.read()) / 1024, said


def available_memory(root: Path = Path("/")) -> float:
    """Gives the bytes that programs can still get: no more than the control group's limit. `root`: where /proc and /sys are."""
    lines = (root / "proc/meminfo").read_text(encoding="ascii").splitlines()
    available = 1024.0 * next(int(line.split()[1]) for line in lines if line.startswith("MemAvailable:"))
    for limit in ("memory.max", "memory/memory.limit_in_bytes"):  # of the two versions of control groups
        with contextlib.suppress(OSError):
            most = (root / "sys/fs/cgroup" / limit).read_text(encoding="ascii").strip()
            available = min(available, float("inf") if most == "max" else float(most))
    return available


Values = dict[str, list[float]]
Taken = TypeVar("Taken")  # what a run gives: one value, or several
What = TypeVar("What", bound=Hashable)


class Stopped(KeyboardInterrupt):
    """Ctrl-C while sides were measured: what the rounds gave that were whole by then."""

    def __init__(self, values: dict[str, list[Any]]):
        super().__init__()
        self.values = values


def show(at: str) -> None:
    """Shows in a terminal where a measurement stands, instead of what was shown before; "" takes it away."""
    if sys.stderr.isatty():
        print(f"\r\033[K{at}", end="", file=sys.stderr, flush=True)


def alternate(sides: Mapping[str, Callable[[int], Taken]], looks: Sequence[int], tell: Callable[[str], None] = lambda _: None,
              decided: Callable[[dict[str, list[Taken]]], bool] = lambda _: False) -> dict[str, list[Taken]]:
    """Calls each side once a round, in turning order, and gives what each one's calls gave, round by round. After as
    many rounds as `looks` names it asks whether they decide, and stops if so; the last one ends it in any case.
    The order turns so that no side always follows the same other one. Ctrl-C is a `Stopped`."""
    values: dict[str, list[Taken]] = {name: [] for name in sides}
    names = list(sides)
    for turn in range(looks[-1]):
        first = turn % len(names)
        try:
            for name in names[first:] + names[:first]:
                tell(f"{name}, round {turn + 1} of {next(look for look in looks if turn < look)}")
                values[name].append(sides[name](turn))
            if turn + 1 in looks and decided(values):
                break
        except KeyboardInterrupt as stop:
            whole = min(map(len, values.values()))
            raise Stopped({name: measured[:whole] for name, measured in values.items()}) from stop
    return values


def twice(sides: Mapping[str, Callable[[int], Taken]], ours: str) -> dict[str, Callable[[int], Taken]]:
    """Gives the sides and ours once more: how far it is from itself is what the machine's noise does."""
    return {**sides, ours + AGAIN: sides[ours]}


def by_what(runs: Mapping[str, Sequence[Mapping[What, float]]]) -> dict[What, Values]:
    """Gives the values by what they are of, where each run of a side gives several."""
    found: dict[What, Values] = {}
    for side, of_side in runs.items():
        for one in of_side:
            for what, value in one.items():
                found.setdefault(what, {}).setdefault(side, []).append(value)
    return found
