"""Builds and runs an example as its page says, outside the checkout, against the installed Maslin.

    examples_test.py CHECKOUT BUILD_FOLDER C++_COMPILER EXAMPLE

The commands of the page must succeed. The first line that the page shows must be printed as it stands there, the others
with any numbers. Status 77 where something is missing that only this example needs.
"""

import os
import re
import shutil
import sys
import tempfile
from pathlib import Path

from install_test import BUILD, CHECKOUT, blocks_of, run

SKIPPED = 77
EXAMPLES = CHECKOUT / "examples"
NUMBER = re.compile(r"\d+(?:\.\d+)?(?:e[-+]\d+)?")
NEEDS = {"c-stencil": "make", "mpi-beside": "mpirun"}
ABSENT = re.compile(r"Could NOT find (MPI|BLAS)\b")


def missing(lines: list[str], output: str) -> list[str]:
    """Gives those of a page's lines that were not printed."""
    printed = output.splitlines()
    alike = {NUMBER.sub("0", line) for line in printed}
    return [line for line in lines[:1] if line not in printed] + [
        line for line in lines[1:] if NUMBER.sub("0", line) not in alike]


def environment(example: str) -> dict[str, str]:
    """Gives what this example needs besides; raises LookupError where it is absent."""
    if program := NEEDS.get(example):
        if not shutil.which(program):
            raise LookupError(f"there is no {program}")
    if example == "mpi-beside":
        return {f"OMPI_{name}": "1" for name in
                ("ALLOW_RUN_AS_ROOT", "ALLOW_RUN_AS_ROOT_CONFIRM", "MCA_rmaps_base_oversubscribe")}
    if example.startswith("python-"):
        sys.path.insert(0, str(CHECKOUT / "python" / "tests"))
        import installed  # noqa: PLC0415

        if why := installed.missing():
            raise LookupError(why)
        return {"PATH": f"{installed.where(BUILD) / 'venv' / 'bin'}:{os.environ['PATH']}", "PYTHONDONTWRITEBYTECODE": "1"}
    return {}


def main() -> int:
    example = sys.argv[4]
    if f"]({example}/README.md)" not in (EXAMPLES / "README.md").read_text(encoding="utf-8"):
        print(f"examples/README.md does not list {example}")
        return 1
    page = (EXAMPLES / example / "README.md").read_text(encoding="utf-8")
    commands, = blocks_of(page, "sh")
    shown, = blocks_of(page, "text")
    with tempfile.TemporaryDirectory(prefix="maslin-example-") as folder:
        project = Path(folder) / example
        shutil.copytree(EXAMPLES / example, project, ignore=shutil.ignore_patterns("build"))
        try:
            output = run(commands, project, **environment(example))
        except LookupError as absent:
            print(f"skipped: {absent}")
            return SKIPPED
        except AssertionError as failed:
            if absent := ABSENT.search(str(failed)):
                print(f"skipped: there is no {absent[1]}")
                return SKIPPED
            print(failed)
            return 1
    print(output)
    for line in (absent := missing(shown.splitlines(), output)):
        print(f"not printed, but examples/{example}/README.md shows it: {line}")
    return 1 if absent else 0


if __name__ == "__main__":
    sys.exit(main())
