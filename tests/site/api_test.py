"""Every public name says what it is for and is used by a program of docs/api that the tests run. Needs Doxygen."""

import re
import shutil
import sys
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "docs" / "site"))
import api  # noqa: E402

PAGES = [page.read_text(encoding="utf-8") for page in sorted((ROOT / "docs" / "api").glob("*.md"))]
LEAST_NAMES = 100


def uses(program: str, one: api.Name) -> bool:
    name = re.escape(one.name)
    before = r"(?:\.|->|::)\s*(?:template )?" if one.of_class else r"(?:::\s*|\b)"
    return re.search(rf"{before}{name}\b|\b{name}\([^{{;]*\) override\b", program) is not None


class Reference(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.names = api.names()

    def test_names_are_found(self):
        self.assertGreater(len(self.names), LEAST_NAMES)
        scopes = {(one.scope, one.name) for one in self.names}
        for known in (("maslin", "parallel_for"), ("maslin::group", "cancel"), ("maslin::trace", "event_kind")):
            self.assertIn(known, scopes)
        self.assertFalse([one.name for one in self.names if "detail" in one.scope])

    def test_every_name_says_what_it_is_for(self):
        said = {(one.scope, one.name) for one in self.names if one.comment}
        silent = {(one.scope, one.name) for one in self.names} - said
        self.assertFalse(silent, "these have no comment (///) at any of their declarations")

    def test_every_name_is_used_by_a_program(self):
        for one in self.names:
            page = next((page for page in PAGES if (found := api.HEADERS.search(page)) and one.header in found[1].split()), "")
            self.assertTrue(page, f"no page of docs/api has the header {one.header}")
            programs = "\n".join(re.findall(r"^```cpp\n(.*?)^```$", page, re.DOTALL | re.MULTILINE))
            programs = re.sub(r"//.*|#include.*", "", programs)
            with self.subTest(f"{one.scope}::{one.name}"):
                self.assertTrue(uses(programs, one), f"no program of the page of {one.header} uses it")

    def test_a_page_is_followed_by_its_declarations(self):
        text = api.reference("<!-- headers: loop.hpp -->\n", self.names)
        for expected in ("### parallel_reduce", "void parallel_for(", "Half-open range of iterations", "struct block;"):
            self.assertIn(expected, text)
        self.assertEqual(api.reference("# A page\n", self.names), "")


if __name__ == "__main__":
    if not shutil.which("doxygen"):
        print("there is no doxygen; ./dev test installs it; skipped")
        sys.exit(77)
    unittest.main(verbosity=2)
