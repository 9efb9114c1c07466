"""Partition files in NEXUS name models as IQ-TREE does: log-likelihoods beside IQ-TREE's, of the same files."""

import json

from phylo_process import DATA, ProgramTest, main

# IQ-TREE 2.0.7, each model as the only one of a scheme: iqtree2 -s FILE -q SCHEME -te ten.tree -blfix -nt 1.
REFERENCES = (
    ("ten.phy", "JC", -2386.8644),
    ("ten.phy", "F81+G4{0.5}", -2469.5187),
    ("ten.phy", "K2P{2.5}+I{0.1}", -2347.9865),
    ("ten.phy", "HKY{2.5}", -2305.9941),
    ("ten.phy", "TNe{2.5,0.8}+G4{0.5}", -2469.0600),
    ("ten.phy", "TN{2.5,0.8}+I{0.1}", -2352.5760),
    ("ten.phy", "K3P{2.5,0.8}", -2344.4698),
    ("ten.phy", "K3Pu{2.5,0.8}+G4{0.5}", -2414.4998),
    ("ten.phy", "TPM2{2.5,0.8}+I{0.1}", -2494.6520),
    ("ten.phy", "TPM2u{2.5,0.8}", -2492.1234),
    ("ten.phy", "TPM3{2.5,0.8}+G4{0.5}", -2549.1647),
    ("ten.phy", "TPM3u{2.5,0.8}+I{0.1}", -2473.3376),
    ("ten.phy", "TIMe{1.7,4.5,0.6}", -2540.0656),
    ("ten.phy", "TIM{1.7,4.5,0.6}+G4{0.5}", -2606.2359),
    ("ten.phy", "TIM2e{1.7,4.5,0.6}+I{0.1}", -2417.0528),
    ("ten.phy", "TIM2{1.7,4.5,0.6}", -2400.9413),
    ("ten.phy", "TIM3e{1.7,4.5,0.6}+G4{0.5}", -2513.0495),
    ("ten.phy", "TIM3{1.7,4.5,0.6}+I{0.1}", -2414.0740),
    ("ten.phy", "TVMe{1.7,4.5,0.6,1.3}", -2387.4873),
    ("ten.phy", "TVM{1.7,4.5,0.6,1.3}+G4{0.5}", -2428.4012),
    ("ten.phy", "SYM{1.7,4.5,0.6,1.3,3.2}+I{0.1}", -2385.0250),
    ("ten.phy", "GTR{1.7,4.5,0.6,1.3,3.2}", -2337.0091),
    ("ten.phy", "TIM2{1.7,4.5,0.6}+FQ", -2413.0528),
    ("ten.phy", "TVM{1.7,4.5,0.6,1.3}+FQ+G4{0.5}", -2474.6958),
    ("ten.phy", "TN{2.5,0.8}+F+R2{0.3,0.2,0.7,1.8}", -2372.3881),
    ("ten.phy", "GTR{1.7,4.5,0.6,1.3,3.2}+F{0.3,0.2,0.15,0.35}+I{0.1}+G4{0.5}", -2453.4279),
    ("ten.phy", "GTR{1.7,4.5,0.6,1.3,3.2}+F{0.3,0.2,0.15,0.35}+R3{0.3,0.2,0.5,0.8,0.2,2.7}", -2380.9303),
    ("ten.phy", "010020{2.5,0.8}+F", -2344.5508),
    ("peptides.phy", "Poisson", -2370.9695),
    ("peptides.phy", "Poisson+F+G4{0.5}", -2436.9550),
    ("peptides.phy", "LG+FQ+I{0.1}", -2661.8664),
    ("peptides.phy", "JTTDCMut+F", -2610.9080),
    ("peptides.phy", "Dayhoff+FQ+G4{0.5}", -2718.5897),
    ("binary.phy", "GTR2+FQ", -827.6880),
    ("binary.phy", "JC2+FQ", -827.6880),
    ("binary.phy", "GTR2+F", -826.6706),
)

# What ModelFinder of the same version writes for genes.phy (-q CHARSETS -m TESTONLY, P.best_scheme.nex), and the
# log-likelihood with that file: -q P.best_scheme.nex -te ten.tree -me 0.0001.
BEST_SCHEME = r"""#nexus
begin sets;
  charset cox12 = 1-300\3 2-300\3;
  charset cox3 = 3-300\3;
  charset nad12 = 301-600\3 302-600\3;
  charset nad3 = 303-600\3;
  charpartition mymodels =
    HKY+F+G4: cox12,
    TN+F: cox3,
    TIM2+F+G4: nad12,
    HKY+F+G4: nad3;
end;
"""
FITTED, FREE_PARAMETERS = -3776.9629, 39

