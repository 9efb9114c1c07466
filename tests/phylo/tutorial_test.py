"""The tutorials are run as they stand in docs/; digits of numbers differ between instruction sets."""

import os
import pathlib
import subprocess
import sys

import phylo_process
from phylo_process import ProgramTest, environment, main

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests"))
import shown_page  # noqa: E402

# A tree is drawn to the scale of its branches.
DRAWING = r"()[┌└├│┬┤─ \d]*[┬┤─]+[┌└├│┬┤─ \d]*"


class Tutorials(ProgramTest):
    def test_what_the_bayesian_tree_shows_is_what_happens(self):
        self.run_page("bayesian-tree.md", 7)

    def test_what_the_partitioned_tree_shows_is_what_happens(self):
        self.run_page("partitioned-tree.md", 20, DRAWING)

    def run_page(self, page, fewest, hidden=None):
        (self.folder / "tests").symlink_to(ROOT / "tests")
        path = f"{pathlib.Path(phylo_process.program).parent}:{pathlib.Path(sys.executable).parent}:{os.environ['PATH']}"

        def run(text):
            done = subprocess.run(["bash", "-euo", "pipefail", "-c", text], cwd=self.folder, env=environment(PATH=path), text=True,
                                  stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                  timeout=phylo_process.TIMEOUT_SECONDS, check=False)  # fmt: skip
            self.assertEqual(done.returncode, 0, f"{text}\n{done.stdout}")
            return done.stdout

        shown_page.expect_shown(self, ROOT / "docs" / page, run, fewest, hidden)


if __name__ == "__main__":
    main()
