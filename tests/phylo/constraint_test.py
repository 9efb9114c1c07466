"""Constraint trees: all trees display them, at any number of workers and after a pause; bad ones are named."""

import re

from phylo_process import DATA, ProgramTest, environment, figures, main

MSA = DATA / "ten.phy"

# Against what the data say: A and C stand together, and so do B, D, E and F; of these E and F. G to J may be anywhere.
CONSTRAINT = "((taxon_A:1,taxon_C:2)90,\n (taxon_B,(taxon_E,taxon_F),taxon_D));\n"
CLUSTERS = ("AC", "EF")


def splits_of(newick, among):
    """The sides of all branches, of those taxa only."""
    stack, found = [], set()
    for token in re.findall(r"[(),]|[^(),;]+", newick.strip().rstrip(";")):
        if token == "(":
            stack.append(set())
        elif token == ")":
            last = stack.pop()
            found.add("".join(sorted(last & set(among))))
            if stack:
                stack[-1] |= last
        elif token.startswith("taxon_"):
            stack[-1].add(token[6])
    return found | {"".join(sorted(set(among) - set(side))) for side in found}


class Constraints(ProgramTest):
    def everything(self, prefix, replicates=3, *more, **env):
        changes = {"MASLIN_SERIAL": None, "MASLIN_WORKERS": None, "MASLIN_PIN": None, **env}
        out = self.run_well("all", "--msa", MSA, "--model", "GTR+G", "--starts", 2, "--replicates", replicates, "--seed", 4, "--prefix",
                            prefix, "--quiet", *more, env=environment(**changes))  # fmt: skip
        return self.trees(prefix), figures(self.result(prefix)), out

    def test_all_trees_display_it(self):
        self.write("known", CONSTRAINT)
        expected = self.everything("serial", 3, "--tree-constraint", "known", MASLIN_SERIAL="1")
        self.assertIn("constrained by known: 2 branches among 6 of the taxa", expected[2])
        self.assertEqual(self.result("serial")["constraint"], {"file": "known", "taxa": 6, "branches": 2})
        free = self.everything("free")
        self.assertGreater(self.result("free")["lnl"], self.result("serial")["lnl"] + 1)
        for what in ("bestTree", "bootstraps"):
            for line in expected[0][what].decode().splitlines():
                self.assertLessEqual(set(CLUSTERS), splits_of(line, "ABCDEF"))
            self.assertFalse(all(set(CLUSTERS) <= splits_of(line, "ABCDEF") for line in free[0][what].decode().splitlines()))
        for name, env in {"three": {"MASLIN_WORKERS": "3"}, "wide": {"MASLIN_WORKERS": "4", "MASLIN_PIN": "trees=2x2"}}.items():
            self.assertEqual(self.everything(name, 3, "--tree-constraint", "known", **env)[:2], expected[:2])
        self.everything("later", 1, "--tree-constraint", "known")
        # Another way to write the same.
        self.write("same", "(taxon_B,taxon_D,(taxon_F,taxon_E),(taxon_C,taxon_A));")
        self.assertEqual(self.everything("later", 3, "--tree-constraint", "same")[:2], expected[:2])

    def test_given_starts_must_display_it(self):
        self.write("known", CONSTRAINT)
        self.write("start", (DATA / "ten.tree").read_text())
        self.assertIn("start:1:1: tree 1 of 1 does not display the constraint (--tree-constraint), by which 2 of its taxa stand apart",
                      self.refused("--start-trees", "start", "--tree-constraint", "known"))  # fmt: skip
        self.run_well("search", "--msa", MSA, "--model", "JC", "--prefix", "good", "--quiet", "--tree-constraint", "known")
        self.run_well("search", "--msa", MSA, "--model", "JC", "--prefix", "again", "--quiet", "--tree-constraint", "known", "--start-trees",
                      "good.bestTree")  # fmt: skip
        self.assertLessEqual(set(CLUSTERS), splits_of((self.folder / "again.bestTree").read_text(), "ABCDEF"))

    def refused(self, *more):
        done = self.run_program("search", "--msa", MSA, "--model", "JC", "--prefix", "x", "--quiet", *more)
        self.assertEqual(done.returncode, 2, done.stderr.decode())
        self.assertEqual(done.stderr.decode().count("\n"), 1, done.stderr.decode())
        return done.stderr.decode()

    def test_bad_ones_are_named_with_their_place(self):
        def said(text):
            self.write("bad", text)
            return self.refused("--tree-constraint", "bad")

        self.assertIn("bad:2:11: the constraint has the taxon 'taxon_X', which the alignment lacks", said("((taxon_A,taxon_B),\n (taxon_C,taxon_X));"))
        self.assertIn("(did you mean 'taxon_A'?)", said("((taxon_a,taxon_B),(taxon_C,taxon_D));"))
        self.assertIn("bad:1:31: taxon 'taxon_A' stands twice", said("((taxon_A,taxon_B),(taxon_C,  taxon_A));"))
        self.assertIn("bad:1:1: this tree constrains nothing", said("(taxon_A,taxon_B,taxon_C,taxon_D);"))
        self.assertIn("bad:1:1: the file is empty", said(""))
        self.assertIn("nowhere: there is no such file", self.refused("--tree-constraint", "nowhere"))

    def test_what_was_begun_otherwise_is_not_gone_on_with(self):
        self.write("known", CONSTRAINT)
        search = ("search", "--msa", MSA, "--model", "JC", "--prefix", "x", "--quiet")
        self.run_well(*search)
        self.assertIn("this checkpoint was made with no constraint tree (--tree-constraint)", self.refused("--tree-constraint", "known"))
        self.run_well(*search, "--redo", "--tree-constraint", "known")
        self.assertIn("this checkpoint was made with a constraint tree (--tree-constraint)", self.refused())


if __name__ == "__main__":
    main()
