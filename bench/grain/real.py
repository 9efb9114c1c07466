"""Cases on the machine that is here: all sides alternate, and each answer must be the serial elision's, to the last bit."""

from __future__ import annotations

import json
import os
import tempfile
from pathlib import Path
from typing import Callable, Sequence

from scorecard import data
from scorecard.measure import AGAIN, MeasurementError, alternate, binary, execute

from .cases import Case, configurations
from .result import COLD, WHICH_RUN, Result, name
from .store import Store

TAXA, SITES = 12, 400  # of an alignment, so that a run takes a second
LIMIT_S = 300


def beginning(alignment: Path, folder: Path) -> Path:
    """Gives the first rows and columns of an alignment in relaxed PHYLIP, one row a line."""
    rows = [line.split(None, 1) for line in alignment.read_text().splitlines()[1:] if line.strip()][:TAXA]
    cut = data.determined_columns({taxon: sequence.replace(" ", "") for taxon, sequence in rows})
    made = folder / f"{alignment.stem}.phy"
    made.write_text(data.phylip({taxon: sequence[:SITES] for taxon, sequence in cut.items()}))
    return made


class Program:
    """A case's program: gives seconds, what right-sizing did, and the answer."""

    def __init__(self, case: Case, folder: Path):
        self.case, self.folder = case, folder
        self.phylo = case.shape.startswith("phylo/")
        self.phase = "trees" if self.phylo else case.phase
        self.alignment = beginning(data.alignment(case.shape.removeprefix("phylo/")), folder) if self.phylo else None

    def run(self, variables: dict[str, str]) -> dict:
        if self.phylo:
            return self.search(variables)
        _, said = execute([binary(self.case.executable), *self.case.words()], variables, LIMIT_S)
        return json.loads(said)

    def run_peer(self, side: str, workers: int) -> dict:
        command, variables = self.case.peers(workers)[side]
        _, said = execute([binary(command[0]), *command[1:]], variables, LIMIT_S)
        return json.loads(said)

    def search(self, variables: dict[str, str]) -> dict:
        with tempfile.TemporaryDirectory(dir=self.folder) as out:
            seconds, said = execute([binary("maslin-phylo"), "bootstrap", "--msa", self.alignment, "--model", "GTR+F+G", "--replicates",
                                     self.case.units, "--seed", 1, "--quiet", "--prefix", f"{out}/run", "--json"], variables, LIMIT_S)
            trees = Path(f"{out}/run.bootstraps").read_text()
        did = json.loads(said).get("right_sizing") or {}
        samples = did.get("samples", [])
        chosen = did.get("chosen") or max(did.get("configurations", []), key=lambda one: one["seconds"], default={"streams": 0, "width": 0})
        reference = max((one["throughput"] for one in did.get("configurations", [])
                         if (one["streams"], one["width"]) == (chosen["streams"], chosen["width"])), default=0.0)
        return {"seconds": seconds, "answer": trees, "configuration": name((chosen["streams"], chosen["width"])),
                "sampling_seconds": sum(one["seconds"] for one in samples),
                "sampling_lost_seconds": sum(one["seconds"] * max(0.0, 1 - one["throughput"] / reference) for one in samples) if reference else 0.0}


class Measurement:
    def __init__(self, store: Store, policies: tuple[str, ...], looks: Sequence[int], tell: Callable[[str], None], decided: Callable[[Result], bool]):
        self.store, self.policies, self.looks, self.tell, self.decided = store, policies, looks, tell, decided
        self.workers = len(os.sched_getaffinity(0))

    def measure(self, case: Case) -> Result:
        if case.shape.startswith("phylo/") and (absent := data.reason_absent(case.shape.removeprefix("phylo/"))):
            return Result(case, note=absent)
        key = f"{case.name} {case.kernels} {self.looks} {self.workers} {','.join(self.policies)} {self.store.program}"
        return self.result(case, self.store.once(key, lambda: self.alternate(case)))

    def result(self, case: Case, values: dict[str, list[dict]]) -> Result:
        pins = [name(one) for one in configurations(self.workers, case.units)]
        return Result(case, fixed={pin: [run["seconds"] for run in values[pin]] for pin in pins},
                      policies={policy: values[policy] for policy in (*self.policies, COLD + AGAIN) if policy in values},
                      peers={side: values[side] for side in case.peers(self.workers) if side in values})

    def alternate(self, case: Case) -> dict[str, list[dict]]:
        with tempfile.TemporaryDirectory(prefix="grain-") as folder:
            program = Program(case, Path(folder))
            workers = {"MASLIN_WORKERS": str(self.workers)}
            self.tell(f"{case.name}: the serial answer")
            answer = program.run({"MASLIN_SERIAL": "1"})["answer"]
            taken: dict[str, list[dict]] = {}

            def timed(side: str, variables: dict[str, str]) -> float:
                return checked(side, program.run({**workers, **variables}))

            def checked(side: str, one: dict) -> float:
                if one.pop("answer") != answer:
                    raise MeasurementError(f"{case.name}: {side} gave another answer than the serial elision")
                taken.setdefault(side, []).append(one)
                return one["seconds"]

            def ruled(policy: str, side: str) -> float:
                with tempfile.TemporaryDirectory(dir=folder) as cache:
                    variables = {"MASLIN_GRAIN": policy.split()[0], "MASLIN_LEARNED": f"{cache}/learned"}
                    for _ in range(1, WHICH_RUN.get(policy, 1)):
                        program.run({**workers, **variables})
                    return timed(side, variables)

            sides = {name(one): lambda _, pin=name(one): timed(pin, {"MASLIN_PIN": f"{program.phase}={pin}"})
                     for one in configurations(self.workers, case.units)}
            sides |= {policy: lambda _, policy=policy: ruled(policy, policy) for policy in self.policies}
            if COLD in sides:
                sides[COLD + AGAIN] = lambda _: ruled(COLD, COLD + AGAIN)
            sides |= {side: lambda _, side=side: checked(side, program.run_peer(side, self.workers)) for side in case.peers(self.workers)}
            alternate(sides, self.looks, lambda at: self.tell(f"{case.name}: {at}"), lambda _: self.decided(self.result(case, taken)))
            return taken
