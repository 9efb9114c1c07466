"""maslin-phylo-mpi mcmc: ranks in groups of chains x segments of the alignment give the bytes of one process."""

import json
import os
import pathlib
import random
import resource
import shutil
import signal
import subprocess
import time

import phylo_process
from mcmc_test import Chains
from phylo_process import DATA, environment, files_below, main

# Groups of chains x segments, and processes. The alignment has four blocks of patterns.
GRIDS = ((1, 1, 1), (2, 1, 1), (1, 2, 2), (3, 1, 2), (1, 3, 1), (2, 2, 2), (1, 4, 2), (8, 1, 1), (4, 2, 2), (2, 4, 1))
RANKS = {"MASLIN_SERIAL": None, "MASLIN_PIN": None, "MASLIN_LEARNED": "off", "MASLIN_REPORT": "off"}
OPEN_MPI = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1", "OMPI_MCA_rmaps_base_oversubscribe": "1"}


def is_open_mpi(mpirun):
    return b"Open" in subprocess.run([mpirun, "--version"], capture_output=True, check=False).stdout


class Ranks(Chains):
    def setUp(self):
        super().setUp()
        self.bin = pathlib.Path(phylo_process.program).parent

    def command(self, prefix, *more, generations=1000):
        return super().command(prefix, "--burnin", 300, *more, generations=generations)

    def started(self, groups, segments, processes, command):
        """Gives the command line of a job."""
        more = ("--processes", processes) if processes > 1 else ()
        words = (self.bin / "maslin-mpirun", "-n", groups * segments, *more, self.bin / "maslin-phylo-mpi", *command)
        return [str(word) for word in (*words, *(("--segments", segments) if command[0] == "mcmc" and "--segments" not in command else ()))]

    def run_job(self, grid, *command, workers="2"):
        return subprocess.run(self.started(*grid, command), cwd=self.folder, env=environment(**RANKS, MASLIN_WORKERS=workers), check=False,
                              stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=phylo_process.TIMEOUT_SECONDS)  # fmt: skip

    def start_job(self, grid, *command):
        return subprocess.Popen(self.started(*grid, command), cwd=self.folder, env=environment(**RANKS, MASLIN_WORKERS="1"),
                                stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)  # fmt: skip

    def everything(self, prefix):
        """The files of a run, and its checkpoint."""
        kept = files_below(self.folder / f"{prefix}.chains")
        return self.files(prefix) | {f"chains/{name}": text for name, text in kept.items() if name != "lock"}

    def expect_same(self, prefix, expected):
        files = self.everything(prefix)
        self.assertEqual(list(files), list(expected))
        self.assertEqual([name for name in files if files[name] != expected[name]], [], "these files differ")

    def alone(self, *more, **options):
        self.run_well(*self.command("alone", *more, **options))
        return self.everything("alone")

    def expect_well(self, done):
        self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_the_same_bytes_in_every_grid(self):
        expected = self.alone()
        for groups, segments, processes in GRIDS:
            name = f"{groups}x{segments}_{processes}"
            with self.subTest(name):
                self.expect_well(self.run_job((groups, segments, processes), *self.command(name)))
                self.expect_same(name, expected)
                result, alone = self.result(name), self.result("alone")
                self.assertEqual((result["ranks"], result["segments"]), (groups * segments, segments))
                self.assertEqual(result["computed"]["likelihoods"], alone["computed"]["likelihoods"])
                self.assertEqual((result["splits"], result["parameters"]), (alone["splits"], alone["parameters"]))
                log = (self.folder / f"{name}.log").read_text()
                self.assertIn(f"{groups * segments} ranks: groups of chains x segments of the alignment are {groups} x {segments}\n", log)

    def varying(self):
        """The alignment without the columns that are the same in all taxa."""
        rows = [line.split() for line in (DATA / "ten.phy").read_text().splitlines()[1:]]
        columns = [column for column in zip(*(row for _, row in rows)) if len(set(column) & set("ACGT")) > 1]
        lines = [f"{name} {''.join(column[i] for column in columns)}" for i, (name, _) in enumerate(rows)]
        return self.write("varying.phy", f"{len(rows)} {len(columns)}\n" + "\n".join(lines) + "\n")

    def test_single_precision_constant_sites_and_no_data(self):
        constant = ("--msa", self.varying(), "--model", "HKY+G+ASC_LEWIS")
        for name, more in (("single", ("--precision", "single")), ("constant", constant), ("prior", ("--no-data",))):
            with self.subTest(name):
                expected = self.alone("--redo", *more)
                for groups, segments in ((2, 2), (1, 3)):
                    prefix = f"{name}_{segments}"
                    self.expect_well(self.run_job((groups, segments, 2), *self.command(prefix, *more)))
                    self.expect_same(prefix, expected)
                if name == "single":
                    self.assertEqual(self.result("single_2")["precision_check"], self.result("alone")["precision_check"])

    def test_as_few_segments_as_there_can_be(self):
        expected = self.alone("--chains", 2)
        self.expect_well(self.run_job((6, 1, 1), *self.command("x", "--chains", 2, "--segments", 0)))
        self.assertEqual(self.result("x")["segments"], 2)
        self.expect_same("x", expected)

    def test_killed_and_gone_on_with_in_other_grids(self):
        expected = self.alone(generations=3000)
        moments = random.Random(5)
        left_at = []
        grids = ((2, 2, 1), (1, 3, 2), (4, 1, 2), (8, 1, 1), (1, 2, 2), (2, 2, 2))
        for least, grid in zip((-1, 100, 400, 800, 1300, 1900), grids):
            process = self.start_job(grid, *self.command("killed", generations=3000))
            while self.kept("killed") < least and process.poll() is None:
                time.sleep(0.002)
            time.sleep(moments.uniform(0, 0.05))
            process.kill()
            said = process.communicate()[1]
            self.assertEqual(process.returncode, -signal.SIGKILL, f"the run ended before it was killed; {said}")
            until = time.monotonic() + phylo_process.TIMEOUT_SECONDS
            while self.is_locked("killed") and time.monotonic() < until:  # processes go with maslin-mpirun, not before
                time.sleep(0.01)
            left_at.append(self.kept("killed"))
        self.assertEqual(left_at, sorted(left_at))
        self.run_well(*self.command("killed", generations=2500))  # one process
        self.expect_well(self.run_job((4, 2, 2), *self.command("killed", generations=3000)))
        self.assertEqual(self.result("killed")["generations"]["restored"], 2500)
        self.assert_same(self.files("killed"), {name: expected[name] for name in self.files("killed")})
        self.assertEqual(list(self.folder.rglob("*.part")), [])

    def is_locked(self, prefix):
        lock = self.folder / f"{prefix}.chains" / "lock"
        return lock.exists() and subprocess.run(["flock", "-n", lock, "true"], check=False).returncode != 0

    def test_stopped_by_a_signal(self):
        expected = self.alone(generations=6000)
        for grid, status in (((2, 2, 1), 143), ((2, 1, 2), -signal.SIGTERM)):
            with self.subTest(grid):
                prefix = f"stopped_{grid[2]}"
                process, _ = self.begun_job(prefix, grid)
                process.send_signal(signal.SIGTERM)
                said = process.communicate()[1]
                self.assertEqual(process.returncode, status, said)
                self.assertRegex(said, r"stopped; \d+ of 6000 generations are finished, and the same command continues from there")
                self.assertLess(self.kept(prefix), 6000)
                self.run_well(*self.command(prefix, generations=6000))
                self.assert_same(self.files(prefix), {name: expected[name] for name in self.files(prefix)})

    def begun_job(self, prefix, grid):
        """Gives a job that has made a checkpoint, and its processes."""
        process = self.start_job(grid, *self.command(prefix, generations=6000))
        while self.kept(prefix) < 0 and process.poll() is None:
            time.sleep(0.002)
        if grid[2] == 1:
            return process, [process.pid]
        children = pathlib.Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
        self.assertEqual(len(children), grid[2])
        return process, [int(child) for child in children]

    def test_a_process_that_is_killed_ends_the_job(self):
        expected = self.alone(generations=6000)
        for grid, number in (((2, 1, 2), 0), ((2, 1, 2), 1), ((1, 2, 2), 1)):
            with self.subTest(f"{grid} {number}"):
                prefix = f"{number}_of_{grid[1]}"
                process, processes = self.begun_job(prefix, grid)
                os.kill(processes[number], signal.SIGKILL)
                said = process.communicate(timeout=phylo_process.TIMEOUT_SECONDS)[1]
                self.assertEqual(process.returncode, 137, said)
                self.assertEqual(said, f"maslin-mpirun: process {number} (rank {number}) was ended by signal 9 (Killed)\n")
                self.run_well(*self.command(prefix, generations=6000))
                self.assert_same(self.files(prefix), {name: expected[name] for name in self.files(prefix)})

    def test_a_full_disk_ends_the_job(self):
        for grid in ((2, 1, 1), (1, 2, 2)):
            with self.subTest(grid):
                process, processes = self.begun_job(f"full_{grid[2]}", grid)
                resource.prlimit(processes[0], resource.RLIMIT_FSIZE, (400, 400))
                said = process.communicate(timeout=phylo_process.TIMEOUT_SECONDS)[1]
                self.assertEqual(process.returncode, 2, said)
                self.assertRegex(said, r"^(maslin-phylo: note: .*\n)?maslin-phylo-mpi: .*: can't be written: File too large; .*\n$")

    def test_ranks_of_the_systems_mpi(self):
        program, mpirun = self.bin / "maslin-phylo-system-mpi", os.environ.get("MPIRUN") or shutil.which("mpirun")
        if not program.exists() or not mpirun:
            self.skipTest("maslin-phylo-system-mpi is not built, or there is no mpirun: there is no MPI")
        more = ("--oversubscribe", "--bind-to", "none") if is_open_mpi(mpirun) else ()
        expected = self.alone()
        for groups, segments in ((2, 1), (2, 2)):
            prefix = f"{groups}x{segments}"
            words = (mpirun, *more, "-n", groups * segments, program, *self.command(prefix, "--segments", segments))
            done = subprocess.run([str(word) for word in words], cwd=self.folder, env=environment(**RANKS, **OPEN_MPI, MASLIN_WORKERS="1"),
                                  stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False,
                                  timeout=phylo_process.TIMEOUT_SECONDS)  # fmt: skip
            self.assertEqual(done.returncode, 0, done.stderr)
            self.expect_same(prefix, expected)
            self.assertEqual(self.result(prefix)["ranks"], groups * segments)

    def test_the_lines_that_maslin_layout_prints_start_it(self):
        machine = self.write("two.toml", 'name = "two"\n[workers]\nkind = "cpu"\ncount = 2\nsource = "a test"\n')
        expected = self.alone()
        words = (self.bin / "maslin", "layout", "--json", "--machine", machine, "--ranks", "processes", "--layout", "2x1x1", "--",
                 phylo_process.program, *self.command("recorded"))  # fmt: skip
        said = subprocess.run([str(word) for word in words], cwd=self.folder, env=environment(**RANKS), check=True, capture_output=True)
        lines = json.loads(said.stdout)["start"]
        path = f"{self.bin}:{os.environ['PATH']}"
        mpirun = shutil.which("mpirun")
        for start in ("maslin-mpirun", *(("mpirun",) if mpirun and is_open_mpi(mpirun) and "mpirun" in lines else ())):
            with self.subTest(start):
                self.assertIn("maslin-phylo-", lines[start])
                self.run_line(lines[start].replace("--prefix recorded", f"--prefix {start}"), PATH=path)
                self.expect_same(start, expected)
                self.assertEqual(self.result(start)["ranks"], 2)

    def run_line(self, line, **variables):
        done = subprocess.run(["bash", "-euc", line], cwd=self.folder, env=environment(**RANKS, **OPEN_MPI, **variables), stdin=subprocess.DEVNULL,
                              capture_output=True, text=True, check=False, timeout=phylo_process.TIMEOUT_SECONDS)  # fmt: skip
        self.assertEqual(done.returncode, 0, done.stderr)

    def refused(self, grid, *command):
        done = self.run_job(grid, *command)
        self.assertEqual((done.returncode, done.stdout), (2, ""), done.stderr)
        self.assertEqual(files_below(self.folder), {})
        return done.stderr

    def test_what_is_wrong_is_said_once(self):
        for grid in ((2, 2, 1), (2, 2, 2)):
            with self.subTest(grid):
                self.assertEqual(self.refused(grid, "mcmc", "--msa", "nowhere.phy", "--model", "JC", "--prefix", "x").count("nowhere.phy"), 1)
                self.assertEqual(self.refused(grid, "mcmc", "--model", "JC", "--prefix", "x").count("--msa is required"), 1)
                self.assertIn("--model-file -: each rank reads the model",
                              self.refused(grid, "mcmc", "--msa", DATA / "ten.phy", "--model-file", "-", "--prefix", "x"))  # fmt: skip
                self.assertIn("ranks share the chains of mcmc only",
                              self.refused(grid, "search", "--msa", DATA / "ten.phy", "--model", "JC", "--prefix", "x"))  # fmt: skip
        self.assertIn("--segments 2: 3 ranks are to be divided into groups of that many, and each group gets one or more of 8 chains; "
                      "with these ranks it can be 1, 3\n", self.refused((3, 1, 1), *self.command("x", "--segments", 2)))  # fmt: skip
        self.assertIn("the 227 patterns of the alignment are 4 blocks, which cannot be divided into 5 segments",
                      self.refused((1, 5, 1), *self.command("x")))  # fmt: skip
        self.assertIn("--threads 3: a process of maslin-mpirun has its workers already; leave it out, and set MASLIN_WORKERS=3\n",
                      self.refused((2, 1, 1), *self.command("x", "--threads", 3)))  # fmt: skip
        done = self.run_program(*self.command("x", "--segments", 2))
        self.assertEqual(done.returncode, 2)
        self.assertIn("--segments divides the alignment among ranks, and here are none", done.stderr.decode())


if __name__ == "__main__":
    main()
