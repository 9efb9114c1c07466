"""When a goal of the scorecard is met, missed or undecided."""

import random
import unittest

from scorecard.measure import AGAIN, LOOKS, QUICK_LOOKS
from scorecard.figures import Plan
from scorecard.row import (MET, MISSED, NOT_MEASURED, UNDECIDED, Goal, Row, interval_of_median, judge, noise, not_measured, paired_ratio,
                           pairs, size_of)

AT_LEAST_2 = Goal("ratio", at_least=2.0)
AT_MOST_2 = Goal("ratio", at_most=2.0)


def verdict(goal, samples):
    return judge(Row("x"), goal, samples).verdict


class Pairs(unittest.TestCase):
    def test_the_ratio_is_the_median_of_the_pairs_and_not_of_the_sides(self):
        # The second round was slow on both sides; the pairs do not see it.
        self.assertAlmostEqual(paired_ratio([20, 40, 22], [10, 20, 10]), 2.0)

    def test_sides_of_unequal_length_are_no_pairs(self):
        with self.assertRaises(ValueError):
            pairs([1, 2], [1])


class Intervals(unittest.TestCase):
    def test_they_are_the_order_statistics_of_the_binomial_table(self):
        # The ranks that tables of the sign test's interval list for 95 %.
        for n, rank in ((6, 1), (7, 1), (8, 1), (9, 2), (11, 2), (12, 3), (14, 3), (20, 6), (28, 9), (40, 14)):
            samples = random.Random(n).sample(range(1, n + 1), n)
            self.assertEqual(interval_of_median(samples), (rank, n + 1 - rank), n)

    def test_that_of_a_size_reaches_down_to_nothing_around_nothing(self):
        self.assertEqual(size_of((-2.0, 1.0)), (0.0, 2.0))
        self.assertEqual(size_of((-3.0, -1.0)), (1.0, 3.0))
        self.assertEqual(size_of((1.0, 3.0)), (1.0, 3.0))
        self.assertIsNone(size_of(None))

    def test_below_six_samples_there_is_none(self):
        for n in range(6):
            self.assertIsNone(interval_of_median([1.0] * n))

    def test_they_cover_the_median_in_95_percent_of_the_cases_or_more(self):
        source = random.Random(1)
        for n in (7, 14, 28, 40):
            covered = sum(low <= 1.0 <= high for low, high in (
                interval_of_median([source.lognormvariate(0, 1) for _ in range(n)]) for _ in range(2000)))
            self.assertGreater(covered, 1880, n)  # 1900 are 95 %; 2000 draws deviate by 10

    def test_one_wild_round_moves_them_by_one_rank_at_most(self):
        calm = [1.0, 1.01, 1.02, 1.03, 1.04, 1.05, 1.06, 1.07, 1.08]
        self.assertEqual(interval_of_median(calm[:-1] + [1000.0]), (1.01, 1.07))


