"""How the scorecard compares with the peer runtimes."""

import json
import unittest
from pathlib import Path
from unittest import mock

from scorecard import checkouts, peers
from scorecard.figures import Plan, peers_busy, peers_cholesky, peers_forks, peers_linalg, peers_loops, peers_metg, peers_tasks
from scorecard.measure import MeasurementError
from scorecard.peers import Side, Target, compare, figure_row, measured, read
from scorecard.row import MET, MISSED, NOT_MEASURED, UNDECIDED, Goal


def result(runtime, seconds=1.0, figure="chain", **more):
    return {"figure": figure, "runtime": runtime, "version": "1", "seconds": seconds, "mean_seconds": seconds, "checked": True, **more}


def programs(seconds):
    """Stands for the programs: gives the results of a run from the seconds of each runtime."""
    return lambda side, figures: [result(side.program, seconds[side.program], figures[0])] if side.program in seconds else []


def seven(*seconds):
    """Gives the times of seven rounds, by the runtimes maslin, a and b."""
    return {name: [one] * 7 for name, one in zip(("maslin", "a", "b"), seconds)}


class Reading(unittest.TestCase):
    def test_each_line_is_a_result(self):
        lines = "\n".join(json.dumps(result("tbb", s)) for s in (1.0, 2.0))
        self.assertEqual([r["seconds"] for r in read(lines)], [1.0, 2.0])

    def test_an_answer_that_is_not_right_is_refused(self):
        with self.assertRaisesRegex(MeasurementError, "tbb gave a wrong answer in chain"):
            read(json.dumps({**result("tbb"), "checked": False}))

    def test_a_runtime_that_has_nothing_for_a_figure_is_left_out(self):
        with mock.patch.object(peers, "run", programs({"maslin": 1.0, "tbb": 2.0})), \
                mock.patch.object(peers, "present", lambda: [Side("tbb"), Side("starpu")]):
            rows = measured(Plan(quick=True), ["chain"], lambda found: [figure_row("x", found["chain"], "seconds", "s", Target(1, cell=1))])
        self.assertEqual({side: len(taken) for side, taken in rows[0].samples.items()}, {"maslin": 3, "maslin again": 3, "tbb": 3})

    def test_rounds_go_on_until_the_rows_are_decided(self):
        times = iter([1.0, 3.0] * 40)  # ours is now faster, now slower: forty rounds do not tell

        def run(side, figures):
            return [result(side.program, next(times) if side.program == "maslin" else 2.0, figures[0])]

        with mock.patch.object(peers, "run", run), mock.patch.object(peers, "present", lambda: [Side("tbb")]):
            row, = measured(Plan(quick=False), ["chain"], lambda found: [figure_row("x", found["chain"], "seconds", "s", Target(1, cell=1))])
        self.assertEqual((row.rounds, row.verdict), (40, UNDECIDED))

    def test_settings_and_schedules_are_sides_of_their_own_and_the_default_is_the_runtime(self):
        self.assertEqual(peers.side_of(result("libomp", schedule="default")), "libomp")
        self.assertEqual(peers.side_of(result("libomp", schedule="guided", setting="active")), "libomp active guided")

    def test_openmp_waits_actively_and_passively_and_the_better_one_is_the_peer(self):
        settings = [side for side in peers.PEERS if side.program == "libgomp"]
        self.assertEqual([side.variables["OMP_WAIT_POLICY"] for side in settings], ["active", "passive"])
        row = compare("x", "s", {"maslin": [1.0] * 7, "libgomp active": [3.0] * 7, "libgomp passive": [2.0] * 7}, Goal("ratio", at_most=1), {})
        self.assertEqual(row.peer, "libgomp passive")

    def test_a_setting_reaches_its_program_only(self):
        with mock.patch.object(peers, "execute", return_value=(0.0, json.dumps(result("libgomp")))) as execute, \
                mock.patch.object(peers, "binary", Path):
            found = peers.run(Side("libgomp", "passive", {"OMP_WAIT_POLICY": "passive"}), ["chain"])
            peers.run(Side("tbb"), ["chain"])
        self.assertEqual(execute.call_args_list[0].args[1]["OMP_WAIT_POLICY"], "passive")
        self.assertNotIn("OMP_WAIT_POLICY", execute.call_args_list[1].args[1])
        self.assertEqual(found[0]["setting"], "passive")

    def test_lightweight_nodes_are_for_small_tasks_with_dependences(self):
        side, = (side for side in peers.PEERS if side.program == "tbb-lightweight")
        self.assertTrue(side.measures("wavefront-replayed") and side.measures("metg"))
        self.assertFalse(side.measures("chain") or side.measures("cholesky") or side.measures("tasks-fib"))


