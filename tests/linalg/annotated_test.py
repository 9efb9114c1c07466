"""The six annotated programs give the answers of LAPACK and FFTW, the same to the last bit as the serial program, on any
number of workers; their checks can fail; and maslin-cc --check has nothing to say about them.

    annotated_test.py MASLIN_CC FOLDER COMPARE [TEST...]    COMPARE may be empty: nothing is compared with LAPACK then
"""

import os
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

MASLIN_CC, FOLDER, COMPARE = "", Path(), ""
FLAGS = ["-std=c11", "-O2", "-ffp-contract=off", "-Wall", "-Wextra"]
# How each is called, and what the C++ form calls that size.
SIZES = {
    "matmul": (("--blocks", 5, "--block", 24), (120, 24)),
    "sparselu": (("--blocks", 9, "--block", 16), (144, 16)),
    "choleskyC": (("--blocks", 7, "--block", 20), (140, 20)),
    "choleskyR": (("--blocks", 7, "--block", 20), (140, 20)),
    "reduct": (("--vectors", 77, "--length", 300), (77, 300)),
    "fft3d": (("--n", 32, "--slice", 4, "--block", 8), (32, 4, 8)),
}
WAYS = [{"MASLIN_WORKERS": "1"}, {"MASLIN_WORKERS": "2"}, {"MASLIN_WORKERS": "3"}, {"MASLIN_SERIAL": "1"},
        {"MASLIN_WORKERS": "3", "MASLIN_AT_ONCE": "0"}]


class Annotated(unittest.TestCase):
    def setUp(self):
        self.folder = Path(tempfile.mkdtemp(prefix="maslin-linalg-"))
        self.addCleanup(shutil.rmtree, self.folder)

    def run_in(self, *words, status=0, **settings):
        done = subprocess.run([str(word) for word in words], cwd=self.folder, env=os.environ | settings, text=True,
                              capture_output=True, timeout=120, check=False)
        self.assertEqual(done.returncode, status, f"{words}: {done.stdout}{done.stderr}")
        return done


class Answers(Annotated):
    def test_of_all_programs_are_looked_at(self):
        self.assertEqual(sorted(SIZES), sorted(file.stem for file in FOLDER.glob("*.c")))

    def test_are_those_of_the_serial_program_and_of_lapack(self):
        for name, (arguments, sizes) in SIZES.items():
            with self.subTest(name):
                self.run_in("cc", *FLAGS, "-Wno-unknown-pragmas", FOLDER / f"{name}.c", "-o", "serial", "-lm")
                self.assertEqual(self.run_in(MASLIN_CC, *FLAGS, FOLDER / f"{name}.c", "-o", "tasks", "-lm").stderr, "")
                self.tasks_do_as_serial(arguments)
                if COMPARE:
                    told = self.run_in(COMPARE, name, "tasks.out", *sizes).stdout
                    self.assertEqual(told.count("error "), 2 if name.startswith("cholesky") else 1)
                self.spoiled_is_found(name, arguments, sizes)

    def tasks_do_as_serial(self, arguments):
        serial = self.run_in("./serial", *arguments, "--output", "serial.out").stdout
        self.assertIn("error ", serial)
        for settings in WAYS:
            self.assertEqual(self.run_in("./tasks", *arguments, "--output", "tasks.out", **settings).stdout, serial, settings)
            self.assertEqual((self.folder / "tasks.out").read_bytes(), (self.folder / "serial.out").read_bytes())

    def spoiled_is_found(self, name, arguments, sizes):
        for program in ("./serial", "./tasks"):
            told = self.run_in(program, *arguments, "--spoil", "--output", "spoiled.out", status=1).stderr
            self.assertRegex(told, rf"^{name}: wrong: row \d+, column \d+ has \S+; expected \S+ \(error \S+, bound \S+\)$")
            if COMPARE:
                self.run_in(COMPARE, name, "spoiled.out", *sizes, status=1)


class Check(Annotated):
    def test_has_nothing_to_say(self):
        for name, (arguments, _) in SIZES.items():
            with self.subTest(name):
                self.run_in(MASLIN_CC, "--check", *FLAGS, FOLDER / f"{name}.c", "-o", "checked", "-lm")
                self.assertEqual(self.run_in("./checked", *arguments).stderr, "")

    def test_finds_what_is_left_out(self):
        """The same on programs whose tasks write what they call an input, or touch more than they name."""
        for name, right, wrong, told in (
                ("matmul.c", "inout(c[size * size])", "input(c[size * size])", "task 'multiply'"),
                ("reduct.c", "input(from[length])", "input(from[length - 1])", "task 'add'"),
                ("sparselu.c", "output(l[size * size], u[size * size])", "output(l[size * size], u[size])", "task 'split_block'"),
                ("fft3d.c", "inout(to[(n - 1) * to_apart + n])", "inout(to[(n - 1) * to_apart])", "task 'transpose'")):
            with self.subTest(name):
                for header in FOLDER.glob("*.h"):
                    shutil.copy(header, self.folder)
                text = (FOLDER / name).read_text()
                self.assertIn(right, text)
                (self.folder / name).write_text(text.replace(right, wrong))
                self.run_in(MASLIN_CC, "--check", *FLAGS, name, "-o", "checked", "-lm")
                self.assertIn(told, self.run_in("./checked", *SIZES[Path(name).stem][0], status=1).stderr)


class BadOptions(Annotated):
    def test_are_told(self):
        self.run_in("cc", "-std=c11", "-Wno-unknown-pragmas", FOLDER / "matmul.c", "-o", "matmul", "-lm")
        self.run_in("cc", "-std=c11", "-Wno-unknown-pragmas", FOLDER / "fft3d.c", "-o", "fft3d", "-lm")
        for words, told in (
                (("./matmul", "--blocks"), "matmul: --blocks; expected a positive number behind it\n"),
                (("./matmul", "--block", "12x"), "matmul: --block; expected a positive number behind it\n"),
                (("./matmul", "--block", "0"), "matmul: --block; expected a positive number behind it\n"),
                (("./matmul", "--blok", "3"),
                 "matmul: --blok; expected --output FILE, --no-check, --spoil, --time, --blocks N, --block N\n"),
                (("./matmul", "--blocks", "1", "--output", "no/where"),
                 "matmul: no/where; expected a file that can be written behind --output\n"),
                (("./matmul", "--blocks", "2", "--block", "8000000"),
                 "matmul: there is not enough memory for this size; expected a smaller one\n"),
                (("./fft3d", "--n", "48"), "fft3d: --n is no power of two; expected 1, 2, 4, 8, ...\n"),
                (("./fft3d", "--block", "24"),
                 "fft3d: the rows of a block (--block) do not divide --n; expected a divisor of it\n")):
            self.assertEqual(self.run_in(*words, status=2).stderr, told)


if __name__ == "__main__":
    MASLIN_CC, FOLDER, COMPARE = sys.argv[1], Path(sys.argv[2]).resolve(), sys.argv[3]
    unittest.main(argv=[sys.argv[0], *sys.argv[4:]], verbosity=2)
