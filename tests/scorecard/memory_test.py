"""What phylo/memory makes of the peaks of programs."""

import sys
import unittest
from pathlib import Path
from unittest import mock

from scorecard import tree_search
from scorecard.figures import Plan, phylo_memory
from scorecard.measure import MeasurementError, peak_memory
from scorecard.row import MET, MISSED


class Peaks(unittest.TestCase):
    def test_a_programs_peak_is_told_in_mebibytes_with_what_it_wrote(self):
        small, _ = peak_memory([sys.executable, "-c", "pass"])
        large, said = peak_memory([sys.executable, "-c", "x = b'1' * (100 << 20); print('done')"])
        self.assertEqual(said, "done\n")
        self.assertAlmostEqual(large - small, 100, delta=10)

    def test_what_the_scorecard_itself_takes_does_not_count(self):
        held = b"1" * (200 << 20)
        self.assertLess(peak_memory(["/bin/true"])[0], 50, len(held))

    def test_a_program_that_fails_is_told(self):
        for words in (["-c", "exit 3"], ["-c", "kill -9 $$"]):
            with self.assertRaisesRegex(MeasurementError, "status"):
                peak_memory(["/bin/sh", *words])


class Rows(unittest.TestCase):
    """Made-up searches: the peer takes 40 MiB and finds -100."""

    def row(self, peak: float, lnl: float, peer: str = "raxml-ng", first: float | None = None):
        searcher = mock.Mock(spec=tree_search.Searcher)
        searcher.name = peer
        searches = phylo_memory.Searches(Path("x.phy"), searcher)

        def ours(seed: int) -> float:
            searches.lnls["maslin"][seed] = lnl if first is None or seed != 1 else first
            return peak

        def theirs(seed: int) -> float:
            searches.lnls[peer][seed] = -100.0
            return 40.0

        with mock.patch.multiple(searches, ours=ours, theirs=theirs), mock.patch.object(tree_search, "version", lambda one: "1.2.2"):
            row, = phylo_memory.against("phylo/memory/x", searches, Plan(quick=False))
        return row

    def test_a_peak_is_judged_by_the_peers(self):
        self.assertEqual((self.row(40.0, -100.0).verdict, self.row(41.0, -100.0).verdict), (MET, MISSED))
        self.assertEqual(self.row(40.0, -99.5).checked, "lnL in the median +0.50 to raxml-ng's")
        self.assertIn("--peer raxml-ng=PATH", self.row(40.0, -100.0, peer="raxml").note)

    def test_a_search_that_finds_less_is_no_answer(self):
        with self.assertRaisesRegex(MeasurementError, "in the median lower than raxml-ng's by 0.50"):
            self.row(10.0, -100.5)

    def test_one_search_may_end_on_a_lower_hill(self):
        self.assertEqual(self.row(40.0, -99.0, first=-103.0).checked, "lnL in the median +1.00 to raxml-ng's")


if __name__ == "__main__":
    unittest.main()
