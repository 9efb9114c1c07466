"""The tutorial docs/bayesian-tree.md is run as it stands there: each block of `sh`, and what it prints is what the block of
`text` behind it shows, but for the digits of numbers, which differ between instruction sets."""

import os
import pathlib
import re
import subprocess
import sys

import phylo_process
from phylo_process import ProgramTest, environment, main

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "bayesian-tree.md"
BLOCK = re.compile(r"^```(sh|text)\n(.*?)^```$", re.DOTALL | re.MULTILINE)


def without_digits(text):
    return [re.sub(r" +", " ", re.sub(r"-?\d+(\.\d+)?(e[+-]?\d+)?", "#", line)).rstrip() for line in text.splitlines()]


class Tutorial(ProgramTest):
    def test_what_it_shows_is_what_happens(self):
        (self.folder / "tests").symlink_to(ROOT / "tests")
        path = f"{pathlib.Path(phylo_process.program).parent}:{pathlib.Path(sys.executable).parent}:{os.environ['PATH']}"
        blocks = [(match[1], match[2]) for match in BLOCK.finditer(PAGE.read_text())]
        self.assertGreater(len(blocks), 6)
        said = None
        for kind, text in blocks:
            if kind == "text":
                self.assertEqual(without_digits(said), without_digits(text))
                continue
            done = subprocess.run(["bash", "-euo", "pipefail", "-c", text], cwd=self.folder, env=environment(PATH=path), text=True,
                                  stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                  timeout=phylo_process.TIMEOUT_SECONDS, check=False)  # fmt: skip
            self.assertEqual(done.returncode, 0, f"{text}\n{done.stdout}")
            said = done.stdout


if __name__ == "__main__":
    main()
