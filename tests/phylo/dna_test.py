"""Models of DNA: log-likelihoods at fixed parameters beside those of three other programs."""

import json

from phylo_process import DATA, ProgramTest, main

# IQ-TREE 2.0.7: iqtree2 -s ten.phy -m MODEL -te ten.tree -blfix -nt 1; four digits are printed. Its names and values stand
# beside those of this program.
FREQUENCIES = "+FU{0.3/0.2/0.15/0.35}", "+F{0.3,0.2,0.15,0.35}"
IQTREE = (
    ("K80{2.5}", "K80{2.5}", -2340.5754),
    ("K80{2.5}+I{0.2}+G4{0.5}", "K80{2.5}+I{0.2}+G4{0.5}", -2490.7981),
    ("TN93{1/2.5/1/1/4/1}", "TN{2.5,4.0}", -2344.2913),
    ("TN93{1/2.5/1/1/4/1}+G4{0.5}", "TN{2.5,4.0}+G4{0.5}", -2441.4118),
    ("TIM2uf{1.7/4.5/1.7/1/0.6/1}+I{0.2}", "TIM2{1.7,4.5,0.6}+I{0.2}", -2412.3887),
    ("TIM2uf{1.7/4.5/1.7/1/0.6/1}+G4{0.5}", "TIM2{1.7,4.5,0.6}+G4{0.5}", -2471.4690),
    ("TVM{1.7/4.5/0.6/1.3/4.5/1}", "TVM{1.7,4.5,0.6,1.3}", -2350.3390),
    ("TVM{1.7/4.5/0.6/1.3/4.5/1}+I{0.2}+G4{0.5}", "TVM{1.7,4.5,0.6,1.3}+I{0.2}+G4{0.5}", -2480.1123),
    ("SYM{1.7/4.5/0.6/1.3/3.2/1}+I{0.2}", "SYM{1.7,4.5,0.6,1.3,3.2}+I{0.2}", -2398.8042),
    ("SYM{1.7/4.5/0.6/1.3/3.2/1}+G4{0.5}", "SYM{1.7,4.5,0.6,1.3,3.2}+G4{0.5}", -2471.2275),
    ("GTR{1.7/4.5/0.6/1.3/3.2/1}", "GTR{1.7,4.5,0.6,1.3,3.2}", -2337.1793),
    ("GTR{1.7/4.5/0.6/1.3/3.2/1}+G4{0.5}", "GTR{1.7,4.5,0.6,1.3,3.2}+G4{0.5}", -2434.5987),
    ("GTR{1.7/4.5/0.6/1.3/3.2/1}+I{0.2}+G4{0.5}", "GTR{1.7,4.5,0.6,1.3,3.2}+I{0.2}+G4{0.5}", -2475.5276),
)

# PhyML 3.3.20220408: phyml -i ten.phy -d nt -u ten.tree -o n -b 0, with -m, -t, -f, -v, -c and -a as they stand; five digits
# are printed. Its command line takes no rates of GTR.
PHYML = (
    ("JC", -2386.86435),
    ("F81+FU{0.3/0.2/0.15/0.35}+G4{0.5}", -2492.65890),
    ("K80{2.5}+I{0.2}", -2365.06445),
    ("K80{2.5}+I{0.2}+G4{0.5}", -2490.79805),
    ("HKY{2.5}+FU{0.3/0.2/0.15/0.35}+G4{0.5}", -2433.23705),
    ("HKY{2.5}+FU{0.3/0.2/0.15/0.35}+I{0.2}+G8{0.7}", -2445.30543),
)

# RAxML 8.2.12: raxmlHPC -f e -s genes.phy -t ten.tree -m GTRGAMMA -e 0.00001, and the same with --HKY85. It takes given
# parameters only in a binary file that it has written itself (-R), so these are the ones that it fitted and printed.
RAXML = (
    ("GTR{0.958520/3.680459/1.008181/1.171836/2.831327/1.000000}+FU{0.381293/0.139796/0.194218/0.284694}+G4{0.570924}",
     "((taxon_E:0.129717231677,(taxon_H:0.131538923212,((taxon_I:0.214216106253,(taxon_C:0.14900106052"
     "1,taxon_B:1.00000050003e-06):0.217039111069):0.0479955755248,((taxon_F:0.185373893956,taxon_J:0."
     "134355504935):0.0445190610584,taxon_D:0.206255759088):0.121098802479):0.00158365437517):0.270393"
     "763709):0.0865908913866,taxon_G:0.113577287926,taxon_A:0.0401410751779);",
     -3887.303688),
    ("HKY{1.000000/3.265318/1.000000/1.000000/3.265318/1.000000}+FU{0.381293/0.139796/0.194218/0.284694}+G4{0.574432}",
     "((taxon_E:0.129139991974,(taxon_H:0.129404904128,((taxon_I:0.211622387334,(taxon_C:0.14692261432"
     "8,taxon_B:0.00172120595576):0.213161259035):0.0472783152118,((taxon_F:0.183299033257,taxon_J:0.1"
     "34113801608):0.0445797490019,taxon_D:0.203715664474):0.118864754956):0.00276126800596):0.2664780"
     "45045):0.0851070950705,taxon_G:0.112451501893,taxon_A:0.0400231293151);",
     -3888.997081),
)

