"""What the figures say that PBPI computes is what maslin-phylo mcmc computes.

    pbpi_test.py PATH-OF-MASLIN-PHYLO"""

import os
import pathlib
import sys
import unittest

os.environ["MASLIN_BENCH_BIN"] = str(pathlib.Path(sys.argv.pop(1)).resolve().parent)
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "bench" / "figures"))
import pbpi  # noqa: E402


class Profile(unittest.TestCase):
    def test_is_what_the_program_counts(self):
        size = pbpi.CELL_SIZES[0]
        recorded, now = pbpi.profile(*size), pbpi.counted(*size)
        self.assertEqual((recorded.generations, recorded.patterns), (now["generations"], now["patterns"]))
        # Other instructions round otherwise, and the chain soon goes another way.
        self.assertAlmostEqual(recorded.likelihoods / now["likelihoods"], 1, delta=0.01)
        self.assertAlmostEqual(recorded.vectors / now["vectors"], 1, delta=0.05)

    def test_all_sizes_are_there(self):
        for taxa, sites in (*pbpi.CELL_SIZES, *pbpi.CONSOLE_SIZES):
            one = pbpi.profile(taxa, sites)
            self.assertLessEqual(one.patterns, sites)
            self.assertGreater(one.loops(), 2)
            self.assertLess(one.loops(), taxa)

    def test_one_worker_takes_what_was_published(self):
        for size, seconds in zip(pbpi.CELL_SIZES, (27.2, 262.0)):
            chain = pbpi.chain(*size)
            self.assertAlmostEqual(chain.repeats * chain.loops * (chain.host + chain.loop + pbpi.SIGNALS_US) / 1e6 / seconds, 1, delta=1e-3)


if __name__ == "__main__":
    unittest.main()
