"""What the scorecard makes of MPI programs' results."""

import unittest
from unittest import mock

from scorecard import checkouts, mpi
from scorecard.figures import Plan, comm_messages, comm_ranks, comm_sweep
from scorecard.measure import MeasurementError, TooLate
from scorecard.row import MET, MISSED, NOT_MEASURED

MONITOR = "".join(f"  its =  {number}  err =  {error:.18g}   fixs =  {fixups}\n"
                  for number, (error, fixups) in enumerate(zip(comm_sweep.ERRORS, comm_sweep.FIXUPS), 1))
ELAPSED = " Elapsed time was:  0.48\n"


def late():
    raise TooLate("did not finish within 120 s")


class Settings(unittest.TestCase):
    def tried(self, **took):
        sides = {name: lambda _, seconds=seconds: late() if seconds is None else seconds for name, seconds in took.items()}
        return set(mpi.close_ones(sides, lambda _: None))

    def test_those_that_are_far_from_the_best_or_do_not_end_are_left_out(self):
        self.assertEqual(self.tried(a=1.0, b=1.2, c=1.3, d=None), {"a", "b"})

    def test_it_is_told_if_none_ends(self):
        with self.assertRaisesRegex(TooLate, "120 s"):
            self.tried(a=None)

    def test_wrong_data_is_no_time(self):
        self.assertEqual(mpi.checked({"checked": True, "seconds": 2.0}, "x"), 2.0)
        with self.assertRaisesRegex(MeasurementError, "wrong data in x"):
            mpi.checked({"checked": False, "seconds": 2.0}, "x")


class Messages(unittest.TestCase):
    def test_names_tell_figures_apart(self):
        names = [figure.name for figure in comm_messages.FIGURES]
        self.assertEqual(len(names), len(set(names)))

    def test_a_figure_is_judged_against_the_best_setting(self):
        figure = comm_messages.Figure("rate", 8, 2, 0.5)
        times = {"maslin": [1.0] * 7, "maslin again": [1.0] * 7, "MPICH": [3.0] * 7, "Open MPI": [1.9] * 7}
        with mock.patch.object(comm_messages, "version_of", lambda _: "1"):
            row = comm_messages.row_of(figure, times)
            self.assertEqual((row.peer, row.verdict, row.ratio), ("Open MPI", MISSED, 1 / 1.9))
            times["Open MPI"] = [2.1] * 7
            self.assertEqual(comm_messages.row_of(figure, times).verdict, MET)


class Sweep(unittest.TestCase):
    def test_the_original_s_output_is_read(self):
        self.assertAlmostEqual(comm_sweep.seconds_of(MONITOR + ELAPSED), 0.04)

    def test_other_results_are_refused(self):
        self.assertIn("11712", MONITOR)
        for wrong in (MONITOR.replace("11712", "11711"), MONITOR.replace("0.34", "0.35").replace("0.30534", "0.30535"), MONITOR[60:]):
            with self.assertRaisesRegex(MeasurementError, "gave other results"):
                comm_sweep.seconds_of(wrong + ELAPSED)

    def test_more_ranks_are_judged_against_our_own_two(self):
        times = {"maslin": [1.1] * 7, "maslin again": [1.1] * 7, "maslin, 2 ranks": [1.0] * 7, "MPICH": [5.5] * 7}
        row = comm_sweep.row_of(24, times)
        self.assertEqual((row.peer, row.verdict, row.note), ("maslin, 2 ranks", MISSED, "MPICH: 5.00 × as long"))

    def test_without_the_programs_it_is_told_how(self):
        with mock.patch.dict(checkouts.given, clear=True):
            rows = comm_sweep.measure(Plan(quick=True, only="comm/sweep/6"))
        self.assertEqual([(row.name, row.verdict) for row in rows], [("comm/sweep/6-ranks", NOT_MEASURED)])
        self.assertIn("--peer sweep3d=PATH", rows[0].note)


class Ranks(unittest.TestCase):
    def test_another_answer_is_refused(self):
        answers = comm_ranks.Answers()
        self.assertEqual(answers.seconds({"answer": "ab", "seconds": 2.0}, "one"), 2.0)
        with self.assertRaisesRegex(MeasurementError, "other gave cd; the first run gave ab"):
            answers.seconds({"answer": "cd", "seconds": 2.0}, "other")


if __name__ == "__main__":
    unittest.main()
