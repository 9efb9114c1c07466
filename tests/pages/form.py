"""The form of the project's pages: no line is longer than 120 characters, no file holds the markers of a merge, and
pages that are to be read in one sitting have no more words than they may.

    form.py FOLDER           names every line of every tracked file that breaks this; leaves with status 1 if there is one
    form.py --wrap PAGE...   wraps the paragraphs of these pages that hold a line that is too long

Longer may be what cannot be wrapped: rows of tables, pictures, and what a program prints (blocks of `text`). Blocks of
code may not: they are programs, and read in terminals.
"""

import re
import subprocess
import sys
from pathlib import Path

MOST = 120
MOST_WORDS = {"src/exec/threads/README.md": 1200}  # a proof is read as a whole or not at all
MARKER = re.compile(r"<{7}( .*)?$|>{7}( .*)?$|\|{7}( .*)?$")
MIDDLE = "=" * 7  # alone it may underline a heading
FENCE = re.compile(r"\s*(```|~~~)")
ROW_OR_PICTURE = re.compile(r"\s*(\||!\[.*\)$)")
ITEM = re.compile(r"(\s*)([-*]|\d+\.) +")


def markers(lines: list[str]) -> list[int]:
    """Gives the numbers of the lines that a merge left."""
    found = [number for number, line in enumerate(lines, 1) if MARKER.match(line)]
    return sorted(found + [n for n, line in enumerate(lines, 1) if found and line == MIDDLE])


def problems(path: Path, name: str) -> list[str]:
    """Gives what is wrong with the form of a file."""
    try:
        content = path.read_bytes()
    except (FileNotFoundError, IsADirectoryError):
        return []
    if b"\0" in content:
        return []  # no text
    lines = content.decode("utf-8", "replace").splitlines()
    found = [f"{name}:{number}: a marker of a merge" for number in markers(lines)]
    if path.suffix == ".md":
        found += [
            f"{name}:{number}: {len(lines[number - 1])} characters; wrap it: python3 tests/pages/form.py --wrap {name}"
            for number in too_long(lines)
        ]
    words = sum(len(line.split()) for line in lines)
    if words > MOST_WORDS.get(name, words):
        found.append(f"{name}:{len(lines)}: {words} words; it may have {MOST_WORDS[name]}")
    return found


def too_long(lines: list[str]) -> list[int]:
    """Gives the numbers of a page's lines that are too long."""
    found = []
    fence = ""  # what the block that is open began with
    for number, line in enumerate(lines, 1):
        if FENCE.match(line):
            fence = "" if fence else line.strip()
        elif len(line) > MOST and not ROW_OR_PICTURE.match(line) and not fence.endswith("text"):
            found.append(number)
    return found


def wrapped(paragraph: list[str]) -> list[str]:
    """Gives the lines of a paragraph, or of an item of a list, wrapped."""
    item = ITEM.match(paragraph[0])
    first = item.group(0) if item else re.match(r"\s*", paragraph[0]).group(0)
    rest = " " * len(first)
    out, line = [], first
    for word in " ".join([paragraph[0][len(first) :], *paragraph[1:]]).split():
        # A line that began so would be an item, a heading or a row.
        begins_something = re.fullmatch(r"[-*+#|>]+|\d+[.)]", word) is not None
        if line.strip() and line not in (first, rest) and len(line) + len(word) + 1 > MOST and not begins_something:
            out.append(line)
            line = rest
        line += word if line in (first, rest) else " " + word
    return [*out, line]


def wrap(text: str) -> str:
    """Gives the page with those of its paragraphs wrapped that hold a line that is too long."""
    out: list[str] = []
    paragraph: list[str] = []
    fenced = False

    def end() -> None:
        out.extend(wrapped(paragraph) if any(len(line) > MOST for line in paragraph) else paragraph)
        paragraph.clear()

    for line in text.splitlines():
        is_code = line.startswith("    ") and not paragraph
        if FENCE.match(line) or fenced or is_code or not line.strip() or re.match(r"#|\s*[|<!]", line):
            end()
            fenced ^= bool(FENCE.match(line))
            out.append(line)
            continue
        if ITEM.match(line):
            end()
        paragraph.append(line)
    end()
    return "\n".join(out) + "\n"


def main(arguments: list[str]) -> int:
    if arguments[0] == "--wrap":
        for page in map(Path, arguments[1:]):
            page.write_text(wrap(page.read_text(encoding="utf-8")), encoding="utf-8")
        return 0
    folder = Path(arguments[0])
    listed = subprocess.run(
        ["git", "-C", folder, "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        capture_output=True, text=True,
    )
    if listed.returncode != 0:
        print("this is no checkout: git ls-files does not list its files; skipped")
        return 77
    found = [p for name in filter(None, listed.stdout.split("\0")) for p in problems(folder / name, name)]
    print("\n".join(found) or "every page has its form")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
