"""What bench/layout/here.py makes of recordings and runs, and layout/here of that."""

import json
import unittest
from pathlib import Path
from tempfile import TemporaryDirectory
from unittest import mock

from layout import here
from scorecard.command import chosen
from scorecard.figures import Plan, layout_here
from scorecard.measure import MeasurementError
from scorecard.row import MET, MISSED, UNDECIDED
from unseen.programs import TUNED_ON


class Machine:
    """Stands for `execute`: `model` and `took` give seconds by layout. The phase has two runs."""

    def __init__(self, model: dict[str, float], took: dict[str, float]):
        self.model, self.took = model, took
        self.asked: list[tuple[list[str], dict]] = []
        self.pinned = ""

    def execute(self, words, environment=None):
        words, environment = [str(word) for word in words], environment or {}
        self.asked.append((words, environment))
        if "MASLIN_TRACE" in environment:
            Path(environment["MASLIN_TRACE"]).write_text("")
            self.pinned = environment.get("MASLIN_PIN", "")
        if words[1:2] == ["layout"]:
            assert words[2:3] == ["--beside"] and environment["MASLIN_LEARNED"] == "off", words
            return 0.0, json.dumps({"phases": [{"name": "p", "runs": 2, "candidates": [
                {"streams": int(layout[0]), "width": int(layout[2]), "seconds": seconds} for layout, seconds in self.model.items()]}]})
        if words[1:3] == ["trace", "spans"]:
            half = self.took[self.pinned.removeprefix("p=")] / 2
            return 0.0, json.dumps({"phases": [{"name": "p", "begin_s": 1.0, "end_s": 1.0 + half},
                                               {"name": "other", "begin_s": 0.0, "end_s": 5.0},
                                               {"name": "p", "begin_s": 3.0, "end_s": 3.0 + half}]})
        return 0.0, ""


class Here(unittest.TestCase):
    def test_no_program_is_taken_that_is_put_aside(self):
        self.assertLessEqual(set(here.SIX + here.FOR_DEVELOPMENT), set(TUNED_ON))
        self.assertFalse(set(here.SIX) & set(here.FOR_DEVELOPMENT))

    def test_medians_of_rounds_are_compared_and_the_named_layout_is_the_models_best(self):
        case = here.Case("it", [], {"1x1": [2.0, 2.2, 9.0], "2x1": [1.0, 1.0, 1.0], "1x2": [1.1, 1.1, 1.1]},
                         {"1x1": [2.0, 2.0, 2.0], "2x1": [1.25, 1.25, 0.5], "1x2": [1.0, 1.0, 7.0]})
        self.assertEqual((case.named, case.best), ("2x1", "1x2"))
        self.assertAlmostEqual(case.over_best, 0.25)
        for layout, error in {"1x1": 0.1, "2x1": -0.2, "1x2": 0.1}.items():
            self.assertAlmostEqual(case.errors[layout], error)

    def measured(self, machine: Machine, rounds: int) -> here.Case:
        case = here.Case("it", ["program"])
        with TemporaryDirectory() as folder, mock.patch.multiple(here, execute=machine.execute, binary=lambda name: name):
            here.measure(case, Path("here.toml"), Path(folder), rounds, lambda _: None)
            here.measure(case, Path("here.toml"), Path(folder), 1, lambda _: None)
        return case

    def test_a_round_records_once_and_runs_every_layout_pinned_and_counts_all_runs_of_the_phase(self):
        machine = Machine({"2x1": 1.0, "1x1": 2.0}, {"2x1": 1.5, "1x1": 2.0})
        case = self.measured(machine, 2)
        self.assertEqual((case.predicted, case.measured), ({"2x1": [1.0] * 3, "1x1": [2.0] * 3}, {"2x1": [1.5] * 3, "1x1": [2.0] * 3}))
        pins = [environment["MASLIN_PIN"] for _, environment in machine.asked if "MASLIN_PIN" in environment]
        self.assertEqual(sorted(pins), ["p=1x1"] * 3 + ["p=2x1"] * 3)
        for words, environment in machine.asked:
            if words == ["program"]:
                self.assertEqual((environment["MASLIN_WORKERS"], environment["MASLIN_TRACE_DETAIL"]), ("2", "streams"))
        recorded = [words for words, _ in machine.asked if words[1:2] == ["layout"]]
        self.assertEqual([words[words.index("--"):] for words in recorded], [["--", "program"]] * 5)  # two name the layouts

    def test_a_program_of_two_phases_is_refused(self):
        def execute(words, environment=None):
            return 0.0, json.dumps({"phases": [{"name": "a"}, {"name": "b"}]})

        with mock.patch.multiple(here, execute=execute, binary=lambda name: name), \
             self.assertRaisesRegex(MeasurementError, "2 phases; expected one"):
            here.predicted(["program"], Path("here.toml"))


