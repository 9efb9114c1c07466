"""The tables of docs/environment.md are those of `maslin settings --markdown`.

    settings_table.py MASLIN PAGE            names the first line that differs; leaves with status 1 if there is one
    settings_table.py MASLIN PAGE --write    writes them into the page
"""

import difflib
import subprocess
import sys
from pathlib import Path

BEGIN, END = "<!-- maslin settings --markdown -->\n", "<!-- end -->\n"

maslin, page = sys.argv[1], Path(sys.argv[2])
table = subprocess.run([maslin, "settings", "--markdown"], stdout=subprocess.PIPE, text=True, timeout=60, check=True).stdout
before, begin, rest = page.read_text(encoding="utf-8").partition(BEGIN)
there, end, after = rest.partition(END)
if not begin or not end:
    sys.exit(f"{page}: expected the lines {BEGIN.strip()} and {END.strip()}, and the tables between them")
if sys.argv[3:] == ["--write"]:
    page.write_text(before + begin + table + end + after, encoding="utf-8")
elif there != table:
    difference = difflib.unified_diff(there.splitlines(), table.splitlines(), str(page), "maslin settings --markdown", lineterm="", n=0)
    print(*difference, sep="\n")
    sys.exit(f"{page} is not what the table of settings says; this mends it:\n"
             f"  python3 tests/pages/settings_table.py {maslin} {page} --write")
