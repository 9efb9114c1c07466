"""maslin-sweep, as users run it: the original's published results, the same bits in all forms however the grid is cut,
checks that can fail, one clear message for what is handed in wrongly, and docs/sweep.md, which is run as it stands there.

    command_test.py MASLIN_SWEEP CHECKOUT [TEST...]
"""

import json
import os
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import published

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
import shown_page  # noqa: E402

PROGRAM, CHECKOUT = Path(), Path()
CELL = {"MASLIN_MACHINE": "specs/cell-qs20.toml"}
FORMS = {"plain": (), "accelerator": (), "reverse": (), "reverse in a store": ("--store", "24K")}
CUTS = ("1x1", "2x3", "3x2", "5x5", "6x4")
# Cells and planes that do not come out even.
SMALL = ("--grid", "19x17x13", "--mk", 4, "--iterations", 9)


class Command(unittest.TestCase):
    maxDiff = None

    def run_program(self, *arguments, status=0, **settings):
        plain = {name: value for name, value in os.environ.items() if not name.startswith("MASLIN_")}
        done = subprocess.run([PROGRAM, *map(str, arguments)], env=plain | settings, text=True, capture_output=True,
                              stdin=subprocess.DEVNULL, timeout=280, check=False, cwd=CHECKOUT)
        self.assertEqual(done.returncode, status, f"{arguments} {settings}: {done.stdout}{done.stderr}")
        return done

    def result(self, *arguments, **settings):
        return json.loads(self.run_program(*arguments, "--json", **settings).stdout)

    def form(self, name, *more, **settings):
        size = () if "--store" in more else FORMS.get(name, ())
        return self.result("--form", name.split()[0], *size, *more, **settings)

    def same(self, found, expected):
        for key in ("checksum", "balance"):
            self.assertEqual(found[key], expected[key])
        for key in ("error", "fixups"):
            self.assertEqual([one[key] for one in found["iterations"]], [one[key] for one in expected["iterations"]])
        self.assertLess(found["imbalance"] if "imbalance" in found else 0, 1e-13)

    def deck(self, text):
        file = tempfile.NamedTemporaryFile("w", prefix="maslin-sweep-", suffix=".input", delete=False)
        self.addCleanup(os.unlink, file.name)
        with file:
            file.write(text)
        return file.name


class SameBits(Command):
    def test_in_all_forms_however_the_grid_is_cut(self):
        expected = self.form("serial", *SMALL)
        self.assertGreater(expected["iterations"][-1]["fixups"], 0)
        for form in FORMS:
            for cut in CUTS:
                more = ("--ranks", cut, *(("--store", "30K" if cut == "1x1" else "12K") if "store" in form else ()))
                for workers in ("1", "2", "3", "8"):
                    with self.subTest(form, cut=cut, workers=workers):
                        found = self.form(form, *SMALL, *more, MASLIN_WORKERS=workers)
                        self.same(found, expected)
                        self.assertEqual(found["workers"], int(workers))
                        self.assertEqual(found["staged_bytes"] > 0, "store" in form)

    def test_serially_and_on_a_described_machine(self):
        expected = self.form("serial", *SMALL)
        for form in FORMS:
            for settings in ({"MASLIN_SERIAL": "1"}, CELL, {"MASLIN_MACHINE": "specs/epyc-128.toml"}):
                with self.subTest(form, **settings):
                    self.same(self.form(form, *SMALL, "--ranks", "3x2", **settings), expected)

    def test_with_mirrors_and_other_angles(self):
        """Mirrors at the three axes' beginnings, S4 and S6, P0 and P1, with and without currents, all sizes of blocks."""
        for mirrors in ("1 1 1", "0 1 0", "1 0 0", "0 0 1"):
            for angles, order, currents in ((6, 1, 1), (6, 0, 0), (3, 1, 0), (3, 0, 1)):
                deck = self.deck(f"1 1 4 {angles} 1\n13 9 11 {angles} {order}\n.3 .4 .25 .01\n{mirrors}\n0 {currents} -2\n")
                expected = self.form("serial", "--deck", deck)
                for form, sizes in (("plain", (1, 3)), ("accelerator", (1,)), ("reverse in a store", (1,) if angles == 3 else (2, 6))):
                    for mmi in sizes:
                        with self.subTest(form, mirrors=mirrors, angles=angles, order=order, mmi=mmi):
                            self.same(self.form(form, "--deck", deck, "--ranks", "3x2", "--mmi", mmi), expected)

    def test_when_each_rank_has_as_many_cells(self):
        for cut, cells in (("1x1", [5, 5, 400]), ("3x2", [15, 10, 400])):
            expected = self.form("serial", "--weak", "--ranks", cut, "--iterations", 4)
            self.assertEqual(expected["cells"], cells)
            for form in ("plain", "accelerator", "reverse in a store"):
                found = self.form(form, "--weak", "--ranks", cut, "--iterations", 4)
                self.same(found, expected)
                self.assertEqual((found["planes"], found["block_angles"]), (10, 6))

    def test_however_small_the_store_is(self):
        expected = self.form("serial", *SMALL)
        moved = []
        for store in ("12K", "20K", "100K", "1M"):
            found = self.result("--form", "reverse", *SMALL, "--ranks", "2x3", "--store", store)
            self.same(found, expected)
            moved.append(found["staged_bytes"])
        self.assertGreater(moved[0], 0)
        self.assertEqual(moved[-1], 0)  # all of a rank's cells fit