class Comparing(unittest.TestCase):
    def test_the_peer_is_the_best_one_of_this_run(self):
        row = compare("x", "ns", {"maslin": [1] * 9, "a": [4] * 9, "b": [2] * 8 + [9]}, Goal("ratio", at_most=0.5), {"a": "6", "b": "7"})
        self.assertEqual((row.peer, row.peer_value, row.peer_version, row.ratio), ("b", 2, "7", 0.5))
        self.assertEqual((row.verdict, row.versions), (MET, {"a": "6", "b": "7"}))
        self.assertIn("a 4", row.note)

    def test_where_more_is_better_the_peer_is_the_largest(self):
        row = compare("x", "GFLOP/s", seven(90, 80, 100), Goal("ratio", at_least=1.02), {}, higher=True)
        self.assertEqual((row.peer, row.verdict), ("b", MISSED))

    def test_our_second_run_is_no_peer_and_tells_the_noise(self):
        again = {"maslin again": [1.1, 0.9, 1.0, 1.2, 0.8, 1.0, 1.0]}
        row = compare("x", "s", {**seven(1.0, 2.0), **again}, Goal("ratio", at_most=1.0), {})
        self.assertEqual((row.peer, row.again, row.verdict), ("a", (0.8, 1.2), MET))

    def test_what_counts_of_an_absolute_goal_is_its_ratio_to_the_best_peer_and_the_row_says_both(self):
        rounds = {"maslin": [result("maslin", 90.0)] * 7, "tbb": [result("tbb", 300.0)] * 7}
        row = figure_row("x", rounds, "seconds", "ns", Target(80, cell=200))
        self.assertEqual((row.goal, row.verdict), ("ratio ≤ 0.4", MET))
        self.assertIn("≤ 80 ns is not reached", row.note)

    def test_a_goal_that_is_a_ratio_already_counts_as_it_stands(self):
        row = figure_row("x", {"maslin": [result("maslin", 0.6)] * 7, "tbb": [result("tbb", 0.9)] * 7}, "seconds", "", Target(0.57))
        self.assertEqual((row.goal, row.verdict), ("value ≤ 0.57", MISSED))

    def test_a_figure_that_we_lack_is_not_measured(self):
        row = figure_row("x", {"tbb": [result("tbb")]}, "seconds", "ns", Target(80, cell=200))
        self.assertEqual(row.verdict, NOT_MEASURED)

    def test_without_peers_there_is_no_ratio_to_judge(self):
        row = figure_row("x", {"maslin": [result("maslin")]}, "seconds", "ns", Target(80, cell=200))
        self.assertEqual(row.verdict, NOT_MEASURED)
        self.assertIn("./dev bench installs them", row.note)


