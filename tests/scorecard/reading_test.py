"""How the scorecard reads alignments and reports."""

import os
import sys
import tempfile
import unittest
from pathlib import Path
from unittest import mock

from figures import dbs
from grain.cases import DEVELOPMENT, HELD_OUT, real_cases, virtual_cases
from scorecard import data, measure, raxml, tree_rows, tree_search
from scorecard.figures import Plan, grain_neighbours, grain_regret, phylo_bootstrap, phylo_evaluate, phylo_memory, phylo_models, phylo_newview, phylo_search, phylo_unequal, small_work, trace_overhead
from scorecard.measure import MeasurementError, alternate, by_what, execute
from scorecard.row import MET, MISSED, NOT_MEASURED
from unseen import agree

INFO = """
Alignment Patterns: 767
Overall Time for Tree Evaluation with branch length scalers: 1.394543
Final GAMMA  likelihood: -12082.608647
alpha: 0.486375
Branch length scaler: 0.998428
rate A <-> C: 1.5
rate A <-> G: 25.9
rate A <-> T: 1.6
rate C <-> G: 0.4
rate C <-> T: 29.0
rate G <-> T: 1.0
freq pi(A): 0.31
freq pi(C): 0.28
freq pi(G): 0.13
freq pi(T): 0.28
Bootstrap[0]: Time 2.5 seconds, bootstrap likelihood -11311.188589, best rearrangement setting 5
Bootstrap[1]: Time 3.1 seconds, bootstrap likelihood -11591.906133, best rearrangement setting 10
"""


class FakeJob(raxml.Job):
    def __init__(self, *_, **__):
        self.seconds, self.output, self.info, self.results = 6.0, "", INFO, {}


class Reading(unittest.TestCase):
    def test_rows_of_a_matrix_may_go_on(self):
        rows = data.nexus_rows("#NEXUS\nbegin data;\n matrix\n a ACG\n b A-?\n\n a TT\n b ??\n;\nend;\n")
        self.assertEqual(rows, {"a": "ACGTT", "b": "A-???"})

    def test_columns_without_any_base_go(self):
        self.assertEqual(data.determined_columns({"a": "A-N?", "b": "A?xC"}), {"a": "A?", "b": "AC"})

    def test_what_raxml_reports_is_found(self):
        with mock.patch.object(raxml, "Job", FakeJob):
            boots = raxml.bootstraps("msa", 2, 1)
            self.assertEqual(boots.lnls, [-11311.188589, -11591.906133])
            end = raxml.scale_branches("msa", "tree")
        self.assertEqual((end.seconds, end.lnl, end.patterns, end.scaler), (1.394543, -12082.608647, 767, 0.998428))
        self.assertEqual(end.model, "GTR{1.500000/25.900000/1.600000/0.400000/29.000000/1.000000}"
                                    "+FU{0.310000/0.280000/0.130000/0.280000}+G4m{0.486375}")

    def test_a_report_without_all_bootstraps_is_refused(self):
        with mock.patch.object(raxml, "Job", FakeJob), self.assertRaises(MeasurementError):
            raxml.bootstraps("msa", 3, 1)

    def test_nanoseconds_per_pattern_come_from_the_benchmarks_counter(self):
        report = {"benchmarks": [
            {"run_type": "iteration", "name": "newview_inner_inner/avx2/1024", "per_pattern": 7e-9},
            {"run_type": "iteration", "name": "newview_tip_inner/avx2/1024", "per_pattern": 4e-9},
            {"run_type": "aggregate", "name": "newview_inner_inner/avx2/1024_mean", "per_pattern": 1e-9},
            {"run_type": "iteration", "name": "newview20_inner_inner/avx2/1024", "per_pattern": 90e-9},
            {"run_type": "iteration", "name": "bound20_memory/avx2/1024", "per_pattern": 60e-9},
            {"run_type": "iteration", "name": "bound20_arithmetic/avx2/1024", "per_pattern": 80e-9},
            {"run_type": "iteration", "name": "newview_inner_inner/avx2/16384", "per_pattern": 13e-9}]}
        found = phylo_newview.rates_of(report)
        self.assertEqual({what: round(rate, 9) for what, rate in found.items()},
                         {("newview_inner_inner", 1024): 7.0, ("newview_inner_inner", 16384): 13.0, ("newview20_inner_inner", 1024): 90.0,
                          ("bound20_memory", 1024): 60.0, ("bound20_arithmetic", 1024): 80.0})
        row = phylo_newview.of_20_states(by_what({side: [found] * 7 for side in ("maslin", "maslin again")}), 1024)
        self.assertEqual((row.peer, round(row.ratio, 9), row.verdict), ("bound by arithmetic", 1.125, "missed"))

    def test_every_fixed_configuration_is_tried(self):
        self.assertEqual(grain_regret.configurations(2), [(1, 1), (2, 1), (1, 2)])
        self.assertEqual(set(grain_regret.configurations(4)), {(1, 1), (2, 1), (3, 1), (4, 1), (1, 2), (2, 2), (1, 3), (1, 4)})


    def test_a_tree_searchers_log_likelihood_is_found(self):
        writes = "cp $0 $0.log; echo 'score: -12.5' >> $0.log"
        searcher = tree_search.Searcher("made up", lambda: Path("/bin/sh"), lambda file, seed: ["-c", writes, file], "{}.log", r"score: (-[0-9.]+)")
        with tempfile.TemporaryDirectory() as folder:
            files = [Path(folder) / name for name in ("a", "b")]
            for file in files:
                file.write_text("ACGT\n")
            found = tree_search.search(searcher, files, 1)
        self.assertEqual(found.lnls, [-12.5, -12.5])


