"""The site in a browser: on a phone, on a wide screen, in the dark and on paper, and its search. Needs the site, which
site_test.py makes, and runs by the Python of .venv."""

import functools
import http.server
import os
import sys
import threading
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests"))
from browser import MISSING, BrowserTest  # noqa: E402

SITE = ROOT / "build" / "site"
# The first page, tables, code with declarations, long messages, code beside code.
PAGES = ("index.html", "docs/install.html", "docs/api/loops.html", "docs/errors.html", "docs/from/openmp.html")
PAPER, PAPER_ACROSS = 718, 1047  # A4 without its margins, in pixels

# Gives what reaches beyond the page and is in no box that scrolls.
BEYOND = """() => [...document.querySelectorAll(".md-content *")]
  .filter((one) => !one.closest("pre > code, .md-typeset__scrollwrap") && one.getBoundingClientRect().right > innerWidth + 1)
  .map((one) => one.outerHTML.slice(0, 200))"""
# Gives, of the boxes of code with lines that are too long, which show all of them by scrolling.
SCROLLS = """() => [...document.querySelectorAll("pre > code")].filter((box) => box.scrollWidth > box.clientWidth)
  .map((box) => getComputedStyle(box).overflowX === "auto")"""
PAIRS = """() => [...document.querySelectorAll(".pair")]
  .map((pair) => [...pair.children].map((half) => half.getBoundingClientRect().toJSON()))"""
SCHEME = "() => document.body.getAttribute('data-md-color-scheme')"


class Silent(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_):
        pass


class Browser(BrowserTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Silent, directory=str(SITE)))
        threading.Thread(target=server.serve_forever, daemon=True).start()
        cls.addClassCleanup(server.server_close)
        cls.addClassCleanup(server.shutdown)
        cls.address = f"http://127.0.0.1:{server.server_port}/"

    def test_pages_scroll_down_only_and_code_scrolls_in_its_box(self):
        for path in PAGES:
            for width in (390, 1280):
                page = self.open(width, path)  # a page that gets wider moves for a moment
                self.assertEqual(page.evaluate("document.documentElement.scrollWidth"), width, path)
                self.assertEqual(page.evaluate(BEYOND), [], f"{path} {width}")
                boxes = page.evaluate(SCROLLS)
                self.assertTrue(all(boxes), f"{path} {width}")
                self.assertTrue(boxes or width > 390 or path == "docs/errors.html", f"{path} has code longer than a phone is wide")

    def test_pairs_stand_side_by_side_on_wide_screens_and_paper_else_below_each_other(self):
        for width, media, beside in ((390, "screen", False), (799, "screen", False), (800, "screen", True), (1280, "screen", True),
                                     (1920, "screen", True), (PAPER, "print", False), (PAPER_ACROSS, "print", True)):
            page = self.open(width, "docs/from/openmp.html")
            page.emulate_media(media=media)
            pairs = page.evaluate(PAIRS)
            self.assertEqual(len(pairs), 2)
            for before, after in pairs:
                self.assertEqual(before["top"] == after["top"], beside, f"{width} {media}")
                self.assertEqual(before["right"] < after["left"], beside, f"{width} {media}")
                self.assertEqual(before["bottom"] <= after["top"], not beside, f"{width} {media}")
            self.assertEqual(page.evaluate(BEYOND), [], f"{width} {media}")

    def test_axe_finds_nothing_that_wcag_forbids(self):
        wcag = {"type": "tag", "values": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa"]}
        for path in PAGES:
            # Colours and boxes that scroll are alike on all pages.
            looks = ((1280, "light"), (1280, "dark"), (390, "light")) if path in ("index.html", "docs/api/loops.html") else ((1280, "light"),)
            for width, scheme in looks:
                self.expect_axe_finds_nothing(self.open(width, path, color_scheme=scheme), f"{path} {width} {scheme}", runOnly=wcag)

    def test_pages_are_dark_while_the_system_is(self):
        page = self.open(color_scheme="dark")
        self.assertEqual(page.evaluate(SCHEME), "slate")
        page.emulate_media(color_scheme="light")
        page.reload()
        self.assertEqual(page.evaluate(SCHEME), "default")

    def test_paper_is_white_and_cuts_nothing_off(self):
        for path in PAGES:
            page = self.open(PAPER, path, color_scheme="dark")
            page.emulate_media(media="print")
            self.assertEqual(page.evaluate("() => getComputedStyle(document.body).backgroundColor"), "rgb(255, 255, 255)")
            self.assertEqual(page.evaluate(BEYOND), [], path)
            self.assertEqual(page.evaluate(SCROLLS), [], path)
            self.assertEqual(page.locator(":is(.md-header, .md-sidebar, .md-search, .md-footer__inner):visible").count(), 0, path)

    def test_search_finds_a_word(self):
        for width in (390, 1280):
            page = self.open(width)
            page.click("label[for=__search] >> visible=true" if width == 390 else ".md-search__input")
            page.keyboard.type("MASLIN_WORKERS")
            found = page.locator(".md-search-result__link[href*='docs/environment.html']").first
            found.wait_for()
            found.click()
            page.wait_for_url("**/docs/environment.html*")

    @unittest.skipUnless(os.environ.get("MASLIN_PICTURES"), "MASLIN_PICTURES names no folder for pictures of the pages")
    def test_pictures_of_the_pages(self):
        for path in PAGES:
            name = Path(os.environ["MASLIN_PICTURES"]) / path.replace("/", "-").removesuffix(".html")
            for width, scheme in ((1280, "light"), (1280, "dark"), (390, "light"), (390, "dark")):
                self.open(width, path, color_scheme=scheme).screenshot(path=f"{name}-{width}-{scheme}.png")
            self.open(path=path).pdf(path=f"{name}.pdf", format="A4")


if __name__ == "__main__":
    python = ROOT / ".venv" / "bin" / "python"
    if python.is_file() and Path(sys.prefix) != python.parents[1]:
        os.execv(python, [str(python), "-B", *sys.argv])
    if MISSING or not SITE.is_dir():
        print(f"skipped: absent: {', '.join(MISSING) or SITE}")
        sys.exit(77)
    unittest.main(verbosity=2)
