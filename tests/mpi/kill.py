#!/usr/bin/env python3
"""Kills MPI jobs at random, beside a neighbour that shares their node: a rank, all ranks, the launcher, or all of them.
After each kill no process of the job may be left, every CPU must be the neighbour's, the neighbour must go on, and with
its end, a kill too, the shared memory must be gone. The launcher is not the library's: how often it has to be ended by
hand is counted, and `--plain` counts the same for jobs without the library, and without a neighbour.

    kill.py LIBRARY UNEVEN NEIGHBOUR MASLIN [--kills N] [--seed S] [--plain]

Leaves with 77 where there is no MPI."""

import argparse
import collections
import json
import os
import random
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import mpi_test as mpi

RANKS = 3
LAUNCHER_S = 5  # a launcher that ends does so within a second
RANKS_S = 10  # those that lost their launcher notice by themselves
NEIGHBOUR_S = 20


class Failure(Exception):
    pass


def within(seconds, holds):
    end = time.monotonic() + seconds
    while not (seen := holds()):
        if time.monotonic() > end:
            return None
        time.sleep(0.01)
    return seen


def need(seconds, what, holds):
    seen = within(seconds, holds)
    if not seen:
        raise Failure(what)
    return seen


def text_of(path):
    try:
        return path.read_bytes()
    except OSError:
        return b""


def processes_of(job):
    """The living processes that were started with this job's mark: numbers, ranks and others."""
    mark = f"MASLIN_TEST_JOB={job}".encode()
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        if mark in text_of(folder / "environ").split(b"\0"):
            state = text_of(folder / "stat").rpartition(b")")[2].split()
            if state and state[0] not in (b"Z", b"X"):
                found.append(int(folder.name))
    return found


def runs(process, program):
    try:
        return os.readlink(f"/proc/{process}/exe") == os.path.realpath(program)
    except OSError:
        return False


def memory_of(job):
    """What there is of the job's shared memory: files without a name that somebody has open, and files with one."""
    found = [str(p) for p in Path("/dev/shm").glob(f"*{job}*")]
    for link in [*Path("/proc").glob("[0-9]*/fd/*"), *Path("/proc").glob("[0-9]*/map_files/*")]:
        try:
            if f"memfd:maslin-{job}" in os.readlink(link):
                found.append(str(link))
        except OSError:
            pass
    return found


def kill(process):
    try:
        os.kill(process, signal.SIGKILL)
    except ProcessLookupError:
        pass