class Bootstraps(unittest.TestCase):
    """Made-up searches: raxml takes 8 s, iqtree 6 s, phyml 12 s, or it is ended; ours takes 1.5 s."""

    def row(self, our_lnls: list[float], phyml: float = 12.0, means: dict[str, float] | None = None):
        searchers = [mock.Mock(), mock.Mock()]
        searchers[0].name, searchers[1].name = "iqtree", "phyml"
        seconds = {"iqtree": 6.0, "phyml": phyml}

        def search(searcher, alignments, seed, limit_s=1800.0):
            if seconds[searcher.name] > limit_s:
                raise measure.TooLate()
            return tree_search.Searches(seconds[searcher.name], [-101.0] * 4)

        with mock.patch.multiple(raxml, bootstraps=lambda *_, **__: raxml.Bootstraps(8.0, [-100.0] * 4), resampled=lambda *_: ["a"] * 4,
                                 version=lambda: "8"), \
                mock.patch.multiple(tree_search, present=lambda: searchers, version=lambda one: "2", search=search), \
                mock.patch.multiple(phylo_bootstrap, our_lnls=lambda *_: our_lnls, our_seconds=lambda *_: 1.5):
            row, = phylo_bootstrap.against_all("x", Path("msa"), 4, Path("folder"), Plan(quick=False), {} if means is None else means)
        return row

    def test_the_fastest_peer_counts_and_those_that_are_far_behind_run_once(self):
        row = self.row([-100.0] * 4)
        self.assertEqual((row.peer, row.ratio, row.verdict, row.rounds), ("iqtree", 4.0, MET, 7))
        self.assertEqual(set(row.samples), {"maslin", "maslin again", "raxml", "iqtree"})
        self.assertIn("phyml 12.0 s", row.note)
        self.assertIn("--peer raxml-ng=PATH", row.note)
        self.assertEqual(set(row.versions), {"raxml", "iqtree", "phyml"})

    def test_a_peer_that_takes_too_long_is_ended_and_has_no_log_likelihoods(self):
        row = self.row([-100.0] * 4, phyml=1000.0)
        self.assertIn("phyml more than 28 s", row.note)
        self.assertNotIn("phyml", row.checked)
        self.assertEqual((row.peer, row.verdict), ("iqtree", MET))

    def test_one_tree_that_is_worse_than_the_peers_misses_the_goal_however_fast(self):
        self.assertEqual(self.row([-99.0, -99.0, -99.0, -101.09]).verdict, MET)
        row = self.row([-99.0, -99.0, -99.0, -101.2])
        self.assertEqual(row.verdict, MISSED)
        self.assertIn("+1.45 and -0.20 to iqtree's", row.checked)

    def test_log_likelihoods_are_to_be_better_in_the_mean_over_the_alignments(self):
        means: dict[str, float] = {}
        self.row([-100.0] * 4, means=means)
        self.assertEqual(means, {"x": 1.0})
        plan = Plan(quick=False)
        for found, verdict in (({"f/a": 0.05, "f/b": -0.02}, MET), ({"f/a": 0.05, "f/b": -0.05}, MISSED), ({}, NOT_MEASURED)):
            row, = tree_rows.better_in_the_mean("f", plan, found)
            self.assertEqual((row.name, row.verdict), ("f/better", verdict))
        self.assertEqual(tree_rows.better_in_the_mean("f", Plan(quick=False, only="f/a"), means), [])


