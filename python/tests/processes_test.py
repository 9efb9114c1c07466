"""What the package promises about processes: their settings, forks, signals and ends."""

import os
import signal
import subprocess
import sys
import textwrap
import unittest
from pathlib import Path

import maslin

SPECS = Path(__file__).resolve().parents[2] / "specs"


def run(program: str, **settings: str) -> subprocess.CompletedProcess:
    return subprocess.run([sys.executable, "-B", "-c", textwrap.dedent(program)], env=os.environ | settings, text=True,
                          capture_output=True, timeout=120, check=False)


class Process(unittest.TestCase):
    def output(self, program: str, **settings: str) -> str:
        done = run(program, **settings)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout


class Executors(Process):
    PROGRAM = """
        import maslin

        def product(x):
            return sum(maslin.map(lambda y: x * y, range(5)))

        def check(x):
            if x > 2:
                raise ValueError(x)

        print(maslin.map(product, range(6)))
        got = []
        maslin.phase(3, got.append)
        print(sorted(got))
        try:
            maslin.map(check, range(10))
        except ValueError as e:
            print(e)
    """

    def test_all_give_the_same_results(self):
        expected = "[0, 10, 20, 30, 40, 50]\n[0, 1, 2]\n3\n"
        machine = str(SPECS / "cell-qs20.toml")
        for settings in ({"MASLIN_SERIAL": "1"}, {"MASLIN_WORKERS": "1"}, {"MASLIN_WORKERS": "3"}, {"MASLIN_WORKERS": "8"},
                         {"MASLIN_MACHINE": machine, "MASLIN_WORKERS": "", "MASLIN_QUIET": "1"}):
            with self.subTest(settings):
                self.assertEqual(self.output(self.PROGRAM, **settings), expected)

    def test_a_bad_setting_is_an_error_of_each_call(self):
        program = """
            import maslin
            for call in (maslin.workers, lambda: maslin.map(abs, [1]), maslin.width):
                try:
                    call()
                except maslin.Error as e:
                    print(type(e).__module__, e)
        """
        lines = self.output(program, MASLIN_WORKERS="banana").splitlines()
        self.assertEqual(len(lines), 3)
        for line in lines:
            self.assertTrue(line.startswith("maslin MASLIN_WORKERS=banana: expected"), line)

    def test_a_pin_that_does_not_fit_is_an_error(self):
        program = """
            import maslin
            try:
                maslin.map(abs, [-1, -2], name="wide")
            except maslin.Error as e:
                print(e)
            print(maslin.map(abs, [-1, -2], name="other"))
        """
        self.assertIn("'wide' is pinned to 4x1", self.output(program, MASLIN_PIN="wide=4x1"))

    def test_python_code_has_a_stack_as_in_threads(self):
        program = """
            import sys, maslin

            def deep(n):  # through C code, which takes stack for each
                return 0 if n == 0 else 1 + max([n - 1], key=lambda m: 0) * 0 + next(map(deep, [n - 1]))

            sys.setrecursionlimit(20_000)
            print(set(maslin.map(lambda _: deep(3000), range(20))))
        """
        self.assertEqual(self.output(program), "{3000}\n")


class Forks(Process):
    def test_a_child_starts_afresh(self):
        program = """
            import os, maslin
            print(maslin.map(abs, [-1, -2]), flush=True)
            for _ in range(3):
                child = os.fork()
                if child == 0:
                    print(maslin.map(lambda x: maslin.map(abs, [x]), [-3, -4]), flush=True)
                    os._exit(0)
                assert os.waitpid(child, 0)[1] == 0
            print(maslin.map(abs, [-5]))
        """
        self.assertEqual(self.output(program), "[1, 2]\n" + 3 * "[[3], [4]]\n" + "[5]\n")

    def test_processes_of_multiprocessing_may_use_it(self):
        program = """
            import multiprocessing, maslin

            def in_child(x):
                return maslin.map(abs, [-x, x])

            print(maslin.map(abs, [-1]))
            with multiprocessing.get_context("fork").Pool(2) as pool:
                print(pool.map(in_child, [1, 2, 3]))
        """
        self.assertEqual(self.output(program), "[1]\n[[1, 1], [2, 2], [3, 3]]\n")

    def test_a_child_of_an_item_gets_an_error_and_may_run_programs(self):
        program = """
            import os, subprocess, sys, maslin

            def item(x):
                read, write = os.pipe()
                child = os.fork()
                if child == 0:
                    try:
                        maslin.map(abs, [x])
                    except maslin.Error as e:
                        os.write(write, str(e).encode())
                    os._exit(0)
                os.close(write)
                os.waitpid(child, 0)
                with os.fdopen(read) as said:
                    return said.read(), subprocess.run(["echo", str(x)], capture_output=True, text=True).stdout

            for said, printed in maslin.map(item, range(4)):
                print(said, printed.strip())
        """
        for number, line in enumerate(self.output(program).splitlines()):
            self.assertIn("forked inside a task", line)
            self.assertTrue(line.endswith(f" {number}"), line)


