"""Ancestral states: as written out by hand for Jukes and Cantor's model, the same at any number of workers, and what is refused."""

import json
import math
import re

from phylo_process import DATA, ProgramTest, environment, main

MSA = DATA / "ten.phy"
TREE = DATA / "ten.tree"
SETS = {"A": "A", "C": "C", "G": "G", "T": "T", "R": "AG", "Y": "CT", "S": "CG", "W": "AT", "K": "GT", "M": "AC",
        "B": "CGT", "D": "AGT", "H": "ACT", "V": "ACG"}  # fmt: skip


def sequences_of(path):
    return dict(line.split() for line in path.read_text().splitlines()[1:])


def neighbours_of(newick):
    """By the name of each node: the names of its neighbours, and how long the branches are."""
    neighbours, children, below, name = {}, [[]], None, None
    for token in re.findall(r"[(),;]|[^(),;]+", newick.strip()):
        if token == "(":
            children.append([])
            below = None
        elif token in ",)":
            below = children.pop() if token == ")" else None
        elif token != ";":
            name, length = (token.split(":") + ["0"])[:2]
            neighbours.setdefault(name, [])
            for child, branch in below or []:
                neighbours[name].append((child, branch))
                neighbours[child].append((name, branch))
            children[-1].append((name, float(length)))
    return neighbours


def likelihoods(node, before, neighbours, sequences, site):
    """Of what the taxa behind a node show, for each base there (Felsenstein's pruning)."""
    if node in sequences:
        return [float(base in SETS.get(sequences[node][site], "ACGT")) for base in "ACGT"]
    product = [1.0] * 4
    for other, length in neighbours[node]:
        if other == before:
            continue
        of = likelihoods(other, node, neighbours, sequences, site)
        change = 0.25 - 0.25 * math.exp(-4 / 3 * length)
        product = [have * (change * sum(of) + (1 - 4 * change) * here) for have, here in zip(product, of)]
    return product


