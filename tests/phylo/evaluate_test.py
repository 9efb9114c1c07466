"""evaluate of several trees, and the files that it writes."""

import json

from phylo_process import DATA, ProgramTest, main

MSA, TREE = DATA / "ten.phy", DATA / "ten.tree"
PARTS = "HKY+FC, a = 1-120\nJC+G, b = 121-.\n"


class Evaluate(ProgramTest):
    def setUp(self):
        super().setUp()
        good = TREE.read_text().strip()
        other = good.translate(str.maketrans("BE", "EB"))  # two taxa in each other's place
        self.write("three.trees", f"{other}\n{good}\n{other}\n")
        self.write("other.tree", other)
        self.write("parts", PARTS)

    def evaluated(self, tree, *more):
        return json.loads(self.run_well("evaluate", "--msa", MSA, "--tree", tree, "--json", *more))

    def test_several_trees_are_those_of_several_runs(self):
        for more in (("--model", "GTR+G"), ("--model", "GTR+G", "--optimize", "branches"), ("--model-file", "parts", "--optimize", "all")):
            with self.subTest(more):
                found = self.evaluated("three.trees", *more, "--threads", 2)
                alone = [self.evaluated(tree, *more) for tree in ("other.tree", TREE, "other.tree")]
                self.assertEqual([tree["lnl"] for tree in found["trees"]], [one["lnl"] for one in alone])
                self.assertEqual([tree["model"] for tree in found["trees"]], [one["model"] for one in alone])
                self.assertEqual(found["best"], 1)
                for name in ("lnl", "model", "tree", "partitions", "criteria"):
                    self.assertEqual(found.get(name), alone[1].get(name), name)
                self.assertNotIn("trees", alone[0])
        said = self.run_well("evaluate", "--msa", MSA, "--tree", "three.trees", "--model", "JC")
        self.assertRegex(said, r"\ntree 1: -\d+\.\d{9}\ntree 2: (-\d+\.\d{9})\ntree 3: -\d+\.\d{9}\nbest: tree 2\nlog-likelihood: \1\n")

    def test_what_was_found_is_written(self):
        before = set(self.folder.iterdir())
        out = self.evaluated("three.trees", "--model", "GTR+G", "--optimize", "all", "--alrt", 50, "--prefix", "out/x")
        files = {file.name[2:]: file.read_text() for file in (self.folder / "out").iterdir()}
        self.assertEqual(set(self.folder.iterdir()) - before, {self.folder / "out"})
        self.assertEqual(files["evaluatedTree"], out["tree"] + "\n")
        self.assertEqual(files["evaluatedModel"], out["model"] + "\n")
        self.assertEqual(files["evaluatedTrees"].splitlines(), [tree["tree"] for tree in out["trees"]])
        self.assertEqual(files["evaluatedAlrt"], out["alrt"]["tree"] + "\n")
        self.assertEqual(json.loads(files["evaluated.json"]), out)
        for part in ("--prefix out/x", "10 taxa, 240 sites", "seed 1", "tree 2 of 3: log-likelihood", "finished", "best: tree 2"):
            self.assertIn(part, files["log"])
        self.assertEqual(len(files), 6)
        again = self.evaluated("out/x.evaluatedTree", "--model-file", "out/x.evaluatedModel")
        self.assertAlmostEqual(again["lnl"], out["lnl"], delta=1e-6)

    def test_partitions_have_trees_of_their_own(self):
        out = self.evaluated(TREE, "--model-file", "parts", "--brlen", "unlinked", "--optimize", "all", "--prefix", "x")
        self.assertFalse((self.folder / "x.evaluatedTrees").exists())
        again = self.evaluated("x.evaluatedPartitionTrees", "--model-file", "x.evaluatedModel", "--brlen", "unlinked")
        self.assertAlmostEqual(again["lnl"], out["lnl"], delta=1e-6)

    def test_files_that_cannot_be_written_are_found_out_first(self):
        (self.folder / "x.evaluatedTree").mkdir()
        done = self.run_program("evaluate", "--msa", MSA, "--tree", TREE, "--model", "JC", "--prefix", "x")
        self.assertEqual((done.returncode, done.stdout), (2, b""))
        self.assertIn("x.evaluatedTree", done.stderr.decode())

    def test_help_lists_the_files(self):
        said = self.run_well("evaluate", "--help")
        self.run_well("evaluate", "--msa", MSA, "--tree", "three.trees", "--model", "JC", "--alrt", 9, "--prefix", "x")
        for file in self.folder.glob("x.*"):
            self.assertIn(f"\n  P{file.name[1:]} ", said)


if __name__ == "__main__":
    main()
