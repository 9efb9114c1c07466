"""Every command of docs/trace.md is run as it stands there, in order, in an empty folder."""

import json
import os
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

PAGE = Path(__file__).resolve().parents[2] / "docs" / "trace.md"
PROGRAM, MASLIN = (Path(path).resolve() for path in sys.argv[1:3])


class HowTo(unittest.TestCase):
    def test_the_page_is_true(self):
        page = PAGE.read_text(encoding="utf-8")
        commands = re.findall(r"^```sh\n(.*?)^```$", page, re.DOTALL | re.MULTILINE)
        self.assertGreaterEqual(len(commands), 6)
        environment = {key: value for key, value in os.environ.items() if not key.startswith("MASLIN_")}
        environment |= {"PATH": f"{MASLIN.parent}:{environment['PATH']}", "MASLIN_WORKERS": "2"}
        with tempfile.TemporaryDirectory(prefix="maslin_howto_") as name:
            folder = Path(name)
            (folder / "program").symlink_to(PROGRAM)
            said = ""
            for command in commands:
                done = subprocess.run(["bash", "-euc", command], cwd=folder, env=environment, capture_output=True, text=True,
                                      check=False)
                self.assertEqual(done.returncode, 0, f"{command}{done.stdout}{done.stderr}")
                said += done.stdout
            for word in ("duration", "busy", "dropped", "run.perfetto.json", "stream_begin"):
                self.assertIn(word, said)
            picture = json.loads((folder / "run.perfetto.json").read_text())
            tracks = {e["args"]["name"] for e in picture["traceEvents"] if e.get("name") == "thread_name"}
            self.assertTrue({"right-sizing", "worker 0", "worker 1"} <= tracks, tracks)
            spans = json.loads((folder / "spans.json").read_text())
            rows = re.findall(r"^\| `(\w+)` \| (.*) \|$", page, re.MULTILINE)
            self.assertGreaterEqual(len(rows), 4)
            for key, keys in rows:
                self.assertTrue(spans[key], key)
                for inner in re.findall(r"`(\w+)`", keys):
                    self.assertIn(inner, spans if inner in spans else spans[key][0], key)
            self.assertLess((folder / "long.mtrace").stat().st_size, (folder / "run.mtrace").stat().st_size)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
