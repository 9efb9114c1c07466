"""What `layout` makes of the model's errors and of what named layouts take: means and worst ones, met or missed."""

import unittest
from unittest import mock

from scorecard.command import chosen
from scorecard.figures import Plan, layout_described
from scorecard.row import MET, MISSED


def console(size: int, over_best: float, *errors: float) -> dict:
    return {"program": "chain", "size": size, "nodes": 2, "named": "2x1", "best": "1x2", "over_best": over_best,
            "rows": [{"layout": f"{number + 1}x1", "error": error} for number, error in enumerate(errors)]}


def cores(streams: int, over_best: float) -> dict:
    return {"cores": 8, "streams": streams, "named": "8x1", "best": "4x2", "over_best": over_best, "errors": [0.5]}


class Layout(unittest.TestCase):
    def rows(self, consoles: list[dict], on_cores: list[dict], only: str = ""):
        asked = iter(on_cores)
        with mock.patch.object(layout_described.judge, "judge_all", lambda chosen, tell: consoles), \
             mock.patch.object(layout_described.cores, "case", lambda *_: next(asked)), \
             mock.patch.multiple(layout_described.cores, FIRST=[(8, 6, "")] * len(on_cores), ASIDE=[]):
            return {row.name: row for row in layout_described.measure(Plan(quick=True, only=only))}

    def test_errors_count_by_their_size_in_either_direction(self):
        rows = self.rows([console(100, 0.0, 0.02, -0.12), console(200, 0.0, 0.0, 0.02)], [cores(6, 0.0)])
        self.assertAlmostEqual(rows["layout/model/mean"].value, 4)
        self.assertAlmostEqual(rows["layout/model/worst"].value, 12)
        self.assertEqual((rows["layout/model/mean"].verdict, rows["layout/model/worst"].verdict), (MET, MET))
        self.assertIn("chain 100 on 2 in 2x1: -12.0 %", rows["layout/model/worst"].note)

    def test_one_prediction_misses_the_worst_and_many_miss_the_mean(self):
        rows = self.rows([console(100, 0.0, 0.0, 0.0, 0.0, -0.16)], [cores(6, 0.0)])
        self.assertEqual((rows["layout/model/mean"].verdict, rows["layout/model/worst"].verdict), (MET, MISSED))
        rows = self.rows([console(100, 0.0, 0.06, -0.06)], [cores(6, 0.0)])
        self.assertEqual((rows["layout/model/mean"].verdict, rows["layout/model/worst"].verdict), (MISSED, MET))

    def test_named_layouts_are_within_three_percent_in_all_cases_on_consoles_and_in_the_mean_on_cores(self):
        rows = self.rows([console(100, 0.0, 0.0), console(200, 0.031, 0.0)], [cores(6, 0.0), cores(24, 0.05)])
        self.assertEqual(rows["layout/named/consoles"].verdict, MISSED)
        self.assertAlmostEqual(rows["layout/named/cores/mean"].value, 2.5)
        self.assertAlmostEqual(rows["layout/named/cores/worst"].value, 5)
        self.assertEqual((rows["layout/named/cores/mean"].verdict, rows["layout/named/cores/worst"].verdict), (MET, MET))
        rows = self.rows([console(100, 0.0, 0.0)], [cores(6, 0.0), cores(24, 0.0), cores(24, 0.0), cores(200, 0.11)])
        self.assertEqual((rows["layout/named/cores/mean"].verdict, rows["layout/named/cores/worst"].verdict), (MET, MISSED))
        self.assertIn("200 streams on 8 cores, 8x1 instead of 4x2", rows["layout/named/cores/worst"].note)

    def test_what_is_not_asked_for_is_not_run(self):
        only_cores = self.rows([], [cores(6, 0.0)], "layout/named/cores")
        self.assertEqual(set(only_cores), {"layout/named/cores/mean", "layout/named/cores/worst"})
        self.assertEqual(set(self.rows([console(100, 0.0, 0.0)], [], "layout/model")),
                         {"layout/model/mean", "layout/model/worst", "layout/named/consoles"})
        self.assertIn("layout", chosen("layout/model"))


if __name__ == "__main__":
    unittest.main()
