"""What place/locality makes of the measured times: a row a case, and one about what all of them recover."""

import json
import unittest
from unittest import mock

from scorecard.figures import Plan, place_locality
from scorecard.measure import LOOKS, MeasurementError
from scorecard.row import MET, MISSED, SHOWN

CASES = "matmul,2 L2,32,416 32\nreduct,4 L3,128,2048 16384\n"


class Locality(unittest.TestCase):
    def rows(self, seconds: dict[str, dict[str, float]], quick: bool = False, only: str = ""):
        """Gives the rows by name, and the rounds that were asked for, where each side takes so long every time."""
        asked = []

        def execute(words):
            words = [str(word) for word in words]
            if words[1] == "cases":
                return 0.0, CASES
            self.assertEqual(words[1], "json")
            rounds = int(words[3])
            asked.append((words[2], rounds))
            taken = {"dbs": 1.0, "locality": 1.0, "locality again": 1.0, "program-order": 1.0, "chains": 1.0, "hot": 1.0,
                     "no-hints": 1.25}
            taken |= seconds[words[2]]
            return 0.0, json.dumps({"tasks": 9, "right": True, "seconds": {side: [value] * rounds for side, value in taken.items()}})

        with mock.patch.object(place_locality, "execute", execute), mock.patch.object(place_locality, "binary", lambda name: name):
            made = place_locality.measure(Plan(quick=quick, only=only))
        return {row.name: row for row in made}, asked

    def test_a_case_is_judged_by_the_better_of_dbs_and_program_order(self):
        rows, asked = self.rows({"matmul": {"hot": 0.5, "program-order": 0.8, "locality": 0.9}, "reduct": {"hot": 0.5, "locality": 0.9}})
        slower, faster = rows["place/locality/matmul/416/32"], rows["place/locality/reduct/2048/16384"]
        self.assertEqual((slower.peer, slower.verdict), ("program-order", MISSED))
        self.assertAlmostEqual(slower.ratio, 0.9 / 0.8)
        self.assertEqual((faster.peer, faster.verdict), ("dbs", MET))
        self.assertEqual(asked, [("matmul", LOOKS[0]), ("reduct", LOOKS[0])])

    def test_what_has_nothing_to_gain_is_shown_and_not_scored(self):
        rows, _ = self.rows({"matmul": {"hot": 0.96, "locality": 2.0}, "reduct": {"hot": 0.5, "locality": 0.75}})
        case = rows["place/locality/matmul/416/32"]
        self.assertEqual((case.verdict, case.goal, case.value), (SHOWN, "", 2.0))
        self.assertNotIn("recovers", case.note)
        about_all = rows["place/locality/recovered"]
        self.assertEqual((about_all.value, about_all.verdict, about_all.note), (0.5, MET, "1 of 2 cases"))

    def test_the_median_of_the_cases_is_what_is_recovered(self):
        rows, _ = self.rows({"matmul": {"hot": 0.5, "locality": 1.0}, "reduct": {"hot": 0.5, "locality": 0.6}})
        about_all = rows["place/locality/recovered"]
        self.assertAlmostEqual(about_all.value, 0.4)
        self.assertEqual(about_all.verdict, MISSED)

    def test_only_wanted_cases_are_measured(self):
        seconds = {"matmul": {"hot": 0.5}, "reduct": {"hot": 0.5}}
        rows, asked = self.rows(seconds, only="place/locality/matmul")
        self.assertEqual(list(rows), ["place/locality/matmul/416/32", "place/locality/matmul/416/32/no-hints"])
        self.assertEqual((rows["place/locality/matmul/416/32/no-hints"].ratio, rows["place/locality/matmul/416/32/no-hints"].verdict),
                         (0.8, SHOWN))
        self.assertEqual({program for program, _ in asked}, {"matmul"})
        _, asked = self.rows(seconds, only="place/locality/recovered")
        self.assertEqual({program for program, _ in asked}, {"matmul", "reduct"})

    def test_it_goes_on_until_the_case_is_decided(self):
        _, asked = self.rows({"matmul": {"hot": 0.5}, "reduct": {"hot": 0.5}}, quick=True)
        self.assertEqual(asked, [("matmul", 3), ("reduct", 3)], "three rounds decide nothing, and are all")
        with mock.patch.object(place_locality, "judge", lambda row, goal, measured: setattr(row, "verdict", "undecided")):
            _, asked = self.rows({"matmul": {"hot": 0.5}, "reduct": {"hot": 0.5}}, only="place/locality/matmul")
        self.assertEqual([rounds for _, rounds in asked], [7, 7, 14, 12])

    def test_a_wrong_answer_is_no_time(self):
        def execute(words):
            if words[1] == "cases":
                return 0.0, CASES
            raise MeasurementError("status 1")

        with mock.patch.object(place_locality, "execute", execute), mock.patch.object(place_locality, "binary", lambda name: name):
            self.assertRaises(MeasurementError, place_locality.measure, Plan(quick=True))


if __name__ == "__main__":
    unittest.main()
