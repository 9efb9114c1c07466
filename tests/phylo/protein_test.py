"""Models of amino acids: log-likelihoods at fixed parameters beside those of two other programs, and one search."""

import json
import unittest

from phylo_process import DATA, ProgramTest, environment, figures, main

# iqtree2 -s peptides.phy -m MODEL -te ten.tree -blfix, version 2.0.7; four digits are printed. Its names of models are
# those of this program but for JTTDCMut and +FQ (+FE here).
IQTREE = (
    ("Dayhoff+G4{0.5}", -2800.6563),
    ("DCMut+G4{0.5}", -2799.8163),
    ("JTT+G4{0.5}", -2708.0561),
    ("JTT-DCMut+G4{0.5}", -2708.1802),
    ("WAG+G4{0.5}", -2690.8633),
    ("WAG", -2659.6345),
    ("WAG+I{0.2}+G4{0.7}", -2698.7878),
    ("WAG+F+G4{0.5}", -2621.2481),
    ("WAG+I{0.3}", -2687.2704),
    ("WAG+FE", -2595.1053),
    ("LG+G4{0.5}", -2756.3022),
    ("LG", -2736.8873),
    ("LG+I{0.2}+G4{0.7}", -2762.7889),
    ("LG+F+G4{0.5}", -2675.4783),
    ("LG+I{0.3}", -2757.6305),
    ("LG+FE", -2662.1272),
    ("VT+G4{0.5}", -2641.3031),
    ("Blosum62+G4{0.5}", -2610.3254),
    ("mtREV+G4{0.5}", -2863.9152),
    ("mtREV", -2875.4782),
    ("mtREV+I{0.2}+G4{0.7}", -2868.1836),
    ("mtREV+F+G4{0.5}", -2721.9830),
    ("mtREV+I{0.3}", -2882.4136),
    ("mtREV+FE", -2728.5978),
    ("mtMAM+G4{0.5}", -3091.0841),
    ("mtART+G4{0.5}", -2970.4898),
    ("mtZOA+G4{0.5}", -2879.1130),
    ("cpREV+G4{0.5}", -2727.4192),
    ("rtREV+G4{0.5}", -2741.5684),
    ("HIVb+G4{0.5}", -2858.9445),
    ("HIVw+G4{0.5}", -2893.9736),
    ("HIVw", -2943.5875),
    ("HIVw+I{0.2}+G4{0.7}", -2895.4935),
    ("HIVw+F+G4{0.5}", -2818.1278),
    ("HIVw+I{0.3}", -2915.6530),
    ("HIVw+FE", -2862.6957),
    ("FLU+G4{0.5}", -2829.1372),
    ("PMB+G4{0.5}", -2599.3217),
    ("mtMet+G4{0.5}", -2854.8698),
    ("mtVer+G4{0.5}", -2942.9963),
    ("mtInv+G4{0.5}", -2827.9268),
    ("FLAVI+G4{0.5}", -2952.0414),
    ("Q.pfam+G4{0.5}", -2739.6754),
    ("Q.pfam_gb+G4{0.5}", -2772.2973),
    ("Q.LG+G4{0.5}", -2752.3154),
    ("Q.plant+G4{0.5}", -2849.0082),
    ("Q.bird+G4{0.5}", -2815.5187),
    ("Q.mammal+G4{0.5}", -2764.8522),
    ("Q.insect+G4{0.5}", -2757.5907),
    ("Q.yeast+G4{0.5}", -2801.5033),
)

# raxml-ng --evaluate --msa peptides.phy --tree ten.tree --model MODEL --opt-model off --opt-branches off, version 1.2.2.
RAXML_NG = (
    ("stmtREV+G4m{0.5}", -2807.940119647),
    ("DEN+G4m{0.5}", -2730.986474779),
    ("Q.PFAM+G4m{0.5}", -2739.675396422),
    ("Q.YEAST+G4m{0.5}", -2801.503290402),
    ("LG4M+G4m{0.5}", -2803.316816342),
    ("LG4M+R4{0.2/0.6/1.2/2.5}{0.3/0.3/0.2/0.2}", -2767.769864506),
    ("LG4X+R4{0.2/0.6/1.2/2.5}{0.3/0.3/0.2/0.2}", -2776.779606923),
    ("LG4X+G4a{0.8}", -2773.355358018),
)

# iqtree2 -s peptides.phy -m MODEL -te ten.tree, version 2.0.7: it fits a mixture's rates over sites in any case, and with LG4X the
# branches. Values and tree are those of its checkpoint. It has other last digits of these matrices than RAxML-NG: 0.0002 here.
IQTREE_MIXTURES = (
    ("LG4M+G4{998.5265952}", None, -2727.27485805),
    (
        "LG4X+R4{0.6217202311/7.003030677/0.2920600642/1.121509527}{0.07372990865/0.09606383781/0.7832443456/0.04696190798}",
        "(taxon_A:0.1451025004,(((((taxon_B:0.0851875764,taxon_C:0.5294111603):0.7454550263,taxon_I:0.6477086472):0.2336656776,"
        "(taxon_D:0.7608895757,(taxon_F:0.6335784498,taxon_J:0.6738335844):0.2546414999):0.4474877631):0.0736063725,"
        "taxon_H:0.3098207197):1.0273082242,taxon_E:0.4567806967):0.2933060210,taxon_G:0.3020435231);",
        -2676.36959549,
    ),
)

