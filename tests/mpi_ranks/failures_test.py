"""What is told where a program is wrong."""

import unittest
from pathlib import Path

from jobs import BIN, HERE, Mpi


class Failures(Mpi):
    def place(self, text: str) -> str:
        """Gives the first line of the program that has this text."""
        lines = (HERE / "failures" / "failures.c").read_text(encoding="utf-8").split("\n")
        return f"failures.c:{next(n for n, line in enumerate(lines, 1) if text in line)}"

    def after(self, place: str, text: str) -> str:
        """Gives the first line with this text, from that one on."""
        first = int(place.partition(":")[2])
        lines = (HERE / "failures" / "failures.c").read_text(encoding="utf-8").split("\n")
        return f"failures.c:{next(n for n, line in enumerate(lines, 1) if n >= first and text in line)}"

    def place_of(self, which: str) -> str:
        """Gives the line on which the program makes this mistake."""
        return self.place(f'"{which}"')

    def test_all_wait_for_each_other(self):
        begin = "maslin-mpirun: all ranks wait for each other:\n"
        self.failed("stuck", 16, begin,
                    f"rank 0 waits to receive from rank 1 with tag 5 of MPI_COMM_WORLD, in MPI_Recv at {self.place_of('stuck')}\n",
                    "rank 2 waits for ranks 0 and 1 to come to a call of all ranks of MPI_COMM_WORLD, "
                    f"in MPI_Barrier at {self.place('// all meet')}\n",
                    "a cycle: rank 0 waits for rank 1 waits for rank 0")
        waits = [f"  rank {rank} waits to send to rank {(rank + 1) % 3} with tag 3 of MPI_COMM_WORLD, "
                 f"in MPI_Send at {self.place_of('all send')}\n" for rank in range(3)]
        cycle = "  a cycle: rank 0 waits for rank 1 waits for rank 2 waits for rank 0\n"
        self.assertEqual(self.failed("all send", 16), "".join([begin, *waits, cycle]))
        begun = self.place("MPI_Irecv(data, 1, MPI_INT, MPI_ANY_SOURCE")
        waits = [f"  rank {rank} waits to receive from any rank with any tag of MPI_COMM_WORLD, begun in MPI_Irecv at {begun}, "
                 f"in MPI_Wait at {self.after(begun, 'MPI_Wait(')}\n" for rank in range(3)]
        self.assertEqual(self.failed("nobody sends", 16),
                         "".join([begin, *waits, "  none of ranks 0, 1 and 2 goes on before another of them does\n"]))
        self.failed("probes", 16, begin, f"rank 1 waits to probe rank 2 for tag 8 of MPI_COMM_WORLD, in MPI_Probe at {self.place_of('probes')}",
                    "a cycle: rank 0 waits for rank 1 waits for rank 2 waits for rank 0")
        self.failed("started", 16, begin, "rank 1 waits to receive from rank 0",
                    "rank 0 waits for rank 1 to come to a call of all ranks of MPI_COMM_WORLD, begun in MPI_Ibarrier at "
                    f"{self.place('MPI_Ibarrier(')}, in MPI_Wait at {self.after(self.place('MPI_Ibarrier('), 'MPI_Wait(')}\n",
                    "a cycle: rank 0 waits for rank 1 waits for rank 0\n")
        place = self.place_of("small and synchronous")
        self.failed("small and synchronous", 16, begin,
                    f"rank 2 waits to send to rank 0 with tag 3 of MPI_COMM_WORLD, in MPI_Ssend at {place}")
        self.failed("one is missing", 16, begin, "rank 0 waits for rank 2 to come to a call of all ranks",
                    "rank 2 waits to receive from rank 0 with tag 6", "a cycle: rank 0 waits for rank 2 waits for rank 0\n")

    def test_requests_for_which_ranks_wait_are_told(self):
        for processes in (1, 2, 3):
            with self.subTest(processes=processes):
                begun = self.place_of("one of several")
                said = self.failed("one of several", 16, processes=processes)
                received, waited = self.after(begun, "MPI_Irecv("), self.after(begun, "MPI_Waitany(")
                self.assertIn(f"  rank 0 waits to complete one of 2 requests, in MPI_Waitany at {waited}:\n" +
                              "".join(f"    to receive from rank 1 with tag {tag} of MPI_COMM_WORLD, begun in MPI_Irecv at {received}\n"
                                      for tag in range(2)) +
                              f"  rank 1 waits to receive from rank 2 with tag 1 of MPI_COMM_WORLD, begun in MPI_Irecv at {received}, "
                              f"in MPI_Waitany at {waited}\n", said)
                self.assertTrue(said.endswith("\n  a cycle: rank 0 waits for rank 1 waits for rank 2 waits for rank 0\n"), said)
                begun = self.place_of("all of several")
                said = self.failed("all of several", 16, processes=processes)
                first, second = self.after(begun, "MPI_Irecv(data"), self.after(begun, "MPI_Irecv(&data[i]")
                self.assertIn(f"  rank 2 waits to complete 66 requests, in MPI_Waitall at {self.after(begun, 'MPI_Waitall(')}:\n"
                              f"    to send to rank 0 with tag 7 of MPI_COMM_WORLD, begun in MPI_Isend at {self.after(begun, 'MPI_Isend(')}\n"
                              f"    to receive from rank 1 with tag 1 of MPI_COMM_WORLD, begun in MPI_Irecv at {first}\n"
                              f"    64 times to receive from rank 1 with tag 2 of MPI_COMM_WORLD, begun in MPI_Irecv at {second}\n"
                              "  a cycle: rank 0 waits for rank 1 waits for rank 2 waits for rank 0\n", said)
                # Rank 0 would go on if one of the others sent: no two of them are a cycle.
                said = self.failed("one of two ranks", 16, processes=processes)
                self.assertTrue(said.endswith("\n  none of ranks 0, 1 and 2 goes on before another of them does\n"), said)

    def test_who_has_not_come_to_a_call_is_told(self):
        split, sums = self.place("// the other way round"), self.place("MPI_SUM, part)")
        for processes in (1, 2, 3):
            # Rings and slots are for ranks that have a worker each, and a long sum is divided.
            for workers, words, of in ((1, (), f"the communicator made in MPI_Comm_split at {split}"), (3, ("sums",), "'sums'"), (3, ("sums", "long"), "'sums'")):
                with self.subTest(processes=processes, workers=workers, words=words):
                    done = self.ranks(3, self.build(HERE / "failures" / "failures.c"), "one does not come", *words, processes=processes, workers=workers)
                    waits = f"waits for rank 1 to come to a call of all ranks of {of}, in MPI_Allreduce at {sums}\n"
                    self.assertEqual(done.stderr, f"maslin-mpirun: all ranks wait for each other:\n  rank 0 {waits}"
                                     f"  rank 1 waits to receive from rank 2 with tag 6 of {of}, in MPI_Recv at {self.place('0, 6, part')}\n"
                                     f"  rank 2 {waits}  a cycle: rank 1 waits for rank 2 waits for rank 1\n")
                    self.assertEqual(done.returncode, 16)
            # Rank 1 has come, too: it has started the call.
            self.failed("one has come", 16, "rank 0 waits for rank 2 to come to a call of all ranks of MPI_COMM_WORLD, begun in MPI_Ibarrier at ",
                        "a cycle: rank 0 waits for rank 2 waits for rank 1 waits for rank 0\n", processes=processes)

    def test_messages_that_do_not_match(self):
        for which, sends, receives in (("other tag", "MPI_Ssend(", "0, 5, MPI_COMM_WORLD, MPI_STATUS"),
                                       ("other communicator", "1, 4, part)", "0, 4, MPI_COMM_WORLD, MPI_STATUS")):
            of = "MPI_COMM_WORLD" if which == "other tag" else f"the communicator made in MPI_Comm_dup at {self.place('MPI_Comm_dup(MPI_COMM_WORLD')}"
            self.failed(which, 16, f"rank 0 waits to send to rank 1 with tag 4 of {of}, in MPI_S",
                        f"send at {self.place(sends)}" if which == "other tag" else f"Send at {self.place(sends)}",
                        f"rank 1 waits to receive from rank 0 with tag {receives[3]} of MPI_COMM_WORLD, in MPI_Recv at {self.place(receives)}")

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

    def test_edges_that_one_of_their_ranks_does_not_know(self):
        place = self.place("MPI_Dist_graph_create_adjacent(")
        self.assertRegex(self.failed("edge of one rank", 11),
                         f"rank [0-2]: MPI_Dist_graph_create_adjacent at {place}: both ranks of an edge must name it; "
                         "from rank 0 to rank 1, rank 0 names 1, rank 1 names 0\n")
        self.failed("edge of two weights", 11, f": MPI_Dist_graph_create_adjacent at {place}: both ranks of an edge must name "
                    "the same weight; from rank 0 to rank 1, rank 0 names 5, rank 1 names 6\n")

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
        script = Path(self.folder.name) / "run.sh"
        script.write_text("#!/bin/sh\nexec $@\n")
        script.chmod(0o755)
        cut.write_bytes(self.build(HERE / "failures" / "failures.c").read_bytes()[:3000])
        for program, said in ((BIN / "maslin", "build it with maslin-mpicc, maslin-mpicxx or maslin-mpif90. A command that starts a program, as taskset does, goes "
                                               "in front of maslin-mpirun"),
                              ("./nowhere", "cannot be read (No such file or directory)"),
                              (HERE, "cannot be read (Is a directory)"),
                              ("nowhere", "there is no program 'nowhere' in PATH"), (cut, "is no program"),
                              (HERE / "failures/failures.c", "is no program"), (script, "A script that starts it goes in front of maslin-mpirun"),
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


if __name__ == "__main__":
    unittest.main()
