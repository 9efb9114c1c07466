"""Every block of Python in docs/python.md is a whole program that leaves with status 0."""

import re
import subprocess
import sys
import unittest
from pathlib import Path

PAGE = Path(__file__).resolve().parents[2] / "docs" / "python.md"


class Page(unittest.TestCase):
    def test_every_program_runs(self):
        text = PAGE.read_text(encoding="utf-8")
        blocks = list(re.finditer(r"^```python\n(.*?)^```$", text, re.DOTALL | re.MULTILINE))
        self.assertGreater(len(blocks), 3)
        for block in blocks:
            line = text.count("\n", 0, block.start(1))
            with self.subTest(f"{PAGE.name}:{line + 1}"):
                done = subprocess.run([sys.executable, "-B", "-"], input="\n" * line + block[1], text=True,
                                      capture_output=True, timeout=120, check=False)
                self.assertEqual(done.returncode, 0, done.stdout + done.stderr)


if __name__ == "__main__":
    unittest.main(verbosity=2)
