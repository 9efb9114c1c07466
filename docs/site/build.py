"""Makes the site of the documentation in build/site.

    build.py                  copies the pages to build/site-pages and has MkDocs make the site of them; a warning is an
                              error, also a link or an anchor that leads nowhere
    build.py --from FOLDER    checks the pages of another folder in the same way and keeps nothing
"""

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import api
import others
import results

ROOT = Path(__file__).resolve().parents[2]
CONFIGURATION = Path(__file__).with_name("mkdocs.yml")
PAGES = ROOT / "build" / "site-pages"
SCORECARD = ROOT / "build" / "scorecard.json"  # ./dev bench --json build/scorecard.json
NO_SOURCE = {".git", ".venv", "build", "out", "node_modules"}
LINK = re.compile(r"\]\(([^)#\s:]+)(?:#[^)]*)?\)")
# Two halves of a page, one after the other: on the site they stand side by side where there is room.
SIDE_BY_SIDE = {"<!-- before -->": '<div class="pair" markdown>\n<div markdown>', "<!-- after -->": "</div>\n<div markdown>",
                "<!-- end -->": "</div>\n</div>"}
ITEM = re.compile(r"([-*]|\d+\.) ")
CODE = re.compile(r"^```.*?^```$", re.DOTALL | re.MULTILINE)


def pages() -> list[Path]:
    """Gives every page of the repository, relative to its root."""
    found = []
    for folder, folders, names in os.walk(ROOT):
        folders[:] = sorted(set(folders) - NO_SOURCE)
        found += [(Path(folder) / name).relative_to(ROOT) for name in sorted(names) if name.endswith(".md")]
    return found


def linked(page: Path) -> set[Path]:
    """Gives what else than pages the page shows or links to: pictures, headers."""
    text = CODE.sub("", (ROOT / page).read_text(encoding="utf-8"))
    targets = (Path(os.path.normpath(page.parent / link[1])) for link in LINK.finditer(text))
    return {target for target in targets if target.suffix != ".md" and (ROOT / target).is_file()}


def for_mkdocs(text: str) -> str:
    """Gives a page with an empty line before each list, which Markdown of Python's wants and that of repositories does not, and
    with what stands side by side in one box."""
    out: list[str] = []
    in_pair = False
    fenced = False
    for line in text.split("\n"):
        fenced ^= line.startswith("```")
        follows_text = bool(out) and re.match(r"[^\s|#>-]", out[-1]) is not None and not ITEM.match(out[-1])
        if ITEM.match(line) and follows_text and not fenced:
            out.append("")
        in_pair |= line == "<!-- before -->"
        out.append(SIDE_BY_SIDE.get(line, line) if in_pair else line)
        in_pair &= line != "<!-- end -->"
    return "\n".join(out)


def copy_pages() -> None:
    """Fills build/site-pages: each file at its path in the repository, and with the declarations of the C++ interface."""
    shutil.rmtree(PAGES, ignore_errors=True)
    there = pages()
    for file in {*there, *(target for page in there for target in linked(page)), Path("docs/site/site.css")}:
        (PAGES / file).parent.mkdir(parents=True, exist_ok=True)
        if file.suffix == ".md":
            (PAGES / file).write_text(for_mkdocs((ROOT / file).read_text(encoding="utf-8")), encoding="utf-8")
        else:
            shutil.copyfile(ROOT / file, PAGES / file)
    page = PAGES / "docs" / "results.md"
    page.write_text(results.filled(page.read_text(encoding="utf-8"), SCORECARD), encoding="utf-8")
    for page in (PAGES / "docs" / "api").glob("*.md"):
        text = page.read_text(encoding="utf-8")
        page.write_text(text + others.reference(text), encoding="utf-8")
    if not shutil.which("doxygen"):
        print("there is no doxygen: pages of the C++ interface have examples and no declarations", file=sys.stderr)
        return
    known = api.names()
    for page in (PAGES / "docs" / "api").glob("*.md"):
        text = page.read_text(encoding="utf-8")
        page.write_text(text + api.reference(text, known), encoding="utf-8")


def make_site(configuration: Path) -> int:
    """Gives the status of MkDocs."""
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--clean", "--config-file", configuration]
    return subprocess.run(command, env={**os.environ, "NO_MKDOCS_2_WARNING": "true"}, check=False).returncode


def check_pages(folder: Path) -> int:
    """Gives the status of MkDocs for pages that are no part of the documentation."""
    with tempfile.TemporaryDirectory() as scratch:
        other = Path(scratch) / "mkdocs.yml"
        places = {"docs_dir": str(folder.resolve()), "site_dir": f"{scratch}/site", "nav": None, "extra_css": [], "hooks": []}
        other.write_text(json.dumps({"INHERIT": str(CONFIGURATION), **places}), encoding="utf-8")
        return make_site(other)


def main(arguments: list[str]) -> int:
    if arguments[:1] == ["--from"]:
        return check_pages(Path(arguments[1]))
    copy_pages()
    return make_site(CONFIGURATION)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
