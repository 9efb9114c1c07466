"""maslin-cc: programs do what a plain C compiler makes of them, annotations that make no sense are told in a compiler's
form, and --check names a task that touches what it did not declare.

    annotated_test.py MASLIN_CC [TEST...]
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent
PROGRAMS = sorted((HERE / "programs").glob("*.c"))
FLAGS = {"old": ["-ansi", "-pedantic-errors"], "jacobi": ["-DBLOCKS=5"], "bytes": ["-std=c99"]}
MASLIN_CC = ""


class Annotated(unittest.TestCase):
    def setUp(self):
        self.folder = Path(tempfile.mkdtemp(prefix="maslin-annotated-"))
        self.addCleanup(shutil.rmtree, self.folder)

    def run_in(self, *words, status=0, **settings):
        done = subprocess.run([str(word) for word in words], cwd=self.folder, env=os.environ | settings, text=True,
                              capture_output=True, timeout=120, check=False)
        self.assertEqual(done.returncode, status, f"{words}: {done.stdout}{done.stderr}")
        return done

    def compile(self, *words, status=0):
        return self.run_in(MASLIN_CC, *words, status=status).stderr


class Programs(Annotated):
    def test_give_what_they_give_without_tasks(self):
        self.assertGreaterEqual(len(PROGRAMS), 10)
        for program in PROGRAMS:
            with self.subTest(program.stem):
                flags = ["-O1", *FLAGS.get(program.stem, ["-std=gnu11"])]
                self.run_in("cc", *flags, program, "-o", "plain", "-lm")
                expected = self.run_in("./plain").stdout
                self.assertEqual(self.compile("-Wall", "-Wextra", *flags, program, "-o", "tasks", "-lm"), "")
                for settings in ({"MASLIN_WORKERS": "1"}, {"MASLIN_WORKERS": "2"}, {"MASLIN_WORKERS": "3"},
                                 {"MASLIN_SERIAL": "1"}):
                    self.assertEqual(self.run_in("./tasks", **settings).stdout, expected, settings)
                self.compile("--check", *flags, program, "-o", "checked", "-lm")
                checked = self.run_in("./checked")
                self.assertEqual((checked.stdout, checked.stderr), (expected, ""))

    def test_sparselu_of_the_page_for_openmp(self):
        page = (HERE.parents[1] / "docs" / "from" / "openmp.md").read_text(encoding="utf-8")
        program, = re.findall(r"^```c\n(.*?)^```$", page, re.DOTALL | re.MULTILINE)
        (self.folder / "sparselu.c").write_text(program)
        self.run_in("cc", "-O2", "sparselu.c", "-o", "plain")
        command, = re.findall(r"^`(maslin-cc [^`]*)`", page, re.MULTILINE)
        self.run_in("bash", "-ec", command, PATH=f"{Path(MASLIN_CC).parent}:{os.environ['PATH']}")
        expected = self.run_in("./plain").stdout
        self.assertIn("62 blocks", expected)
        for workers in ("1", "2", "3"):
            self.assertEqual(self.run_in("./sparselu", MASLIN_WORKERS=workers).stdout, expected)
        self.compile("--check", "-O1", "sparselu.c", "-o", "checked")
        self.assertEqual(self.run_in("./checked").stdout, expected)

    def test_create_tasks(self):
        program = HERE / "programs" / "sorting.c"
        line = next(n for n, line in enumerate(program.read_text().splitlines(), 1) if line.startswith("    sort_leaf("))
        self.compile("-O1", program, "-o", "tasks")
        self.run_in("./tasks", MASLIN_TRACE="run.mtrace", MASLIN_WORKERS="2")
        names = self.run_in(Path(MASLIN_CC).with_name("maslin"), "trace", "export", "--perfetto", "run.mtrace", "-o", "-").stdout
        self.assertIn(f"sorting.c:{line}", names)

    def test_of_several_files_are_built_by_their_makefile(self):
        shutil.copytree(HERE / "several_files", self.folder, dirs_exist_ok=True)
        self.run_in("make", "CC=cc")
        expected = self.run_in("./program").stdout
        self.run_in("make", "-B", f"CC={MASLIN_CC}")
        self.assertEqual(self.run_in("./program").stdout, expected)
        self.assertIn("grid.h", (self.folder / "main.d").read_text())
        os.utime(self.folder / "grid.h", None)
        self.assertIn("-c -o main.o main.c", self.run_in("make", f"CC={MASLIN_CC}").stdout)
        self.assertIn("up to date", self.run_in("make", f"CC={MASLIN_CC}").stdout)


class CommandLine(Annotated):
    def setUp(self):
        super().setUp()
        for name in ("inside", "old"):
            shutil.copy(HERE / "programs" / f"{name}.c", self.folder)

    def made(self):
        return sorted(path.name for path in self.folder.iterdir())

    def test_makes_the_files_that_a_compiler_makes(self):
        (self.folder / "plain.c").write_text("int unrelated(void) { return 1; }\n")
        self.compile("-c", "inside.c")
        self.compile("-c", "old.c", "plain.c")
        self.compile("-S", "inside.c")
        self.compile("-c", "inside.c", "-o", "other.obj", "-MMD")
        self.compile("-c", "inside.c", "-MD", "-MF", "named.d", "-MT", "target")
        self.assertEqual(self.made(), ["inside.c", "inside.o", "inside.s", "named.d", "old.c", "old.o", "other.d",
                                       "other.obj", "plain.c", "plain.o"])
        self.assertTrue((self.folder / "named.d").read_text().startswith("target: inside.c"))
        self.assertTrue((self.folder / "other.d").read_text().startswith("other.obj: inside.c"))
        self.compile("inside.o", "plain.o", "-o", "program")
        self.compile("inside.c", "plain.c")
        self.assertEqual(self.run_in("./program").stdout, self.run_in("./a.out").stdout)

    def test_hands_on_what_it_does_not_know(self):
        self.assertIn("#pragma css task", self.run_in(MASLIN_CC, "-E", "inside.c").stdout)
        self.assertIn("inside.c", self.run_in(MASLIN_CC, "-MM", "inside.c").stdout)
        self.assertEqual(self.run_in(MASLIN_CC, "-dumpmachine").stdout, self.run_in("cc", "-dumpmachine").stdout)
        version = self.run_in(MASLIN_CC, "--version").stdout
        self.assertTrue(version.startswith("maslin-cc "))
        self.assertIn(self.run_in("cc", "--version").stdout, version)
        shutil.copy(self.folder / "inside.c", self.folder / "inside.txt")
        self.compile("-x", "c", "inside.txt", "-x", "none", "-O2", "-include", "stdlib.h", "-o", "program")
        self.run_in("./program")
        helped = self.run_in(MASLIN_CC, "--help").stdout
        self.assertIn("--check", helped)
        self.assertRegex(helped, r"\n\nExit status:\n  1 .*\n  2 .*\n  others    the compiler's\n\Z")
        (self.folder / "shared.c").write_text("#pragma css task inout(a)\nvoid f(int *a) { *a = 1; }\nvoid g(int *a) { f(a); }\n")
        self.compile("-shared", "-fPIC", "shared.c", "-o", "libshared.so")

    def test_ends_as_the_compiler_does(self):
        (self.folder / "bad.c").write_text("#pragma css task inout(a)\nvoid f(int *a) { *a = 1; }\nint main(void) { return x; }\n")
        self.assertIn("bad.c:3:", self.compile("-c", "bad.c", status=1))
        self.assertIn("absent.c", self.compile("-c", "absent.c", status=1))
        self.assertEqual(self.made(), ["bad.c", "inside.c", "old.c"])
        done = self.run_in(MASLIN_CC, "-c", "inside.c", status=2, MASLINCC="no-such-compiler")
        self.assertIn("cannot run the compiler 'no-such-compiler'", done.stderr)

    def test_lines_are_where_they_were(self):
        self.compile("-g", "-c", "inside.c")
        lines = self.run_in("objdump", "--dwarf=decodedline", "inside.o").stdout
        source = (self.folder / "inside.c").read_text().splitlines()
        for number, line in enumerate(source, 1):
            if "add(" in line and ";" in line and "+=" not in line:
                self.assertRegex(lines, rf"(?m)^inside\.c +{number} ", line)

    def test_leaves_nothing_behind(self):
        scratch = self.folder / "tmp"
        scratch.mkdir()
        self.run_in(MASLIN_CC, "inside.c", TMPDIR=str(scratch))
        self.assertEqual(list(scratch.iterdir()), [])


class Mistakes(Annotated):
    def test_are_told_where_they_are(self):
        mistakes = sorted((HERE / "mistakes").glob("*.c"))
        self.assertGreaterEqual(len(mistakes), 20)
        for mistake in mistakes:
            with self.subTest(mistake.stem):
                shutil.copy(mistake, self.folder)
                source = mistake.read_text().splitlines()
                where, column, said = re.fullmatch(r"// (\d+):(\d+): (error: .*)", source[0]).groups()
                told = self.compile("-c", mistake.name, status=1).splitlines()
                self.assertEqual(told[0], f"{mistake.name}:{where}:{column}: {said}")
                self.assertEqual(told[1], f"{int(where):5} | {source[int(where) - 1]}")
                self.assertEqual(told[2], "      | " + " " * (int(column) - 1) + "^")
                self.assertFalse((self.folder / f"{mistake.stem}.o").exists())


class Check(Annotated):
    def test_of_the_page(self):
        """Its program and its messages, as the page shows them."""
        page = (HERE.parents[1] / "docs" / "annotated-c.md").read_text(encoding="utf-8")
        program, = re.findall(r"^```c\n(.*?)^```$", page, re.DOTALL | re.MULTILINE)
        mistake, found = (block.splitlines() for block in re.findall(r"^```text\n(.*?)^```$", page, re.DOTALL | re.MULTILINE))
        source = self.folder / "signal.c"
        source.write_text(program)
        commands = re.findall(r"^```sh\n(.*?)^```$", page, re.DOTALL | re.MULTILINE)
        self.assertEqual(len(commands), 2)
        path = f"{Path(MASLIN_CC).parent}:{os.environ['PATH']}"
        for lines in commands:
            self.assertEqual(self.run_in("bash", "-ec", lines, PATH=path).stdout, "57344\n")
        source.write_text(program.replace("input(from[n], by)", "input(from[n], frm)"))
        self.assertEqual(self.compile("-c", "signal.c", status=1).splitlines(), mistake)
        source.write_text(program.replace("input(from[n], by) output(to[n])", "input(from[n], by, to[n])")
                          .replace("enum {", "int offset; enum {").replace("*sum += from[i];", "*sum += from[i] + offset;"))
        self.compile("--check", "signal.c", "-o", "checked")
        self.assertEqual([line.removeprefix(f"{self.folder}/") for line in
                          self.run_in("./checked", status=1).stderr.splitlines()[:2]], found)

    def test_names_what_a_task_did_not_declare(self):
        shutil.copy(HERE / "check" / "undeclared.c", self.folder)
        self.compile("--check", "undeclared.c", "-o", "checked")
        told = self.run_in("./checked", status=1).stderr.splitlines()
        source = (self.folder / "undeclared.c").read_text().splitlines()
        call = next(number for number, line in enumerate(source, 1) if "wrong(a, b" in line)
        expected = [(number, line.split("// CHECK ")[1]) for number, line in enumerate(source, 1) if "// CHECK " in line]
        self.assertEqual(len(told), len(expected) + 1, told)
        for line, (number, what) in zip(told, expected):
            self.assertTrue(line.endswith(f"undeclared.c:{number}: task 'wrong', called at undeclared.c:{call}, {what}"), line)
        self.assertEqual(told[-1], f"maslin-cc --check: {len(expected)} places where a task touches what it did not declare")

    def test_says_each_line_once_and_that_there_are_more(self):
        for lines, how_many in ((20, "20 places"), (21, "more than 20 places")):
            squares = "  *a += size * size;\n" * lines
            (self.folder / "many.c").write_text(f"int size = 2;\n#pragma css task inout(a)\nvoid f(int *a) {{\n{squares}}}\n"
                                                "int main(void) {\n  int a = 0;\n  f(&a);\n#pragma css barrier\n  return 0;\n}\n")
            self.compile("--check", "-O0", "many.c", "-o", "checked")  # without optimization each line reads it twice
            *told, last = self.run_in("./checked", status=1).stderr.splitlines()
            self.assertEqual([line.partition(": ")[0].removeprefix(f"{self.folder}/") for line in told],
                             [f"many.c:{number}" for number in range(4, 24)])
            self.assertEqual(last, f"maslin-cc --check: {how_many} where a task touches what it did not declare")


if __name__ == "__main__":
    MASLIN_CC = sys.argv.pop(1)
    unittest.main(verbosity=2)