def case(name: str, model: dict[str, float], took: dict[str, float], rounds: int = 7) -> here.Case:
    return here.Case(name, [], {layout: [value] * rounds for layout, value in model.items()},
                     {layout: [value] * rounds for layout, value in took.items()})


class Rows(unittest.TestCase):
    def rows(self, *cases: here.Case) -> dict:
        return {row.name.removeprefix("layout/here/"): row for row in layout_here.rows_of(cases)}

    def test_errors_count_by_their_size_in_either_direction(self):
        rows = self.rows(case("a", {"1x1": 1.02, "2x1": 0.47}, {"1x1": 1.0, "2x1": 0.5}), case("b", {"1x1": 1.0}, {"1x1": 1.0}))
        self.assertAlmostEqual(rows["mean"].value, (2 + 6 + 0) / 3)
        self.assertEqual(rows["mean"].verdict, MET)
        self.assertIn("3 layouts; the worst: a 2x1 -6.0", rows["mean"].note)
        self.assertEqual(self.rows(case("a", {"1x1": 1.05, "2x1": 0.47}, {"1x1": 1.0, "2x1": 0.5}))["mean"].verdict, MISSED)

    def test_what_the_named_layout_takes_over_the_best_counts_in_the_mean_and_the_worst(self):
        right, wrong = {"1x2": 0.9, "2x1": 0.5}, {"1x2": 0.4, "2x1": 0.5}
        def rows(takes: float, of: int) -> dict:
            return self.rows(*(case(str(i), right, right) for i in range(of - 1)), case("last", wrong, {"1x2": takes, "2x1": 0.5}))

        some = rows(0.52, 4)  # 4 % over the best in one of four
        self.assertAlmostEqual(some["named/mean"].value, 1)
        self.assertAlmostEqual(some["named/worst"].value, 4)
        self.assertEqual((some["named/mean"].verdict, some["named/worst"].verdict), (MET, MET))
        self.assertIn("3 of 4 named the best; the worst: last, 1x2 instead of 2x1", some["named/worst"].note)
        self.assertEqual([rows(0.52, 1)[name].verdict for name in ("named/mean", "named/worst")], [MISSED, MET])
        self.assertEqual([rows(0.56, 8)[name].verdict for name in ("named/mean", "named/worst")], [MET, MISSED])

    def test_rounds_on_both_sides_of_a_goal_decide_nothing(self):
        one = case("a", {"1x1": 1.0}, {"1x1": 1.0})
        one.predicted["1x1"] = [1.0, 1.0, 1.0, 1.02, 1.05, 1.05, 1.05]
        self.assertEqual(self.rows(one)["mean"].verdict, UNDECIDED)
        self.assertEqual({row.verdict for row in self.rows(case("a", {"1x1": 1.0}, {"1x1": 1.0}, rounds=3)).values()}, {UNDECIDED})

    def test_rounds_are_added_until_all_rows_are_decided(self):
        took = iter([1.0, 1.2] * 20)
        machine = Machine({"1x1": 1.04}, {"1x1": 1.0})

        def execute(words, environment=None):
            if environment and "MASLIN_PIN" in environment:
                machine.took = {"1x1": next(took)}
            return machine.execute(words, environment)

        cases = [here.Case("it", ["program"])]
        with mock.patch.multiple(here, execute=execute, binary=lambda name: name, programs=lambda folder: cases):
            rows = layout_here.measure(Plan(quick=False))
        self.assertEqual(([row.rounds for row in rows], rows[0].verdict), ([40] * 3, UNDECIDED))
        self.assertEqual({row.verdict for row in rows[1:]}, {MET})

    def test_it_is_measured_where_it_is_asked_for(self):
        self.assertIn("layout/here", chosen("layout"))
        self.assertIn("layout/here", chosen("layout/here/named"))
        self.assertNotIn("layout/here", chosen("layout/model"))


if __name__ == "__main__":
    unittest.main()
