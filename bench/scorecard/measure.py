"""Runs programs against each other, alternating, and keeps what each run took."""

from __future__ import annotations

import os
import subprocess
import time
from pathlib import Path
from typing import Callable, Mapping, Sequence

ROOT = Path(__file__).resolve().parents[2]
WORK = ROOT / "build" / "bench"  # what a measurement writes; each one in a folder of its own


class MeasurementError(Exception):
    """A figure could not be measured: what was run, and what it said."""


def binary(name: str) -> Path:
    """Gives the path of one of our built programs."""
    path = Path(os.environ.get("MASLIN_BENCH_BIN", ROOT / "build" / "release" / "bin")) / name
    if not path.exists():
        raise MeasurementError(f"{path} is not built; run ./dev build {name}")
    return path


def execute(command: Sequence[str | Path], environment: Mapping[str, str] | None = None, limit_s: float = 1800,
            cwd: Path | None = None) -> tuple[float, str]:
    """Runs a program to its end; gives its wall time in seconds and what it wrote to its output."""
    words = [str(word) for word in command]
    clean = {key: value for key, value in os.environ.items() if not key.startswith("MASLIN_")}
    start = time.perf_counter()
    try:
        done = subprocess.run(words, env={**clean, **(environment or {})}, cwd=cwd, stdin=subprocess.DEVNULL,
                              capture_output=True, text=True, timeout=limit_s, check=False)
    except subprocess.TimeoutExpired as late:
        raise MeasurementError(f"did not finish within {limit_s:.0f} s: {' '.join(words)}") from late
    seconds = time.perf_counter() - start
    if done.returncode != 0:
        said = (done.stderr or done.stdout).strip().splitlines()[-5:]
        raise MeasurementError(f"status {done.returncode} from: {' '.join(words)}\n" + "\n".join(said))
    return seconds, done.stdout


def alternate(sides: Mapping[str, Callable[[int], float]], runs: int,
              tell: Callable[[str], None] = lambda _: None) -> dict[str, list[float]]:
    """Calls each side once a round, in turning order, and gives each one's measured values, round by round.
    The order turns so that no side always follows the same other one."""
    values: dict[str, list[float]] = {name: [] for name in sides}
    names = list(sides)
    for turn in range(runs):
        first = turn % len(names)
        for name in names[first:] + names[:first]:
            tell(f"{name}, run {turn + 1} of {runs}")
            values[name].append(sides[name](turn))
    return values
