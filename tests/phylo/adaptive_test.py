"""--search: how far searches go; of adaptive, what the difficulty decides; and that results depend on nothing else of the run."""

import random

from phylo_process import DATA, ProgramTest, environment, figures, main

MSA = DATA / "ten.phy"
PLAIN = {"MASLIN_SERIAL": None, "MASLIN_WORKERS": None, "MASLIN_PIN": None}


class Adaptive(ProgramTest):
    def search(self, prefix, *more, msa=MSA, command="search", **changes):
        self.run_well(command, "--msa", msa, "--model", "GTR+G", "--search", "adaptive", "--seed", 3, "--prefix", prefix, "--quiet", *more,
                      env=environment(**{**PLAIN, **changes}))  # fmt: skip
        return self.result(prefix)

    def noise(self):
        draw = random.Random(1)
        return self.write("noise.fasta", "".join(f">t{taxon}\n{''.join(draw.choices('ACGT', k=60))}\n" for taxon in range(14)))

    def test_searches_are_those_of_the_plan(self):
        for msa in (MSA, self.noise()):
            result = self.search("x", "--redo", msa=msa)
            plan = result["difficulty"]
            self.assertEqual([search["start"] for search in result["searches"]],
                             ["parsimony"] * plan["parsimony_starts"] + ["random"] * plan["random_starts"])  # fmt: skip
            self.assertTrue(0 <= plan["score"] <= 1 and 0 <= plan["distance"] <= 1 and 0 < plan["topologies"] <= 1, plan)

    def test_noise_is_more_difficult(self):
        easy = self.search("easy")["difficulty"]
        hard = self.search("hard", msa=self.noise())["difficulty"]
        self.assertLess(easy["score"], 0.35)
        self.assertGreater(hard["score"], 0.7)
        self.assertGreater(hard["distance"], easy["distance"])

    def test_the_difficulty_is_said_and_logged(self):
        said = self.run_program("search", "--msa", MSA, "--model", "JC", "--search", "adaptive", "--prefix", "x")
        plan = self.result("x")["difficulty"]
        self.assertRegex(said.stderr.decode(), f" {plan['ratchets']} {'ratchet' if plan['ratchets'] == 1 else 'ratchets'} each\n")
        self.assertEqual(plan["ratchets"], 1)
        sentence = "difficulty {score:.2f} (parsimony trees: distance {distance:.3f}, ".format(**self.result("x")["difficulty"])
        self.assertIn("maslin-phylo: " + sentence, said.stderr.decode())
        self.assertIn("\n" + sentence, said.stdout.decode())
        self.assertIn("\n" + sentence, (self.folder / "x.log").read_text())

    def test_the_same_bytes_in_every_layout(self):
        expected = figures(self.search("serial", "--replicates", 3, command="all", MASLIN_SERIAL="1"))
        trees = self.trees("serial")
        for name, changes in {"one": {"MASLIN_WORKERS": "1"}, "five": {"MASLIN_WORKERS": "5"},
                              "wide": {"MASLIN_WORKERS": "4", "MASLIN_PIN": "trees=1x4"}}.items():  # fmt: skip
            result = self.search(name, "--replicates", 3, command="all", **changes)
            self.assertEqual(figures(result), expected, name)
            self.assertEqual(self.trees(name), trees, name)
            self.assertEqual(result["difficulty"], self.result("serial")["difficulty"], name)

    def test_a_run_goes_on_and_another_kind_of_search_is_refused(self):
        first = self.search("x")
        for record in self.folder.glob("x.checkpoint/search-*"):
            record.unlink()
            break
        again = self.search("x")
        self.assertEqual((again["trees"]["computed"], again["lnl"]), (1, first["lnl"]))
        other = self.run_program("search", "--msa", MSA, "--model", "GTR+G", "--seed", 3, "--prefix", "x")
        self.assertEqual(other.returncode, 2)
        self.assertIn("began at other trees (--start-trees, --search)", other.stderr.decode())

    def test_each_word_is_another_search(self):
        common = ("--msa", self.noise(), "--model", "JC", "--seed", 3, "--quiet")
        for word in ("fast", "standard", "thorough"):
            self.run_well("all", *common, "--replicates", 2, "--search", word, "--prefix", word)
            self.assertEqual(self.result(word)["search"], word)
            self.run_well("bootstrap", *common, "--replicates", 2, "--search", word, "--prefix", f"{word}2")
            self.assertEqual((self.folder / f"{word}2.bootstraps").read_bytes(), (self.folder / f"{word}.bootstraps").read_bytes())
        lnl = {word: self.result(word)["lnl"] for word in ("fast", "standard", "thorough")}
        self.assertGreater(lnl["thorough"], lnl["fast"] + 0.1)
        self.assertGreater(lnl["standard"], lnl["fast"] - 0.01)
        self.run_well("search", *common, "--prefix", "x")
        self.assertEqual(self.result("x")["lnl"], lnl["standard"])
        other = self.run_program("search", *common, "--search", "thorough", "--prefix", "x")
        self.assertEqual(other.returncode, 2)
        self.assertIn("made with --search standard, not thorough; choose another --prefix", other.stderr.decode())
        wrong = self.run_program("bootstrap", *common, "--search", "adaptive", "--prefix", "y")
        self.assertEqual(wrong.returncode, 2)
        self.assertIn("'adaptive' is not a value of --search", wrong.stderr.decode())

    def test_starts_of_ones_own_are_not_adaptive(self):
        for option, value in (("--starts", 2), ("--start-trees", "rand")):
            said = self.run_program("search", "--msa", MSA, "--model", "JC", "--search", "adaptive", option, value, "--prefix", "x")
            self.assertEqual(said.returncode, 2, option)
            self.assertIn("--search", said.stderr.decode())


if __name__ == "__main__":
    main()
