"""interface.py finds what a program that was compiled before would miss, and says which version may do without it."""

import shutil
import tempfile
import unittest
from pathlib import Path

import declarations
import interface
import layouts
from interface import ADDED, BROKEN, SAME

PROMISED = """[loop.hpp]
maslin: void parallel_for(Begin first, End last);
struct maslin::range { std::int64_t first; std::int64_t last; };

[maslin.h]
int maslin_wait_at(maslin_location where);
struct maslin_options { size_t size; int workers; };
"""
CHANGES = "# Changes\n\n## 0.2.0{}\n\n- The runtime\n\n## 0.1.0\n"
CMAKE = "cmake_minimum_required(VERSION 3.25)\nproject(maslin VERSION 0.2.0 LANGUAGES CXX)\n"


class Interface(unittest.TestCase):
    def difference(self, old, new):
        self.assertIn(old, PROMISED)
        return interface.difference(PROMISED, PROMISED.replace(old, new))

    def test_what_is_the_same_changes_nothing(self):
        self.assertEqual(interface.difference(PROMISED, PROMISED), (SAME, []))

    def test_what_comes_adds(self):
        change, lines = self.difference("[maslin.h]\n", "[maslin.h]\nint maslin_new(void);\n")
        self.assertEqual((change, lines), (ADDED, ["+ [maslin.h] int maslin_new(void);"]))

    def test_what_goes_or_changes_breaks(self):
        self.assertEqual(self.difference("int maslin_wait_at(maslin_location where);\n", "")[0], BROKEN)
        change, lines = self.difference("End last);", "End last, int block);")
        self.assertEqual((change, len(lines)), (BROKEN, 2))
        self.assertEqual(self.difference("std::int64_t last;", "std::int64_t last; int more;")[0], BROKEN)

    def test_what_moves_to_another_header_breaks(self):
        self.assertEqual(self.difference("\n[maslin.h]\n", "[other.h]\n")[0], BROKEN)

    def test_a_structure_that_begins_with_its_size_may_grow(self):
        self.assertEqual(self.difference("int workers; };", "int workers; int serial; };")[0], ADDED)
        self.assertEqual(self.difference("int workers; };", "int serial; int workers; };")[0], BROKEN)

    def test_the_version_and_whether_it_is_released_are_read(self):
        self.assertEqual(interface.version_of(CMAKE, CHANGES.format(", unreleased")), ("0.2.0", False))
        self.assertEqual(interface.version_of(CMAKE, CHANGES.format("")), ("0.2.0", True))
        with self.assertRaisesRegex(SystemExit, "version 0.2.0, and the first heading of CHANGELOG.md 0.1.0"):
            interface.version_of(CMAKE, "## 0.1.0\n")

    def test_versions_may_change_what_their_number_says(self):
        for version, released, change, refused in (
                ("0.2.0", False, BROKEN, ""), ("0.2.0", False, ADDED, ""), ("0.2.0", True, SAME, ""),
                ("0.2.0", True, ADDED, "Begin 0.2.1"), ("0.2.0", True, BROKEN, "Begin 0.3.0"),
                ("0.2.1", False, ADDED, ""), ("0.2.1", False, BROKEN, "Begin 0.3.0"), ("0.2.1", True, ADDED, "Begin 0.2.2"),
                ("1.0.0", False, BROKEN, ""), ("1.1.0", False, BROKEN, "Begin 2.0.0"), ("1.1.0", False, ADDED, "")):
            with self.subTest(f"{version} {released} {change}"):
                why = interface.refusal(change, version, released)
                self.assertEqual(bool(why), bool(refused), why)
                self.assertIn(refused, why)


HEADER = """#pragma once
#include <string>
#define MASLIN_API [[gnu::visibility("default")]]
namespace maslin {
/// What programs name.
struct range { long first = 0; long last = 0; };
namespace detail {
struct frame { std::string name; int depth; alignas(8) char room[16]; };
MASLIN_API void run(const frame& in);
}
}
typedef unsigned long size_t;
struct maslin_options { size_t size; int workers; };
struct maslin_place { int line; };
"""
MAP = """MASLIN_0.2 {
  global:
    _ZN6maslin6detail3runERKNS0_5frameE;
};
"""


@unittest.skipIf(interface.missing("g++"), interface.missing("g++"))
class Layouts(unittest.TestCase):
    """What abidiff says of headers like ours."""

    @classmethod
    def setUpClass(cls):
        cls.folder = Path(tempfile.mkdtemp(prefix="maslin-interface-"))
        cls.addClassCleanup(shutil.rmtree, cls.folder)
        cls.promised = cls.described("promised", HEADER)

    @classmethod
    def described(cls, name: str, header: str) -> Path:
        include = cls.folder / name
        (include / "maslin").mkdir(parents=True)
        (include / "maslin" / "all.hpp").write_text(header, encoding="utf-8")
        layouts.describe(include, declarations.of(include / "maslin"), MAP, "g++", include)
        return include / "layouts.abi"

    def difference(self, name: str, old: str, new: str) -> str:
        self.assertIn(old, HEADER)
        return layouts.difference(self.promised, self.described(name, HEADER.replace(old, new)))[0]

    def test_what_is_the_same_changes_nothing(self):
        self.assertEqual(self.difference("same", "What programs name", "Iterations"), SAME)

    def test_a_member_that_moves_breaks(self):
        self.assertEqual(self.difference("order", "long first = 0; long last = 0;", "long last = 0; long first = 0;"), BROKEN)

    def test_what_only_inline_code_sees_is_described(self):
        self.assertEqual(self.difference("aligned", "alignas(8)", "alignas(16)"), BROKEN)
        self.assertEqual(self.difference("given", "void run", "bool run"), BROKEN)
        self.assertEqual(self.difference("string", "std::string name; ", "int more; std::string name; "), BROKEN)

    def test_a_new_type_adds(self):
        self.assertEqual(self.difference("new", "namespace detail {", "struct more { int value; };\nnamespace detail {"), ADDED)

    def test_a_structure_that_begins_with_its_size_may_grow(self):
        self.assertEqual(self.difference("grown", "int workers;", "int workers; long serial;"), SAME)
        self.assertEqual(self.difference("place", "int line;", "int line; long column;"), BROKEN)


if __name__ == "__main__":
    unittest.main(verbosity=2)
