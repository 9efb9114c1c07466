"""What tests of commands on traces share."""

import os
import subprocess
import tempfile
import unittest
from pathlib import Path


class Commands(unittest.TestCase):
    """Each test has a folder of its own, in which its commands run."""

    def setUp(self):
        scratch = tempfile.TemporaryDirectory(prefix="maslin_trace_")
        self.addCleanup(scratch.cleanup)
        self.folder = Path(scratch.name)

    def call(self, *words, status=0, **settings):
        done = subprocess.run([str(word) for word in words], cwd=self.folder, env=os.environ | settings, text=True,
                              capture_output=True, timeout=100, check=False)
        self.assertEqual(done.returncode, status, done.stdout + done.stderr)
        return done
