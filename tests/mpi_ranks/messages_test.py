"""`maslin machine --calibrate FILE -- LAUNCHER` measures messages between processes and nodes, and adds them to the file."""

import json
import os
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

from jobs import BIN, Mpi

MPIRUN = os.environ.get("MPIRUN") or shutil.which("mpirun") or ""
IS_OPEN_MPI = bool(MPIRUN) and b"Open" in subprocess.run([MPIRUN, "--version"], capture_output=True, check=False).stdout
BY_THE_SYSTEMS_MPI = unittest.skipUnless((BIN / "maslin-messages-mpi").exists(),
                                         "maslin-messages-mpi is not built: there is no MPI")
BY_HAND = """# by hand
name = "here"
[workers]
kind = "cpu"
count = 4
source = "a test"

[[messages]]
# of yesterday
call = "send"
placement = "processes"
ranks = 2
bytes = [8]
us = [123456]
source = "yesterday"

# of ranks of one process
[[messages]]
call = "send"
placement = "workers"
ranks = 2
bytes = [8]
us = [0.5]
source = "a test"
[dispatch]
task_us = 0.25
source = "a test"
"""


class Messages(Mpi):
    def setUp(self):
        self.file = Path(self.enterContext(tempfile.TemporaryDirectory())) / "here.toml"
        self.file.write_text(BY_HAND)

    def calibrate(self, *launcher) -> subprocess.CompletedProcess:
        return self.run_it(BIN / "maslin", "machine", "--calibrate", self.file, "--", *launcher, workers=1,
                           variables={"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"})

    def curves(self, *launcher) -> dict:
        """Gives those that are in the file then: by call, placement, and ranks, with those of a node."""
        done = self.calibrate(*launcher)
        self.assertEqual(done.returncode, 0, done.stderr)
        said = self.run_it(BIN / "maslin", "machine", "--machine", self.file, "--json")
        self.assertEqual(said.returncode, 0, said.stderr)
        all_of_them = json.loads(said.stdout)["messages"]
        curves = {(c["call"], c["placement"], c["ranks"], c.get("on_a_node", 1)): c for c in all_of_them}
        self.assertEqual(len(curves), len(all_of_them), all_of_them)
        for key, curve in curves.items():
            if key[1] == "workers":
                continue
            self.assertEqual(curve["bytes"], [8, 512, 8192, 131072])
            self.assertTrue(all(0 < us < 100_000 for us in curve["us"]), curve)
        return curves

    def system(self, count: int) -> list:
        return [MPIRUN, *(("--oversubscribe", "--bind-to", "none") if IS_OPEN_MPI else ()), "-n", count]

    def test_processes_of_a_node(self):
        curves = self.curves(BIN / "maslin-mpirun", "-n", 6, "--processes", 3)
        of_processes = {(call, "processes", ranks, 1) for call in ("send", "all_reduce") for ranks in (2, 3)}
        self.assertEqual(set(curves), of_processes | {("send", "workers", 2, 1)})
        self.assertEqual(curves["send", "workers", 2, 1]["us"], [0.5])
        self.assertIn("measured: processes of ", curves["send", "processes", 2, 1]["source"])
        text = self.file.read_text()
        for kept in ("# by hand\n", "# of ranks of one process\n[[messages]]\n", "[dispatch]\ntask_us = 0.25\n"):
            self.assertIn(kept, text)
        self.assertNotIn("yesterday", text)

    @BY_THE_SYSTEMS_MPI
    def test_processes_of_the_systems_mpi(self):
        curves = self.curves(*self.system(2))
        self.assertLess({("send", "processes", 2, 1), ("all_reduce", "processes", 2, 1)}, set(curves))
        self.assertRegex(curves["send", "processes", 2, 1]["source"], "Open MPI|MPICH")

    @BY_THE_SYSTEMS_MPI
    def test_nodes(self):
        """Here they are one, on which maslin-mpirun is started twice."""
        curves = self.curves(*self.system(2), BIN / "maslin-mpirun", "--nodes", "-n", 4, "--processes", 2)
        for call in ("send", "all_reduce"):
            self.assertLess({(call, "processes", 2, 1), (call, "nodes", 2, 1), (call, "nodes", 4, 2)}, set(curves))

    def refused(self, why: str, *launcher) -> None:
        done = self.calibrate(*launcher)
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertIn(why, done.stderr)

    def test_what_is_refused(self):
        self.refused("has started no two processes that know each other", BIN / "maslin-mpirun", "-n", 2)
        self.refused("' ended with status 1", "false")
        self.refused("'/absent/mpirun' cannot be run: No such file or directory; expected what starts ranks", "/absent/mpirun")
        self.assertEqual(self.file.read_text(), BY_HAND)
        inline = BY_HAND.split("[[messages]]", maxsplit=1)[0]
        inline = ('messages = [{call = "send", placement = "nodes", ranks = 2, bytes = [8], us = [1], source = "a test"}]\n'
                  + inline)
        self.file.write_text(inline)
        self.refused("expected each of [[messages]] as a group", BIN / "maslin-mpirun", "-n", 2, "--processes", 2)
        self.assertEqual(self.file.read_text(), inline)
        self.file.unlink()
        self.refused("here.toml: cannot be opened", "false")
        done = self.run_it(BIN / "maslin", "machine", "--", "mpirun", "-n", "2")
        self.assertEqual(done.returncode, 2)
        self.assertIn("'mpirun': a command that starts ranks goes with --calibrate FILE", done.stderr)


if __name__ == "__main__":
    unittest.main()
