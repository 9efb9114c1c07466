"""MPI programs whose ranks are in one process, or in some: maslin-mpicc builds them, maslin-mpirun starts them.

    mpi_ranks_test.py FOLDER_OF_COMMANDS CHECKOUT [UNITTEST ARGS]"""

import itertools
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

import many_messages

BIN, CHECKOUT = Path(sys.argv.pop(1)), Path(sys.argv.pop(1))
HERE = Path(__file__).parent
FORTRAN = CHECKOUT / "mpi" / "ranks" / "fortran"
LIMIT_S = 120 * int(os.environ.get("PATIENCE", "1"))


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

    def ranks(self, count: int, program: Path, *words, processes: int = 1, place: str | Path = "block",
              **more) -> subprocess.CompletedProcess:
        divided = ("--processes", processes, "--place", place) if processes > 1 or place != "block" else ()
        return self.run_it(BIN / "maslin-mpirun", "-n", count, *divided, program, *words, **more)

    def failed(self, which: str, status: int, *said: str, count: int = 3, **more) -> str:
        """Gives what is said where the ranks make that mistake."""
        done = self.ranks(count, self.build(HERE / "failures" / "failures.c"), which, **more)
        for one in said:
            self.assertIn(one, done.stderr)
        self.assertEqual(done.returncode, status, done.stderr)
        return done.stderr

    def expect_right(self, done: subprocess.CompletedProcess, said: str = "all is right\n") -> None:
        self.assertEqual((done.returncode, done.stdout), (0, said), done.stderr)


class Programs(Mpi):
    def everywhere(self, name: str, *words: str, **more) -> None:
        program = self.build(HERE / "programs" / name)
        for count, workers in (*itertools.product((1, 2, 3, 5, 8), (1, 2, 3, 8)), (16, 64)):
            with self.subTest(ranks=count, workers=workers):
                self.expect_right(self.ranks(count, program, *words, workers=workers, **more))
        with self.subTest("the serial elision"):
            serial = more.pop("variables", {}) | {"MASLIN_SERIAL": "1"}
            self.expect_right(self.ranks(4, program, *words, variables=serial, workers=None, **more))

    def test_each_program_is_tried(self):
        tests = Path(__file__).read_text(encoding="utf-8")
        for program in (HERE / "programs").glob("*.c*"):
            self.assertIn(f'"{program.name}"', tests)

    def test_messages(self):
        self.everywhere("messages.c")

    def test_requests(self):
        self.everywhere("requests.c")

    def test_modes(self):
        self.everywhere("modes.c")

    def test_collectives(self):
        self.everywhere("collectives.c")

    def test_started(self):
        self.everywhere("started.c")

    def test_persistent(self):
        self.everywhere("persistent.c")

    def test_two_groups(self):
        self.everywhere("two_groups.c")

    def test_parts(self):
        self.everywhere("parts.c")

    def test_operations(self):
        self.everywhere("operations.c")

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

    def test_grids(self):
        self.everywhere("grids.c")

    def test_graphs(self):
        self.everywhere("graphs.c")

    def test_neighbours(self):
        self.everywhere("neighbours.c")

    def test_moves(self):
        self.everywhere("moves.c")

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

    def test_objects_are_destroyed_at_exit(self):
        self.expect_right(self.ranks(3, self.build(HERE / "programs" / "objects.cpp"), "exit"))

    def test_a_tool_stands_between(self):
        self.everywhere("tool.c")

    def test_described_machine(self):
        machine = {"MASLIN_MACHINE": str(CHECKOUT / "specs" / "cell-qs20.toml")}
        for name in ("collectives.c", "modes.c", "two_groups.c"):
            self.expect_right(self.ranks(6, self.build(HERE / "programs" / name), variables=machine, workers=None))

    def test_destructors_run_once_a_rank(self):
        done = self.ranks(3, self.build(HERE / "programs" / "own_variables.cpp"))
        self.assertEqual(sorted(done.stderr.split("\n")), ["", *(f"destroyed with {5 + rank}" for rank in range(3))])

    def test_a_line_without_an_end_is_printed(self):
        done = self.ranks(2, self.build(HERE / "programs" / "environment.c"), "one", "two words", "",
                          variables={"PLACE": "somewhere"})
        self.assertEqual((done.returncode, done.stderr), (0, "without an end"))

    def test_a_thousand_ranks(self):
        self.expect_right(self.ranks(1000, self.build(HERE / "programs" / "tool.c")))