class Verdicts(unittest.TestCase):
    def test_a_goal_is_met_when_the_whole_interval_reaches_it(self):
        self.assertEqual(verdict(AT_LEAST_2, [2.0, 2.1, 2.2, 2.3, 2.4, 2.5, 2.6]), MET)
        self.assertEqual(verdict(AT_MOST_2, [1.4, 1.5, 1.6, 1.7, 1.8, 1.9, 2.0]), MET)

    def test_it_is_missed_when_the_whole_interval_falls_short(self):
        self.assertEqual(verdict(AT_LEAST_2, [1.3, 1.4, 1.5, 1.6, 1.7, 1.8, 1.99]), MISSED)
        self.assertEqual(verdict(AT_MOST_2, [2.01, 2.1, 2.2, 2.3, 2.4, 2.5, 2.6]), MISSED)

    def test_otherwise_it_is_undecided_whatever_the_median_says(self):
        self.assertEqual(verdict(AT_LEAST_2, [1.99, 2.1, 2.2, 2.3, 2.4, 2.5, 2.6]), UNDECIDED)
        self.assertEqual(verdict(AT_LEAST_2, [1.3, 1.4, 1.5, 1.6, 1.7, 1.8, 2.1]), UNDECIDED)

    def test_fewer_than_six_rounds_decide_nothing(self):
        self.assertEqual(verdict(AT_LEAST_2, [100.0] * 5), UNDECIDED)
        self.assertLess(max(QUICK_LOOKS), 6)

    def test_what_is_the_same_every_time_is_decided_by_one_run(self):
        self.assertEqual(judge(Row("x"), AT_MOST_2, [1.9], exact=True).verdict, MET)
        self.assertEqual(judge(Row("x"), AT_MOST_2, [2.1], exact=True).verdict, MISSED)

    def test_noise_loosens_no_goal(self):
        # Runs against themselves differ by a factor of three: the same samples give the same verdict as beside quiet ones.
        short = [1.3, 1.4, 1.5, 1.6, 1.7, 1.8, 1.9]
        row = judge(Row("x", again=(0.3, 3.0)), AT_LEAST_2, short)
        self.assertEqual(row.verdict, MISSED)
        self.assertEqual(judge(Row("x", again=(1.0, 1.0)), AT_LEAST_2, short).verdict, MISSED)

    def test_noise_in_the_samples_makes_a_row_undecided_and_never_met(self):
        source = random.Random(7)
        for rounds in range(7, 41):
            around = [1.9 * source.choice((0.4, 2.5)) for _ in range(rounds - 2)] + [0.5, 4.5]
            self.assertNotEqual(verdict(AT_LEAST_2, sorted(around)), MET)

    def test_a_row_is_judged_by_what_its_goal_names(self):
        row = judge(Row("x", value=9.0), Goal("ratio", at_most=1.05), [1.0] * 7)
        self.assertEqual((row.verdict, row.ratio, row.value, row.goal), (MET, 1.0, 9.0, "ratio ≤ 1.05"))
        self.assertEqual(judge(Row("x", ratio=1.0), Goal("value", at_most=7.5), [9.0] * 7).verdict, MISSED)

    def test_a_row_that_was_not_measured_is_neither_met_nor_missed(self):
        row = not_measured("x", "no data", AT_LEAST_2)
        self.assertEqual((row.verdict, row.met), (NOT_MEASURED, None))

    def test_a_row_carries_the_fields_that_readers_of_the_file_expect(self):
        row = judge(Row("x", versions={"a": "1"}, samples={"maslin": [2.0] * 7, "a": [4.0] * 7}), AT_LEAST_2, [2.0] * 7).as_json()
        fields = {"name", "value", "unit", "better", "peer", "peer_value", "peer_version", "ratio", "goal", "met", "verdict", "interval",
                  "again", "rounds", "versions", "medians", "samples"}
        self.assertLessEqual(fields, row.keys())
        self.assertEqual((row["met"], row["interval"], row["medians"]), (True, (2.0, 2.0), {"maslin": 2.0, "a": 4.0}))


class Rounds(unittest.TestCase):
    """How many rounds are run: `ratio` makes the peer's value of each round, ours is 1."""

    def measured(self, ratio, quick=False):
        calls = []

        def rows(values):
            row = Row("x", again=noise(values, "maslin"))
            return [judge(row, AT_LEAST_2, pairs(values["peer"], values["maslin"]))]

        sides = {"maslin": lambda _: calls.append(1) or 1.0, "peer": ratio}
        row = Plan(quick).rows("x", sides, "maslin", rows)[0]
        self.assertEqual(len(calls), 2 * row.rounds)  # ours twice a round: what a run is to itself
        return row

    def test_seven_do_where_they_decide(self):
        row = self.measured(lambda _: 3.0)
        self.assertEqual((row.rounds, row.verdict, row.again), (7, MET, (1.0, 1.0)))

    def test_more_are_run_until_they_decide(self):
        # One round in seven falls short: seven rounds are undecided, fourteen say that it is the exception.
        row = self.measured(lambda turn: 1.0 if turn % 7 == 3 else 3.0)
        self.assertEqual((row.rounds, row.verdict), (14, MET))

    def test_forty_are_the_end(self):
        row = self.measured(lambda turn: 1.0 if turn % 2 else 3.0)
        self.assertEqual((row.rounds, row.verdict), (40, UNDECIDED))
        self.assertEqual((LOOKS[0], LOOKS[-1]), (7, 40))

    def test_a_quick_run_has_fewer_and_decides_nothing(self):
        row = self.measured(lambda _: 3.0, quick=True)
        self.assertEqual((row.rounds, row.verdict), (3, UNDECIDED))


if __name__ == "__main__":
    unittest.main()
