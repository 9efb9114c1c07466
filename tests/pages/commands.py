"""What pages tell their readers to type is there: subcommands and options of `maslin`, words of `./dev`, names of settings.

    commands.py FOLDER MASLIN    names what is not; leaves with status 1 if there is something"""

import functools
import re
import subprocess
import sys
from pathlib import Path

PAGES = ("README.md", "CONTRIBUTING.md", "docs/*.md", "docs/*/*.md", "examples/*.md", "examples/*/*.md")
TYPED = re.compile(r"^```(?:sh|bash)?\n(.*?)^```$|^    (\S.*)$|`([^`\n]+)`", re.DOTALL | re.MULTILINE)
PROGRAM = re.compile(r"(?:^|[&|;$] |[A-Z]=\S+ )maslin((?: [^\s`&|;<>()#]+)+)", re.MULTILINE)
DEV = re.compile(r"\./dev ([a-z]+(?:-[a-z]+)*)\b")
SETTING = re.compile(r"\bMASLIN_[A-Z][A-Z_0-9]*\b")
DEFINED_IN = ("include", "src", "mpi", "cmake", "CMakeLists.txt", "dev", "apps", "python", "bench", "tests/mpi")
IN_GDB = {"fibers", "backtrace"}  # tools/gdb
MISSPELT = {"MASLIN_WROKERS"}  # on purpose


def typed(text: str) -> str:
    """Gives what stands in a page as code that is no program."""
    return "\n".join("".join(filter(None, found.groups())) for found in TYPED.finditer(text))


@functools.cache
def help_of(maslin: str, words: tuple[str, ...]) -> str:
    return subprocess.run([maslin, *words, "--help"], capture_output=True, text=True, timeout=60, check=False).stdout


def subcommands(help_text: str) -> set[str]:
    return set(re.findall(r"^  (\w+) ", help_text.partition("Subcommands:")[2], re.MULTILINE))


def wrong_commands(text: str, maslin: str) -> list[str]:
    """Gives the commands `maslin ...` of a text that have a subcommand or an option that is not there."""
    wrong = []
    for found in PROGRAM.finditer(text):
        words = found[1].split()
        path: tuple[str, ...] = ()
        for word in words:
            there = subcommands(help_of(maslin, path))
            if word in there:
                path += (word,)
                continue
            if not path and re.fullmatch("[a-z]+", word) and word not in IN_GDB:
                wrong.append(f"maslin {found[1].strip()}: there is no '{word}'")
            break
        options = {word.partition("=")[0] for word in words if word.startswith("--") and word != "--"} if path else set()
        known = help_of(maslin, path) + " --help"
        wrong += [f"maslin {found[1].strip()}: there is no {one}" for one in options if not re.search(rf"{one}\b", known)]
    return wrong


def main(folder: Path, maslin: str) -> int:
    usage = set(re.findall(r"^  ([a-z-]+) ", subprocess.run([folder / "dev"], capture_output=True, text=True, check=True).stdout,
                           re.MULTILINE))
    listed = subprocess.run(["git", "-C", folder, "ls-files", *DEFINED_IN], capture_output=True, text=True, check=False)
    sources = [folder / name for name in listed.stdout.split("\n") if name and not name.endswith(".md")]
    if not sources:
        print("this is no checkout: git ls-files does not list its files; skipped")
        return 77
    defined = set()
    for source in sources:
        defined |= set(SETTING.findall(source.read_text(encoding="utf-8", errors="replace")))
    wrong = []
    for page in sorted({page for pattern in PAGES for page in folder.glob(pattern)}):
        text = page.read_text(encoding="utf-8")
        found = wrong_commands(typed(text), maslin)
        found += [f"./dev {word}: there is no such command" for word in DEV.findall(text) if word not in usage]
        found += [f"{name}: nothing reads it" for name in set(SETTING.findall(text)) - defined - MISSPELT]
        wrong += [f"{page.relative_to(folder)}: {one}" for one in found]
    print("\n".join(wrong) or "what pages tell to type is there")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]).resolve(), sys.argv[2]))
