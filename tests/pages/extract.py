"""Writes the program with that number of a Markdown file (a block of C++ or of C) to a file of its own, lines numbered as they
stand there. Without a number and a file, prints the suffix of each, cpp or c, and what it includes: cpp+Maslin+OpenMP.
"""

import re
import sys
from pathlib import Path

NEEDS = {"Maslin": "#include <maslin/maslin.hpp>", "OpenMP": "#pragma omp", "TBB": "#include <tbb/",
         "Taskflow": "#include <taskflow/", "MPI": "#include <mpi.h>", "MPIX": "MPIX_"}

page = Path(sys.argv[1])
text = page.read_text(encoding="utf-8")
blocks = list(re.finditer(r"^```(cpp|c)\n(.*?)^```$", text, re.DOTALL | re.MULTILINE))
if len(sys.argv) == 2:
    print(";".join("+".join([block[1], *(name for name, text in NEEDS.items() if text in block[2])]) for block in blocks))
    sys.exit()
block = blocks[int(sys.argv[2]) - 1]
line = text.count("\n", 0, block.start(2)) + 1
Path(sys.argv[3]).write_text(f'#line {line} "{page.as_posix()}"\n{block.group(2)}', encoding="utf-8")