class Published(Command):
    DECK = "2 3 10 3 16\n50 50 50 6 1\n.1 .1 .1 -12.0\n0 0 0\n0 1 -7\n"

    def test_results_of_50_cells_come_out(self):
        deck = self.deck(self.DECK)
        serial = self.form("serial")
        self.assertEqual(published.differences(50, serial), [])
        for form in ("plain", "accelerator", "reverse"):
            found = self.form(form, "--deck", deck)
            self.assertEqual(published.differences(50, found), [])
            self.assertEqual(found["ranks"], [2, 3])
            self.same(found, serial)

    def test_results_do_not_come_out_of_another_problem(self):
        for old, new in ((".1 .1 .1 -12.0", ".1 .1 .100000001 -12"), ("0 1 -7", "0 1 -8"), ("0 0 0", "0 0 1"),
                         ("-12.0", "-11"), ("50 50 50 6 1", "50 50 50 6 0")):
            found = self.result("--deck", self.deck(self.DECK.replace(old, new)))
            self.assertGreater(len(published.differences(50, found)), 0, new)

    def test_epsi_ends_the_iterations(self):
        found = self.result("--epsi", 2e-3)
        self.assertEqual([one["fixups"] for one in found["iterations"]], list(published.FIXUPS[50][:10]))
        self.assertEqual(len(self.result("--epsi", 2e-3, "--iterations", 3)["iterations"]), 3)


class PublishedLarge(Command):
    def test_results_of_150_cells_come_out(self):
        deck = self.deck("2 1 30 6 16\n150 150 150 6 1\n.1 .1 .1 -12.0\n0 0 0\n0 1 -7\n")
        self.assertEqual(published.differences(150, self.result("--deck", deck)), [])


class Checks(Command):
    def test_hold(self):
        for form in ("serial", *FORMS):
            found = self.form(form, *SMALL, "--check")
            self.assertEqual(found["check"], {"holds": True, "different": 0, "error": 0.0, "wrong": ""})
        self.assertIn("\nthe same as serially, to the last bit\n", self.run_program(*SMALL, "--check").stdout)

    def test_find_a_flux_that_is_wrong_in_its_last_bits(self):
        for form in ("serial", "plain", "accelerator", "reverse"):
            done = self.run_program("--form", form, *SMALL, "--check", "--spoil", status=1)
            self.assertRegex(done.stderr, r"^maslin-sweep: wrong: moment 0 of cell \d+, \d+, \d+ is \S+; expected \S+\n$")
            self.assertIn("not as serially: 1 flux differs, by ", done.stdout)
        self.assertNotEqual(self.result(*SMALL, "--spoil")["checksum"], self.result(*SMALL)["checksum"])

    def test_text_and_json_say_the_same(self):
        found = self.result(*SMALL)
        said = self.run_program(*SMALL).stdout
        self.assertIn(f"checksum {found['checksum']}\n", said)
        self.assertIn(f"absorption       {found['balance']['absorption']:.16g}\n", said)
        for number, one in enumerate(found["iterations"], 1):
            self.assertRegex(said, rf"(?m)^ +{number}  {re.escape(format(one['error'], '.16g'))} +{one['fixups']} ")


