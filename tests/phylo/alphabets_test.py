"""Amino acids, binary characters and those of several states: log-likelihoods beside another program's, and what is refused."""

import json
import math
import unittest

from phylo_process import DATA, ProgramTest, environment, main

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

# The same program with +ASC, of the columns that are not the same in all taxa.
VARIABLE = (
    ("binary", "01", "BIN+FE", "JC2+ASC", -775.3851),
    ("binary", "01", "BIN+FE+G4{0.5}", "JC2+G4{0.5}+ASC", -785.5156),
    ("morphology", "0123", "MULTI4_MK", "MK+ASC", -1268.2357),
    ("morphology", "0123", "MULTI4_MK+G4{0.5}", "MK+G4{0.5}+ASC", -1276.7529),
    ("peptides", "ARNDCQEGHILKMFPSTWYV", "LG+G4{0.5}", "LG+G4{0.5}+ASC", -2645.0475),
    ("ten", "ACGT", "HKY{3.0}+FU{0.35/0.15/0.2/0.3}+G4{0.5}", "HKY{3.0}+F{0.35,0.15,0.2,0.3}+G4{0.5}+ASC", -2271.2722),
)

# RAxML-NG 1.2.2 of the same columns, where it is known how many others were left out: raxml-ng --evaluate --msa FILE --tree
# ten.tree --model MODEL --opt-model off --opt-branches off --precision 9.
COUNTED = (
    ("ten", "ACGT", "HKY{1/3}+FU{0.35/0.15/0.2/0.3}+G4m{0.5}+ASC_FELS{51}", -2433.918589890),
    ("ten", "ACGT", "HKY{1/3}+FU{0.35/0.15/0.2/0.3}+G4m{0.5}+ASC_STAM{21/9/14/7}", -2505.127019572),
    ("ten", "ACGT", "GTR{1.5/4/0.7/1.1/5/1}+FU{0.3/0.2/0.25/0.25}+ASC_STAM{21/9/14/7}", -2504.554395423),
    ("binary", "01", "BIN+FU{0.4/0.6}+G4m{0.5}+ASC_FELS{30}", -892.459296098),
    ("binary", "01", "BIN+FU{0.4/0.6}+ASC_STAM{20/10}", -903.628966823),
    ("morphology", "0123", "MULTI4_MK+G4m{0.5}+ASC_FELS{17}", -1359.015491379),
    ("peptides", "ARNDCQEGHILKMFPSTWYV", "LG+G4m{0.5}+ASC_FELS{12}", -2727.978007807),
    ("peptides", "ARNDCQEGHILKMFPSTWYV", "WAG+ASC_STAM{" + "/".join(str(1 + i % 3) for i in range(20)) + "}", -2825.783071972),
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

    def variable(self, data, symbols):
        """Writes the columns in which at least two taxa differ for sure."""
        rows = [line.split() for line in (DATA / f"{data}.phy").read_text().splitlines()[1:]]
        kept = [site for site in range(len(rows[0][1])) if len({row[site] for _, row in rows} & set(symbols)) > 1]
        text = "".join(f"{name} {''.join(row[site] for site in kept)}\n" for name, row in rows)
        return self.write("variable.phy", f"{len(rows)} {len(kept)}\n{text}")

    def test_data_without_constant_sites_are_those_of_iqtree(self):
        for data, symbols, model, theirs, expected in VARIABLE:
            with self.subTest(data=data, model=theirs):
                msa = self.variable(data, symbols)
                said = self.run_well("evaluate", "--msa", msa, "--tree", DATA / "ten.tree", "--model", model + "+ASC_LEWIS", "--json")
                self.assertAlmostEqual(json.loads(said)["lnl"], expected, delta=1e-4)
        self.variable("morphology", "0123")
        for model, fewer in (("MULTI4_MK+G+ASC", "MULTI4_MK+ASC"), ("MULTI4_GTR+FO+ASC_LEWIS", "MULTI4_MK+ASC_LEWIS")):
            found = [json.loads(self.run_well("search", "--msa", "variable.phy", "--model", one, "--prefix", "out", "--redo", "--json",
                                              "--quiet", "--alrt", 100)) for one in (model, fewer)]  # fmt: skip
            self.assertGreater(found[0]["lnl"], found[1]["lnl"] - 1e-6)
            self.assertIn("+ASC_LEWIS", found[0]["best"]["model"])
            again = self.run_well("evaluate", "--msa", "variable.phy", "--model-file", "out.bestModel", "--tree", "out.bestTree", "--json")
            self.assertAlmostEqual(json.loads(again)["lnl"], found[1]["lnl"], delta=1e-6)
            tree = (self.folder / "out.bestTree").read_bytes()
            self.run_well("search", "--msa", "variable.phy", "--model", fewer, "--prefix", "wide", "--redo", "--quiet", "--threads", 3,
                          env=environment(MASLIN_PIN="trees=1x3"))  # fmt: skip
            self.assertEqual((self.folder / "wide.bestTree").read_bytes(), tree)

    def test_counted_constant_sites_are_those_of_raxml_ng(self):
        for data, symbols, model, expected in COUNTED:
            with self.subTest(data=data, model=model):
                msa = self.variable(data, symbols)
                said = self.run_well("evaluate", "--msa", msa, "--tree", DATA / "ten.tree", "--model", model, "--json")
                self.assertAlmostEqual(json.loads(said)["lnl"], expected, delta=1e-4)

    def test_constant_sites_that_were_counted_are_as_good_as_there(self):
        rows = [line.split() for line in (DATA / "ten.phy").read_text().splitlines()[1:]]
        constant = [21, 9, 14, 7]
        kept = [site for site in range(240) if len({row[site] for _, row in rows} & set("ACGT")) > 1]
        ends = "".join(base * count for base, count in zip("ACGT", constant))
        for name, end in (("variable.phy", ""), ("whole.phy", ends)):
            self.write(name, f"10 {len(kept) + len(end)}\n"
                       + "".join(f"{taxon} {''.join(row[site] for site in kept)}{end}\n" for taxon, row in rows))  # fmt: skip

        def evaluated(msa, model):
            return json.loads(self.run_well("evaluate", "--msa", msa, "--tree", DATA / "ten.tree", "--model", model, "--optimize",
                                            "all", "--json"))  # fmt: skip

        stam = "{" + "/".join(map(str, constant)) + "}"
        for model in ("HKY{3.0}+FU{0.35/0.15/0.2/0.3}+G4{0.5}", "HKY+FE+G4"):
            whole, counted = evaluated("whole.phy", model), evaluated("variable.phy", model + "+ASC_STAM" + stam)
            self.assertAlmostEqual(counted["lnl"], whole["lnl"], delta=0.02)
            # Where the states are not known, the likelihood is that of any of them.
            some = evaluated("variable.phy", model + f"+ASC_FELS{{{sum(constant)}}}")
            self.assertGreater(some["lnl"], counted["lnl"])
        out = json.loads(self.run_well("search", "--msa", "variable.phy", "--model", "HKY+G+ASC_FELS{50}", "--prefix", "out", "--json",
                                       "--quiet", "--alrt", 100))  # fmt: skip
        self.assertIn("+ASC_FELS{50}", out["best"]["model"])
        again = self.run_well("evaluate", "--msa", "variable.phy", "--model-file", "out.bestModel", "--tree", "out.bestTree", "--json")
        self.assertAlmostEqual(json.loads(again)["lnl"], out["lnl"], delta=1e-6)

    def test_constant_sites_are_refused_where_there_should_be_none(self):
        said = self.refused("evaluate", "--msa", DATA / "morphology.phy", "--tree", DATA / "ten.tree", "--model", "MULTI4_MK+ASC")
        self.assertRegex(said, r"morphology.phy:2:1: 17 of 150 sites are the same in all taxa, or may be, the first of them is \d+; but \+ASC_LEWIS is for data")

    def nexus(self, column):
        """The first 30 columns of morphology.phy, with three states, and one more, in NEXUS."""
        rows = [line.split() for line in (DATA / "morphology.phy").read_text().splitlines()[1:]]
        matrix = "".join(f"{name} {row[:30].replace('3', '2')}{state}\n" for (name, row), state in zip(rows, column, strict=True))
        return self.write("sets.nex", f"#NEXUS\nbegin data;\ndimensions nchar=31;\nformat datatype=standard;\nmatrix\n{matrix};\nend;\n")

    def test_a_set_of_states_is_one_of_them(self):
        tree = ("--tree", DATA / "ten.tree")

        def found(column, model):
            said = self.run_well("evaluate", "--msa", self.nexus(column), *tree, "--model", model, "--json")
            return json.loads(said)["lnl"]

        for states, sets in ((3, ("(12)", "{0 2}")), (4, ("(123)", "{13}")), (5, ("(0,1,4)", "{0134}")), (6, ("(45)", "{05}")),
                             (7, ("(06)", "(12)"))):  # fmt: skip
            model = f"MULTI{states}_GTR{{{'/'.join(str(1 + i % 3) for i in range(states * (states - 1) // 2))}}}+FE+G4{{0.5}}"
            for one in sets:
                with self.subTest(states=states, set=one):
                    column = ["1", one, "2", "0", "1", "1", "?", "0", "2", "1"]
                    whole = found(column, model)
                    parts = [found([*column[:1], state, *column[2:]], model) for state in one if state.isdigit()]
                    top = max(parts)
                    self.assertAlmostEqual(whole, top + math.log(sum(math.exp(part - top) for part in parts)), delta=1e-9)
        # In a search as well, with all that comes with it; the best tree is no worse than with the set left open.
        found_tree = json.loads(self.run_well("search", "--msa", self.nexus(["1", "(12)", "2", "0", "1", "(01)", "?", "0", "2", "1"]),
                                              "--model", "MULTI4_MK+FC+IC", "--prefix", "out", "--json", "--quiet"))  # fmt: skip
        again = self.run_well("evaluate", "--msa", "sets.nex", "--tree", "out.bestTree", "--model-file", "out.bestModel", "--json")
        self.assertAlmostEqual(json.loads(again)["lnl"], found_tree["lnl"], delta=1e-6)
        for states, one, message in ((7, "(123)", "sets can be one state, two or all"), (8, "(12)", "sets can be one state or all"),
                                     (4, "(1\x80)", "byte 0x80 is no state of 4")):  # fmt: skip
            said = self.refused("evaluate", "--msa", self.nexus_bytes(["1", one] + ["0"] * 8), *tree, "--model", f"MULTI{states}_MK")
            self.assertIn(message, said)
        said = self.refused("evaluate", "--msa", self.nexus_bytes(["1", "\x80"] + ["0"] * 8), *tree, "--model", "MULTI4_MK")
        self.assertIn("byte 0x80 in the sequence of taxon 'taxon_B' (site 31) is no state of 4", said)

    def nexus_bytes(self, column):
        self.write("sets.nex", (self.folder / self.nexus(column)).read_text().encode("latin-1"))
        return "sets.nex"

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
        self.assertIn("ten.phy:2:1: this looks like DNA", said)
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
