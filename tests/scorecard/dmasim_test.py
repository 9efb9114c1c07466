"""What place/dmasim makes of a benchmark's report: a row for each of its streams."""

import json
import unittest
from unittest import mock

from scorecard.figures import Plan, place_dmasim
from scorecard.row import MET, MISSED


class Dmasim(unittest.TestCase):
    def test_a_stream_is_judged_by_its_packets_a_second(self):
        runs = [{"name": "stream/workers:1/bytes:64", "items_per_second": 6e6}, {"name": "stream/workers:8/bytes:64", "items_per_second": 4e6}]
        with mock.patch.object(place_dmasim, "execute", lambda words: (0.0, json.dumps({"benchmarks": runs}))), \
             mock.patch.object(place_dmasim, "binary", lambda name: name):
            rows = {row.name: row for row in place_dmasim.measure(Plan(quick=False))}
        self.assertEqual({name: row.verdict for name, row in rows.items()},
                         {"place/dmasim/workers:1/bytes:64": MET, "place/dmasim/workers:8/bytes:64": MISSED})
        self.assertEqual(rows["place/dmasim/workers:1/bytes:64"].value, 6e6)


if __name__ == "__main__":
    unittest.main()
