"""The page of results from what `./dev bench --json FILE` wrote: results.py FILE prints it."""

import json
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.append(str(ROOT / "bench"))
from scorecard.shown import BUSY_LOAD, number, span  # noqa: E402

MARK = "<!-- scorecard -->"
HEADINGS = ("figure", "ours", "unit", "peer", "theirs", "ratio", "95 %", "goal", "", "rounds", "checked, remarks")


def cells(row: dict) -> list[str]:
    """Gives the cells of a row of the scorecard, in the order of the headings."""
    peer = " ".join(filter(None, (row["peer"], row["peer_version"])))
    remarks = "; ".join(filter(None, (row["checked"], row["note"])))
    values = (row["name"], number(row["value"]), row["unit"], peer, number(row["peer_value"]), number(row["ratio"]),
              span(row["interval"]),
              row["goal"], row["verdict"], str(row["rounds"] or ""), remarks)
    return [value.replace("|", "\\|").replace("<", "&lt;") for value in values]


def reservations(content: dict) -> list[str]:
    """Gives why the figures are no ground for claims; nothing if they are."""
    reasons = []
    if any(row["quick"] for row in content["rows"]):
        reasons.append("it was a quick measurement, of too few rounds")
    if content["machine"]["load_before"] > BUSY_LOAD:
        reasons.append(f"the machine was busy (load {content['machine']['load_before']})")
    if content["set"]:
        reasons.append(f"settings were changed ({', '.join(map(str, content['set']))})")
    return reasons


def table(content: dict) -> str:
    """Gives when and where was measured, and all rows."""
    about = content["machine"]
    out = f"Measured {content['measured']} on {about['cores']} CPUs, {about['processor']}.\n\n"
    if why := reservations(content):
        out += f"**These figures are no ground for claims**: {'; '.join(why)}.\n\n"
    lines = [HEADINGS, ["---"] * len(HEADINGS), *map(cells, content["rows"])]
    return out + "".join(f"| {' | '.join(line)} |\n" for line in lines)


def filled(page: str, file: Path) -> str:
    """Gives the page with the scorecard in the place of its mark; as it is where there is no such file."""
    return page.replace(MARK, table(json.loads(file.read_text(encoding="utf-8")))) if file.is_file() else page


if __name__ == "__main__":
    print(filled((ROOT / "docs" / "results.md").read_text(encoding="utf-8"), Path(sys.argv[1])))
