"""The same seed gives the same trees and log-likelihoods, to the last bit, however the work is spread."""

import gzip
import json
import os

from phylo_process import DATA, ProgramTest, environment, figures, main

MSA = DATA / "ten.phy"
PLAIN = {"MASLIN_SERIAL": None, "MASLIN_WORKERS": None, "MASLIN_PIN": None}


def spread_over(**changes):
    return environment(**{**PLAIN, **changes})


class SameBytes(ProgramTest):
    def everything(self, prefix, *more, env=None, msa=MSA, replicates=6, starts=2):
        self.run_well("all", "--msa", msa, "--model", "GTR+G", "--starts", starts, "--replicates", replicates, "--seed", 11,
                      "--prefix", prefix, "--quiet", *more, env=env)  # fmt: skip
        return self.trees(prefix), figures(self.result(prefix))

    def assert_same(self, ways):
        expected = self.everything("serial", env=spread_over(MASLIN_SERIAL="1"))
        self.assertEqual(len(expected[1]["trees"]), 8)
        for name, env in ways.items():
            with self.subTest(name):
                trees, values = self.everything(name, env=env)
                self.assertEqual(trees, expected[0])
                self.assertEqual(values, expected[1])

    def test_at_any_number_of_workers(self):
        self.assert_same({f"workers_{n}": spread_over(MASLIN_WORKERS=str(n)) for n in (1, 2, 3, 8)})

    def test_in_every_configuration(self):
        pins = [(streams, width) for streams in range(1, 9) for width in range(1, 9) if streams * width <= 8]
        self.assert_same(
            {
                f"pin_{streams}x{width}": spread_over(MASLIN_WORKERS="8", MASLIN_PIN=f"trees={streams}x{width}")
                for streams, width in pins
            }
        )

    def test_a_pinned_configuration_is_the_one_that_runs(self):
        self.everything("pinned", env=spread_over(MASLIN_WORKERS="3", MASLIN_PIN="trees=1x3"))
        sizing = self.result("pinned")["right_sizing"]
        self.assertEqual(sizing["pinned_by"], "MASLIN_PIN")
        self.assertEqual(sizing["chosen"], {"streams": 1, "width": 3, "wider": 0})

    def test_compressed_and_from_standard_input(self):
        command = ("search", "--model", "JC", "--seed", 4, "--quiet", "--msa")
        self.run_well(*command, MSA, "--prefix", "file")
        (self.folder / "ten.phy.gz").write_bytes(gzip.compress(MSA.read_bytes()))
        self.run_well(*command, "ten.phy.gz", "--prefix", "compressed")
        self.run_well(*command, "-", "--prefix", "piped", input=MSA.read_bytes())
        expected = (self.folder / "file.bestTree").read_text()
        for prefix in ("compressed", "piped"):
            self.assertEqual((self.folder / f"{prefix}.bestTree").read_text(), expected)
        done = self.run_program(*command, "-", "--prefix", "x", input=b"4 6\n")
        self.assertIn("standard input:2:1: ", done.stderr.decode())
        done = self.run_program("evaluate", "--model", "JC", "--msa", "-", "--tree", "-", input=MSA.read_bytes())
        self.assertEqual((done.returncode, done.stderr.decode()), (2, "maslin-phylo: standard input: two options say -, and the first has read "
                                                                      "all of it; give one of them the path of a file\n"))  # fmt: skip

    def test_in_any_alignment_format(self):
        rows = [line.split() for line in MSA.read_text().splitlines()[1:]]
        self.write("x.fasta", "".join(f">{name} something\r\n{row[:100].lower()}\r\n{row[100:]}\r\n" for name, row in rows))
        self.write("x.nex", "#NEXUS\nbegin data;\ndimensions ntax=10 nchar=240;\nformat datatype=dna gap=- interleave;\nmatrix\n"
                   + "".join(f"{name} {row[:77]}\n" for name, row in rows) + "\n"
                   + "".join(f"'{name}' {row[77:]} [{i}]\n" for i, (name, row) in enumerate(rows)) + ";\nend;\n")  # fmt: skip
        self.write("x.phy", "10 240\n" + "".join(f"{name}  {row[:50]}\n" for name, row in rows) + "\n"
                   + "".join(f"{row[50:150]}\n" for _, row in rows) + "\n" + "".join(f"{row[150:]}\n" for _, row in rows))  # fmt: skip
        expected = self.everything("sequential")
        for name in ("x.fasta", "x.nex", "x.phy"):
            trees, values = self.everything(f"from_{name}", msa=name)
            self.assertEqual(trees, expected[0])
            self.assertEqual(values["trees"], expected[1]["trees"])

    def test_one_by_one_and_all_at_once(self):
        expected = self.everything("at_once")[0]
        common = ("--msa", MSA, "--model", "GTR+G", "--seed", 11, "--quiet")
        self.run_well("search", *common, "--starts", 2, "--prefix", "single")
        self.run_well("bootstrap", *common, "--replicates", 6, "--prefix", "single")
        self.run_well("support", "--tree", "single.bestTree", "--trees", "single.bootstraps", "--prefix", "single")
        self.assertEqual(self.trees("single"), expected)

    def test_more_replicates_later(self):
        expected = self.everything("at_once")[0]
        self.everything("in_steps", replicates=2, starts=1)
        self.assertEqual(self.everything("in_steps")[0], expected)
        self.assertEqual(self.result("in_steps")["trees"], {"total": 8, "computed": 5, "restored": 3, "damaged_records": 0})

    def test_another_seed_gives_other_replicates(self):
        self.everything("one")
        self.run_well("bootstrap", "--msa", MSA, "--model", "GTR+G", "--replicates", 6, "--seed", 12, "--prefix", "two", "--quiet")
        self.assertNotEqual(self.trees("one")["bootstraps"], (self.folder / "two.bootstraps").read_bytes())

    def test_what_is_reported_is_what_the_tree_has(self):
        self.everything("x")
        best = self.result("x")["best"]
        self.write("model", best["model"])
        again = json.loads(self.run_well("evaluate", "--msa", MSA, "--tree", "x.bestTree", "--model-file", "model", "--json"))
        self.assertAlmostEqual(again["lnl"], best["lnl"], delta=1e-6)


