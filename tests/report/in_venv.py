"""Runs the tests beside this file with the Python that has the report's packages; status 77 when none has."""

import importlib.util
import os
import sys
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent
VENV = HERE.parents[1] / ".venv" / "bin" / "python"
SKIPPED = 77

if __name__ == "__main__":
    if VENV.is_file() and Path(sys.prefix) != VENV.parents[1]:
        os.execv(VENV, [str(VENV), "-B", __file__])
    missing = [name for name in ("jinja2", "newick") if importlib.util.find_spec(name) is None]
    if missing:
        print(f"skipped: {', '.join(missing)} absent; ./dev test installs them")
        sys.exit(SKIPPED)
    found = unittest.defaultTestLoader.discover(str(HERE), pattern="*_test.py")
    sys.exit(0 if unittest.TextTestRunner(verbosity=2).run(found).wasSuccessful() else 1)
