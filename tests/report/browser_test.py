"""The page in a browser: it is read by keys and by pointer, nothing covers anything, and axe finds nothing to complain of."""

import json
import os
import re
import shutil
import sys
import tempfile
import unittest
from pathlib import Path

from maslin_report import inputs
from maslin_report.page import render

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from browser import BrowserTest  # noqa: E402

HERE = Path(__file__).resolve().parent
SPANS = HERE.parent / "trace" / "testdata" / "fungi-v1.spans.json"
WIDTHS = (390, 820, 1280)
SEARCH, CHAINS = "report.html", "chains.html"

# Gives how many texts of pictures are shown, and which of them cover each other.
COVERING = """() => {
  const shown = [...document.querySelectorAll("svg text")].map((text) => [text, text.getBoundingClientRect()])
    .filter(([, box]) => box.width > 0);
  const out = [];
  shown.forEach(([a, r], i) => {
    for (const [b, s] of shown.slice(0, i))
      if (r.left < s.right - 1 && s.left < r.right - 1 && r.top < s.bottom - 3 && s.top < r.bottom - 3)
        out.push(a.textContent + " and " + b.textContent);
  });
  return [shown.length, out];
}"""
BACKGROUND = "() => getComputedStyle(document.querySelector('section')).backgroundColor"