class Models(unittest.TestCase):
    def test_genes_are_translated_in_their_frame(self):
        self.assertEqual(phylo_models.translated({"a": "AATGGCTAATGTAAAT", "b": "AATGTCN---GTAAAT"}), {"a": "MANVN", "b": "M--VN"})
        self.assertEqual([phylo_models.amino_acid(codon) for codon in ("ATG", "TGG", "TAA", "GGG", "TTT", "ANG", "AT")],
                         ["M", "W", "-", "G", "F", "-", "-"])
        with self.assertRaisesRegex(measure.MeasurementError, "no reading frame"):
            phylo_models.translated({"a": "TAATTAATTAA" * 20})

    def test_phyml_has_the_frequencies_of_the_matrix_as_the_others_do(self):
        with mock.patch.object(tree_search, "present", return_value=list(tree_search.SEARCHERS)):
            words = {one.name: one.words(Path("msa"), 3) for one in phylo_models.searchers(None) if one.name != "raxml"}
        self.assertEqual(words["phyml"][words["phyml"].index("-f") + 1], "m")
        self.assertEqual([words[name][words[name].index(option) + 1] for name, option in (("iqtree", "-m"), ("raxml-ng", "--model"))], 2 * ["LG+G"])

    def test_each_part_is_drawn_from_its_own_sites(self):
        ranges = phylo_models.blocks(10, 3)
        self.assertEqual(ranges, [(1, 3), (4, 6), (7, 10)])
        rows = {"a": "AAACCCGGGG", "b": "AAACCCGGGT"}
        with tempfile.TemporaryDirectory() as folder:
            one, other = phylo_models.resampled(rows, ranges, 2, Path(folder))
            drawn = phylo_models.phylip_rows(one.read_text())
            self.assertEqual(drawn["a"], rows["a"])
            self.assertEqual(drawn["b"][:6], "AAACCC")
            files = phylo_models.written(ranges, Path(folder))
            self.assertEqual(files.ours.read_text().splitlines()[2], "GTR+F+G, p3 = 7-10")
            self.assertIn("charset p2 = 4-6;", files.iqtree.read_text())
            self.assertEqual(files.raxml.read_text().splitlines()[0], "DNA, p1 = 1-3")


class Unequal(unittest.TestCase):
    def test_proteins_stand_before_their_genes(self):
        rows, partitions = phylo_unequal.side_by_side({"a": "MA", "b": "MV"}, {"a": "ATGGCT", "b": "ATGGTT"})
        self.assertEqual(rows, {"a": "MAATGGCT", "b": "MVATGGTT"})
        self.assertEqual(partitions.splitlines(), ["LG+G, proteins = 1-2", r"GTR+G, position 1 = 3-8\3", r"GTR+G, position 2 = 4-8\3",
                                                   r"GTR+G, position 3 = 5-8\3"])

    def test_another_tree_is_no_answer(self):
        class Searches(phylo_unequal.Searches):
            def __init__(self):
                self.alignment, self.partitions, self.tree = Path("msa"), Path("models"), "(a,b,c);"

        def execute(words, _):
            Path(str(words[words.index("--prefix") + 1]) + ".bestTree").write_text("(a,c,b);")
            return 1.0, ""

        with mock.patch.multiple(phylo_unequal, execute=execute, binary=lambda name: name), \
                self.assertRaisesRegex(measure.MeasurementError, "another tree"):
            phylo_unequal.WORK.mkdir(parents=True, exist_ok=True)
            Searches().seconds("2", "static")


class SearchRows(unittest.TestCase):
    def test_peers_get_both_cores(self):
        words = {one.name: phylo_search.with_both_cores(one).words(Path("msa"), 3) for one in tree_search.SEARCHERS}
        for name, option in phylo_search.THREADS_AFTER.items():
            self.assertEqual(words[name][words[name].index(option) + 1], "2")
        self.assertEqual(words["phyml"], tree_search.SEARCHERS[1].words(Path("msa"), 3))

    def test_alignments_are_ten_and_come_from_packages_or_stand_beside_the_project(self):
        self.assertEqual(len(set(phylo_search.ALIGNMENTS)), 10)
        self.assertGreaterEqual(len(set(phylo_search.ALIGNMENTS) & set(data.PACKAGED)), 6)


class HeldOut(unittest.TestCase):
    def test_no_search_is_scored_on_an_alignment_that_its_constants_were_chosen_on(self):
        scored = {*phylo_bootstrap.ALIGNMENTS, *phylo_search.ALIGNMENTS, *phylo_models.ALIGNMENTS, *phylo_evaluate.ALIGNMENTS, *phylo_memory.ALIGNMENTS,
                  trace_overhead.ALIGNMENT, phylo_unequal.ALIGNMENT}
        self.assertFalse(scored & set(data.TUNED_ON["search"]))

    def test_right_sizing_is_not_scored_on_what_it_was_developed_on(self):
        developed = {case.name for of in (virtual_cases, real_cases) for case in of(DEVELOPMENT)}
        scored = {case.name for of in (virtual_cases, real_cases) for case in of(HELD_OUT)}
        self.assertEqual(len([case for case in virtual_cases(DEVELOPMENT)]), 96)
        self.assertFalse(developed & scored)
        self.assertFalse(set(HELD_OUT.alignments) & set(DEVELOPMENT.alignments))
        self.assertLessEqual(set(DEVELOPMENT.alignments), set(data.TUNED_ON["auto"]))
        self.assertFalse({grain_regret.ALIGNMENT, grain_neighbours.ALIGNMENT} & set(data.TUNED_ON["auto"]))


