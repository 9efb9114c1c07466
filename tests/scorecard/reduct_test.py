"""What place/reduct makes of the measured times: tasks against a loop, for each number of workers."""

import json
import unittest
from unittest import mock

from scorecard.figures import Plan, place_reduct
from scorecard.row import MET, MISSED


class Reduct(unittest.TestCase):
    def test_tasks_are_judged_by_the_loop(self):
        def execute(words):
            rounds, workers = words[1], words[2]
            return 0.0, json.dumps({"seconds": {"tasks": [1.1 / workers] * rounds, "loop": [1.0] * rounds}})

        with mock.patch.multiple(place_reduct, execute=execute, binary=lambda name: name):
            rows = {row.name: row for row in place_reduct.measure(Plan(quick=False))}
        self.assertEqual({name: row.verdict for name, row in rows.items()}, {"place/reduct/1-workers": MISSED, "place/reduct/2-workers": MET})
        self.assertAlmostEqual(rows["place/reduct/2-workers"].ratio, 0.55)


if __name__ == "__main__":
    unittest.main()
