#!/usr/bin/env python3
"""Lists the twins: functions of one name that two machines (src/exec/threads, src/exec/virtual) write alike.

What the machines share belongs into src/exec/core, once. A twin is a pair whose bodies have more than three lines and
share at least 40 % of their words. The last line is their number; the status is 0 unless there are more than --most.
"""

import argparse
import difflib
import re
import sys
from pathlib import Path

MACHINES = ("src/exec/threads", "src/exec/virtual")
ALIKE = 0.4
SHORT = 3  # lines: a name and a call say nothing twice

DEFINITION = re.compile(
    r"^(?:[\w:<>,&*~\[\]\s]*?[\s&*])?(?:\w+::)*(~?\w+)\s*\([^;{}]*\)[^;{}()]*(?::[^;{}]*(?:\{[^{}]*\}[^;{}]*)*)?\{\n", re.M)
NO_FUNCTIONS = {"if", "for", "while", "switch", "catch", "do", "else", "return"}


def functions(folder: Path):
    """Gives (name, file, line, body) of each function that is defined in a folder, without its tests."""
    for file in sorted(folder.glob("*.[ch]pp")):
        if file.name.endswith("_test.cpp"):
            continue
        text = re.sub(r"//[^\n]*", "", file.read_text(encoding="utf-8"))
        for found in DEFINITION.finditer(text):
            if found.group(1) in NO_FUNCTIONS:
                continue
            depth, end = 1, found.end()
            while depth and end < len(text):
                depth += {"{": 1, "}": -1}.get(text[end], 0)
                end += 1
            yield found.group(1), file, text.count("\n", 0, found.start(1)) + 1, text[found.end() : end - 1]


def words(body: str):
    return re.findall(r"\w+|[^\w\s]", body)


def twins(root: Path):
    """Gives (share of common words, name, one place, the other) of each twin, the most alike first."""
    first, second = (list(functions(root / machine)) for machine in MACHINES)
    found = []
    for name, file, line, body in first:
        for other_name, other_file, other_line, other_body in second:
            if name != other_name or min(body.count("\n"), other_body.count("\n")) < SHORT:
                continue
            alike = difflib.SequenceMatcher(None, words(body), words(other_body), False).ratio()
            if alike >= ALIKE:
                places = (f"{f.relative_to(root)}:{at}" for f, at in ((file, line), (other_file, other_line)))
                found.append((alike, name, *places))
    return sorted(found, reverse=True)


if __name__ == "__main__":
    asked = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    asked.add_argument("root", type=Path, nargs="?", default=Path("."))
    asked.add_argument("--most", type=int, help="more twins than this are an error")
    arguments = asked.parse_args()
    pairs = twins(arguments.root)
    for alike, name, one, other in pairs:
        print(f"{alike:4.0%}  {name:16} {one} ~ {other}")
    print(f"{len(pairs)} twins")
    sys.exit(arguments.most is not None and len(pairs) > arguments.most)
