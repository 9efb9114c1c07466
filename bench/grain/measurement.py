"""Measures cases, of both kinds, one after the other."""

from __future__ import annotations

from typing import Callable, Sequence

from scorecard.measure import MeasurementError, binary, execute

from . import real, virtual
from .cases import REAL, Case
from .result import POLICIES, Result
from .rows import decided
from .store import Store


def known_policies() -> tuple[str, ...]:
    """Gives those of the policies that this build has."""
    found = []
    for policy in dict.fromkeys(one.split()[0] for one in POLICIES):
        try:
            execute([binary("grain_shapes"), "lognormal", "--units", 1, "--kernels", 1, "--small"], {"MASLIN_GRAIN": policy})
            found.append(policy)
        except MeasurementError as refused:
            if "unknown policy" not in str(refused):
                raise
    return tuple(found)


def measure(cases: Sequence[Case], store: Store, looks: Sequence[int], tell: Callable[[str], None], policies: tuple[str, ...] | None = None,
            enough: Callable[[Result], bool] = decided) -> list[Result]:
    """Runs what the store does not hold, under `policies` or all that this build has; on the machine that is here in rounds, until `enough`
    says so or `looks` ends."""
    if policies is None:
        known = known_policies()
        policies = tuple(policy for policy in POLICIES if policy.split()[0] in known)
    described = virtual.Measurement(store, policies, tell)
    here = real.Measurement(store, policies, looks, tell, enough)
    found = []
    for number, case in enumerate(cases, start=1):
        progress = f"{number} of {len(cases)}: "
        for one in (described, here):
            one.tell = lambda at, progress=progress: tell(progress + at)
        try:
            found.append((here if case.machine == REAL else described).measure(case))
        except MeasurementError as problem:
            found.append(Result(case, note=f"failed: {problem}", failed=True))
    store.save()
    return found