class Ends(Process):
    def test_the_interpreter_waits_for_items_of_its_threads(self):
        program = """
            import threading, maslin
            begun = threading.Event()

            def item(x):
                begun.set()
                threading.Event().wait(0.01)

            threading.Thread(target=lambda: maslin.map(item, range(1_000_000)), daemon=True).start()
            begun.wait()
            print("ends")
        """
        for _ in range(5):
            self.assertEqual(self.output(program), "ends\n")

    def test_nothing_begins_behind_the_end(self):
        program = """
            import atexit

            def late():
                try:
                    maslin.map(print, [1])
                except maslin.Error as e:
                    print(e)

            atexit.register(late)
            import maslin
            maslin.map(abs, [1])
        """
        self.assertIn("the interpreter ends", self.output(program))

    def test_ctrl_c_ends_a_program(self):
        program = """
            import threading, maslin

            def item(x):
                if x == 0:
                    print("begun", flush=True)
                threading.Event().wait(0.01)

            maslin.map(item, range(1_000_000))
        """
        with subprocess.Popen([sys.executable, "-B", "-c", textwrap.dedent(program)], text=True, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE) as running:
            self.assertEqual(running.stdout.readline(), "begun\n")
            running.send_signal(signal.SIGINT)
            _, said = running.communicate(timeout=60)
        self.assertEqual(running.returncode, -signal.SIGINT)
        self.assertIn("KeyboardInterrupt", said)


class Package(Process):
    def test_brings_the_command(self):
        for command in ([sys.executable, "-m", "maslin"], [str(Path(sys.executable).with_name("maslin"))]):
            done = subprocess.run([*command, "--version"], text=True, capture_output=True, check=True)
            self.assertEqual(done.stdout, f"maslin {maslin.__version__}\n")

    def test_needs_nothing_of_the_checkout(self):
        folder = Path(maslin.__file__).parent
        self.assertFalse(folder.is_relative_to(SPECS.parent))
        extension, = folder.glob("_core.*.so")
        said = subprocess.run(["readelf", "-dW", extension], text=True, capture_output=True, check=True).stdout
        self.assertIn("[$ORIGIN]", said)
        self.assertIn("libmaslin.so.0", said)

    def test_has_types_of_all_that_the_extension_gives(self):
        folder = Path(maslin.__file__).parent
        self.assertTrue((folder / "py.typed").exists())
        stub = (folder / "_core.pyi").read_text(encoding="utf-8")
        for name in dir(maslin._core):
            if not name.startswith("__"):
                self.assertRegex(stub, rf"(?m)^(def |class )?{name}\b")

    def test_explains_as_the_command_does(self):
        program = """
            import maslin, pathlib, subprocess, sys, json
            print(maslin.explain())
            assert maslin.report() == {}
            maslin.map(abs, range(10))
            pathlib.Path("run.json").write_text(json.dumps(maslin.report()))
            own = maslin.explain().splitlines()
            told = subprocess.run(["maslin", "explain", "run.json"], text=True, capture_output=True).stdout.splitlines()
            assert len(own) > 3 and own[2:] == told[2:], (own, told)
        """
        self.assertIn("no call of maslin.map", self.output(program))


if __name__ == "__main__":
    unittest.main(verbosity=2)