class BadOptions(Command):
    def test_the_manual_says_what_the_help_says(self):
        page = self.run_program("--manual").stdout.replace("\\-", "-")
        self.assertIn(".SH SYNOPSIS\n\\fBmaslin-sweep\\fR [\\fIoptions\\fR]\n", page)
        self.assertIn("maslin-sweep --form accelerator --deck input.50", page)
        self.assertIn("--check has found a wrong answer, or a defect of the program", page)
        self.assertNotIn("COMMANDS", page)

    def refused(self, *arguments, **settings):
        done = self.run_program(*arguments, status=2, **settings)
        self.assertEqual(done.stdout, "")
        self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)
        return done.stderr

    def test_are_told(self):
        for arguments, told in (
                (("--mmi", 4), "--mmi 4: 6 angles cannot be cut into blocks of so many; expected 1, 2, 3 or 6"),
                (("--ranks", "60x1"), "--ranks 60x1: there are 50 x 50 cells in i and j; expected at most as many ranks in "
                 "each direction"),
                (("--ranks", "2y3"), "--ranks is '2y3'; expected 2 whole numbers from 1 to 1048576, as 2x3"),
                (("--ranks", "0x3"), "--ranks is '0x3'; expected 2 whole numbers from 1 to 1048576, as 2x3"),
                (("--ranks", "1000x1000", "--grid", "1000x1000x1"), "--ranks 1000x1000: expected at most 65536 ranks in all"),
                (("--grid", "50x50"), "--grid is '50x50'; expected 3 whole numbers from 1 to 1048576, as 50x50x50"),
                (("--grid", "50x50x50x2"), "--grid is '50x50x50x2'; expected 3 whole numbers from 1 to 1048576, as 50x50x50"),
                (("--form", "reverse", "--store", "1K"), "--store 1024: a rank's faces take 51840 bytes, and a line of 25 "
                 "cells takes 2400; expected at least 54240 bytes, or smaller blocks (--mk, --mmi)"),
                (("--store", "1K"), "--store is for the form reverse; the form is plain"),
                (("--form", "reverse", "--store", "1Kx"),
                 "--store is '1Kx'; expected a size in bytes, KiB, MiB or GiB, as 200000, 256K, 2M or 1G"),
                (("--foo",), "--foo is not an option of maslin-sweep; did you mean --form?")):
            self.assertEqual(self.refused(*arguments), f"maslin-sweep: {told}\n")
        for arguments in (("--form", "foo"), ("more",), ("--mk", 0), ("--iterations", 0), ("--epsi", -1), ("--epsi", "nan"),
                          ("--weak", "--grid", "100x5x5", "--ranks", "65536x1")):
            self.assertRegex(self.refused(*arguments), "^maslin-sweep: .*(--|more)")

    def test_more_memory_than_there_is(self):
        self.assertRegex(self.refused("--grid", "100000x100000x1000"),
                         r"^maslin-sweep: 100000 x 100000 x 1000 cells need [\d.]+ GiB of memory, and [\d.]+ GiB are free; "
                         r"expected a smaller grid\n$")

        plain, accelerator = (
            float(re.search(r"need ([\d.]+) GiB", self.refused("--grid", "256x256x100000", "--ranks", "256x256", "--form", form))[1])
            for form in ("plain", "accelerator"))
        self.assertGreater(accelerator, 4 * plain)  # which keeps the faces of all blocks

    def test_what_the_environment_says(self):
        self.assertIn("MASLIN_WORKERS", self.refused(*SMALL, MASLIN_WORKERS="banana"))


