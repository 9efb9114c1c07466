"""A misuse does not compile, and the compiler says why in one sentence; its right form compiles without a warning.

must_not_compile.py COMPILER INCLUDE_FOLDER PROGRAM [COMPILED_HEADERS]: the program's first line has the sentence. WRONG is
the number of a misuse in it; without WRONG it is right. GCC takes a header that is compiled already from that folder.
"""

import re
import subprocess
import sys

SAYS = "// The compiler says: "


def compiled(compiler, include, program, *more):
    command = [compiler, "-std=c++20", "-fsyntax-only", *more, f"-I{include}", program]
    return subprocess.run(command, capture_output=True, text=True)


def complaints(compiler, include, program, *compiled_headers):
    with open(program, encoding="utf-8") as file:
        text = file.read()
    first = text.splitlines()[0]
    assert first.startswith(SAYS), f"{program} does not begin with '{SAYS}'"
    sentence = first[len(SAYS):]
    numbers = re.findall(r"WRONG == (\d+)", text)
    assert numbers, f"{program} holds no misuse"

    right = compiled(compiler, include, program, "-Wall", "-Wextra", "-Werror")
    if right.returncode != 0:
        yield f"the right form does not compile without a warning:\n{right.stderr}"
    for number in numbers:
        wrong = compiled(compiler, include, program, f"-DWRONG={number}", *(f"-I{one}" for one in compiled_headers))
        errors = re.findall(r"error: .*", wrong.stderr)
        if wrong.returncode == 0:
            yield f"misuse {number} compiles"
        elif len(errors) != 1 or sentence not in errors[0]:
            yield f"misuse {number}: expected one error, '{sentence}'; found {len(errors)}:\n{wrong.stderr}"


if __name__ == "__main__":
    found = list(complaints(*sys.argv[1:]))
    print("\n".join(found))
    sys.exit(1 if found else 0)
