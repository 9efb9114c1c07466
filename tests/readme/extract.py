"""Writes the one C++ block of a Markdown file to a file of its own, lines numbered as they stand there."""

import re
import sys
from pathlib import Path

page, program = map(Path, sys.argv[1:])
text = page.read_text(encoding="utf-8")
blocks = list(re.finditer(r"^```cpp\n(.*?)^```$", text, re.DOTALL | re.MULTILINE))
if len(blocks) != 1:
    sys.exit(f"{page}: {len(blocks)} C++ blocks where the one whole program should be")
line = text.count("\n", 0, blocks[0].start(1)) + 1
program.write_text(f'#line {line} "{page.as_posix()}"\n{blocks[0].group(1)}', encoding="utf-8")
