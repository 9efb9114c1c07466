"""RAxML and PBPI as streams that off-load kernels, calibrated on a Cell blade: cell/README.md says what each number was fitted to."""

from __future__ import annotations

import tempfile
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Sequence

import simulation
from scorecard.measure import MeasurementError


@dataclass(frozen=True)
class Application:
    """Times in microseconds: RAxML's of one off-load, PBPI's of one generation of the whole chain."""

    program: str
    repeats: int  # off-loads of a bootstrap, or generations
    host: float
    serial: float  # of the kernel
    loop: float
    iterations: int
    spread: float


RAXML_42 = Application("raxml", 315_766, 18.4, 7.6, 35.4, 228, 0.68)
RAXML_42_LONG = Application("raxml", 315_766, 18.4, 14.8, 117.5, 456, 0.68)
RAXML_25 = Application("raxml", 157_654, 18.0, 3.0, 18.0, 100, 0.0)
PBPI_10000 = Application("pbpi", 20_000, 225.0, 0.0, 12_875.0, 10_000, 0.0)
PBPI_3000 = Application("pbpi", 20_000, 90.0, 10.0, 1_258.0, 3_000, 0.0)
PBPI_1000 = Application("pbpi", 200_000, 265.0, 0.0, 2_232.0, 954, 0.0)


@cache
def seconds(app: Application, machine: str, streams: int, width: int, host: str, units: int = 0) -> float:
    """Gives the time of a run on the machine (the text of its spec) under MASLIN_HOST=`host`: `streams` at a time, each with `width`
    SPEs; `units` bootstraps, as many as streams if not said. A part of the off-loads (of the generations) is simulated, and the time
    scaled to all."""
    phase = "bootstraps" if app.program == "raxml" else "processes"
    return scaled(app, machine, units or streams, host, {"MASLIN_PIN": f"{phase}={streams}x{width}"})


SAMPLED = 12_000  # generations within which S-MGPS has sampled all configurations of 16 workers


@cache
def seconds_under(app: Application, machine: str, units: int, host: str, policy: str) -> float:
    """Gives the time of a run of `units` bootstraps or processes under MASLIN_GRAIN=`policy`. Bootstraps are sampled whole, so a part
    of each tells all. PBPI's policy sees its first generations in one phase; the others take what they take under its choice."""
    variables = {"MASLIN_GRAIN": policy, "MASLIN_LEARNED": "off"}
    if app.program == "raxml":
        return scaled(app, machine, units, host, variables)
    begun = simulated(app, machine, units, host, SAMPLED, variables, ["--one-phase"])
    if not begun["chosen"]:
        raise MeasurementError(f"{policy} chose nothing within {SAMPLED} generations of {units} processes")
    return begun["seconds"] + scaled(app, machine, units, host, {"MASLIN_PIN": f"processes={begun['chosen']}"}) * (1 - SAMPLED / app.repeats)


def scaled(app: Application, machine: str, units: int, host: str, variables: dict[str, str]) -> float:
    part = min(app.repeats, (300 if simulation.QUICK else 3000) if app.program == "raxml" else (20 if simulation.QUICK else 200))
    return simulated(app, machine, units, host, part, variables)["seconds"] * app.repeats / part


def simulated(app: Application, machine: str, units: int, host: str, part: int, variables: dict[str, str], more: Sequence[str] = ()) -> dict:
    """Gives what the program prints of a run with so many off-loads or generations."""
    words = [app.program, "--streams", units, "--host-us", app.host, "--serial-us", app.serial, "--loop-us", app.loop,
             "--iterations", app.iterations, "--chunk", 16, "--spread", app.spread, *more]
    words += ["--offloads", part] if app.program == "raxml" else ["--offloads", 1, "--generations", part]
    with tempfile.TemporaryDirectory() as folder:
        spec = Path(folder) / "machine.toml"
        spec.write_text(machine, encoding="utf-8")
        return simulation.run(spec, "figures_cell", words, {"MASLIN_HOST": host, "MASLIN_LOOP": "static", **variables})
