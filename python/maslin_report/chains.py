"""Chains of `maslin-phylo mcmc`: what they sampled, and whether the runs agree."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, field
from html import escape
from pathlib import Path

from markupsafe import Markup

from .errors import ReportError
from .words import number, per_cent

MOST_POINTS = 400  # of a line
HIGH = 160  # pixels of the picture of the log-likelihood
FEW, FAR = 100, 1.05  # effective samples below, or a PSRF above which a sentence warns


@dataclass
class Table:
    """A .p file in MrBayes's form: columns by their names."""

    names: list[str]
    columns: dict[str, list[float]]


@dataclass
class Chains:
    """What the runs of `maslin-phylo mcmc` left beside their result."""

    samples: list[Table] = field(default_factory=list)  # of each run
    tree: str | None = None  # the consensus as Newick, posteriors in per cent at inner nodes


def read_table(path: Path) -> Table:
    """Gives the table of a .p file."""
    names: list[str] = []
    rows: list[list[float]] = []
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as reason:
        raise ReportError(f"'{path}' cannot be read: {reason}; let maslin-phylo write it again") from reason
    for at, line in enumerate(lines, 1):
        if not line or line.startswith("["):
            continue
        words = line.split("\t")
        if not names:
            names = words
            continue
        try:
            row = [float(word) for word in words]
        except ValueError as wrong:
            raise ReportError(f"'{path}', line {at}: {wrong}; let maslin-phylo write it again") from wrong
        if len(row) != len(names):
            raise ReportError(f"'{path}', line {at}: {len(row)} columns, expected {len(names)}; let maslin-phylo write "
                              "it again")
        rows.append(row)
    if not rows or names[0] != "Gen":
        raise ReportError(f"'{path}' holds no samples; expected a line of names that begins with Gen, and numbers; let "
                          "maslin-phylo write it again")
    return Table(names, dict(zip(names, map(list, zip(*rows)))))


def read_consensus(path: Path) -> str:
    """Gives the tree of a .con.tre file as Newick: names in place of numbers, posteriors in per cent at inner nodes."""
    text = path.read_text(encoding="utf-8", errors="replace")
    names = dict(re.findall(r"^\s*(\d+)\s+([^\s,;]+)\s*,?\s*$", text.partition("translate")[2].partition(";")[0], re.MULTILINE))
    tree = re.search(r"^\s*tree\s[^=]*=\s*(?:\[&[^]]*\]\s*)?(.*;)\s*$", text, re.MULTILINE | re.IGNORECASE)
    if not tree:
        raise ReportError(f"'{path}' holds no tree; let maslin-phylo write it again")
    newick = re.sub(r"\)\[&prob=([-+.\deE]+)[^]]*\]", lambda found: f"){100 * float(found[1]):.6g}", tree[1])
    newick = re.sub(r"\[[^]]*\]", "", newick)
    return re.sub(r"(?<=[(,])(\d+)", lambda found: names.get(found[1], found[1]), newick)


def load(folder: Path, stem: str, runs: int) -> Chains:
    """Gives what lies beside the result; a file that is not there is left out."""
    chains = Chains()
    for run in range(1, runs + 1):
        path = folder / f"{stem}run{run}.p"
        if path.is_file():
            chains.samples.append(read_table(path))
    if (folder / f"{stem}con.tre").is_file():
        chains.tree = read_consensus(folder / f"{stem}con.tre")
    return chains


def thinned(values: list[float]) -> list[tuple[int, float]]:
    """Gives at most MOST_POINTS of them, evenly, with their places."""
    step = max(1, math.ceil(len(values) / MOST_POINTS))
    return [(i, values[i]) for i in range(0, len(values), step) if math.isfinite(values[i])]


def lines(rows: list[tuple[list[float], list[float]]], low: float, high: float, last: float, height: float) -> str:
    """Gives a path for each run: values over generations, a thousand units wide."""
    span = (high - low) or 1.0
    out = []
    for run, (generations, values) in enumerate(rows):
        points = " ".join(f"{1000 * generations[i] / (last or 1):.1f},{height * (high - value) / span:.1f}"
                          for i, value in thinned(values))
        out.append(f"<polyline class='run r{run}' points='{points}'/>")
    return "".join(out)


def sampled(table: Table, name: str, burnin: float) -> list[float]:
    """Gives a parameter's values behind the burn-in."""
    return [value for at, value in zip(table.columns["Gen"], table.columns[name]) if at > burnin and math.isfinite(value)]


def trace_of(chains: Chains, name: str, burnin: float, height: float) -> tuple[str, float, float, float]:
    """Gives the picture of a parameter over the generations, what it shows from and to, and the last generation."""
    rows = [(table.columns["Gen"], table.columns[name]) for table in chains.samples if name in table.columns]
    kept = [value for table in chains.samples if name in table.columns for value in sampled(table, name, burnin)]
    if not kept:
        return "", 0, 0, 0
    low, high = min(kept), max(kept)
    margin = 0.05 * (high - low)
    low, high = low - margin, high + margin
    last = max(generations[-1] for generations, _ in rows)
    left = 1000 * burnin / (last or 1)
    picture = (f"<svg class=chain width='100%' height='{height:g}' viewBox='0 0 1000 {height:g}' preserveAspectRatio=none "
               f"aria-hidden=true><rect class=idle width='{left:.1f}' height='{height:g}' />"
               f"{lines(rows, low, high, last, height)}</svg>")
    return picture, low, high, last


