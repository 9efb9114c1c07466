"""Every public name of C and of Python says what it is for, and is used by a program of its page that the tests run."""

import re
import sys
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "docs" / "site"))
import others  # noqa: E402

HEADERS = ("maslin.h", "node.h")
MODULES = ("maslin", "maslin.joblib")


def programs(page: str, language: str) -> str:
    text = (ROOT / "docs" / "api" / page).read_text(encoding="utf-8")
    return "\n".join(re.findall(rf"^```{language}\n(.*?)^```$", text, re.DOTALL | re.MULTILINE))


class Others(unittest.TestCase):
    def setUp(self):
        self.c = [one for header in HEADERS for _, names in others.c_names(header) for one in names]
        self.python = [one for module in MODULES for one in others.python_names(module)]

    def test_names_are_found(self):
        """Those that the library exports, and those that the package says it has."""
        exported = set(re.findall(r"\b(maslin_\w+);", (ROOT / "src" / "libmaslin.map").read_text(encoding="utf-8")))
        exported.remove("maslin_fibers")  # which gdb reads
        self.assertGreater(len(exported), 30)
        self.assertLessEqual({name.removesuffix("_at") for name in exported}, {one.name for one in self.c})
        for name in ("maslin_in", "MASLIN_COPY", "maslin_view", "maslin_task_body", "maslin_schedule", "MASLIN_HERE"):
            self.assertIn(name, {one.name for one in self.c})
        self.assertLessEqual({"map", "phase", "MaslinBackend"}, {one.name for one in self.python})

    def test_every_name_says_what_it_is_for(self):
        for one in (*self.python, *(one for one in self.c if one.name.startswith("maslin_") and "(" in one.declaration
                                    and not one.declaration.startswith("static inline"))):
            with self.subTest(one.name):
                self.assertTrue(one.comment)

    def test_every_name_is_used_by_a_program(self):
        text = re.sub(r"//.*|#include.*", "", programs("c.md", "c"))
        for one in self.c:
            for name in (one.name, *one.inside):
                with self.subTest(name):
                    structure = f"struct {name}" in one.declaration or one.declaration.startswith("enum")
                    self.assertTrue(structure or re.search(rf"\b{name}\b", text), "no program of docs/api/c.md uses it")
        text = programs("python.md", "python")
        for one in self.python:
            with self.subTest(one.name):
                self.assertRegex(text, rf"\b{one.name}\b")

    def test_a_page_is_followed_by_its_declarations(self):
        text = others.reference("<!-- c: maslin.h -->\n")
        for expected in ("## `<maslin/maslin.h>`: Loops", "### maslin_parallel_for\n", "int maslin_wait(void);",
                         "int maslin_width(int* width);", "Returns when the caller holds the mutex."):
            self.assertIn(expected, text)
        self.assertNotIn("maslin_location where", text)
        text = others.reference("<!-- python: maslin -->\n")
        for expected in ("### map\n", "costs: Iterable[float] | None=None", "Gives the number of workers granted to the caller"):
            self.assertIn(expected, text)
        self.assertEqual(others.reference("# A page\n"), "")


if __name__ == "__main__":
    unittest.main(verbosity=2)
