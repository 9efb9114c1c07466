"""place/locality: what MASLIN_PLACE=locality gains on this machine, on the six applications of the CellSs paper, two workers.

Ratio: time under locality / under the better of dbs and program order, round by round; it must never be more than 1.01. The working sets
are twice a core's L2, half of the L3 and four times the L3. `hot` is the same tasks under dbs, whose kernels find their data in cache:
dbs - hot is what waiting for memory takes. recovered: how much of that locality gains, the median of the cases; those with
dbs / hot < 1.05 have nothing to gain, so they are shown and not scored. `no-hints`: time under locality / without hints of what caches
hold; shown. Checked: each answer is the serial elision's, to the bit."""

from __future__ import annotations

import json
from statistics import median

from ..measure import AGAIN, Values, binary, execute
from ..row import Goal, Row, SHOWN, judge, noise, pairs, paired_ratio
from . import Plan

NAME = "place/locality"
CHECKED = "each bit"
WORKERS = 2
NEVER_WORSE = Goal("ratio", at_most=1.01)
RECOVERED = Goal("value", at_least=0.5)
LEAST_TO_GAIN = 1.05  # dbs / hot
OURS, PEERS = "locality", ("dbs", "program-order")


def cases() -> list[tuple[str, list[str]]]:
    """Gives the name of each case of this machine, and the words that say what to run."""
    _, said = execute([binary("place_programs"), "cases"])
    found = []
    for line in said.splitlines():
        program, _, _, sizes = line.split(",")
        found.append(("/".join([program, *sizes.split()]), [program, *sizes.split()]))
    return found


def run(case: list[str], rounds: int) -> Values:
    """Gives the seconds of each side, round by round."""
    program, *sizes = case
    _, said = execute([binary("place_programs"), "json", program, rounds, WORKERS, *sizes])
    return json.loads(said)["seconds"]


def to_gain(values: Values) -> float:
    """Gives what dbs takes of the time without waiting for memory."""
    return paired_ratio(values["dbs"], values["hot"])


def shares(values: Values) -> list[float]:
    """Gives the part of the time of waiting that locality recovers, round by round."""
    waiting = max(median(values["dbs"]) - median(values["hot"]), 1e-12)  # a single round's may be nothing
    return [(dbs - ours) / waiting for dbs, ours in zip(values["dbs"], values[OURS])]


def row_of(name: str, values: Values) -> Row:
    peer = min(PEERS, key=lambda side: median(values[side]))
    gain = to_gain(values)
    row = Row(f"{NAME}/{name}", median(values[OURS]), "s", peer=peer, peer_value=median(values[peer]), peer_version="this build",
              again=noise(values, OURS), checked=CHECKED, samples=values)
    row.note = f"dbs / hot {gain:.2f}" + (f", recovers {median(shares(values)):.0%}" if gain >= LEAST_TO_GAIN else "")
    judge(row, NEVER_WORSE, pairs(values[OURS], values[peer]))
    if gain < LEAST_TO_GAIN:
        row.goal, row.verdict = "", SHOWN
    return row


def hints(name: str, values: Values) -> Row:
    """Gives the row about what hints do."""
    row = Row(f"{NAME}/{name}/no-hints", median(values[OURS]), "s", peer="no-hints", peer_value=median(values["no-hints"]),
              peer_version="this build", ratio=paired_ratio(values[OURS], values["no-hints"]), verdict=SHOWN, checked=CHECKED)
    row.rounds = len(values[OURS])
    return row


def recovered(measured: list[Values]) -> Row:
    """Gives the row about all cases: a round's value is the median of the cases' shares in that round."""
    scored = [shares(values) for values in measured if to_gain(values) >= LEAST_TO_GAIN]
    row = Row(f"{NAME}/recovered", unit="of the waiting", better="higher", checked=CHECKED, note=f"{len(scored)} of {len(measured)} cases")
    return judge(row, RECOVERED, [median(one) for one in zip(*scored)]) if scored else row


def measure(plan: Plan) -> list[Row]:
    rows, measured = [], []
    for name, words in cases():
        # Its row is about all of them.
        if not plan.wants(f"{NAME}/{name}") and not f"{NAME}/recovered".startswith(plan.only):
            continue
        values = plan.gather(f"{NAME}/{name}", lambda rounds: run(words, rounds), lambda values: row_of(name, values).decided)
        measured.append(values)
        rows += [row_of(name, values), hints(name, values)]
    return rows + ([recovered(measured)] if plan.wants(f"{NAME}/recovered") else [])