def legend(runs: int) -> str:
    items = "".join(f"<li><svg width=18 height=10 aria-hidden=true><path class='run r{run}' d='M0 5h18'/></svg> run {run + 1}</li>"
                    for run in range(runs))
    return f"<ul class=legend aria-label='runs'>{items}</ul>"


def likelihood(chains: Chains, burnin: float) -> str:
    """Gives the picture of the log-likelihood over the generations, with its scale."""
    picture, low, high, last = trace_of(chains, "LnL", burnin, HIGH)
    if not picture:
        return ""
    return (f"{legend(len(chains.samples))}<figure class=chain-box role=img aria-label='log-likelihood of each run over "
            f"{number(last, 0)} generations, from {number(low, 1)} to {number(high, 1)} behind the burn-in'>"
            f"<p class=scale-note>{number(high, 1)}</p>{picture}<p class=scale-note>{number(low, 1)}</p>"
            f"<figcaption><span>0</span><span>{number(last, 0)} generations</span></figcaption></figure>")


def digits_of(value: float) -> int:
    """Gives how many digits behind the point leave four in all, or so."""
    return max(0, min(6, 3 - math.floor(math.log10(abs(value))))) if value else 1


def group_name(taxa: list[str]) -> str:
    return ", ".join(name.replace("_", " ") for name in taxa[:6]) + (f" and {len(taxa) - 6} more" if len(taxa) > 6 else "")


def splits(result: dict) -> str:
    """Gives the picture of each split's share in the first run beside that in the others."""
    size = 240
    marks = []
    for split in result["splits"]:
        x = size * split["runs"][0]
        for run, share in enumerate(split["runs"][1:], 1):
            marks.append(f"<circle class='f{run}' cx='{x:.1f}' cy='{size * (1 - share):.1f}' r='4'>"
                         f"<title>{escape(group_name(split['taxa']))}: {per_cent(split['runs'][0])} and {per_cent(share)}</title>"
                         "</circle>")
    others = "the other" if len(result["runs"]) == 2 else "the others"
    return (f"<figure role=img aria-label='share of each of {len(result['splits'])} splits in the first run "
            f"(right) and in {others} (up); on the diagonal they agree'><svg width='{size}' height='{size}'>"
            f"<rect class=idle width='{size}' height='{size}'/><path class=diagonal d='M0 {size}L{size} 0'/>{''.join(marks)}</svg>"
            f"<figcaption>run 1 →, {others} ↑</figcaption></figure>")


def farthest(result: dict) -> list[dict]:
    """Gives the splits whose shares in the runs differ most."""
    return sorted(result["splits"], key=lambda split: min(split["runs"]) - max(split["runs"]))[:5]


def acceptance(result: dict) -> list[tuple[str, list[float | None]]]:
    """Gives what share of the tries of each move and swap was accepted in each run; none of what was not tried."""
    runs = result["runs"]

    def shares(ones: list[dict | None]) -> list[float | None]:
        return [one["accepted"] if one and one.get("tried") else None for one in ones]

    names = dict.fromkeys(name for run in runs for name in run["moves"])
    rows = [(name, shares([run["moves"].get(name) for run in runs])) for name in names]
    for pair in dict.fromkeys(tuple(swap["heats"]) for run in runs for swap in run["swaps"]):
        of_runs = [next((swap for swap in run["swaps"] if tuple(swap["heats"]) == pair), None) for run in runs]
        rows.append((f"swap of heats {pair[0]} and {pair[1]}", shares(of_runs)))
    return rows


def verdict(result: dict) -> Markup:
    """Gives what the figures say of the runs, in a sentence or two of HTML."""
    said = []
    if result.get("asdsf") is not None:
        far = result["asdsf"]
        how = "good" if far < 0.01 else "too much: let it run longer" if far > 0.05 else "acceptable"
        said.append(Markup("Shares of splits differ between the runs by <b>{:.4f}</b> in the mean (standard deviation), which is "
                           "{}.").format(far, how))
    effective = [one for one in result["parameters"] if one.get("ess") is not None]
    if effective:
        least = min(effective, key=lambda one: one["ess"])
        few = ", which is few: let it run longer" if least["ess"] < FEW else ""
        said.append(f"{least['name']} has the fewest effective samples, {number(least['ess'], 0)}{few}.")
    spread = [one for one in result["parameters"] if one.get("psrf") is not None]
    if spread:
        most = max(spread, key=lambda one: one["psrf"])
        far_off = ", so the runs do not agree on it: let it run longer" if most["psrf"] > FAR else ""
        said.append(f"The largest PSRF is {most['psrf']:.3f} ({most['name']}){far_off}.")
    return Markup(" ").join(said)
