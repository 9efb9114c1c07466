"""Every message of the library and of the command `maslin` stands in docs/errors.md: messages.py FOLDER names those that do
not, and leaves with status 1 if there are some.

What is said of a message is compared by the longest piece of it that does not depend on the run."""

import re
import subprocess
import sys
from pathlib import Path

ROOMS = ("include", "src", "cli", "mpi", "python/src")
BEGINS = re.compile(r"\b(?:throw (?:maslin::)?error|throw body_failed|fail|damaged|refuse|throw_value|warn|complain|tell"
                    r"|f?printf|fmt::print|what = fmt::format|problem = fmt::format)\(")
LITERAL = re.compile(r'"((?:[^"\\]|\\.)*)"')
VARIES = re.compile(r"\{[^{}]*\}|%[-0-9.]*l{0,2}z?[sduixf]|\0")
LEAST = 12  # characters of a piece that says something


def call(text: str, start: int) -> str:
    """Gives the text of a call up to the parenthesis that closes it; `start` is behind the one that opens it."""
    depth, at = 1, start
    while depth and at < len(text):
        literal = LITERAL.match(text, at)
        if literal:
            at = literal.end()
            continue
        depth += {"(": 1, ")": -1}.get(text[at], 0)
        at += 1
    return text[start : at - 1]


def pieces(argument: str) -> list[str]:
    """Gives the pieces of a message between what varies."""
    joined, last = "", None
    for literal in LITERAL.finditer(argument):
        between = argument[last : literal.start()].strip() if last is not None else ""
        joined += ("\0" if between else "") + literal[1].replace('\\"', '"').replace("\\n", " ")
        last = literal.end()
    return [" ".join(piece.split()) for piece in VARIES.split(joined)]


def messages(source: str) -> list[tuple[int, str]]:
    """Gives the line and the longest piece of each message of a source."""
    found = []
    for begin in BEGINS.finditer(source):
        argument = call(source, begin.end())
        if "print" in begin[0] and "stderr" not in argument:
            continue
        longest = max(pieces(argument), key=len, default="").strip(" :;,('")
        if len(longest) >= LEAST:
            found.append((source.count("\n", 0, begin.start()) + 1, longest.replace("`", "")))
    return found


def main(folder: Path) -> int:
    page = " ".join((folder / "docs" / "errors.md").read_text(encoding="utf-8").replace("`", "").split())
    listed = subprocess.run(["git", "-C", folder, "ls-files", *ROOMS], capture_output=True, text=True, check=False)
    names = [name for name in listed.stdout.split("\n") if name.endswith((".cpp", ".hpp")) and "_test" not in name]
    if not names:
        print("this is no checkout: git ls-files does not list its files; skipped")
        return 77
    absent = [f"{name}:{line}: {piece}" for name in names
              for line, piece in messages((folder / name).read_text(encoding="utf-8")) if piece not in page]
    print("\n".join(absent) or "docs/errors.md has every message")
    return 1 if absent else 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
