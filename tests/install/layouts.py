"""The types that programs and the library hand to each other, with what they hold where, as libabigail describes them.

Most of Maslin's interface is inline code, which is compiled into programs: what it writes into an object, the library
reads at the same place. So every type of the public headers that is no template is described, also those of `detail`;
and every function of C and of `detail` that the library exports, with what it takes and gives. Types of the C++ library
are left out: they are that library's promise.
"""

import re
import subprocess
from pathlib import Path

from declarations import Declared

BROKEN, ADDED, SAME = "breaks programs", "adds to what programs use", "changes nothing"
# declarations.txt has the members of a structure of C that may grow.
SUPPRESSED = """
[suppress_type]
  name_regexp = ^((std|__gnu_cxx)::.*|{may_grow})$
  drop = yes
"""


def names_in(library_map: str) -> set[str]:
    """Gives the names in the map of the library, without what functions take."""
    symbols = re.findall(r"^ +(\w+);$", library_map, re.MULTILINE)
    names = subprocess.run(["c++filt"], input="\n".join(symbols), capture_output=True, text=True, check=True).stdout
    return {name.partition("(")[0] for name in names.splitlines()}


def program(headers: list[str], types: list[str], functions: list[str]) -> str:
    """Gives a program with a function for each of them, by whose parameter it is described."""
    lines = [f"#include <maslin/{header}>" for header in headers]
    for kind, names in (("{}&", types), ("decltype({})&", functions)):
        for name in names:
            described = name.replace("::", "__")
            lines.append(f'extern "C" [[gnu::visibility("default")]] void has_{described}({kind.format(name)}) {{}}')
    return "\n".join(lines) + "\n"


def describe(include: Path, declared: Declared, library_map: str, compiler: str, folder: Path) -> None:
    """Writes layouts.abi into the folder."""
    source, library = folder / "layouts.cpp", folder / "layouts.so"
    headers = sorted(path.name for path in (include / "maslin").glob("*.h*"))
    functions = sorted(declared.functions & names_in(library_map))
    source.write_text(program(headers, sorted(set(declared.types) - set(declared.may_grow)), functions), encoding="utf-8")
    subprocess.run([compiler, "-std=c++20", "-g", "-O0", "-fPIC", "-shared", "-fvisibility=hidden", f"-I{include}", source,
                    "-o", library], check=True)
    (folder / "suppressed.ini").write_text(SUPPRESSED.format(may_grow="|".join(declared.may_grow)), encoding="utf-8")
    said = subprocess.run(["abidw", "--headers-dir", include / "maslin", "--suppressions", folder / "suppressed.ini",
                           "--exported-interfaces-only", "--no-architecture", "--no-corpus-path", "--no-comp-dir-path",
                           "--no-elf-needed", "--no-show-locs", "--type-id-style", "hash", library],
                          capture_output=True, text=True, check=True).stdout
    said = re.sub(r"<abi-instr [^>]*address-size='64'[^>]*>", "<abi-instr address-size='64'>", said)
    (folder / "layouts.abi").write_text(said, encoding="utf-8")


def difference(promised: Path, now: Path) -> tuple[str, list[str]]:
    """Gives what a change of the description does, and abidiff's report."""
    for more, change in ((["--no-added-syms"], BROKEN), ([], ADDED)):
        said = subprocess.run(["abidiff", *more, promised, now], capture_output=True, text=True, check=False)
        if said.returncode & 3:
            raise SystemExit(f"abidiff failed:\n{said.stdout}{said.stderr}")
        if said.returncode:
            return change, said.stdout.splitlines()
    return SAME, []
