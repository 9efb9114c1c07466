"""SH-aLRT support: the same at any number of workers and after a pause, beside IQ-TREE's, and what is refused."""

import json
import re

from phylo_process import DATA, ProgramTest, environment, main

MSA = DATA / "ten.phy"

# IQ-TREE 2.0.7: iqtree2 -s ten.phy -m GTR+FO+G4 -te ten.tree -alrt 10000 -me 0.0001 -nt 1: support in per cent of the
# branches, by the taxa on the side without taxon_A.
REFERENCE = {
    frozenset(f"taxon_{letter}" for letter in letters): support
    for letters, support in {"BC": 100, "BCI": 94, "FJ": 81.3, "DFJ": 99.2, "BCDFIJ": 0, "BCDFHIJ": 100, "BCDEFHIJ": 98.3}.items()
}


def splits_with_support(newick):
    """The taxa behind each inner branch, on the side without taxon_A, and its support."""
    stack, found, taxa = [], {}, set()
    for token in re.findall(r"[(),;]|[^(),;]+", newick.strip()):
        if token == "(":
            stack.append(set())
        elif token == ")":
            last = stack.pop()
        elif token not in ",;":
            name = token.split(":")[0]
            if re.fullmatch(r"[0-9.]*", name):
                found[frozenset(last)] = name
                taxa_below = last
            else:
                taxa_below = {name}
                taxa.add(name)
            if stack:
                stack[-1] |= taxa_below
    return {
        frozenset(taxa - below if "taxon_A" in below else below): float(support)
        for below, support in found.items()
        if support != ""
    }


class Alrt(ProgramTest):
    def test_it_is_the_same_at_any_number_of_workers_and_after_a_pause(self):
        def supported(prefix, *more, **env):
            changes = {"MASLIN_SERIAL": None, "MASLIN_WORKERS": None, "MASLIN_PIN": None, **env}
            self.run_well("search", "--msa", MSA, "--model", "GTR+G", "--seed", 3, "--prefix", prefix, "--quiet", *more,
                          env=environment(**changes))  # fmt: skip
            return (self.folder / f"{prefix}.alrt").read_bytes() if "--alrt" in more else None

        expected = supported("serial", "--alrt", 500, MASLIN_SERIAL="1")
        result = self.result("serial")
        self.assertEqual(result["alrt"], {"replicates": 500, "tree": expected.decode().strip()})
        self.assertEqual(len(splits_with_support(expected.decode())), 7)
        self.assertEqual(supported("three", "--alrt", 500, MASLIN_WORKERS="3"), expected)
        self.assertEqual(supported("wide", "--alrt", 500, MASLIN_WORKERS="4", MASLIN_PIN="branches=2x2"), expected)
        # The search is over; the support comes later.
        supported("later")
        self.assertEqual(supported("later", "--alrt", 500), expected)
        self.assertEqual(self.result("later")["trees"]["computed"], 0)
        self.assertNotEqual(supported("other", "--alrt", 7), expected)

    def test_it_is_that_of_iqtree(self):
        out = json.loads(self.run_well("evaluate", "--msa", MSA, "--tree", DATA / "ten.tree", "--model", "GTR+G", "--optimize",
                                       "all", "--alrt", 10000, "--json"))  # fmt: skip
        supports = splits_with_support(out["alrt"]["tree"])
        self.assertEqual(set(supports), set(REFERENCE))
        for split, expected in REFERENCE.items():
            self.assertAlmostEqual(supports[split], expected, delta=2)

    def test_partitions_have_it_as_well(self):
        self.write("models", "GTR+G, a = 1-120\nHKY+G, b = 121-240\n")
        for brlen in ("scaled", "unlinked"):
            self.run_well("all", "--msa", MSA, "--model-file", "models", "--brlen", brlen, "--replicates", 2, "--alrt", 200,
                          "--prefix", brlen, "--quiet")  # fmt: skip
            self.assertEqual(len(splits_with_support((self.folder / f"{brlen}.alrt").read_text())), 7)
            files = ["alrt", "best_model", "best_tree", "bootstraps", "log", "result", "support"]
            if brlen == "unlinked":
                files.append("best_partition_trees")
            self.assertEqual(sorted(self.result(brlen)["files"]), sorted(files))

    def test_numbers_that_are_none_are_refused(self):
        for words in (["--alrt", "0"], ["--alrt", "x"], ["--seed", "3"]):
            done = self.run_program("evaluate", "--msa", MSA, "--tree", DATA / "ten.tree", "--model", "JC", *words)
            self.assertEqual(done.returncode, 2, done.stderr.decode())
            self.assertIn(words[0], done.stderr.decode())


if __name__ == "__main__":
    main()
