"""Control groups with a CPU quota, for measurements and tests. To make one needs the right to."""

from __future__ import annotations

import contextlib
import os
import signal
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Iterator

PERIOD_US = 100_000
MADE_HERE = "maslin-quota-"


class NoQuota(Exception):
    """No control group with a CPU quota can be made here, and why."""


@dataclass(frozen=True)
class ControlGroup:
    folder: Path

    def enter(self) -> None:
        """Puts the calling process into it, for example before it becomes another program."""
        (self.folder / "cgroup.procs").write_text(str(os.getpid()), encoding="utf-8")

    def held_back(self) -> int:
        """Gives how often its processes were held back so far."""
        return int(dict(line.split() for line in (self.folder / "cpu.stat").open(encoding="utf-8"))["nr_throttled"])


def cpu_hierarchies() -> list[tuple[int, Path]]:
    """Gives (version, folder) of each mounted hierarchy whose control groups can have a CPU quota."""
    found = []
    for line in Path("/proc/self/mountinfo").read_text(encoding="utf-8").splitlines():
        fields = line.split()
        kind, options = fields[fields.index("-") + 1], fields[-1].split(",")
        folder = Path(fields[4])
        if kind == "cgroup" and "cpu" in options:
            found.append((1, folder))
        elif kind == "cgroup2" and "cpu" in (folder / "cgroup.subtree_control").read_text(encoding="utf-8").split():
            found.append((2, folder))
    return found


def remove(group: Path) -> None:
    """Ends what is left in a control group that was made here, and takes the group away."""
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
def quota(cpus: float) -> Iterator[ControlGroup]:
    """Makes a control group with that quota for a while. Raises NoQuota where that is not allowed."""
    problems = []
    for version, folder in cpu_hierarchies():
        for stale in folder.glob(MADE_HERE + "*"):  # of a run that was killed
            if not Path("/proc", stale.name.removeprefix(MADE_HERE)).exists():
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
            yield ControlGroup(group)
        finally:
            remove(group)
        return
    raise NoQuota("no control group with a CPU quota can be made here"
                  + (f" ({'; '.join(problems)})" if problems else ": no hierarchy with a CPU controller"))
