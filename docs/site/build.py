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

ROOT = Path(__file__).resolve().parents[2]
CONFIGURATION = Path(__file__).with_name("mkdocs.yml")
PAGES = ROOT / "build" / "site-pages"
NO_SOURCE = {".git", ".venv", "build", "out", "node_modules"}
LINK = re.compile(r"\]\(([^)#\s:]+)(?:#[^)]*)?\)")
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


def copy_pages() -> None:
    """Fills build/site-pages: each file at its path in the repository."""
    shutil.rmtree(PAGES, ignore_errors=True)
    there = pages()
    for file in {*there, *(target for page in there for target in linked(page)), Path("docs/site/site.css")}:
        (PAGES / file).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(ROOT / file, PAGES / file)


def make_site(configuration: Path) -> int:
    """Gives the status of MkDocs."""
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--clean", "--config-file", configuration]
    return subprocess.run(command, env={**os.environ, "NO_MKDOCS_2_WARNING": "true"}, check=False).returncode


def check_pages(folder: Path) -> int:
    """Gives the status of MkDocs for pages that are no part of the documentation."""
    with tempfile.TemporaryDirectory() as scratch:
        other = Path(scratch) / "mkdocs.yml"
        places = {"docs_dir": str(folder.resolve()), "site_dir": f"{scratch}/site", "nav": None, "extra_css": []}
        other.write_text(json.dumps({"INHERIT": str(CONFIGURATION), **places}), encoding="utf-8")
        return make_site(other)


def main(arguments: list[str]) -> int:
    if arguments[:1] == ["--from"]:
        return check_pages(Path(arguments[1]))
    copy_pages()
    return make_site(CONFIGURATION)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