# phyml -i peptides.phy -d aa -m MODEL -u TREE -o n -c 4 -a 0.5 -v 0 -f m -b 0, version 3.3.20220408. Left out are matrices
# of which it has other numbers than PAML: cpREV, mtART, and in their last digits mtMAM, Dayhoff and FLU.
PHYML = (
    ("LG", -2756.302249186),
    ("WAG", -2690.863270372),
    ("JTT", -2708.056090560),
    ("DCMut", -2799.816314938),
    ("mtREV", -2863.915202792),
    ("VT", -2641.303098248),
    ("Blosum62", -2610.325363727),
    ("rtREV", -2741.568404178),
    ("HIVb", -2858.944476651),
    ("HIVw", -2893.973630287),
)

# The same, with the file of `own_matrix`.
OWN = (("PROTGTR{own.paml}", -2478.308706782), ("PROTGTR{own.paml}+FE+G4a{0.7}", -2456.603161186))


def own_matrix():
    """A matrix in the form of PAML: the lower triangle, frequencies, a remark."""
    rows = [" ".join(str(((7 * i + 3 * j) % 11 + 1) / 4) for j in range(i)) for i in range(1, 20)]
    frequencies = " ".join(f"{(1 + 3 * i % 5) / 60:.6f}" for i in range(20))
    return "\n".join(rows) + f"\n\n{frequencies}\n\nAla Arg Asn ...\n"


