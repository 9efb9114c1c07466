"""Writes the simulated alignments of the end-to-end tests. Deterministic: the generator's seed is fixed."""

import math
import pathlib
import random

BASES = "ACGT"
FREQUENCIES = (0.35, 0.15, 0.2, 0.3)
KAPPA = 3.0
NAMES = [f"taxon_{letter}" for letter in "ABCDEFGHIJ"]


def random_tree(rng, names):
    """A rooted tree as nested (left, right) pairs with branch lengths: ((subtree, length), (subtree, length))."""
    parts = list(names)
    while len(parts) > 1:
        rng.shuffle(parts)
        left, right = parts.pop(), parts.pop()
        parts.append(((left, round(rng.uniform(0.01, 0.25), 4)), (right, round(rng.uniform(0.01, 0.25), 4))))
    return parts[0]


def newick(tree):
    if isinstance(tree, str):
        return tree
    return "(" + ",".join(f"{newick(child)}:{length}" for child, length in tree) + ")"


def step(rng, base, length):
    """The base after `length`, by small jumps of the HKY process."""
    jumps = max(1, math.ceil(length / 0.002))
    for _ in range(jumps):
        for other in range(4):
            if other == base:
                continue
            transition = {base, other} in ({0, 2}, {1, 3})
            if rng.random() < length / jumps * FREQUENCIES[other] * (KAPPA if transition else 1.0):
                base = other
                break
    return base


def evolve(rng, tree, sequence, speeds, rows):
    if isinstance(tree, str):
        rows[tree] = sequence
        return
    for child, length in tree:
        evolve(rng, child, [step(rng, base, length * speed) for base, speed in zip(sequence, speeds, strict=True)], speeds, rows)


def write_bases(folder, name, rng, tree, speeds):
    """Ten taxa along a tree, a site for each speed; some characters are missing."""
    rows = {}
    evolve(rng, tree, rng.choices(range(4), FREQUENCIES, k=len(speeds)), speeds, rows)
    lines = [f"10 {len(speeds)}"]
    for taxon in NAMES:
        text = "".join("-" if rng.random() < 0.02 else BASES[base] for base in rows[taxon])
        lines.append(f"{taxon} {text}")
    (folder / f"{name}.phy").write_text("\n".join(lines) + "\n")


def write(folder, name, seed, with_tree):
    rng = random.Random(seed)
    tree = random_tree(rng, NAMES)
    write_bases(folder, name, rng, tree, (1,) * 240)
    if with_tree:
        (folder / f"{name}.tree").write_text(newick(tree) + ";\n")


def write_states(folder, name, seed, symbols, ambiguous, sites=150):
    """Ten taxa of characters with equal rates and frequencies; some are ambiguous, some missing."""
    rng = random.Random(seed)
    rows = {}

    def evolve_states(tree, sequence):
        if isinstance(tree, str):
            rows[tree] = sequence
            return
        for child, length in tree:
            stays = 1 / len(symbols) + (1 - 1 / len(symbols)) * math.exp(-length * len(symbols) / (len(symbols) - 1))
            evolve_states(child, [s if rng.random() < stays else rng.choice([o for o in symbols if o != s]) for s in sequence])

    evolve_states(random_tree(random.Random(1), NAMES), rng.choices(symbols, k=sites))
    lines = [f"10 {sites}"]
    for taxon in NAMES:
        lines.append(f"{taxon} " + "".join("-" if (u := rng.random()) < 0.02 else rng.choice(ambiguous) if u < 0.04 else s
                                           for s in rows[taxon]))
    (folder / f"{name}.phy").write_text("\n".join(lines) + "\n")


# Of two genes: how fast the positions in a codon change.
GENES = {"cox": (0.3, 0.15, 2.0), "nad": (0.2, 0.1, 1.0)}


def write_genes(folder, name, seed, codons=100):
    """Both genes, one behind the other, along the tree of ten.phy."""
    speeds = [speed for positions in GENES.values() for speed in positions * codons]
    write_bases(folder, name, random.Random(seed), random_tree(random.Random(1), NAMES), speeds)


if __name__ == "__main__":
    here = pathlib.Path(__file__).parent
    write_states(here, "protein", 3, "ARNDCQEGHILKMFPSTWYV", "BZJX")
    write_states(here, "peptides", 6, "ARNDCQEGHILKMFPSTWYV", "-")
    write_states(here, "binary", 4, "01", "-")
    write_states(here, "morphology", 5, "0123", "-")
    write_states(here, "genotypes", 8, "ACGTMRWSYK", "-")
    write_genes(here, "genes", 7)
    write(here, "ten", 1, True)
    write(here, "other", 2, False)
