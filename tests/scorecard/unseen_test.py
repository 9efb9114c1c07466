"""What grain/unseen makes of the runs: which programs, what they are compared with, when a goal is met."""

from __future__ import annotations

import contextlib
import io
import unittest

from grain.cases import REAL
from grain.result import COLD, THIRD, WARM, Result
from scorecard import command
from scorecard.row import FAILED, MET, MISSED, NOT_MEASURED, UNDECIDED
from unseen.cases import Unseen
from unseen.programs import FAMILIES, PUT_ASIDE, SEEN_BEFORE, TUNED_ON
from unseen.rows import decided, rows, share, table


def runs(*seconds: float) -> list[dict]:
    return [{"seconds": one, "configuration": "2x1"} for one in seconds]


def result(cold: float, warm: float | None = None, third: float | None = None, machine: int = 8, name: str = "queens", rounds: int = 7,
           openmp: float = 1.2) -> Result:
    """A case whose best fixed configuration takes one second; the second and the third run take as long as the first if not said."""
    warm, third = cold if warm is None else warm, cold if third is None else third
    times = 1 if machine else rounds
    return Result(Unseen(name, 36, machine, 1), fixed={"1x2": [2.0] * times, "2x1": [1.0] * times},
                  policies={policy: runs(*[value] * times) for policy, value in ((COLD, cold), (WARM, warm), (THIRD, third))},
                  peers={} if machine else {"OpenMP 1x2 active static": runs(*[3.0] * times), "OpenMP 2x1 passive": runs(*[openmp] * times)})


def verdicts(results: list[Result]) -> dict[str, str]:
    return {row.name.removeprefix("grain/unseen/"): row.verdict for row in rows("grain/unseen", results)}


class Programs(unittest.TestCase):
    def test_half_of_each_family_is_put_aside_and_no_program_is_in_both(self):
        self.assertEqual((len(TUNED_ON), len(PUT_ASIDE)), (20, 20))
        self.assertFalse(set(TUNED_ON) & set(PUT_ASIDE))
        for names in FAMILIES.values():
            self.assertEqual(len(set(names) & set(PUT_ASIDE)), 4)
        self.assertLessEqual(set(SEEN_BEFORE), set(PUT_ASIDE))

    def test_a_program_that_was_seen_before_is_marked(self):
        aside = [result(1.0, name="triad"), result(1.0, name="svd")]
        self.assertIn("triad/36/8 workers*", table(aside))
        self.assertIn("svd/36/8 workers ", table(aside))
        self.assertIn("seen once before: triad", rows("grain/unseen", aside)[0].note)
        self.assertNotIn("seen once before", rows("grain/unseen", [result(1.0)])[0].note)

    def test_rows_of_programs_that_auto_was_tuned_on_say_so(self):
        self.assertIn("tuned on", rows("grain/unseen", [result(1.0)])[0].note)
        self.assertNotIn("tuned on", rows("grain/unseen", [result(1.0, name="svd")])[0].note)

    def test_those_put_aside_run_only_where_they_are_asked_for(self):
        self.assertFalse(command.parsed([]).aside)
        self.assertTrue(command.parsed(["--only", "grain/unseen", "--aside"]).aside)
        self.assertTrue(command.parsed(["--only", "grain", "--aside"]).aside)
        said = io.StringIO()
        with contextlib.redirect_stderr(said), self.assertRaises(SystemExit) as end:
            command.parsed(["--only", "peers", "--aside"])
        self.assertEqual(end.exception.code, 2)
        self.assertIn("--aside is for grain/unseen", said.getvalue())


class Words(unittest.TestCase):
    def test_a_described_machine_runs_declared_costs_and_this_one_computes(self):
        self.assertEqual(Unseen("heat", 3, 64, 8).words(), ["heat", "--declared", "--longer", 8])
        self.assertEqual(Unseen("heat", 3, 64, 8).words(1), ["heat", "--declared", "--longer", 1])
        self.assertEqual(Unseen("heat", 3, REAL, 1, small=True).words(), ["heat", "--small"])


class Goals(unittest.TestCase):
    def test_a_share_is_the_least_value_that_so_many_do_not_exceed(self):
        values = [float(one) for one in range(20, 0, -1)]
        self.assertEqual([share(values, of) for of in (0.5, 0.75, 0.95, 1.0)], [10, 15, 19, 20])
        self.assertEqual(share([3.0], 0.5), 3)

    def test_one_of_twenty_may_miss_what_95_of_100_must_meet_and_none_may_be_far_off(self):
        good = [result(0.99) for _ in range(19)]
        self.assertEqual(set(verdicts([*good, result(1.1)]).values()), {MET})
        found = verdicts([*good, result(1.2, 1.0, 1.0)])
        self.assertEqual(found.pop("described/cold/worst"), MISSED)
        self.assertEqual(set(found.values()), {MET})
        found = verdicts([*good[:-1], result(1.1, 1.0, 1.0), result(1.1, 1.0, 1.0)])
        self.assertEqual(found.pop("described/cold/95-percent"), MISSED)
        self.assertEqual(set(found.values()), {MET})

    def test_warm_is_both_later_runs(self):
        found = verdicts([result(1.0, warm=1.0, third=1.3)])
        self.assertEqual((found["described/warm/worst"], found["described/warm-over-cold"], found["described/cold/worst"]), (MISSED, MISSED, MET))

    def test_openmp_is_the_best_of_its_settings_and_fifteen_of_twenty_must_be_ahead_of_it(self):
        ahead, behind = (result(1.0, machine=REAL, openmp=openmp) for openmp in (1.1, 0.9))
        self.assertEqual(verdicts([ahead] * 15 + [behind] * 5)["here/openmp"], MET)
        self.assertEqual(verdicts([ahead] * 14 + [behind] * 6)["here/openmp"], MISSED)
        without = result(1.0, machine=REAL)
        without.peers = {}
        self.assertEqual(verdicts([without])["here/openmp"], NOT_MEASURED)

    def test_three_rounds_decide_nothing_here_and_seven_do(self):
        self.assertEqual(set(verdicts([result(1.0, machine=REAL, rounds=3)]).values()), {UNDECIDED})
        self.assertFalse(decided(result(1.0, machine=REAL, rounds=3)))
        self.assertTrue(decided(result(1.0, machine=REAL)))

    def test_here_and_described_machines_have_rows_of_their_own(self):
        self.assertEqual(list(verdicts([result(1.0), result(1.0, machine=REAL)])),
                         ["here/cold/median", "here/cold/95-percent", "here/warm-over-cold", "here/openmp",
                          "described/cold/median", "described/cold/95-percent", "described/cold/worst", "described/warm/median",
                          "described/warm/95-percent", "described/warm/worst", "described/warm-over-cold"])

    def test_a_wrong_answer_fails_every_row_of_its_place(self):
        failed = Result(Unseen("heat", 3, 8, 1), note="failed: another answer", failed=True)
        found = verdicts([result(1.0), failed, result(1.0, machine=REAL)])
        self.assertEqual({verdict for name, verdict in found.items() if name.startswith("described/")}, {FAILED})
        self.assertEqual(found["here/cold/median"], MET)
        self.assertEqual(found["heat/3/8 workers"], FAILED)


if __name__ == "__main__":
    unittest.main()
