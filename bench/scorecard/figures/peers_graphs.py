"""peers/graphs: tasks that wait for data: a chain of 1e5 updates and a wavefront of 300×300, dependences found fresh and
replayed. oneTBB does not find dependences: its flow graph is given the edges.

Ratio: our time a task / the best peer's. Checked: every value."""

from __future__ import annotations

from ..peers import Target, figure_row, measured
from ..row import Row
from . import Plan

NAME = "peers/graphs"
TARGETS = {  # ns a task; the best packaged peer is the flow graph
    "chain": Target(80, cell=206),
    "wavefront": Target(150, cell=377),
    "chain-replayed": Target(30, cell=40),
    "wavefront-replayed": Target(40, cell=50),
}


def measure(plan: Plan) -> list[Row]:
    return [row for figure, target in TARGETS.items() for row in measured(
        plan, [figure], lambda found: [figure_row(f"{NAME}/{figure}", found.get(figure, {}), "per_task_ns", "ns/task", target)])]
