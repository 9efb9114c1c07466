"""The programs of docs/mpi.md, and traces of MPI programs that are replayed."""

import json
import re
import subprocess
import unittest
from pathlib import Path

from jobs import BIN, CHECKOUT, HERE, Mpi


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

    def test_ranks_that_have_threads(self):
        program = self.build(self.source("squares.c", 3), options=("-pthread",))
        self.expect_right(self.ranks(12, program, threads=True), "the squares of 0 to 11: 506\n")

    @unittest.skipUnless((BIN / "maslin").exists(), "maslin is not built")
    def test_what_a_faster_network_would_do(self):
        trace = Path(self.folder.name) / "heat.mtrace"
        program = self.build(self.source("heat.c", 0), options=("-lm",))
        self.expect_right(self.ranks(60, program, workers=1, variables={"MASLIN_TRACE": str(trace)}), "60 ranks: 1000.000000\n")
        done = self.run_it(BIN / "maslin", "replay", trace, "--trim", "--machine", self.source("cluster.toml", 4))
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
        machine = self.source("cluster.toml", 4)
        for count in (1, 2, 5, 8):
            with self.subTest(ranks=count):
                self.expect_right(self.ranks(count, self.build(HERE / "programs" / "moves.c"), workers=1, variables={"MASLIN_TRACE": str(trace)}))
                done = self.run_it(BIN / "maslin", "replay", trace, "--json", "--machine", machine)
                self.assertEqual(done.returncode, 0, done.stderr)
                said = json.loads(done.stdout)
                # moves.c says what it sends.
                self.assertEqual((said["messages"], said["message_bytes"], said["calls_of_all"]), (4 * count, 17016 * count, 19 if count > 1 else 0))

    def replayed_s(self, count: int, what: str) -> float:
        """Gives what timed.cpp takes on nodes of one worker each, which links of 10 us and 1 GB/s join."""
        trace, here, there = (Path(self.folder.name) / name for name in ("timed.mtrace", "here.toml", "there.toml"))
        workers = '[workers]\nkind = "cpu"\ncount = {}\nsource = "a test"\n'
        here.write_text('name = "here"\n' + workers.format(count), encoding="utf-8")
        there.write_text(f'name = "there"\nnodes = {count}\n' + workers.format(1) +
                         '[[link]]\nbetween = "nodes"\nbandwidth_gb_per_s = 1\nlatency_us = 10\nsource = "a test"\n', encoding="utf-8")
        variables = {"MASLIN_MACHINE": str(here), "MASLIN_DURATIONS": "declared", "MASLIN_QUIET": "1", "MASLIN_TRACE": str(trace)}
        self.expect_right(self.ranks(count, self.build(HERE / "prints" / "timed.cpp"), what, workers=None, variables=variables), "")
        done = self.run_it(BIN / "maslin", "replay", trace, "--json", "--machine", there)
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)["seconds"]

    @unittest.skipUnless((BIN / "maslin").exists(), "maslin is not built")
    def test_replays_take_what_links_take(self):
        """What the ranks do between MPI_Init and MPI_Finalize, to which they come together; us."""
        # A small message takes 11 us. A long one, of 100,000 bytes, takes 110, of which it has its link for 100.
        for count, what, less, us in (
                (2, "pingpong", "nothing", 6 * 11 + 6 * 110), (2, "window", "nothing", 8 * 100 + 10 + 10.004),
                # To rank 2, and at once after it to rank 1; then from rank 2 to rank 3.
                (4, "broadcast", "nothing", 2 * 10.008), (4, "sum", "nothing", 2 * 10.008),
                # Half of all bytes to the next rank, and to the one after it.
                (4, "exchange", "nothing", 2 * (10 + 2)),
                # The second sum has the link when the first has passed it.
                (2, "crosswise", "nothing", 10 + 2 * 0.008),
                # Half of it to the other rank, twice.
                (2, "combined_by_the_program", "nothing", 2 * (10 + 40)),
                (2, "barrier", "nothing", 100 + 10), (2, "overlap", "nothing", 100),
                # Rank 0 gets the other's message at 105.
                (2, "waits_while_the_other_computes", "nothing", 95 + 10),
                # The first comes at 60.008, the second at 90.008.
                (2, "any", "nothing", 50 + 30 + 10.008 + 10),
                # It asks for 50 us, as it did, and waits for the rest.
                (2, "asks_again_and_again", "nothing", 50 + 10.008), (2, "persistent", "nothing", 10 + 3 * 1),
                (2, "cancelled", "nothing", 5 + 10.008), (2, "freed", "nothing", 2 * 10.008),
                # The message is received when it is probed.
                (2, "probed", "nothing", 20 + 110 + 5), (2, "neighbours", "graph", 110)):
            with self.subTest(what):
                self.assertAlmostEqual((self.replayed_s(count, what) - self.replayed_s(count, less)) * 1e6, us, delta=1e-3)

    @unittest.skipUnless((BIN / "maslin").exists(), "maslin is not built")
    def test_random_messages_are_replayed(self):
        """Whatever ranks did, nobody waits for what does not come."""
        trace, machine = Path(self.folder.name) / "random.mtrace", self.source("cluster.toml", 4)
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
    def test_traces_that_do_not_say_what_ranks_do_are_refused(self):
        trace, machine = Path(self.folder.name) / "refused.mtrace", self.source("cluster.toml", 4)
        for block, options, how, why in (
                (3, ("-pthread",), {"threads": True, "variables": {}}, "its ranks have threads that call MPI; what these do beside their ranks is not told apart"),
                (0, ("-lm",), {"variables": {"MASLIN_SERIAL": "1"}}, "its ranks ran in turns; record it without MASLIN_SERIAL")):
            with self.subTest(why):
                how["variables"] |= {"MASLIN_TRACE": str(trace)}
                program = self.build(self.source(f"refused{block}.c", block), options=options)
                self.assertEqual(self.ranks(3, program, **how).returncode, 0)
                done = self.run_it(BIN / "maslin", "replay", trace, "--machine", machine)
                self.assertEqual(done.returncode, 2, done.stderr)
                self.assertIn(why, done.stderr)

    @unittest.skipUnless((BIN / "maslin").exists(), "maslin is not built")
    def test_processes_are_replayed_as_one_job(self):
        """Their traces hold together what the trace of one process holds."""
        folder, machine = Path(self.folder.name), self.source("cluster.toml", 4)
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


if __name__ == "__main__":
    unittest.main()
