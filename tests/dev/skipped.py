"""Prints a line for whatever ctest's results (JUnit) say was skipped, with its reason: a whole test, or one case of a
test that passed otherwise (GoogleTest, unittest). skipped.py RESULTS"""

import re
import sys
import xml.etree.ElementTree as ElementTree

GTEST = re.compile(r"^[^\n]*: Skipped\n(?P<reason>.*?)\n+\[  SKIPPED \] (?P<name>\S+?),? .*?\(\d+ ms\)$", re.M | re.S)
UNITTEST = re.compile(
    r"^(?P<name>\w+) \([^)\n]*\)(?:\n[^\n]*)?? \.\.\. (?:[^\n]*\n)??skipped (?P<quote>['\"])(?P<reason>.*)(?P=quote)$", re.M
)


def plain(reason: str) -> str:
    return re.sub(r"^skipped: ", "", " ".join(reason.split()))


def skipped(case: ElementTree.Element) -> list[tuple[str, str]]:
    """Gives name and reason of what was skipped of one test."""
    name = case.get("name", "?")
    said = case.findtext("system-out") or ""
    if case.find("skipped") is not None:
        lines = [line for line in said.splitlines() if line.strip()]
        return [(name, plain(lines[-1]) if lines else "it did not say why")]
    parts = [*GTEST.finditer(said), *UNITTEST.finditer(said)]
    return [(f"{name}: {part['name']}", plain(part["reason"])) for part in parts]


def lines_of(results: str) -> list[str]:
    """Gives the lines to print: cases of one test and one reason share a line."""
    names: dict[tuple[str, str], list[str]] = {}
    for case in ElementTree.parse(results).getroot().iter("testcase"):
        for name, reason in skipped(case):
            test, _, part = name.partition(": ")
            names.setdefault((test, reason), []).append(part)
    return [
        f"skipped: {test}{': ' if parts[0] else ''}{parts[0]}"
        + (f" and {len(parts) - 1} more" if len(parts) > 1 else "")
        + f": {reason}"
        for (test, reason), parts in names.items()
    ]


if __name__ == "__main__":
    print("\n".join(lines_of(sys.argv[1])))