class Answers(ProgramTest):
    def test_the_best_model_is_a_file_that_evaluate_takes(self):
        self.run_well("search", "--msa", MSA, "--model", "GTR+G", "--prefix", "x", "--quiet")
        again = json.loads(self.run_well("evaluate", "--msa", MSA, "--tree", "x.bestTree", "--model-file", "x.bestModel", "--json"))
        self.assertAlmostEqual(again["lnl"], self.result("x")["lnl"], delta=1e-6)
        self.assertEqual((self.folder / "x.bestModel").read_text(), self.result("x")["best"]["model"] + "\n")

    def test_the_log_says_what_happened_when(self):
        def log():
            return (self.folder / "x.log").read_text()

        search = ("search", "--msa", MSA, "--model", "HKY", "--prefix", "x", "--quiet")
        self.run_well(*search, "--starts", 2)
        first = log()
        self.assertRegex(first, r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ maslin-phylo search --msa .* --quiet --starts 2\n")
        for what in ("model: HKY", "seed 1, ", "search 0: log-likelihood -", "2 of 2 trees done", "finished", "Best log-likelihood: "):
            self.assertIn(what, first)
        self.assertEqual(self.result("x")["files"]["log"], "x.log")
        # What goes on adds to it, what begins anew does not.
        self.run_well(*search, "--starts", 3)
        self.assertTrue(log().startswith(first + "\n"))
        self.assertIn("3 of 3 trees done", log()[len(first):])
        self.run_well(*search, "--redo")
        self.assertEqual(log().count("maslin-phylo search"), 1)

    def test_a_log_that_is_no_file_is_refused_before_the_search(self):
        search = ("search", "--msa", MSA, "--model", "HKY", "--prefix", "x", "--quiet")
        os.mkfifo(self.folder / "x.log")
        done = self.run_program(*search)
        self.assertEqual(done.returncode, 2)
        self.assertIn("x.log", done.stderr.decode())
        self.assertFalse((self.folder / "x.bestTree").exists())

    def test_json_on_standard_output_is_the_result_file(self):
        out = self.run_well("search", "--msa", MSA, "--model", "HKY", "--prefix", "x", "--json", "--quiet")
        self.assertEqual(out, (self.folder / "x.result.json").read_text())

    def test_what_the_model_was_understood_as_is_shown(self):
        common = ("--msa", MSA, "--quiet", "--seed", 1, "--prefix")
        search = self.run_well("search", *common, "x", "--model", "gtr+g")
        self.assertIn("\nasked for: GTR+FO+G4m\n", search)
        self.assertRegex(search, r"\nModel: GTR\{[^+]*\+FU\{[^+]*\+G4m\{")  # with the values that were found
        self.assertIn("\nasked for: JC\n", self.run_well("bootstrap", *common, "y", "--model", "JC", "--replicates", 1))
        self.write("parts", "HKY+F, one = 1-100\nJC, two = 101-240\n")
        self.assertIn("\nasked for: HKY+FC, one = 1-100; JC, two = 101-240 (--brlen linked)\n",
                      self.run_well("all", *common, "z", "--model-file", "parts", "--brlen", "linked", "--replicates", 1))

    def test_a_prefix_with_a_slash_is_a_folder(self):
        self.run_well("search", "--msa", MSA, "--model", "JC", "--prefix", "new/folder/", "--quiet")
        self.assertTrue((self.folder / "new/folder/bestTree").is_file())
        self.assertTrue((self.folder / "new/folder/result.json").is_file())

    def test_the_tree_and_the_configurations_are_shown(self):
        out = self.run_well("all", "--msa", MSA, "--model", "JC", "--replicates", 4, "--prefix", "x", "--quiet")
        self.assertIn("Best log-likelihood: -", out)
        for letter in "ABCDEFGHIJ":
            self.assertEqual(out.count(f"taxon_{letter}"), 1)
        self.assertIn("streams x width", out)
        self.assertTrue(all(len(line) <= 80 for line in out.splitlines() if "taxon_" in line))

    def test_consensus_keeps_what_most_trees_share(self):
        self.write("trees", "(a,b,((c,d),e));\n(a,b,((c,e),d));\n(a,b,((c,d),e));\n")
        self.assertEqual(self.run_well("consensus", "--trees", "trees"), "(a,b,((c,d)67,e)100);\n")
        self.assertEqual(self.run_well("consensus", "--trees", "trees", "--threshold", "0.8"),
                         "(a,b,(c,d,e)100);\n")  # fmt: skip

    def test_support_counts_the_trees_that_have_the_branch(self):
        self.write("tree", "((a:1,b:1):1,((c:1,d:1):1,e:1):1);")
        self.write("trees", "(a,b,((c,d),e));\n(a,b,((c,e),d));\n(a,b,((c,d),e));\n(a,c,((b,d),e));\n")
        self.run_well("support", "--tree", "tree", "--trees", "trees", "--prefix", "x")
        text = (self.folder / "x.support").read_text()
        self.assertIn("(c:1,d:1)50:1", text)
        self.assertIn(")75:2", text)

    def test_searches_begin_at_the_trees_that_are_given(self):
        common = ("search", "--msa", MSA, "--model", "JC", "--quiet", "--prefix")
        self.run_well(*common, "x", "--starts", 2)
        self.write("two", (self.folder / "x.bestTree").read_text() + (DATA / "ten.tree").read_text())
        self.run_well(*common, "y", "--start-trees", "two", "--threads", 2)
        result = self.result("y")
        self.assertEqual((len(result["searches"]), result["workers"]), (2, 2))
        self.assertGreaterEqual(result["lnl"], self.result("x")["lnl"] - 1e-3)
        said = self.run_program(*common, "y", "--start-trees", DATA / "ten.tree")
        self.assertEqual(said.returncode, 2)
        self.assertIn("the searches of this checkpoint began at other trees (--start-trees, --search)", said.stderr.decode())

    def test_searches_begin_at_parsimony_trees_random_trees_and_files(self):
        common = ("search", "--msa", MSA, "--model", "JC", "--quiet", "--seed", 3, "--prefix")
        tree = DATA / "ten.tree"
        mixed = f"pars{{2}},rand{{2}},{tree},rand"
        self.run_well(*common, "x", "--start-trees", mixed)
        result = self.result("x")
        origins = ["parsimony", "parsimony", "random", "random", f"{tree}, tree 1", "random"]
        self.assertEqual([search["start"] for search in result["searches"]], origins)
        # Whichever start is first in the list: its random choices follow from its place there.
        self.run_well(*common, "y", "--starts", 2)
        self.assertEqual([search["lnl"] for search in self.result("y")["searches"]], [search["lnl"] for search in result["searches"][:2]])
        self.assertLess(max(search["lnl"] for search in result["searches"]) - min(search["lnl"] for search in result["searches"]), 1)
        # The same once more computes nothing, at any number of workers; more parsimony trees go on; other starts don't.
        self.run_well(*common, "x", "--start-trees", mixed, "--threads", 3)
        self.assertEqual(self.result("x")["trees"]["computed"], 0)
        self.run_well(*common, "y", "--start-trees", "pars{3}")
        self.assertEqual(self.result("y")["trees"]["restored"], 2)
        self.assertEqual(self.run_program(*common, "y", "--start-trees", "pars{2},rand").returncode, 2)

    def test_memory_bounds_what_searches_keep_and_changes_nothing(self):
        common = ("search", "--msa", MSA, "--model", "GTR+G", "--quiet", "--seed", 3, "--threads", 2, "--prefix")
        self.run_well(*common, "x")
        self.run_well(*common, "y", "--memory", "1G")  # those of all directions, instead of one vector a node
        for name in ("bestTree", "bestModel"):
            self.assertEqual((self.folder / f"y.{name}").read_bytes(), (self.folder / f"x.{name}").read_bytes())
        said = self.run_program(*common, "z", "--memory", "100K")
        self.assertEqual(said.returncode, 2)
        self.assertRegex(said.stderr.decode(), r"--memory: 102400 bytes are too few: 2 searches may run at a time, and each needs \d+ bytes "
                                               r"at least for its conditional likelihoods; expected 1M or more, or fewer --threads")
        self.assertFalse((self.folder / "z.checkpoint").exists())
        self.assertIn("--memory", self.run_program(*common, "z", "--memory", "much").stderr.decode())

    def test_bad_lists_of_start_trees_are_told(self):
        for what, message in {
            "rand{0}": "--start-trees: 'rand{0}': expected the number of trees in braces, 1 to 1000000, as in rand{10}",
            "pars{1}x": "--start-trees: 'pars{1}x': expected the number of trees in braces, 1 to 1000000, as in pars{10}",
            "pars{": "--start-trees: 'pars{': expected the number of trees in braces, 1 to 1000000, as in pars{10}",
            "pars{2},,rand": "--start-trees: 'pars{2},,rand': an item is empty; expected pars{N}, rand{N} and files of trees, with commas",
            "rand{900000},rand{900000}": "--start-trees: 'rand{900000},rand{900000}': 1800000 trees; expected 1000000 at most",
            "parsimony": "parsimony: there is no such file",
        }.items():
            said = self.run_program("search", "--msa", MSA, "--model", "JC", "--quiet", "--prefix", "x", "--start-trees", what)
            self.assertEqual(said.returncode, 2, what)
            self.assertIn(message, said.stderr.decode())

    def test_what_is_odd_is_told(self):
        rows = [("a", "ACGTACGT"), ("b", "ACGTACGA"), ("c", "ACGTACGT"), ("d", "--------"), ("e", "TCGTACG-"), ("f", "ACGTACGT")]
        self.write("odd.fasta", "".join(f">{name}\n{row}-\n" for name, row in rows))
        command = ("search", "--msa", "odd.fasta", "--model", "JC", "--prefix", "x")
        told = self.run_program(*command).stderr.decode()
        self.assertIn("note: odd.fasta: one taxon without a determined base; any place in a tree is as good: 'd'\n", told)
        self.assertIn("note: odd.fasta: 2 sequences are copies of an earlier taxon, as 'c' is the same as 'a'; how they "
                      "stand to each other in a tree means nothing: 'c' and 'f'\n", told)  # fmt: skip
        self.assertIn("1 of 9 columns have no determined base and are left out", told)
        self.assertEqual(len(self.result("x")["notes"]), 3)
        self.assertNotIn("note", self.run_program(*command, "--quiet").stderr.decode())
        self.write("stops.fasta", ">a\nMKLQRSTV*\n>b\nMKIQuSTV*\n>c\nMRLQRSAVU\n>d\nMKLNRSTIo\n")
        said = self.run_program("search", "--msa", "stops.fasta", "--model", "LG", "--prefix", "stops").stderr.decode()
        self.assertIn("note: stops.fasta: 5 characters stand for what no model has, and count as unknown: 2 '*', 1 'O', 2 'U'\n", said)

    def test_data_that_hardly_vary_are_told(self):
        def told(sites, *model):
            # Of 60 sites, d differs from the other taxa at these.
            rows = {name: "".join("C" if name == "d" and i in sites else "A" for i in range(60)) for name in "abcdefgh"}
            self.write("close.fasta", "".join(f">{name}\n{row}\n" for name, row in rows.items()))
            return self.run_program("evaluate", "--msa", "close.fasta", "--tree", "close.tree", *model).stderr.decode()

        self.write("close.tree", "(a:.1,b:.1,(c:.1,(d:.1,(e:.1,(f:.1,(g:.1,h:.1):.1):.1):.1):.1):.1);")
        self.assertIn("note: close.fasta: all 60 sites are the same in all taxa, or may be; they don't tell", told([], "--model", "JC"))
        two = "note: close.fasta: 2 of 60 sites vary, fewer than the 5 inner branches of a tree of 8 taxa; much of the tree may be arbitrary\n"
        self.assertIn(two, told([3, 40], "--model", "JC"))
        self.write("close.part", "JC, x = 1-20\nJC, y = 21-60\n")
        self.assertIn(two, told([3, 40], "--model-file", "close.part"))
        self.assertNotIn("sites", told([3, 40, 41], "--model", "JC"))  # 5 %

    def test_more_parameters_than_sites_are_told(self):
        def told(model, lengths):
            self.write("twelve.part", "".join(f"{model}, p{i} = {20 * i + 1}-{20 * i + 20}\n" for i in range(12)))
            return self.run_program("evaluate", "--msa", MSA, "--tree", DATA / "ten.tree", "--model-file", "twelve.part", "--optimize", "none",
                                    "--brlen", lengths).stderr.decode()  # fmt: skip

        # 17 branches, and 4 parameters of HKY, in each of 12 partitions
        self.assertIn("ten.phy: 252 free parameters for 240 sites in 12 partitions; chance fits much of that, so take fewer partitions, or "
                      "--brlen scaled, which needs fewer branch lengths\n", told("HKY", "unlinked"))  # fmt: skip
        self.assertNotIn("free parameters", told("HKY", "scaled") + told("JC", "unlinked"))

    def test_transfer_support_counts_the_tips_that_move(self):
        self.write("tree", "(((a,b),c),d,(e,(f,(g,h))));")
        # Of a, b, c | d ... h one tip must move, or none; e, f, g, h | a, b, c, d is there, or lacks one tip.
        self.write("trees", "(((a,b),c),d,(e,(f,(g,h))));\n(((a,b),d),c,(e,(f,(g,h))));\n(((a,b),c),e,(d,(f,(g,h))));\n")
        out = json.loads(self.run_well("support", "--tree", "tree", "--trees", "trees", "--metric", "tbe", "--prefix", "x",
                                       "--json"))
        self.assertEqual(out["metric"], "tbe")
        self.assertEqual(out["tree"], "(a,b,(c,(d,(e,(f,(g,h)100)100)89)83)100);")
        self.run_well("support", "--tree", "tree", "--trees", "trees", "--prefix", "y")
        self.assertEqual((self.folder / "y.support").read_text(), "(a,b,(c,(d,(e,(f,(g,h)100)100)67)67)100);\n")

    def test_bootstop_ends_when_there_are_enough(self):
        common = ("bootstrap", "--msa", MSA, "--model", "JC", "--seed", 3, "--quiet")
        found = []
        for prefix, settings in (("one", {"MASLIN_WORKERS": "1"}), ("three", {"MASLIN_WORKERS": "3"})):
            self.run_well(*common, "--bootstop", "--cutoff", "0.06", "--prefix", prefix, env=environment(**settings))
            found.append((self.folder / f"{prefix}.bootstraps").read_text())
        enough = found[0].count("\n")
        self.assertTrue(enough % 50 == 0 and 50 < enough < 1000, enough)
        self.assertEqual(found[0], found[1])
        result = self.result("one")
        self.assertEqual((result["bootstop"]["enough"], result["trees"]["total"]), (True, enough))
        self.assertLessEqual(result["bootstop"]["difference"], 0.06)
        # What is finished counts, too: a run that goes on knows at once that there are enough.
        self.run_well(*common, "--replicates", enough + 50, "--prefix", "two")
        self.run_well(*common, "--bootstop", "--cutoff", "0.06", "--prefix", "two")
        self.assertEqual((self.folder / "two.bootstraps").read_text(), found[0])
        self.assertEqual(self.result("two")["trees"]["computed"], 0)
        # With too few that may be made, all are, and the result says that they may not be enough.
        out = self.run_well(*common, "--bootstop", "--replicates", 60, "--prefix", "few")
        self.assertIn("60 replicates may not be enough: halves of them differ by", out)

    def test_distances_are_those_of_all_pairs(self):
        self.write("trees", "(a,b,((c,d),e));\n(a,b,((c,e),d));\n(b,a,(e,(d,c)));\n(a,c,((b,d),e));\n")
        out = self.run_well("distances", "--trees", "trees", "--prefix", "x")
        self.assertIn("4 trees, 3 topologies\n", out)
        rows = [line.split("\t") for line in (self.folder / "x.distances").read_text().splitlines()]
        self.assertEqual([row[:3] for row in rows], [["0", "1", "2"], ["0", "2", "0"], ["0", "3", "4"], ["1", "2", "2"],
                                                     ["1", "3", "4"], ["2", "3", "4"]])
        self.assertEqual([float(row[3]) for row in rows], [0.5, 0, 1, 0.5, 1, 1])
        out = json.loads(self.run_well("distances", "--trees", "trees", "--json"))
        self.assertAlmostEqual(out["mean_distance"], 16 / 6)
        self.assertEqual((out["trees"], out["topologies"]), (4, 3))

    def test_models_of_dna_agree_with_iqtree(self):
        # IQ-TREE 2.0.7 at -me 0.00001: TN+FO+G4, TIM2+FO+G4, TVM+FO+G4, K3Pu+FO+G4, TPM3u+FO+G4, SYM+G4, TIMe+G4.
        published = {"TN93+G": -2289.7431, "TIM2uf+G": -2289.6935, "TVM+G": -2288.3057, "K81uf+G": -2289.4895,
                     "TPM3uf+G": -2288.5937, "SYM+G": -2315.5354, "TIM1+G": -2322.1381}  # fmt: skip
        for model, expected in published.items():
            with self.subTest(model):
                out = json.loads(self.run_well("evaluate", "--msa", MSA, "--tree", DATA / "ten.tree", "--model", model,
                                               "--optimize", "all", "--json"))  # fmt: skip
                self.assertAlmostEqual(out["lnl"], expected, delta=0.005)
                self.assertTrue(out["model"].startswith(model.split("+")[0] + "{"), out["model"])

    def test_evaluation_fits_what_it_is_asked_to(self):
        def lnl(optimize):
            common = ("--msa", MSA, "--tree", DATA / "ten.tree", "--model", "HKY+G", "--json")
            return json.loads(self.run_well("evaluate", *common, "--optimize", optimize))["lnl"]

        self.assertLess(lnl("none"), lnl("branches"))
        self.assertLess(lnl("branches"), lnl("all"))


if __name__ == "__main__":
    main()