class Ancestral(ProgramTest):
    def made(self, prefix, *more, msa=MSA, model="JC", **options):
        self.run_well("ancestral", "--msa", msa, "--tree", TREE, "--model", model, "--prefix", prefix, *more, **options)
        return {what: (self.folder / f"{prefix}.ancestral{what}").read_text() for what in ("Probs", "States", "Tree")}

    def test_probabilities_are_those_of_the_formula(self):
        made = self.made("x", "--optimize", "none")
        neighbours = neighbours_of(made["Tree"])
        sequences = sequences_of(MSA)
        self.assertEqual(set(neighbours), set(sequences) | {f"Node{i}" for i in range(1, 9)})
        lines = made["Probs"].splitlines()
        self.assertEqual(lines[0].split("\t"), ["Node", "Site", "State", "p_A", "p_C", "p_G", "p_T"])
        self.assertEqual(len(lines), 1 + 8 * 240)
        best = dict(line.split("\t") for line in made["States"].splitlines())
        for line in lines[1:]:
            node, site, state, *probabilities = line.split("\t")
            expected = likelihoods(node, None, neighbours, sequences, int(site) - 1)
            for found, one in zip(map(float, probabilities), expected):
                self.assertAlmostEqual(found, one / sum(expected), delta=6e-6)
            self.assertEqual(best[node][int(site) - 1], state)
            self.assertAlmostEqual(max(expected) / expected["ACGT".index(state)], 1, places=9)

    def test_they_are_the_same_at_any_number_of_workers(self):
        ways = {"serial": {"MASLIN_SERIAL": "1"}, "three": {"MASLIN_SERIAL": None, "MASLIN_WORKERS": "3"}}
        made = [self.made(way, model="GTR+G+I", env=environment(**changes)) for way, changes in ways.items()]
        self.assertEqual(made[0], made[1])

    def test_what_was_fitted_serves_again(self):
        fitted = json.loads(self.run_well("ancestral", "--msa", MSA, "--tree", TREE, "--model", "HKY+G", "--prefix", "x", "--json"))
        self.assertEqual(fitted["nodes"], 8)
        self.assertGreater(fitted["mean_probability"], 0.8)
        self.write("model", fitted["model"] + "\n")
        self.write("tree", fitted["tree"] + "\n")
        again = json.loads(self.run_well("ancestral", "--msa", MSA, "--tree", "tree", "--model-file", "model", "--optimize", "none",
                                         "--prefix", "y", "--json"))  # fmt: skip
        self.assertAlmostEqual(again["lnl"], fitted["lnl"], places=6)
        self.assertAlmostEqual(again["mean_probability"], fitted["mean_probability"], places=6)

    def test_columns_that_say_nothing_keep_their_place(self):
        rows = sequences_of(MSA)
        self.write("gap.phy", "10 241\n" + "".join(f"{name} {row[:9]}-{row[9:]}\n" for name, row in rows.items()))
        plain, gap = self.made("x", "--optimize", "none"), self.made("y", "--optimize", "none", msa="gap.phy")
        numbers = [int(line.split("\t")[1]) for line in gap["Probs"].splitlines()[1:241]]
        self.assertEqual(numbers, [*range(1, 10), *range(11, 242)])
        for line, other in zip(plain["States"].splitlines(), gap["States"].splitlines()):
            start = line.index("\t") + 1 + 9
            self.assertEqual(other, line[:start] + "-" + line[start:])

    def test_partitions_have_their_own(self):
        self.write("models", "JC, a = 1-240\\2\nJC, b = 2-240\\2\n")
        self.run_well("ancestral", "--msa", MSA, "--tree", TREE, "--model-file", "models", "--brlen", "linked", "--optimize", "none",
                      "--prefix", "parts")  # fmt: skip
        self.assertEqual((self.folder / "parts.ancestralProbs").read_text(), self.made("x", "--optimize", "none")["Probs"])

    def test_names_of_nodes_are_no_taxa(self):
        text = MSA.read_text().replace("taxon_A", "Node3")
        self.write("msa", text)
        self.write("tree", TREE.read_text().replace("taxon_A", "Node3"))
        self.run_well("ancestral", "--msa", "msa", "--tree", "tree", "--model", "JC", "--optimize", "none", "--prefix", "x")
        self.assertIn(")_Node2", (self.folder / "x.ancestralTree").read_text())

    def test_amino_acids_have_twenty(self):
        msa = DATA / "peptides.phy"
        names = list(sequences_of(msa))
        self.run_well("search", "--msa", msa, "--model", "LG", "--prefix", "s", "--quiet")
        self.run_well("ancestral", "--msa", msa, "--tree", "s.bestTree", "--model", "LG+G", "--prefix", "x")
        lines = (self.folder / "x.ancestralProbs").read_text().splitlines()
        self.assertEqual(len(lines[0].split("\t")), 23)
        self.assertEqual({line.split("\t")[0] for line in lines[1:]}, {f"Node{i}" for i in range(1, len(names) - 1)})
        for line in lines[1:]:
            self.assertAlmostEqual(sum(map(float, line.split("\t")[3:])), 1, delta=2e-4)

    def test_bad_input_is_refused(self):
        rows = sequences_of(MSA)
        self.write("mixed.phy", "10 260\n" + "".join(f"{name} {row}ARNDCQEGHILKMFPSTWYV\n" for name, row in rows.items()))
        self.write("mixed", "JC, a = 1-240\nLG, b = 241-260\n")
        for msa, words, said in (
            ("mixed.phy", ("--model-file", "mixed"), "expected data of one kind"),
            (MSA, ("--model", "JC", "--optimize", "some"), "--optimize"),
            (MSA, ("--model", "JC", "--tree", DATA / "none.tree"), "none.tree"),
        ):
            tree = () if "--tree" in words else ("--tree", TREE)
            done = self.run_program("ancestral", "--msa", msa, *tree, *words, "--prefix", "x")
            self.assertEqual(done.returncode, 2, done.stderr.decode())
            self.assertIn(said, done.stderr.decode())
        self.assertEqual(list(self.folder.glob("x.*")), [])


if __name__ == "__main__":
    main()
