"""Which alignments a figure walks over, and what it says of those that are not here."""

import unittest
from unittest import mock

from scorecard import data
from scorecard.figures import Plan, phylo_bootstrap, phylo_evaluate
from scorecard.row import MET, NOT_MEASURED, Row


class Alignments(unittest.TestCase):
    def rows(self, figure, against: str, only: str, absent: str | None = None) -> list[tuple[str, str]]:
        measured = mock.Mock(side_effect=lambda full_name, *_: [Row(full_name, verdict=MET)])
        with mock.patch.object(data, "reason_absent", lambda name: "it is not here" if name == absent else None), \
             mock.patch.object(data, "alignment", lambda name: name), mock.patch.object(figure, against, measured):
            return [(row.name, row.verdict) for row in figure.measure(Plan(quick=True, only=only))]

    def test_only_those_are_measured_of_which_rows_are_wanted(self):
        for figure, against, behind in ((phylo_bootstrap, "against_all", [("phylo/bootstrap/better", NOT_MEASURED)]),
                                        (phylo_evaluate, "against_raxml", [])):
            every = [f"{figure.NAME}/{name.split('_')[0]}" for name in figure.ALIGNMENTS]
            self.assertEqual(self.rows(figure, against, ""), [(name, MET) for name in every] + behind)
            self.assertEqual(self.rows(figure, against, every[1]), [(every[1], MET)])

    def test_one_that_is_not_here_is_not_measured_and_the_others_are(self):
        first = next(iter(phylo_evaluate.ALIGNMENTS))
        self.assertEqual([verdict for _, verdict in self.rows(phylo_evaluate, "against_raxml", "", first)], [NOT_MEASURED, MET])


if __name__ == "__main__":
    unittest.main()