class RandomMessages(Mpi):
    def test_random_messages(self):
        program = self.build(HERE / "programs" / "random_messages.c")
        for seed in range(20):
            count, workers = 1 + seed * 5 % 13, (1, 2, 3, 8)[seed % 4]
            with self.subTest(seed=seed, ranks=count, workers=workers):
                self.expect_right(self.ranks(count, program, seed, 25, workers=workers))


    @unittest.skipUnless(shutil.which("mpicc.openmpi"), "Open MPI is not installed")
    def test_ranks_get_what_they_get_under_another_mpi(self):
        done = self.run_it(sys.executable, "-B", HERE / "many_messages.py", BIN, "--other", "openmpi", "--programs", 40, "--in-a-run", 10,
                           "--processes", "1,2", "--most-bytes", 300000, "--large-one-in", 2, workers=None)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertIn("40 programs in 4 runs, seeds from 1, up to 300,000 bytes a message, also by openmpi: 0 runs failed", done.stdout)

    def test_a_rank_that_gets_something_else_is_told(self):
        ours, theirs = (Path(self.folder.name) / name for name in ("ours", "theirs"))
        rounds = "round 0: 12 bytes, ab\nround 1: 7 bytes, cd\n"
        for file in (ours, theirs):
            for rank in range(2):
                Path(f"{file}.{rank}").write_text(rounds)
        self.assertEqual(many_messages.difference(2, ours, theirs), "")
        Path(f"{theirs}.1").write_text(rounds.replace("cd", "ce"))
        self.assertEqual(many_messages.difference(2, ours, theirs),
                         "rank 1 got: round 1: 7 bytes, cd; under the other MPI: round 1: 7 bytes, ce")
        Path(f"{theirs}.1").write_text(rounds[:22])
        self.assertEqual(many_messages.difference(2, ours, theirs), "rank 1 got: 2 rounds; under the other MPI: 1 rounds")


class RandomTypes(Mpi):
    def test_random_types(self):
        program = self.build(HERE / "programs" / "random_types.c")
        for seed in range(20):
            with self.subTest(seed=seed, ranks=1 + seed % 3):
                self.expect_right(self.ranks(1 + seed % 3, program, seed, 100))


