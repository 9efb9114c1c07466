"""comm/ranks/*: many ranks, uneven ones, and their memory.

many: the same work by 1,000 ranks on two workers; ratio: / by 2. uneven: ranks of unequal work, with loops inside that Maslin's workers
share; ratio: our time / the best of Open MPI and MPICH with OpenMP inside, of all settings, ranks and threads; those that are far
from the best are only tried. Ours has 8 ranks. memory/N: what a rank of ms::ranks takes beside its stack.
Checked: the same bits from any number of ranks and threads; messages."""

from __future__ import annotations

import json
from statistics import median
from typing import Callable

from ..measure import ROOT, MeasurementError, Values, binary, execute
from ..mpi import NONE, OURS, Mpi, close_ones, ours, peers, version_of
from ..row import Goal, Row, judge, noise, not_measured, pairs
from . import Plan

NAME = "comm/ranks"
MANY, UNEVEN, MEMORY = f"{NAME}/many", f"{NAME}/uneven", f"{NAME}/memory"
MANY_GOAL, UNEVEN_GOAL, MEMORY_GOAL = Goal("ratio", at_most=1.10), Goal("ratio", at_most=0.95), Goal("value", at_most=48)
FEW = "2 ranks"
MEMORY_OF = (2, 100, 1000, 10000)
# Ranks, and OpenMP's threads in each.
BY_HAND = ((1, 2), (2, 1), (2, 2), (4, 1), (4, 2), (8, 1), (8, 2))


class Answers:
    """All runs must give the same."""

    def __init__(self) -> None:
        self.first: str | None = None

    def seconds(self, result: dict, what: str) -> float:
        self.first = self.first or result["answer"]
        if result["answer"] != self.first:
            raise MeasurementError(f"{what} gave {result['answer']}; the first run gave {self.first}")
        return result["seconds"]


def measure(plan: Plan) -> list[Row]:
    rows = []
    for name, goal, measured in ((MANY, MANY_GOAL, many), (UNEVEN, UNEVEN_GOAL, uneven)):
        if not plan.wants(name):
            continue
        try:
            rows += measured(plan)
        except MeasurementError as problem:
            rows.append(not_measured(name, str(problem), goal))
    return rows + [row for ranks in MEMORY_OF if plan.wants(f"{MEMORY}/{ranks}") for row in memory(plan, ranks)]


def many(plan: Plan) -> list[Row]:
    mine = ours()
    program, answers = mine.compiled("rod.c"), Answers()

    def side(ranks: int) -> Callable[[int], float]:
        return lambda _: answers.seconds(mine.result(ranks, program), f"the rod on {ranks} ranks")

    def row_of(times: Values) -> list[Row]:
        row = Row(MANY, median(times[OURS]), "s", peer=FEW, peer_value=median(times[FEW]), again=noise(times, OURS),
                  checked="the same bits", samples=times)
        return [judge(row, MANY_GOAL, pairs(times[OURS], times[FEW]))]

    return plan.rows(MANY, {OURS: side(1000), FEW: side(2)}, OURS, row_of)


def uneven(plan: Plan) -> list[Row]:
    mine, others, answers = ours(), peers(), Answers()
    if not others:
        return [not_measured(UNEVEN, NONE, UNEVEN_GOAL)]
    include = f"-I{ROOT / 'include'}"
    programs = {OURS: mine.compiled("uneven.cpp", ("-std=c++20", "-DWITH_MASLIN", include))}
    programs |= {mpi.library: mpi.compiled("uneven.cpp", ("-fopenmp",)) for mpi in others.values()}

    def side(mpi: Mpi, ranks: int, variables: dict[str, str] | None = None) -> Callable[[int], float]:
        return lambda _: answers.seconds(mpi.result(ranks, programs[mpi.library], variables=variables), f"{mpi.library} on {ranks} ranks")

    by_hand = {}
    for name, mpi in others.items():
        for ranks, threads in BY_HAND:
            for waits in ("active", "passive") if threads > 1 else ("passive",):
                # Threads of a rank that is bound to a core would share it.
                if threads > 1 and "bound to core" in name:
                    continue
                variables = {"OMP_NUM_THREADS": str(threads), "OMP_WAIT_POLICY": waits, "OMP_SCHEDULE": "dynamic,8"}
                by_hand[f"{name}, {ranks} x {threads} {waits}"] = side(mpi, ranks, variables)
    sides = close_ones(by_hand, lambda at: plan.tell(f"{UNEVEN}: {at}"))

    def row_of(times: Values) -> list[Row]:
        best = min((name for name in times if not name.startswith(OURS)), key=lambda name: median(times[name]))
        row = Row(UNEVEN, median(times[OURS]), "s", peer=best, peer_value=median(times[best]), peer_version=version_of(best),
                  again=noise(times, OURS), checked="the same bits", samples=times)
        return [judge(row, UNEVEN_GOAL, pairs(times[OURS], times[best]))]

    return plan.rows(UNEVEN, {OURS: side(mine, 8), **sides}, OURS, row_of)


def memory(plan: Plan, ranks: int) -> list[Row]:
    name = f"{MEMORY}/{ranks}"
    try:
        program = binary("comm_memory")
    except MeasurementError as problem:
        return [not_measured(name, str(problem), MEMORY_GOAL)]

    def kib(_: int) -> float:
        _, output = execute([program, str(ranks)], {"MASLIN_WORKERS": "2"})
        result = json.loads(output)
        if result["checked"] is not True:
            raise MeasurementError(f"wrong messages between {ranks} ranks")
        return result["bytes"] / 1024

    def row_of(times: Values) -> list[Row]:
        row = Row(name, unit="KiB", again=noise(times, OURS), checked="every message", samples=times)
        return [judge(row, MEMORY_GOAL, times[OURS])]

    return plan.rows(name, {OURS: kib}, OURS, row_of)
