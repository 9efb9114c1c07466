"""Random messages and random types, in one process."""

import shutil
import sys
import unittest
from pathlib import Path

import many_messages
from jobs import BIN, HERE, Mpi


class RandomMessages(Mpi):
    def test_random_messages(self):
        program = self.build(HERE / "programs" / "random_messages.c")
        for seed in range(20):
            count, workers = 1 + seed * 5 % 13, (1, 2, 3, 8)[seed % 4]
            with self.subTest(seed=seed, ranks=count, workers=workers):
                self.expect_right(self.ranks(count, program, seed, 25, workers=workers))


    @unittest.skipUnless(shutil.which("mpicc.openmpi"), "Open MPI is not installed")
    def test_ranks_get_what_they_get_under_another_mpi(self):
        done = self.run_it(sys.executable, "-B", HERE / "many_messages.py", BIN, "--other", "openmpi", "--programs", 40, "--in-a-run", 10,
                           "--processes", "1,2", "--most-bytes", 300000, "--large-one-in", 2, workers=None)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertIn("40 programs in 4 runs, seeds from 1, up to 300,000 bytes a message, also by openmpi: 0 runs failed", done.stdout)

    def test_a_rank_that_gets_something_else_is_told(self):
        ours, theirs = (Path(self.folder.name) / name for name in ("ours", "theirs"))
        rounds = "round 0: 12 bytes, ab\nround 1: 7 bytes, cd\n"
        for file in (ours, theirs):
            for rank in range(2):
                Path(f"{file}.{rank}").write_text(rounds)
        self.assertEqual(many_messages.difference(2, ours, theirs), "")
        Path(f"{theirs}.1").write_text(rounds.replace("cd", "ce"))
        self.assertEqual(many_messages.difference(2, ours, theirs),
                         "rank 1 got: round 1: 7 bytes, cd; under the other MPI: round 1: 7 bytes, ce")
        Path(f"{theirs}.1").write_text(rounds[:22])
        self.assertEqual(many_messages.difference(2, ours, theirs), "rank 1 got: 2 rounds; under the other MPI: 1 rounds")


class RandomTypes(Mpi):
    def test_random_types(self):
        program = self.build(HERE / "programs" / "random_types.c")
        for seed in range(20):
            with self.subTest(seed=seed, ranks=1 + seed % 3):
                self.expect_right(self.ranks(1 + seed % 3, program, seed, 100))


if __name__ == "__main__":
    unittest.main()
