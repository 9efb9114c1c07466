"""Prints Fortran's constants, the file maslin_mpi_constants.inc beside mpi.h, as they follow from mpi.h.

python3 constants.py > ../include/maslin_mpi_constants.inc
python3 constants.py --check: gives status 1 if that file is not what would be printed.
"""

import pathlib
import re
import sys

INCLUDE = pathlib.Path(__file__).parent.parent / "include"
FILE = INCLUDE / "maslin_mpi_constants.inc"

HEAD = """\
! Made by fortran/constants.py from mpi.h. Good for fixed and free form: every line is one whole statement.
"""
# What only Fortran has. MPI_SOURCE and its like are indices in a status.
OWN = {
    "MPI_STATUS_SIZE": 6,
    "MPI_SOURCE": 1,
    "MPI_TAG": 2,
    "MPI_ERROR": 3,
    "MPI_INTEGER_KIND": 4,
    "MPI_ADDRESS_KIND": 8,
    "MPI_COUNT_KIND": 8,
    "MPI_OFFSET_KIND": 8,
}
TAIL = """\
      logical, parameter :: MPI_SUBARRAYS_SUPPORTED = .false.
      logical, parameter :: MPI_ASYNC_PROTECTS_NONBLOCKING = .false.
! Recognised by their addresses: binding.hpp has the same block.
      integer MPI_BOTTOM, MPI_IN_PLACE
      integer MPI_STATUS_IGNORE(MPI_STATUS_SIZE)
      integer MPI_STATUSES_IGNORE(MPI_STATUS_SIZE, 1)
      integer MPI_ERRCODES_IGNORE(1)
      integer MPI_UNWEIGHTED(1), MPI_WEIGHTS_EMPTY(1)
      character(1) MPI_ARGV_NULL(1)
      common /maslin_mpi_special/ MPI_BOTTOM, MPI_IN_PLACE
      common /maslin_mpi_special/ MPI_STATUS_IGNORE
      common /maslin_mpi_special/ MPI_STATUSES_IGNORE
      common /maslin_mpi_special/ MPI_ERRCODES_IGNORE, MPI_UNWEIGHTED
      common /maslin_mpi_special/ MPI_WEIGHTS_EMPTY
      common /maslin_mpi_special/ MPI_ARGV_NULL
      save /maslin_mpi_special/
"""


def constants(header):
    """The integers that the text of mpi.h defines, by name."""
    header = re.sub(r"/\*.*?\*/", "", header, flags=re.DOTALL)
    found = {}

    def value_of(text):
        return found[text] if text in found else int(text)

    entry = r"#define (MPI_\w+) (?:\((-\d+)\)|(\w+))$|^enum \{(.*?)\};"
    for match in re.finditer(entry, header, flags=re.DOTALL | re.MULTILINE):
        name, negative, plain, enumerators = match.groups()
        if enumerators is None:
            text = negative or plain
            if text in found or re.fullmatch(r"-?\d+", text):  # others name functions
                found[name] = value_of(text)
            continue
        following = 0
        for enumerator in enumerators.split(","):
            name, _, text = (part.strip() for part in enumerator.partition("="))
            found[name] = value_of(text) if text else following
            following = found[name] + 1
    return found


def text():
    lines = []
    for name, value in {**constants((INCLUDE / "mpi.h").read_text()), **OWN}.items():
        length = re.match(r"MPI_MAX_(PROCESSOR|ERROR|OBJECT|LIBRARY|INFO)", name)
        lines.append(f"      integer, parameter :: {name} = {value - 1 if length else value}")  # C's have room for a 0
    return HEAD + "\n".join(lines) + "\n" + TAIL


if __name__ == "__main__":
    if sys.argv[1:] == ["--check"]:
        if FILE.read_text() != text():
            sys.exit(f"{FILE} is not what follows from mpi.h; run {sys.argv[0]} > {FILE}")
    else:
        print(text(), end="")
