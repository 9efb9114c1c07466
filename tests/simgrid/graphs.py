"""Task graphs of 1,000 tasks, each a shape and a seed: what the program says, in its order.

A task is (nanoseconds, how it writes, the datum that it writes, the data that it reads); the graph follows from that, and whoever runs
it derives it for itself."""

from __future__ import annotations

import random
from typing import NamedTuple

TASKS = 1000
MOST_READS = 16  # what on_maslin.cpp has calls for


class Task(NamedTuple):
    nanoseconds: int
    how: str  # "out" or "inout"
    writes: int
    reads: tuple[int, ...] = ()


def around(rng: random.Random, mean_us: float, spread: float = 0.5) -> int:
    """Gives nanoseconds, evenly within mean (1 +- spread): no two tasks of a graph are likely to end at one time."""
    return round(1000 * mean_us * (1 + spread * (2 * rng.random() - 1)))


def independent(rng: random.Random) -> list[Task]:
    """Nobody waits; a few tasks are ten times as long as most."""
    return [Task(max(1, round(1000 * rng.lognormvariate(3.5, 0.8))), "out", i) for i in range(TASKS)]


def layers(rng: random.Random) -> list[Task]:
    """Layers of random width; each task reads one to four results of the layer before."""
    tasks: list[Task] = []
    before: list[int] = []
    while len(tasks) < TASKS:
        width = min(TASKS - len(tasks), 24 + int(rng.random() * 48))
        layer = list(range(len(tasks), len(tasks) + width))
        for datum in layer:
            reads = sorted({before[int(rng.random() * len(before))] for _ in range(1 + int(rng.random() * 4))}) if before else []
            tasks.append(Task(around(rng, 50), "out", datum, tuple(reads)))
        before = layer
    return tasks


def forkjoin(rng: random.Random) -> list[Task]:
    """Eight of these beside each other: a task, sixteen that read its result, one that joins them, and again."""
    tasks: list[Task] = []
    chains = [[8 * 17 + chain, *range(17 * chain, 17 * chain + 16)] for chain in range(8)]
    for chain in chains:
        tasks.append(Task(around(rng, 20), "inout", chain[0]))
    while True:
        for head, *branches in chains:
            for datum in branches:
                tasks.append(Task(around(rng, 40), "inout", datum, (head,)))
            tasks.append(Task(around(rng, 10), "inout", head, tuple(branches)))
            if len(tasks) >= TASKS:
                return tasks[:TASKS]


def cholesky(rng: random.Random) -> list[Task]:
    """The first 1,000 tasks of a factorization of 18 x 18 tiles; the lengths of the four kernels are in proportion."""
    n = 18
    at = lambda row, column: row * n + column  # noqa: E731
    tasks: list[Task] = []
    for k in range(n):
        tasks.append(Task(around(rng, 30, 0.1), "inout", at(k, k)))
        for i in range(k + 1, n):
            tasks.append(Task(around(rng, 60, 0.1), "inout", at(i, k), (at(k, k),)))
        for i in range(k + 1, n):
            tasks.append(Task(around(rng, 60, 0.1), "inout", at(i, i), (at(i, k),)))
            for j in range(k + 1, i):
                tasks.append(Task(around(rng, 110, 0.1), "inout", at(i, j), (at(i, k), at(j, k))))
    return tasks[:TASKS]


def wavefront(rng: random.Random) -> list[Task]:
    """25 x 40 cells; each needs the one above and the one to the left."""
    rows, columns = 25, 40
    tasks: list[Task] = []
    for i in range(rows):
        for j in range(columns):
            reads = ((i - 1) * columns + j,) * (i > 0) + (i * columns + j - 1,) * (j > 0)
            tasks.append(Task(around(rng, 50), "inout", i * columns + j, reads))
    return tasks


def buffers(rng: random.Random) -> list[Task]:
    """Four buffers that are overwritten while others still read them: all rounds are independent if writes are renamed."""
    tasks: list[Task] = []
    results = 4
    while len(tasks) < TASKS:
        buffer = len(tasks) // 4 % 4
        tasks.append(Task(around(rng, 20), "out", buffer))
        for _ in range(3):
            tasks.append(Task(around(rng, 60), "out", results, (buffer,)))
            results += 1
    return tasks[:TASKS]


SHAPES = {shape.__name__: shape for shape in (independent, layers, forkjoin, cholesky, wavefront, buffers)}


def make(shape: str, seed: int) -> list[Task]:
    tasks = SHAPES[shape](random.Random(f"{shape} {seed}"))
    assert len(tasks) == TASKS and all(len(t.reads) <= MOST_READS for t in tasks)
    return tasks


def text(tasks: list[Task]) -> str:
    """What graph.hpp reads."""
    return "".join(" ".join(map(str, (t.nanoseconds, t.how, t.writes, *t.reads))) + "\n" for t in tasks)
