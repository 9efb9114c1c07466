"""Pages in headless Chromium. A test that needs it is skipped, by what is absent."""

import importlib.util
import shutil
import unittest

CHROMIUM = shutil.which("chromium")
MISSING = [what for what, there in (("chromium", CHROMIUM), ("playwright", importlib.util.find_spec("playwright")),
                                    ("axe-playwright-python", importlib.util.find_spec("axe_playwright_python"))) if not there]


@unittest.skipIf(MISSING, f"absent: {', '.join(MISSING)}")
class BrowserTest(unittest.TestCase):
    address = ""  # what `open` shows

    @classmethod
    def setUpClass(cls):
        from playwright.sync_api import sync_playwright

        playwright = sync_playwright().start()
        cls.addClassCleanup(playwright.stop)
        cls.browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox", "--disable-gpu"], timeout=120_000)
        cls.addClassCleanup(cls.browser.close)

    def open(self, width=1280, path="", **wishes):
        """Gives the page in a window of that width, in pixels."""
        page = self.browser.new_page(viewport={"width": width, "height": 900}, **wishes)
        page.set_default_timeout(60_000)
        self.addCleanup(page.close)
        page.goto(self.address + path)
        return page

    def expect_axe_finds_nothing(self, page, what, **options):
        from axe_playwright_python.sync_playwright import Axe

        options["resultTypes"] = ["violations"]  # of the rest one element each, which takes half the time
        found = Axe().run(page, options=options).response
        wrong = [(one["id"], one["help"], [node["html"][:200] for node in one["nodes"]]) for one in found["violations"]]
        self.assertEqual(wrong, [], what)
        self.assertGreater(len(found["passes"]), 10)
