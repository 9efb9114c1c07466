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

    @unittest.skipUnless((BIN / "maslin").exists(), "maslin is not built")
    def test_random_messages_are_replayed(self):
        """Whatever ranks did, nobody waits for what does not come."""
        trace, machine = Path(self.folder.name) / "random.mtrace", self.source("cluster.toml", 4)
        for seed in range(6):
            with self.subTest(seed=seed):
                program = self.build(HERE / "programs" / "random_messages.c", options=("-DWAITS_ALIKE",))
                self.expect_right(self.ranks(2 + seed, program, seed, 5, 100000, workers=1 + seed % 2, variables={"MASLIN_TRACE": str(trace)}))
                done = self.run_it(BIN / "maslin", "replay", trace, "--json", "--machine", machine)
                self.assertEqual(done.returncode, 0, done.stderr)
                said = json.loads(done.stdout)
                self.assertGreater(said["messages"], 0)
                self.assertLessEqual(said["no_links_s"], said["seconds"])

    @unittest.skipUnless((BIN / "maslin").exists(), "maslin is not built")
    def test_processes_are_replayed_as_one_job(self):
        """Their traces hold together what the trace of one process holds."""
        folder, machine = Path(self.folder.name), self.source("cluster.toml", 4)
        program = self.build(HERE / "programs" / "random_messages.c", options=("-DWAITS_ALIKE",))

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
