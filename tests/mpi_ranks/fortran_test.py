"""Programs in Fortran."""

import subprocess
import sys
import unittest
from pathlib import Path

from jobs import BIN, FORTRAN, LIMIT_S, Mpi


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
