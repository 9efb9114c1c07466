"""What a program gets whose ranks have several threads that call MPI."""

import itertools
import unittest
from pathlib import Path

from jobs import BIN, HERE, Mpi

FUNNELED, SERIALIZED, MULTIPLE = 1, 2, 3


class Threads(Mpi):
    def program(self, name: str) -> Path:
        return self.build(next((HERE / "threads").glob(f"{name}.*")), options=("-pthread", "-fopenmp"))

    def everywhere(self, name: str) -> None:
        for count, processes, workers in (*itertools.product((1, 2, 5), (1,), (1, 2, 8)), (2, 2, 1), (4, 2, 1), (5, 3, 3)):
            with self.subTest(program=name, ranks=count, processes=processes, workers=workers):
                self.expect_right(self.ranks(count, self.program(name), processes=processes, workers=workers, threads=True))

    def test_threads_of_a_rank_call_at_the_same_time(self):
        self.everywhere("threads")

    def test_threads_of_a_parallel_region_call(self):
        self.everywhere("openmp")

    @unittest.skipUnless((BIN / "maslin-mpif90").exists(), "maslin-mpif90 is not built")
    def test_threads_of_a_parallel_region_in_fortran_call(self):
        self.everywhere("parallel")

    def test_however_messages_are_kept(self):
        for eager, processes in itertools.product(("0", "64K"), (1, 2)):
            with self.subTest(eager=eager, processes=processes):
                self.expect_right(self.ranks(3, self.program("threads"), processes=processes, threads=True, variables={"MASLIN_EAGER": eager}))

    def test_a_worker_for_each_rank_is_enough(self):
        self.expect_right(self.ranks(3, self.program("threads"), workers=3))

    def given(self, asked: int, count: int, **more) -> tuple[int, str]:
        done = self.ranks(count, self.program("levels"), asked, **more)
        self.assertEqual(done.returncode, 0, done.stderr)
        return int(done.stdout.split()[0]), done.stderr

    def test_as_many_threads_as_there_may_be_are_given(self):
        for asked in range(FUNNELED + 1):
            self.assertEqual(self.given(asked, 3, workers=2), (asked, ""))
        for asked in (SERIALIZED, MULTIPLE):
            self.assertEqual(self.given(asked, 2, workers=2), (asked, ""))
            self.assertEqual(self.given(asked, 3, workers=2, threads=True), (asked, ""))
            self.assertEqual(self.given(asked, 4, workers=2, processes=2), (asked, ""))
            for more in ({}, {"processes": 2, "count": 5}, {"place": self.placed("0 1 1"), "workers": 3},
                         {"place": self.placed("0 1 1"), "threads": True},
                         {"variables": {"MASLIN_SERIAL": "1"}, "workers": None, "threads": True}):
                with self.subTest(asked=asked, **more):
                    level, said = self.given(asked, **{"count": 3, "workers": 2, **more})
                    self.assertEqual(level, FUNNELED)
                    self.assertIn(f"not MPI_THREAD_{('SERIALIZED', 'MULTIPLE')[asked - SERIALIZED]}, which needs a worker for each rank", said)
                    has_threads = "threads" in more  # who has said so needs another hint
                    self.assertIn("MASLIN_SERIAL, MASLIN_MACHINE or --place is against that\n" if has_threads else
                                  "start it with maslin-mpirun --threads\n", said)
                    self.assertEqual(said.count("\n"), 1)

    def placed(self, text: str) -> Path:
        file = self.program("levels").parent / "placed"
        file.write_text(text)
        return file

    def test_a_thread_that_waits_when_the_program_ends_is_told(self):
        for processes in (1, 2):
            done = self.ranks(2, self.program("levels"), MULTIPLE, "waits", processes=processes, threads=True)
            self.assertIn("MPI_Finalize at levels.c:", done.stderr)
            self.assertIn("another thread of the rank is in a call of MPI", done.stderr)
            self.assertNotEqual(done.returncode, 0)

    def test_a_thread_that_runs_when_the_program_ends_is_nobodys_concern(self):
        for level, which, processes in itertools.product((FUNNELED, MULTIPLE), ("runs", "runs, of C11"), (1, 2)):
            with self.subTest(level=level, which=which, processes=processes):
                done = self.ranks(2 * processes, self.program("levels"), level, which, processes=processes, threads=True)
                self.assertEqual((done.returncode, done.stdout, done.stderr), (0, f"{level} is given\n", ""))

    def test_a_thread_that_the_program_begins_with_runs_on(self):
        for processes in (1, 2):
            done = self.ranks(2 * processes, self.program("levels"), FUNNELED, processes=processes, variables={"BEGINS_A_THREAD": "1"})
            self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "1 is given\n", ""))

    def test_a_thread_that_prints_to_the_end_of_the_process(self):
        for level, processes in itertools.product((FUNNELED, MULTIPLE), (1, 2)):
            with self.subTest(level=level, processes=processes):
                done = self.run_it(BIN / "maslin-mpirun", "-n", 2, "--processes", processes, "--threads", "--tag-output",
                                   self.program("levels"), level, "prints to the end")
                self.assertEqual((done.returncode, done.stderr), (0, ""))
                said = set(done.stdout.splitlines())
                self.assertEqual(said, {f"[rank 0] {level} is given", *(f"[rank {rank}] a thread of rank {rank}" for rank in range(2))})

    def test_threads_that_wait_end_with_the_job(self):
        for processes in (1, 2):
            done = self.ranks(3, self.program("levels"), MULTIPLE, "fails", processes=processes, threads=True)
            self.assertIn("rank 1: MPI_Abort with code 5", done.stderr)
            self.assertEqual(done.returncode, 5)

    def test_what_threads_print_is_their_ranks(self):
        for processes in (1, 2):
            done = self.run_it(BIN / "maslin-mpirun", "-n", 5, "--processes", processes, "--tag-output", self.program("levels"), FUNNELED, "prints")
            self.assertEqual(sorted(done.stdout.splitlines()), ["[rank 0] 1 is given", *(f"[rank {rank}] a thread of rank {rank}" for rank in range(5))])

    def test_a_thread_that_exits_ends_the_job(self):
        for processes in (1, 2):
            for said, status in ((3, 3), (0, 1)):  # the others are still at work
                done = self.ranks(3, self.program("levels"), FUNNELED, "exits", said, processes=processes)
                self.assertEqual((done.returncode, done.stderr), (status, f"maslin-mpirun: rank 1: another thread of it called exit({said})\n"))

    def test_a_thread_that_exits_behind_finalize_ends_its_rank(self):
        for processes, status in itertools.product((1, 3), (0, 3)):
            with self.subTest(processes=processes, status=status):
                done = self.ranks(3, self.program("levels"), FUNNELED, "exits at the end", status, processes=processes, threads=True)
                self.assertEqual((done.returncode, done.stderr), (status, ""))
                self.assertEqual(sorted(done.stdout.splitlines()), ["1 is given", *(f"rank {rank} ends" for rank in range(3))])

    def test_a_thread_that_exits_while_its_rank_ends(self):
        for processes in (1, 2):
            done = self.ranks(2, self.program("levels"), FUNNELED, "exits while the rank ends", 3, processes=processes, threads=True)
            self.assertEqual((done.returncode, done.stdout, done.stderr), (3, "1 is given\nrank 1 ends\n", ""))

    def test_a_thread_that_exits_and_ranks_with_another_status(self):
        for processes, (of_thread, of_rank_0, status) in itertools.product((1, 3), ((0, 5, 5), (3, 5, 5), (3, 256, 3))):
            with self.subTest(processes=processes, of_thread=of_thread, of_rank_0=of_rank_0):
                done = self.ranks(3, self.program("levels"), FUNNELED, "exits at the end", of_thread, of_rank_0, processes=processes, threads=True)
                self.assertEqual((done.returncode, done.stderr), (status, ""))

    def test_a_thread_that_exits_is_not_held_up_by_a_rank_that_its_own_holds_up(self):
        done = self.ranks(2, self.program("levels"), FUNNELED, "exits at the end", 0, workers=1)
        self.assertEqual((done.returncode, done.stderr), (1, "maslin-mpirun: rank 1: another thread of it called exit(0)\n"))

    def test_an_error_names_the_callers_place(self):
        lines = (HERE / "threads" / "places.c").read_text().splitlines()
        for which, mark in (("while they wait", "// the first"), ("then", "// the second")):
            line = next(i for i, text in enumerate(lines, 1) if mark in text)
            done = self.ranks(1, self.program("places"), which, threads=True)
            self.assertIn(f"rank 0: MPI_Send at places.c:{line}: there is no rank 99", done.stderr)

    def test_other_threads_may_not_call_unless_that_is_given(self):
        done = self.ranks(1, self.program("levels"), FUNNELED, "calls")
        self.assertIn("called by another thread of rank 0; expected the rank's own code", done.stderr)
        self.assertNotEqual(done.returncode, 0)


if __name__ == "__main__":
    unittest.main()
