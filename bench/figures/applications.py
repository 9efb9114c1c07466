"""RAxML and PBPI as streams that off-load kernels, calibrated on a Cell blade: cell/README.md says what each number was fitted to."""

from __future__ import annotations

import json
import math
import tempfile
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Sequence

import simulation
from scorecard.measure import MeasurementError


@dataclass(frozen=True)
class Messages:
    """Between processes, after which all have a sum: cell/messages.hpp says what the words mean."""

    us: float = 0.0  # host time of one: half of it the sender's, half the receiver's
    pattern: str = "all-to-all"
    waiting: str = "block"
    one_at_a_time: bool = False

    def words(self) -> list:
        words = ["--message-us", self.us, "--messages", self.pattern, "--waiting", self.waiting]
        return words + (["--one-at-a-time"] if self.one_at_a_time else [])


@dataclass(frozen=True)
class Application:
    """Times in microseconds, for each off-load or loop."""

    program: str
    repeats: int  # off-loads of a bootstrap, or likelihoods of a chain
    host: float
    serial: float  # of the kernel
    loop: float
    iterations: int
    spread: float
    loops: float = 1.0  # of a likelihood, in the mean
    messages: Messages = Messages()


RAXML_42 = Application("raxml", 315_766, 18.4, 7.6, 35.4, 228, 0.68)
RAXML_42_LONG = Application("raxml", 315_766, 18.4, 14.8, 117.5, 456, 0.68)
RAXML_25 = Application("raxml", 157_654, 18.0, 3.0, 18.0, 100, 0.0)


@cache
def seconds(app: Application, machine: str, streams: int, width: int, host: str, units: int = 0) -> float:
    """Gives the time of a run on the machine (the text of its spec) under MASLIN_HOST=`host`: `streams` at a time, each with `width`
    SPEs; `units` bootstraps, as many as streams if not said. A part of the off-loads (of the generations) is simulated, and the time
    scaled to all."""
    phase = "bootstraps" if app.program == "raxml" else "processes"
    return scaled(app, machine, units or streams, host, {"MASLIN_PIN": f"{phase}={streams}x{width}"})


SAMPLED = 12_000  # loops within which S-MGPS has sampled all widths of 16 workers


@cache
def seconds_under(app: Application, machine: str, workers: int, units: int, host: str, policy: str) -> float:
    """Gives the time of a run of `units` bootstraps or processes under MASLIN_GRAIN=`policy`. Bootstraps are sampled whole, so a part
    of each tells all. The number of PBPI's processes is fixed: in each the policy sizes the loops of its first likelihoods, and all others
    take what they take with the width that it chose."""
    variables = {"MASLIN_GRAIN": policy, "MASLIN_LEARNED": "off"}
    if app.program == "raxml":
        return scaled(app, machine, units, host, variables)
    sampled = math.ceil(SAMPLED / app.loops)
    all_workers = {"MASLIN_PIN": f"processes={units}x{workers // units}"}
    begun = simulated(app, machine, units, host, sampled, variables | all_workers | WORKER_IS_MASTER, ["--right-sized"])
    if not begun["chosen"]:
        raise MeasurementError(f"{policy} chose nothing within {SAMPLED} loops of {units} processes")
    _, width = map(int, begun["chosen"].split("x"))
    return begun["seconds"] + seconds(app, machine, units, width, host) * (1 - sampled / app.repeats)


def scaled(app: Application, machine: str, units: int, host: str, variables: dict[str, str]) -> float:
    """Gives the time of all off-loads or likelihoods. RAxML's loops have a worker as master, as the paper says; of PBPI's Maslin finds out
    who makes the run faster."""
    if app.program == "raxml":
        part = min(app.repeats, 300 if simulation.QUICK else 3000)
        return simulated(app, machine, units, host, part, variables | WORKER_IS_MASTER)["seconds"] * app.repeats / part
    part = min(app.repeats, 4 if simulation.QUICK else 20)
    shared = not variables["MASLIN_PIN"].endswith("x1")
    who = master(app, machine, units, host, tuple(variables.items())) if shared else "worker"
    return simulated(app, machine, units, host, part, variables | {"MASLIN_MASTER": who})["seconds"] * app.repeats / part


WORKER_IS_MASTER = {"MASLIN_MASTER": "worker"}
TRIED = 2000  # loops of a process within which Maslin has tried both masters


@cache
def master(app: Application, machine: str, units: int, host: str, variables: tuple[tuple[str, str], ...]) -> str:
    """Gives who gives the workers their parts of a chain's loops: the host or a worker, as Maslin chooses. Where nothing is chosen (loops
    are not shared, or a thread that waits spins) it is a worker."""
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report.json"
        simulated(app, machine, units, host, math.ceil(TRIED / app.loops), {**dict(variables), "MASLIN_REPORT": str(report)})
        phases = json.loads(report.read_text(encoding="utf-8"))["phases"]
    return next(phase["loop_master"] for phase in phases if phase["name"] == "processes") or "worker"


def simulated(app: Application, machine: str, units: int, host: str, part: int, variables: dict[str, str], more: Sequence[str] = ()) -> dict:
    """Gives what the program prints of a run with so many off-loads or likelihoods."""
    words = [app.program, "--streams", units, "--host-us", app.host, "--serial-us", app.serial, "--loop-us", app.loop,
             "--iterations", app.iterations, "--chunk", 16, "--spread", app.spread, *more]
    words += ["--offloads", part] if app.program == "raxml" else ["--generations", part, "--loops", app.loops, *app.messages.words()]
    with tempfile.TemporaryDirectory() as folder:
        spec = Path(folder) / "machine.toml"
        spec.write_text(machine, encoding="utf-8")
        return simulation.run(spec, "figures_cell", words, {"MASLIN_HOST": host, "MASLIN_LOOP": "static", **variables})
