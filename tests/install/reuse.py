"""A compiler launcher: an object is taken from the build folder that is tested, if the same command made it.

    reuse.py BUILD_FOLDER PREFIX TARGETS COMPILER ARGS...

What is built on another project's terms is then tested in seconds, and what differs in how it is compiled there is an
error. TARGETS, with commas between them, are those whose objects are taken; sources that the build folder compiles in
none of them are compiled. The public headers in PREFIX must be the checkout's; it is - where none are installed.
"""

import json
import shlex
import shutil
import sys
from os import execvp
from pathlib import Path

CHECKOUT = Path(__file__).resolve().parents[2]


def target_of(command: list[str]) -> str:
    """Gives the name of the target whose object this makes."""
    made = command[command.index("-o") + 1] if "-o" in command else ""
    return next((part.removesuffix(".dir") for part in Path(made).parts if part.endswith(".dir")), "")


def essential(command: list[str], prefix: str) -> list[str]:
    """Gives what decides what the object is: all but the launchers and the places of what is written. The folders of
    headers come first and sorted, because no two have headers of the same name."""
    rest = iter(command[next(i for i, word in enumerate(command) if "++" in Path(word).name):])
    kept, folders = [], []
    for word in rest:
        if word in ("-o", "-MT", "-MF"):
            next(rest)
        elif word == "-isystem":
            folder = next(rest)
            folders.append(f"-I{CHECKOUT}/include" if folder == f"{prefix}/include" else f"{word} {folder}")
        elif word.startswith("-I"):
            folders.append(word)
        elif word == "-include":
            header = next(rest)
            if Path(header).name != "cmake_pch.hxx":  # what a file begins with to be compiled sooner, it includes itself
                kept += [word, header]
        elif word not in ("-MD", "-Winvalid-pch"):
            kept.append(word)
    return [*sorted(folders), *kept]


def same_headers(prefix: Path) -> bool:
    return all((prefix / "include" / "maslin" / header.name).read_bytes() == header.read_bytes()
               for header in (CHECKOUT / "include" / "maslin").iterdir())


def main(build: Path, prefix: str, targets: str, command: list[str]) -> int:
    target = target_of(command)
    if target in targets.split(","):
        for entry in json.loads((build / "compile_commands.json").read_text(encoding="utf-8")):
            there = shlex.split(entry["command"]) if entry["file"] == command[-1] else []
            if target_of(there) == target:
                if essential(there, prefix) != essential(command, prefix):
                    print(f"{target} is compiled otherwise than in the build folder, by\n ",
                          shlex.join(essential(command, prefix)), "\nand there by\n ",
                          shlex.join(essential(there, prefix)), file=sys.stderr)
                    return 1
                if prefix != "-" and not same_headers(Path(prefix)):
                    print(f"the headers in {prefix}/include are not those of {CHECKOUT}/include", file=sys.stderr)
                    return 1
                shutil.copyfile(build / there[there.index("-o") + 1], command[command.index("-o") + 1])
                return 0
    execvp(command[0], command)


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), sys.argv[2], sys.argv[3], sys.argv[4:]))
