#!/usr/bin/env python3
"""An MPI job shares its node: mpi_test.py LIBRARY UNEVEN PLAIN. Leaves with 77 where there is no MPI."""

import os
import shutil
import subprocess
import sys
import unittest

LIBRARY = UNEVEN = PLAIN = ""
PATIENCE_S = 60


def command(ranks, *program):
    return ["mpirun", "--oversubscribe", "--bind-to", "none", "-n", str(ranks), *map(str, program)]


def environment(preloaded=True):
    env = {k: v for k, v in os.environ.items() if not k.startswith(("MASLIN_", "OMPI_MCA_"))}
    env |= {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1", "MASLIN_WATCHDOG": "20"}
    return env | ({"LD_PRELOAD": LIBRARY} if preloaded else {})


def run(ranks, *program, preloaded=True):
    return subprocess.run(command(ranks, *program), env=environment(preloaded), timeout=PATIENCE_S, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE)


class Mpi(unittest.TestCase):
    def test_a_rank_that_waits_lends_its_cpus_to_one_that_works(self):
        cpus = len(os.sched_getaffinity(0))
        if cpus < 2:
            self.skipTest("one CPU cannot be shared")
        done = run(2, UNEVEN, 20, 400)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn(f"at most {cpus} tasks at a time, results right", done.stdout)

    def test_results_are_the_same_without_the_library(self):
        done = run(2, UNEVEN, 4, 50, preloaded=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("results right", done.stdout)

    def test_a_program_without_maslin_runs_as_it_would(self):
        self.assertEqual(run(3, PLAIN).stdout, run(3, PLAIN, preloaded=False).stdout)
        self.assertEqual(run(3, PLAIN).stdout, "3\n")

    def test_a_program_without_mpi_runs_as_it_would(self):
        for bind in ({}, {"LD_BIND_NOW": "1"}):
            done = subprocess.run(["echo", "unharmed"], env=environment() | bind, text=True, capture_output=True)
            self.assertEqual((done.stdout, done.stderr), ("unharmed\n", ""))


if __name__ == "__main__":
    if len(sys.argv) < 4 or not shutil.which("mpirun"):
        print("skipped: no MPI was found (Debian: libopenmpi-dev, openmpi-bin)")
        sys.exit(77)
    LIBRARY, UNEVEN, PLAIN = sys.argv[1:4]
    unittest.main(argv=sys.argv[:1], verbosity=2)
