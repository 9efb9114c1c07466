"""What bench/layout/here.py makes of recordings and runs."""

import json
import unittest
from pathlib import Path
from tempfile import TemporaryDirectory
from unittest import mock

from layout import here
from unseen.programs import TUNED_ON


class Here(unittest.TestCase):
    def test_no_program_is_taken_that_is_put_aside(self):
        self.assertLessEqual(set(here.SIX), set(TUNED_ON))

    def test_medians_of_rounds_are_compared_and_the_named_layout_is_the_models_best(self):
        said = here.judged({"predicted": {"1x1": [2.0, 2.2, 9.0], "2x1": [1.0, 1.0, 1.0], "1x2": [1.1, 1.1, 1.1]},
                            "measured": {"1x1": [2.0, 2.0, 2.0], "2x1": [1.25, 1.25, 0.5], "1x2": [1.0, 1.0, 7.0]}})
        self.assertEqual((said["named"], said["best"]), ("2x1", "1x2"))
        self.assertAlmostEqual(said["over_best"], 0.25)
        for layout, error in {"1x1": 0.1, "2x1": -0.2, "1x2": 0.1}.items():
            self.assertAlmostEqual(said["errors"][layout], error)

    def test_a_round_records_once_and_runs_every_layout_pinned(self):
        pins = []

        def execute(words, environment=None):
            environment = environment or {}
            if "MASLIN_TRACE" in environment:
                Path(environment["MASLIN_TRACE"]).write_text("")
            if "MASLIN_PIN" in environment:
                pins.append(environment["MASLIN_PIN"])
                Path(environment["MASLIN_REPORT"]).write_text(json.dumps({"phases": [{"name": "p", "seconds": 2.0}]}))
            return 0.0, json.dumps({"phases": [{"name": "p", "runs": 1, "candidates": [
                {"streams": 2, "width": 1, "seconds": 1.0}, {"streams": 1, "width": 1, "seconds": 2.0}]}]})

        with TemporaryDirectory() as folder, mock.patch.multiple(here, execute=execute, binary=lambda name: name):
            found = here.compared(["program"], Path("here.toml"), Path(folder), 2, lambda _: None)
        self.assertEqual(found, {"predicted": {"2x1": [1.0, 1.0], "1x1": [2.0, 2.0]}, "measured": {"2x1": [2.0, 2.0], "1x1": [2.0, 2.0]}})
        self.assertEqual(sorted(pins), ["p=1x1", "p=1x1", "p=2x1", "p=2x1"])


if __name__ == "__main__":
    unittest.main()
