"""The page of results is made from rows as the scorecard writes them: results_test.py."""

import json
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "docs" / "site"), str(ROOT / "bench")]
import results  # noqa: E402
from scorecard.row import Goal, Row, judge, not_measured  # noqa: E402

MEASURED = judge(Row("loops: share", 1.5, "us", peer="libgomp", peer_value=3.25, peer_version="12", checked="sums < equal"),
                 Goal("ratio", at_most=1), [0.4, 0.45, 0.5, 0.5, 0.55, 0.6, 0.6, 0.65])


def scorecard(*rows: Row, load: float = 0.0, chosen: list[str] | None = None) -> dict:
    return {"measured": "2026-01-01T00:00:00+00:00", "machine": {"processor": "made up", "cores": 2, "load_before": load},
            "set": chosen or [], "rows": [row.as_json() for row in rows]}


class Results(unittest.TestCase):
    def test_a_row_has_what_was_measured_and_what_it_means(self):
        made = results.table(scorecard(MEASURED, not_measured("jobs", "no joblib here")))
        self.assertIn("| loops: share | 1.5 | us | libgomp 12 | 3.25 | 0.525 | 0.4 … 0.65 | ratio ≤ 1 | met | 8 | sums &lt; equal |", made)
        self.assertIn("| jobs |  |  |  |  |  |  |  | not measured |  | no joblib here |", made)
        self.assertNotIn("no ground", made)

    def test_what_is_no_ground_for_claims_says_so(self):
        for content in (scorecard(MEASURED, load=3.0), scorecard(MEASURED, chosen=["MASLIN_WAIT=spin"]),
                        scorecard(Row("quick", quick=True))):
            self.assertIn("no ground for claims", results.table(content))

    def test_the_page_is_filled_where_there_is_a_scorecard(self):
        page = (ROOT / "docs" / "results.md").read_text(encoding="utf-8")
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "scorecard.json"
            self.assertEqual(results.filled(page, file), page)
            file.write_text(json.dumps(scorecard(MEASURED)), encoding="utf-8")
            self.assertIn("| loops: share |", results.filled(page, file))


if __name__ == "__main__":
    unittest.main(verbosity=2)
