"""peers/loops: loops that are hardly worth sharing, and loops whose iterations differ.

fork-join: an empty loop in which both workers take part. after-gap: what it takes more after 100 µs of serial work.
triangle: 512 columns, 0.12 ms in all, time over half the serial time; ours without any setting, the peers under every
schedule, of which the best is the peer. Checked: both workers took part; every column ran once with the right value."""

from __future__ import annotations

from ..peers import OURS, Rounds, Target, compare, figure_row, measured, remarks, values, versions_of
from ..row import Row, aa_spread
from . import Plan

NAME = "peers/loops"
GAP = Target(1.0)  # µs more than without the gap
TRIANGLE = Target(1.04)


def gap_row(plain: Rounds, gap: Rounds) -> Row:
    """Gives the row of the differences; they may be near 0, so there is no ratio, and the spread is the loops' own."""
    after, before = values(gap, "seconds", 1e6), values(plain, "seconds", 1e6)
    more = {side: [a - b for a, b in zip(after[side], before[side])] for side in after if side in before}
    row = compare(f"{NAME}/after-gap", "µs more", more, GAP.goal(), versions_of(gap))
    if row.value is None:
        return row
    row.ratio, row.spread, row.checked = None, aa_spread(after[OURS]), "both workers in every loop"
    row.met = GAP.goal().met(row.value, row.spread)
    return row


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
