"""Draws how well maslin-phylo finds the parameters of models again, from real runs: python3 docs/pictures/recovery.py

For each model, parameters are drawn by chance, docs/pictures/recovery.cpp lets 10,000 sites of 16 taxa evolve under it, and
`maslin-phylo evaluate --optimize all` fits the model to them, from the tree's topology with all branches alike. What it found over what
made the data is drawn into recovery.svg beside this file. Needs `./dev build`. tests/phylo/recovery_test.py does the same with fewer sites."""

from __future__ import annotations

import json
import math
import random
import re
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from html import escape
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "python"))
from maslin_report.style import ACCENT, FONT, INK, LINE, SOFT, STREAMS  # noqa: E402

PROGRAMS = ROOT / "build" / "release" / "bin"
SITES = 10_000
DNA = {  # whose exchange rates are equal, and whether all frequencies are
    "JC": ("000000", True), "F81": ("000000", False), "K80": ("010010", True), "HKY": ("010010", False),
    "TN93ef": ("010020", True), "TN93": ("010020", False), "K81": ("012210", True), "K81uf": ("012210", False),
    "TPM2": ("010212", True), "TPM2uf": ("010212", False), "TPM3": ("012012", True), "TPM3uf": ("012012", False),
    "TIM1": ("012230", True), "TIM1uf": ("012230", False), "TIM2": ("010232", True), "TIM2uf": ("010232", False),
    "TIM3": ("012032", True), "TIM3uf": ("012032", False), "TVMef": ("012314", True), "TVM": ("012314", False),
    "SYM": ("012345", True), "GTR": ("012345", False)}
PROTEINS = ("Dayhoff", "DCMut", "JTT", "JTT-DCMut", "WAG", "LG", "VT", "Blosum62", "PMB", "mtREV", "mtMAM", "mtART", "mtZOA", "mtMet",
            "mtVer", "mtInv", "cpREV", "stmtREV", "rtREV", "HIVb", "HIVw", "FLU", "FLAVI", "DEN", "Q.pfam", "Q.pfam_gb", "Q.LG", "Q.plant",
            "Q.bird", "Q.mammal", "Q.insect", "Q.yeast", "Poisson")
KINDS = {"rates": "exchange rates", "frequencies": "frequencies", "shape": "shape of +G", "invariant": "invariant sites of +I",
         "categories": "rates and shares of +R", "speeds": "speeds of partitions", "lengths": "branch lengths"}
SPEEDS = {3: [0.1, 0.8, 2.5], 4: [0.2, 0.6, 1.2, 2.5]}  # of free categories, over their mean
SIZE, LEFT, TOP, GAP = 250, 44, 70, 72  # of a panel, and what lies around it


@dataclass
class Case:
    asked: str  # what is fitted
    truth: str  # what makes the data
    parts: list[tuple[str, list[float]]]  # kind and values, in the order of the braces that fitting fills


def braces(values: list[float]) -> str:
    return "{" + "/".join(f"{value:.6g}" for value in values) + "}"


def shares(draw: random.Random, count: int, least: float) -> list[float]:
    """Gives parts of 1, none of them below a least one."""
    values = [draw.gammavariate(2, 1) for _ in range(count)]
    return [round(least + (1 - least * count) * value / sum(values), 6) for value in values]


def case(draw: random.Random, name: str, rates: list[float], states: int, more: str) -> Case:
    """A model with exchange rates (none: it has none that are free), frequencies of so many states (0: none are free), and `more`."""
    asked, truth, parts = name, name, []
    if rates:
        truth += braces(rates)
        parts.append(("rates", rates))
    if states:
        frequencies = shares(draw, states, 0.25 / states)
        asked, truth = asked + "+FO", truth + "+FU" + braces(frequencies)
        parts.append(("frequencies", frequencies))
    if "I" in more:
        invariant = [round(draw.uniform(0.1, 0.4), 6)]
        asked, truth = asked + "+I", truth + "+I" + braces(invariant)
        parts.append(("invariant", invariant))
    if "G" in more:
        shape = [round(draw.uniform(0.3, 1.5), 6)]
        asked, truth = asked + "+G", truth + "+G4m" + braces(shape)
        parts.append(("shape", shape))
    if "A" in more:
        asked, truth = asked + "+ASC_LEWIS", truth + "+ASC_LEWIS"
    if "R" in more:
        speeds = SPEEDS[int(more[-1])]
        weights = shares(draw, len(speeds), 0.6 / len(speeds))
        mean = sum(speed * weight for speed, weight in zip(speeds, weights))
        speeds = [speed / mean for speed in speeds]
        asked, truth = asked + f"+R{len(speeds)}", truth + f"+R{len(speeds)}" + braces(speeds) + braces(weights)
        parts += [("categories", speeds), ("categories", weights)]
    return Case(asked, truth, parts)