class Pages(Mpi):
    """The programs of docs/mpi.md, as they stand there."""

    def blocks(self) -> list[str]:
        page = (CHECKOUT / "docs" / "mpi.md").read_text(encoding="utf-8")
        return re.findall(r"^```(?:c|text|toml)\n(.*?)^```$", page, re.DOTALL | re.MULTILINE)

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


    @unittest.skipUnless((BIN / "maslin").exists(), "maslin is not built")
    def test_what_a_faster_network_would_do(self):
        trace = Path(self.folder.name) / "heat.mtrace"
        program = self.build(self.source("heat.c", 0), options=("-lm",))
        self.expect_right(self.ranks(60, program, workers=1, variables={"MASLIN_TRACE": str(trace)}), "60 ranks: 1000.000000\n")
        done = self.run_it(BIN / "maslin", "replay", trace, "--trim", "--machine", self.source("cluster.toml", 3))
        self.assertEqual(done.returncode, 0, done.stderr)
        # The loop's exchanges; one Allreduce, three calls in MPI_Init and one in MPI_Finalize.
        found = re.fullmatch(program.name + r": 60 ranks, 24000 messages of 0.192 MB in all, 5 calls of all ranks; recorded on 1 workers in \S+ s\n"
                             r"would take (\S+) s on 'cluster'\n"
                             r"  (\S+) s with links of twice the bandwidth\n"
                             r"  (\S+) s with links that begin in half the time\n"
                             r"  (\S+) s if messages took no time\n"
                             r"  (\S+) s is what the rank computes that computes most\n", done.stdout)
        self.assertTrue(found, done.stdout)
        here, bandwidth, startup, no_links, computes = (float(one) for one in found.groups())
        # 200 exchanges of 8 bytes, over 2 us each: the start-up counts, and the bandwidth does not.
        self.assertGreater(here, 400e-6)
        self.assertAlmostEqual(bandwidth, here, delta=0.05 * here)
        self.assertLess(startup, here - 150e-6)
        self.assertLess(no_links, startup)
        self.assertLessEqual(computes, no_links * 1.001)

    @unittest.skipUnless((BIN / "maslin").exists(), "maslin is not built")
    def test_a_trace_holds_all_that_ranks_exchange(self):
        trace = Path(self.folder.name) / "moves.mtrace"
        machine = self.source("cluster.toml", 3)
        for count in (1, 2, 5, 8):
            with self.subTest(ranks=count):
                self.expect_right(self.ranks(count, self.build(HERE / "programs" / "moves.c"), workers=1, variables={"MASLIN_TRACE": str(trace)}))
                done = self.run_it(BIN / "maslin", "replay", trace, "--json", "--machine", machine)
                self.assertEqual(done.returncode, 0, done.stderr)
                said = json.loads(done.stdout)
                # moves.c says what it sends.
                self.assertEqual((said["messages"], said["message_bytes"], said["calls_of_all"]), (4 * count, 17016 * count, 19 if count > 1 else 0))

    @unittest.skipUnless((BIN / "maslin").exists(), "maslin is not built")
    def test_random_messages_are_replayed(self):
        """Whatever ranks did, nobody waits for what does not come."""
        trace, machine = Path(self.folder.name) / "random.mtrace", self.source("cluster.toml", 3)
        for seed in range(6):
            with self.subTest(seed=seed):
                program = self.build(HERE / "programs" / "random_messages.c")
                self.expect_right(self.ranks(2 + seed, program, seed, 5, 100000, workers=1 + seed % 2, variables={"MASLIN_TRACE": str(trace)}))
                done = self.run_it(BIN / "maslin", "replay", trace, "--json", "--machine", machine)
                self.assertEqual(done.returncode, 0, done.stderr)
                said = json.loads(done.stdout)
                self.assertGreater(said["messages"], 0)
                self.assertLessEqual(said["no_links_s"], said["seconds"])

    @unittest.skipUnless((BIN / "maslin").exists(), "maslin is not built")
    def test_processes_are_replayed_as_one_job(self):
        """Their traces hold together what the trace of one process holds."""
        folder, machine = Path(self.folder.name), self.source("cluster.toml", 3)
        program = self.build(HERE / "programs" / "random_messages.c")

        def record(name: str, **how) -> list[Path]:
            self.expect_right(self.ranks(5, program, 3, 5, 100000, workers=1, variables={"MASLIN_TRACE": str(folder / name)}, **how))
            return sorted(folder.glob(name.replace("%p", "*")))

        def replay(*traces: Path) -> subprocess.CompletedProcess:
            return self.run_it(BIN / "maslin", "replay", *traces, "--json", "--machine", machine)

        def said(*traces: Path) -> dict:
            done = replay(*traces)
            self.assertEqual(done.returncode, 0, done.stderr)
            return json.loads(done.stdout)

        whole = said(*record("one.mtrace"))
        parts = record("part-%p.mtrace", processes=3)
        self.assertEqual(len(parts), 3)
        together = said(*parts)
        for key in ("program", "ranks", "messages", "message_bytes", "calls_of_all"):
            self.assertEqual(together[key], whole[key], key)
        self.assertEqual(together["recorded_workers"], 3)
        self.assertLessEqual(together["no_links_s"], together["seconds"])
        for traces, why in ((parts[:2], "ranks do not end in it; record a job that ends, and give the traces of all its processes"),
                            ((parts[0], parts[0]), "give each trace of one job once")):
            done = replay(*traces)
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertIn(why, done.stderr)


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


