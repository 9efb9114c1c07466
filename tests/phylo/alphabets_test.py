"""Amino acids, binary characters and those of several states: log-likelihoods beside another program's, and what is refused."""

import json
import unittest

from phylo_process import DATA, ProgramTest, main

EQUAL = "PROTGTR{" + "/".join(["1"] * 190) + "}+FE"  # which IQ-TREE calls Poisson

# IQ-TREE 2.0.7: iqtree2 -s FILE -m MODEL -te ten.tree -blfix; four digits are printed.
REFERENCES = (
    ("protein", EQUAL, "Poisson", -2249.8253),
    ("protein", EQUAL + "+G4{0.5}", "Poisson+G4{0.5}", -2316.3187),
    ("protein", EQUAL + "+I{0.2}+G4{0.7}", "Poisson+I{0.2}+G4{0.7}", -2323.6919),
    ("binary", "BIN+FE", "JC2", -827.6880),
    ("binary", "BIN+FE+G4{0.5}", "JC2+G4{0.5}", -876.1916),
    ("morphology", "MULTI4_MK", "MK", -1344.0034),
    ("morphology", "MULTI4_MK+G4{0.5}", "MK+G4{0.5}", -1382.2891),
)


class Alphabets(ProgramTest):
    def evaluated(self, data, model, *more):
        done = self.run_program("evaluate", "--msa", DATA / f"{data}.phy", "--tree", DATA / "ten.tree", "--model", model,
                                "--json", *more)
        self.assertEqual(done.returncode, 0, done.stderr.decode())
        return json.loads(done.stdout)["lnl"]

    def test_log_likelihoods_are_those_of_iqtree(self):
        for data, model, theirs, expected in REFERENCES:
            with self.subTest(data=data, model=theirs):
                self.assertAlmostEqual(self.evaluated(data, model), expected, delta=1e-4)

    def test_fitting_raises_the_likelihood(self):
        for data, model in (("protein", "PROTGTR+FE+G4"), ("binary", "BIN+G4"), ("morphology", "MULTI4_GTR+FO")):
            with self.subTest(data=data, model=model):
                branches = self.evaluated(data, model, "--optimize", "branches")
                self.assertGreater(self.evaluated(data, model, "--optimize", "all"), branches - 1e-6)

    def test_a_search_finds_the_tree(self):
        done = self.run_program("search", "--msa", DATA / "protein.phy", "--model", EQUAL, "--prefix", "out", "--json", "--quiet")
        self.assertEqual(done.returncode, 0, done.stderr.decode())
        self.assertGreater(json.loads(done.stdout)["lnl"], self.evaluated("protein", EQUAL, "--optimize", "branches") - 0.01)

    def refused(self, *words):
        done = self.run_program(*words)
        self.assertEqual(done.returncode, 2)
        return done.stderr.decode()

    def test_data_of_another_kind_are_refused(self):
        tree = ("--tree", DATA / "ten.tree")
        said = self.refused("evaluate", "--msa", DATA / "protein.phy", *tree, "--model", "GTR+G")
        self.assertRegex(said, r"protein.phy:2:\d+: '.' in the sequence of taxon 'taxon_A' \(site \d+\) is no DNA code")
        said = self.refused("evaluate", "--msa", DATA / "ten.phy", *tree, "--model", "PROTGTR")
        self.assertIn("this looks like DNA", said)
        said = self.refused("evaluate", "--msa", DATA / "morphology.phy", *tree, "--model", "BIN")
        self.assertIn("morphology.phy:2:", said)

    def test_models_are_read_to_their_end(self):
        tree = ("--tree", DATA / "ten.tree")
        for model in ("JC, p1 = 1-100", "JC, p1", "JC, p1 = 1-240, p2", "PROTGRT", "MULTI99_MK", "GTR+Q"):
            with self.subTest(model):
                said = self.refused("evaluate", "--msa", DATA / "ten.phy", *tree, "--model", model)
                self.assertIn("model", said)
                self.assertEqual(said.count("\n"), 1)


if __name__ == "__main__":
    main()
