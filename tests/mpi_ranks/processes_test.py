"""What works in one process works in several."""

import itertools
import os
import unittest
from pathlib import Path

from jobs import BIN, CHECKOUT, FORTRAN, HERE, Mpi


class Processes(Mpi):
    """What works in one process works in several."""

    def test_programs(self):
        for program in sorted((HERE / "programs").glob("*.c*")):
            if program.stem.startswith("random"):
                continue
            if program.stem == "environment" and os.environ.get("SANITIZER") == "thread":
                with self.subTest(program=program.name):
                    self.skipTest("ThreadSanitizer calls what a rank's copy gave to atexit when the process ends and the "
                                  "copy is gone; the other builds run this")
                continue
            words = ("one", "two words", "") if program.stem == "environment" else ()
            for count, processes, workers in ((2, 2, 1), (3, 2, 2), (5, 3, 3), (8, 2, 1), (9, 8, 1)):
                with self.subTest(program=program.name, ranks=count, processes=processes, workers=workers):
                    self.expect_right(self.ranks(count, self.build(program), *words, processes=processes,
                                                 workers=workers, variables={"PLACE": "somewhere"}))

    def test_programs_whose_sends_all_wait(self):
        for program in sorted((HERE / "programs").glob("*.c")):
            # Those of two send before others come to receive; `requests` asks 10,000 times whether a message is complete.
            if program.stem in ("modes", "tool", "requests") or program.stem.startswith("random"):
                continue
            words = ("one", "two words", "") if program.stem == "environment" else ()
            for processes in (1, 2):
                with self.subTest(program=program.name, processes=processes):
                    self.expect_right(self.ranks(5, self.build(program), *words, processes=processes, variables={"PLACE": "somewhere", "MASLIN_EAGER": "0"}))

    def test_random_messages_are_the_same_however_eager(self):
        program = self.build(HERE / "programs" / "random_messages.c")
        for eager, seed, processes in itertools.product(("0", "64K"), range(3), (1, 3)):
            with self.subTest(eager=eager, seed=seed, processes=processes):
                self.expect_right(self.ranks(5, program, seed, 25, processes=processes, variables={"MASLIN_EAGER": eager}))

    def test_random_messages_are_the_same_however_ranks_wait(self):
        program = self.build(HERE / "programs" / "random_messages.c")
        for how, (ranks, processes) in itertools.product(("spin", "yield", "park"), ((2, 1), (2, 2), (4, 2))):
            with self.subTest(how=how, ranks=ranks, processes=processes):
                self.expect_right(self.ranks(ranks, program, 1, 25, processes=processes, workers=ranks // processes,
                                             variables={"MASLIN_RANK_WAIT": how, "MASLIN_EAGER": "0"}))
        said = self.ranks(2, program, 1, 1, variables={"MASLIN_RANK_WAIT": "sleep"})
        self.assertIn("MASLIN_RANK_WAIT", said.stderr)
        self.assertNotEqual(said.returncode, 0)

    def test_random_messages(self):
        program = self.build(HERE / "programs" / "random_messages.c")
        for seed in range(12):
            processes = (2, 3, 8)[seed % 3]
            count = processes + seed * 5 % 7
            with self.subTest(seed=seed, ranks=count, processes=processes):
                self.expect_right(self.ranks(count, program, seed, 25, processes=processes, workers=1 + seed % 2))

    def test_random_types(self):
        program = self.build(HERE / "programs" / "random_types.c")
        for seed in range(6):
            with self.subTest(seed=seed):
                self.expect_right(self.ranks(3, program, seed, 50, processes=2 + seed % 2, workers=1))

    def test_more_unexpected_messages_than_there_is_room_for(self):
        program = self.build(HERE / "programs" / "unexpected.c")
        for count, tags in ((20_000, 2), (1_000_000, 1)):
            with self.subTest(count=count, tags=tags):
                self.expect_right(self.ranks(2, program, count, tags, processes=2, workers=1))

    def placed(self, text: str) -> Path:
        file = Path(self.folder.name) / "-".join(["placed", *text.split()])
        file.write_text(text)
        return file

    def test_ranks_are_placed_as_is_said(self):
        program = self.build(HERE / "programs" / "random_messages.c")
        whole = [self.build(HERE / "programs" / f"{name}.c") for name in ("collectives", "communicators", "moves", "two_groups")]
        for how in ("block", "cyclic", self.placed("2 0 1 1 0 2 1")):
            for one in whole:
                with self.subTest(how=how, program=one.name):
                    self.expect_right(self.ranks(7, one, processes=3, workers=1, place=how))
            for seed in range(4):
                with self.subTest(how=how, seed=seed):
                    self.expect_right(self.ranks(7, program, seed, 15, processes=3, workers=1, place=how))

    def test_ranks_are_in_the_processes_that_are_named(self):
        file = Path(self.folder.name) / "where.c"
        file.write_text("#include <mpi.h>\n#include <stdio.h>\n#include <unistd.h>\n"
                        "int main(int n, char **w) {\n  int me;\n  MPI_Init(&n, &w);\n  MPI_Comm_rank(MPI_COMM_WORLD, &me);\n"
                        "  printf(\"%d %d\\n\", me, (int)getpid());\n  MPI_Finalize();\n}\n")
        program = self.build(file)
        for how, expected in (("block", [0, 0, 0, 1, 1, 1]), ("cyclic", [0, 1, 0, 1, 0, 1]), (self.placed("1 0 0\n1 1 0\n"), [1, 0, 0, 1, 1, 0])):
            done = self.ranks(6, program, processes=2, workers=1, place=how)
            pids = dict(line.split() for line in done.stdout.splitlines())
            of_first = pids[str(expected.index(0))]
            self.assertEqual([int(pids[str(rank)] != of_first) for rank in range(6)], expected, done.stderr)

    def test_ranks_of_one_process_are_on_the_workers_that_are_named(self):
        file = Path(self.folder.name) / "worker.c"
        file.write_text("#include <mpi.h>\n#include <pthread.h>\n#include <stdio.h>\n"
                        "int main(int n, char **w) {\n  int me;\n  MPI_Init(&n, &w);\n  MPI_Comm_rank(MPI_COMM_WORLD, &me);\n"
                        "  MPI_Barrier(MPI_COMM_WORLD);\n  printf(\"%d %lx\\n\", me, (unsigned long)pthread_self());\n  MPI_Finalize();\n}\n")
        program = self.build(file)
        for how, workers, expected in (("block", 2, [0, 0, 0, 1, 1, 1]), ("cyclic", 2, [0, 1, 0, 1, 0, 1]), ("cyclic", 4, [0, 1, 2, 3, 0, 1]),
                                       (self.placed("1 0 0\n1 2 0\n"), 3, [1, 0, 0, 1, 2, 0]), (self.placed("2 2 2 2 2 2"), 3, [2] * 6)):
            done = self.ranks(6, program, workers=workers, place=how)
            threads = dict(line.split() for line in done.stdout.splitlines())
            self.assertEqual([[threads[str(a)] == threads[str(b)] for a in range(6)] for b in range(6)],
                             [[a == b for a in expected] for b in expected], done.stderr)
        for numbers in ("2", "0/1/2/3"):  # as words for the host begin
            (Path(self.folder.name) / numbers).mkdir(parents=True)
            self.placed("1 0 0 1 2 0").rename(Path(self.folder.name) / numbers / "file")
            done = self.ranks(6, program, workers=3, place=f"{numbers}/file", cwd=self.folder.name)
            self.assertEqual((done.returncode, done.stdout.count("\n")), (0, 6), done.stderr)
        for how, said in (("nowhere", "--place nowhere: there is no such file"), (self.placed("0 1 2 0 0 0"), "worker 2 of rank 2; expected 0 to 1"),
                          (self.placed("0 1"), "2 numbers, each of a worker; expected one for each of 6 ranks")):
            done = self.ranks(6, program, workers=2, place=how)
            self.assertEqual((done.returncode, done.stderr.count("\n")), (2, 1), done.stderr)
            self.assertIn(said, done.stderr)
        for variables in ({"MASLIN_SERIAL": "1"}, {"MASLIN_MACHINE": str(CHECKOUT / "specs" / "epyc-128.toml")}):
            self.assertEqual(self.ranks(6, program, workers=None, place="cyclic", variables=variables).returncode, 0)

    def test_placements_that_are_refused(self):
        program = self.build(HERE / "failures/failures.c")
        for how, said in (("nowhere", "--place nowhere: there is no such file"), (self.placed("0 1 2"), "process 2 of rank 2; expected 0 to 1"),
                          (self.placed("0 1"), "2 numbers, each of a process; expected one for each of 3 ranks"),
                          (self.placed("0 1 1 1"), "4 numbers, each of a process"), (self.placed("0 1 x"), "2 numbers"),
                          (self.placed("0 0 0"), "process 1 has no rank")):
            done = self.ranks(3, program, processes=2, place=how)
            self.assertEqual((done.returncode, done.stderr.count("\n")), (2, 1), done.stderr)
            self.assertIn(said, done.stderr)

    def test_who_waits_for_whom_is_told_wherever_they_are(self):
        done = self.ranks(3, self.build(HERE / "failures" / "failures.c"), "stuck", processes=2, workers=1, place="cyclic")
        self.assertIn("a cycle: rank 0 waits for rank 1 waits for rank 0", done.stderr)
        self.assertEqual(done.returncode, 16)

    def test_a_place_that_is_too_short_for_a_long_sum_is_told(self):
        done = self.ranks(2, self.build(HERE / "failures" / "failures.c"), "short result", processes=2)
        self.assertRegex(done.stderr, r"rank \d in a call of all ranks at .*failures.c:\d+: rank \d cannot copy what ranks of other "
                                      r"processes give, or to where they want the result; expected places as long as the call says")
        self.assertEqual(done.returncode, 16)

    def test_many_ranks(self):
        self.expect_right(self.ranks(200, self.build(HERE / "programs" / "tool.c"), processes=2, workers=1))

    def test_fortran(self):
        if not (BIN / "maslin-mpif90").exists():
            self.skipTest("maslin-mpif90 is not built: there is no gfortran")
        for name in ("ring", "reductions", "layouts", "grids", "graphs", "started", "persistent", "groups"):
            source = next((FORTRAN / "tests").glob(f"{name}.f*"))
            program = self.build(FORTRAN / "tests" / "expect.f90", source, name=f"fortran-{name}")
            with self.subTest(program=name):
                done = self.ranks(3, program, processes=2, workers=1, cwd=self.folder.name)
                self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_lines_are_not_mixed(self):
        program = self.build(HERE / "failures/failures.c")
        expected = sorted(f"rank {rank} says {i} times" for rank in range(8) for i in range(200))
        done = self.ranks(8, program, "many lines", processes=3, workers=1)
        self.assertEqual((done.returncode, sorted(done.stdout.splitlines())), (0, expected))

    def test_lines_are_tagged(self):
        done = self.run_it(BIN / "maslin-mpirun", "-n", 3, "--processes", 2, "--tag-output",
                           self.build(HERE / "failures/failures.c"), "prints")
        self.assertEqual(sorted(done.stdout.split("\n")),
                         ["", *(line for rank in range(3) for line in (f"[rank {rank}] {rank} has", f"[rank {rank}] said"))])

    def test_rank_0_reads(self):
        for how in ("block", "cyclic", self.placed("2 0 1"), self.placed("1 2 0")):
            with self.subTest(how=how):
                done = self.ranks(3, self.build(HERE / "failures/failures.c"), "reads", processes=3, place=how, input="a line\n")
                self.expect_right(done, "read a line\n")

    def test_status(self):
        program = self.build(HERE / "failures/failures.c")
        self.assertEqual(self.ranks(3, program, "status", processes=2).returncode, 5)
        self.assertEqual(self.ranks(3, program, processes=2).returncode, 0)

    def test_what_is_refused(self):
        program = self.build(HERE / "failures/failures.c")
        for count, processes, variables, said in (
                (2, 3, {}, "3 processes for 2 ranks; expected a rank for each process at least"),
                (2, 2, {"MASLIN_SERIAL": "1"}, "MASLIN_SERIAL=1 is set: ranks of 2 processes run on CPU cores"),
                (2, 2, {"MASLIN_MACHINE": str(CHECKOUT / "specs" / "cell-qs20.toml")}, "MASLIN_MACHINE is set: "),
                (90, 65, {}, "--processes")):
            done = self.ranks(count, program, processes=processes, variables=variables, workers=None)
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertEqual(done.stderr.count(said), 1, done.stderr)  # by one process, whoever is first


if __name__ == "__main__":
    unittest.main()