class EndsOfProcesses(Mpi):
    """Nobody hangs, and nothing is left."""

    def failed(self, which: str, status: int, *said: str, processes: int = 2, **more) -> str:
        return super().failed(which, status, *said, processes=processes, workers=1, **more)

    def test_a_rank_ends_the_job(self):
        self.failed("aborts", 9, "rank 2: MPI_Abort with code 9 at failures.c:")
        self.failed("leaves", 1, "rank 1 ended with status 0 and without MPI_Finalize")
        self.failed("exits", 3, "rank 1 ended with status 3 and without MPI_Finalize")
        self.failed("truncated", 15, "rank 1: MPI_Recv at failures.c:", "a message of 800 bytes from rank 0 with tag 7", processes=3)
        self.failed("other numbers", 3, "8 bytes that begin with int from rank 0", "8 bytes that begin with double;", processes=3)
        self.failed("other numbers, later", 3, "4000 bytes that begin with float from rank 0", "4000 bytes that begin with long;", processes=3)
        self.failed("rank", 6, "there is no rank 9; expected 0 to 2 in MPI_COMM_WORLD")

    def test_calls_that_do_not_go_together(self):
        same = "all ranks of a communicator must call the same: "
        self.failed("other call", 16, same + "rank 0 calls MPI_Barrier at failures.c:",
                    "rank 1 calls MPI_Bcast with root 0 at failures.c:", processes=3)
        self.failed("other root", 16, "rank 0 calls MPI_Bcast with root 0", "rank 2 calls MPI_Bcast with root 1")
        self.failed("other operation", 10, "rank 0 calls MPI_Allreduce", "rank 2 calls MPI_Allreduce")
        self.failed("other type", 10, "with MPI_INT and MPI_SUM, rank 1 calls MPI_Allreduce at failures.c:", "with MPI_FLOAT and MPI_SUM\n")
        self.failed("other count", 15, "rank 0 calls MPI_Allreduce", "with 1,", "rank 1 calls MPI_Allreduce", "with 2")
        self.assertRegex(self.failed("long part", 15), r"rank [12] gives 40[48] bytes to rank 0, which has room for 400\n")

    def test_crashes(self):
        self.failed("crashes", -11, "rank 1: Segmentation fault at address", "from failures.c:")
        self.failed("abort", -6, "rank 2: Aborted", "from failures.c:")

    def test_what_was_said_before_an_abort_is_printed(self):
        done = self.ranks(3, self.build(HERE / "failures" / "failures.c"), "half a line", processes=3, workers=1)
        self.assertEqual((done.returncode, done.stdout), (1, 3 * "half a line"), done.stderr)

    def test_all_wait_for_each_other(self):
        begin = "maslin-mpirun: all ranks wait for each other:\n"
        said = self.failed("stuck", 16, begin, "rank 0 waits to receive from rank 1 with tag 5, at failures.c:",
                           "rank 2 waits to meet all ranks of its communicator, at failures.c:",
                           "a cycle: rank 0 waits for rank 1 waits for rank 0", processes=3)
        self.assertEqual(said.count("\n"), 5)
        self.failed("all send", 16, begin, "a cycle: rank 0 waits for rank 1 waits for rank 2 waits for rank 0")
        self.failed("probes", 16, begin, "rank 1 waits to probe rank 2 for tag 8")
        self.failed("other tag", 16, begin, "rank 0 waits to send to rank 1 with tag 4")
        self.failed("nobody sends", 16, begin, "waits to receive from any rank with any tag")
        self.failed("one is missing", 16, begin, "rank 2 waits to receive from rank 0 with tag 6", processes=3)

    def endless(self) -> Path:
        file = Path(self.folder.name) / "endless.c"
        file.write_text("#include <mpi.h>\n#include <stdio.h>\n#include <unistd.h>\n"
                        "int main(int n, char **w) {\n  int me, all, in = 0;\n  MPI_Init(&n, &w);\n"
                        "  MPI_Comm_rank(MPI_COMM_WORLD, &me);\n  MPI_Comm_size(MPI_COMM_WORLD, &all);\n"
                        "  printf(\"%d\\n\", (int)getpid());\n"
                        "  for (;;) MPI_Sendrecv(&me, 1, MPI_INT, (me + 1) % all, 0, &in, 1, MPI_INT, (me + all - 1) % all, 0,\n"
                        "                        MPI_COMM_WORLD, MPI_STATUS_IGNORE);\n}\n")
        return self.build(file)

    def start_endless(self) -> tuple[subprocess.Popen, list[int]]:
        variables = {key: value for key, value in os.environ.items() if not key.startswith("MASLIN")}
        job = subprocess.Popen([BIN / "maslin-mpirun", "-n", "4", "--processes", "2", self.endless()], text=True,
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                               env=variables | {"MASLIN_WORKERS": "1", "MASLIN_LEARNED": "off"})
        pids = sorted({int(job.stdout.readline()) for _ in range(4)})
        self.assertEqual(len(pids), 2)
        return job, pids

    def expect_gone(self, pids: list[int]) -> None:
        for _ in range(500):
            if not any(Path(f"/proc/{pid}").exists() for pid in pids):
                return
            time.sleep(0.02)
        self.fail(f"{pids} are still there")

    def test_a_process_is_killed(self):
        for which in (0, 1):
            left = set(os.listdir("/dev/shm"))
            job, pids = self.start_endless()
            os.kill(pids[which], signal.SIGKILL)
            _, said = job.communicate(timeout=LIMIT_S)
            self.assertEqual(job.returncode, 137, said)
            self.assertRegex(said, r"^maslin-mpirun: process [01] \(ranks [02] to [13]\) was ended by signal 9 \(Killed\)\n$")
            self.expect_gone(pids)
            self.assertEqual(set(os.listdir("/dev/shm")) - left, set())

    def test_the_launcher_is_killed(self):
        left = set(os.listdir("/dev/shm"))
        job, pids = self.start_endless()
        job.kill()
        job.communicate(timeout=LIMIT_S)
        self.expect_gone(pids)
        self.assertEqual(set(os.listdir("/dev/shm")) - left, set())

    @unittest.skipIf(os.geteuid() != 0, "only root starts the jobs of two users")
    def test_jobs_of_two_users_do_not_see_each_other(self):
        file = Path(self.folder.name) / "of_a_user.c"
        file.write_text("""#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
static int numbers[100000];
int main(int n, char **w) {
  const int mine = atoi(w[1]);
  int me, all;
  MPI_Init(&n, &w);
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  MPI_Comm_size(MPI_COMM_WORLD, &all);
  if (me == 0) printf("%d has begun\\n", (int)getuid()), getchar();
  MPI_Barrier(MPI_COMM_WORLD);
  long long sum = 0, of_all = 0;
  for (int i = 0; i < 500; ++i) {
    const int count = i % 2 ? 100000 : 10;  /* a small message, and one that is copied from another process */
    numbers[0] = numbers[count - 1] = mine * 1000 + me;
    MPI_Sendrecv_replace(numbers, count, MPI_INT, (me + 1) % all, 0, (me + all - 1) % all, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    sum += numbers[0] + numbers[count - 1];
  }
  MPI_Allreduce(&sum, &of_all, 1, MPI_LONG_LONG, MPI_SUM, MPI_COMM_WORLD);
  if (me == 0) printf("%lld\\n", of_all);
  MPI_Finalize();
}
""")
        program, ranks = self.build(file), 4
        Path(self.folder.name).chmod(0o755)
        environment = {"PATH": os.environ["PATH"], "MASLIN_WORKERS": "1", "MASLIN_LEARNED": "off", "HOME": "/"}
        users = {65501: 3, 65502: 8}
        for needed in (BIN / "maslin-mpirun", program):
            found = subprocess.run(["test", "-r", needed, "-a", "-x", needed], user=65501, group=65501, extra_groups=[], check=False)
            if found.returncode != 0:
                self.skipTest(f"other users cannot run {needed}")

        def theirs() -> list[str]:
            return [one.name for one in os.scandir("/dev/shm") if one.stat(follow_symlinks=False).st_uid in users]

        jobs = {user: subprocess.Popen([BIN / "maslin-mpirun", "-n", str(ranks), "--processes", "2", program, str(number)],
                                       user=user, group=user, extra_groups=[], env=environment, cwd="/", text=True,
                                       stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
                for user, number in users.items()}
        try:
            for user, job in jobs.items():
                self.assertEqual(job.stdout.readline(), f"{user} has begun\n")
            self.assertEqual(theirs(), [])  # nor has their memory a name while both run
            for job in jobs.values():
                job.stdin.write("\n")
                job.stdin.flush()
            for user, job in jobs.items():
                printed, said = job.communicate(timeout=LIMIT_S)
                expected = 500 * 2 * sum(users[user] * 1000 + rank for rank in range(ranks))
                self.assertEqual((job.returncode, printed, said), (0, f"{expected}\n", ""))
        finally:
            for job in jobs.values():
                if job.poll() is None:
                    job.kill()
                    job.communicate()
        self.assertEqual(theirs(), [])

    def test_a_signal_to_the_launcher_ends_all(self):
        for one in (signal.SIGTERM, signal.SIGINT):
            job, pids = self.start_endless()
            job.send_signal(one)
            _, said = job.communicate(timeout=LIMIT_S)
            self.assertEqual((job.returncode, said), (-one, ""))
            self.expect_gone(pids)

    def test_a_process_that_leaves_by_itself(self):
        file = Path(self.folder.name) / "leaves.c"
        file.write_text("#include <mpi.h>\n#include <unistd.h>\nint main(int n, char **w) {\n  int me;\n  MPI_Init(&n, &w);\n"
                        "  MPI_Comm_rank(MPI_COMM_WORLD, &me);\n  if (me == 2) _exit(0);\n"
                        "  MPI_Barrier(MPI_COMM_WORLD);\n  MPI_Finalize();\n}\n")
        done = self.ranks(3, self.build(file), processes=3, workers=1)
        self.assertEqual((done.returncode, done.stderr),
                         (1, "maslin-mpirun: process 2 (rank 2) ended with status 0 before its ranks had\n"))


class Failures(Mpi):
    def place(self, text: str) -> str:
        """Gives the first line of the program that has this text."""
        lines = (HERE / "failures" / "failures.c").read_text(encoding="utf-8").split("\n")
        return f"failures.c:{next(n for n, line in enumerate(lines, 1) if text in line)}"

    def place_of(self, which: str) -> str:
        """Gives the line on which the program makes this mistake."""
        return self.place(f'"{which}"')

    def test_all_wait_for_each_other(self):
        begin = "maslin-mpirun: all ranks wait for each other:\n"
        self.failed("stuck", 16, begin, f"rank 0 waits to receive from rank 1 with tag 5, at {self.place_of('stuck')}",
                    f"rank 2 waits to meet all ranks of its communicator, at {self.place('// all meet')}",
                    "a cycle: rank 0 waits for rank 1 waits for rank 0")
        waits = [f"  rank {rank} waits to send to rank {(rank + 1) % 3} with tag 3, at {self.place_of('all send')}\n"
                 for rank in range(3)]
        cycle = "  a cycle: rank 0 waits for rank 1 waits for rank 2 waits for rank 0\n"
        self.assertEqual(self.failed("all send", 16), "".join([begin, *waits, cycle]))
        said, waits = self.failed("nobody sends", 16), "waits to receive from any rank with any tag"
        self.assertRegex(said, "".join(f"  rank {rank} {waits}, at failures.c:[0-9]+\n" for rank in range(3)))
        self.failed("probes", 16, begin, f"rank 1 waits to probe rank 2 for tag 8, at {self.place_of('probes')}",
                    "a cycle: rank 0 waits for rank 1 waits for rank 2 waits for rank 0")
        said = self.failed("one of several", 16, begin)
        self.assertRegex(said, "rank 0 waits to complete one of 2 requests, at failures.c:[0-9]+\n")
        self.assertRegex(said, "rank 1 waits to receive from rank 2 with tag 1, at failures.c:[0-9]+\n")
        self.failed("started", 16, begin, "rank 0 waits to meet all ranks of its communicator", "rank 1 waits to receive")
        place = self.place_of("small and synchronous")
        self.failed("small and synchronous", 16, begin, f"rank 2 waits to send to rank 0 with tag 3, at {place}")
        self.failed("one is missing", 16, begin, "rank 0 waits to meet all ranks of its communicator",
                    "rank 2 waits to receive from rank 0 with tag 6")

    def test_messages_that_do_not_match(self):
        for which, sends, receives in (("other tag", "MPI_Ssend(", "0, 5, MPI_COMM_WORLD, MPI_STATUS"),
                                       ("other communicator", "1, 4, part)", "0, 4, MPI_COMM_WORLD, MPI_STATUS")):
            self.failed(which, 16, f"rank 0 waits to send to rank 1 with tag 4, at {self.place(sends)}",
                        f"rank 1 waits to receive from rank 0 with tag {receives[3]}, at {self.place(receives)}")

    def test_different_calls(self):
        same = "all ranks of a communicator must call the same: "
        self.failed("other call", 16, same + "rank 0 calls MPI_Barrier at failures.c:",
                    "rank 1 calls MPI_Bcast with root 0 at failures.c:")
        self.failed("other started call", 16, same + "rank 0 calls MPI_Ibarrier at failures.c:",
                    "rank 1 calls MPI_Ibcast with root 0 at failures.c:")
        split = self.place("MPI_Comm_split(MPI_COMM_WORLD, 0,")
        self.failed("one duplicates", 16, f"{same}rank 0 calls MPI_Comm_split at {split}, "
                    f"rank 1 calls MPI_Comm_dup at {self.place('if (me == 1) MPI_Comm_dup(')}\n")
        self.failed("one is done", 16, f"{same}rank 0 calls MPI_Barrier at {self.place('// all meet')}, "
                    f"rank 1 calls MPI_Finalize at {self.place_of('one is done')}\n")
        # Ranks are named as in MPI_COMM_WORLD, also where they have other numbers.
        gather = self.place("MPI_Gather(data, 1,")
        self.failed("of a part", 16, f"{same}rank 2 calls MPI_Gather with root 0 at {gather}, "
                    f"rank 1 calls MPI_Bcast with root 0 at {self.place('MPI_Bcast(data, 1, MPI_INT, 0, part)')}\n")

    def test_different_roots(self):
        self.failed("other root", 16, "rank 0 calls MPI_Bcast with root 0", "rank 2 calls MPI_Bcast with root 1")

    def test_different_operations(self):
        same = "all ranks must name the same type and operation: "
        self.failed("other operation", 10, same + "rank 0 calls MPI_Allreduce", "with MPI_INT and MPI_SUM, rank 2 calls MPI_Allreduce",
                    "with MPI_INT and MPI_MAX\n")
        place = self.place("MPI_FLOAT : MPI_INT")
        self.failed("other type", 10, f": MPI_Allreduce at {place}: {same}rank 0 calls MPI_Allreduce at {place} with MPI_INT and MPI_SUM, "
                    f"rank 1 calls MPI_Allreduce at {place} with MPI_FLOAT and MPI_SUM\n")

    def test_different_counts(self):
        self.failed("other count", 15, "rank 0 calls MPI_Allreduce", "with 1,", "rank 1 calls MPI_Allreduce", "with 2")
        self.assertRegex(self.failed("many more", 15), r"rank [12] gives 40[48] bytes, rank 0 400; expected the same\n")
        said = self.failed("long part", 15)
        self.assertRegex(said, r"rank [12] gives 40[48] bytes to rank 0, which has room for 400\n")

    def test_truncated(self):
        self.failed("truncated", 15, "rank 1: MPI_Recv at failures.c:", "a message of 800 bytes from rank 0 with tag 7",
                    "receives 40 bytes; make room for as many as are sent")

    def test_other_numbers_than_are_sent(self):
        place = self.place("MPI_Recv(data, 1, MPI_DOUBLE, 0, 7")
        self.failed("other numbers", 3, f"rank 1: MPI_Recv at {place}: rank 1 received a message of 8 bytes that begin with int from rank 0 "
                    f"with tag 7, but {place} receives 8 bytes that begin with double; receive elements of the type that is sent")
        self.failed("other numbers, later", 3, f"rank 1: MPI_Wait at {self.place('MPI_Irecv(data, 500, MPI_LONG')}",
                    "4000 bytes that begin with float from rank 0", "4000 bytes that begin with long;")

    def test_wrong_arguments(self):
        for which, status, said in (
            ("rank", 6, "MPI_Send at PLACE: there is no rank 9; expected 0 to 2 in MPI_COMM_WORLD"),
            ("tag", 4, "MPI_Recv at PLACE: tag -7; expected one from 0"),
            ("type", 3, "MPI_Send at PLACE: there is no datatype 7777"),
            ("count", 2, "MPI_Isend at PLACE: count -4; expected one from 0"),
            ("null buffer", 1, "MPI_Send at PLACE: the buffer is a null pointer"),
            ("communicator", 5, "MPI_Send at PLACE: the communicator is MPI_COMM_NULL"),
        ):
            with self.subTest(which):
                found = self.failed(which, status)
                self.assertEqual(found, f"maslin-mpirun: rank 1: {said.replace('PLACE', self.place_of(which))}\n")
        for which, status, *said in (
            ("root", 8, "MPI_Bcast at failures.c:", "there is no rank 3; expected 0 to 2 in MPI_COMM_WORLD"),
            ("operation", 10, "MPI_BXOR does not combine elements of MPI_FLOAT"),
            ("no buffer is attached", 1, "20 bytes do not fit into what MPI_Buffer_attach gave (0 bytes, "),
            ("request", 7, "MPI_Wait at failures.c:", "there is no request 12345"),
            ("named communicator", 6, "there is no rank 3; expected 0 to 2 in the pressure solver"),
            ("uncommitted", 3, "the datatype needs MPI_Type_commit first"),
            ("in place", 1, "rank 1: MPI_Gather at failures.c:", "MPI_IN_PLACE has no meaning here"),
            ("same buffer", 1, "the same buffer is given and wanted; MPI_IN_PLACE says so"),
        ):
            with self.subTest(which):
                self.failed(which, status, *said)

    def test_too_early_and_too_late(self):
        self.failed("too early", 16, "MPI_Barrier at failures.c:", "called before MPI_Init")
        self.failed("too late", 16, "MPI_Barrier at failures.c:", "called after MPI_Finalize")
        self.failed("twice", 16, "MPI_Init is called a second time")

    def test_ranks_that_leave(self):
        self.failed("leaves", 1, "rank 1 ended with status 0 and without MPI_Finalize")
        self.failed("exits", 3, "rank 1 ended with status 3 and without MPI_Finalize")
        self.failed("aborts", 9, f"rank 2: MPI_Abort with code 9 at {self.place_of('aborts')}")
        self.failed("status", 5)
        self.assertEqual(self.failed("exit late", 4), 3 * "an exit handler ran\n")

    def test_what_was_said_before_an_abort_is_printed(self):
        done = self.ranks(3, self.build(HERE / "failures" / "failures.c"), "half a line")
        # Code 256 would be status 0.
        self.assertEqual((done.returncode, done.stdout), (1, 3 * "half a line"), done.stderr)
        self.assertIn("rank 1: MPI_Abort with code 256", done.stderr)

    def test_crashes(self):
        self.failed("crashes", -11, "rank 1: Segmentation fault at address", f"from {self.place_of('crashes')}")
        self.failed("abort", -6, "rank 2: Aborted", f"from {self.place_of('abort')}")
        self.failed("divides", -8, "rank 1: Floating point exception", f"from {self.place_of('divides')}")

    def test_a_stack_that_is_too_small(self):
        said = self.failed("deep", -11, "the stack of a fiber is too small", "MASLIN_STACK=8M; set it to more",
                           "rank 1: Segmentation fault at address")
        self.assertEqual(said.count(self.place("deep(n + 1)")), 1)  # not once a frame
        program = self.build(HERE / "failures" / "failures.c")
        self.failed("wide", -11, "the stack of a fiber is too small")
        self.expect_right(self.run_it(BIN / "maslin-mpirun", "-n", 3, "--stack", "32M", program, "wide"), "1\n")
        self.expect_right(self.ranks(3, program, "wide", variables={"MASLIN_STACK": "32M"}), "1\n")

    def test_an_exception_that_nobody_catches(self):
        for thrown, said in (("error", ": of mine"), ("number", "")):
            done = self.ranks(3, self.build(HERE / "failures" / "uncaught.cpp"), thrown)
            self.assertEqual((done.returncode, done.stderr),
                             (1, f"maslin-mpirun: rank 1: an exception was not caught{said}\n"))

    def test_no_such_program(self):
        cut = Path(self.folder.name) / "cut"
        cut.write_bytes(self.build(HERE / "failures" / "failures.c").read_bytes()[:3000])
        for program, said in ((BIN / "maslin", "build it with maslin-mpicc, maslin-mpicxx or maslin-mpif90"),
                              ("./nowhere", "cannot be read (No such file or directory)"),
                              (HERE, "cannot be read (Is a directory)"),
                              ("nowhere", "there is no program 'nowhere' in PATH"), (cut, "is no program"),
                              (HERE / "failures/failures.c", "is no program"),
                              (next((BIN.parent / "src").glob("libmaslin.so")), "expected one that maslin-mpicc")):
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

    def test_lines_are_not_mixed(self):
        program = self.build(HERE / "failures/failures.c")
        expected = sorted(f"rank {rank} says {i} times" for rank in range(8) for i in range(200))
        for workers in (1, 2, 8):
            done = self.ranks(8, program, "many lines", workers=workers)
            self.assertEqual((done.returncode, sorted(done.stdout.splitlines())), (0, expected))

    def test_words_behind_the_program_are_its_own(self):
        words = ["--help", "-n", "--tag-output", "", "two words", "*"]
        program = Path(self.folder.name) / "a name with blanks"
        shutil.copy(self.build(HERE / "failures/failures.c"), program)
        done = self.run_it(BIN / "maslin-mpirun", "-n", 3, "--tag-output", program, "arguments", *words)
        self.assertEqual((done.returncode, done.stdout), (0, "".join(f"[rank 2] {word}\n" for word in words[::2])))
        self.assertEqual(done.stderr, "".join(f"[rank 2] {word}\n" for word in words[1::2]))

    def test_a_program_is_found_in_path(self):
        program = self.build(HERE / "failures/failures.c")
        path = f"/nowhere:{program.parent}:{os.environ['PATH']}"
        done = self.ranks(2, program.name, "prints", variables={"PATH": path})
        self.assertEqual((done.returncode, sorted(done.stdout.split())), (0, ["0", "1", "has", "has", "said", "said"]))

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
        self.assertRegex(self.run_it(BIN / "maslin-mpicxx", "--help").stdout,
                         r"\Amaslin-mpicxx OPTIONS(.*\n)+\nExit status:\n  2 .*\n  others    the compiler's\n\Z")
        self.assertTrue(self.run_it(BIN / "maslin-mpicc", "--version").stdout.startswith("maslin-mpicc "))
        for command in ("maslin-mpirun", "maslin-mpicxx"):
            done = self.run_it(BIN / command, "--version")
            self.assertEqual((done.returncode, done.stdout.split()[0]), (0, command))
        done = self.run_it(BIN / "maslin-mpirun", "--help")
        self.assertEqual(done.returncode, 0)
        for said in ("-n,--np RANKS", "--tag-output", "--stack SIZE", "Examples:"):
            self.assertIn(said, done.stdout)
        done = self.run_it(BIN / "maslin-mpicc")
        self.assertEqual((done.returncode, done.stderr.count("\n")), (2, 1))
        self.assertIn("maslin-mpicc: no files", done.stderr)
        done = self.run_it(BIN / "maslin-mpicc", "-static", "a.c")
        self.assertEqual((done.returncode, done.stderr.count("\n")), (2, 1))

    def test_what_maslin_mpirun_refuses(self):
        for words, said in ((["-n", "2"], "no program is named"), (["--tag-outptu", "./a"], "did you mean --tag-output?"),
                            (["-n", "0", "./a"], "-n"), (["-n", "many", "./a"], "many not in range"),
                            (["-n"], "RANKS")):
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
        for name in ("ring", "sources", "units", "requests", "reductions", "layouts", "grids", "graphs", "names", "started", "persistent", "groups"):
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
