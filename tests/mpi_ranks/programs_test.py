"""What a program of ranks of one process gets: it says itself what is right."""

import itertools
import unittest
from pathlib import Path

from jobs import BIN, HERE, Mpi


class Everywhere(Mpi):
    def everywhere(self, name: str, *words: str, **more) -> None:
        program = self.build(HERE / "programs" / name)
        for count, workers in (*itertools.product((1, 2, 3, 5, 8), (1, 2, 3, 8)), (16, 64)):
            with self.subTest(ranks=count, workers=workers):
                self.expect_right(self.ranks(count, program, *words, workers=workers, **more))
        with self.subTest("the serial elision"):
            serial = more.pop("variables", {}) | {"MASLIN_SERIAL": "1"}
            self.expect_right(self.ranks(4, program, *words, variables=serial, workers=None, **more))


class Programs(Everywhere):
    def test_each_program_is_tried(self):
        tests = "".join(file.read_text(encoding="utf-8") for file in HERE.glob("*_test.py"))
        for program in [*(HERE / "programs").glob("*.c*"), *(HERE / "prints").glob("*.c*")]:
            self.assertIn(f'"{program.name}"', tests)

    def test_messages(self):
        self.everywhere("messages.c")

    def test_requests(self):
        self.everywhere("requests.c")

    def test_modes(self):
        self.everywhere("modes.c")

    def test_types(self):
        self.everywhere("types.c")

    def test_distributed_arrays(self):
        self.everywhere("distributed_arrays.c")

    def test_external(self):
        self.everywhere("external.c")

    def test_precision(self):
        self.everywhere("precision.c")

    def test_exchanges(self):
        self.everywhere("exchanges.c")

    def test_communicators(self):
        self.everywhere("communicators.c")

    def test_contexts(self):
        self.everywhere("contexts.c")

    def test_keys(self):
        self.everywhere("keys.c")

    def test_arguments(self):
        self.everywhere("arguments.c")

    def test_a_program_may_have_a_getopt_of_its_own(self):
        file = Path(self.folder.name) / "own_getopt.c"
        file.write_text("""#include <mpi.h>
#include <stdio.h>
#include <unistd.h>
int getopt(int count, char* const* words, const char* options) { return count + words[0][0] + options[0]; }
int main(int count, char** words) {
  int me;
  MPI_Init(&count, &words);
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  if (me == 0 && getopt(40, words, "a") == 40 + words[0][0] + 'a' && optind == 1) printf("all is right\\n");
  MPI_Finalize();
}
""")
        self.expect_right(self.ranks(2, self.build(file)))

    def test_what_the_c_library_keeps(self):
        self.everywhere("kept.c")

    def test_numbers(self):
        self.everywhere("numbers.c")

    def test_errors(self):
        self.everywhere("errors.c")

    def test_environment(self):
        self.everywhere("environment.c", "one", "two words", "", variables={"PLACE": "somewhere"})

    def test_own_variables(self):
        self.everywhere("own_variables.cpp")

    def test_unexpected(self):
        self.everywhere("unexpected.c")

    def test_a_million_unexpected_messages(self):
        self.expect_right(self.ranks(1, self.build(HERE / "programs" / "unexpected.c"), 1_000_000, 1))

    def test_objects(self):
        self.everywhere("objects.cpp")

    def test_tasks_that_nobody_waits_for(self):
        program = self.build(HERE / "prints" / "tasks.cpp")
        for workers, what in itertools.product((1, 2, 4), ("returns", "exits")):
            with self.subTest(workers=workers, what=what):
                done = self.ranks(3, program, what, workers=workers)
                self.assertEqual((done.returncode, sorted(done.stdout.splitlines()), done.stderr), (0, [f"a task of rank {rank}" for rank in range(3)], ""))
        done = self.ranks(2, program, "throws")
        self.assertEqual((done.returncode, done.stderr), (1, "maslin-mpirun: rank 1: an exception was not caught: of a task\n"))

    def test_loops_of_a_rank_are_its(self):
        """Its code runs on stacks of other ranks' workers, too."""
        program = self.build(HERE / "prints" / "tasks.cpp")
        for count, workers in ((2, 4), (4, 4), (3, 2)):
            with self.subTest(ranks=count, workers=workers):
                done = self.run_it(BIN / "maslin-mpirun", "-n", count, "--tag-output", program, "prints", workers=workers)
                self.assertEqual(sorted(done.stdout.splitlines()), sorted(f"[rank {rank}] of rank {rank}" for rank in range(count) for _ in range(64)))
        done = self.ranks(2, program, "crashes", workers=4)
        self.assertEqual(done.returncode, -11)
        self.assertRegex(done.stderr, r"^maslin-mpirun: rank 1: Segmentation fault at address \(nil\)\n  from tasks.cpp:\d+\n")
        done = self.ranks(2, program, "a loop exits", workers=4)
        self.assertEqual(done.returncode, 3)
        self.assertRegex(done.stderr, r"^maslin-mpirun: rank 1(: another thread of it called exit\(3\)| ended with status 3 and without MPI_Finalize)\n$")

    def test_objects_are_destroyed_at_exit(self):
        self.expect_right(self.ranks(3, self.build(HERE / "programs" / "objects.cpp"), "exit"))

    def test_a_tool_stands_between(self):
        self.everywhere("tool.c")

    def test_destructors_run_once_a_rank(self):
        done = self.ranks(3, self.build(HERE / "programs" / "own_variables.cpp"))
        self.assertEqual(sorted(done.stderr.split("\n")), ["", *(f"destroyed with {5 + rank}" for rank in range(3))])

    def test_ranks_share_their_code(self):
        program = self.build(HERE / "prints" / "mapped.c")
        done = self.ranks(3, program)
        self.assertEqual(done.returncode, 0, done)
        first, *others = done.stdout.splitlines()
        self.assertEqual(others, [first] * 2)
        self.assertRegex(first, r"^r-xp \S+/[1-9]\d* r--p \S+/[1-9]\d* $")

    def test_a_line_without_an_end_is_printed(self):
        done = self.ranks(2, self.build(HERE / "programs" / "environment.c"), "one", "two words", "",
                          variables={"PLACE": "somewhere"})
        self.assertEqual((done.returncode, done.stderr), (0, "without an end"))

    def test_a_thousand_ranks(self):
        self.expect_right(self.ranks(1000, self.build(HERE / "programs" / "tool.c")))


class CallsOfAll(Everywhere):
    def test_collectives(self):
        self.everywhere("collectives.c")

    def test_started(self):
        self.everywhere("started.c")

    def test_persistent(self):
        self.everywhere("persistent.c")

    def test_two_groups(self):
        self.everywhere("two_groups.c")

    def test_operations(self):
        self.everywhere("operations.c")

    def test_graphs(self):
        self.everywhere("graphs.c")

    def test_neighbours(self):
        self.everywhere("neighbours.c")

    def test_grids(self):
        self.everywhere("grids.c")

    def test_parts(self):
        self.everywhere("parts.c")

    def test_moves(self):
        self.everywhere("moves.c")


if __name__ == "__main__":
    unittest.main()
