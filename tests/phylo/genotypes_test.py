"""Unphased diploid genotypes: log-likelihoods at fixed parameters beside RAxML-NG's, a search, and what is refused."""

import json

from phylo_process import DATA, ProgramTest, main

FREQUENCIES = "+FU{0.14/0.12/0.08/0.16/0.05/0.1/0.06/0.09/0.13/0.07}"
OF_BASES = "{0.05/1.7/4.5/0.6/1.3/3.2/1}"
ALL = "{" + "/".join(f"{0.2 + i * 37 % 23 / 10:.1f}" for i in range(45)) + "}"

# RAxML-NG 1.2.2: raxml-ng --loglh --msa genotypes.phy --tree ten.tree --model MODEL --threads 1.
RAXML_NG = (
    ("GTJC", -1962.489224),
    ("GTJC+G4{0.5}", -2024.678251),
    (f"GTJC{FREQUENCIES}+I{{0.2}}", -2011.211649),
    ("GTHKY4{0.1/1/3}+FE", -2163.658592),
    (f"GTHKY4{{0.1/1/3}}{FREQUENCIES}+G4{{0.5}}", -2188.628483),
    ("GTHKY4{0.2/2/5}+FC", -2145.979343),
    (f"GTGTR4{OF_BASES}+FE+G4{{0.5}}", -2229.340345),
    (f"GTGTR4{OF_BASES}{FREQUENCIES}", -2240.610738),
    (f"GTGTR4{OF_BASES}{FREQUENCIES}+I{{0.2}}+G4{{0.7}}", -2248.123184),
    ("GTGTR4{0/1.7/4.5/0.6/1.3/3.2/1}+FE", -2333.331003),
    (f"GT10{OF_BASES}+FC+G4{{0.5}}", -2225.987772),
    (f"GTGTR{ALL}{FREQUENCIES}", -2013.011702),
    (f"GTGTR{ALL}+FE+G4{{0.5}}", -2049.060802),
    (f"GTGTR{ALL}+FC+G4{{0.5}}", -2051.479028),
)
# The same program with --evaluate: branches and model fitted.
FITTED = ("GTGTR4+FO", -1956.206482)
# The first columns of two taxa, of which one has a character that no genotype has.
WRONG = ">a\nACGT\n>b\nMRWS\n>c\nYKNA\n>d\nACVT\n"


