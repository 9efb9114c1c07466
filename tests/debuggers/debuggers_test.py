"""debuggers_test.py PROGRAM SCRIPT TEST: what gdb and valgrind show of PROGRAM, whose tasks wait on fibers of their own."""

import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

SKIPPED = 77
program = script = ""  # set by main
WAITS = r"^  (\d+) +.*wait_for_it.* at .*waiting\.cpp:\d+$"


def said_by(*command: str) -> str:
    environment = {**os.environ, "MASLIN_WATCHDOG": "60", "MASLIN_REPORT": "off", "MASLIN_LEARNED": "off", "LC_ALL": "C.UTF-8"}
    done = subprocess.run(command, env=environment, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=100)
    return done.stdout + done.stderr


def gdb(*commands: str, of: tuple[str, ...] = ()) -> str:
    words = [word for command in commands for word in ("-ex", command)]
    return said_by("gdb", "-q", "-nx", "-batch", "-ex", "set width 0", "-ex", f"source {script}", *words, *of)


class Debuggers(unittest.TestCase):
    def expect_three_waiting(self, said: str) -> list[str]:
        numbers = re.findall(WAITS, said, re.MULTILINE)
        self.assertEqual(len(numbers), 3, said)
        self.assertIn("\n3 suspended fibers\n", said)
        return numbers

    def expect_stack(self, said: str) -> None:
        stack = re.findall(r"^#\d+ +(.*)$", said, re.MULTILINE)
        for outer, inner in (("do_some_work", "wait_for_it"), ("wait_for_it", "mutex::lock")):
            at = [next((i for i, line in enumerate(stack) if word in line), None) for word in (inner, outer)]
            self.assertNotIn(None, at, said)
            self.assertLess(at[0], at[1], said)

    def test_gdb_live(self) -> None:
        said = gdb("run", "maslin fibers", of=("--args", program, "stop"))
        number = self.expect_three_waiting(said)[0]
        self.expect_stack(gdb("run", f"maslin backtrace {number}", of=("--args", program, "stop")))
        self.assertEqual(gdb("run", "maslin backtrace", of=("--args", program, "stop")).count("\nfiber "), 3)
        # gdb's own view of the threads is what it was.
        self.assertIn("raise", gdb("run", "maslin fibers", "backtrace 5", of=("--args", program, "stop")).split("fibers\n")[1])

    def test_gdb_core(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            core = str(Path(folder) / "core")
            gdb("run", f"generate-core-file {core}", of=("--args", program, "stop"))
            number = self.expect_three_waiting(gdb("maslin fibers", of=(program, core)))[0]
            self.expect_stack(gdb(f"maslin backtrace {number}", of=(program, core)))

    def test_gdb_errors(self) -> None:
        self.assertIn("there is no process", gdb("maslin fibers"))
        stopped = ("--args", program, "stop")
        self.assertIn("'x' is not the number of a fiber", gdb("run", "maslin backtrace x", of=stopped))
        self.assertIn("no fiber 9999 is suspended", gdb("run", "maslin backtrace 9999", of=stopped))
        self.assertIn("no maslin_fibers", gdb("starti", "maslin fibers", of=(shutil.which("true") or "/bin/true",)))

    def test_valgrind(self) -> None:
        said = said_by("valgrind", "--error-exitcode=9", program)
        self.assertIn("ERROR SUMMARY: 0 errors", said)
        self.assertNotIn("switching stacks", said)
        self.assertEqual(said.count("goes on"), 3, said)


def main() -> int:
    global program, script
    program, script, test = sys.argv[1:4]
    tool = test.split("_")[0]
    if not shutil.which(tool):
        print(f"skipped: there is no {tool} here")
        return SKIPPED
    suite = unittest.TestSuite([Debuggers(f"test_{test}")])
    return 0 if unittest.TextTestRunner(verbosity=2).run(suite).wasSuccessful() else 1


if __name__ == "__main__":
    sys.exit(main())
