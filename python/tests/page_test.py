"""Every block of Python in docs/python.md, docs/api/python.md and docs/from/joblib.md is a whole program that leaves with
status 0."""

import re
import subprocess
import sys
import unittest
from pathlib import Path

DOCS = Path(__file__).resolve().parents[2] / "docs"


class Page(unittest.TestCase):
    def outputs(self, page):
        """Gives what each program of the page prints."""
        text = page.read_text(encoding="utf-8")
        found = []
        for block in re.finditer(r"^```python\n(.*?)^```$", text, re.DOTALL | re.MULTILINE):
            line = text.count("\n", 0, block.start(1))
            with self.subTest(f"{page.name}:{line + 1}"):
                done = subprocess.run([sys.executable, "-B", "-"], input="\n" * line + block[1], text=True,
                                      capture_output=True, timeout=120, check=False)
                self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
                found.append(done.stdout)
        return found

    def test_every_program_runs(self):
        self.assertGreater(len(self.outputs(DOCS / "python.md")), 3)
        self.assertEqual(len(self.outputs(DOCS / "api" / "python.md")), 2)

    def test_a_script_and_its_conversions_print_the_same(self):
        before, *after = self.outputs(DOCS / "from" / "joblib.md")
        self.assertEqual(after, [before, before])


if __name__ == "__main__":
    unittest.main(verbosity=2)
