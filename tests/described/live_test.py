"""Ranks that run on a described machine, and the replay of what they did there, take the same time: one model has both.

    live_test.py MASLIN RANKS_ASK SWEEP SPECS"""

import json
import os
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

MASLIN, RANKS_ASK, SWEEP, SPECS = (Path(sys.argv.pop(1)).resolve() for _ in range(4))
CLEAN = {key: value for key, value in os.environ.items() if not key.startswith("MASLIN_")}
PROGRAMS = ("empty", "small", "large", "window", "barriers", "sums", "ring", "calls", "exchange", "overlap")

NODES = """name = "two nodes"
nodes = 2
[workers]
kind = "cpu"
count = 2
groups = 2
source = "a test"
[[link]]
between = "groups"
bandwidth_gb_per_s = 10
source = "a test"
[[link]]
between = "nodes"
bandwidth_gb_per_s = 2.5
source = "a test"
"""


class Live(unittest.TestCase):
    def setUp(self):
        self.folder = Path(self.enterContext(tempfile.TemporaryDirectory(prefix="maslin_live_")))
        self.spec = self.folder / "machine.toml"
        self.trace = self.folder / "run.mtrace"

    def describe(self, text: str) -> None:
        self.spec.write_text(text, encoding="utf-8")

    def describe_triblade(self) -> None:
        """Without what starting ranks over links takes: a replay begins when all have begun."""
        self.describe(re.sub(r"\[\[link\]\][^[]*", "", (SPECS / "triblade.toml").read_text(encoding="utf-8")))

    def run_here(self, *words, eager: int = 256) -> subprocess.CompletedProcess:
        done = subprocess.run([str(word) for word in words], capture_output=True, text=True, check=False, env=CLEAN | {
            "MASLIN_MACHINE": str(self.spec), "MASLIN_DURATIONS": "declared", "MASLIN_TRACE": str(self.trace), "MASLIN_EAGER": str(eager)})
        self.assertEqual(done.returncode, 0, done.stderr)
        return done

    def replayed(self, eager: int = 256) -> float:
        words = [str(MASLIN), "replay", str(self.trace), "--machine", str(self.spec), "--eager", str(eager), "--json"]
        done = subprocess.run(words, env=CLEAN, capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)["seconds"]

    def compare(self, what: str, ranks: int, eager: int = 256) -> float:
        with self.subTest(what, ranks=ranks, eager=eager):
            live = float(self.run_here(RANKS_ASK, what, ranks, eager=eager).stdout)
            # A trace has whole nanoseconds: what a rank computes between two events may be one less or more.
            self.assertAlmostEqual(live, self.replayed(eager), delta=50e-9)
            return live

    def test_a_standard_error_that_takes_nothing(self):
        self.describe(NODES)
        with open("/dev/full", "wb") as full:
            done = subprocess.run([RANKS_ASK, "empty", "4"], stdout=subprocess.PIPE, stderr=full, check=False, env=CLEAN | {"MASLIN_MACHINE": str(self.spec)})
        self.assertEqual(done.returncode, 0)

    def test_links_of_a_description(self):
        self.describe(NODES)
        for what in PROGRAMS:
            self.compare(what, 4)

    def test_hops_of_a_description(self):
        self.describe_triblade()
        for what in PROGRAMS:
            for ranks, eager in ((4, 256), (32, 256), (32, 16384), (32, 0)):
                self.compare(what, ranks, eager)

    def test_more_ranks_than_workers(self):
        self.describe(NODES)
        for what in ("small", "large", "window", "ring"):
            self.compare(what, 8)

    def test_between_blades_a_message_takes_what_the_paper_says(self):
        self.describe_triblade()
        # 100 times to and fro; 11.77 us, of it 9.24 in two times DaCS and one Open MPI.
        self.assertAlmostEqual(self.compare("empty", 32) / 200, 11.77e-6, delta=1e-12)
        self.assertAlmostEqual(self.compare("small", 32) / 200, 11.77e-6, delta=0.01e-6)

    def test_sweep(self):
        self.describe_triblade()
        for ranks in ("2x2", "4x8"):
            with self.subTest(ranks):
                done = self.run_here(SWEEP, "--form", "plain", "--grid", "16x16x16", "--mk", "4", "--ranks", ranks, "--iterations", "4")
                live = float(re.search(r"would have taken (\S+) s", done.stderr).group(1))
                # Nothing computes, so many messages come to a hop at the very same moment, and another one may pass first.
                self.assertAlmostEqual(self.replayed(), live, delta=0.001 * live)


if __name__ == "__main__":
    unittest.main(verbosity=2)
