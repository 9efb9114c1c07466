"""How MPI programs are built by maslin-mpicc, and started by maslin-mpirun, in the tests beside this file.

    SUBJECT_test.py FOLDER_OF_COMMANDS CHECKOUT [UNITTEST ARGS]"""

import os
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

BIN, CHECKOUT = Path(sys.argv.pop(1)), Path(sys.argv.pop(1))
HERE = Path(__file__).parent
FORTRAN = CHECKOUT / "mpi" / "ranks" / "fortran"
LIMIT_S = 120 * int(os.environ.get("PATIENCE", "1"))


def shared_memory() -> set[str]:
    """Gives the names of what lies in shared memory, but for what Open MPI calls so, whose jobs leave it there when they are killed."""
    return {name for name in os.listdir("/dev/shm") if not name.startswith(("vader_segment.", "osc_rdma."))}


class Mpi(unittest.TestCase):
    """Programs are built once for all tests."""

    maxDiff = None
    folder: tempfile.TemporaryDirectory
    built: dict[str, Path] = {}

    @classmethod
    def setUpClass(cls) -> None:
        cls.folder = tempfile.TemporaryDirectory()
        cls.built = {}

    @classmethod
    def tearDownClass(cls) -> None:
        cls.folder.cleanup()

    def expect_nothing_left(self, before: set[str]) -> None:
        """Nothing lies in shared memory that did not before. What other programs have there at the moment goes with them."""
        new, until = shared_memory() - before, time.monotonic() + LIMIT_S
        while new & shared_memory() and time.monotonic() < until:
            time.sleep(0.05)
        self.assertEqual(new & shared_memory(), set())

    def run_it(self, *words, workers: int | None = 2, **more) -> subprocess.CompletedProcess:
        environment = {key: value for key, value in os.environ.items() if not key.startswith("MASLIN")}
        environment |= {"MASLIN_WATCHDOG": "20", "MASLIN_LEARNED": "off", **more.pop("variables", {})}
        for sanitizer in ("TSAN", "ASAN"):  # there are programs that ask for more memory than there is
            environment[f"{sanitizer}_OPTIONS"] = environment.get(f"{sanitizer}_OPTIONS", "") + " allocator_may_return_null=1"
        # It takes some threads' variables of programs that are loaded for memory of an old C library, and crashes at the end.
        environment["ASAN_OPTIONS"] += " intercept_tls_get_addr=0"
        if workers:
            environment["MASLIN_WORKERS"] = str(workers)
        try:
            return subprocess.run([str(word) for word in words], capture_output=True, text=True, timeout=LIMIT_S,
                                  env=environment, check=False, **more)
        except subprocess.TimeoutExpired as late:
            self.fail(f"{words} did not end; it printed {late.stdout} and {late.stderr}")

    def build(self, *sources: Path, name: str = "", options: tuple[str, ...] = ()) -> Path:
        name = name or sources[-1].stem
        if name not in self.built:
            compiler = {".c": "maslin-mpicc", ".cpp": "maslin-mpicxx"}.get(sources[-1].suffix, "maslin-mpif90")
            more = ("-std=c++20", f"-I{CHECKOUT / 'include'}") if compiler == "maslin-mpicxx" else ()
            warn = () if compiler == "maslin-mpif90" else ("-Wall", "-Wextra")
            program = Path(self.folder.name) / name
            done = self.run_it(BIN / compiler, "-O1", "-g", *warn, *more, *options, *sources, "-o", program,
                               cwd=self.folder.name)
            self.assertEqual(done.returncode, 0, done.stderr)
            if compiler != "maslin-mpif90":  # which warns of each buffer of another type
                self.assertEqual(done.stderr, "")
            self.built[name] = program
        return self.built[name]

    def ranks(self, count: int, program: Path, *words, processes: int = 1, place: str | Path = "block", threads: bool = False,
              **more) -> subprocess.CompletedProcess:
        divided = ("--processes", processes, "--place", place) if processes > 1 or place != "block" else ()
        return self.run_it(BIN / "maslin-mpirun", "-n", count, *divided, *(["--threads"] if threads else []), program, *words, **more)

    def failed(self, which: str, status: int, *said: str, count: int = 3, **more) -> str:
        """Gives what is said where the ranks make that mistake."""
        done = self.ranks(count, self.build(HERE / "failures" / "failures.c"), which, **more)
        for one in said:
            self.assertIn(one, done.stderr)
        self.assertEqual(done.returncode, status, done.stderr)
        return done.stderr

    def expect_right(self, done: subprocess.CompletedProcess, said: str = "all is right\n") -> None:
        self.assertEqual((done.returncode, done.stdout), (0, said), done.stderr)

    def endless(self, call: str = "") -> Path:
        """Builds a program whose ranks send each other messages for ever, or make that call of all."""
        file = Path(self.folder.name) / f"endless{len(call)}.c"
        call = call or ("MPI_Sendrecv(&me, 1, MPI_INT, (me + 1) % all, 0, &in, 1, MPI_INT, (me + all - 1) % all, 0,\n"
                        "                        MPI_COMM_WORLD, MPI_STATUS_IGNORE)")
        file.write_text("#include <mpi.h>\n#include <stdio.h>\n#include <unistd.h>\n"
                        "int main(int n, char **w) {\n  int me, all, in = 0;\n  MPI_Init(&n, &w);\n"
                        "  MPI_Comm_rank(MPI_COMM_WORLD, &me);\n  MPI_Comm_size(MPI_COMM_WORLD, &all);\n"
                        "  printf(\"%d\\n\", (int)getpid());\n"
                        f"  for (;;) {call};\n}}\n")
        return self.build(file)

    def expect_gone(self, pids: list[int]) -> None:
        for _ in range(500):
            if not any(Path(f"/proc/{pid}").exists() for pid in pids):
                return
            time.sleep(0.02)
        self.fail(f"{pids} are still there")
