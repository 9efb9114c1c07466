"""What bench/grain makes of the runs: which configurations are measured, what a policy is compared with, when a goal is met."""

import unittest

from grain.cases import DEVELOPMENT, HELD_OUT, REAL, Case, configurations, real_cases, virtual_cases
from grain.result import COLD, WARM, Result
from grain.rows import decided, rows
from grain.virtual import between, is_coarse
from scorecard.row import FAILED, MET, MISSED, NOT_MEASURED, UNDECIDED


def run(seconds: float, lost: float = 0.0) -> dict:
    return {"seconds": seconds, "configuration": "8x1", "sampling_seconds": 2 * lost, "sampling_lost_seconds": lost}


def result(shape: str, units: int, cold: float, warm: float, lost: float = 0.09, machine: int = 8) -> Result:
    return Result(Case(shape, units, machine, 100), fixed={"8x1": [2.0], "4x2": [1.0]},
                  policies={"s-mgps": [run(1.2, 0.3)], COLD: [run(cold, lost)], WARM: [run(warm)]})


def verdicts(results: list[Result]) -> dict[str, str]:
    return {row.name.rpartition("/")[2]: row.verdict for row in rows("grain/virtual", results)}


class Configurations(unittest.TestCase):
    def test_they_are_all_that_fit_up_to_16_workers(self):
        self.assertEqual(len([one for one in configurations(8, 100) if one[1] <= 5]), 17)
        self.assertEqual(sorted(configurations(3, 2)), [(1, 1), (1, 2), (1, 3), (2, 1)])
        for workers in (16, 64, 256):
            for streams, width in configurations(workers, 14):
                self.assertLessEqual(streams * width, workers)
                self.assertLessEqual(streams, 14)

    def test_more_than_16_go_in_four_steps_a_doubling(self):
        streams = [p for p, w in configurations(64, 1000) if w == 1]
        self.assertEqual(streams, [*range(1, 17), 20, 24, 28, 32, 40, 48, 56, 64])

    def test_what_lies_between_coarse_ones_is_every_other_one(self):
        case = Case("md-14", 14, 64, 100)
        every = configurations(64, 14)
        coarse = [one for one in every if is_coarse(one, case)]
        self.assertIn((14, 4), coarse)
        self.assertLess(len(coarse), len(every) / 2)
        for one in every:
            self.assertTrue(one in coarse or any(between(one, other) for other in coarse), one)

    def test_every_described_machine_runs_every_shape(self):
        for of in (DEVELOPMENT, HELD_OUT):
            cases = list(virtual_cases(of))
            self.assertEqual(len(cases), len({case.name for case in cases}))
            for machine in of.machines:
                shapes = {case.shape for case in cases if case.machine == machine}
                self.assertEqual(len(shapes), 5 + len(of.trajectories) + len(of.alignments))
            self.assertTrue(all(case.spec.exists() for case in cases))
            self.assertEqual({case.shape for case in real_cases(of)}, shapes)


class Goals(unittest.TestCase):
    def test_a_policy_is_compared_with_the_best_fixed_configuration(self):
        one = result("cholesky", 64, 1.5, 1.0)
        self.assertEqual(one.best, "4x2")
        self.assertEqual(one.ratio(COLD), 1.5)

    def test_they_are_met_when_every_case_meets_them(self):
        good = verdicts([result("cholesky", 64, 1.02, 1.01), result("cholesky", 16, 1.05, 1.0), result("lognormal", 64, 0.99, 0.98)])
        self.assertEqual(good, dict.fromkeys(good, MET))
        self.assertEqual(set(good), {"cold-64", "cold-16", "warm", "never", "never-warm", "sampling", "uneven"})

    def test_one_bad_case_fails_its_row_only(self):
        for bad, row in ((result("cholesky", 64, 1.03, 1.0), "cold-64"), (result("cholesky", 16, 1.06, 1.0), "cold-16"),
                         (result("cholesky", 64, 1.0, 1.02), "warm"), (result("md-6", 6, 0.9, 1.11), "never-warm"),
                         (result("cholesky", 64, 1.0, 1.0, lost=0.2), "sampling"), (result("lognormal", 64, 1.0, 0.9), "uneven")):
            found = verdicts([result("cholesky", 16, 1.0, 1.0), bad])
            self.assertEqual(found.pop(row), MISSED, row)
            self.assertEqual(set(found.values()), {MET}, found)

    def test_a_wrong_answer_fails_every_row(self):
        failed = Result(Case("cholesky", 64, 8, 100), note="failed: another answer", failed=True)
        found = verdicts([result("cholesky", 64, 1.0, 1.0), failed])
        self.assertEqual({verdict for verdict in found.values() if verdict != NOT_MEASURED}, {FAILED})
        self.assertIn("failed: another answer", [row.note for row in rows("grain/virtual", [failed])])

    def test_without_auto_they_are_skipped(self):
        one = result("cholesky", 64, 1.0, 1.0)
        del one.policies[COLD], one.policies[WARM]
        self.assertEqual(set(verdicts([one]).values()), {NOT_MEASURED})

    def test_on_this_machine_rounds_decide_and_one_undecided_case_leaves_its_row_undecided(self):
        sure, unsure = (Result(Case("cholesky", 64, REAL, 100), fixed={"2x1": [1.0] * 7},
                               policies={"s-mgps": [run(1.2, 0.3)] * 7, COLD: [run(seconds) for seconds in cold], WARM: [run(1.0)] * 7})
                        for cold in ([1.01] * 7, [0.99, 1.0, 1.0, 1.01, 1.01, 1.03, 1.04]))
        self.assertEqual(verdicts([sure])["cold-64"], MET)
        self.assertEqual(verdicts([sure, unsure])["cold-64"], UNDECIDED)
        self.assertTrue(decided(sure))
        self.assertFalse(decided(unsure))



if __name__ == "__main__":
    unittest.main()
