"""Partitions: log-likelihoods beside IQ-TREE's and as the sum of their parts; searches; what is refused."""

import json
import re
import unittest

from phylo_process import DATA, ProgramTest, environment, figures, main

# Of ten.phy, peptides.phy, and both side by side.
GENES = r"""# codons, then the rest
HKY{3.0}+FU{0.35/0.15/0.2/0.3}+G4{0.5}, a = 1-120\3, 2-120\3
JC, b = 3-120\3

GTR{1.5/4/0.7/1.1/5/1}+FU{0.3/0.2/0.25/0.25}+I{0.2}, c = 121-240
"""
PROTEINS = "LG+G4{0.5}, a = 1-50, 101-150\nWAG+I{0.1}, b = 51-100\n"
MIXED = "HKY{3.0}+FU{0.35/0.15/0.2/0.3}+G4{0.5}, bases = 1-240\nLG+G4{0.5}, one = 241-340\nJTT, two = 341-390\n"

# IQ-TREE 2.0.7, the same partitions as charsets: iqtree2 -s FILE -q charsets.nex -te ten.tree -blfix -nt 1.
REFERENCES = (("ten.phy", GENES, -2378.9833), ("peptides.phy", PROTEINS, -2728.5548), ("mixed.phy", MIXED, -5141.9202))
# Branch lengths fitted as well, of MIXED: with -q, and with -p, where each partition has a speed.
LINKED, SCALED, SPEEDS = -5120.9209, -5117.5441, (1.0760, 0.9589, 0.7173)
# With -Q, where each partition has branch lengths of its own.
UNLINKED = -5103.1421
# The same program on genes.phy along ten.tree, with these partitions and -q, -p and -Q: log-likelihood, free parameters, AIC,
# AICc, BIC.
NEXUS = r"""#nexus
begin sets;
  charset cox12 = 1-300\3 2-300\3;
  charset cox3 = 3-300\3;
  charset nad12 = 301-600\3 302-600\3;
  charset nad3 = 303-600\3;
  charpartition genes = GTR+F+G4:cox12, HKY+F+G4:cox3, GTR+F+G4:nad12, HKY+F+G4:nad3;
end;
"""
CRITERIA = {"linked": (-3778.8112, 45, 7647.6223, 7655.0953, 7845.4842),
            "scaled": (-3645.3867, 48, 7386.7734, 7395.3106, 7597.8260),
            "unlinked": (-3620.7818, 96, 7433.5637, 7470.5895, 7855.6689)}  # fmt: skip


def rows_of(path):
    return dict(line.split() for line in path.read_text().splitlines()[1:])


