"""place/stores: what the techniques of workers with local stores gain, on described workers (figure 12 of the CellSs paper).

Speed-ups: ratio ours / published; 1 is right, and the goal is that they are at most 4 % apart. Steps: ratio of the time with a technique
to that without it, on 8 workers; the goal is that it is below 1, as published, and 1 for matmul's early call-back. Each run is the same
every time. Checked: every task ran once, none before its data. bench/figures/cellss/README.md says what was fixed beforehand."""

from __future__ import annotations

import json

from ..measure import binary, execute
from ..row import Goal, Row, judge
from . import Plan

NAME = "place/stores"
CHECKED = "every task once, none before its data"
GFLOPS = {"matmul": 25.6, "choleskyC": 16.0}  # of a kernel
TECHNIQUES = ("mso", "ec", "cache", "db")
SPEED_UPS = (("matmul", 4, 4.0), ("matmul", 8, 7.2), ("choleskyC", 8, 7.8))  # on so many workers, published
APART = 0.04
LESS = 1 - 1e-9  # a technique gains something
NO_GAIN = ("matmul", "ec")


def ns(application: str, workers: int, techniques: int) -> float:
    """Gives how long 2,048 x 2,048 elements take with the first so many techniques."""
    words = [application, "--blocks", "32", "--block", "64", "--workers", str(workers), "--time", str(GFLOPS[application])]
    words += ["--with", ",".join(TECHNIQUES[:techniques])] if techniques else []
    _, said = execute([binary("figures_cellss"), *words])
    return json.loads(said)["ns"]


def speed_up(name: str, application: str, workers: int, published: float) -> Row:
    every = len(TECHNIQUES)
    ours = ns(application, 1, every) / ns(application, workers, every)
    row = Row(name, ours, "times", better="higher", peer="the paper", peer_value=published, peer_version="2009", checked=CHECKED)
    row.ratio = ours / published
    apart = abs(row.ratio - 1)
    judged = judge(Row(name), Goal("value", at_most=APART), [apart], exact=True)
    row.goal, row.verdict, row.rounds, row.samples = f"{100 * APART:.0f} % apart", judged.verdict, judged.rounds, {"apart": [apart]}
    return row


def step(name: str, application: str, number: int) -> Row:
    before, after = ns(application, 8, number), ns(application, 8, number + 1)
    row = Row(name, after * 1e-6, "ms", peer="without it", peer_value=before * 1e-6, peer_version="this build", checked=CHECKED)
    return judge(row, Goal("ratio", at_most=1.0 if (application, TECHNIQUES[number]) == NO_GAIN else LESS), [after / before], exact=True)


def measure(plan: Plan) -> list[Row]:
    rows = []
    for application, workers, published in SPEED_UPS:
        name = f"{NAME}/{application}/{workers}-workers"
        plan.tell(name)
        rows.append(speed_up(name, application, workers, published))
    for application in GFLOPS:
        for number, technique in enumerate(TECHNIQUES):
            name = f"{NAME}/{application}/{technique}"
            plan.tell(name)
            rows.append(step(name, application, number))
    return rows
