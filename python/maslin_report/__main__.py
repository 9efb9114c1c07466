"""python3 -m maslin_report FOLDER: writes report.html from what a run left in FOLDER."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from .errors import ReportError
from .inputs import load
from .page import render
from .whole import write_whole


def main() -> int:
    parser = argparse.ArgumentParser(prog="maslin_report", description="Writes a self-contained report.html of a run.")
    parser.add_argument("folder", type=Path, help="where the run left its results (the folder of --prefix)")
    parser.add_argument("-o", "--output", type=Path, help="the page to write (default: report.html in the folder)")
    parser.add_argument("--maslin", help="the command that reads traces (default: this checkout's, or the PATH's)")
    parser.add_argument("--spans", type=Path, help="an output of `maslin trace spans`, instead of the folder's trace")
    wish = parser.parse_args()
    output = wish.output or wish.folder / "report.html"
    try:
        run = load(wish.folder, wish.maslin, wish.spans)
        write_whole(output, render(run))
    except ReportError as reason:
        print(f"maslin_report: {reason}", file=sys.stderr)
        return 2
    except OSError as reason:
        print(f"maslin_report: '{output}' cannot be written: {reason.strerror}; make room or give --output another "
              "place", file=sys.stderr)
        return 2
    print(output)
    return 0


if __name__ == "__main__":
    sys.exit(main())
