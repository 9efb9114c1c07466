"""MPI programs whose ranks are in one process: maslin-mpicc builds them, maslin-mpirun starts them.

    mpi_ranks_test.py FOLDER_OF_COMMANDS CHECKOUT [UNITTEST ARGS]"""

import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

BIN, CHECKOUT = Path(sys.argv.pop(1)), Path(sys.argv.pop(1))
HERE = Path(__file__).parent
FORTRAN = CHECKOUT / "mpi" / "ranks" / "fortran"
LIMIT_S = 120


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

    def run_it(self, *words, workers: int | None = 2, **more) -> subprocess.CompletedProcess:
        environment = {key: value for key, value in os.environ.items() if not key.startswith("MASLIN")}
        environment |= {"MASLIN_WATCHDOG": "20", "MASLIN_LEARNED": "off", **more.pop("variables", {})}
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

    def ranks(self, count: int, program: Path, *words, **more) -> subprocess.CompletedProcess:
        return self.run_it(BIN / "maslin-mpirun", "-n", count, program, *words, **more)

    def expect_right(self, done: subprocess.CompletedProcess, said: str = "all is right\n") -> None:
        self.assertEqual((done.returncode, done.stdout), (0, said), done.stderr)


class Programs(Mpi):
    def everywhere(self, name: str) -> None:
        program = self.build(HERE / "programs" / name)
        for count, workers in ((1, 1), (2, 2), (3, 1), (3, 3), (5, 2), (8, 8), (16, 64)):
            with self.subTest(ranks=count, workers=workers):
                self.expect_right(self.ranks(count, program, workers=workers))
        with self.subTest("the serial elision"):
            self.expect_right(self.ranks(4, program, variables={"MASLIN_SERIAL": "1"}, workers=None))

    def test_messages(self):
        self.everywhere("messages.c")

    def test_requests(self):
        self.everywhere("requests.c")

    def test_collectives(self):
        self.everywhere("collectives.c")

    def test_types(self):
        self.everywhere("types.c")

    def test_communicators(self):
        self.everywhere("communicators.c")

    def test_own_variables(self):
        self.everywhere("own_variables.cpp")

    def test_a_tool_stands_between(self):
        self.everywhere("tool.c")

    def test_described_machine(self):
        machine = {"MASLIN_MACHINE": str(CHECKOUT / "specs" / "cell-qs20.toml")}
        done = self.ranks(6, self.build(HERE / "programs" / "collectives.c"), variables=machine, workers=None)
        self.expect_right(done)

    def test_destructors_run_once_a_rank(self):
        done = self.ranks(3, self.build(HERE / "programs" / "own_variables.cpp"))
        self.assertEqual(sorted(done.stderr.split("\n")), ["", *(f"destroyed with {5 + rank}" for rank in range(3))])

    def test_a_thousand_ranks(self):
        self.expect_right(self.ranks(1000, self.build(HERE / "programs" / "tool.c")))


class RandomMessages(Mpi):
    def test_random_messages(self):
        program = self.build(HERE / "programs" / "random_messages.c")
        for seed in range(20):
            count, workers = 1 + seed * 5 % 13, (1, 2, 3, 8)[seed % 4]
            with self.subTest(seed=seed, ranks=count, workers=workers):
                self.expect_right(self.ranks(count, program, seed, 12, workers=workers))


class Pages(Mpi):
    """The programs of docs/mpi.md, as they stand there."""

    def blocks(self) -> list[str]:
        page = (CHECKOUT / "docs" / "mpi.md").read_text(encoding="utf-8")
        return re.findall(r"^```(?:c|text)\n(.*?)^```$", page, re.DOTALL | re.MULTILINE)

    def source(self, name: str, block: int) -> Path:
        file = Path(self.folder.name) / name
        file.write_text(self.blocks()[block], encoding="utf-8")
        return file

    def test_more_ranks_than_cores(self):
        program = self.build(self.source("heat.c", 0), options=("-lm",))
        for count in (1, 2, 60):
            self.expect_right(self.ranks(count, program), f"{count} ranks: 1000.000000\n")

    def test_ranks_that_wait_for_each_other(self):
        done = self.ranks(3, self.build(self.source("stuck.c", 1)))
        command, _, said = self.blocks()[2].partition("\n")
        self.assertEqual(command, "$ maslin-mpirun -n 3 ./stuck")
        self.assertEqual((done.returncode, done.stderr), (16, said))