class Genotypes(ProgramTest):
    def evaluated(self, model, *more):
        return json.loads(self.run_well("evaluate", "--msa", DATA / "genotypes.phy", "--tree", DATA / "ten.tree", "--model", model,
                                        "--json", *more))  # fmt: skip

    def test_log_likelihoods_are_those_of_raxml_ng(self):
        for model, expected in RAXML_NG:
            with self.subTest(model):
                self.assertAlmostEqual(self.evaluated(model)["lnl"], expected, delta=1e-4)

    def test_fitting_ends_no_lower_than_raxml_ng(self):
        model, theirs = FITTED
        found = self.evaluated(model, "--optimize", "all")
        self.assertGreater(found["lnl"], theirs - 0.05)
        # 17 branches, six rates, nine frequencies: as many as RAxML-NG counts.
        self.assertEqual(found["criteria"]["free_parameters"], 32)

    def test_a_search_gives_a_model_that_is_read_again(self):
        said = self.run_well("search", "--msa", DATA / "genotypes.phy", "--data-type", "diploid10", "--model", "GTGTR4+G", "--prefix",
                             "out", "--quiet")  # fmt: skip
        self.assertIn("genotypes.phy: genotypes, 10 taxa, 150 sites", said)
        model = (self.folder / "out.bestModel").read_text()
        self.assertRegex(model, r"^GTGTR4\{([\d.e+-]+/){4}1/[\d.e+-]+/[\d.e+-]+\}\+FU\{([\d.e+-]+/){9}[\d.e+-]+\}\+G4m\{")
        # RAxML-NG calls it GT10.
        self.write("theirs", model.replace("GTGTR4", "GT10"))
        for file in ("out.bestModel", "theirs"):
            again = self.run_well("evaluate", "--msa", DATA / "genotypes.phy", "--model-file", file, "--tree", "out.bestTree", "--json")
            self.assertAlmostEqual(json.loads(again)["lnl"], self.result("out")["lnl"], delta=1e-6)

    def test_ancestral_genotypes_have_a_probability_each(self):
        self.run_well("ancestral", "--msa", DATA / "genotypes.phy", "--tree", DATA / "ten.tree", "--model", "GTJC", "--prefix", "out")
        head, first, *_ = (self.folder / "out.ancestralProbs").read_text().splitlines()
        self.assertEqual(head.split("\t")[3:], [f"p_{genotype}" for genotype in "ACGTMRWSYK"])
        self.assertAlmostEqual(sum(map(float, first.split("\t")[3:])), 1, delta=1e-4)

    def test_chains_take_models_without_free_rates(self):
        common = ("mcmc", "--msa", DATA / "genotypes.phy", "--generations", 200, "--sample", 50, "--prefix", "out", "--quiet")
        self.run_well(*common, "--model", "GTJC+G")
        done = self.run_program(*common, "--model", "GTGTR4+G", "--redo")
        self.assertEqual(done.returncode, 2)
        self.assertIn("of genotypes give them in --model, or take another one, as GTJC+G", done.stderr.decode())
        self.run_well(*common, "--model", "GTJC+FO", "--redo")
        self.assertEqual(self.result("out")["sampled"], ["frequencies"])

    def test_genotypes_are_no_dna_with_ambiguities(self):
        done = self.run_program("evaluate", "--msa", DATA / "genotypes.phy", "--tree", DATA / "ten.tree", "--model", "GTR+G")
        self.assertEqual(done.returncode, 2)
        self.assertIn("this looks like genotypes: 42 % of its characters are A, C, G or T; but --model GTR+FO+G4m is one of DNA; give a "
                      "model of genotypes, as in GTGTR4+G, or say --data-type dna", done.stderr.decode())

    def test_genotypes_are_no_amino_acids(self):
        tree = ("--tree", DATA / "ten.tree")
        for model, named in (("LG", "LG"), ("PROTGTR", "PROTGTR+FO")):
            done = self.run_program("evaluate", "--msa", DATA / "genotypes.phy", *tree, "--model", model)
            self.assertEqual(done.returncode, 2)
            self.assertIn(f"this looks like genotypes: 42 % of its characters are A, C, G or T; but --model {named} is one of amino acids; "
                          "give a model of genotypes, as in GTGTR4+G, or say --data-type aa", done.stderr.decode())  # fmt: skip
        self.run_well("evaluate", "--msa", DATA / "genotypes.phy", *tree, "--model", "LG", "--data-type", "aa")

    def test_few_columns_do_not_tell_genotypes_from_amino_acids(self):
        self.write("four.tree", "(a:1,b:1,(c:1,d:1):1);")
        for columns, status in ((19, 0), (20, 2)):
            rows = ("MKWSRYMKWSRYMKWSRYMK"[shift:] + "SRYW"[:shift] for shift in range(4))
            self.write("few", "".join(f">{name}\n{row[:columns]}\n" for name, row in zip("abcd", rows)))
            done = self.run_program("evaluate", "--msa", "few", "--tree", "four.tree", "--model", "LG")
            self.assertEqual(done.returncode, status, done.stderr.decode())

    def test_what_is_no_genotype_is_refused_with_its_place(self):
        self.write("wrong.fasta", WRONG)
        for model, more, expected in (
            ("GTJC", (), "wrong.fasta:8:3: 'V' in the sequence of taxon 'd' (site 3) is no code of a genotype; expected one of ACGTU "
                         "(two equal bases), MRWSYK (two different ones), or N ? - X for unknown; all of this file can be read as DNA"),
            ("GTJC", ("--data-type", "dna"), "the model GTJC+FE is one of genotypes (--data-type diploid10)"),
            ("GTGTR4{1/2/3}", (), "--model:1:7: model 'GTGTR4{1/2/3}': found"),
        ):  # fmt: skip
            done = self.run_program("evaluate", "--msa", "wrong.fasta", "--tree", DATA / "ten.tree", "--model", model, *more)
            self.assertEqual(done.returncode, 2)
            self.assertIn(expected, done.stderr.decode())


if __name__ == "__main__":
    main()
