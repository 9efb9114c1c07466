#!/usr/bin/env python3
"""Programs on part of a machine: under taskset, and under a real CPU quota of a control group where this test may make one.
The budget is right, the results are right, and everything ends within a bound.

    budget_process_test.py MASLIN PROGRAM CONFORMANCE
"""

import contextlib
import json
import os
import pathlib
import signal
import subprocess
import sys
import time
import unittest

LIMIT_S = 120  # of one program; a hang is a failure
PERIOD_US = 100_000
MADE_HERE = "maslin-budget-test-"

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


def cpu_hierarchies():
    """Gives (version, folder) of each mounted hierarchy whose control groups can have a CPU quota."""
    found = []
    for line in pathlib.Path("/proc/self/mountinfo").read_text(encoding="utf-8").splitlines():
        fields = line.split()
        kind, options = fields[fields.index("-") + 1], fields[-1].split(",")
        folder = pathlib.Path(fields[4])
        if kind == "cgroup" and "cpu" in options:
            found.append((1, folder))
        elif kind == "cgroup2" and "cpu" in (folder / "cgroup.subtree_control").read_text(encoding="utf-8").split():
            found.append((2, folder))
    return found


def remove(group):
    """Ends what is left in a control group that this test made, and takes the group away."""
    for _ in range(100):
        for process in (group / "cgroup.procs").read_text(encoding="utf-8").split():
            with contextlib.suppress(ProcessLookupError):
                os.kill(int(process), signal.SIGKILL)
        try:
            return group.rmdir()
        except OSError:
            time.sleep(0.05)
    raise AssertionError(f"{group} could not be removed")


@contextlib.contextmanager
def quota(cpus):
    """Makes a control group with that quota for a while; gives what puts a process into it, and what says how often its
    processes were held back so far. Skips the test where that is not allowed."""
    problems = []
    for version, folder in cpu_hierarchies():
        for stale in folder.glob(MADE_HERE + "*"):  # of a run that was killed
            if not pathlib.Path("/proc", stale.name.removeprefix(MADE_HERE)).exists():
                remove(stale)
        group = folder / f"{MADE_HERE}{os.getpid()}"
        try:
            group.mkdir()
        except OSError as problem:
            problems.append(f"{group}: {problem.strerror}")
            continue
        try:
            quota_us = int(cpus * PERIOD_US)
            if version == 2:
                (group / "cpu.max").write_text(f"{quota_us} {PERIOD_US}", encoding="utf-8")
            else:
                (group / "cpu.cfs_period_us").write_text(str(PERIOD_US), encoding="utf-8")
                (group / "cpu.cfs_quota_us").write_text(str(quota_us), encoding="utf-8")
            yield (lambda: (group / "cgroup.procs").write_text(str(os.getpid()), encoding="utf-8"),
                   lambda: int(dict(line.split() for line in (group / "cpu.stat").open(encoding="utf-8"))["nr_throttled"]))
        finally:
            remove(group)
        return
    raise unittest.SkipTest("no control group with a CPU quota can be made here"
                            + (f" ({'; '.join(problems)})" if problems else ": no hierarchy with a CPU controller"))


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
        with quota(cpus) as (enter, _):
            self.check(enter, workers, f"{cpus:.4g} CPUs")

    def test_of_one_cpu_by_quota(self):
        self.check_quota(1, 1)

    def test_of_one_and_a_half_cpus_by_quota_is_two(self):
        self.check_quota(1.5, 2)

    def test_of_two_cpus_by_quota(self):
        self.check_quota(2, 2)

    def test_of_less_than_a_cpu_is_one(self):
        self.check_quota(0.5, 1)

    def test_more_workers_than_the_quota_has_cpus_are_held_back_and_end_all_the_same(self):
        with quota(0.2) as (enter, held_back):
            self.assertEqual(run([program], enter, MASLIN_WORKERS="4"), "4 workers, 0 wrong\n")
            self.assertGreater(held_back(), 0)


class Groups(unittest.TestCase):
    def test_a_group_is_gone_also_when_what_ran_in_it_failed(self):
        with self.assertRaises(AssertionError), quota(1) as (enter, _):
            sleeper = subprocess.Popen(["sleep", "100"], preexec_fn=enter)
            raise AssertionError("as a failing test does")
        sleeper.wait(timeout=LIMIT_S)
        for _, folder in cpu_hierarchies():
            self.assertEqual(list(folder.glob(f"{MADE_HERE}{os.getpid()}")), [])


if __name__ == "__main__":
    maslin, program, conformance = sys.argv[1:4]
    unittest.main(argv=sys.argv[:1], verbosity=2)
