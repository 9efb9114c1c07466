"""Ranks on several nodes."""

import json
import os
import re
import shutil
import signal
import subprocess
import unittest
from pathlib import Path

from jobs import BIN, CHECKOUT, HERE, LIMIT_S, Mpi, shared_memory


def children_of(parent: int) -> dict[int, str]:
    """Gives the processes that it has started, and those that these have, with their names."""
    parents, names = {}, {}
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            pid, name, rest = re.fullmatch(r"(\d+) \((.*)\) (.*)", stat.read_text().strip(), re.DOTALL).groups()
        except (FileNotFoundError, ProcessLookupError):
            continue
        parents[int(pid)], names[int(pid)] = int(rest.split()[1]), name
    found, some = {}, [parent]
    while some:
        some = [pid for pid, of in parents.items() if of in some]
        found |= {pid: names[pid] for pid in some}
    return found


MPIRUN = os.environ.get("MPIRUN") or shutil.which("mpirun") or ""
IS_OPEN_MPI = bool(MPIRUN) and b"Open" in subprocess.run([MPIRUN, "--version"], capture_output=True, check=False).stdout


@unittest.skipUnless((BIN / "maslin-mpi-forwarder").exists(), "maslin-mpi-forwarder is not built: there is no MPI")
class Nodes(Mpi):
    """What works on one node works on several. Here they are one, on which maslin-mpirun is started several times."""

    nodes = 2

    def mpirun(self, nodes: int) -> list[str]:
        more = ("--oversubscribe", "--bind-to", "none") if IS_OPEN_MPI else ()
        return [MPIRUN, *more, "-n", str(nodes)]

    def on_nodes(self, count: int, processes: int, place: str | Path = "block") -> list[str]:
        return [str(BIN / "maslin-mpirun"), "--nodes", "-n", str(count), "--processes", str(processes), "--place", str(place)]

    def variables(self, more: dict[str, str]) -> dict[str, str]:
        return {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"} | more

    def ranks(self, count: int, program: Path, *words, processes: int = 1, place: str | Path = "block", nodes: int | None = None,
              **more) -> subprocess.CompletedProcess:
        return self.run_it(*self.mpirun(nodes or self.nodes), *self.on_nodes(count, processes, place), program, *words,
                           variables=self.variables(more.pop("variables", {})), **{"workers": 1} | more)

    def test_programs(self):
        for name in ("messages.c", "requests.c", "modes.c", "collectives.c", "started.c", "two_groups.c", "contexts.c", "keys.c",
                     "operations.c", "objects.cpp", "own_variables.cpp", "persistent.c", "neighbours.c"):
            program = self.build(HERE / "programs" / name)
            for count, nodes, processes in ((2, 2, 1), (5, 2, 2)):
                with self.subTest(program=name, ranks=count, nodes=nodes, processes=processes):
                    self.expect_right(self.ranks(count, program, processes=processes, nodes=nodes))

    def test_three_nodes_and_one(self):
        for name in ("collectives.c", "contexts.c"):
            program = self.build(HERE / "programs" / name)
            for count, nodes in ((7, 3), (3, 1)):
                with self.subTest(program=name, nodes=nodes):
                    self.expect_right(self.ranks(count, program, nodes=nodes, place="cyclic"))

    def test_random_messages(self):
        program = self.build(HERE / "programs" / "random_messages.c")
        for seed in range(4):
            processes, eager = 1 + seed % 2, ("", "0", "64K")[seed % 3]
            with self.subTest(seed=seed, processes=processes, eager=eager):
                self.expect_right(self.ranks(4 + seed % 3, program, seed, 25, processes=processes, variables={"MASLIN_EAGER": eager},
                                             place=("block", "cyclic")[seed // 2]))

    @unittest.skipUnless((BIN / "maslin").exists(), "maslin is not built")
    def test_a_layout_says_how_the_ranks_are_started(self):
        page = (CHECKOUT / "docs" / "mpi.md").read_text(encoding="utf-8")
        source, machine = (re.search(rf"^```{of}\n(.*?)^```$", page, re.DOTALL | re.MULTILINE).group(1) for of in ("c", "toml"))
        folder = Path(self.folder.name)
        (folder / "heat.c").write_text(source, encoding="utf-8")
        (folder / "cluster.toml").write_text(machine, encoding="utf-8")
        program, launcher = self.build(folder / "heat.c", options=("-lm",)), BIN / "maslin-mpirun"
        done = self.run_it(BIN / "maslin", "layout", "--json", "--machine", folder / "cluster.toml", "--layout", "2x1", "--", launcher, "-n", 4, program)
        self.assertEqual(done.returncode, 0, done.stderr)
        start = json.loads(done.stdout)["start"]
        on_each = f"{launcher} --nodes --processes 2 -n 4 {program}"
        self.assertEqual(start, {"maslin-mpirun": f"mpirun -n 2 --map-by ppr:1:node --bind-to none -x MASLIN_WORKERS=1 {on_each}"})
        self.expect_right(self.run_it(*self.mpirun(2), *on_each.split(), workers=1, variables=self.variables({})), "4 ranks: 1000.000000\n")

    def test_random_types(self):
        self.expect_right(self.ranks(3, self.build(HERE / "programs" / "random_types.c"), 1, 50))

    def test_long_messages(self):
        file = Path(self.folder.name) / "long_messages.c"
        file.write_text("""#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
/* Four long messages each way at a time, and small ones between them. */
enum { many = 4, length = 5000003 };
int main(int n, char **w) {
  int me, wrong = 0;
  MPI_Init(&n, &w);
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  const int other = 1 - me;
  unsigned char *out[many], *in[many];
  for (int i = 0; i < many; ++i) {
    out[i] = malloc(length), in[i] = calloc(length, 1);
    for (int k = 0; k < length; ++k) out[i][k] = (unsigned char)(k * 7 + k / 255 + i + 50 * me);
  }
  MPI_Request all[2 * many];
  for (int i = 0; i < many; ++i) MPI_Irecv(in[i], length, MPI_BYTE, other, i, MPI_COMM_WORLD, &all[i]);
  for (int i = 0; i < many; ++i) MPI_Isend(out[i], length, MPI_BYTE, other, i, MPI_COMM_WORLD, &all[many + i]);
  for (int k = 0; k < 200; ++k) {
    int got = -1;
    MPI_Sendrecv(&k, 1, MPI_INT, other, 9, &got, 1, MPI_INT, other, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    wrong += got != k;
  }
  MPI_Waitall(2 * many, all, MPI_STATUSES_IGNORE);
  for (int i = 0; i < many; ++i)
    for (int k = 0; k < length; ++k) wrong += in[i][k] != (unsigned char)(k * 7 + k / 255 + i + 50 * other);
  MPI_Allreduce(MPI_IN_PLACE, &wrong, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (me == 0 && wrong == 0) printf("all is right\\n");
  MPI_Finalize();
}
""")
        self.expect_right(self.ranks(2, self.build(file)))

    def test_more_unexpected_messages_than_there_is_room_for(self):
        program = self.build(HERE / "programs" / "unexpected.c")
        self.expect_right(self.ranks(2, program, 20_000, 2))

    def test_ranks_know_who_is_on_their_node(self):
        file = Path(self.folder.name) / "who.c"
        file.write_text("#include <mpi.h>\n#include <stdio.h>\nint main(int n, char **w) {\n  int me, sizes[2];\n  MPI_Comm part;\n"
                        "  MPI_Init(&n, &w);\n  MPI_Comm_rank(MPI_COMM_WORLD, &me);\n"
                        "  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &part);\n  MPI_Comm_size(part, &sizes[0]);\n"
                        "  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_MEM_DOMAIN, 0, MPI_INFO_NULL, &part);\n  MPI_Comm_size(part, &sizes[1]);\n"
                        "  printf(\"%d: %d %d\\n\", me, sizes[0], sizes[1]);\n  MPI_Finalize();\n}\n")
        done = self.ranks(6, self.build(file), processes=2)
        self.assertEqual(sorted(done.stdout.split("\n")),
                         ["", "0: 3 2", "1: 3 2", "2: 3 1", "3: 3 2", "4: 3 2", "5: 3 1"])

    def test_rank_0_reads(self):
        self.expect_right(self.ranks(3, self.build(HERE / "failures/failures.c"), "reads", input="a line\n"), "read a line\n")

    def test_status(self):
        program = self.build(HERE / "failures/failures.c")
        self.assertEqual(self.ranks(3, program, "status").returncode, 5)
        self.assertEqual(self.ranks(3, program).returncode, 0)

    def test_the_status_is_one_on_all_nodes(self):
        program = self.build(HERE / "failures/failures.c")
        for which, status in (("status", 5), ("aborts", 9)):
            done = self.run_it(*self.mpirun(2), "sh", "-c", '"$@"; echo status $?', "sh", *self.on_nodes(3, 1), program, which,
                               workers=1, variables=self.variables({}))
            self.assertEqual(done.stdout, 2 * f"status {status}\n", done.stderr)

    def test_a_rank_ends_the_job(self):
        self.failed("aborts", 9, "rank 2: MPI_Abort with code 9 at failures.c:")
        self.failed("leaves", 1, "rank 1 ended with status 0 and without MPI_Finalize")
        self.failed("exits", 3, "rank 1 ended with status 3 and without MPI_Finalize")
        self.failed("other call", 16, "all ranks of a communicator must call the same: ")
        self.failed("crashes", 139, "rank 1: Segmentation fault at address", "from failures.c:")

    def test_a_thread_that_exits(self):
        done = self.ranks(2, self.build(HERE / "threads" / "levels.c", options=("-pthread",)), 1, "exits at the end", 0)
        self.assertIn("maslin-mpirun: rank 1: another thread of it called exit(0)\n", done.stderr)
        self.assertNotEqual(done.returncode, 0)

    def test_what_was_said_before_an_abort_is_printed(self):
        done = self.ranks(3, self.build(HERE / "failures" / "failures.c"), "half a line")
        self.assertEqual((done.returncode, done.stdout), (1, 3 * "half a line"), done.stderr)

    def test_all_wait_for_each_other(self):
        begin = "maslin-mpirun: all ranks wait for each other:\n"
        self.failed("stuck", 16, begin, "rank 0 waits to receive from rank 1 with tag 5 of MPI_COMM_WORLD, in MPI_Recv at failures.c:",
                    "rank 2 waits for ranks 0 and 1 to come to a call of all ranks of MPI_COMM_WORLD, in MPI_Barrier at failures.c:",
                    "a cycle: rank 0 waits for rank 1 waits for rank 0", place="cyclic")
        self.failed("all send", 16, begin, "a cycle: rank 0 waits for rank 1 waits for rank 2 waits for rank 0")

    def test_a_rank_that_computes_is_waited_for(self):
        file = Path(self.folder.name) / "computes.c"
        file.write_text("#include <mpi.h>\n#include <stdio.h>\n#include <unistd.h>\nint main(int n, char **w) {\n  int me, sum = 0;\n  MPI_Init(&n, &w);\n"
                        "  MPI_Comm_rank(MPI_COMM_WORLD, &me);\n  if (me == 1) sleep(3);\n  MPI_Allreduce(&me, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);\n"
                        "  if (me == 0 && sum == 3) printf(\"all is right\\n\");\n  MPI_Finalize();\n}\n")
        self.expect_right(self.ranks(3, self.build(file)))

    def test_what_is_refused(self):
        program = self.build(HERE / "failures/failures.c")
        folders = [Path(self.folder.name) / name for name in ("one", "other")]
        for folder, text in zip(folders, ("0 1 1 0", "0 1 1 1")):
            folder.mkdir()
            (folder / "place").write_text(text)
        for words, said in (
                ((*self.on_nodes(3, 1), program, ":", "-n", "1", *self.on_nodes(4, 1)), "node 1 has -n 4 --processes 1, and node 0 has -n 3 --processes 1; expected the same"),
                ((*self.on_nodes(100, 40), program, ":", "-n", "1", *self.on_nodes(100, 40)), "40 processes on each of 2 nodes; expected at most 64 in all"),
                ((*self.on_nodes(1, 1), program, ":", "-n", "1", *self.on_nodes(1, 1)), "2 processes for 1 ranks; expected a rank for each process at least"),
                (("-wdir", folders[0], *self.on_nodes(4, 1, "place"), program, ":", "-n", "1", "-wdir", folders[1], *self.on_nodes(4, 1, "place")), "--place place: node 1 has another file than node 0"),
                ((*self.on_nodes(3, 1, "nowhere"), program, ":", "-n", "1", *self.on_nodes(3, 1)), "--place nowhere: there is no such file")):
            done = self.run_it(*self.mpirun(1), *words, program, variables=self.variables({}))
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertEqual(done.stderr.count(said), 1, done.stderr)

    def test_a_launcher_of_another_mpi_is_refused(self):
        other = shutil.which("mpirun.mpich" if IS_OPEN_MPI else "mpirun.openmpi")
        if not other:
            self.skipTest("there is no other MPI")
        more = () if IS_OPEN_MPI else ("--oversubscribe",)
        done = self.run_it(other, *more, "-n", 2, *self.on_nodes(4, 1), self.build(HERE / "failures/failures.c"), variables=self.variables({}))
        self.assertNotEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stderr, r"maslin-mpirun: --nodes: the launcher has started 2 of these, and (Open MPI|MPICH).* finds 1; ")
        self.assertEqual(done.stdout, "")

    def test_programs_that_the_systems_launcher_starts_are_refused(self):
        program = self.build(HERE / "failures/failures.c")
        for words in ((program,), (BIN / "maslin-mpirun", "-n", 3, program)):
            done = self.run_it(*self.mpirun(3), *words, "prints", variables=self.variables({}))
            self.assertEqual(done.stdout, "")
            self.assertNotEqual(done.returncode, 0)
            self.assertIn("maslin-mpirun: the system's launcher has started 3 of these, and each would be a job of its own", done.stderr)

    def test_a_node_that_is_not_told_of_the_others(self):
        job = subprocess.Popen([*self.mpirun(1), *self.on_nodes(4, 1), self.build(HERE / "failures/failures.c"), ":", "-n", "1", "sleep", "1000"],
                               text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=os.environ | self.variables({}))
        self.assertEqual(job.stderr.readline(), "maslin-mpirun: --nodes waits for other nodes; each must be started with --nodes\n")
        pids = children_of(job.pid)
        waits = [pid for pid, name in pids.items() if name == "maslin-mpirun"]
        os.kill(waits[0], signal.SIGTERM)
        self.expect_gone(waits)
        job.terminate()
        self.end(job, list(pids))

    def start_endless(self) -> tuple[subprocess.Popen, dict[int, str]]:
        variables = {key: value for key, value in os.environ.items() if not key.startswith("MASLIN")}
        job = subprocess.Popen([*self.mpirun(2), *self.on_nodes(4, 2), self.endless()], text=True,
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                               env=variables | self.variables({"MASLIN_WORKERS": "1", "MASLIN_LEARNED": "off"}))
        self.assertEqual(len({job.stdout.readline() for _ in range(4)}), 4)
        all_of_it = children_of(job.pid)
        self.assertEqual([sum(name.startswith(one) for name in all_of_it.values()) for one in ("maslin-mpirun", "maslin-mpi-forw")], [2, 2])
        return job, all_of_it

    def end(self, job: subprocess.Popen, pids: list[int]) -> str:
        _, said = job.communicate(timeout=LIMIT_S)
        self.assertNotEqual(job.returncode, 0, said)
        self.expect_gone(pids)
        return said

    def test_one_is_killed(self):
        for name, said in (("maslin-mpi-host", r"maslin-mpirun: process [0-3] \(rank [0-3]\) was ended by signal 9"),
                           ("maslin-mpi-forw", "maslin-mpirun: the forwarder between nodes was ended by signal 9"), ("maslin-mpirun", "signal 9")):
            for which in (0, -1):
                with self.subTest(killed=name, which=which):
                    left = shared_memory()
                    job, pids = self.start_endless()
                    os.kill([pid for pid, its in sorted(pids.items()) if its.startswith(name)][which], signal.SIGKILL)
                    self.assertRegex(self.end(job, list(pids)), said)
                    self.expect_nothing_left(left)

    def test_the_systems_launcher_is_stopped(self):
        job, pids = self.start_endless()
        job.terminate()
        self.end(job, list(pids))


if __name__ == "__main__":
    unittest.main()
