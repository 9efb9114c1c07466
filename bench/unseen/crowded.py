"""The programs where others want the CPUs, too, or where there are more workers than CPUs: what is run, and its goals."""

from __future__ import annotations

import json
import os
import tempfile
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Callable, Iterator, Mapping, Sequence

from grain.result import COLD
from scorecard.control_group import NoQuota, quota
from scorecard.measure import AGAIN, MeasurementError, TooLate, Values, alternate, binary, execute
from scorecard.peers import busy_process
from scorecard.row import Goal, Row, interval_of_median, noise, not_measured, pairs

from .cases import POLICIES_OF_OPENMP, has_openmp

CPUS = min(2, len(os.sched_getaffinity(0)))
PINS = tuple(dict.fromkeys((f"{CPUS}x1", f"1x{CPUS}")))
OVER_PIN = Goal("ratio", at_most=1.05)
OVER_OPENMP = Goal("ratio", at_most=1.0)
COPY = "COPY"  # in a variable's value: the number of the copy
# In a crowd some settings take minutes (threads that spin where they have no CPU). Those are not waited for, and not run again.
LIMIT_S = 300.0
TIMES_COLD = 8  # the limit of the others
OUT_OF_QUESTION = 2.0  # times the best of its kind, in one run


@dataclass(frozen=True)
class Crowd:
    """`workers`: that Maslin and OpenMP are told to use; what is pinned uses one a CPU. 0: what each finds."""

    name: str
    busy: int = 0  # other processes that do nothing but compute
    workers: int = CPUS
    cpus: float = 0  # a quota; 0: none
    copies: int = 1  # of the program itself, that begin together: the time is the last one's
    shared: bool = False  # copies under Maslin share the node (MASLIN_NODE)


CROWDS = (Crowd("busy", busy=1), Crowd("two-busy", busy=2), Crowd("16-workers", workers=16), Crowd("quota-0.5", workers=0, cpus=0.5),
          Crowd("quota-1", workers=0, cpus=1), Crowd("quota-1.5", workers=0, cpus=1.5), Crowd("two-copies", copies=2),
          Crowd("two-copies-node", copies=2, shared=True))


def one_a_family(names: Sequence[str]) -> list[str]:
    """Gives the third program of each family, by name: of four in each."""
    return list(names[2::4])


class Program:
    """One program among the others."""

    def __init__(self, name: str, crowd: Crowd, small: bool):
        self.name, self.crowd, self.small = name, crowd, small
        self.answer: str | None = None
        self.limit_s = LIMIT_S

    def words(self) -> list:
        return [self.name, *(["--small"] if self.small else [])]

    def timed(self, command: Sequence, variables: Mapping[str, str], workers: int) -> float:
        with ExitStack() as stack:
            for _ in range(self.crowd.busy):
                stack.enter_context(busy_process())
            enter = stack.enter_context(quota(self.crowd.cpus)).enter if self.crowd.cpus else None
            counted = {"MASLIN_WORKERS": str(workers), "OMP_NUM_THREADS": str(workers)} if workers else {}

            def run(copy: int) -> float:
                own = {name: value.replace(COPY, str(copy)) for name, value in variables.items()}
                _, said = execute([binary(command[0]), *command[1:]], {**counted, **own}, self.limit_s, enter=enter)
                one = json.loads(said)
                if one["answer"] != self.answer:
                    raise MeasurementError(f"{self.name}: {' '.join(map(str, command))} gave another answer than the serial elision")
                return one["seconds"]

            with ThreadPoolExecutor(self.crowd.copies) as pool:
                return max(pool.map(run, range(self.crowd.copies)))

    def cold(self, _: int) -> float:
        node = {"MASLIN_NODE": f"crowded-{os.getpid()}"} if self.crowd.shared else {}
        with tempfile.TemporaryDirectory(prefix="crowded-") as cache:
            variables = {"MASLIN_LEARNED": f"{cache}/learned-{COPY}", **node}
            return self.timed(["unseen_maslin", *self.words()], variables, self.crowd.workers)

    def sides(self) -> dict[str, Callable[[int], float]]:
        _, said = execute([binary("unseen_maslin"), *self.words()], {"MASLIN_SERIAL": "1"})
        self.answer = json.loads(said)["answer"]
        made: dict[str, Callable[[int], float]] = {COLD: self.cold, COLD + AGAIN: self.cold}
        for pin in PINS:
            made[pin] = lambda _, pin=pin: self.timed(["unseen_maslin", *self.words()], {"MASLIN_PIN": f"unseen={pin}"}, CPUS)
        if has_openmp():
            threads = self.crowd.workers or CPUS
            for streams, width in dict.fromkeys(((threads, 1), (1, threads))):
                for waiting in POLICIES_OF_OPENMP:
                    command = ["unseen_openmp", *self.words(), "--streams", streams, "--width", width]
                    made[f"OpenMP {streams}x{width} {waiting}"] = lambda _, command=command, waiting=waiting: self.timed(
                        command, {"OMP_WAIT_POLICY": waiting, "OMP_SCHEDULE": "dynamic"}, self.crowd.workers)
        return made


    def in_question(self) -> dict[str, Callable[[int], float]]:
        """Runs each side once, and gives those that may be the best of their kind."""
        sides = self.sides()
        cold = self.cold(0)
        self.limit_s = 10 + TIMES_COLD * cold
        seconds: dict[str, float] = {}
        for side, run in sides.items():
            if not side.startswith(COLD):
                with suppress(TooLate):
                    seconds[side] = run(0)
        self.limit_s = LIMIT_S
        for is_kind in (is_pinned, is_openmp):
            kind = {side: of for side, of in seconds.items() if is_kind(side)}
            for side in list(sides):
                if is_kind(side) and not (side in kind and kind[side] <= OUT_OF_QUESTION * min(kind.values())):
                    del sides[side]
        return sides


