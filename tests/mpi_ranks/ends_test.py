"""How jobs of several processes end."""

import os
import signal
import subprocess
import unittest
from pathlib import Path

from jobs import BIN, HERE, LIMIT_S, Mpi, shared_memory


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
        said = self.failed("stuck", 16, begin, "rank 0 waits to receive from rank 1 with tag 5 of MPI_COMM_WORLD, in MPI_Recv at failures.c:",
                           "rank 2 waits for ranks 0 and 1 to come to a call of all ranks of MPI_COMM_WORLD, in MPI_Barrier at failures.c:",
                           "a cycle: rank 0 waits for rank 1 waits for rank 0", processes=3)
        self.assertEqual(said.count("\n"), 5)
        self.failed("all send", 16, begin, "a cycle: rank 0 waits for rank 1 waits for rank 2 waits for rank 0")
        self.failed("probes", 16, begin, "rank 1 waits to probe rank 2 for tag 8")
        self.failed("other tag", 16, begin, "rank 0 waits to send to rank 1 with tag 4")
        self.failed("nobody sends", 16, begin, "waits to receive from any rank with any tag")
        self.failed("one is missing", 16, begin, "rank 2 waits to receive from rank 0 with tag 6", processes=3)

    def start_endless(self, call: str = "") -> tuple[subprocess.Popen, list[int]]:
        variables = {key: value for key, value in os.environ.items() if not key.startswith("MASLIN")}
        job = subprocess.Popen([BIN / "maslin-mpirun", "-n", "4", "--processes", "2", self.endless(call)], text=True,
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                               env=variables | {"MASLIN_WORKERS": "1", "MASLIN_LEARNED": "off"})
        pids = sorted({int(job.stdout.readline()) for _ in range(4)})
        self.assertEqual(len(pids), 2)
        return job, pids

    def test_a_process_is_killed(self):
        brief = "MPI_Allreduce(&me, &in, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD)"
        for which, call in ((0, ""), (1, ""), (0, brief), (1, brief)):
            left = shared_memory()
            job, pids = self.start_endless(call)
            os.kill(pids[which], signal.SIGKILL)
            _, said = job.communicate(timeout=LIMIT_S)
            self.assertEqual(job.returncode, 137, said)
            self.assertRegex(said, r"^maslin-mpirun: process [01] \(ranks [02] to [13]\) was ended by signal 9 \(Killed\)\n$")
            self.expect_gone(pids)
            self.expect_nothing_left(left)

    def test_the_launcher_is_killed(self):
        left = shared_memory()
        job, pids = self.start_endless()
        job.kill()
        job.communicate(timeout=LIMIT_S)
        self.expect_gone(pids)
        self.expect_nothing_left(left)

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

    def test_signals_of_the_program_are_handed_on(self):
        file = Path(self.folder.name) / "handles.c"
        file.write_text("#include <mpi.h>\n#include <signal.h>\n#include <stdio.h>\n#include <unistd.h>\nstatic volatile sig_atomic_t seen;\n"
                        "static void note(int which) { seen = which; }\nint main(int n, char **w) {\n  int me;\n  MPI_Init(&n, &w);\n"
                        "  MPI_Comm_rank(MPI_COMM_WORLD, &me);\n  signal(SIGUSR1, note);\n  signal(SIGUSR2, note);\n"
                        "  for (int i = 0; i < 2; ++i) {\n    seen = 0;\n    MPI_Barrier(MPI_COMM_WORLD);\n    printf(\"ready\\n\");\n    while (!seen) usleep(1000);\n"
                        "    printf(\"%d\\n\", (int)seen);\n    MPI_Barrier(MPI_COMM_WORLD);\n  }\n  MPI_Finalize();\n}\n")
        for processes in (2, 1):
            with self.subTest(processes=processes):
                job = subprocess.Popen([BIN / "maslin-mpirun", "-n", str(processes), "--processes", str(processes), self.build(file)], text=True,
                                       stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=os.environ | {"MASLIN_WORKERS": "1", "MASLIN_LEARNED": "off"})
                for one in (signal.SIGUSR1, signal.SIGUSR2):
                    self.assertEqual([job.stdout.readline() for _ in range(processes)], ["ready\n"] * processes)
                    job.send_signal(one)
                    self.assertEqual([job.stdout.readline() for _ in range(processes)], [f"{int(one)}\n"] * processes)
                _, said = job.communicate(timeout=LIMIT_S)
                self.assertEqual((job.returncode, said), (0, ""))

    def test_a_signal_that_the_program_does_not_handle(self):
        job, pids = self.start_endless()
        job.send_signal(signal.SIGUSR1)
        _, said = job.communicate(timeout=LIMIT_S)
        self.assertEqual(job.returncode, 128 + signal.SIGUSR1)
        self.assertRegex(said, r"^maslin-mpirun: process [01] \(ranks [02] to [13]\) was ended by signal 10 \(User defined signal 1\)\n$")
        self.expect_gone(pids)

    def test_nobody_is_told_where_nobody_reads(self):
        file = Path(self.folder.name) / "goes_on.c"
        file.write_text("#include <mpi.h>\n#include <stdio.h>\nint main(int n, char **w) {\n  int me;\n  MPI_Init(&n, &w);\n"
                        "  MPI_Comm_rank(MPI_COMM_WORLD, &me);\n  for (;;) printf(\"rank %d goes on\\n\", me);\n}\n")
        for processes in (1, 2):
            with self.subTest(processes=processes):
                done = self.run_it("bash", "-c", '"$@" | head -1; exit ${PIPESTATUS[0]}', "bash", BIN / "maslin-mpirun", "-n", 4, "--processes", processes,
                                   self.build(file), workers=1)
                self.assertEqual((done.returncode, done.stderr), (128 + signal.SIGPIPE, ""))
                self.assertRegex(done.stdout, r"^rank [0-3] goes on\n$")

    def test_children_of_others_may_end(self):
        done = self.run_it("sh", "-c", 'true & exec "$@"', "sh", BIN / "maslin-mpirun", "-n", 2, "--processes", 2,
                           self.build(HERE / "failures/failures.c"), "prints")
        self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_a_process_that_leaves_by_itself(self):
        file = Path(self.folder.name) / "leaves.c"
        file.write_text("#include <mpi.h>\n#include <unistd.h>\nint main(int n, char **w) {\n  int me;\n  MPI_Init(&n, &w);\n"
                        "  MPI_Comm_rank(MPI_COMM_WORLD, &me);\n  if (me == 2) _exit(0);\n"
                        "  MPI_Barrier(MPI_COMM_WORLD);\n  MPI_Finalize();\n}\n")
        done = self.ranks(3, self.build(file), processes=3, workers=1)
        self.assertEqual((done.returncode, done.stderr),
                         (1, "maslin-mpirun: process 2 (rank 2) ended with status 0 before its ranks had\n"))


if __name__ == "__main__":
    unittest.main()