class Failures(Mpi):
    def failed(self, which: str, status: int, *said: str, count: int = 3) -> str:
        done = self.ranks(count, self.build(HERE / "failures" / "failures.c"), which)
        for one in said:
            self.assertIn(one, done.stderr)
        self.assertEqual(done.returncode, status, done.stderr)
        return done.stderr

    def place(self, which: str) -> str:
        """Gives the line on which the program makes this mistake."""
        lines = (HERE / "failures" / "failures.c").read_text(encoding="utf-8").split("\n")
        return f"failures.c:{next(n for n, line in enumerate(lines, 1) if which in line)}"

    def test_all_wait_for_each_other(self):
        self.failed("stuck", 16, "maslin-mpirun: all ranks wait for each other:\n",
                    f"rank 0 waits to receive from rank 1 with tag 5, at {self.place('stuck')}",
                    "a cycle: rank 0 waits for rank 1 waits for rank 0")

    def test_different_calls(self):
        self.failed("other call", 16, "all ranks of a communicator must call the same: rank 0 calls MPI_Barrier at "
                    "failures.c:", "rank 1 calls MPI_Bcast with root 0 at failures.c:")

    def test_different_roots(self):
        self.failed("other root", 16, "rank 0 calls MPI_Bcast with root 0", "rank 2 calls MPI_Bcast with root 1")

    def test_different_counts(self):
        self.failed("other count", 15, "rank 0 calls MPI_Allreduce", "with 1,", "rank 1 calls MPI_Allreduce", "with 2")

    def test_truncated(self):
        self.failed("truncated", 15, "rank 1: MPI_Recv at failures.c:", "800 x std::byte from rank 0 with tag 7",
                    "receives 40 x std::byte")

    def test_wrong_arguments(self):
        self.failed("rank", 6, f"rank 1: MPI_Send at {self.place(chr(34) + 'rank' + chr(34))}: "
                    "there is no rank 9; expected 0 to 2 in MPI_COMM_WORLD")
        self.failed("uncommitted", 3, "the datatype needs MPI_Type_commit first")
        self.failed("same buffer", 1, "the same buffer is given and wanted; MPI_IN_PLACE says so")

    def test_too_early_and_too_late(self):
        self.failed("too early", 16, "MPI_Barrier at failures.c:", "called before MPI_Init")
        self.failed("too late", 16, "MPI_Barrier at failures.c:", "called after MPI_Finalize")

    def test_ranks_that_leave(self):
        self.failed("leaves", 1, "rank 1 ended with status 0 and without MPI_Finalize")
        self.failed("exits", 3, "rank 1 ended with status 3 and without MPI_Finalize")
        self.failed("aborts", 9, f"rank 2: MPI_Abort with code 9 at {self.place('aborts')}")
        self.failed("status", 5)

    def test_crashes(self):
        self.failed("crashes", -11, "rank 1: Segmentation fault at address", f"from {self.place('crashes')}")
        self.failed("abort", -6, "rank 2: Aborted", f"from {self.place(chr(34) + 'abort' + chr(34))}")

    def test_no_such_program(self):
        for program, said in ((BIN / "maslin", "cannot be loaded for rank 0"), ("./nowhere", "cannot be read"),
                              ("nowhere", "there is no program 'nowhere' in PATH"), (HERE / "failures/failures.c", "is no program")):
            done = self.ranks(2, program)
            self.assertEqual(done.returncode, 2)
            self.assertIn(said, done.stderr)
            self.assertEqual(done.stderr.count("\n"), 1)

    def test_more_ranks_than_there_is_room_for(self):
        done = self.ranks(900000, self.build(HERE / "failures" / "failures.c"))
        self.assertEqual(done.returncode, 2)
        self.assertRegex(done.stderr, r"900000 ranks do not fit into one process: the system allows \d+ \(vm.max_map_count")

    def test_a_shared_library_that_calls_mpi(self):
        folder = Path(self.folder.name)
        (folder / "asks.c").write_text("#include <mpi.h>\nint asks(void) { int r; MPI_Comm_rank(MPI_COMM_WORLD, &r); return r; }\n")
        (folder / "uses.c").write_text("int asks(void);\nint main(void) { return asks(); }\n")
        self.assertEqual(self.run_it(BIN / "maslin-mpicc", "-shared", "asks.c", "-o", "libasks.so", cwd=folder).returncode, 0)
        program = self.build(folder / "uses.c", options=(f"-L{folder}", f"-Wl,-rpath,{folder}", "-Wl,--no-as-needed",
                                                         "-lasks", "-Wl,-z,undefs"))
        done = self.ranks(2, program)
        self.assertEqual(done.returncode, 2)
        self.assertIn("a shared library cannot call MPI: link it statically", done.stderr)


