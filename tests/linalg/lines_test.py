"""The annotated programs have no more lines for Maslin than those of the CellSs paper had for CellSs (table 1), and without
them they are the serial programs.

    lines_test.py APPS_LINALG
"""

import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOM = Path()


def lines(*words, of=None, status=0):
    done = subprocess.run([sys.executable, "-B", str((of or ROOM) / "lines.py"), *map(str, words)], text=True, timeout=60,
                          capture_output=True, check=False)
    assert done.returncode == status, done.stdout + done.stderr
    return done


class Lines(unittest.TestCase):
    def setUp(self):
        self.folder = Path(tempfile.mkdtemp(prefix="maslin-linalg-"))
        self.addCleanup(shutil.rmtree, self.folder)

    def test_are_no_more_than_the_papers(self):
        rows = [line.split() for line in lines().stdout.splitlines()[1:]]
        self.assertEqual([row[0] for row in rows], ["matmul", "sparselu", "choleskyC", "choleskyR", "reduct", "fft3d"])
        self.assertEqual([int(row[4]) for row in rows], [4, 14, 6, 8, 5, 18])
        for name, _, ours, _, papers in rows:
            self.assertLessEqual(int(ours), int(papers), name)
            self.assertGreaterEqual(int(ours), 2, name)  # a task and a barrier

    def test_one_line_too_many_is_told(self):
        shutil.copytree(ROOM, self.folder / "linalg")
        program = self.folder / "linalg" / "c" / "matmul.c"
        program.write_text(program.read_text() + "#pragma css barrier\n" * 2)
        told = lines(of=self.folder / "linalg", status=1)
        self.assertIn("more lines than the paper's programs have: matmul", told.stderr)
        self.assertEqual(told.stdout.splitlines()[1].split()[2], "5")

    def test_are_all_that_a_serial_compiler_leaves_out(self):
        """Program by program, the object file is the same without them."""
        serial = self.folder / "serial"
        serial.mkdir()
        lines("--serial", serial)
        for program in sorted((ROOM / "c").glob("*.c")):
            with self.subTest(program.stem):
                without = serial / program.name
                self.assertNotIn("css", without.read_text())
                objects = []
                for folder in (ROOM / "c", serial):
                    made = self.folder / "made.o"
                    subprocess.run(["cc", "-std=c11", "-O2", "-Wno-unknown-pragmas", "-c", program.name, "-o", made],
                                   cwd=folder, check=True, timeout=120)
                    objects.append(made.read_bytes())
                self.assertEqual(objects[0], objects[1])


if __name__ == "__main__":
    ROOM = Path(sys.argv.pop(1)).resolve()
    unittest.main(verbosity=2)
