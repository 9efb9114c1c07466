"""Functions that hosts run for ranks."""

import os
import re
import tempfile
import unittest
from pathlib import Path

from jobs import CHECKOUT, HERE, Mpi


class Hosts(Mpi):
    def calls(self, suffix: str):
        return self.build(HERE / "hosts" / f"calls.{suffix}", name=f"calls-{suffix}")

    def test_functions_are_called_by_value_wherever_ranks_are(self):
        for suffix in ("cpp", "c"):
            for count, processes, workers, place in ((1, 1, 1, "block"), (3, 1, 2, "block"), (3, 1, 2, "cyclic"), (2, 2, 1, "block"),
                                                     (5, 3, 2, "cyclic"), (9, 8, 1, "block")):
                with self.subTest(program=suffix, ranks=count, processes=processes, place=place):
                    self.expect_right(self.ranks(count, self.calls(suffix), processes=processes, workers=workers, place=place))
            for variables in ({"MASLIN_SERIAL": "1"}, {"MASLIN_MACHINE": str(CHECKOUT / "specs" / "triblade.toml"), "MASLIN_QUIET": "1"}):
                with self.subTest(program=suffix, **variables):
                    self.expect_right(self.ranks(3, self.calls(suffix), workers=None, variables=variables))

    def test_neighbours_run_on_meanwhile(self):
        """A rank waits in a call for what its neighbour does, which has the same worker."""
        for processes in (1, 2):
            with self.subTest(processes=processes), tempfile.TemporaryDirectory() as folder:
                for pair in range(2):
                    os.mkfifo(f"{folder}/pipe of {pair}")
                self.expect_right(self.ranks(4, self.calls("cpp"), "one for another", processes=processes, workers=1, cwd=folder))

    def test_threads_of_a_rank_call(self):
        for processes in (1, 2):
            with self.subTest(processes=processes):
                self.expect_right(self.ranks(4, self.calls("cpp"), "threads", processes=processes, workers=None, threads=True))

    def test_errors_end_the_job_unless_the_program_takes_them(self):
        for processes in (1, 2):
            for what, status, said in (
                    ("nothing", 16, r"rank 1: MPIX_Host_call at calls\.c:\d+: call of 'nothing': there is no such function; there are "
                                      r"'fail', 'print', 'through', 'append'\n"),
                    ("x", 16, r"rank 1: MPIX_Host_call at calls\.c:\d+: call of 'fail': the function threw: it returned 1, and there is room for 0 bytes\n"),
                    ("e", 3, rf"host of process {processes - 1}: a function that ranks call has called exit\(3\)\n"),
                    ("s", -11, rf"host of process {processes - 1}: Segmentation fault at address 0x8\n  from calls\.c:\d+\n(  from \S+\n)*"),
                    ("m", 16, r"a host: MPI_Barrier at calls\.c:\d+: functions that a host runs cannot call it\n"),
                    ("i", 16, r"a host: MPI_Init at calls\.c:\d+: functions that a host runs cannot call it\n")):
                with self.subTest(what=what, processes=processes):
                    done = self.ranks(2, self.calls("c"), what, processes=processes, workers=1)
                    self.assertRegex(done.stderr, rf"^maslin-mpirun: {said}$")
                    self.assertEqual(done.returncode, status)

    def test_lines_that_hosts_print_are_whole(self):
        done = self.ranks(4, self.calls("c"), "print", processes=2, workers=1)
        self.assertEqual((done.returncode, done.stdout), (0, 80 * "a line 0\n"), done.stderr)
        done = self.run_it(self.calls("c"), "print")
        self.assertEqual((done.returncode, done.stdout), (0, 20 * "a line 0\n"), done.stderr)

    def test_the_page(self):
        """The programs of docs/mpi.md."""
        page = (CHECKOUT / "docs" / "mpi.md").read_text(encoding="utf-8")
        section = re.search(r"^## Functions that a host runs\n(.*?)^## ", page, re.DOTALL | re.MULTILINE).group(1)
        in_c, said, in_cpp = (re.search(rf"^```{kind}\n(.*?)^```$", section, re.DOTALL | re.MULTILINE).group(1) for kind in ("c", "text", "cpp"))
        with tempfile.TemporaryDirectory() as folder:
            for name, text in (("log.c", in_c), ("norm.cpp", in_cpp)):
                with open(f"{folder}/{name}", "w", encoding="utf-8") as file:
                    file.write(text)
                program = self.build(Path(folder) / name)
                done = self.ranks(6, program, processes=2, workers=1, cwd=folder)
                self.assertEqual(done.returncode, 0, done.stderr)
            with open(f"{folder}/log.txt", encoding="utf-8") as file:
                lines = file.read()
        self.assertEqual(sorted(lines.splitlines()), sorted(said.splitlines()))


if __name__ == "__main__":
    unittest.main(verbosity=2)