class Figures(unittest.TestCase):
    def test_only_peers_that_defer_all_tasks_count_against_deferred_ones(self):
        def side(name, ns, in_place):
            return [result(name, per_task_ns=ns, in_place=in_place, batch=64)] * 7

        row = peers_tasks.deferred_row({"maslin": side("maslin", 90, 0), "a": side("a", 20, 0.5), "b": side("b", 200, 0)})
        self.assertEqual((row.peer, row.verdict), ("b", MET))

    def test_deferred_tasks_of_ours_that_ran_in_place_do_not_meet_the_goal(self):
        row = peers_tasks.deferred_row({"maslin": [result("maslin", per_task_ns=9, in_place=0.1, batch=16)] * 7,
                                        "b": [result("b", per_task_ns=200, in_place=0, batch=64)] * 7})
        self.assertEqual(row.verdict, MISSED)

    def test_after_a_gap_the_difference_counts(self):
        plain = {name: [result(name, 1e-6)] * 7 for name in ("maslin", "tbb")}
        gap = {"maslin": [result("maslin", 1.5e-6)] * 7, "tbb": [result("tbb", 9e-6)] * 7}
        row = peers_loops.gap_row(plain, gap)
        self.assertAlmostEqual(row.value, 0.5)
        self.assertEqual(row.verdict, MET)

    def linalg_rows(self, losses, missing=()):
        """Gives the rows where ours takes half of the peer's time, and twice as long in the applications that are named."""
        found = {f"linalg-{name}": {"maslin": [result("maslin", 2.0 if name in losses else 0.5)] * 7, "tbb": [result("tbb", 1.0)] * 7}
                 for name in peers_linalg.APPLICATIONS}
        with mock.patch.object(peers_linalg, "missing", lambda: list(missing)):
            return {row.name.removeprefix("peers/linalg/"): row for row in peers_linalg.rows(found)}

    def test_five_of_the_six_applications_are_enough_to_be_ahead(self):
        self.assertEqual((self.linalg_rows(["reduct"])["ahead"].verdict, self.linalg_rows(["reduct"])["reduct"].verdict), (MET, MISSED))
        self.assertEqual(self.linalg_rows(["reduct", "fft3d"])["ahead"].verdict, MISSED)
        self.assertEqual(self.linalg_rows([])["ahead"].value, 6)

    def test_a_peer_that_is_not_installed_is_named(self):
        rows = self.linalg_rows([], ["libomp", "starpu"])
        self.assertIn("not installed: libomp, starpu", rows["matmul"].note)

    def test_where_an_application_was_not_measured_nobody_is_ahead(self):
        with mock.patch.object(peers_linalg, "missing", list):
            rows = peers_linalg.rows({"linalg-matmul": {"maslin": [result("maslin")] * 7, "tbb": [result("tbb", 2.0)] * 7}})
        self.assertEqual(rows[-1].verdict, NOT_MEASURED)

    def test_starpu_takes_part_under_three_policies(self):
        sides = [side for side in peers.PEERS if side.program == "starpu" and side.measures("linalg")]
        self.assertEqual([side.variables.get("STARPU_SCHED") for side in sides], [None, "ws", "dmda"])
        self.assertEqual(len([side for side in peers.PEERS if side.program == "starpu" and side.measures("chain")]), 1)

    def test_openblas_itself_is_a_peer_of_the_decomposition(self):
        def run(side, figures):
            if side.instead == "cholesky-openblas":
                return [result("OpenBLAS", figure="cholesky-openblas", gflops=95.0)]
            return [result(side.program, figure=f"cholesky-{size}", gflops=90.0) for size in peers_cholesky.TILES]

        with mock.patch.object(peers, "run", run), mock.patch.object(peers, "present", lambda: [Side("tbb")]):
            rows = peers_cholesky.measure(Plan(quick=False))
        self.assertEqual([(row.peer, row.verdict) for row in rows], [("OpenBLAS", MISSED)] * 3)

    def test_only_the_rows_that_are_wanted_are_measured(self):
        asked = []

        def run(side, figures):
            asked.extend(figures)
            return [result(side.program, figure=figures[0], beyond=False)]

        with mock.patch.object(peers, "run", run), mock.patch.object(peers, "present", lambda: [Side("tbb")]), \
                mock.patch.dict(checkouts.given, {"taskflow": Path("/taskflow")}, clear=True):
            for only, figures in (("peers/metg/fresh/fft", {"metg-fresh-fft"}), ("peers/metg/replayed", {"metg-replayed"}),
                                  ("peers/metg/loops", {"metg-loops", *(f"metg-loops-{name}" for name in peers_metg.PATTERNS)})):
                asked.clear()
                rows = peers_metg.measure(Plan(quick=True, only=only))
                self.assertEqual(set(asked), figures)
                self.assertEqual({row.name.replace("/", "-") for row in rows}, {f"peers-{figure}" for figure in figures})

    def test_runtimes_without_a_checkout_are_rows_that_say_how_to_measure_them(self):
        with mock.patch.object(peers, "run", lambda side, figures: [result(side.program, figure=figures[0])]), \
                mock.patch.object(peers, "present", lambda: [Side("tbb")]), mock.patch.dict(checkouts.given, {"citor": Path("/citor")}, clear=True):
            rows = peers_forks.measure(Plan(quick=False))
        self.assertEqual([row.name for row in rows if row.verdict != NOT_MEASURED], ["peers/forks/matmul"])
        asked = {row.name: row.note.split("=")[0] for row in rows if row.verdict == NOT_MEASURED}
        self.assertEqual(asked, {**{f"peers/forks/{figure}": "./dev bench --peer libfork" for figure in peers_forks.FIGURES},
                                 **{f"peers/forks, {name}": f"./dev bench --peer {name}" for name in ("libfork", "taskflow", "toomanycooks")}})
        self.assertIn("citor", rows[3].samples)

    def test_a_goal_may_be_about_one_peer_whatever_others_do(self):
        rounds = {"maslin": [result("maslin", 8.0)] * 7, "libfork busy": [result("libfork", 10.0)] * 7, "faster": [result("faster", 1.0)] * 7}
        row = peers_forks.row_of("fib", {"forks-fib": rounds}, Goal("ratio", at_most=0.9), "libfork")
        self.assertEqual((row.peer, row.verdict), ("libfork busy", MET))
        self.assertIn("faster 1", row.note)
        row = peers_forks.row_of("fib", {"forks-fib": {"maslin": rounds["maslin"], "faster": rounds["faster"]}}, Goal("ratio", at_most=0.9), "libfork")
        self.assertEqual(row.verdict, NOT_MEASURED)

    def test_a_loss_is_the_time_beside_a_busy_process_over_the_time_without(self):
        quiet = [result("a", 1.0), result("a", 1.0, schedule="guided")]
        busy = [result("a", 3.0), result("a", 9.0, schedule="guided")]
        self.assertEqual(peers_busy.losses(quiet, busy), {"chain": 3.0})


if __name__ == "__main__":
    unittest.main()
