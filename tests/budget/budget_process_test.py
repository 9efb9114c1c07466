#!/usr/bin/env python3
"""Programs on part of a machine: under taskset, and under a real CPU quota of a control group where this test may make one.
The budget is right, the results are right, and everything ends within a bound.

    budget_process_test.py MASLIN PROGRAM CONFORMANCE
"""

import contextlib
import json
import os
import pathlib
import subprocess
import sys
import unittest

sys.path[:0] = [str(pathlib.Path(__file__).resolve().parents[2] / "bench")]
from scorecard import control_group  # noqa: E402

LIMIT_S = 120  # of one program; a hang is a failure

maslin = program = conformance = None  # set by main()

# What waits in every way there is, on fewer, as many and more workers than there are CPUs.
PROMISES = ":".join(f"{suite}.*/workers{workers}" for suite in ("*Phases", "*Tasks") for workers in (1, 2, 8))


def environment():
    names = ("MASLIN_", "SLURM_CPUS_PER_TASK")
    plain = {name: value for name, value in os.environ.items() if not name.startswith(names)}
    return dict(plain, MASLIN_WATCHDOG="20,100", MASLIN_LEARNED="off", MASLIN_REPORT="off")


def run(command, enter, **variables):
    """Gives what the program prints; `enter` is called in its process before it begins."""
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=LIMIT_S,
                          env=dict(environment(), **variables), preexec_fn=enter, check=False)
    if done.returncode != 0:
        raise AssertionError(f"{command} left with {done.returncode}:\n{done.stdout[-2000:]}{done.stderr[-2000:]}")
    return done.stdout


@contextlib.contextmanager
def quota(cpus):
    """Makes a control group with that quota for a while. Skips the test where that is not allowed."""
    with contextlib.ExitStack() as stack:
        try:
            group = stack.enter_context(control_group.quota(cpus))
        except control_group.NoQuota as problem:
            raise unittest.SkipTest(str(problem)) from problem
        yield group


def some_cpus(count):
    """Gives what restricts a process to so many of the CPUs that this one may use."""
    allowed = sorted(os.sched_getaffinity(0))
    if len(allowed) < count:
        raise unittest.SkipTest(f"this process may use {len(allowed)} CPUs")
    return lambda: os.sched_setaffinity(0, allowed[:count])


class Budget(unittest.TestCase):
    def check(self, enter, workers, source):
        grant = json.loads(run([maslin, "machine", "--json"], enter))
        self.assertEqual(grant["budget"]["cpus"], workers)
        self.assertEqual(grant["workers"]["count"], workers)
        self.assertIn(source, grant["workers"]["reason"])
        self.assertEqual(run([program], enter), f"{workers} workers, 0 wrong\n")
        self.assertRegex(run([conformance, f"--gtest_filter={PROMISES}", "--gtest_brief=1"], enter), r"PASSED  \] [1-9]")

    def test_of_one_cpu_by_taskset(self):
        self.check(some_cpus(1), 1, "affinity mask")

    def test_of_two_cpus_by_taskset(self):
        self.check(some_cpus(2), 2, "affinity mask")

    def check_quota(self, cpus, workers):
        some_cpus(workers)
        with quota(cpus) as group:
            self.check(group.enter, workers, f"{cpus:.4g} CPUs")

    def test_of_one_cpu_by_quota(self):
        self.check_quota(1, 1)

    def test_of_one_and_a_half_cpus_by_quota_is_two(self):
        self.check_quota(1.5, 2)

    def test_of_two_cpus_by_quota(self):
        self.check_quota(2, 2)

    def test_of_less_than_a_cpu_is_one(self):
        self.check_quota(0.5, 1)

    def test_more_workers_than_the_quota_has_cpus_are_held_back_and_end_all_the_same(self):
        with quota(0.2) as group:
            self.assertEqual(run([program], group.enter, MASLIN_WORKERS="4"), "4 workers, 0 wrong\n")
            self.assertGreater(group.held_back(), 0)


class Groups(unittest.TestCase):
    def test_a_group_is_gone_also_when_what_ran_in_it_failed(self):
        with self.assertRaises(AssertionError), quota(1) as group:
            sleeper = subprocess.Popen(["sleep", "100"], preexec_fn=group.enter)
            raise AssertionError("as a failing test does")
        sleeper.wait(timeout=LIMIT_S)
        self.assertFalse(group.folder.exists())


if __name__ == "__main__":
    maslin, program, conformance = sys.argv[1:4]
    unittest.main(argv=sys.argv[:1], verbosity=2)
