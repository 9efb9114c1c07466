"""Cases on described machines, in declared costs: each run is the same every time, so one is enough."""

from __future__ import annotations

import json
import tempfile
from concurrent.futures import ThreadPoolExecutor
from typing import Callable

from scorecard.measure import MeasurementError, binary, execute

from .cases import Case, configurations, power_of_two
from .result import NEAR, WHICH_RUN, Result, name
from .store import Store, digest

PROCESSES = 2
FINALISTS = 4  # at most, of the fixed configurations that are near the best after the screening
COARSE_FROM = 64  # workers
WORTH_A_LOOK = 1.3  # times the best of the coarse ones


def is_coarse(one: tuple[int, int], case: Case) -> bool:
    """Whether width and streams are powers of two, or streams are all that there are or that fit."""
    streams, width = one
    return power_of_two(width) and (power_of_two(streams) or streams == min(case.units, case.machine // width))


def between(one: tuple[int, int], coarse: tuple[int, int]) -> bool:
    """Whether neither number differs by a factor of two."""
    return all(there / 2 < here < 2 * there for here, there in zip(one, coarse))


def run(case: Case, kernels: int, variables: dict[str, str]) -> dict:
    """Gives what the program printed. It has checked that every off-load ran once."""
    _, said = execute([binary(case.executable), *case.words(kernels)],
                      {"MASLIN_MACHINE": str(case.spec), "MASLIN_DURATIONS": "declared", "MASLIN_QUIET": "1", **variables}, 600)
    return json.loads(said)


class Measurement:
    def __init__(self, store: Store, policies: tuple[str, ...], tell: Callable[[str], None]):
        self.store, self.policies, self.tell = store, policies, tell

    def key(self, case: Case, kernels: int, what: str, version: str) -> str:
        return f"{case.name} {kernels} {case.patterns} {what} {version} {digest(case.spec)}"

    def fixed(self, case: Case, kernels: int, configuration: tuple[int, int]) -> float:
        pin = name(configuration)
        return self.store.once(self.key(case, kernels, pin, self.store.shapes),
                               lambda: run(case, kernels, {"MASLIN_PIN": f"{case.phase}={pin}"}))["seconds"]

    def policy(self, case: Case, policy: str) -> dict:
        def made() -> dict:
            with tempfile.TemporaryDirectory(prefix="grain-") as cache:
                def ran(learned: str) -> dict:
                    return run(case, case.kernels, {"MASLIN_GRAIN": policy.split()[0], "MASLIN_LEARNED": f"{cache}/{learned}"})

                last = [ran("learned") for _ in range(WHICH_RUN.get(policy, 1))][-1]
                if policy == self.policies[0]:  # one policy is enough to see whether runs repeat
                    again = ran("again")
                    if again != last:
                        raise MeasurementError(f"{case.name}: two runs differ: {last['seconds']} s and {again['seconds']} s")
                return last

        return self.store.once(self.key(case, case.kernels, policy, self.store.program), made)

    def screen(self, case: Case, every: list[tuple[int, int]]) -> dict[tuple[int, int], float]:
        """Gives the times of a shortened phase: of all configurations or, where there are many, of those in powers of two and then of what
        lies between those that come near the best."""
        coarse = every if case.machine < COARSE_FROM else [one for one in every if is_coarse(one, case)]
        times = self.shortened(case, coarse)
        if len(coarse) == len(every):
            return times
        bound = WORTH_A_LOOK * min(times.values())
        near = [one for one, seconds in times.items() if seconds <= bound]
        return times | self.shortened(case, [one for one in every if one not in times and any(between(one, other) for other in near)])

    def shortened(self, case: Case, some: list[tuple[int, int]]) -> dict[tuple[int, int], float]:
        self.tell(f"{case.name}: {len(some)} fixed configurations, shortened")
        return dict(zip(some, self.pool.map(lambda one: self.fixed(case, case.screening_kernels, one), some)))

    def measure(self, case: Case) -> Result:
        self.pool = ThreadPoolExecutor(PROCESSES)
        try:
            return self.measured(case)
        finally:
            self.pool.shutdown(cancel_futures=True)

    def measured(self, case: Case) -> Result:
        times = self.screen(case, configurations(case.machine, case.units))
        found = Result(case, {name(one): seconds for one, seconds in times.items()})
        nearest = sorted((seconds, one) for one, seconds in times.items())[:FINALISTS]
        finalists = [one for seconds, one in nearest if seconds <= NEAR * nearest[0][0]]
        self.tell(f"{case.name}: the {len(finalists)} nearest, and the policies")
        whole = [self.pool.submit(self.fixed, case, case.kernels, one) for one in finalists]
        chosen = [self.pool.submit(self.policy, case, policy) for policy in self.policies]
        found.fixed = {name(one): [later.result()] for one, later in zip(finalists, whole)}
        found.policies = {policy: [later.result()] for policy, later in zip(self.policies, chosen)}
        return found
