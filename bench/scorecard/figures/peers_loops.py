"""peers/loops: loops that are hardly worth sharing, and loops whose iterations differ.

fork-join: an empty loop in which both workers take part. after-gap: what it takes more after 100 µs of serial work.
triangle: 512 columns, 0.12 ms in all, time over half the serial time; ours without any setting, the peers under every
schedule, of which the best is the peer. Checked: both workers took part; every column ran once with the right value."""

from __future__ import annotations

from statistics import median

from ..measure import AGAIN
from ..peers import OURS, Rounds, Target, figure_row, measured, remarks, values, versions_of
from ..row import Row, judge, noise
from . import Plan

NAME = "peers/loops"
GAP = Target(1.0)  # µs more than without the gap
TRIANGLE = Target(1.03)


def gap_row(plain: Rounds, gap: Rounds) -> Row:
    """Gives the row of the differences; they may be 0, so there is no ratio."""
    after, before = values(gap, "seconds", 1e6), values(plain, "seconds", 1e6)
    more = {side: [a - b for a, b in zip(after[side], before[side])] for side in after if side in before}
    peers = {side: median(taken) for side, taken in more.items() if side not in (OURS, OURS + AGAIN)}
    best = min(peers, key=peers.get, default=None)
    row = Row(f"{NAME}/after-gap", median(more[OURS]), "µs more", peer=best, peer_value=peers.get(best),
              peer_version=versions_of(gap).get(best), versions=versions_of(gap),
              checked="both workers in every loop", samples=more,
              note="; ".join(f"{side} {value:.3g}" for side, value in peers.items() if side != best))
    if OURS + AGAIN in after:
        row.again = noise(after, OURS)
    return judge(row, GAP.goal(), more[OURS])


def measure(plan: Plan) -> list[Row]:
    rows = []
    if plan.wants(f"{NAME}/fork-join") or plan.wants(f"{NAME}/after-gap"):
        rows += measured(plan, ["fork-join", "fork-join-after-gap"], fork_join_rows)
    for figure in ("triangle-light-first", "triangle-heavy-first"):
        if plan.wants(f"{NAME}/{figure}"):
            rows += measured(plan, [figure], lambda found: [figure_row(f"{NAME}/{figure}", found.get(figure, {}), "over_half",
                                                                       "× half serial", TRIANGLE)])
    return rows


def fork_join_rows(found: dict[str, Rounds]) -> list[Row]:
    plain = found["fork-join"]
    return [remarks(figure_row(f"{NAME}/fork-join", plain, "seconds", "µs", Target(0.36, cell=0.54), factor=1e6),
                    "the two iterations wait for each other, which all pay"),
            gap_row(plain, found["fork-join-after-gap"])]
