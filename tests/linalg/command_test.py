"""maslin-linalg, as users run it: the same bits however the work is spread, checks that can fail, one clear message for
what is handed in wrongly, and docs/linalg.md, which is run as it stands there.

    command_test.py MASLIN_LINALG CHECKOUT [TEST...]
"""

import json
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
import shown_page  # noqa: E402

PROGRAM, CHECKOUT = Path(), Path()
SIZES = {
    "matmul": ("--n", 160, "--block", 32),
    "sparselu": ("--n", 160, "--block", 16),
    "cholesky-c": ("--n", 192, "--block", 24),
    "cholesky-r": ("--n", 192, "--block", 24),
    "reduct": ("--vectors", 77, "--length", 1000),
    "fft3d": ("--n", 24, "--slice", 6, "--block", 8),
}


class Command(unittest.TestCase):
    maxDiff = None

    def run_program(self, *arguments, status=0, **settings):
        plain = {name: value for name, value in os.environ.items() if not name.startswith("MASLIN_")}
        done = subprocess.run([PROGRAM, *map(str, arguments)], env=plain | settings, text=True, capture_output=True,
                              stdin=subprocess.DEVNULL, timeout=240, check=False)
        self.assertEqual(done.returncode, status, f"{arguments} {settings}: {done.stdout}{done.stderr}")
        return done

    def result(self, name, *more, status=0, **settings):
        return json.loads(self.run_program(name, *SIZES[name], "--json", *more, status=status, **settings).stdout)


class SameBits(Command):
    def test_however_the_work_is_spread(self):
        ways = [{"MASLIN_WORKERS": str(n)} for n in (1, 2, 3, 8)]
        ways += [{"MASLIN_WORKERS": "3", "MASLIN_PLACE": place} for place in ("locality", "chains", "program-order", "auto")]
        ways += [{"MASLIN_WORKERS": "3", "MASLIN_AT_ONCE": "0"}, {"MASLIN_RENAME": "0"},
                 {"MASLIN_MACHINE": str(CHECKOUT / "specs" / "cell-qs20.toml")}]
        for name in SIZES:
            expected = self.result(name, MASLIN_SERIAL="1")
            self.assertTrue(all(one["holds"] for one in expected["checks"]))
            for way in ways:
                with self.subTest(name, **way):
                    found = self.result(name, "--repeat", 2, **way)
                    for key in ("program", "size", "tasks", "checksum", "checks"):
                        self.assertEqual(found[key], expected[key])
                    self.assertEqual(len(found["seconds"]), 2)
                    self.assertEqual(found["workers"], int(way.get("MASLIN_WORKERS", found["workers"])))

    def test_by_columns_and_by_rows(self):
        self.assertEqual(self.result("cholesky-c")["checksum"], self.result("cholesky-r")["checksum"])

    def test_on_a_described_machine_it_has_its_workers(self):
        self.assertEqual(self.result("matmul", MASLIN_MACHINE=str(CHECKOUT / "specs" / "cell-qs20.toml"))["workers"], 16)


class Checks(Command):
    def test_find_a_wrong_element(self):
        for name, size in SIZES.items():
            with self.subTest(name):
                done = self.run_program(name, *size, "--spoil", status=1)
                self.assertRegex(done.stderr.splitlines()[0],
                                 rf"^maslin-linalg: {name}: wrong: .+: row \d+, column \d+ has \S+; expected \S+ "
                                 r"\(error \S+, at most \S+ expected\)$")
                found = self.result(name, "--spoil", status=1)
                self.assertFalse(all(one["holds"] for one in found["checks"]))
                self.assertNotEqual(found["checksum"], self.result(name)["checksum"])

    def test_are_made_unless_not_wanted(self):
        for name in SIZES:
            checks = self.result(name)["checks"]
            self.assertEqual(len(checks), 2 if name.startswith("cholesky") else 1)
            for one in checks:
                self.assertLess(one["error"], one["bound"])
                self.assertGreater(one["bound"], 0)
            self.assertEqual(self.result(name, "--no-check")["checks"], [])

    def test_text_and_json_say_the_same(self):
        found = self.result("reduct")
        said = self.run_program("reduct", *SIZES["reduct"]).stdout
        self.assertIn(f"reduct: {found['size']}\n{found['tasks']} tasks on ", said)
        self.assertIn(f"checksum {found['checksum']}\n", said)


class BadOptions(Command):
    def refused(self, *arguments, **settings):
        done = self.run_program(*arguments, status=2, **settings)
        self.assertEqual(done.stdout, "")
        self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)
        return done.stderr

    def test_blocks_that_do_not_divide(self):
        self.assertEqual(self.refused("matmul", "--n", 1000, "--block", 64),
                         "maslin-linalg: --block 64 does not divide --n 1000; expected a divisor of it, or --n 960 or 1024\n")
        self.assertEqual(self.refused("cholesky-r", "--n", 10, "--block", 64),
                         "maslin-linalg: --block 64 does not divide --n 10; expected a divisor of it, or --n 64\n")
        self.assertIn("--slice 7 does not divide --n 256", self.refused("fft3d", "--slice", 7))
        self.assertIn("--block 60 does not divide --n 256", self.refused("fft3d", "--block", 60))

    def test_more_memory_than_there_is(self):
        for name, *size in (("matmul", "--n", 2**20, "--block", 1024), ("sparselu", "--n", 2**20, "--block", 1),
                            ("fft3d", "--n", 2**16), ("reduct", "--vectors", 2**20, "--length", 2**20)):
            self.assertRegex(self.refused(name, *size), rf"^maslin-linalg: {name} of .* needs [\d.]+ GiB of memory, and "
                             r"[\d.]+ GiB are free; expected a smaller size")

    def test_numbers_and_words(self):
        self.assertIn("--n", self.refused("matmul", "--n", 0))
        self.assertIn("--vectors", self.refused("reduct", "--vectors", "many"))
        self.assertIn("did you mean cholesky-c?", self.refused("choleski-c"))
        self.assertIn("did you mean --block?", self.refused("matmul", "--blok", 3))
        self.assertIn("MASLIN_WORKERS", self.refused("reduct", "--vectors", 4, MASLIN_WORKERS="banana"))


class Page(Command):
    def test_what_it_shows_is_what_happens(self):
        path = f"{PROGRAM.parent}:{os.environ['PATH']}"

        def run(text):
            if "maslin-cc" in text and not (PROGRAM.parent / "maslin-cc").exists():
                return None
            workers = {} if "MASLIN_MACHINE" in text else {"MASLIN_WORKERS": "2"}
            with tempfile.TemporaryDirectory(prefix="maslin-linalg-") as folder:
                for name in ("apps", "specs"):
                    (Path(folder) / name).symlink_to(CHECKOUT / name)
                done = subprocess.run(["bash", "-uo", "pipefail", "-c", text], cwd=folder, text=True, timeout=240, check=False,
                                      env=os.environ | {"PATH": path} | workers, stdin=subprocess.DEVNULL,
                                      stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
            self.assertEqual(done.returncode, 1 if "--spoil" in text else 0, f"{text}\n{done.stdout}")
            return done.stdout

        shown_page.expect_shown(self, CHECKOUT / "docs" / "linalg.md", run, 6, hidden=r"(checksum )[0-9a-f]{16}")


if __name__ == "__main__":
    PROGRAM, CHECKOUT = Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve()
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]], verbosity=2)