class CommandLine(Mpi):
    def test_lines_are_tagged(self):
        done = self.run_it(BIN / "maslin-mpirun", "-n", 3, "--tag-output", self.build(HERE / "failures/failures.c"), "prints")
        self.assertEqual(sorted(done.stdout.split("\n")),
                         ["", *(line for rank in range(3) for line in (f"[rank {rank}] {rank} has", f"[rank {rank}] said"))])

    def test_rank_0_reads(self):
        done = self.ranks(3, self.build(HERE / "failures/failures.c"), "reads", input="a line\n")
        self.expect_right(done, "read a line\n")

    def test_a_program_by_its_name_is_one_rank(self):
        done = self.run_it(self.build(HERE / "failures/failures.c"), "prints")
        self.expect_right(done, "0 has\nsaid\n")

    def test_in_steps_and_from_a_library(self):
        folder = Path(self.folder.name)
        (folder / "part.c").write_text("#include <mpi.h>\nint part(void) { int n; MPI_Comm_size(MPI_COMM_WORLD, &n); return n; }\n")
        (folder / "whole.c").write_text("#include <mpi.h>\n#include <stdio.h>\nint part(void);\nint main(int n, char **w) {\n"
                                        "  MPI_Init(&n, &w);\n  int me;\n  MPI_Comm_rank(MPI_COMM_WORLD, &me);\n"
                                        "  if (me == 0) printf(\"%d %s\\n\", part(), w[1]);\n  MPI_Finalize();\n}\n")
        for words in (("maslin-mpicc", "-c", "part.c"), ("ar", "rcs", "libpart.a", "part.o"),
                      ("maslin-mpicc", "-O2", "-c", "whole.c", "-o", "whole.o"),
                      ("maslin-mpicc", "whole.o", "-L.", "-lpart", "-o", "whole")):
            done = self.run_it(shutil.which(words[0]) or BIN / words[0], *words[1:], cwd=folder)
            self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.expect_right(self.ranks(4, folder / "whole", "an argument"), "4 an argument\n")

    def test_a_function_that_is_missing_is_named(self):
        file = Path(self.folder.name) / "missing.c"
        file.write_text("#include <mpi.h>\nint main(void) { MPI_Request r; return MPI_Ibarrier(MPI_COMM_WORLD, &r); }\n")
        done = self.run_it(BIN / "maslin-mpicc", "-w", file, "-o", Path(self.folder.name) / "missing")
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("MPI_Ibarrier", done.stderr)

    def test_what_the_compilers_say(self):
        shown = self.run_it(BIN / "maslin-mpicc", "-show", "-O2", "a.c").stdout
        self.assertRegex(shown, r"^cc -fPIC -I\S+ -O2 a\.c -shared .* -lmaslin_mpi_ranks ")
        self.assertNotIn("-shared", self.run_it(BIN / "maslin-mpicc", "-show", "-c", "a.c").stdout)
        self.assertTrue(self.run_it(BIN / "maslin-mpicxx", "--help").stdout.startswith("maslin-mpicxx OPTIONS"))
        self.assertTrue(self.run_it(BIN / "maslin-mpicc", "--version").stdout.startswith("maslin-mpicc "))
        done = self.run_it(BIN / "maslin-mpicc", "-static", "a.c")
        self.assertEqual((done.returncode, done.stderr.count("\n")), (2, 1))

    def test_what_maslin_mpirun_refuses(self):
        for words, said in ((["-n", "2"], "no program is named"), (["--tag-outptu", "./a"], "did you mean --tag-output?"),
                            (["-n", "0", "./a"], "-n")):
            done = self.run_it(BIN / "maslin-mpirun", *words)
            self.assertEqual(done.returncode, 2)
            self.assertIn(said, done.stderr)
            self.assertEqual(done.stderr.count("\n"), 1, done.stderr)


@unittest.skipUnless((BIN / "maslin-mpif90").exists(), "maslin-mpif90 is not built: there is no gfortran")
class Fortran(Mpi):
    def program(self, name: str) -> Path:
        source = next((FORTRAN / "tests").glob(f"{name}.f*"))
        return self.build(FORTRAN / "tests" / "expect.f90", source, name=f"fortran-{name}")

    def test_programs(self):
        for name in ("ring", "sources", "units", "requests", "reductions", "layouts", "grids", "names"):
            program = self.program(name)
            for count, workers in ((2, 2), (3, 1), (8, 3)):
                with self.subTest(program=name, ranks=count, workers=workers):
                    done = self.ranks(count, program, workers=workers, cwd=self.folder.name)
                    self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_ends(self):
        for how, status in (("stop", 3), ("exit", 4), ("error", 5), ("abort", 6), ("return", 0)):
            with self.subTest(how):
                done = self.ranks(3, self.program("ends"), how)
                self.assertEqual(done.returncode, status, done.stderr)

    def test_what_was_printed_is_not_lost_at_an_abort(self):
        file = Path(self.folder.name) / "speaks.f90"
        file.write_text("program speaks\n  use mpi\n  integer :: problem\n  call mpi_init(problem)\n  print *, 'I said so'\n"
                        "  call mpi_abort(MPI_COMM_WORLD, 6, problem)\nend program\n")
        program, out = self.build(file), Path(self.folder.name) / "said"
        with out.open("w") as to:
            subprocess.run([BIN / "maslin-mpirun", "-n", "1", program], stdout=to, stderr=subprocess.DEVNULL, timeout=LIMIT_S,
                           check=False)
        self.assertIn("I said so", out.read_text())

    def test_constants_are_those_of_c(self):
        done = self.run_it(sys.executable, "-B", FORTRAN / "constants.py", "--check")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)


if __name__ == "__main__":
    unittest.main()
