"""Tells what else there is in ctest's results (JUnit): a line for whatever was skipped, with its reason, be it a whole
test or one case of a test that passed otherwise (GoogleTest, unittest); then what each failed test said last.
told.py RESULTS"""

import re
import sys
import xml.etree.ElementTree as ElementTree

LAST_LINES = 25  # of what a failed test said
LONGEST = 300  # characters of each
GTEST = re.compile(r"^[^\n]*: Skipped\n(?P<reason>.*?)\n+\[  SKIPPED \] (?P<name>\S+?),? .*?\(\d+ ms\)$", re.M | re.S)
UNITTEST = re.compile(
    r"^(?P<name>\w+) \([^)\n]*\)(?:\n[^\n]*)?? \.\.\. (?:[^\n]*\n)??skipped (?P<quote>['\"])(?P<reason>.*)(?P=quote)$", re.M
)


def plain(reason: str) -> str:
    """Gives it on one line, without what the program itself said meanwhile."""
    lines = [line for line in reason.splitlines() if not line.startswith("maslin: ")]
    return re.sub(r"^skipped: ", "", " ".join(" ".join(lines).split()))


def skipped(case: ElementTree.Element) -> list[tuple[str, str]]:
    """Gives name and reason of what was skipped of one test."""
    name = case.get("name", "?")
    said = case.findtext("system-out") or ""
    if case.find("skipped") is not None:
        lines = [line for line in said.splitlines() if line.strip()]
        return [(name, plain(lines[-1]) if lines else "it did not say why")]
    parts = [*GTEST.finditer(said), *UNITTEST.finditer(said)]
    return [(f"{name}: {part['name']}", plain(part["reason"])) for part in parts]


def skips(cases: list[ElementTree.Element]) -> list[str]:
    """Gives the lines to print: cases of one test and one reason share a line."""
    names: dict[tuple[str, str], list[str]] = {}
    for case in cases:
        for name, reason in skipped(case):
            test, _, part = name.partition(": ")
            names.setdefault((test, reason), []).append(part)
    return [
        f"skipped: {test}{': ' if parts[0] else ''}{parts[0]}"
        + (f" and {len(parts) - 1} more" if len(parts) > 1 else "")
        + f": {reason}"
        for (test, reason), parts in names.items()
    ]


def failures(cases: list[ElementTree.Element]) -> list[str]:
    """Gives the lines to print: of each failed test its name and what it said last."""
    lines: list[str] = []
    for case in cases:
        if case.find("failure") is None:
            continue
        said = [line.rstrip() for line in (case.findtext("system-out") or "").splitlines() if line.strip()]
        lines += [f"failed: {case.get('name', '?')}", *(f"  {line[:LONGEST]}" for line in said[-LAST_LINES:])]
    return lines


if __name__ == "__main__":
    all_cases = list(ElementTree.parse(sys.argv[1]).getroot().iter("testcase"))
    print("\n".join([*skips(all_cases), *failures(all_cases)]))
