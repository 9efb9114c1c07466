"""Free rates over sites (+R): log-likelihoods beside IQ-TREE's, at fixed parameters and at the optimum."""

import json
import re

from phylo_process import DATA, ProgramTest, environment, main

# IQ-TREE 2.0.7: iqtree2 -s FILE -te ten.tree -blfix -nt 1 -m, with shares and rates in turns: R3{0.3,0.2,0.5,0.8,0.2,2.7}.
FIXED = (
    ("ten.phy", "HKY{3.0}+FU{0.35/0.15/0.2/0.3}+R3{0.2/0.8/2.7}{0.3/0.5/0.2}", -2354.9011),
    ("peptides.phy", "LG+R3{0.2/0.8/2.7}{0.3/0.5/0.2}", -2731.4109),
)
# -m GTR+FO+R3 -me 0.0001 -blmin 0.000001
FITTED = -2288.0203


class FreeRates(ProgramTest):
    def evaluated(self, msa, model, *more):
        return json.loads(self.run_well("evaluate", "--msa", DATA / msa, "--tree", DATA / "ten.tree", "--model", model, "--json", *more))

    def test_log_likelihoods_are_those_of_iqtree(self):
        for msa, model, expected in FIXED:
            with self.subTest(model):
                self.assertAlmostEqual(self.evaluated(msa, model)["lnl"], expected, delta=6e-5)

    def test_only_proportions_count(self):
        one, other = (self.evaluated("ten.phy", f"JC+R2{values}")["lnl"] for values in ("{1/4}{3/1}", "{2/8}{0.75/0.25}"))
        self.assertAlmostEqual(one, other, delta=1e-9)

    def test_the_optimum_is_no_worse_than_that_of_iqtree(self):
        out = self.evaluated("ten.phy", "GTR+R3", "--optimize", "all")
        self.assertGreater(out["lnl"], FITTED - 0.05)
        rates, shares = ([float(x) for x in group.split("/")] for group in re.search(r"[+]R3{([^}]*)}{([^}]*)}", out["model"]).groups())
        self.assertAlmostEqual(sum(shares), 1, delta=1e-9)
        self.assertAlmostEqual(sum(r * s for r, s in zip(rates, shares)), 1, delta=1e-9)
        self.assertEqual(rates, sorted(rates))
        self.write("fitted", out["model"])
        self.write("tree", out["tree"])
        again = self.run_well("evaluate", "--msa", DATA / "ten.phy", "--tree", "tree", "--model-file", "fitted", "--json")
        self.assertAlmostEqual(json.loads(again)["lnl"], out["lnl"], delta=1e-6)

    def test_searches_are_the_same_at_any_number_of_workers(self):
        def everything(prefix, **env):
            changes = {"MASLIN_SERIAL": None, "MASLIN_WORKERS": None, "MASLIN_PIN": None, **env}
            self.run_well("all", "--msa", DATA / "ten.phy", "--model", "HKY+I+R2", "--replicates", 2, "--prefix", prefix, "--quiet",
                          env=environment(**changes))  # fmt: skip
            return self.trees(prefix), self.result(prefix)["best"]

        expected = everything("serial", MASLIN_SERIAL="1")
        self.assertEqual(everything("three", MASLIN_WORKERS="3"), expected)

    def test_what_has_no_value_is_told(self):
        done = self.run_program("evaluate", "--msa", DATA / "ten.phy", "--tree", DATA / "ten.tree", "--model", "JC+R2")
        self.assertIn("the model gives no value for: rates and shares of categories", done.stderr.decode())
        done = self.run_program("mcmc", "--msa", DATA / "ten.phy", "--model", "JC+R2", "--prefix", "x")
        self.assertEqual(done.returncode, 2)
        self.assertIn("mcmc does not sample free rates; give those of JC+R2 in --model", done.stderr.decode())


if __name__ == "__main__":
    main()