class Trial:
    """One job, its neighbour, and what is done to them."""

    def __init__(self, programs, number, plain, folder):
        self.programs, self.plain, self.folder = programs, plain, folder
        self.job = f"mpi-kill-{os.getpid()}-{number}"
        self.progress = folder / "progress"
        common = mpi.environment(False) | {"MASLIN_NODE": "0" if plain else self.job}
        self.neighbour = None
        if not plain:
            self.neighbour = subprocess.Popen([programs.neighbour, self.progress], env=common)
        launch = mpi.command(RANKS, programs.uneven, 1, 60, "forever")
        launch[1:1] = ["--mca", "btl_vader_backing_directory", str(folder)]
        # What Open MPI itself leaves behind lies in the folder, which goes away.
        self.launcher = subprocess.Popen(
            launch, start_new_session=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            env=common | {"MASLIN_TEST_JOB": self.job, "TMPDIR": str(folder)}
            | ({} if plain else {"LD_PRELOAD": programs.library}))

    def ranks(self):
        return [p for p in processes_of(self.job) if runs(p, self.programs.uneven)]

    def rounds(self):
        done = text_of(self.progress)
        return struct.unpack("q", done)[0] if len(done) == 8 else 0

    def table(self):
        seen = subprocess.run([self.programs.maslin, "node", "--json", self.job], text=True, capture_output=True)
        return json.loads(seen.stdout)[0] if seen.returncode == 0 else {"processes": [], "cpus": []}

    def at_work(self):
        """Are all ranks there, and members of their node?"""
        return len(self.ranks()) == RANKS and (self.plain or len(self.table()["processes"]) == RANKS + 1)

    def owned_by_neighbour(self):
        """Does every CPU of the table belong to the neighbour, and nobody else stand in it?"""
        me, table = self.neighbour.pid, self.table()
        return (table["cpus"] and all(c["owner"] == me and c["user"] == me for c in table["cpus"])
                and [p["process"] for p in table["processes"]] == [me])

    def strike(self, chance, what):
        """Kills, at a random moment of the job's start (one in four) or of its work; gives what was killed."""
        if chance.random() < 0.25:
            time.sleep(chance.random() * 0.5)
        else:
            need(mpi.PATIENCE_S, "the ranks do not start", self.at_work)
            time.sleep(chance.random() * 0.2)
        ranks = self.ranks()
        if what in ("rank", "ranks") and not ranks:
            what = "launcher"  # it is as early as that
        if what == "rank":
            kill(chance.choice(ranks))
        if what in ("ranks", "job"):
            for rank in ranks:
                kill(rank)
        if what in ("launcher", "job"):
            kill(self.launcher.pid)
        return what

    def check(self, counts, what):
        try:
            self.launcher.wait(LAUNCHER_S)
        except subprocess.TimeoutExpired:
            counts[f"launcher hung after the kill of: {what}"] += 1
            os.killpg(self.launcher.pid, signal.SIGKILL)
            self.launcher.wait()
        if not within(RANKS_S, lambda: not processes_of(self.job)):
            counts[f"ranks left after the kill of: {what}"] += 1
            if not self.plain:
                raise Failure(f"left: {processes_of(self.job)}")
        if self.plain:
            return
        need(NEIGHBOUR_S, "CPUs are lost", self.owned_by_neighbour)
        before = self.rounds()
        need(NEIGHBOUR_S, f"the neighbour is stuck after {before} rounds", lambda: self.rounds() >= before + 3)
        if self.neighbour.poll() is not None:
            raise Failure(f"the neighbour ended with {self.neighbour.returncode}")
        if not memory_of(self.job):
            raise Failure("the neighbour's table is not seen")
        kill(self.neighbour.pid)
        self.neighbour.wait()
        if left := memory_of(self.job):
            raise Failure(f"left: {left}")

    def end(self):
        """Nothing of it stays, whatever went wrong."""
        for process in processes_of(self.job):
            kill(process)
        for started in (self.launcher, self.neighbour):
            if started and started.poll() is None:
                started.kill()
            if started:
                started.wait()


def main():
    parse = argparse.ArgumentParser()
    for program in ("library", "uneven", "neighbour", "maslin"):
        parse.add_argument(program, nargs="?")
    parse.add_argument("--kills", type=int, default=int(os.environ.get("MASLIN_TEST_KILLS", "5")))
    parse.add_argument("--seed", type=int, default=1)
    parse.add_argument("--plain", action="store_true")
    programs = parse.parse_args()
    if not programs.maslin or not shutil.which("mpirun"):
        print("skipped: no MPI was found (Debian: libopenmpi-dev, openmpi-bin)")
        return 77
    chance = random.Random(programs.seed)
    counts = collections.Counter()
    failed = 0
    for number in range(programs.kills):
        wish = ("rank", "ranks", "launcher", "job")[number % 4]
        with tempfile.TemporaryDirectory(prefix="maslin-kill-", ignore_cleanup_errors=True) as folder:
            trial = Trial(programs, number, programs.plain, Path(folder))
            try:
                what = trial.strike(chance, wish)
                counts[f"killed: {what}"] += 1
                trial.check(counts, what)
            except Failure as failure:
                failed += 1
                print(f"kill {number} ({wish}): {failure}", flush=True)
            finally:
                trial.end()
    for what, times in sorted(counts.items()):
        print(f"{times:4}  {what}")
    print(f"{programs.kills} kills {'without' if programs.plain else 'with'} the library, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
