"""Runs the eight programs of a family and asks whether they give the same answer everywhere; measures nothing.

    agree.py BIN FAMILY             small: Maslin on two workers and serially, OpenMP as 2x1 and 1x2
    agree.py BIN FAMILY --declared  declared costs on the machine that MASLIN_MACHINE describes
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

from programs import FAMILIES

SKIPPED = 77


def run(command: list, **environment: str) -> dict:
    """Gives the line that the command prints. Ends with what it says where it fails."""
    ran = subprocess.run([str(word) for word in command], env={**os.environ, **environment}, capture_output=True, text=True)
    if ran.returncode == 2 and "libopenblas" in ran.stderr:
        print(f"skipped: {ran.stderr.strip()}")
        sys.exit(SKIPPED)
    if ran.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))} {environment}: status {ran.returncode}\n{ran.stderr}")
    return json.loads(ran.stdout)


def answers(folder: Path, name: str) -> dict[str, str]:
    maslin = [folder / "unseen_maslin", name, "--small"]
    given = {
        "maslin on two workers": run(maslin, MASLIN_WORKERS="2")["answer"],
        "maslin serially": run(maslin, MASLIN_SERIAL="1")["answer"],
    }
    if (folder / "unseen_openmp").exists():
        for streams, width in ((2, 1), (1, 2)):
            command = [folder / "unseen_openmp", name, "--small", "--streams", streams, "--width", width]
            given[f"openmp {streams}x{width}"] = run(command)["answer"]
    return given


def main(folder: Path, family: str, declared: bool) -> None:
    for name in FAMILIES[family]:
        if declared:
            line = run([folder / "unseen_maslin", name, "--declared"])
            if not line["seconds"] > 0:
                sys.exit(f"{name}: its declared costs take no time")
            continue
        given = answers(folder, name)
        if len(set(given.values())) != 1:
            sys.exit(f"{name}: answers differ: {given}")


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2], "--declared" in sys.argv)
