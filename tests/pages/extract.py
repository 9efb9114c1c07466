"""Writes the C++ block with that number of a Markdown file to a file of its own, lines numbered as they stand there. Without a
number and a file, prints how many blocks there are."""

import re
import sys
from pathlib import Path

page = Path(sys.argv[1])
text = page.read_text(encoding="utf-8")
blocks = list(re.finditer(r"^```cpp\n(.*?)^```$", text, re.DOTALL | re.MULTILINE))
if len(sys.argv) == 2:
    print(len(blocks))
    sys.exit()
block = blocks[int(sys.argv[2]) - 1]
line = text.count("\n", 0, block.start(1)) + 1
Path(sys.argv[3]).write_text(f'#line {line} "{page.as_posix()}"\n{block.group(1)}', encoding="utf-8")
