"""What form.py refuses and how it wraps; then the project's own pages: form_test.py FOLDER."""

import sys
import tempfile
import unittest
from pathlib import Path

import form

FOLDER = sys.argv.pop()


class Form(unittest.TestCase):
    def refused(self, text, name="page.md", encoding="utf-8"):
        with tempfile.TemporaryDirectory() as folder:
            page = Path(folder) / name
            page.parent.mkdir(parents=True, exist_ok=True)
            page.write_text(text, encoding=encoding)
            return [int(problem.split(":")[1]) for problem in form.problems(page, name)]

    def test_what_a_merge_left_is_refused_in_every_file(self):
        left = "a\n{} HEAD\nb\n{}\nc\n{} 2ff6a57 (more)\n".format("<" * 7, "=" * 7, ">" * 7)
        for name in ("page.md", "source.cpp"):
            self.assertEqual(self.refused(left, name), [2, 4, 6])

    def test_another_encoding_hides_nothing(self):
        left = "ä\n{} HEAD\n{}\n{} more\n".format("<" * 7, "=" * 7, ">" * 7) + "x" * 121 + "\n"
        self.assertEqual(self.refused(left, encoding="latin-1"), [2, 3, 4, 5])
        self.assertEqual(self.refused("\0" + left, "picture.png"), [])

    def test_a_heading_may_be_underlined(self):
        self.assertEqual(self.refused("Heading\n" + "=" * 7 + "\n"), [])

    def test_long_lines_are_refused_in_pages(self):
        self.assertEqual(self.refused("x" * 120 + "\n" + "x" * 121 + "\n"), [2])
        self.assertEqual(self.refused("–" * 120 + "\n"), [])
        self.assertEqual(self.refused("x" * 121 + "\n", "data.csv"), [])

    def test_code_is_bounded_and_what_programs_print_is_not(self):
        long = "x" * 121
        self.assertEqual(self.refused(f"```cpp\n{long}\n```\n```text\n{long}\n```\n{long}\n"), [2, 7])
        self.assertEqual(self.refused(f"| {long} |\n![{long}](picture.svg)\n"), [])

    def test_a_page_that_is_bounded_may_have_so_many_words(self):
        for name, most in form.MOST_WORDS.items():
            self.assertTrue((Path(FOLDER) / name).is_file(), name)
            self.assertEqual(self.refused("word\n" * most, name), [])
            self.assertEqual(self.refused("word\n" * (most + 1), name), [most + 1])
        self.assertEqual(self.refused("word\n" * 5000), [])

    def test_wrapping_changes_no_word_and_only_paragraphs_that_are_too_long(self):
        word = "word " * 40
        page = f"# Heading\n\nshort\nlines\n\n- item {word}\n- {word}\n  more\n\n1. {word}\n\n```sh\n{word}\n```\n\n| {word} |\n"
        wrapped = form.wrap(page)
        self.assertEqual(wrapped.split(), page.split())
        self.assertIn("short\nlines\n", wrapped)
        self.assertIn("\n  word", wrapped)
        self.assertIn("\n   word", wrapped)
        self.assertEqual([len(line) > 120 for line in wrapped.splitlines()].count(True), 2)  # code and row stay
        self.assertEqual(form.wrap(wrapped), wrapped)

    def test_no_line_begins_with_what_would_make_it_an_item(self):
        page = "x" * 118 + " - y " + "z " * 60 + "1. w\n"
        self.assertFalse([line for line in form.wrap(page).splitlines() if line.startswith(("- ", "1. "))])

    def test_the_projects_own_pages_have_it(self):
        self.assertIn(form.main([FOLDER]), (0, 77))


if __name__ == "__main__":
    unittest.main(verbosity=2)
