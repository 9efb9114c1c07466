"""What place/bundles makes of the counted accesses: a row a goal and protocol, met or missed by what was saved."""

import json
import unittest
from unittest import mock

from scorecard.figures import Plan, place_bundles
from scorecard.row import MET, MISSED, SHOWN


class Bundles(unittest.TestCase):
    def rows(self, left: dict[str, float]):
        """Gives the rows by name where bundles need that part of program order's accesses, by application; else all of them."""
        asked = []

        def execute(words):
            words = [str(word) for word in words]
            asked.append(words)
            runs = []
            for kb in words[words.index("--sl1") + 1].split(","):
                for order, part in (("program-order", 1.0), ("bundles", left.get(words[1], 1.0))):
                    less = {"--no-hints": 2.0, "--no-co-parents": 1.25}
                    more = max([less[word] for word in words if word in less], default=1.0) if order == "bundles" else 1.0
                    runs.append({"order": order, "sl1_kb": int(kb), "memory_accesses": 1000 * part * more})
            return 0.0, json.dumps(runs)

        with mock.patch.object(place_bundles, "execute", execute), mock.patch.object(place_bundles, "binary", lambda name: name):
            made = place_bundles.measure(Plan(quick=True))
        return {row.name: row for row in made}, asked

    def test_each_goal_has_a_row_for_each_protocol(self):
        rows, asked = self.rows({})
        rows = {name: row for name, row in rows.items() if "/no-" not in name and "-workers" not in name}
        self.assertEqual(len(rows), 2 * len(place_bundles.ROWS))
        self.assertTrue(all(row.decided for row in rows.values()))
        for words, name in zip(asked, rows):
            self.assertEqual("--created-a-task" in words, "/window/" in name)

    def test_a_goal_is_met_where_as_much_is_saved_as_was_published(self):
        rows, _ = self.rows({"matmul": 0.5, "choleskyR": 0.71})
        verdicts = {name: row.verdict for name, row in rows.items()}
        self.assertEqual(verdicts["place/bundles/matmul/8192"], MET)
        self.assertEqual(verdicts["place/bundles/choleskyR/2048"], MET)
        self.assertEqual(verdicts["place/bundles/choleskyR/8192"], MISSED)
        self.assertEqual(verdicts["place/bundles/choleskyC/2048"], MET)  # no loss is asked for
        self.assertEqual(verdicts["place/bundles/window/reduct/mean"], MISSED)

    def test_several_workers_are_judged_by_program_order_or_by_one_worker(self):
        rows, asked = self.rows({"sparselu": 0.93, "choleskyC": 0.5})
        for workers in (2, 4, 8):
            row = rows[f"place/bundles/sparselu/{workers}-workers"]
            self.assertEqual((row.peer, row.verdict), ("program order", MISSED))
            self.assertAlmostEqual(row.ratio, 0.93)
        row = rows["place/bundles/choleskyC/4-workers"]
        self.assertEqual((row.peer, row.ratio, row.verdict), ("one worker", 1.0, MET))
        self.assertIn(["--workers", "8"], [words[-2:] for words in asked])

    def test_hints_and_co_parents_have_rows_of_their_own(self):
        rows, _ = self.rows({"fft3d": 0.5})
        for application in place_bundles.APPLICATIONS:
            self.assertEqual(rows[f"place/bundles/no-hints/{application}"].ratio, 0.5)
            self.assertEqual(rows[f"place/bundles/no-co-parents/{application}"].ratio, 0.8)
        one = rows["place/bundles/no-hints/fft3d"]
        self.assertEqual((one.value, one.peer_value, one.verdict), (500, 1000, SHOWN))

    def test_the_ratio_is_ours_to_program_order(self):
        rows, _ = self.rows({"fft3d": 0.25})
        row = rows["place/bundles/fft3d/mean"]
        self.assertAlmostEqual(row.ratio, 0.25)
        self.assertEqual((row.value, row.peer_value), (250, 1000))


if __name__ == "__main__":
    unittest.main()
