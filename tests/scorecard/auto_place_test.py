"""What place/auto makes of the measured times: a row a case, judged by the better of dbs and locality."""

import json
import unittest
from unittest import mock

from scorecard.figures import Plan, place_auto
from scorecard.measure import LOOKS
from scorecard.row import MET, MISSED

CASES = [("matmul/416/32", ["matmul", "416", "32"]), ("reduct/512/1024", ["reduct", "512", "1024"])]


class Auto(unittest.TestCase):
    def rows(self, seconds: dict[str, dict[str, float]], decided: dict[str, dict], only: str = ""):
        """Gives the rows by name, and what was asked for: the program, its rounds, and the file for what is learned."""
        asked = []

        def execute(words, environment):
            words = [str(word) for word in words]
            self.assertEqual(words[1], "auto")
            rounds = int(words[3])
            asked.append((words[2], rounds, environment["MASLIN_LEARNED"]))
            taken = {"dbs": 1.0, "locality": 1.0, "auto": 1.0} | seconds.get(words[2], {})
            return 0.0, json.dumps({"seconds": {side: [value] * rounds for side, value in taken.items()}, **decided.get(words[2], {})})

        with mock.patch.multiple(place_auto, execute=execute, binary=lambda name: name, cases=lambda: CASES):
            made = place_auto.measure(Plan(quick=False, only=only))
        return {row.name: row for row in made}, asked

    def test_a_case_is_judged_by_the_better_of_dbs_and_locality(self):
        rows, asked = self.rows({"matmul": {"locality": 0.9}, "reduct": {"locality": 1.2}}, {"matmul": {"decided": "dbs", "runs": 24}})
        matmul, reduct = rows["place/auto/matmul/416/32"], rows["place/auto/reduct/512/1024"]
        self.assertEqual((matmul.peer, matmul.verdict, matmul.note), ("locality", MISSED, "dbs after 24 runs"))
        self.assertEqual((reduct.peer, reduct.verdict, reduct.note), ("dbs", MET, "not decided"))
        self.assertEqual([(program, rounds) for program, rounds, _ in asked], [("matmul", LOOKS[0]), ("reduct", LOOKS[0])])

    def test_what_it_learned_is_kept_from_look_to_look_and_not_from_case_to_case(self):
        with mock.patch.object(place_auto, "judge", lambda row, goal, measured: setattr(row, "verdict", "undecided") or row):
            _, asked = self.rows({}, {})
        files = {program: {file for name, _, file in asked if name == program} for program in ("matmul", "reduct")}
        self.assertEqual([len(one) for one in files.values()], [1, 1])
        self.assertNotEqual(files["matmul"], files["reduct"])
        self.assertEqual([rounds for name, rounds, _ in asked if name == "matmul"], [7, 7, 14, 12])

    def test_only_wanted_cases_are_measured(self):
        _, asked = self.rows({}, {}, only="place/auto/reduct")
        self.assertEqual({program for program, _, _ in asked}, {"reduct"})


if __name__ == "__main__":
    unittest.main()