# RAxML-NG 1.2.2: raxml-ng --evaluate --msa FILE --tree ten.tree --model MODEL --opt-model off --opt-branches off --precision 9
RAXML_NG = (
    ("ten.phy", "HKY{1/3}+FU{0.35/0.15/0.2/0.3}+G4a{0.5}", -2400.665760586),
    ("ten.phy", "HKY{1/3}+FU{0.35/0.15/0.2/0.3}+GA{0.5}", -2400.665760586),
    ("ten.phy", "HKY{1/3}+FU{0.35/0.15/0.2/0.3}+IC", -2308.679311229),
    ("ten.phy", "HKY{1/3}+FU{0.35/0.15/0.2/0.3}+IC+G6a{0.3}", -2465.286333135),
    ("ten.phy", "HKY{1/3}+FC+G4a{0.5}", -2400.949397958),
    ("binary.phy", "BIN+FU{0.4/0.6}+IC", -849.191338722),
)


class DnaModels(ProgramTest):
    def evaluated(self, msa, model, tree=DATA / "ten.tree"):
        return json.loads(self.run_well("evaluate", "--msa", DATA / msa, "--tree", tree, "--model", model, "--json"))["lnl"]

    def test_log_likelihoods_are_those_of_iqtree(self):
        for model, theirs, expected in IQTREE:
            with self.subTest(model):
                ours, in_nexus = (text if model[:3] in ("K80", "SYM") else text.replace("}", "}" + frequencies, 1)
                                  for text, frequencies in zip((model, theirs), FREQUENCIES))  # fmt: skip
                self.assertAlmostEqual(self.evaluated("ten.phy", ours), expected, delta=1e-4)
                self.write("scheme.nex", f"#nexus\nbegin sets;\ncharset all = 1-240;\ncharpartition p = {in_nexus}: all;\nend;\n")
                found = self.run_well("evaluate", "--msa", DATA / "ten.phy", "--tree", DATA / "ten.tree", "--model-file", "scheme.nex",
                                      "--json")  # fmt: skip
                self.assertAlmostEqual(json.loads(found)["lnl"], expected, delta=1e-4)

    def test_log_likelihoods_are_those_of_raxml_ng(self):
        for msa, model, expected in RAXML_NG:
            with self.subTest(model):
                self.assertAlmostEqual(self.evaluated(msa, model), expected, delta=1e-5)

    def test_counted_invariant_sites_are_kept_and_are_a_parameter(self):
        def fitted(model):
            return json.loads(self.run_well("evaluate", "--msa", DATA / "ten.phy", "--tree", DATA / "ten.tree", "--model", model,
                                            "--optimize", "all", "--json"))  # fmt: skip

        counted, given = fitted("HKY+FE+IC+GA"), fitted("HKY+FE+I{0.05}+GA")
        self.assertIn("+I{0.05}+G4a{", counted["model"])
        self.assertEqual(counted["lnl"], given["lnl"])
        self.assertEqual(counted["criteria"]["free_parameters"], given["criteria"]["free_parameters"] + 1)

    def test_log_likelihoods_are_those_of_phyml(self):
        for model, expected in PHYML:
            with self.subTest(model):
                self.assertAlmostEqual(self.evaluated("ten.phy", model), expected, delta=2e-5)

    def test_log_likelihoods_are_those_of_raxml(self):
        for model, tree, expected in RAXML:
            with self.subTest(model):
                self.assertAlmostEqual(self.evaluated("genes.phy", model, self.write("tree", tree)), expected, delta=1e-4)


if __name__ == "__main__":
    main()