def is_pinned(side: str) -> bool:
    return side in PINS


def is_openmp(side: str) -> bool:
    return side.startswith("OpenMP")


Compared = tuple[str, str, list[float]]  # a program, what it is compared with, and the ratios round by round


def over_best(of: Mapping[str, Values], belongs: Callable[[str], bool]) -> list[Compared]:
    """Gives cold runs over the best of the sides that belong: the one with the least median."""
    made = []
    for program, values in of.items():
        sides = [side for side in values if belongs(side)]
        best = min(sides, key=lambda side: median(values[side]))
        made.append((program, best, pairs(values[COLD], values[best])))
    return made


def row_of(name: str, goal: Goal, compared: Sequence[Compared], of: Mapping[str, Values]) -> Row:
    """Judges the median over programs of their medians. Its interval reaches from the median of their lower ends to that of the upper ones."""
    row = Row(name, unit="", peer=compared[0][1].split()[0] if goal is OVER_OPENMP else "best pinned", peer_version="this build",
              ratio=median(median(ratios) for _, _, ratios in compared), goal=str(goal),
              rounds=min(len(ratios) for _, _, ratios in compared),
              checked="the serial answer, and each program's own check",
              samples={f"{program} {what}": ratios for program, what, ratios in compared})
    intervals = [interval_of_median(ratios) for _, _, ratios in compared]
    row.interval = None if None in intervals else (median(low for low, _ in intervals), median(high for _, high in intervals))
    row.verdict = goal.verdict(row.interval)
    row.again = noise(of[compared[0][0]], COLD)
    row.note = "; ".join(f"{program} {median(ratios):.2f} of {what}" for program, what, ratios in compared)
    return row


def measure(prefix: str, names: Sequence[str], looks: Sequence[int], tell: Callable[[str], None], small: bool = False,
            crowds: Sequence[Crowd] = CROWDS) -> Iterator[Row]:
    for crowd in crowds:
        of: dict[str, Values] = {}
        try:
            for name in names:
                sides = Program(name, crowd, small).in_question()
                of[name] = alternate(sides, looks, lambda at, name=name: tell(f"{crowd.name}, {name}: {at}"))
        except NoQuota as problem:
            yield not_measured(f"{prefix}/{crowd.name}", str(problem), OVER_PIN)
            continue
        yield row_of(f"{prefix}/{crowd.name}/pinned", OVER_PIN, over_best(of, is_pinned), of)
        yield row_of(f"{prefix}/{crowd.name}/openmp", OVER_OPENMP, over_best(of, is_openmp), of) if has_openmp() else \
            not_measured(f"{prefix}/{crowd.name}/openmp", "this build has no unseen_openmp", OVER_OPENMP)