class BadDecks(Command):
    LINES = ["2 3 10 3 16", "50 50 50 6 1", ".1 .1 .1 -12.0", "0 0 0", "0 1 -7"]
    COUNT = "a whole number from 1 to 1048576"

    def told(self, number, line):
        lines = list(self.LINES)
        lines[number - 1:] = [line, *lines[number:]] if line is not None else []
        deck = self.deck("\n".join(lines) + ("\n" if lines else ""))
        done = self.run_program("--deck", deck, status=2)
        self.assertEqual(done.stdout, "")
        return done.stderr.removeprefix(f"maslin-sweep: {deck}:").removesuffix("\n")

    def test_are_told_with_line_field_and_what_is_expected(self):
        for number, line, told in (
                (1, "2 3 10 3", f"1: NCPU is the end of the line; expected {self.COUNT}"),
                (1, "0 3 10 3 16", "1: NPE_I is '0'; expected a whole number from 1 to 65536"),
                (1, "2 51 10 3 16", "1: NPE_J is '51'; expected at most JT_G, which is 50"),
                (1, "2 3 10 4 16", "1: MMI is '4'; expected a divisor of MM, which is 6"),
                (1, "2 3 10 7 16", "1: MMI is '7'; expected a whole number from 1 to 6"),
                (2, "50 5O 50 6 1", f"2: JT_G is '5O'; expected {self.COUNT}"),
                (2, "50 50 99999999999 6 1", f"2: KT is '99999999999'; expected {self.COUNT}"),
                (2, "50 50 50 5 1", "2: MM is '5'; expected 3 (S4) or 6 (S6)"),
                (2, "50 50 50 6 2", "2: ISCT is '2'; expected a whole number from 0 to 1"),
                (3, ".1 0 .1 -12", "3: DY is '0'; expected a number from 1e-06 to 1000000"),
                (3, ".1 .1 inf -12", "3: DZ is 'inf'; expected a number from 1e-06 to 1000000"),
                (3, ".1 .1 .1 twelve", "3: EPSI is 'twelve'; expected a number from -1048576 to 1"),
                (3, ".1 .1 .1 +-5", "3: EPSI is '+-5'; expected a number from -1048576 to 1"),
                (4, "0 2 0", "4: JBC is '2'; expected a whole number from 0 to 1"),
                (5, "0 1 2", "5: IFIXUPS is '2'; expected a whole number from -1048576 to 1"),
                (5, None, "5: the end of the file; expected a line with values"),
                (1, None, "1: the end of the file; expected a line with values")):
            self.assertEqual(self.told(number, line), told)

    def test_with_too_many_ranks(self):
        deck = self.deck("300 300 1 3 1\n300 300 1 6 1\n.1 .1 .1 -1\n0 0 0\n0 1 1\n")
        self.assertEqual(self.run_program("--deck", deck, status=2).stderr,
                         f"maslin-sweep: {deck}:1: NPE_J is '300'; expected at most 65536 ranks in all\n")

    def test_that_have_no_source(self):
        """As the original has it: an axis with a mirror and less than 3 cells gets none."""
        deck = self.deck("1 1 2 3 1\n2 2 2 6 1\n.1 .1 .1 -2\n1 1 1\n0 1 -1\n")
        for form in ("serial", "plain"):
            found = self.form(form, "--deck", deck, "--check")
            self.assertEqual((found["balance"]["source"], found["imbalance"], found["check"]["holds"]), (0, 0, True))

    def test_that_are_not_there(self):
        self.assertEqual(self.run_program("--deck", "no/where", status=2).stderr,
                         "maslin-sweep: no/where: cannot be read; expected an input file of Sweep3D\n")

    def test_forms_of_numbers_as_fortran_has_them(self):
        deck = self.deck("1,1,4,3,1 ! cut\r\n9, 9, 9 6 +1\n+.1 1.0D-1 1d-1 -3.0\n0 0 0 mirrors\n0 1 1\n")
        self.same(self.result("--deck", deck), self.result("--grid", "9x9x9", "--iterations", 3, "--fixups", 1))


class Page(Command):
    def test_what_it_shows_is_what_happens(self):
        path = f"{PROGRAM.parent}:{os.environ['PATH']}"

        def run(text):
            workers = {} if "MASLIN_MACHINE" in text else {"MASLIN_WORKERS": "2"}
            with tempfile.TemporaryDirectory(prefix="maslin-sweep-") as folder:
                (Path(folder) / "specs").symlink_to(CHECKOUT / "specs")
                done = subprocess.run(["bash", "-uo", "pipefail", "-c", text], cwd=folder, text=True, timeout=280, check=False,
                                      env=os.environ | {"PATH": path} | workers, stdin=subprocess.DEVNULL,
                                      stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
            self.assertEqual(done.returncode, 1 if "--spoil" in text else 0, f"{text}\n{done.stdout}")
            return done.stdout

        shown_page.expect_shown(self, CHECKOUT / "docs" / "sweep.md", run, 6, hidden=r'(checksum"?:? "?)[0-9a-f]{16}')


if __name__ == "__main__":
    PROGRAM, CHECKOUT = Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve()
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]], verbosity=2)