def partitions(draw: random.Random, sites: int) -> Case:
    """Partitions of data of one kind and of unequal numbers of sites, with speeds whose mean over the sites is 1."""
    ends = [sites * part // 10 for part in (1, 3, 6, 10)]
    counts = [end - begin for begin, end in zip([0] + ends, ends)]
    speeds = [math.exp(draw.uniform(-1, 1)) for _ in ends]
    mean = sum(speed * count for speed, count in zip(speeds, counts)) / sites
    speeds = [round(speed / mean, 6) for speed in speeds]
    ranges = [f"p{end} = {end - count + 1}-{end}" for end, count in zip(ends, counts)]
    models = [("JC", "JC"), ("JC+G", "JC+G4m{0.7}"), ("JC", "JC"), ("JC+I", "JC+I{0.2}")]
    parts = [[("speeds", [speed])] for speed in speeds]
    parts[1].insert(0, ("shape", [0.7]))
    parts[3].insert(0, ("invariant", [0.2]))
    return Case("\n".join(f"{asked}, {where}" for (asked, _), where in zip(models, ranges)),
                "\n".join(f"{truth}+BU{braces([speed])}, {where}" for (_, truth), speed, where in zip(models, speeds, ranges)),
                [part for one in parts for part in one])


def cases(sites: int = SITES) -> list[Case]:
    draw = random.Random(1)
    found = []
    for name, (ties, equal) in DNA.items():
        free = [round(math.exp(draw.uniform(-1.2, 1.4)), 6) for _ in range(int(max(ties)))]
        of_digit = dict(zip(sorted(set(ties)), free + [1.0]))
        of_digit[ties[-1]] = 1.0
        rates = [of_digit[tie] for tie in ties]
        if len(set(ties)) == 1:
            rates = []
        elif ties == "010010":
            rates = [rates[1]]  # transitions over transversions
        found.append(case(draw, name, rates, 0 if equal else 4, "G"))
    found += [case(draw, name, [], 0, "G") for name in PROTEINS]
    found.append(case(draw, "LG", [], 20, "G"))
    found.append(case(draw, "PROTGTR", [round(math.exp(draw.uniform(-1.5, 1.5)), 6) for _ in range(189)] + [1.0], 20, ""))
    found += [case(draw, "BIN", [], 2, "G"), case(draw, "MULTI3_MK", [], 3, "G"), case(draw, "MULTI3_GTR", [2.4, 0.5, 1.0], 3, "G")]
    # Genotypes: changes of both bases, then those of one.
    found += [case(draw, "GTJC", [], 10, "G"), case(draw, "GTHKY4", [0.3, 1.0, 3.0], 10, "G"),
              case(draw, "GTGTR4", [0.2, 1.6, 4.1, 0.6, 1.0, 3.3, 1.4], 10, "G")]
    found += [case(draw, f"MULTI{states}_GTR", [round(math.exp(draw.uniform(-1, 1)), 6) for _ in range(states * (states - 1) // 2 - 1)] + [1.0],
                   states, "G") for states in (5, 8)]
    found.append(case(draw, "GTGTR", [round(math.exp(draw.uniform(-1, 1)), 6) for _ in range(44)] + [1.0], 10, ""))
    found += [case(draw, name, [], states, more) for name, states, more in (("JC", 0, "A"), ("F81", 4, "GA"), ("BIN", 2, "A"), ("MULTI4_MK", 0, "GA"))]
    found += [case(draw, name, [], 0, more) for name in ("JC", "WAG", "mtREV", "LG") for more in ("I", "IG")]
    found += [case(draw, "HKY", [3.2], 4, more) for more in ("I", "IG", "R3")]
    found += [case(draw, "GTR", [1.4, 3, 0.6, 1.1, 4, 1.0], 4, "R3"), case(draw, "LG", [], 0, "R3"), case(draw, "JC", [], 0, "R3")]
    found.append(partitions(draw, sites))
    # Mixtures: each category has a matrix of its own.
    found += [case(draw, "LG4M", [], 0, "G"), case(draw, "LG4X", [], 0, "R4")]
    return found


def lengths(newick: str) -> dict[frozenset[str], float]:
    """Gives the length of each branch by the tips on its side without t0."""
    text = newick.strip().rstrip(";")
    found: dict[frozenset[str], float] = {}
    open_sets: list[set[str]] = []
    tips = set(re.findall(r"t\d+", text))
    for token in re.findall(r"[(),]|t\d+|:[-+.\deE]+", text):
        if token == "(":
            open_sets.append(set())
        elif token == ")":
            last = open_sets.pop()
            if open_sets:
                open_sets[-1] |= last
        elif token.startswith("t"):
            last = {token}
            open_sets[-1] |= last
        elif token.startswith(":"):
            side = frozenset(tips - last if "t0" in last else last)
            found[side] = found.get(side, 0.0) + float(token[1:])
    return found


def evaluated(folder: Path, tree: Path, model: str, *more: str, programs: Path) -> dict:
    (folder / "model").write_text(model + "\n")
    said = subprocess.run([programs / "maslin-phylo", "evaluate", "--msa", folder / "sites.phy", "--tree", tree, "--model-file", folder / "model",
                           "--json", *more], stdout=subprocess.PIPE, check=True, text=True).stdout
    return json.loads(said)


def fitted(one: Case, number: int, folder: Path, sites: int = SITES, programs: Path = PROGRAMS) -> tuple[list[tuple[str, float, float]], dict]:
    """Gives kind, truth and what was found of each parameter, and all that was found."""
    tree = folder / "true.tree"
    subprocess.run([programs / "page_picture_recovery", one.truth, str(sites), str(number), tree, folder / "sites.phy"], check=True)
    alike = folder / "alike.tree"
    alike.write_text(re.sub(r":[-+.\deE]+", ":0.1", tree.read_text()))
    result = evaluated(folder, alike, one.asked, "--optimize", "all", programs=programs)
    values = [[float(value) for value in brace.split("/")] for brace in re.findall(r"{([^}]*)}", result["model"])]
    if [len(value) for value in values] != [len(value) for _, value in one.parts]:
        raise SystemExit(f"{one.truth} was fitted as {result['model']}")
    points = [(kind, truth, there) for (kind, truths), found in zip(one.parts, values) for truth, there in zip(truths, found)
              if not (kind == "rates" and truth == 1)]
    true_lengths, found_lengths = lengths(tree.read_text()), lengths(result["tree"])
    return points + [("lengths", true_lengths[side], found_lengths[side]) for side in true_lengths], result


def panel(column: int, row: int, title: str, points: list[tuple[float, float]]) -> list[str]:
    x, y = LEFT + column * (SIZE + GAP), TOP + row * (SIZE + GAP)
    # What was found far outside stands at the edge.
    low, high = 0.7 * min(truth for truth, _ in points), 1.5 * max(truth for truth, _ in points)
    place = lambda value: SIZE * min(1.0, max(0.0, math.log(value / low) / math.log(high / low)))
    marks = (1, 3) if high / low < 300 else (1,)
    parts = [f'<text x="{x}" y="{y - 22}" class="title">{escape(title)}</text>',
             f'<text x="{x}" y="{y - 8}" class="said">{off_by(points)}</text>',
             f'<rect x="{x}" y="{y}" width="{SIZE}" height="{SIZE}" fill="none" stroke="{LINE}"/>',
             f'<line x1="{x}" y1="{y + SIZE}" x2="{x + SIZE}" y2="{y}" stroke="{STREAMS[1]}"/>']
    for power in range(-5, 4):
        for value in (mark * 10.0 ** power for mark in marks):
            if low < value < high:
                at = place(value)
                parts += [f'<text x="{x + at:.1f}" y="{y + SIZE + 15}" class="tick">{value:g}</text>',
                          f'<text x="{x - 6}" y="{y + SIZE - at + 4:.1f}" class="tick left">{value:g}</text>']
    parts += [f'<circle cx="{x + place(truth):.1f}" cy="{y + SIZE - place(found):.1f}" r="2.2"/>' for truth, found in points]
    return parts


def off_by(points: list[tuple[float, float]]) -> str:
    """Gives the median of how far values are from the truth."""
    ratios = sorted(abs(found / truth - 1) for truth, found in points)
    return f"{len(points)} values, {100 * ratios[len(ratios) // 2]:.1f} % off in the median"


def picture(by_kind: dict[str, list[tuple[float, float]]], models: int) -> str:
    parts = [f'<text x="{LEFT}" y="20">What was fitted to data that {models} models made (up), over what made them (right); on the line they '
             "agree</text>"]
    for number, (kind, title) in enumerate(KINDS.items()):
        parts += panel(number % 3, number // 3, title, by_kind[kind])
    width, height = LEFT + 3 * (SIZE + GAP), TOP + math.ceil(len(KINDS) / 3) * (SIZE + GAP) - 20
    style = (f"text{{font-family:{FONT};font-size:12px;fill:{INK}}}.title{{font-weight:600;font-size:11px}}.said{{fill:{SOFT};font-size:11px}}.tick{{fill:{SOFT};font-size:9px;"
             f"text-anchor:middle}}.left{{text-anchor:end}}circle{{fill:{ACCENT};fill-opacity:.55}}")
    return (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}">'
            f'<style>{style}</style><rect width="{width}" height="{height}" fill="white"/>{"".join(parts)}</svg>\n')


def main() -> None:
    by_kind: dict[str, list[tuple[float, float]]] = {kind: [] for kind in KINDS}
    every = cases()
    with tempfile.TemporaryDirectory() as folder:
        for number, one in enumerate(every):
            points, _ = fitted(one, number, Path(folder))
            for kind, truth, found in points:
                by_kind[kind].append((truth, found))
            print(f"{one.asked.splitlines()[0]:14} {off_by([(truth, found) for _, truth, found in points])}", flush=True)
    for kind, points in by_kind.items():
        print(f"{KINDS[kind]}: {off_by(points)}")
    Path(__file__).with_name("recovery.svg").write_text(picture(by_kind, len(every)), encoding="utf-8")


if __name__ == "__main__":
    main()
