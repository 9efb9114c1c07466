"""peers/loops: loops that are hardly worth sharing, and loops whose iterations differ.

fork-join: an empty loop in which both workers take part. after-gap: what it takes more after 100 µs of serial work.
triangle: 512 columns, 0.12 ms in all, time over half the serial time; ours without any setting, the peers under every
schedule, of which the best is the peer. Checked: both workers took part; every column ran once with the right value."""

from __future__ import annotations

from statistics import median

from ..peers import OURS, Rounds, Target, figure_row, measured, remarks, values, versions_of
from ..row import Row, aa_spread, judge
from . import Plan

NAME = "peers/loops"
GAP = Target(1.0)  # µs more than without the gap
TRIANGLE = Target(1.04)


def gap_row(plain: Rounds, gap: Rounds) -> Row:
    """Gives the row of the differences; they may be 0, so there is no ratio, and the spread is the loops' own."""
    after, before = values(gap, "seconds", 1e6), values(plain, "seconds", 1e6)
    more = {side: [a - b for a, b in zip(after[side], before[side])] for side in after if side in before}
    peers = {side: median(taken) for side, taken in more.items() if side != OURS}
    best = min(peers, key=peers.get, default=None)
    row = Row(f"{NAME}/after-gap", median(more[OURS]), "µs more", peer=best, peer_value=peers.get(best),
              peer_version=versions_of(gap).get(best), spread=aa_spread(after[OURS]), runs=len(more[OURS]),
              checked="both workers in every loop", samples=more,
              note="; ".join(f"{side} {value:.3g}" for side, value in peers.items() if side != best))
    return judge(row, GAP.goal())


def measure(plan: Plan) -> list[Row]:
    def rounds(figure: str) -> Rounds:
        return measured(figure, plan.runs(), plan.quick, plan.tell).get(figure, {})

    plain = rounds("fork-join")
    rows = [remarks(figure_row(f"{NAME}/fork-join", plain, "seconds", "µs", Target(0.5, cell=0.75), factor=1e6),
                    "the two iterations wait for each other, which all pay"),
            gap_row(plain, rounds("fork-join-after-gap"))]
    for first in ("light", "heavy"):
        rows.append(figure_row(f"{NAME}/triangle-{first}-first", rounds(f"triangle-{first}-first"), "over_half", "× half serial",
                               TRIANGLE))
    return rows
