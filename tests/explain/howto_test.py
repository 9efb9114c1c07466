"""Every command of docs/explain.md is run as it stands there, in order, in an empty folder; and that of
docs/independent-runs.md, after the program of that page."""

import os
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

DOCS = Path(__file__).resolve().parents[2] / "docs"
PROGRAM, RODS, MASLIN = (Path(path).resolve() for path in sys.argv[1:4])


def commands_of(page):
    return re.findall(r"^```sh\n(.*?)^```$", (DOCS / page).read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE)


class HowTo(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="maslin_howto_")
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def said(self, command):
        """Gives what a command prints."""
        environment = {key: value for key, value in os.environ.items()
                       if not key.startswith(("MASLIN_", "OMPI_", "PMI_", "PMIX_", "SLURM_"))}
        environment |= {"PATH": f"{MASLIN.parent}:{environment['PATH']}", "MASLIN_WORKERS": "2",
                        "XDG_CACHE_HOME": str(self.folder / "cache")}
        done = subprocess.run(["bash", "-euc", command], cwd=self.folder, env=environment, capture_output=True, text=True,
                              timeout=120, check=False)
        self.assertEqual(done.returncode, 0, f"{command}{done.stdout}{done.stderr}")
        return done.stdout

    def test_the_page_is_true(self):
        commands = commands_of("explain.md")
        self.assertGreaterEqual(len(commands), 3)
        (self.folder / "program").symlink_to(PROGRAM)
        said = [self.said(command) for command in commands]
        for word in ("phase estimates: 200 streams", "it has ended", "waited by", "of CPU time", "pin that: MASLIN_PIN"):
            self.assertIn(word, said[0])
        self.assertIn("estimates", said[1])
        self.assertIn("phase estimates", said[2])
        runs = list((self.folder / "cache" / "maslin" / "runs").iterdir())
        self.assertEqual(len(runs), 1, "the other two reported to a file, and not at all")

    def test_the_page_on_independent_runs_is_true(self):
        self.assertIn(" streams at a time, ", self.said(str(RODS)))
        command, = commands_of("independent-runs.md")
        said = self.said(command)
        self.assertIn("phase rods: 40 streams", said)
        # Beside other programs, half a second may be over before enough was seen; the command says so.
        self.assertRegex(said, r"\(streams x width\)|nothing was chosen")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
