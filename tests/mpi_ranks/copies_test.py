"""What the copies of a program take, one for each rank, and how many of them fit."""

import re
import resource
import shutil
import subprocess
import unittest
from pathlib import Path

from jobs import BIN, LIMIT_S, Mpi

# What the process has when all ranks are there: its mappings, and the bytes of the files of the copies.
TAKES = """#include <dirent.h>
#include <mpi.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
int main(int n, char **w) {
  int me;
  MPI_Init(&n, &w);
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  MPI_Barrier(MPI_COMM_WORLD);
  if (me == 0) {
    long mappings = 0, bytes = 0;
    FILE *const maps = fopen("/proc/self/maps", "r");
    for (int c; (c = getc(maps)) != EOF;) mappings += c == '\\n';
    fclose(maps);
    DIR *const files = opendir("/proc/self/fd");
    for (struct dirent *one; (one = readdir(files));) {
      char path[300], to[300] = "";
      struct stat its;
      snprintf(path, sizeof path, "/proc/self/fd/%s", one->d_name);
      if (readlink(path, to, sizeof to - 1) > 0 && strstr(to, "(deleted)") && stat(path, &its) == 0) bytes += its.st_blocks * 512;
    }
    closedir(files);
    printf("%ld mappings, %ld bytes\\n", mappings, bytes);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Finalize();
}
"""


class Copies(Mpi):
    def program(self, *options: str) -> Path:
        """`options`: a program with libgfortran, of which each rank has a copy, too."""
        file = Path(self.folder.name) / "takes.c"
        file.write_text(TAKES)
        return self.build(file, name=f"takes{len(options)}", options=options)

    def programs(self) -> list[tuple[Path, int]]:
        """With the files that each rank has."""
        fortran = [(self.program("-Wl,--no-as-needed", "-lgfortran"), 2)] if (BIN / "maslin-mpif90").exists() else []
        return [(self.program(), 1), *fortran]

    def taken(self, count: int, program: Path) -> tuple[int, int]:
        done = self.ranks(count, program)
        self.assertEqual(done.returncode, 0, done.stderr)
        mappings, size = map(int, re.fullmatch(r"(\d+) mappings, (\d+) bytes\n", done.stdout).groups())
        return mappings, size

    def test_a_copy_keeps_little_and_nothing_is_written(self):
        for program, files in self.programs():
            with self.subTest(files=files):
                written = resource.getrusage(resource.RUSAGE_CHILDREN).ru_oublock
                of_10, of_40 = (self.taken(count, program)[1] for count in (10, 40))
                self.assertLess((of_40 - of_10) / 30, 256 * 1024)  # of half a megabyte of code, and 3 of libgfortran's
                self.assertLess(512 * (resource.getrusage(resource.RUSAGE_CHILDREN).ru_oublock - written), 4_000_000)

    def test_as_many_mappings_are_counted_as_a_rank_takes(self):
        for program, files in self.programs():
            with self.subTest(files=files):
                said = re.search(r"a rank takes (\d+) mappings and (\d+) files", self.ranks(900_000, program).stderr)
                of_10, of_40 = (self.taken(count, program)[0] for count in (10, 40))
                self.assertEqual((int(said[1]), int(said[2])), (round((of_40 - of_10) / 30), files))

    def test_as_many_ranks_run_as_fit(self):
        for program, files in self.programs():
            fit = (100 - 32) // files
            for count in (fit, fit + 1):
                with self.subTest(files=files, ranks=count):
                    done = self.run_it("sh", "-c", 'ulimit -n 100; exec "$@"', "sh", BIN / "maslin-mpirun", "-n", count, program)
                    self.assertEqual(done.returncode, 0 if count == fit else 2, done.stderr)
                    if count > fit:
                        self.assertIn(f"maslin-mpirun: {count} ranks do not fit into one process: the system allows {fit} (", done.stderr)

    @unittest.skipUnless(shutil.which("gdb"), "there is no gdb")
    def test_a_debugger_that_comes_later_knows_the_lines(self):
        """Copies hold only what is loaded, and the path of the program."""
        source = Path(self.folder.name) / "waits.c"
        source.write_text("#include <mpi.h>\n#include <stdio.h>\n#include <unistd.h>\nint main(int n, char **w) {\n  MPI_Init(&n, &w);\n"
                          "  printf(\"%d\\n\", (int)getpid());\n  for (;;) sleep(1);\n}\n")
        job = subprocess.Popen([BIN / "maslin-mpirun", "-n", "3", "--threads", self.build(source)], text=True, stdout=subprocess.PIPE)
        try:
            pid = [job.stdout.readline().strip() for _ in range(3)][0]
            found = subprocess.run(["gdb", "-nx", "-batch", "-p", pid, "-ex", "info line waits.c:6"], capture_output=True, text=True,
                                   timeout=LIMIT_S, check=False)
        finally:
            job.kill()
            job.communicate()
        if "ptrace" in found.stderr:
            self.skipTest("processes may not be traced")
        self.assertEqual(len(set(re.findall(r'Line 6 of ".*waits\.c" starts at address (0x[0-9a-f]+) <main', found.stdout))), 3,
                         found.stdout + found.stderr)


if __name__ == "__main__":
    unittest.main()
