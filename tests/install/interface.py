"""Whether programs that were compiled with this version's headers still compile with them, and run with the library.

    interface.py compare CHECKOUT BUILD_FOLDER C++_COMPILER    the headers are as src/promised says
    interface.py describe CHECKOUT BUILD_FOLDER C++_COMPILER   writes src/promised anew, if the version allows the change

src/promised/declarations.txt lists what the public headers declare, src/promised/layouts.abi describes the types that
programs and the library hand to each other, with what they hold where. What the library exports is listed in
src/libmaslin.map, which symbols.py compares. docs/versions.md says which version may change what. Status 77 where a
program is missing.
"""

import re
import shutil
import subprocess
import sys
from pathlib import Path

import declarations
import layouts
from layouts import ADDED, BROKEN, SAME

SKIPPED = 77
FILES = ("declarations.txt", "layouts.abi")
PROMISED = Path("src", "promised")
NEEDS = {"doxygen": "doxygen", "abidw": "abigail-tools", "abidiff": "abigail-tools"}
HOW_TO_DESCRIBE = "If it is meant, `ninja -C build/release describe_interface` describes it in src/promised; commit that, too."


def difference(promised: str, now: str) -> tuple[str, list[str]]:
    """Gives what a change of the declarations does, and the lines of it. A C structure that begins with its size may
    grow at its end."""
    def lines(text: str) -> dict[str, None]:
        header, found = "", {}
        for line in text.splitlines():
            header = line if line.startswith("[") else header
            if line and line != header:
                found[f"{header} {line}"] = None
        return found

    gone, came = (list(lines(a).keys() - lines(b).keys()) for a, b in ((promised, now), (now, promised)))
    grown = {line for line in gone if "{ size_t size;" in line and any(new.startswith(line.removesuffix(" };")) for new in came)}
    shown = sorted([f"- {line}" for line in gone] + [f"+ {line}" for line in came], key=lambda line: (line[2:], line[0]))
    return (BROKEN if set(gone) - grown else ADDED if came else SAME), shown


def version_of(cmake: str, changes: str) -> tuple[str, bool]:
    """Gives the version of the project, and whether it is released, from CMakeLists.txt and CHANGELOG.md."""
    version = re.search(r"^project\(maslin VERSION ([0-9.]+)", cmake, re.MULTILINE)[1]
    latest = re.search(r"^## ([0-9.]+)(.*)$", changes, re.MULTILINE)
    if latest[1] != version:
        raise SystemExit(f"CMakeLists.txt has version {version}, and the first heading of CHANGELOG.md {latest[1]}: "
                         "expected the same")
    return version, latest[2].strip() != ", unreleased"


def refusal(change: str, version: str, released: bool) -> str:
    """Gives why this version may not have such a change; empty if it may."""
    if change == SAME:
        return ""
    major, minor, patch = map(int, version.split("."))
    may_break = patch == 0 and (major == 0 or minor == 0)
    next_one = (f"0.{minor + 1}.0" if major == 0 else f"{major + 1}.0.0") if change == BROKEN else f"{major}.{minor}.{patch + 1}"
    if released or (change == BROKEN and not may_break):
        state = "is released" if released else "only adds to the one before it"
        return f"Version {version} {state}. Begin {next_one} (CMakeLists.txt, CHANGELOG.md), or take the change back."
    return ""


def missing(compiler: str) -> str:
    """Gives why nothing can be compared here; empty if it can."""
    absent = sorted({package for program, package in NEEDS.items() if not shutil.which(program)})
    if absent:
        return f"there is no {absent[0]}; ./dev test installs it"
    if not shutil.which(compiler):
        return f"there is no {compiler}"
    version = subprocess.run([compiler, "--version"], capture_output=True, text=True, check=True).stdout
    machine = subprocess.run([compiler, "-dumpmachine"], capture_output=True, text=True, check=True).stdout
    if "Free Software Foundation" not in version or not machine.startswith("x86_64"):
        return "src/promised is described as g++ has it on x86-64"
    return ""


def main(what: str, checkout: Path, build: Path, compiler: str) -> int:
    if why := missing(compiler):
        print(f"skipped: {why}")
        return SKIPPED
    now, promised = build / "interface", checkout / PROMISED
    shutil.rmtree(now, ignore_errors=True)
    now.mkdir(parents=True)
    declared = declarations.of(checkout / "include" / "maslin")
    (now / "declarations.txt").write_text(declarations.text_of(declared), encoding="utf-8")
    library = checkout / "src" / "libmaslin.map"
    layouts.describe(checkout / "include", declared, library.read_text(encoding="utf-8"), compiler, now)
    changes = [difference(*((folder / "declarations.txt").read_text(encoding="utf-8") for folder in (promised, now))),
               layouts.difference(promised / "layouts.abi", now / "layouts.abi")]
    change = max((change for change, _ in changes), key=[SAME, ADDED, BROKEN].index)
    for line in (line for _, lines in changes for line in lines):
        print(line)
    version, released = version_of(*((checkout / name).read_text(encoding="utf-8") for name in ("CMakeLists.txt", "CHANGELOG.md")))
    if why := refusal(change, version, released):
        print(f"The interface differs from src/promised: that {change}. {why}")
        return 1
    if what == "describe":
        for file in FILES:
            shutil.copyfile(now / file, promised / file)
        print(f"src/promised is described anew; the change {change}")
        return 0
    if change == SAME:
        print("the interface is as src/promised says")
        return 0
    print(f"The interface differs from src/promised: that {change}, which version {version} may do. {HOW_TO_DESCRIBE}")
    return 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3]), sys.argv[4]))
