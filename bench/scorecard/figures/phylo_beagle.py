"""phylo/newview/beside-beagle: nanoseconds per site pattern of newview, against BEAGLE, on one core.

Four rates, double precision, both children inner nodes, the same matrices and likelihoods. Ratio: our time / that of BEAGLE's fastest
implementation on one thread. Ours looks at every pattern whether it must be scaled; BEAGLE runs without scaling and with (then it scales
every pattern), and its faster way counts. Ours uses the widest vectors of the processor; BEAGLE as Debian builds it has SSE at most, which the
row says. Checked: both give the same log-likelihood."""

from __future__ import annotations

import json
from statistics import median

from ..measure import AGAIN, MeasurementError, Values, binary, execute
from ..row import Goal, Row, judge, noise, not_measured, pairs
from . import Plan

NAME = "phylo/newview/beside-beagle"
GOAL = Goal("ratio", at_most=1.0)
OURS = "maslin"
WIDE = "AVX"  # in the names of BEAGLE's implementations with vectors wider than SSE's
SCALED = ", scaled"  # how the names of sides end that scale every pattern


def row_of(name: str, values: Values, version: str) -> Row:
    theirs = [side for side in values if side not in (OURS, OURS + AGAIN)]
    fastest = min(theirs, key=lambda side: median(values[side]))
    row = Row(name, median(values[OURS]), "ns/pattern", peer=f"BEAGLE {fastest}", peer_value=median(values[fastest]), peer_version=version,
              versions=dict.fromkeys(theirs, version), again=noise(values, OURS), checked="log-likelihoods agree to 1e-12", samples=values)
    if not any(WIDE in side for side in theirs):
        row.note = "BEAGLE as it is installed (Debian's, for one) has SSE at most; ours uses what the processor has"
    if scaled := [median(values[side]) for side in theirs if side.endswith(SCALED)]:
        row.note = "; ".join(filter(None, (f"BEAGLE with scaling: {min(scaled):.1f} ns", row.note)))
    return judge(row, GOAL, pairs(values[OURS], values[fastest]))


def measure(plan: Plan) -> list[Row]:
    rows = []
    for states in (4, 20):
        for patterns in (1024, 16384):
            name = f"{NAME}/{states}-states/{patterns}"
            if not plan.wants(name):
                continue
            try:
                program = binary("beside_beagle")
            except MeasurementError as problem:
                rows.append(not_measured(name, str(problem), GOAL))
                continue
            version = ""

            def more(rounds: int) -> Values:
                nonlocal version
                _, said = execute([program, states, patterns, rounds])
                result = json.loads(said)
                version = result["version"]
                return result["ns_per_pattern"]

            rows.append(row_of(name, plan.gather(name, more, lambda values: row_of(name, values, version).decided), version))
    return rows