class ProteinModels(ProgramTest):
    def evaluated(self, model, *more):
        out = self.run_well("evaluate", "--msa", DATA / "peptides.phy", "--tree", DATA / "ten.tree", "--model", model, "--json",
                            *more)  # fmt: skip
        return json.loads(out)

    def test_log_likelihoods_are_those_of_iqtree(self):
        for model, expected in IQTREE:
            with self.subTest(model):
                self.assertAlmostEqual(self.evaluated(model)["lnl"], expected, delta=6e-5)

    def test_log_likelihoods_of_mixtures_are_those_of_iqtree(self):
        for model, tree, expected in IQTREE_MIXTURES:
            with self.subTest(model):
                file = DATA / "ten.tree" if tree is None else self.write("theirs.tree", tree)
                said = self.run_well("evaluate", "--msa", DATA / "peptides.phy", "--tree", file, "--model", model, "--json")
                self.assertAlmostEqual(json.loads(said)["lnl"], expected, delta=3e-4)

    def test_mixtures_are_fitted_and_searched_with_and_not_sampled(self):
        common = ("--msa", DATA / "peptides.phy", "--seed", 1, "--quiet")
        for model in ("LG4M", "LG4X"):
            with self.subTest(model):
                self.run_well("search", *common, "--model", model, "--prefix", model)
                found = self.result(model)
                again = self.run_well("evaluate", "--msa", DATA / "peptides.phy", "--tree", f"{model}.bestTree", "--model-file",
                                      f"{model}.bestModel", "--json")  # fmt: skip
                self.assertAlmostEqual(json.loads(again)["lnl"], found["lnl"], delta=1e-6)
        done = self.run_program("mcmc", *common, "--model", "LG4M", "--prefix", "x")
        self.assertEqual(done.returncode, 2)
        self.assertIn("mcmc takes no mixtures of matrices, as LG4M", done.stderr.decode())

    def test_log_likelihoods_are_those_of_phyml(self):
        for model, expected in PHYML:
            with self.subTest(model):
                self.assertAlmostEqual(self.evaluated(model + "+G4{0.5}")["lnl"], expected, delta=3e-5)

    def test_log_likelihoods_are_those_of_raxml_ng(self):
        for model, expected in RAXML_NG:
            with self.subTest(model):
                self.assertAlmostEqual(self.evaluated(model)["lnl"], expected, delta=1e-4)

    def test_a_matrix_of_ones_own_stands_in_a_file(self):
        self.write("own.paml", own_matrix())
        for model, expected in OWN:
            with self.subTest(model):
                found = self.evaluated(model)
                self.assertAlmostEqual(found["lnl"], expected, delta=1e-4)
                self.assertAlmostEqual(self.evaluated(found["model"])["lnl"], found["lnl"], delta=1e-9)

    def test_what_is_wrong_with_a_matrix_is_told_with_its_place(self):
        good = own_matrix()
        for text, message in (
            ("", "own.paml:1:1: found the end of the file; expected rate 1 of 190"),
            (good.replace("0.25", "-0.25", 1), "own.paml:5:15: found '-0.25'; expected rate 14 of 190"),
            (good.replace("Ala", "", 1).replace("0.016667", "many", 1), "own.paml:21:1: found 'many'; expected frequency 1 of 20"),
            (good.replace("0.016667", "0.1"), "own.paml: its 20 frequencies sum to 1.33"),
            (good[:good.index("\n\n")], "expected frequency 1 of 20"),
        ):  # fmt: skip
            self.write("own.paml", text)
            done = self.run_program("evaluate", "--msa", DATA / "peptides.phy", "--tree", DATA / "ten.tree", "--model", "PROTGTR{own.paml}")
            self.assertEqual(done.returncode, 2)
            self.assertIn(message, done.stderr.decode())
        self.write("own.paml", good)
        done = self.run_program("evaluate", "--msa", DATA / "ten.phy", "--tree", DATA / "ten.tree", "--model", "HKY{own.paml}")
        self.assertIn("column 4; this model can't take the rates of a file, because some of them are equal", done.stderr.decode())

    def test_a_fitted_model_is_written_so_that_it_gives_the_same_likelihood(self):
        for model in ("LG+G", "WAG+FO", "JTT-DCMut+F+I+G"):
            with self.subTest(model):
                fitted = self.evaluated(model, "--optimize", "all")
                self.write("tree", fitted["tree"])
                again = json.loads(self.run_well("evaluate", "--msa", DATA / "peptides.phy", "--tree", "tree", "--model",
                                                 fitted["model"], "--json"))  # fmt: skip
                self.assertAlmostEqual(again["lnl"], fitted["lnl"], delta=1e-6)

    def test_what_the_data_are_is_printed(self):
        out = self.run_well("evaluate", "--msa", DATA / "peptides.phy", "--tree", DATA / "ten.tree", "--model", "LG")
        self.assertIn("amino acids", out)
        self.assertEqual(self.evaluated("LG")["data"], "aa")

    def test_trees_are_the_same_at_any_number_of_workers_and_after_a_pause(self):
        def everything(prefix, replicates, **env):
            changes = {"MASLIN_SERIAL": None, "MASLIN_WORKERS": None, "MASLIN_PIN": None, **env}
            self.run_well("all", "--msa", DATA / "peptides.phy", "--model", "LG+G", "--replicates", replicates, "--seed", 5,
                          "--prefix", prefix, "--quiet", env=environment(**changes))  # fmt: skip
            return self.trees(prefix), figures(self.result(prefix))

        expected = everything("serial", 3, MASLIN_SERIAL="1")
        self.assertEqual(everything("three", 3, MASLIN_WORKERS="3"), expected)
        self.assertEqual(everything("wide", 3, MASLIN_WORKERS="4", MASLIN_PIN="trees=2x2"), expected)
        everything("later", 1)
        self.assertEqual(everything("later", 3), expected)

    def test_chains_sample_trees_under_a_matrix_and_refuse_what_they_cannot_sample(self):
        common = ("mcmc", "--msa", DATA / "peptides.phy", "--generations", "200", "--sample", "20", "--chains", "2", "--quiet")
        self.run_well(*common, "--model", "LG+G", "--prefix", "x")
        self.assertTrue((self.folder / "x.con.tre").is_file())
        done = self.run_program(*common, "--model", "PROTGTR", "--prefix", "y")
        self.assertEqual(done.returncode, 2)
        self.assertIn("of DNA only; of amino acids give them in --model, or take another one, as LG+G", done.stderr.decode())

    def test_chains_sample_the_frequencies_of_amino_acids(self):
        def samples(prefix, **env):
            self.run_well("mcmc", "--msa", DATA / "peptides.phy", "--model", "WAG+F", "--generations", 600, "--sample", 50, "--chains", 2,
                          "--diagnostics", 200, "--checkpoint", 100, "--prefix", prefix, "--quiet", env=environment(**env))  # fmt: skip
            return (self.folder / f"{prefix}.run1.p").read_text()

        rows = [line.split("\t") for line in samples("x").splitlines()[1:]]
        frequencies = [i for i, name in enumerate(rows[0]) if name.startswith("pi(")]
        self.assertEqual([rows[0][i] for i in frequencies], [f"pi({letter})" for letter in "ARNDCQEGHILKMFPSTWYV"])
        for row in rows[1:]:
            self.assertAlmostEqual(sum(float(row[i]) for i in frequencies), 1, delta=1e-6)
        self.assertNotEqual(rows[1][frequencies[0]], rows[-1][frequencies[0]])
        self.assertEqual(self.result("x")["sampled"], ["frequencies"])
        self.assertEqual(samples("y", MASLIN_WORKERS="3"), samples("x", MASLIN_SERIAL="1"))


if __name__ == "__main__":
    main()
