"""phylo/evaluate: full-tree likelihood evaluations per second of one core, against RAxML's.

RAxML has no command that only evaluates. Optimizing the model and one factor of all branch lengths on a given tree
(-f B) comes down to it: every value it tries is a new set of transition matrices, a full traversal and a likelihood, and
the number of likelihoods is counted exactly in a run of its own (raxml.py). Ours does the same without the search: new
model, new matrices, full traversal, likelihood. RAxML takes two threads at least, so both sides fill two cores: its two
threads, and two processes of ours with one worker each. What is compared is evaluations per second and core.

Ratio: ours / RAxML's. Checked: the likelihood at RAxML's final model and branches, by our program."""

from __future__ import annotations

import json
import re
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from statistics import median

from .. import data, raxml
from ..measure import WORK, MeasurementError, Values, binary, execute
from ..row import Goal, Row, judge, noise, pairs
from . import Plan

NAME = "phylo/evaluate"
GOAL = Goal("ratio", at_least=1.5)
ALIGNMENTS = ("d025_h1n1ha", "d062_carnivora")
AGREEMENT = 0.1  # RAxML prints its parameters with six decimals


def inputs(name: str) -> tuple[Path, Path, Path]:
    """Gives alignment, tree and model; a tree of our own search where there is no reference."""
    alignment = data.alignment(name)
    reference = data.tree_and_model(name)
    if reference:
        return alignment, *reference
    prefix = WORK / f"{name}.searched"
    _, said = execute([binary("maslin-phylo"), "search", "--msa", alignment, "--model", "GTR+F+G", "--seed", "1", "--prefix",
                       prefix, "--json"])
    model = Path(f"{prefix}.model")
    model.write_text(json.loads(said)["best"]["model"] + "\n")
    return alignment, Path(f"{prefix}.bestTree"), model


def our_rate(alignment: Path, tree: Path, model: Path) -> float:
    """Gives the evaluations per second of each of two processes that run at the same time, in the mean."""

    def one(copy: int) -> float:
        report = WORK / f"evaluate-{copy}.json"
        execute([binary("bench_phylo_evaluate"), f"--benchmark_out={report}", "--benchmark_out_format=json",
                 "--benchmark_min_time=1"],
                {"MASLIN_WORKERS": "1", "BENCH_MSA": str(alignment), "BENCH_TREE": str(tree), "BENCH_MODEL": str(model)})
        return json.loads(report.read_text())["benchmarks"][0]["items_per_second"]

    with ThreadPoolExecutor(raxml.THREADS) as pool:
        return sum(pool.map(one, range(raxml.THREADS))) / raxml.THREADS


def scaled_tree(tree: Path, factor: float, to: Path) -> Path:
    text = re.sub(r":([0-9.eE+-]+)", lambda m: f":{float(m.group(1)) * factor:.9f}", tree.read_text())
    to.write_text(text)
    return to


def check(alignment: Path, tree: Path, end: raxml.Scaling, name: str) -> str:
    """Says how far the two programs' likelihoods are apart; raises when that is too far."""
    model = WORK / f"{name}.raxml.model"
    model.write_text(end.model + "\n")
    scaled = scaled_tree(tree, end.scaler, WORK / f"{name}.raxml.nwk")
    _, said = execute([binary("maslin-phylo"), "evaluate", "--msa", alignment, "--tree", scaled, "--model-file", model,
                       "--json"])
    ours = json.loads(said)["lnl"]
    if abs(ours - end.lnl) > AGREEMENT:
        raise MeasurementError(f"{name}: log-likelihood {ours:.4f}, but raxml says {end.lnl:.4f} at the same model and tree")
    return f"lnL {ours:.4f}, raxml {end.lnl:.4f}"


def measure(plan: Plan) -> list[Row]:
    return data.rows_of_each(NAME, GOAL, ALIGNMENTS, plan, lambda full_name, name: against_raxml(full_name, name, plan))


def against_raxml(full_name: str, name: str, plan: Plan) -> list[Row]:
    alignment, tree, model = inputs(name)
    plan.tell(f"{name}: counting raxml's evaluations")
    counted = raxml.scale_branches(alignment, tree, count=True)
    agreed = check(alignment, tree, counted, name)

    def theirs(_: int) -> float:
        return counted.evaluations / raxml.scale_branches(alignment, tree).seconds / raxml.THREADS

    def row_of(rates: Values) -> list[Row]:
        ours = rates["maslin"]
        row = Row(full_name, median(ours), "evaluations/s/core", "higher", peer="raxml", peer_value=median(rates["raxml"]),
                  peer_version=raxml.version(), versions={"raxml": raxml.version()}, again=noise(rates, "maslin"), checked=agreed,
                  samples=rates, note=f"raxml: {counted.evaluations} evaluations a run on two cores, halved")
        return [judge(row, GOAL, pairs(ours, rates["raxml"]))]

    return plan.rows(name, {"maslin": lambda _: our_rate(alignment, tree, model), "raxml": theirs}, "maslin", row_of)
