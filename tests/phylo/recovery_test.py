"""Data that a model has made give its parameters back, for every model: those of docs/pictures/recovery.py, with fewer sites."""

import pathlib
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "docs" / "pictures"))
import recovery  # noqa: E402

SITES = 2000
MANY = 60  # parameters of one kind share what the data say of them


class Recovery(unittest.TestCase):
    def test_of_every_model(self):
        for number, one in enumerate(recovery.cases(SITES)):
            with self.subTest(one.asked), tempfile.TemporaryDirectory() as name:
                folder = pathlib.Path(name)
                points, found = recovery.fitted(one, number, folder, SITES, programs)
                # No values explain the data better than those that were found, nor do those that made them.
                truth = recovery.evaluated(folder, folder / "true.tree", one.truth, programs=programs)
                self.assertGreater(found["lnl"], truth["lnl"])
                self.assertLess(found["lnl"] - truth["lnl"], len(points) + 20)  # half of a chi-square of so many
                # Free rates, and invariant sites beside slow ones, can make up for each other and for lengths.
                if "+R" in one.asked or "+I+G" in one.asked:
                    continue
                for kind in {kind for kind, _, _ in points}:
                    ratios = sorted(there / true for of, true, there in points if of == kind)
                    # Of one rate out of many little is known, so the last one is a poor unit.
                    unit = ratios[len(ratios) // 2] if len(ratios) > MANY else 1
                    off = sorted(abs(ratio / unit - 1) for ratio in ratios)
                    self.assertLess(off[len(off) // 2], 0.5 if len(ratios) > MANY else 0.25, kind)


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(f"usage: {sys.argv[0]} FOLDER-OF-THE-PROGRAMS [unittest arguments]")
    programs = pathlib.Path(sys.argv.pop(1)).resolve()
    unittest.main(module="__main__")
