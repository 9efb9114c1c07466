"""How the scorecard compares with the peer runtimes."""

import json
import unittest
from unittest import mock

from scorecard import peers
from scorecard.figures import Plan, peers_busy, peers_cholesky, peers_loops, peers_tasks
from scorecard.measure import MeasurementError
from scorecard.peers import Target, compare, figure_row, measured, read
from scorecard.row import Goal


def result(runtime, seconds=1.0, figure="chain", **more):
    return {"figure": figure, "runtime": runtime, "version": "1", "seconds": seconds, "mean_seconds": seconds, "checked": True, **more}


def programs(seconds):
    """Stands for the programs: gives the results of a run from the seconds of each runtime."""
    return lambda runtime, figure, quick: [result(runtime, seconds[runtime], figure)] if runtime in seconds else []


class Reading(unittest.TestCase):
    def test_each_line_is_a_result(self):
        lines = "\n".join(json.dumps(result("tbb", s)) for s in (1.0, 2.0))
        self.assertEqual([r["seconds"] for r in read(lines)], [1.0, 2.0])

    def test_an_answer_that_is_not_right_is_refused(self):
        with self.assertRaisesRegex(MeasurementError, "tbb gave a wrong answer in chain"):
            read(json.dumps({**result("tbb"), "checked": False}))

    def test_a_runtime_that_has_nothing_for_a_figure_is_left_out(self):
        with mock.patch.object(peers, "run", programs({"maslin": 1.0, "tbb": 2.0})), \
                mock.patch.object(peers, "present", lambda: ["tbb", "starpu"]):
            found = measured("chain", 3, False, lambda _: None)
        self.assertEqual({side: len(results) for side, results in found["chain"].items()}, {"maslin": 3, "tbb": 3})

    def test_schedules_are_sides_of_their_own_and_the_default_is_the_runtime(self):
        self.assertEqual(peers.side_of(result("libomp", schedule="default")), "libomp")
        self.assertEqual(peers.side_of(result("libomp", schedule="guided")), "libomp guided")


class Comparing(unittest.TestCase):
    def test_the_peer_is_the_best_one_of_this_run(self):
        row = compare("x", "ns", {"maslin": [1, 1, 1], "a": [4, 4, 4], "b": [2, 2, 9]}, Goal("ratio", at_most=0.5), {"b": "7"})
        self.assertEqual((row.peer, row.peer_value, row.peer_version, row.ratio), ("b", 2, "7", 0.5))
        self.assertTrue(row.met)
        self.assertIn("a 4", row.note)

    def test_where_more_is_better_the_peer_is_the_largest(self):
        row = compare("x", "GFLOP/s", {"maslin": [90], "a": [80], "b": [100]}, Goal("ratio", at_least=1.02), {}, higher=True)
        self.assertEqual((row.peer, row.met), ("b", False))

    def test_what_counts_of_an_absolute_goal_is_its_ratio_to_the_best_peer_and_the_row_says_both(self):
        rounds = {"maslin": [result("maslin", 90.0)], "tbb": [result("tbb", 300.0)]}
        row = figure_row("x", rounds, "seconds", "ns", Target(80, cell=200))
        self.assertEqual((row.goal, row.met), ("ratio ≤ 0.4", True))
        self.assertIn("≤ 80 ns is not reached", row.note)

    def test_a_goal_that_is_a_ratio_already_counts_as_it_stands(self):
        row = figure_row("x", {"maslin": [result("maslin", 0.6)], "tbb": [result("tbb", 0.9)]}, "seconds", "", Target(0.57))
        self.assertEqual((row.goal, row.met), ("value ≤ 0.57", False))

    def test_a_figure_that_we_lack_is_skipped(self):
        row = figure_row("x", {"tbb": [result("tbb")]}, "seconds", "ns", Target(80, cell=200))
        self.assertIsNone(row.met)
        self.assertIn("skipped", row.note)

    def test_without_peers_there_is_no_ratio_to_judge(self):
        row = figure_row("x", {"maslin": [result("maslin")]}, "seconds", "ns", Target(80, cell=200))
        self.assertIsNone(row.met)
        self.assertIn("./dev bench installs them", row.note)


class Figures(unittest.TestCase):
    def test_only_peers_that_defer_all_tasks_count_against_deferred_ones(self):
        def side(name, ns, in_place):
            return [result(name, per_task_ns=ns, in_place=in_place, batch=64)]

        row = peers_tasks.deferred_row({"maslin": side("maslin", 90, 0), "a": side("a", 20, 0.5), "b": side("b", 200, 0)})
        self.assertEqual((row.peer, row.met), ("b", True))

    def test_deferred_tasks_of_ours_that_ran_in_place_do_not_meet_the_goal(self):
        row = peers_tasks.deferred_row({"maslin": [result("maslin", per_task_ns=9, in_place=0.1, batch=16)],
                                        "b": [result("b", per_task_ns=200, in_place=0, batch=64)]})
        self.assertFalse(row.met)

    def test_after_a_gap_the_difference_counts(self):
        plain = {name: [result(name, 1e-6)] * 3 for name in ("maslin", "tbb")}
        gap = {"maslin": [result("maslin", 1.5e-6)] * 3, "tbb": [result("tbb", 9e-6)] * 3}
        row = peers_loops.gap_row(plain, gap)
        self.assertAlmostEqual(row.value, 0.5)
        self.assertTrue(row.met)

    def test_openblas_itself_is_a_peer_of_the_decomposition(self):
        def run(runtime, figure, quick):
            if figure == "cholesky-openblas":
                return [result("OpenBLAS", figure=figure, gflops=95.0)]
            return [result(runtime, figure=f"cholesky-{size}", gflops=90.0) for size in peers_cholesky.TILES]

        with mock.patch.object(peers, "run", run), mock.patch.object(peers, "present", lambda: ["tbb"]):
            rows = peers_cholesky.measure(Plan(quick=True))
        self.assertEqual([(row.peer, row.met) for row in rows], [("OpenBLAS", False)] * 3)

    def test_a_loss_is_the_time_beside_a_busy_process_over_the_time_without(self):
        quiet = [result("a", 1.0), result("a", 1.0, schedule="guided")]
        busy = [result("a", 3.0), result("a", 9.0, schedule="guided")]
        self.assertEqual(peers_busy.losses(quiet, busy), {"chain": 3.0})


if __name__ == "__main__":
    unittest.main()