class Partitions(ProgramTest):
    def setUp(self):
        super().setUp()
        self.bases, self.peptides = rows_of(DATA / "ten.phy"), rows_of(DATA / "peptides.phy")
        for name in ("ten.phy", "peptides.phy"):
            self.write(name, (DATA / name).read_bytes())
        self.write_alignment("mixed.phy", {name: row + self.peptides[name] for name, row in self.bases.items()})
        self.write("mixed", MIXED)

    def write_alignment(self, name, rows):
        sites = len(next(iter(rows.values())))
        return self.write(name, f"{len(rows)} {sites}\n" + "".join(f"{taxon} {row}\n" for taxon, row in rows.items()))

    def evaluated(self, msa, models, *more):
        self.write("models", models)
        return json.loads(self.run_well("evaluate", "--msa", msa, "--tree", DATA / "ten.tree", "--model-file", "models", "--json", *more))

    def test_log_likelihoods_are_those_of_iqtree(self):
        for msa, models, expected in REFERENCES:
            with self.subTest(msa):
                self.assertAlmostEqual(self.evaluated(msa, models, "--brlen", "linked")["lnl"], expected, delta=6e-5)

    def test_they_are_the_sums_of_the_parts(self):
        whole = self.evaluated("mixed.phy", MIXED, "--brlen", "linked")
        parts = {"bases": self.bases, "one": {name: row[:100] for name, row in self.peptides.items()},
                 "two": {name: row[100:] for name, row in self.peptides.items()}}  # fmt: skip
        for part in whole["partitions"]:
            alone = self.evaluated(self.write_alignment("part.phy", parts[part["name"]]), part["model"])
            self.assertAlmostEqual(part["lnl"], alone["lnl"], delta=1e-9)
        self.assertAlmostEqual(whole["lnl"], sum(part["lnl"] for part in whole["partitions"]), delta=1e-9)

    def test_branch_lengths_are_linked_or_scaled(self):
        linked = self.evaluated("mixed.phy", MIXED, "--brlen", "linked", "--optimize", "all")
        self.assertAlmostEqual(linked["lnl"], LINKED, delta=2e-3)
        scaled = self.evaluated("mixed.phy", MIXED, "--optimize", "all")
        self.assertAlmostEqual(scaled["lnl"], SCALED, delta=2e-3)
        for line, speed in zip(scaled["model"].splitlines(), SPEEDS):
            self.assertAlmostEqual(float(line.split("+BU{")[1].split("}")[0]), speed, delta=0.005)
        # What was fitted gives the same again.
        self.write("tree", scaled["tree"])
        self.write("fitted", scaled["model"])
        again = self.run_well("evaluate", "--msa", "mixed.phy", "--tree", "tree", "--model-file", "fitted", "--json")
        self.assertAlmostEqual(json.loads(again)["lnl"], scaled["lnl"], delta=1e-6)

    def test_nexus_files_and_criteria_are_those_of_iqtree(self):
        for brlen, expected in CRITERIA.items():
            with self.subTest(brlen):
                found = self.evaluated(DATA / "genes.phy", NEXUS, "--brlen", brlen, "--optimize", "all")
                criteria = found["criteria"]
                self.assertEqual(criteria["free_parameters"], expected[1])
                values = (found["lnl"], criteria["aic"], criteria["aicc"], criteria["bic"])
                for value, theirs in zip(values, (expected[0], *expected[2:]), strict=True):
                    self.assertAlmostEqual(value, theirs, delta=0.3)
                self.assertGreater(found["lnl"], expected[0] - 0.01)
        # Given values are no parameters; counted frequencies are.
        one = self.evaluated(DATA / "ten.phy", "HKY{3.0}+FC+G4{0.5}", "--optimize", "all")
        self.assertEqual(one["criteria"]["free_parameters"], 17 + 3)
        said = self.run_well("evaluate", "--msa", DATA / "ten.phy", "--tree", DATA / "ten.tree", "--model", "GTR",
                             "--optimize", "all")  # fmt: skip
        self.assertRegex(said, r"AIC \d+\.\d+, AICc \d+\.\d+, BIC \d+\.\d+ \(25 free parameters, 240 sites\)")

    def test_branch_lengths_are_unlinked(self):
        command = ("evaluate", "--msa", "mixed.phy", "--model-file", "mixed", "--brlen", "unlinked", "--json", "--tree")
        out = json.loads(self.run_well(*command, DATA / "ten.tree", "--optimize", "branches"))
        self.assertAlmostEqual(out["lnl"], UNLINKED, delta=2e-3)
        parts = {"bases": self.bases, "one": {name: row[:100] for name, row in self.peptides.items()},
                 "two": {name: row[100:] for name, row in self.peptides.items()}}  # fmt: skip
        for part in out["partitions"]:
            self.write("tree", part["tree"])
            alone = self.evaluated(self.write_alignment("part.phy", parts[part["name"]]), part["model"], "--optimize", "branches")
            self.assertAlmostEqual(alone["lnl"], part["lnl"], delta=1e-3)
            again = self.run_well("evaluate", "--msa", "part.phy", "--model-file", "models", "--tree", "tree", "--json")
            self.assertAlmostEqual(json.loads(again)["lnl"], part["lnl"], delta=1e-6)
        # The trees of the partitions are read again.
        self.write("trees", "".join(part["tree"] + "\n" for part in out["partitions"]))
        self.assertAlmostEqual(json.loads(self.run_well(*command, "trees"))["lnl"], out["lnl"], delta=1e-6)
        # Bad ones are named.
        self.write("two", "".join(part["tree"] + "\n" for part in out["partitions"][:2]))
        self.assertIn("two:2:1: 2 trees in this file; expected one, or one for each of the 3 partitions", self.refused(*command, "two"))
        other = out["partitions"][2]["tree"].replace("taxon_A", "@").replace("taxon_F", "taxon_A").replace("@", "taxon_F")
        self.write("other", "".join(tree + "\n" for tree in (out["tree"], out["tree"], other)))
        self.assertIn("other:3:1: this tree, that of partition 'two', has other branches than the first", self.refused(*command, "other"))
        self.write("speedy", MIXED.replace("JTT", "JTT+BU{2}"))
        self.assertIn("speedy:3:18: partition 'two' has the speed 2 (+BU), but with --brlen unlinked", self.refused(
            *command[:4], "speedy", *command[5:], "two"))  # fmt: skip

    def test_unlinked_searches_write_the_mean_and_the_trees_of_the_partitions(self):
        def everything(prefix, replicates=2, **env):
            changes = {"MASLIN_SERIAL": None, "MASLIN_WORKERS": None, "MASLIN_PIN": None, **env}
            self.run_well("all", "--msa", "mixed.phy", "--model-file", "mixed", "--brlen", "unlinked", "--replicates", replicates,
                          "--seed", 5, "--prefix", prefix, "--quiet", env=environment(**changes))  # fmt: skip
            return self.trees(prefix), figures(self.result(prefix)), (self.folder / f"{prefix}.bestPartitionTrees").read_bytes()

        expected = everything("serial", MASLIN_SERIAL="1")
        result = self.result("serial")
        self.assertGreater(result["lnl"], UNLINKED - 0.01)
        self.assertEqual(result["brlen"], "unlinked")
        self.assertEqual(result["best"]["trees_of_partitions"], expected[2].decode().splitlines())
        self.assertEqual(everything("three", MASLIN_WORKERS="3"), expected)
        self.assertEqual(everything("wide", MASLIN_WORKERS="4", MASLIN_PIN="trees=1x4"), expected)
        everything("later", 1)
        self.assertEqual(everything("later"), expected)
        self.assertEqual(self.result("later")["trees"]["computed"], 1)
        self.write("best", result["best"]["model"])
        again = self.run_well("evaluate", "--msa", "mixed.phy", "--model-file", "best", "--brlen", "unlinked", "--json",
                              "--tree", "serial.bestPartitionTrees")  # fmt: skip
        self.assertAlmostEqual(json.loads(again)["lnl"], result["lnl"], delta=1e-6)
        lengths = [[float(x) for x in re.findall(r":([0-9.e-]+)", line)] for line in expected[2].decode().splitlines()]
        mean = [float(x) for x in re.findall(r":([0-9.e-]+)", expected[0]["bestTree"].decode())]
        for of_parts, of_all in zip(zip(*lengths), mean):
            self.assertAlmostEqual(sum(n * x for n, x in zip((240, 100, 50), of_parts)) / 390, of_all, delta=1e-12)

    def test_searches_and_replicates_are_the_same_at_any_number_of_workers_and_after_a_pause(self):
        def everything(prefix, replicates=3, **env):
            changes = {"MASLIN_SERIAL": None, "MASLIN_WORKERS": None, "MASLIN_PIN": None, **env}
            self.run_well("all", "--msa", "mixed.phy", "--model-file", "mixed", "--replicates", replicates, "--seed", 5,
                          "--prefix", prefix, "--quiet", env=environment(**changes))  # fmt: skip
            return self.trees(prefix), figures(self.result(prefix))

        expected = everything("serial", MASLIN_SERIAL="1")
        self.assertGreater(self.result("serial")["lnl"], SCALED - 0.01)
        self.assertEqual([part["sites"] for part in self.result("serial")["partitions"]], [240, 100, 50])
        self.assertEqual(everything("three", MASLIN_WORKERS="3"), expected)
        self.assertEqual(everything("wide", MASLIN_WORKERS="4", MASLIN_PIN="trees=2x2"), expected)
        everything("later", 1)
        self.assertEqual(everything("later"), expected)

    def test_columns_that_say_nothing_are_left_out_of_their_part(self):
        gaps = self.write_alignment("gaps.phy", {name: "--" + row[:4] + "-" + row[4:] for name, row in self.bases.items()})
        self.write("two", "JC, a = 1-5\nK80, b = 6-243\n")
        out = json.loads(self.run_well("evaluate", "--msa", gaps, "--tree", DATA / "ten.tree", "--model-file", "two", "--json"))
        self.assertEqual([part["sites"] for part in out["partitions"]], [3, 237])

    def refused(self, *words):
        done = self.run_program(*words)
        self.assertEqual(done.returncode, 2, done.stderr.decode())
        said = [line for line in done.stderr.decode().splitlines() if not line.startswith("maslin-phylo: note:")]
        self.assertEqual(len(said), 1, said)
        return said[0]

    def test_bad_partitions_are_named_with_their_place(self):
        def said(models, msa="ten.phy"):
            self.write("models", models)
            return self.refused("evaluate", "--msa", msa, "--tree", DATA / "ten.tree", "--model-file", "models")

        self.assertIn("models:2:12: site 100 is in partition 'a' and also in 'b'", said("JC, a = 1-100\nGTR+F, b = 100-240\n"))
        self.assertIn("models:1:9: partition 'a' has sites up to 241, but the alignment has 240", said("JC, a = 1-241\n"))
        self.assertIn("models:1:9: 140 of the alignment's 240 sites are in no partition, the first of them is 101", said("JC, a = 1-100\n"))
        self.assertIn("models:2:5: model 'GTR+Q': found", said("JC, a = 1-100\nGTR+Q, b = 101-240\n"))
        self.assertRegex(said("LG, a = 1-240\nJC, b = 241-390\n", "mixed.phy"), r"mixed.phy:2:\d+: '.' in the sequence .* is no DNA code")
        self.assertIn("models:2:9: no column of partition 'b' has a determined base in gaps.phy", said("JC, a = 3-242\nJC, b = 1-2\n", self.write_alignment(
            "gaps.phy", {name: "--" + row for name, row in self.bases.items()})))  # fmt: skip

    def test_what_was_begun_otherwise_is_not_gone_on_with(self):
        search = ("search", "--msa", "mixed.phy", "--prefix", "x", "--quiet", "--model-file")
        self.run_well(*search, "mixed")
        self.assertRegex(self.refused(*search, "mixed", "--brlen", "linked"),
                         r"made with the model .*\(--brlen scaled\), not .*\(--brlen linked\);")
        self.write("other", MIXED.replace("241-340", "241-339").replace("341-390", "340-390"))
        self.assertIn("one = 241-340, not LG+G4m{0.5}, one = 241-339;", self.refused(*search, "other"))

    def test_chains_take_one_model(self):
        self.assertIn("mixed:2:19: this is the second of 3 partitions; mcmc takes one model", self.refused("mcmc", "--msa", "mixed.phy", "--model-file", "mixed", "--prefix", "x"))


if __name__ == "__main__":
    main()
