"""How effective samples of chains are counted, and what is compared with MrBayes."""

import random
import unittest

from scorecard.figures.phylo_ess import Sampled, check, effective_samples, sampled
from scorecard.measure import MeasurementError


def autoregressive(count, correlation, seed):
    source, value, out = random.Random(seed), 0.0, []
    for _ in range(count):
        value = correlation * value + (1 - correlation**2) ** 0.5 * source.gauss(0, 1)
        out.append(value)
    return out


class Effective(unittest.TestCase):
    def test_independent_samples_count_whole(self):
        self.assertGreater(effective_samples(autoregressive(4000, 0, 1)), 3500)

    def test_samples_that_follow_each_other_count_as_theory_says(self):
        count = 20000
        self.assertAlmostEqual(effective_samples(autoregressive(count, 0.9, 1)) / (count * 0.1 / 1.9), 1, delta=0.15)

    def test_what_never_changes_is_no_sample(self):
        with self.assertRaisesRegex(MeasurementError, "never changes"):
            effective_samples([3.0] * 100)

    def test_the_least_of_all_quantities_by_seconds_counts(self):
        runs = [{"LnL": autoregressive(2000, 0.5, seed), "TL": autoregressive(2000, 0.95, seed + 10)} for seed in (1, 2)]
        of = Sampled(4.0, runs)
        self.assertEqual(of.least_a_second(), sum(effective_samples(run["TL"]) for run in runs) / 4)

    def test_a_file_is_read_without_its_burn_in(self):
        rows = "".join(f"{50 * i}\t-{100 + i}\t-3\t{i}\n" for i in range(8))
        self.assertEqual(sampled(f"[ID: 1]\nGen\tLnL\tLnPr\tTL\n{rows}"),
                         {"LnL": [-102.0, -103.0, -104.0, -105.0, -106.0, -107.0], "TL": [2.0, 3.0, 4.0, 5.0, 6.0, 7.0]})


class Checked(unittest.TestCase):
    def test_means_that_differ_are_refused(self):
        one = Sampled(1, [{"TL": autoregressive(1000, 0.5, seed)} for seed in (1, 2)])
        other = Sampled(1, [{"TL": autoregressive(1000, 0.5, seed)} for seed in (3, 4)])
        self.assertIn("standard errors", check(one, other, "x"))
        moved = Sampled(1, [{"TL": [value + 1 for value in run["TL"]]} for run in other.runs])
        with self.assertRaisesRegex(MeasurementError, "x: TL is"):
            check(one, moved, "x")


if __name__ == "__main__":
    unittest.main()
