"""Runs the eight programs of a family and asks whether they give the same answer everywhere; measures nothing.

    agree.py BIN FAMILY          small: Maslin on two workers and serially, OpenMP as 2x1 and 1x2
    agree.py BIN FAMILY MACHINE  declared costs on the machine that a file describes
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

sys.path[:0] = [str(Path(__file__).resolve().parent), str(Path(__file__).resolve().parents[1])]
from programs import FAMILIES  # noqa: E402
from scorecard.measure import environment_of  # noqa: E402

SKIPPED = 77
OF_TESTS = {"MASLIN_WATCHDOG": "10", "MASLIN_REPORT": "off", "MASLIN_LEARNED": "off"}


def run(command: list, **environment: str) -> dict:
    """Gives the line that the command prints. Ends with what it says where it fails."""
    ran = subprocess.run([str(word) for word in command], capture_output=True, text=True,
                         env=environment_of({**OF_TESTS, **environment}))
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


def main(folder: Path, family: str, machine: str | None) -> None:
    for name in FAMILIES[family]:
        if machine:
            line = run([folder / "unseen_maslin", name, "--declared"], MASLIN_MACHINE=machine, MASLIN_DURATIONS="declared",
                       MASLIN_QUIET="1")
            if not line["seconds"] > 0:
                sys.exit(f"{name}: its declared costs take no time")
            continue
        given = answers(folder, name)
        if len(set(given.values())) != 1:
            sys.exit(f"{name}: answers differ: {given}")


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2], sys.argv[3] if len(sys.argv) > 3 else None)
