"""What a type checker knows of the package: that its code fits what it says, its extension by the stub, and what programs
get from it."""

import re
import subprocess
import sys
import tempfile
import unittest
from importlib.util import find_spec
from pathlib import Path

SKIPPED = 77
EXAMPLE = Path(__file__).resolve().parents[2] / "examples" / "python-search" / "search.py"

RIGHT = """
from typing import Any
from typing_extensions import assert_type
import maslin, maslin.joblib

def half(x: int) -> float:
    return x / 2

assert_type(maslin.map(half, range(3)), list[float])
assert_type(maslin.map(str, iter([1, 2]), costs=[1, 2.5], name="texts"), list[str])
maslin.phase(3, half, name="halves")
assert_type(maslin.width() + maslin.workers(), int)
assert_type(maslin.report(), dict[str, Any])
assert_type(maslin.explain() + maslin.__version__, str)
try:
    maslin.phase(1, print)
except maslin.Error as problem:
    assert_type(problem, maslin.Error)
assert_type(maslin.joblib.MaslinBackend().effective_n_jobs(None), int)
"""

WRONG = {  # by what the checker calls it
    'maslin.map(half, ["one"])': "arg-type",
    "maslin.map(half, 3)": "arg-type",
    "maslin.map(half, [1], costs=1.0)": "arg-type",
    'maslin.phase("three", half)': "arg-type",
    "maslin.phase(3, half, costs=[1.0])": "call-arg",
    "maslin.width(1)": "call-arg",
    "maslin.fork(half)": "attr-defined",
}


class Types(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = Path(folder.name)

    def said_by_mypy(self, *words: str | Path) -> subprocess.CompletedProcess:
        return subprocess.run([sys.executable, "-m", "mypy", "--strict", "--cache-dir", "cache", *map(str, words)], cwd=self.folder,
                              capture_output=True, text=True, check=False)

    def program(self, text: str) -> Path:
        file = self.folder / "program.py"
        file.write_text(text, encoding="utf-8")
        return file

    def test_the_package_is_as_it_says(self):
        done = self.said_by_mypy("-p", "maslin")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_programs_get_what_the_interface_says(self):
        for program in (self.program(RIGHT), EXAMPLE):
            done = self.said_by_mypy(program)
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_wrong_calls_are_told(self):
        declared = RIGHT.partition("assert_type(")[0]
        first = declared.count("\n") + 1
        done = self.said_by_mypy(self.program(declared + "\n".join(WRONG)))
        told = {int(line): kind for line, kind in re.findall(r"^program\.py:(\d+): error: .*\[([\w-]+)\]$", done.stdout, re.MULTILINE)}
        self.assertEqual(told, {first + i: kind for i, kind in enumerate(WRONG.values())}, done.stdout + done.stderr)


if __name__ == "__main__":
    if not find_spec("mypy"):
        print("skipped: mypy is absent; ./dev test installs it (python/tests/requirements.txt)")
        sys.exit(SKIPPED)
    unittest.main(verbosity=2)
