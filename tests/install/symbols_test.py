"""symbols.py finds what came, what left and what moved."""

import unittest

import symbols

MAP = """# Comment
MASLIN_0.2 {
  global:
    first;
    second;
  local:
    *;
};
MASLIN_0.3 {
  global:
    third;
} MASLIN_0.2;
"""
IN_MAP = {"first": "MASLIN_0.2", "second": "MASLIN_0.2", "third": "MASLIN_0.3"}


class Symbols(unittest.TestCase):
    def test_a_map_is_read_with_its_versions(self):
        self.assertEqual(symbols.listed(MAP), IN_MAP)

    def test_a_library_that_keeps_to_the_map_is_right(self):
        self.assertEqual(symbols.complaints(IN_MAP, set(IN_MAP), dict(IN_MAP)), [])

    def test_each_difference_is_named(self):
        without_third = {name: version for name, version in IN_MAP.items() if name != "third"}
        for kind, headers, library in (("new: fourth", {*IN_MAP, "fourth"}, dict(IN_MAP)),
                                       ("lost: third", set(without_third), without_third),
                                       ("not listed: fourth", set(IN_MAP), IN_MAP | {"fourth": "MASLIN_0.3"}),
                                       ("hidden: third", set(IN_MAP) - {"third"}, dict(IN_MAP)),
                                       ("moved: second", set(IN_MAP), IN_MAP | {"second": "MASLIN_0.3"})):
            with self.subTest(kind):
                found = symbols.complaints(IN_MAP, headers, library)
                self.assertEqual(len(found), 1, found)
                self.assertIn(kind, found[0])

    def test_what_is_hidden_or_inline_is_not_marked(self):
        table = """
   Num:    Value          Size Type    Bind   Vis      Ndx Name
     1: 0000000000000000     8 FUNC    GLOBAL DEFAULT    4 marked
     2: 0000000000000000     8 FUNC    GLOBAL HIDDEN     4 hidden
     3: 0000000000000000     8 FUNC    WEAK   DEFAULT    4 inline
     4: 0000000000000000     0 NOTYPE  GLOBAL DEFAULT  UND elsewhere
     5: 0000000000000000    24 OBJECT  WEAK   DEFAULT    4 _ZTIN6maslin5errorE
"""
        self.assertEqual(symbols.marked(table), {"marked", "_ZTIN6maslin5errorE"})

    def test_exported_symbols_have_versions(self):
        table = "0000000000000000 A MASLIN_0.2\n0000000000001000 T first@@MASLIN_0.2\n"
        self.assertEqual(symbols.exported(table), {"first": "MASLIN_0.2"})


if __name__ == "__main__":
    unittest.main(verbosity=2)
