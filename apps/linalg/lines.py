"""What it takes to make tasks of the six programs: the lines that are for Maslin alone, beside those of the CellSs paper
(table 1).

    lines.py                   prints the table; leaves with status 1 if a program has more than the paper's
    lines.py --serial FOLDER   writes the serial programs there: the same files without these lines
"""

import re
import sys
from pathlib import Path

PROGRAMS = Path(__file__).resolve().parent / "c"
PAPER = {  # lines of the sequential program, lines added
    "matmul": (262, 4), "sparselu": (560, 14), "choleskyC": (190, 6), "choleskyR": (489, 8), "reduct": (142, 5),
    "fft3d": (349, 18),
}
INCLUDE = re.compile(r'^#include "(\w+\.h)"$', re.MULTILINE)


def files_of(program: str) -> list[Path]:
    """Gives the program's file and the headers of this folder that it includes."""
    found, todo = [], [PROGRAMS / f"{program}.c"]
    while todo:
        file = todo.pop()
        if file not in found:
            found.append(file)
            todo += [PROGRAMS / name for name in INCLUDE.findall(file.read_text(encoding="utf-8"))]
    return found


def parted(file: Path) -> tuple[list[str], list[str]]:
    """Gives the lines of a serial compiler, and those of annotations; one that ends in a backslash goes on."""
    serial, added, goes_on = [], [], False
    for line in file.read_text(encoding="utf-8").splitlines(keepends=True):
        of_annotation = goes_on or re.match(r"\s*(#\s*pragma\s+css\b|_Pragma\(\"css)", line) is not None
        (added if of_annotation else serial).append(line)
        goes_on = of_annotation and line.rstrip("\n").endswith("\\")
    return serial, added


def counts(program: str) -> tuple[int, int]:
    parts = [parted(file) for file in files_of(program)]
    return sum(len(serial) for serial, _ in parts), sum(len(added) for _, added in parts)


def table() -> int:
    print("program      serial lines   lines for Maslin    paper: sequential   added")
    more = []
    for program, (sequential, published) in PAPER.items():
        serial, added = counts(program)
        print(f"{program:<12}{serial:>13}{added:>19}{sequential:>21}{published:>8}")
        if added > published:
            more.append(program)
    if more:
        print(f"more lines than the paper's programs have: {', '.join(more)}", file=sys.stderr)
    return 1 if more else 0


def write_serial(folder: Path) -> int:
    for file in {file for program in PAPER for file in files_of(program)}:
        (folder / file.name).write_text("".join(parted(file)[0]), encoding="utf-8")
    return 0


if __name__ == "__main__":
    if len(sys.argv) == 3 and sys.argv[1] == "--serial":
        sys.exit(write_serial(Path(sys.argv[2])))
    if len(sys.argv) > 1:
        sys.exit(__doc__)
    sys.exit(table())