# What it writes as P.best_model.nex (-p CHARSETS -m TESTONLY -mset HKY,GTR), with other lengths of the partitions' trees, and
# the log-likelihood with that file: -q FILE -te ten.tree -blfix. Speeds are said to be these.
BEST_MODEL = r"""#nexus
begin sets;
  charset cox12 = 1-300\3 2-300\3;
  charset cox3 = 3-300\3;
  charset nad = 301-.;
  charpartition mymodels =
    HKY{3.06739}+F{0.385598,0.153728,0.193054,0.26762}: cox12{0.6},
    HKY{2.57688}+F{0.365679,0.152196,0.18999,0.292135}: cox3{6.0},
    HKY{4.12049}+F{0.383622,0.126402,0.196398,0.293578}+G4{0.693465}: nad{1.5};
end;
"""
WITH_LENGTHS, SPEEDS = -3766.1723, (0.3077, 3.0769, 0.7692)

# Files that say only which sites belong together, with a model beside them: -q FILE -m MODEL -te ten.tree -blfix.
CHARSETS = r"""#nexus
begin sets;
  charset cox12 = 1-300\3 2-300\3;
  charset cox3 = DNA, 3-300\3;
  charset nad = 301-.;
end;
"""
WITH_MODEL = (("genes.phy", CHARSETS, "HKY{2.5}+F+G4{0.5}", -3905.9894),
              ("peptides.phy", "LGF, one = 1-50\nJTT, two = 51-100 101-150\n", "WAG+G4{0.5}", -2702.4424))  # fmt: skip


class SchemesOfIqtree(ProgramTest):
    def evaluated(self, msa, scheme, *more):
        self.write("scheme.nex", scheme)
        return json.loads(self.run_well("evaluate", "--msa", DATA / msa, "--tree", DATA / "ten.tree", "--model-file", "scheme.nex",
                                        "--json", *(more if "--brlen" in more else ("--brlen", "linked", *more))))  # fmt: skip

    def scheme(self, model, sites):
        return f"#nexus\nbegin sets;\n  charset all = 1-{sites};\n  charpartition p = {model}: all;\nend;\n"

    def test_names_of_models_mean_what_they_mean_there(self):
        sites = {"ten.phy": 240, "peptides.phy": 150, "binary.phy": 150}
        for msa, model, expected in REFERENCES:
            with self.subTest(model):
                found = self.evaluated(msa, self.scheme(model, sites[msa]))
                self.assertAlmostEqual(found["lnl"], expected, delta=1e-4)
                # What is written is in this program's own notation, and means the same.
                self.write("models", found["model"])
                again = self.run_well("evaluate", "--msa", DATA / msa, "--tree", DATA / "ten.tree", "--model-file", "models", "--json")
                self.assertAlmostEqual(json.loads(again)["lnl"], found["lnl"], delta=1e-8)

    def test_what_model_finder_writes_is_read_as_it_is(self):
        found = self.evaluated("genes.phy", BEST_SCHEME, "--optimize", "all")
        self.assertAlmostEqual(found["lnl"], FITTED, delta=0.1)
        self.assertGreater(found["lnl"], FITTED - 0.01)
        self.assertEqual(found["criteria"]["free_parameters"], FREE_PARAMETERS)

    def test_lengths_of_trees_are_speeds(self):
        for brlen in ("linked", "scaled"):
            found = self.evaluated("genes.phy", BEST_MODEL, "--brlen", brlen)
            self.assertAlmostEqual(found["lnl"], WITH_LENGTHS, delta=1e-4)
            for part, speed in zip(found["partitions"], SPEEDS, strict=True):
                self.assertAlmostEqual(float(part["model"].split("+BU{")[1].rstrip("}")), speed, delta=1e-4)
        found = self.evaluated("genes.phy", BEST_MODEL, "--brlen", "unlinked")
        self.assertNotIn("+BU", found["model"])

    def test_a_model_stands_beside_a_file_that_says_only_which_sites(self):
        for msa, scheme, model, expected in WITH_MODEL:
            with self.subTest(msa):
                found = self.evaluated(msa, scheme, "--model", model)
                self.assertAlmostEqual(found["lnl"], expected, delta=1e-4)

    def refused(self, models):
        self.write("models", models)
        done = self.run_program("evaluate", "--msa", DATA / "ten.phy", "--tree", DATA / "ten.tree", "--model-file", "models")
        self.assertEqual(done.returncode, 2, done.stderr.decode())
        return done.stderr.decode()

    def test_what_is_not_understood_is_told_with_its_place(self):
        self.assertIn("models:4:21: model 'C20+F': found 'C20+F' at column 1; expected a model; maslin-phylo search --help lists them",
                      self.refused(self.scheme("C20+F", 240)))  # fmt: skip
        self.assertIn("models:4:28: model 'HKY+G4+T': found 'T' at column 8", self.refused(self.scheme("HKY+G4+T", 240)))
        said = self.refused("DNA, a = 1-100\nDNA, b = 101-240\n")
        self.assertIn("models:1:1: model 'DNA': found 'DNA' at column 1; DNA is a kind of data, as in files of RAxML; expected a model", said)


if __name__ == "__main__":
    main()
