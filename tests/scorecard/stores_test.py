"""What place/stores makes of the times: speed-ups beside the published ones, and a row for each technique."""

import json
import unittest
from unittest import mock

from scorecard.figures import Plan, place_stores
from scorecard.row import MET, MISSED


class Stores(unittest.TestCase):
    def rows(self, ns):
        """Gives the rows by name where a run takes `ns(application, workers, techniques)`."""

        def execute(words):
            words = [str(word) for word in words]
            with_these = words[words.index("--with") + 1].split(",") if "--with" in words else []
            return 0.0, json.dumps({"ns": ns(words[1], int(words[words.index("--workers") + 1]), len(with_these))})

        with mock.patch.object(place_stores, "execute", execute), mock.patch.object(place_stores, "binary", lambda name: name):
            return {row.name: row for row in place_stores.measure(Plan(quick=True))}

    def test_a_speed_up_is_met_within_four_percent_on_either_side(self):
        speed_ups = {("matmul", 4): 3.9, ("matmul", 8): 7.6, ("choleskyC", 8): 7.8}
        rows = self.rows(lambda application, workers, _: 1e9 / speed_ups.get((application, workers), 1))
        self.assertEqual(rows["place/stores/matmul/4-workers"].verdict, MET)
        self.assertEqual(rows["place/stores/matmul/8-workers"].verdict, MISSED)
        self.assertEqual(rows["place/stores/choleskyC/8-workers"].verdict, MET)
        self.assertAlmostEqual(rows["place/stores/matmul/8-workers"].ratio, 7.6 / 7.2)

    def test_a_technique_must_gain_but_for_matmuls_early_call_back(self):
        rows = self.rows(lambda application, workers, techniques: 1e9 / (1 + (techniques >= 3)))
        steps = {name: row.verdict for name, row in rows.items() if not name.endswith("-workers")}
        self.assertEqual(len(steps), 8)
        met = {"place/stores/matmul/cache", "place/stores/choleskyC/cache", "place/stores/matmul/ec"}
        self.assertEqual({name for name, verdict in steps.items() if verdict == MET}, met)


if __name__ == "__main__":
    unittest.main()
