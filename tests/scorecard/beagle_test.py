"""What phylo/newview/beside-beagle makes of the times that its program prints."""

import json
import unittest
from unittest import mock

from scorecard.figures import Plan, phylo_beagle
from scorecard.measure import LOOKS, QUICK_LOOKS, MeasurementError
from scorecard.row import MET, MISSED, NOT_MEASURED

OURS = {"maslin": 4.0, "maslin again": 4.0}
NARROW = "BEAGLE as it is installed (Debian's, for one) has SSE at most; ours uses what the processor has"


class BesideBeagle(unittest.TestCase):
    def rows(self, theirs: dict[str, float], quick: bool = False, only: str = ""):
        """Gives the rows by name, and what was asked for, where each side takes so long every time."""
        asked = []

        def execute(words):
            states, patterns, rounds = (int(word) for word in words[1:])
            asked.append((states, patterns, rounds))
            return 0.0, json.dumps({"version": "3.1.2", "ns_per_pattern": {side: [ns] * rounds for side, ns in {**OURS, **theirs}.items()}})

        with mock.patch.multiple(phylo_beagle, execute=execute, binary=lambda name: name):
            return {row.name: row for row in phylo_beagle.measure(Plan(quick, only=only))}, asked

    def test_the_fastest_of_its_ways_is_the_peer(self):
        rows, asked = self.rows({"plain": 20.0, "plain, scaled": 30.0, "SSE": 10.0, "SSE, scaled": 16.0})
        self.assertEqual(asked, [(states, patterns, LOOKS[0]) for states in (4, 20) for patterns in (1024, 16384)])
        row = rows["phylo/newview/beside-beagle/20-states/1024"]
        self.assertEqual((row.peer, row.peer_value, row.peer_version, row.value), ("BEAGLE SSE", 10.0, "3.1.2", 4.0))
        self.assertEqual((row.ratio, row.verdict, row.note), (0.4, MET, f"BEAGLE with scaling: 16.0 ns; {NARROW}"))

    def test_a_faster_one_is_a_miss_even_if_it_scales(self):
        rows, _ = self.rows({"SSE": 5.0, "SSE, scaled": 2.0}, only="phylo/newview/beside-beagle/4-states/1024")
        self.assertEqual([(row.peer, row.ratio, row.verdict) for row in rows.values()], [("BEAGLE SSE, scaled", 2.0, MISSED)])

    def test_the_row_says_where_the_library_leaves_wide_vectors_unused(self):
        for side, said in (("CPU-4State-SSE-Double", NARROW), ("CPU-4State-AVX-Double", "")):
            rows, _ = self.rows({"plain": 20.0, side: 10.0})
            self.assertEqual({row.note for row in rows.values()}, {said})

    def test_only_wanted_rows_are_measured(self):
        _, asked = self.rows({"SSE": 5.0}, quick=True, only="phylo/newview/beside-beagle/20-states")
        self.assertEqual(asked, [(20, patterns, QUICK_LOOKS[0]) for patterns in (1024, 16384)])

    def test_without_the_library_nothing_is_measured(self):
        with mock.patch.object(phylo_beagle, "binary", side_effect=MeasurementError("it is not built")):
            rows = phylo_beagle.measure(Plan(quick=False))
        self.assertEqual({(row.verdict, row.note) for row in rows}, {(NOT_MEASURED, "it is not built")})


if __name__ == "__main__":
    unittest.main()
