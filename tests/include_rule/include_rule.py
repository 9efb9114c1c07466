#!/usr/bin/env python3
"""Who may include whom (src/README.md): exec → sched → graph → task, and the rooms below know nothing of these.

Prints each include that breaks the rule as file:line: what it includes and what it may include. Prints also each room
that the rule or src/README.md names and that does not exist. Status 1 if there is one of either.
"""

import re
import sys
from pathlib import Path

BELOW = {"base", "files", "machine", "model", "trace"}
MAY_INCLUDE = {  # besides itself and public headers
    "c_api": {"task", "base"},
    "exec": {"sched", "graph", "task", "comm"} | BELOW,
    "sched": {"graph", "task"} | BELOW,
    "graph": {"task"} | BELOW,
    "task": BELOW,
    "trace": {"base", "files"},
    "machine": {"base"},
    "comm": {"base"},
    "model": {"base"},
    "base": set(),
    "files": set(),
}
OPEN_TO = {"files": {"cli", "apps"}, "model": {"cli"}}  # a room that more than rooms use
OPEN_FILES = {"base/nearest_word.hpp": {"cli", "compiler"}, "graph/region.hpp": {"cli"},
              "exec/ranks/eager.hpp": {"cli"}, "comm/placement.hpp": {"mpi"}, "comm/processes.hpp": {"mpi"}, "comm/bytes_as.hpp": {"mpi"}}  # a file of a room
SHARED_BY_COMMANDS = "cli/shared/"  # what apps may include of cli
WIRES_THE_ROOMS = {"src/runtime.cpp"}
# Measure or explore what users do not see.
SEES_INSIDE = ("bench/micro/", "bench/figures/cellss/", "bench/figures/dbs/misses.", "bench/figures/links/", "bench/grain/peers/", "tests/interleavings/")

# sched decides and does nothing else: it holds no thread, no lock, no clock, no shared state.
NOT_IN_SCHED = {"atomic", "barrier", "chrono", "condition_variable", "ctime", "future", "latch", "mutex", "semaphore",
                "shared_mutex", "stop_token", "thread", "time.h", "sys/time.h", "pthread.h"}

IS_TEST = re.compile(r"_(test|bench)\.cpp$")
ROW_OF_A_ROOM = re.compile(r"\| `(\w+)/` \|")
INCLUDE = re.compile(r'^\s*#\s*include\s*(?:"([^"]+)"|<([^>]+)>)')
SOURCES = {".c", ".cpp", ".hpp", ".h", ".cu", ".cuh", ".inc"}
TOP_FOLDERS = ("include", "src", "cli", "compiler", "mpi", "python", "apps", "bench", "tests")


def includes(file: Path):
    """Gives (line number, name, whether it stood in quotes) of each include."""
    for number, line in enumerate(file.read_text(encoding="utf-8", errors="replace").splitlines(), 1):
        found = INCLUDE.match(line)
        if found:
            yield number, found.group(1) or found.group(2), found.group(1) is not None


def complaint(root: Path, file: str, name: str, quoted: bool):
    """Gives what is wrong with one include, or nothing."""
    if name.startswith("maslin/"):
        return None if (root / "include" / name).is_file() else f"includes {name}, which is no public header"
    parts = file.split("/")
    top = parts[0]
    if "/" not in name and (root / "tests" / name).is_file() and (top == "tests" or IS_TEST.search(file)):
        return None  # what all tests share
    if top == "include":
        standard = not quoted and re.fullmatch(r"[a-z_0-9]+(\.h)?", name)
        return None if standard else f"includes {name}; public headers include public and standard headers only"
    if top == "src":
        return None if file in WIRES_THE_ROOMS else complaint_of_room(root, parts, name, quoted)
    if file.startswith(SEES_INSIDE) or (top == "tests" and name.startswith(f"{parts[1]}/")):
        return None
    if top in OPEN_TO.get(name.split("/")[0], ()) and (root / "src" / name).is_file():
        return None
    if top in OPEN_FILES.get(name, ()):
        return None
    if name.startswith("cli/") and (root / name).is_file():
        shared = top in ("cli", "compiler", "mpi", "apps") and name.startswith(SHARED_BY_COMMANDS)
        return None if shared else f"includes {name}; commands share {SHARED_BY_COMMANDS}, and nothing else of cli"
    area = root.joinpath(*parts[:2]) if top in ("apps", "tests", "bench") else root / top
    beside = (root / file).parent.joinpath(name).resolve()
    if beside.is_file() and beside.is_relative_to(area.resolve()):
        return None
    if top == "apps" and (root / "apps" / name).is_file():
        return None if name.split("/")[0] == parts[1] else f"includes {name} of another app"
    if beside.is_file() and beside.is_relative_to(root.resolve()) or (root / "src" / name).is_file():
        return f"includes {name}; {top} uses the public headers only"
    return None


def complaint_of_room(root: Path, parts, name: str, quoted: bool):
    room = parts[1]
    if room not in MAY_INCLUDE:
        return f"lies in no room that {Path(__file__).name} knows ({', '.join(MAY_INCLUDE)})"
    if room == "sched" and not IS_TEST.search(parts[-1]) and name in NOT_IN_SCHED:
        return f"includes <{name}>; sched holds no thread, no lock, no clock and no shared state"
    if not quoted and not (root / "src" / name).is_file():
        return None
    if name.startswith("..") or not (root / "src" / name).is_file():
        return f"includes {name}, which is not written as room/file from src"
    target = name.split("/")[0]
    if target == room or target in MAY_INCLUDE[room]:
        return None
    allowed = sorted(MAY_INCLUDE[room])
    return f"includes {name}; {room} may include {', '.join(allowed) if allowed else 'no other room'}"


def missing_rooms(root: Path):
    """Gives a line of text for each room that is named and does not exist."""
    rule = Path(__file__).name
    found = [f"{rule}: src/{room} does not exist" for room in MAY_INCLUDE if not (root / "src" / room).is_dir()]
    for number, line in enumerate((root / "src/README.md").read_text(encoding="utf-8").splitlines(), 1):
        row = ROW_OF_A_ROOM.match(line)
        if row and not any((root / above / row.group(1)).is_dir() for above in ("src", "src/exec")):
            found.append(f"src/README.md:{number}: {row.group(1)}/ does not exist")
    return found


def violations(root: Path):
    """Gives a line of text for each include under `root` that breaks the rule."""
    found = []
    for top in TOP_FOLDERS:
        for path in sorted((root / top).rglob("*")):
            if path.suffix not in SOURCES or not path.is_file():
                continue
            file = path.relative_to(root).as_posix()
            for number, name, quoted in includes(path):
                wrong = complaint(root, file, name, quoted)
                if wrong:
                    found.append(f"{file}:{number}: {wrong}")
    return found


if __name__ == "__main__":
    broken = violations(Path(sys.argv[1])) + missing_rooms(Path(sys.argv[1]))
    print("\n".join(broken) or "every include keeps the rule, and every room that is named exists")
    sys.exit(1 if broken else 0)
