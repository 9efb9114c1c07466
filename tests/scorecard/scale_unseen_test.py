"""What scale/unseen makes of predicted and measured times, and how bench/figures/predict.py gets them."""

import json
import unittest
from pathlib import Path
from threading import Event
from unittest import mock

from figures import predict
from scorecard.figures import Plan, scale_unseen
from scorecard.row import MET, MISSED, UNDECIDED


def case(name: str, *errors: float, rounds: int = 7) -> predict.Case:
    ratios = [1 + error for error in errors] if len(errors) > 1 else [1 + errors[0]] * rounds
    return predict.Case(name, [name], predicted=[2 * ratio for ratio in ratios], measured=[2.0] * len(ratios))


def verdicts(*cases: predict.Case) -> dict[str, str]:
    return {row.name.removeprefix("scale/unseen/"): row.verdict for row in scale_unseen.rows_of(cases)}


class Rows(unittest.TestCase):
    def test_errors_count_by_their_size_in_either_direction(self):
        median, worst = scale_unseen.rows_of([case("a", 0.01), case("b", -0.02), case("c", -0.09)])
        self.assertAlmostEqual(median.value, 2)
        self.assertAlmostEqual(worst.value, 9)
        self.assertEqual((median.verdict, worst.verdict), (MET, MET))
        self.assertIn("2 of 3 within 3; the worst: c -9.0", median.note)

    def test_one_bad_program_misses_the_worst_and_most_must_be_bad_to_miss_the_median(self):
        self.assertEqual(verdicts(case("a", 0.01), case("b", 0.0), case("c", -0.2)), {"median": MET, "worst": MISSED})
        self.assertEqual(verdicts(case("a", 0.05), case("b", -0.05), case("c", 0.0)), {"median": MISSED, "worst": MET})

    def test_rounds_on_both_sides_of_a_goal_decide_nothing(self):
        self.assertEqual(verdicts(case("a", 0.0, 0.0, 0.0, 0.02, 0.05, 0.05, 0.05))["median"], UNDECIDED)
        self.assertEqual(set(verdicts(case("a", 0.0, rounds=3)).values()), {UNDECIDED})


class Runs(unittest.TestCase):
    def test_a_round_is_a_recording_beside_a_copy_and_a_run_and_undecided_ones_are_repeated(self):
        asked, beside = [], Event()

        def execute(words, environment=None):
            words, environment = [str(word) for word in words], environment or {}
            asked.append((words, environment))
            if words == ["heat"] and environment["MASLIN_WORKERS"] == "1":
                if "MASLIN_TRACE" in environment:
                    self.assertTrue(beside.wait(60), "no copy runs beside the recording")
                    beside.clear()
                else:
                    beside.set()
            if words[1:2] != ["replay"]:
                return 0.0, ""
            of_one = asked_last_trace() == "1"
            return 0.0, json.dumps({"seconds": 9.0, "without_memory_s": 1.02 if of_one else 0.5, "recorded_s": 3.0 if of_one else 1.0})

        def asked_last_trace() -> str:
            return next(environment["MASLIN_WORKERS"] for _, environment in reversed(asked) if "MASLIN_TRACE" in environment)

        one = predict.Case("memory/heat", [Path("heat")], phase="unseen")
        with mock.patch.multiple(predict, execute=execute, binary=lambda name: name, cases=lambda: [one]), \
             mock.patch.multiple(scale_unseen, execute=execute, binary=lambda name: name):
            rows = scale_unseen.measure(Plan(quick=False))
        self.assertEqual((len(one.predicted), {row.verdict for row in rows}), (7, {MET}))
        self.assertAlmostEqual(rows[0].value, 2)
        pins = {environment["MASLIN_PIN"] for words, environment in asked if words[1:2] == ["replay"]}
        self.assertEqual(pins, {"unseen=1x2"})
        copies = [environment for words, environment in asked if words == ["heat"] and "MASLIN_TRACE" not in environment]
        self.assertGreaterEqual(len(copies), 7)
        self.assertTrue(all(environment["MASLIN_WORKERS"] == "1" and environment["MASLIN_LEARNED"] == "off" for environment in copies))


if __name__ == "__main__":
    unittest.main()
