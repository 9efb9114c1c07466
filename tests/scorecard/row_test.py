"""When a goal of the scorecard is met."""

import unittest

from scorecard.row import Goal, Row, aa_spread, judge, paired_ratio, skipped


class Rows(unittest.TestCase):
    def test_the_ratio_is_the_median_of_the_pairs_and_not_of_the_sides(self):
        # The second round was slow on both sides; the pairs do not see it.
        self.assertAlmostEqual(paired_ratio([20, 40, 22], [10, 20, 10]), 2.0)

    def test_sides_of_unequal_length_are_no_pairs(self):
        with self.assertRaises(ValueError):
            paired_ratio([1, 2], [1])

    def test_the_spread_is_that_of_a_run_against_the_next_one(self):
        self.assertAlmostEqual(aa_spread([10, 10, 11, 11]), 0.0)
        self.assertAlmostEqual(aa_spread([10, 11, 10, 11]), 0.1)
        self.assertEqual(aa_spread([10]), 0.0)

    def test_a_goal_from_below_is_met_within_the_spread_and_not_beyond(self):
        goal = Goal("ratio", at_least=2.0)
        self.assertTrue(goal.met(1.95, 0.03))
        self.assertFalse(goal.met(1.95, 0.02))

    def test_a_goal_from_above_is_met_within_the_spread_and_not_beyond(self):
        goal = Goal("value", at_most=7.5)
        self.assertTrue(goal.met(7.6, 0.02))
        self.assertFalse(goal.met(7.8, 0.02))

    def test_a_row_is_judged_by_what_its_goal_names(self):
        row = judge(Row("x", value=9.0, ratio=1.0, spread=0.0), Goal("ratio", at_most=1.05))
        self.assertTrue(row.met)
        self.assertEqual(row.goal, "ratio ≤ 1.05")
        self.assertFalse(judge(row, Goal("value", at_most=7.5)).met)

    def test_a_skipped_row_is_neither_met_nor_missed(self):
        self.assertIsNone(skipped("x", "no data", Goal("ratio", at_least=2)).met)

    def test_a_row_carries_the_fields_that_readers_of_the_file_expect(self):
        fields = {"name", "value", "unit", "better", "peer", "peer_value", "peer_version", "ratio", "goal", "met"}
        self.assertLessEqual(fields, Row("x").as_json().keys())


if __name__ == "__main__":
    unittest.main()