class Browser(BrowserTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        folder = Path(tempfile.mkdtemp(prefix="maslin_report_"))
        cls.addClassCleanup(shutil.rmtree, folder)
        shutil.copytree(HERE / "testdata", folder / "run")
        cls.file = folder / SEARCH
        cls.file.write_text(render(inputs.load(folder / "run", spans=SPANS)), encoding="utf-8")
        (folder / CHAINS).write_text(render(inputs.load(HERE / "chains", spans=SPANS)), encoding="utf-8")
        cls.address = folder.as_uri() + "/"
        cls.spans = json.loads(SPANS.read_text())

    def open(self, width=1280, path=SEARCH, **wishes):
        return super().open(width, path, **wishes)

    def width_of(self, page, selector):
        return page.locator(selector).bounding_box()["width"]

    def test_labels_cover_nothing_at_any_width(self):
        seen = []
        page = self.open()
        for width in WIDTHS:
            page.set_viewport_size({"width": width, "height": 900})
            shown, covering = page.evaluate(COVERING)
            self.assertEqual(covering, [], width)
            seen.append(shown)
        self.assertLess(seen[0], seen[-1], "there is more room for labels on a wider page")
        for _ in range(2):
            page.click("[data-zoom=in]")
        shown, covering = page.evaluate(COVERING)
        self.assertEqual(covering, [])
        self.assertGreater(shown, seen[-1], "a zoomed time line has more labels")

    def test_a_phone_scrolls_down_only(self):
        for name in (SEARCH, CHAINS):
            self.assertEqual(self.open(390, name).evaluate("document.documentElement.scrollWidth"), 390, name)

    def test_axe_finds_nothing(self):
        looks = ((1280, SEARCH, "light"), (1280, SEARCH, "dark"), (390, SEARCH, "light"), (1280, CHAINS, "light"), (390, CHAINS, "dark"))
        for width, name, scheme in looks:
            self.expect_axe_finds_nothing(self.open(width, name, color_scheme=scheme), f"{name} {width} {scheme}")

    def test_dark_and_printed_pages_have_colours_of_their_own(self):
        page = self.open(color_scheme="light")
        light = page.evaluate(BACKGROUND)
        page.emulate_media(color_scheme="dark")
        self.assertNotEqual(page.evaluate(BACKGROUND), light)
        page.emulate_media(color_scheme="dark", media="print")
        self.assertEqual(page.evaluate(BACKGROUND), light)
        self.assertFalse(page.is_visible(".zoom-buttons"))
        self.assertEqual(page.evaluate(COVERING)[1], [])

    def test_chains_have_lines_and_labels_that_cover_nothing(self):
        for width in WIDTHS:
            page = self.open(width, CHAINS)
            self.assertEqual(page.evaluate(COVERING)[1], [], width)
            for picture in page.query_selector_all(".chain"):
                self.assertGreater(picture.bounding_box()["width"], 100)

    def test_pointing_tells_which_stream_a_worker_had(self):
        page = self.open()
        page.hover("svg[data-row] >> nth=0")
        middle = self.spans["duration_s"] / 2
        stream = next(s for b, e, s in self.spans["tracks"][0]["spans"] if b <= middle <= e)
        self.assertTrue(page.inner_text("#tip").startswith(f"trees {stream}\nworker 0"), page.inner_text("#tip"))

    def test_pointing_at_a_node_tells_its_support(self):
        page = self.open()
        page.hover("circle.point >> nth=0")
        self.assertRegex(page.inner_text("#tip"), r"support \d+ %, \d+ taxa, branch \d")
        page.keyboard.press("Escape")
        self.assertFalse(page.is_visible("#tip"))

    def test_dragging_zooms_and_a_double_click_shows_the_whole_run(self):
        page = self.open()
        page.locator(".time-box").scroll_into_view_if_needed()
        box = page.locator(".time-box").bounding_box()
        x, y = box["x"] + box["width"] / 2, box["y"] + 60
        page.mouse.move(x - 100, y)
        page.mouse.down()
        page.mouse.move(x + 100, y, steps=3)
        page.mouse.up()
        self.assertAlmostEqual(self.width_of(page, ".time-box") / box["width"], box["width"] / 200, delta=0.1)
        middle = page.evaluate("() => { const view = document.querySelector('.timeline .keys'); return "
                               "(view.scrollLeft + view.clientWidth / 2) / document.querySelector('.time-box').clientWidth }")
        self.assertAlmostEqual(middle, 0.5, delta=0.01)
        page.mouse.dblclick(x, y)
        self.assertEqual(self.width_of(page, ".time-box"), box["width"])

    def test_keys_go_through_intervals_and_nodes_and_are_read_out(self):
        page = self.open()
        time = page.locator(".timeline .keys")
        time.press("ArrowRight")
        time.press("ArrowRight")
        said = page.text_content("#said")
        self.assertTrue(said.startswith(f"trees {self.spans['tracks'][0]['spans'][1][2]}\nworker 0"), said)
        page.wait_for_selector("#tip", state="visible")
        time.press("ArrowDown")
        self.assertIn("worker 1", page.text_content("#said"))
        width = self.width_of(page, ".time-box")
        time.press("+")
        self.assertAlmostEqual(self.width_of(page, ".time-box"), 2 * width, delta=2)
        page.locator(".keys:has(.tree)").press("End")
        last = re.findall(r"<title>([^<]*)</title></text>", self.file.read_text(encoding="utf-8"))[-1]
        self.assertEqual(page.text_content("#said"), last)

    def test_every_key_stop_is_seen(self):
        page = self.open()
        stops = page.evaluate("document.querySelectorAll('[tabindex], button, summary').length")
        self.assertGreater(stops, 4)
        for _ in range(stops):
            page.keyboard.press("Tab")
            self.assertEqual(page.evaluate("getComputedStyle(document.activeElement).outlineStyle"), "solid",
                             page.evaluate("document.activeElement.outerHTML.slice(0, 200)"))

    @unittest.skipUnless(os.environ.get("MASLIN_PICTURES"), "MASLIN_PICTURES names no folder for pictures of the page")
    def test_pictures_of_the_page(self):
        folder = Path(os.environ["MASLIN_PICTURES"])
        for name, width, wishes in (("wide", 1280, {}), ("dark", 1280, {"color_scheme": "dark"}), ("phone", 390, {})):
            self.open(width, **wishes).screenshot(path=folder / f"{name}.png", full_page=True)
        self.open().pdf(path=folder / "paper.pdf", format="A4")


if __name__ == "__main__":
    unittest.main()
