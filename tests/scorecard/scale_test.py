"""What place/scale makes of the measured times: the largest graph against the smallest, and its memory."""

import json
import unittest
from unittest import mock

from scorecard.figures import Plan, place_scale
from scorecard.row import MET, MISSED, SHOWN


class Scale(unittest.TestCase):
    def rows(self, largest_ns: float, largest_bytes: float):
        def execute(words):
            largest = words[words.index("--blocks") + 1] == place_scale.BLOCKS[-1]
            return 0.0, json.dumps({"ns_a_task": largest_ns if largest else 100.0, "bytes_a_task": largest_bytes if largest else 2000.0})

        with mock.patch.multiple(place_scale, execute=execute, binary=lambda name: name):
            return {row.name: row for row in place_scale.measure(Plan(quick=False))}

    def test_the_largest_graph_is_judged_by_the_smallest(self):
        rows = self.rows(120.0, 300.0)
        time = rows["place/scale/time"]
        self.assertEqual((time.value, time.peer, time.peer_value, time.ratio, time.verdict), (120.0, "1,000 tasks", 100.0, 1.2, MET))
        self.assertEqual(rows["place/scale/97,336"].verdict, SHOWN)
        self.assertEqual(self.rows(130.0, 300.0)["place/scale/time"].verdict, MISSED)

    def test_its_memory_counts_and_not_that_of_smaller_ones(self):
        self.assertEqual((self.rows(100.0, 1000.0)["place/scale/memory"].verdict, self.rows(100.0, 1100.0)["place/scale/memory"].verdict),
                         (MET, MISSED))


if __name__ == "__main__":
    unittest.main()
