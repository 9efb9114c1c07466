"""maslin-mpirun, and the compilers."""

import os
import shutil
import tempfile
import unittest
from pathlib import Path

from jobs import BIN, HERE, Mpi


class CommandLine(Mpi):
    def test_lines_are_tagged(self):
        done = self.run_it(BIN / "maslin-mpirun", "-n", 3, "--tag-output", self.build(HERE / "failures/failures.c"), "prints")
        self.assertEqual(sorted(done.stdout.split("\n")),
                         ["", *(line for rank in range(3) for line in (f"[rank {rank}] {rank} has", f"[rank {rank}] said"))])

    def test_lines_that_are_written_past_stdio_are_whole(self):
        done = self.run_it(BIN / "maslin-mpirun", "-n", 3, "--tag-output", self.build(HERE / "failures/failures.c"), "writes")
        self.assertEqual((done.returncode, sorted(done.stdout.splitlines())), (0, [f"[rank {rank}] one half, and another" for rank in range(3)]))

    def test_lines_are_not_mixed(self):
        program = self.build(HERE / "failures/failures.c")
        expected = sorted(f"rank {rank} says {i} times" for rank in range(8) for i in range(200))
        for workers in (1, 2, 8):
            done = self.ranks(8, program, "many lines", workers=workers)
            self.assertEqual((done.returncode, sorted(done.stdout.splitlines())), (0, expected))

    def test_lines_of_streams_of_cpp_are_not_mixed(self):
        for way in ("pieces", "by buffers"):
            with self.subTest(way=way):
                done = self.run_it(BIN / "maslin-mpirun", "-n", 4, "--tag-output", self.build(HERE / "prints" / "streams.cpp"), way)
                lines = [f"[rank {rank}] {{}} {i} of rank {rank}" for rank in range(4) for i in range(50)]
                self.assertEqual(sorted(done.stdout.splitlines()), sorted(one.format(what) for one in lines for what in ("line", "wide line")))
                self.assertEqual(sorted(done.stderr.splitlines()), sorted(one.format("error") for one in lines))

    def test_wide_characters_are_printed(self):
        done = self.run_it(BIN / "maslin-mpirun", "-n", 2, "--tag-output", self.build(HERE / "prints" / "streams.cpp"), "wide", workers=1)
        self.assertEqual((done.returncode, sorted(done.stdout.splitlines())),
                         (0, sorted(f"[rank {rank}] {what}" for rank in range(2) for what in (f"bytes {rank}", f"gr\u00fcn {rank}", "line", "\u20ac"))))
        self.assertEqual(sorted(done.stderr.splitlines()), [f"[rank {rank}] error {rank}" for rank in range(2)])

    def test_a_rank_opens_files_in_place_of_its_output(self):
        program = self.build(HERE / "prints" / "streams.cpp")
        for processes in (1, 3):
            with self.subTest(processes=processes), tempfile.TemporaryDirectory() as folder:
                done = self.ranks(3, program, "files", folder, processes=processes)
                said = "printf {0} cout {0}\nwprintf {0}\nwrite {0}\n"
                self.assertEqual((done.returncode, done.stdout), (0, said.format(0) + "rank 0 goes on\n"), done.stderr)
                self.assertEqual(sorted(done.stderr.splitlines()), ["error 0", "error 1"])
                self.assertEqual({one.name: one.read_text() for one in Path(folder).iterdir()},
                                 {"1.out": said.format(1), "1.more": "more\n", "2.out": said.format(2), "2.more": "more\n", "2.err": "error 2\n"})

    def test_words_behind_the_program_are_its_own(self):
        words = ["--help", "-n", "--tag-output", "", "two words", "*"]
        program = Path(self.folder.name) / "a name with blanks"
        shutil.copy(self.build(HERE / "failures/failures.c"), program)
        done = self.run_it(BIN / "maslin-mpirun", "-n", 3, "--tag-output", program, "arguments", *words)
        self.assertEqual((done.returncode, done.stdout), (0, "".join(f"[rank 2] {word}\n" for word in words[::2])))
        self.assertEqual(done.stderr, "".join(f"[rank 2] {word}\n" for word in words[1::2]))

    def test_np_as_other_launchers_have_it(self):
        program = self.build(HERE / "failures/failures.c")
        for words in (("-np", 3), ("--stack", "4M", "--tag-output", "-np", 3), ("--np", 3)):
            done = self.run_it(BIN / "maslin-mpirun", *words, program, "arguments", "--tag-output", "-np", "2")
            own = "[rank 2] " if "--tag-output" in words else ""
            self.assertEqual((done.returncode, done.stdout, done.stderr),
                             (0, f"{own}--tag-output\n{own}2\n", f"{own}-np\n"))  # of the program's words
        for words, said in ((("-np",), "--np: 1 required"), (("-np", "many", program), "'many'; expected a whole number from 1 to ")):
            done = self.run_it(BIN / "maslin-mpirun", *words)
            self.assertEqual((done.returncode, done.stderr.count("\n")), (2, 1), done.stderr)
            self.assertIn(said, done.stderr)

    def test_several_programs_are_refused(self):
        program = self.build(HERE / "failures/failures.c")
        for words in ((":", "-n", 2, program), (":", "-np", 2, program), ("word", ":", "-n2", program), (":", "--processes=2", program),
                      (":", "--np", 2, program)):
            done = self.ranks(2, program, "prints", *words)
            self.assertEqual((done.returncode, done.stdout, done.stderr.count("\n")), (2, "", 1), done.stderr)
            self.assertIn(" begins another program; expected one, which all ranks run", done.stderr)
        done = self.run_it(BIN / "maslin-mpirun", "-n", 3, program, "arguments", ":", "-x", ":", "two words", ":")
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, ":\n:\n:\n", "-x\ntwo words\n"))

    def test_a_program_is_found_in_path(self):
        program = self.build(HERE / "failures/failures.c")
        path = f"/nowhere:{program.parent}:{os.environ['PATH']}"
        done = self.ranks(2, program.name, "prints", variables={"PATH": path})
        self.assertEqual((done.returncode, sorted(done.stdout.split())), (0, ["0", "1", "has", "has", "said", "said"]))

    def test_rank_0_reads(self):
        done = self.ranks(3, self.build(HERE / "failures/failures.c"), "reads", input="a line\n")
        self.expect_right(done, "read a line\n")

    def test_rank_0_has_all_of_standard_input(self):
        program, file = self.build(HERE / "prints" / "input.c"), Path(self.folder.name) / "lines"
        file.write_text("1\n2\n3\n")
        for way in ("fgets", "getchar", "called getchar", "scanf", "getwchar", "read", "freopen"):
            others = 3 if way == "freopen" else 0
            for processes in (1, 2):
                with self.subTest(way=way, processes=processes):
                    done = self.ranks(4, program, way, file, processes=processes, input="1\n2\n3\n")
                    self.expect_right(done, f"3 has {others}\n2 has {others}\n1 has {others}\n0 has 3\n")

    @unittest.skipUnless((BIN / "maslin-mpif90").exists(), "maslin-mpif90 is not built: there is no gfortran")
    def test_rank_0_has_all_of_standard_input_in_fortran(self):
        file = Path(self.folder.name) / "reads.f90"
        file.write_text("program reads\n  use mpi\n  integer :: problem, me, rank, number, lines, how\n  call mpi_init(problem)\n"
                        "  call mpi_comm_rank(MPI_COMM_WORLD, me, problem)\n  do rank = 1, 0, -1\n    if (rank == me) then\n      lines = 0\n"
                        "      do\n        read (*, *, iostat=how) number\n        if (how /= 0) exit\n        lines = lines + 1\n      end do\n"
                        "      print '(i0,a,i0)', me, ' has ', lines\n    end if\n    call mpi_barrier(MPI_COMM_WORLD, problem)\n  end do\n"
                        "  call mpi_finalize(problem)\nend program\n")
        self.expect_right(self.ranks(2, self.build(file), input="1\n2\n3\n"), "1 has 0\n0 has 3\n")

    def test_a_program_by_its_name_is_one_rank(self):
        done = self.run_it(self.build(HERE / "failures/failures.c"), "prints")
        self.expect_right(done, "0 has\nsaid\n")

    def test_the_systems_launcher_is_told_apart(self):
        """What it starts would be as many jobs of one rank, each with another result than that of all ranks."""
        program = self.build(HERE / "failures/failures.c")
        for name in ("OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "SLURM_STEP_NUM_TASKS"):
            for words in ((program,), (BIN / "maslin-mpirun", "-n", 1, program)):
                with self.subTest(variable=name, words=len(words)):
                    done = self.run_it(*words, "prints", variables={name: "3"})
                    self.assertEqual((done.returncode, done.stdout, done.stderr.count("\n")), (2, "", 1), done.stderr)
                    self.assertIn("maslin-mpirun: the system's launcher has started 3 of these", done.stderr)
        for name, value in (("OMPI_COMM_WORLD_SIZE", "1"), ("SLURM_NTASKS", "3")):  # a batch script has the latter
            self.expect_right(self.run_it(program, "prints", variables={name: value}), "0 has\nsaid\n")

    @unittest.skipUnless(shutil.which("gdb"), "there is no gdb")
    def test_gdb_stops_in_a_rank(self):
        """It reads the copies of the program, whose files have names of descriptors only."""
        source = HERE / "failures/failures.c"
        line = 1 + source.read_text().split("\n").index('  if (strcmp(which, "prints") == 0) printf("%d has\\nsaid\\n", me);')
        done = self.run_it("gdb", "-nx", "-batch", "-ex", "set breakpoint pending on", "-ex", f"break failures.c:{line} if me == 2", "-ex", "run",
                           "-ex", "backtrace 1", "--args", BIN / "maslin-mpirun", "-n", 3, self.build(source), "prints")
        self.assertRegex(done.stdout, rf"#0 +main .* at .*failures\.c:{line}", done.stderr)

    def test_where_proc_shows_other_numbers(self):
        """As in a container that has the host's /proc."""
        apart = ("unshare", "--user", "--map-root-user", "--pid", "--fork")
        if not shutil.which("unshare") or self.run_it(*apart, "true").returncode != 0:
            self.skipTest("there may be no namespaces")
        self.expect_right(self.run_it(*apart, BIN / "maslin-mpirun", self.build(HERE / "failures/failures.c"), "prints"), "0 has\nsaid\n")

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

    def test_makefiles_and_programs_of_two_languages(self):
        folder = Path(self.folder.name) / "made"
        folder.mkdir()
        (folder / "Makefile").write_text("CFLAGS = -O1 -MMD\nwhole: part.o main.o\n\t$(CXX) $^ -o $@\n")
        (folder / "part.c").write_text("#include <mpi.h>\n#include <stdlib.h>\nint part(void) {\n  int n;\n"
                                       "  MPI_Comm_size(MPI_COMM_WORLD, &n);\n  return n;\n}\n")
        (folder / "main.cpp").write_text("#include <mpi.h>\n#include <iostream>\n#include <string>\n"
                                         "extern \"C\" int part();\n"
                                         "int main(int n, char** w) {\n  MPI_Init(&n, &w);\n"
                                         "  const std::string all = std::to_string(part()) + \"\\n\";\n"
                                         "  std::cout << all;\n  MPI_Finalize();\n  return n;\n}\n")
        done = self.run_it("make", "-s", f"CC={BIN / 'maslin-mpicc'}", f"CXX={BIN / 'maslin-mpicxx'}", cwd=folder)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertIn("part.o: part.c", (folder / "part.d").read_text())
        done = self.ranks(2, folder / "whole")
        self.assertEqual((done.returncode, done.stdout), (1, "2\n2\n"))  # `n` is 1: the program's own name
        for option, made in (("-E", None), ("-S", "part.s"), ("-fsyntax-only", None)):
            done = self.run_it(BIN / "maslin-mpicc", option, "part.c", cwd=folder)
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            self.assertTrue(made is None or (folder / made).exists())
        self.assertFalse((folder / "a.out").exists())
        done = self.run_it(BIN / "maslin-mpicc", "-c", "absent.c", cwd=folder)
        self.assertEqual(done.returncode, 1)

    @unittest.skipUnless(shutil.which("cmake"), "there is no cmake")
    def test_a_project_of_cmake(self):
        """The compiler may be that of the project, or of what it finds as MPI. It names the launcher in its tests."""
        folder = Path(self.folder.name) / "project"
        folder.mkdir()
        (folder / "CMakeLists.txt").write_text("cmake_minimum_required(VERSION 3.20)\nproject(p C)\nenable_testing()\nfind_package(MPI REQUIRED)\n"
                                               "add_executable(p p.c)\ntarget_link_libraries(p MPI::MPI_C)\n"
                                               "add_test(NAME p COMMAND ${MPIEXEC_EXECUTABLE} ${MPIEXEC_NUMPROC_FLAG} 3 $<TARGET_FILE:p>)\n")
        (folder / "p.c").write_text("#include <mpi.h>\n#include <stdio.h>\nint main(int n, char **w) {\n  int me, all;\n  MPI_Init(&n, &w);\n"
                                    "  MPI_Comm_rank(MPI_COMM_WORLD, &me);\n  MPI_Comm_size(MPI_COMM_WORLD, &all);\n"
                                    "  if (me == 0) fprintf(stdout, \"%d ranks\\n\", all);\n  MPI_Finalize();\n  return 0;\n}\n")
        for how in ((f"-DCMAKE_C_COMPILER={BIN / 'maslin-mpicc'}",), (f"-DMPI_C_COMPILER={BIN / 'maslin-mpicc'}", "-DCMAKE_C_FLAGS=-fPIC")):
            with self.subTest(how[0].split("=")[0]):
                built = folder / f"build{len(how)}"
                for words in (("cmake", "-S", folder, "-B", built, *how, f"-DMPIEXEC_EXECUTABLE={BIN / 'maslin-mpirun'}"),
                              ("cmake", "--build", built), ("ctest", "--test-dir", built, "--verbose")):
                    done = self.run_it(*words)
                    self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
                self.assertIn("1: 3 ranks\n", done.stdout)
                self.expect_right(self.run_it(built / "p"), "1 ranks\n")

    def test_a_program_that_does_not_call_mpi(self):
        file = Path(self.folder.name) / "plain.c"
        file.write_text('#include <stdio.h>\nint main(int n, char **w) { return printf("%s\\n", w[n - 1]); }\n')
        done = self.ranks(3, self.build(file), "word")
        self.assertEqual((done.returncode, done.stdout, done.stderr), (5, 3 * "word\n", ""))
        done = self.run_it(self.build(file), "word")  # as configure does it
        self.assertEqual((done.returncode, done.stdout, done.stderr), (5, "word\n", ""))

    def test_other_compilers_may_be_named(self):
        variables = {"MASLINCXX": "some-c++ -std=c++17"}
        shown = self.run_it(BIN / "maslin-mpicxx", "-show", "a.cpp", variables=variables).stdout
        self.assertTrue(shown.startswith("some-c++ -std=c++17 -fPIC"), shown)

    def test_a_function_that_is_missing_is_named(self):
        file = Path(self.folder.name) / "missing.c"
        file.write_text("#include <mpi.h>\nint main(void) { return MPI_Win_fence(0, 0); }\n")
        done = self.run_it(BIN / "maslin-mpicc", "-w", file, "-o", Path(self.folder.name) / "missing")
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("MPI_Win_fence", done.stderr)

    def test_what_the_compilers_say(self):
        shown = self.run_it(BIN / "maslin-mpicc", "-show", "-O2", "a.c").stdout
        self.assertRegex(shown, r"^cc -fPIC -I\S+ -O2 a\.c -shared .* -lmaslin_mpi_ranks ")
        self.assertNotIn("-shared", self.run_it(BIN / "maslin-mpicc", "-show", "-c", "a.c").stdout)
        self.assertRegex(self.run_it(BIN / "maslin-mpicc", "-showme:compile").stdout, r"\A-fPIC -I\S+\n\Z")
        self.assertRegex(self.run_it(BIN / "maslin-mpicc", "-showme:link").stdout, r"\A-Wl,-no-pie,-shared,\S+ -L\S+ -lmaslin_mpi_ranks [^\n]*\n\Z")
        self.assertRegex(self.run_it(BIN / "maslin-mpicxx", "--help").stdout,
                         r"\Amaslin-mpicxx OPTIONS(.*\n)+\nExit status:\n  2 .*\n  others    the compiler's\n\Z")
        self.assertTrue(self.run_it(BIN / "maslin-mpicc", "--version").stdout.startswith("maslin-mpicc "))
        for command in ("maslin-mpirun", "maslin-mpicxx"):
            done = self.run_it(BIN / command, "--version")
            self.assertEqual((done.returncode, done.stdout.split()[0]), (0, command))
        done = self.run_it(BIN / "maslin-mpirun", "--help")
        self.assertEqual(done.returncode, 0)
        for said in ("-n,--np RANKS:1 to 1000000=1\n", "--tag-output", "--stack SIZE", "Examples:"):
            self.assertIn(said, done.stdout)
        done = self.run_it(BIN / "maslin-mpicc")
        self.assertEqual((done.returncode, done.stderr.count("\n")), (2, 1))
        self.assertIn("maslin-mpicc: no files", done.stderr)
        done = self.run_it(BIN / "maslin-mpicc", "-static", "a.c")
        self.assertEqual((done.returncode, done.stderr.count("\n")), (2, 1))

    def test_nodes_where_there_was_no_mpi(self):
        folder = Path(self.folder.name) / "elsewhere"
        folder.mkdir()
        shutil.copy(BIN / "maslin-mpirun", folder)
        (folder / "maslin-mpi-host").symlink_to(BIN / "maslin-mpi-host")
        done = self.run_it(folder / "maslin-mpirun", "--nodes", "-n", 2, "./a")
        self.assertEqual((done.returncode, done.stderr), (2, "maslin-mpirun: --nodes: maslin-mpi-forwarder is missing beside maslin-mpirun; build "
                                                             "Maslin where CMake finds the system's MPI\n"))

    def test_what_maslin_mpirun_refuses(self):
        for words, said in ((["-n", "2"], "no program is named"), (["--tag-outptu", "./a"], "did you mean --tag-output?"),
                            (["-n", "0", "./a"], "-n"), (["-n", "many", "./a"], "'many'; expected a whole number from 1 to "),
                            (["-n"], "RANKS")):
            done = self.run_it(BIN / "maslin-mpirun", *words)
            self.assertEqual(done.returncode, 2)
            self.assertIn(said, done.stderr)
            self.assertEqual(done.stderr.count("\n"), 1, done.stderr)


if __name__ == "__main__":
    unittest.main()
