"""What ./dev bench accepts, what it answers, and with which status it ends."""

import contextlib
import io
import json
import tempfile
import unittest
from pathlib import Path
from unittest import mock

from scorecard import checkouts, command, measure, peers
from scorecard.figures import Plan, peers_busy, phylo_newview, small_work
from scorecard.measure import MeasurementError
from scorecard.row import FAILED, MET, MISSED, NOT_MEASURED, UNDECIDED, Row


class Command(unittest.TestCase):
    def setUp(self):
        for kept in (mock.patch.dict(checkouts.given, clear=True), mock.patch.dict(measure.PASSED, clear=True)):
            kept.start()
            self.addCleanup(kept.stop)

    def refused(self, *words: str) -> str:
        said = io.StringIO()
        with contextlib.redirect_stderr(said), self.assertRaises(SystemExit) as end:
            options = command.parsed(list(words))
            command.chosen(options.only)
            command.writable(options.json)
        self.assertEqual(end.exception.code, 2)
        return said.getvalue()

    def test_an_unknown_peer_is_named_with_those_that_there_are(self):
        said = self.refused("--peer", "libspoon=/tmp")
        self.assertIn("'libspoon'", said)
        self.assertIn("libfork, taskflow, toomanycooks, citor, raxml-ng, sweep3d", said)

    def test_a_peer_without_a_path_is_refused(self):
        for wish in ("libfork", "libfork="):
            self.assertIn("--peer libfork=../libfork", self.refused("--peer", wish))

    def test_a_path_that_is_not_there_is_refused(self):
        self.assertIn("there is no /no/such/folder", self.refused("--peer", "libfork=/no/such/folder"))

    def test_a_folder_that_is_no_checkout_of_the_peer_is_refused(self):
        with tempfile.TemporaryDirectory() as folder:
            self.assertIn("include/libfork.hpp is not there", self.refused("--peer", f"libfork={folder}"))
            self.assertIn("build it first", self.refused("--peer", f"raxml-ng={folder}"))

    def test_a_checkout_is_accepted(self):
        with tempfile.TemporaryDirectory() as folder:
            (Path(folder) / "taskflow").mkdir()
            (Path(folder) / "taskflow" / "taskflow.hpp").touch()
            command.parsed(["--peer", f"taskflow={folder}"])
            self.assertEqual(checkouts.given, {"taskflow": Path(folder).resolve()})

    def test_a_peer_that_was_not_given_says_how_to_measure_it(self):
        self.assertIn("--peer libfork=PATH", checkouts.how_to_measure("libfork"))

    def test_rows_are_chosen_by_how_their_names_begin(self):
        class Module:
            NAME = "peers/metg"
            asked = []

            @classmethod
            def measure(cls, plan):
                cls.asked += [name for name in ("peers/metg/fresh", "peers/metg/loops") if plan.wants(name)]
                return [Row("peers/metg/fresh"), Row("peers/metg/loops/fft")]

        with mock.patch.dict(command.FIGURES, {"peers/metg": Module}):
            for only in ("peers/metg/loops", "peers/metg/loops/fft"):
                modules = command.chosen(only)
                self.assertEqual(modules, {"peers/metg": Module})
                rows = command.measured(modules, True, lambda *_: None, only=only)
                self.assertEqual([row.name for row in rows], ["peers/metg/loops/fft"])
        self.assertEqual(Module.asked, ["peers/metg/loops"] * 2)
        self.assertIn("no figure is called 'peers/metgx'", self.refused("--only", "peers/metgx"))

    def test_only_variables_of_maslin_can_be_set(self):
        self.assertIn("'OMP_NUM_THREADS=1'", self.refused("--set", "OMP_NUM_THREADS=1"))
        self.assertIn("'MASLIN_WAIT'", self.refused("--set", "MASLIN_WAIT"))

    def test_an_unknown_figure_and_a_file_that_cannot_be_written_are_refused(self):
        self.assertIn("'nothing'", self.refused("--only", "nothing"))
        self.assertIn("/no/such/folder/x.json", self.refused("--json", "/no/such/folder/x.json"))

    def test_the_status_says_whether_a_row_is_missed(self):
        for verdicts, status in (((MET, UNDECIDED, NOT_MEASURED), 0), ((MET, MISSED), 1), ((MISSED, FAILED), 3), ((), 0)):
            self.assertEqual(command.status([Row(verdict, verdict=verdict) for verdict in verdicts], False), status, verdicts)

    def test_a_figure_that_cannot_be_measured_is_a_failed_row_and_the_others_are_measured(self):
        figures = {"bad": mock.Mock(measure=mock.Mock(side_effect=MeasurementError("a wrong answer"))),
                   "good": mock.Mock(measure=lambda plan: [Row("good", verdict=MET)])}
        rows = list(command.measured(figures, True, lambda figure, at: None))
        self.assertEqual([(row.name, row.verdict, row.note, row.quick) for row in rows],
                         [("bad", FAILED, "a wrong answer", True), ("good", MET, "", True)])

    def test_what_was_measured_before_it_was_stopped_stays(self):
        figures = {"first": mock.Mock(measure=lambda plan: [Row("first", verdict=MET)]),
                   "second": mock.Mock(measure=mock.Mock(side_effect=KeyboardInterrupt))}
        rows, stopped = command.until_stopped(command.measured(figures, True, lambda figure, at: None))
        self.assertEqual(([row.name for row in rows], stopped), (["first"], True))
        self.assertEqual(command.status(rows, stopped), 130)

    def test_the_rounds_of_the_figure_that_was_stopped_stay_as_far_as_they_are_whole(self):
        def row(name: str, values: dict) -> Row:
            return Row(name, rounds=len(values["ours"]), samples=values)

        def stopped_in_its_third_round(turn: int) -> float:
            if turn == 2:
                raise KeyboardInterrupt
            return float(turn)

        def measure_it(plan):
            rows = plan.rows("quiet", {"ours": float, "theirs": float}, "ours", lambda values: [row("quiet", values)])
            return rows + plan.rows("loud", {"ours": float, "theirs": stopped_in_its_third_round}, "ours", lambda values: [row("loud", values)])

        for only, expected in (("", [("quiet", 3), ("loud", 2)]), ("lo", [("loud", 2)])):
            rows, stopped = command.until_stopped(command.measured({"it": mock.Mock(measure=measure_it)}, True, lambda *_: None, only=only))
            self.assertEqual(([(one.name, one.rounds) for one in rows], stopped), (expected, True))
            self.assertEqual(rows[-1].samples, {"ours": [0.0, 1.0], "theirs": [0.0, 1.0], "ours again": [0.0, 1.0]})
            self.assertTrue(all(one.quick for one in rows))

    def test_a_figure_that_is_stopped_in_its_first_round_has_no_row(self):
        def measure_it(plan):
            return plan.rows("it", {"ours": mock.Mock(side_effect=KeyboardInterrupt)}, "ours", lambda values: [Row("it")])

        rows, stopped = command.until_stopped(command.measured({"it": mock.Mock(measure=measure_it)}, True, lambda *_: None))
        self.assertEqual((rows, stopped), ([], True))

    def stopped_rows(self, figure, *patches) -> dict[str, int]:
        """Gives the rounds of each row that stays of a figure that is stopped."""
        with contextlib.ExitStack() as patched:
            for patch in patches:
                patched.enter_context(patch)
            rows, stopped = command.until_stopped(command.measured({"it": figure}, True, lambda *_: None))
        self.assertTrue(stopped)
        return {row.name: row.rounds for row in rows}

    def test_the_whole_rounds_of_figures_whose_runs_give_several_values_stay(self):
        def after(given, count):
            return mock.Mock(side_effect=[given] * count + [KeyboardInterrupt])

        calls = {"plain": 30.0, "two_blocks": 36.0, "off_load": 60.0}
        self.assertEqual(self.stopped_rows(small_work, mock.patch.object(small_work, "tasks", lambda: {"fresh": 1.0, "replayed": 1.0}),
                                           mock.patch.object(small_work, "calls", after(calls, 5))),
                         {"small/work/tasks-fresh": 3, "small/work/tasks-replayed": 3, "small/work/loop": 2, "small/work/off-load": 2})
        report = {"benchmarks": [{"run_type": "iteration", "name": f"{kernel}/avx2/{patterns}", "per_pattern": 7e-9} for patterns in (1024, 16384)
                                 for kernel in ("newview_inner_inner", "newview20_inner_inner", "bound20_memory", "bound20_arithmetic")]}
        with tempfile.TemporaryDirectory() as folder:
            (Path(folder) / "newview.json").write_text(json.dumps(report))
            self.assertEqual(set(self.stopped_rows(phylo_newview, mock.patch.object(phylo_newview, "WORK", Path(folder)),
                                                   mock.patch.object(phylo_newview, "binary", Path),
                                                   mock.patch.object(phylo_newview, "execute", after((0.0, ""), 3))).values()), {1})
        result = {"figure": peers_busy.FIGURES[0], "runtime": "maslin", "version": "", "mean_seconds": 1.0}
        self.assertEqual(self.stopped_rows(peers_busy, mock.patch.object(peers_busy, "busy_process", contextlib.nullcontext),
                                           mock.patch.object(peers_busy, "present", lambda: [peers.Side("other")]),
                                           mock.patch.object(peers_busy, "run", after([result], 17))),
                         {f"peers/busy/{peers_busy.FIGURES[0]}": 2})

    def test_what_the_latest_look_gave_stays_of_figures_that_measure_until_they_are_decided(self):
        def measure_it(plan):
            taken = []

            def more(before, look):
                for _ in range(before, look):
                    if len(taken) == 10:
                        raise KeyboardInterrupt
                    taken.append(1.0)

            return plan.until_decided(more, lambda: [Row("it", rounds=len(taken), verdict=UNDECIDED)])

        plan = Plan(quick=False)
        with self.assertRaises(KeyboardInterrupt):
            measure_it(plan)
        self.assertEqual([row.rounds for row in plan.kept], [7])
        self.assertEqual([row.rounds for row in measure_it(Plan(quick=True))], [3])

    def test_a_round_that_was_whole_stays_where_ctrl_c_comes_while_it_is_judged(self):
        judged = mock.Mock(side_effect=[KeyboardInterrupt, [Row("it")]])
        plan = Plan(quick=True)
        with self.assertRaises(KeyboardInterrupt):
            plan.rows("it", {"ours": float}, "ours", judged)
        self.assertEqual([row.name for row in plan.kept], ["it"])
        self.assertEqual(judged.call_args.args[0], {"ours": [0.0, 1.0, 2.0], "ours again": [0.0, 1.0, 2.0]})

    def test_the_file_holds_the_rows_with_the_processor_and_what_was_set(self):
        options = command.parsed(["--set", "MASLIN_WAIT=park"])
        self.assertEqual(options.set, ["MASLIN_WAIT=park"])
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "rows.json"
            command.write_json(file, [Row("x", verdict=MET)], {"processor": "made up"})
            content = json.loads(file.read_text())
        self.assertEqual(content["set"], {"MASLIN_WAIT": "park"})
        self.assertEqual((content["rows"][0]["verdict"], content["rows"][0]["processor"]), (MET, "made up"))


if __name__ == "__main__":
    unittest.main()
