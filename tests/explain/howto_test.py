"""Every command of docs/explain.md is run as it stands there, in order, in an empty folder."""

import os
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

PAGE = Path(__file__).resolve().parents[2] / "docs" / "explain.md"
PROGRAM, MASLIN = (Path(path).resolve() for path in sys.argv[1:3])


class HowTo(unittest.TestCase):
    def test_the_page_is_true(self):
        commands = re.findall(r"^```sh\n(.*?)^```$", PAGE.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE)
        self.assertGreaterEqual(len(commands), 3)
        environment = {key: value for key, value in os.environ.items()
                       if not key.startswith(("MASLIN_", "OMPI_", "PMI_", "PMIX_", "SLURM_"))}
        with tempfile.TemporaryDirectory(prefix="maslin_howto_") as name:
            folder = Path(name)
            environment |= {"PATH": f"{MASLIN.parent}:{environment['PATH']}", "MASLIN_WORKERS": "2",
                            "XDG_CACHE_HOME": str(folder / "cache")}
            (folder / "program").symlink_to(PROGRAM)
            said = []
            for command in commands:
                done = subprocess.run(["bash", "-euc", command], cwd=folder, env=environment, capture_output=True, text=True,
                                      timeout=120, check=False)
                self.assertEqual(done.returncode, 0, f"{command}{done.stdout}{done.stderr}")
                said.append(done.stdout)
            for word in ("phase estimates: 200 streams", "it has ended", "waited by", "of CPU time", "pin that: MASLIN_PIN"):
                self.assertIn(word, said[0])
            self.assertIn("estimates", said[1])
            self.assertIn("phase estimates", said[2])
            runs = list((folder / "cache" / "maslin" / "runs").iterdir())
            self.assertEqual(len(runs), 1, "the other two reported to a file, and not at all")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