class SmallWork(unittest.TestCase):
    def test_the_worst_pattern_counts(self):
        said = ("stencil   0.19 us   plain  0.190 us/task   fresh  0.201 us/task, ratio  1.060   replayed  0.191 us/task, ratio  1.004\n"
                "all       0.19 us   plain  0.200 us/task   fresh  0.202 us/task, ratio  1.012   replayed  0.214 us/task, ratio  1.070\n")
        self.assertEqual(small_work.worst_ratios(said), {"fresh": 1.06, "replayed": 1.07})
        with self.assertRaisesRegex(MeasurementError, "no ratio: the values"):
            small_work.worst_ratios("the values are wrong\n")

    def test_a_call_is_compared_with_the_plain_one_of_its_round(self):
        samples = {call: {"maslin": values, "maslin again": values}
                   for call, values in {"plain": [30.0] * 7, "two_blocks": [36.0] * 7, "off_load": [60.0] * 7}.items()}
        loop, off_load = small_work.call_rows(samples)
        self.assertEqual((loop.name, loop.value, loop.ratio, loop.verdict), ("small/work/loop", 6.0, 1.2, MET))
        self.assertEqual((off_load.name, off_load.value, off_load.ratio, off_load.verdict), ("small/work/off-load", 30.0, 2.0, MISSED))


class Measuring(unittest.TestCase):
    def test_sides_alternate_and_take_turns_in_going_first(self):
        order = []
        values = alternate({"a": lambda i: order.append(("a", i)) or 1.0, "b": lambda i: order.append(("b", i)) or 2.0}, [2])
        self.assertEqual(order, [("a", 0), ("b", 0), ("b", 1), ("a", 1)])
        self.assertEqual(values, {"a": [1.0, 1.0], "b": [2.0, 2.0]})

    def test_a_program_that_fails_says_what_it_said(self):
        with self.assertRaisesRegex(MeasurementError, "status 3.*\n.*no such thing"):
            execute(["sh", "-c", "echo no such thing >&2; exit 3"])

    def test_the_users_settings_do_not_reach_the_measured_program(self):
        foreign = {name: "1" for name in ("MASLIN_PIN", "OMP_NUM_THREADS", "OMP_WAIT_POLICY", "GOMP_SPINCOUNT", "KMP_BLOCKTIME",
                                          "OPENBLAS_NUM_THREADS", "GOTO_NUM_THREADS", "MKL_NUM_THREADS", "BLIS_NUM_THREADS",
                                          "STARPU_NCPU", "TBB_VERSION")}
        with mock.patch.dict("os.environ", {**foreign, "KEPT": "1"}):
            _, said = execute(["env"])
        names = {line.partition("=")[0] for line in said.splitlines()}
        self.assertFalse(names & foreign.keys())
        self.assertIn("KEPT", names)

    def test_nor_do_they_reach_what_counts_misses_and_compares_answers(self):
        tell = 'import json, os; print(json.dumps({"answer": os.environ.get("OMP_NUM_THREADS")}))'
        with tempfile.TemporaryDirectory() as folder:
            counter = Path(folder) / "counter"
            counter.write_text('#!/bin/sh\nset -- ${OMP_NUM_THREADS}\necho "$#,,cache-misses\nD1  misses: $#" >&2\n')
            counter.chmod(0o700)
            for name in ("perf", "valgrind"):
                counter.with_name(name).symlink_to(counter)
            with mock.patch.dict("os.environ", {"OMP_NUM_THREADS": "1", "PATH": f"{folder}:{os.environ['PATH']}"}):
                self.assertEqual((dbs.by_hardware([], {}), dbs.by_cachegrind([], {})), (0, 0))
                self.assertEqual(agree.run([sys.executable, "-c", tell])["answer"], None)

    def test_what_a_row_sets_reaches_it_and_wins_over_what_was_passed_on_purpose(self):
        with mock.patch.dict(measure.PASSED, {"MASLIN_WAIT": "park", "MASLIN_PIN": "trees=1x1"}):
            _, said = execute(["sh", "-c", "echo $MASLIN_WAIT $MASLIN_PIN $OMP_WAIT_POLICY"],
                              {"MASLIN_PIN": "trees=2x1", "OMP_WAIT_POLICY": "active"})
        self.assertEqual(said.split(), ["park", "trees=2x1", "active"])


if __name__ == "__main__":
    unittest.main()
