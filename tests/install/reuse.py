"""A compiler launcher: an object of Maslin's is taken from the build folder that is tested, if the same command made it.

    reuse.py BUILD_FOLDER COMPILER ARGS...

Maslin as a part of another project is then tested in seconds, and what differs in how it is compiled there is an error.
"""

import json
import shlex
import shutil
import sys
from os import execvp
from pathlib import Path


def essential(command: list[str]) -> list[str]:
    """Gives what decides what the object is: all but the launchers and the places of what is written."""
    rest = iter(command[next(i for i, word in enumerate(command) if "++" in Path(word).name):])
    kept = []
    for word in rest:
        if word in ("-o", "-MT", "-MF"):
            next(rest)
        elif word != "-MD":
            kept.append(word)
    return kept


def main(build: Path, command: list[str]) -> int:
    target = command[command.index("-o") + 1] if "-o" in command else ""
    if "maslin-objects.dir" not in target:
        execvp(command[0], command)
    for entry in json.loads((build / "compile_commands.json").read_text(encoding="utf-8")):
        if entry["file"] == command[-1] and "maslin-objects.dir" in entry["command"]:
            there = shlex.split(entry["command"])
            if essential(there) == essential(command):
                shutil.copyfile(build / there[there.index("-o") + 1], target)
                return 0
            print("Maslin is compiled otherwise than in its own build folder, by\n ", shlex.join(essential(command)),
                  "\nand there by\n ", shlex.join(essential(there)), file=sys.stderr)
    return 1


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), sys.argv[2:]))
