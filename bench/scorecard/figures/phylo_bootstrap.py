"""phylo/bootstrap: the time of eight standard bootstrap searches on two cores, against RAxML's.

RAxML runs in the best static way that it has here: two threads one search after the other, or two processes at a time;
the first round tries both, the others the better one. Ratio: RAxML's time / ours. Checked: on the very sites that RAxML
resampled, our search's final log-likelihoods are no worse in the median."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path
from statistics import median

from .. import data, raxml
from ..measure import WORK, MeasurementError, alternate, binary, execute
from ..row import Goal, Row, aa_spread, judge, paired_ratio, skipped
from . import Plan

NAME = "phylo/bootstrap"
GOAL = Goal("ratio", at_least=2.2)
ALIGNMENTS = ("d041_m1366", "d044_dornburg")
REPLICATES = 8
WORKERS = "2"
SEED = 1


def our_seconds(alignment: Path, seed: int) -> float:
    with tempfile.TemporaryDirectory(prefix="bootstrap-", dir=WORK) as folder:
        seconds, said = execute([binary("maslin-phylo"), "bootstrap", "--msa", alignment, "--model", "GTR+G", "--replicates",
                                 str(REPLICATES), "--seed", str(seed), "--prefix", f"{folder}/run", "--json"],
                                {"MASLIN_WORKERS": WORKERS})
    trees = len(json.loads(said)["bootstraps"])
    if trees != REPLICATES:
        raise MeasurementError(f"maslin-phylo gave {trees} replicates of {REPLICATES}")
    return seconds


def better_way(alignment: Path, tell) -> tuple[str, int, float]:
    """Gives how RAxML is faster here: in words, in processes, and its time. Two processes get thrice the other's time."""
    tell("raxml, two threads")
    threads = raxml.bootstraps(alignment, REPLICATES, SEED).seconds
    tell("raxml, two processes")
    try:
        processes = raxml.bootstraps(alignment, REPLICATES, SEED, processes=2, limit_s=3 * threads + 10).seconds
    except MeasurementError:
        processes = float("inf")
    if processes < threads:
        return "two processes at a time", 2, processes
    return "two threads, one search after the other", 1, threads


def lead(alignment: Path, tell) -> float:
    """Gives by how much our search's final log-likelihood is above RAxML's on RAxML's resampled sites, in the median."""
    theirs = raxml.bootstraps(alignment, REPLICATES, SEED).lnls
    with tempfile.TemporaryDirectory(prefix="resampled-", dir=WORK) as folder:
        ours = []
        for index, sites in enumerate(raxml.resampled(alignment, REPLICATES, SEED, Path(folder))):
            tell(f"answers, replicate {index + 1} of {REPLICATES}")
            _, said = execute([binary("maslin-phylo"), "search", "--msa", sites, "--model", "GTR+G", "--seed", str(SEED),
                               "--prefix", f"{folder}/search{index}", "--json"], {"MASLIN_WORKERS": WORKERS})
            ours.append(json.loads(said)["lnl"])
    return median(mine - other for mine, other in zip(ours, theirs))


def measure(plan: Plan) -> list[Row]:
    WORK.mkdir(parents=True, exist_ok=True)
    rows = []
    for name in ALIGNMENTS[:1] if plan.quick else ALIGNMENTS:
        full_name = f"{NAME}/{name.split('_')[0]}"
        if why := data.reason_absent(name):
            rows.append(skipped(full_name, why, GOAL))
            continue
        alignment = data.alignment(name)
        tell = lambda at, name=name: plan.tell(f"{name}: {at}")
        way, processes, _ = better_way(alignment, tell)
        times = alternate({
            "maslin": lambda turn: our_seconds(alignment, SEED + turn),
            "raxml": lambda turn: raxml.bootstraps(alignment, REPLICATES, SEED + turn, processes).seconds,
        }, plan.runs(), tell)
        gain = lead(alignment, tell)
        ours = times["maslin"]
        row = Row(full_name, median(ours), "s", peer="raxml", peer_value=median(times["raxml"]),
                  peer_version=raxml.version(), ratio=paired_ratio(times["raxml"], ours), spread=aa_spread(ours),
                  runs=len(ours), checked=f"lnL {gain:+.2f} to raxml's in the median", samples=times,
                  note=f"raxml: {way}")
        judge(row, GOAL)
        row.met = row.met and gain >= -AGREEMENT
        rows.append(row)
    return rows


AGREEMENT = 0.01  # log-likelihood units within which two optimizations of one tree may differ
