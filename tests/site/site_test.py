"""The site is made without a warning, its links and anchors lead somewhere, its words are spelled as they should be, and
it works without a network. Needs the packages of docs/site/requirements.txt, which ./dev puts into .venv."""

import json
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PYTHON = ROOT / ".venv" / "bin" / "python"
SITE = ROOT / "build" / "site"


def has_packages() -> bool:
    return PYTHON.exists() and subprocess.run(
        [PYTHON, "-c", "import codespell_lib, material, mkdocs"], capture_output=True, check=False).returncode == 0


def make(*arguments: str) -> subprocess.CompletedProcess:
    return subprocess.run([PYTHON, "-B", ROOT / "docs" / "site" / "build.py", *arguments],
                          capture_output=True, text=True, check=False)


class Site(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.made = make()

    def test_it_is_made_without_a_warning(self):
        self.assertEqual(self.made.returncode, 0, self.made.stdout + self.made.stderr)

    def test_a_link_or_an_anchor_that_leads_nowhere_is_an_error(self):
        with tempfile.TemporaryDirectory() as folder:
            for text, right in (("[a](#here)\n\n## Here\n", True), ("[a](gone.md)\n", False), ("[a](#gone)\n", False)):
                (Path(folder) / "index.md").write_text(text, encoding="utf-8")
                made = make("--from", folder)
                self.assertEqual(made.returncode == 0, right, text + made.stdout + made.stderr)

    def test_every_page_for_users_is_in_the_navigation(self):
        there = (ROOT / "docs" / "site" / "mkdocs.yml").read_text(encoding="utf-8")
        for folder in ("docs", "docs/api", "docs/from", "docs/policies"):
            for page in (ROOT / folder).glob("*.md"):
                self.assertIn(f"{folder}/{page.name}\n", there)

    @unittest.skipUnless(shutil.which("doxygen"), "there is no doxygen")
    def test_pages_of_the_interface_have_its_declarations(self):
        page = (SITE / "docs" / "api" / "loops.html").read_text(encoding="utf-8")
        self.assertIn('id="parallel_reduce"', page)
        self.assertIn("Half-open range of iterations", page)

    def test_lists_are_lists(self):
        for page in SITE.rglob("*.html"):
            body = re.sub(r"<pre.*?</pre>", "", page.read_text(encoding="utf-8"), flags=re.DOTALL)
            for paragraph in re.findall(r"<p>(.*?)</p>", body, re.DOTALL):
                self.assertFalse(re.search(r"\n[-*] ", paragraph), f"{page}: {paragraph}")

    def test_pages_for_those_who_come_from_elsewhere_have_both_programs_side_by_side(self):
        for page in (ROOT / "docs" / "from").glob("[a-z]*.md"):
            halves = re.findall(r'<div class="pair">\n<div>\n(.*?)</div>\n<div>\n(.*?)</div>\n</div>\n',
                                (SITE / "docs" / "from" / f"{page.stem}.html").read_text(encoding="utf-8"), re.DOTALL)
            self.assertEqual(len(halves), page.read_text(encoding="utf-8").count("<!-- before -->"), page)
            self.assertTrue(halves, page)
            for half in (half for both in halves for half in both):
                self.assertEqual(half.count("<pre>"), 1, half)

    def test_search_finds_what_pages_say(self):
        found = json.loads((SITE / "search" / "search_index.json").read_text(encoding="utf-8"))["docs"]
        for word in ("MASLIN_WORKERS", "parallel_reduce", "sparselu"):
            self.assertTrue(any(word in one["text"] for one in found), word)

    def test_pages_fit_a_phone_and_fetch_nothing_from_elsewhere(self):
        for page in SITE.rglob("*.html"):
            text = page.read_text(encoding="utf-8")
            self.assertTrue('name="viewport"' in text, page)
            for start in ('<script src="http', '<img src="http', 'rel="stylesheet" href="http', "fonts.googleapis"):
                self.assertFalse(start in text, f"{page}: {start}")

    def test_words_are_spelled_as_they_should_be(self):
        pages = [str(page) for page in (ROOT / "build" / "site-pages").rglob("*.md")]
        self.assertGreater(len(pages), 50)
        checked = subprocess.run([PYTHON, "-m", "codespell_lib", "--ignore-words", Path(__file__).with_name("words.txt"),
                                  *pages], capture_output=True, text=True, check=False)
        self.assertEqual(checked.returncode, 0, checked.stdout + checked.stderr)


if __name__ == "__main__":
    if not has_packages():
        print("the packages of docs/site/requirements.txt are not in .venv; ./dev test puts them there; skipped")
        sys.exit(77)
    unittest.main(verbosity=2)
