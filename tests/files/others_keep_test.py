"""Whatever stands where this project is told to write: what is not its own stays as it is, and nobody waits.

    others_keep_test.py MASLIN PROGRAM PHYLO CHECKOUT
"""

import os
import stat
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

LIMIT_S = 60  # of one program; a hang is a failure
MASLIN, PROGRAM, PHYLO, CHECKOUT = (Path(path).resolve() for path in sys.argv[1:5])
MSA = CHECKOUT / "tests" / "phylo" / "data" / "ten.phy"
FOREIGN = "my thesis\n"


def is_root():
    return os.geteuid() == 0


class OthersKeep(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="maslin_files_")
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.place = self.folder / "place"
        ranks = ("MASLIN_", "OMPI_", "PMI_", "PMIX_", "SLURM_")
        plain = {name: value for name, value in os.environ.items() if not name.startswith(ranks)}
        self.environment = plain | {"XDG_CACHE_HOME": str(self.folder / "cache"), "MASLIN_LEARNED": "off", "MASLIN_REPORT": "off",
                                    "MASLIN_WORKERS": "2", "MASLIN_WATCHDOG": "20,100"}

    def run_it(self, *words, **variables):
        return subprocess.run([str(word) for word in words], env=self.environment | variables, capture_output=True, text=True,
                              timeout=LIMIT_S, cwd=self.folder, stdin=subprocess.DEVNULL, check=False)

    def obstacles(self):
        """Puts each thing that is nobody's to replace in the place in turn; gives its name, and checks that it stayed."""
        makers = {
            "folder": self.place.mkdir,
            "FIFO": lambda: os.mkfifo(self.place),
            "link to a FIFO": lambda: (os.mkfifo(self.folder / "target"), self.place.symlink_to("target")),
            "link round": lambda: self.place.symlink_to(self.place.name),
        }
        if is_root():
            makers["device"] = lambda: os.mknod(self.place, stat.S_IFCHR | 0o666, os.makedev(1, 5))  # as /dev/zero
            makers["disk"] = lambda: os.mknod(self.place, stat.S_IFBLK | 0o666, os.makedev(7, 250))
        yield from self.each(makers)

    def foreign_files(self):
        def write(to):
            to.write_text(FOREIGN)
            to.chmod(0o640)

        yield from self.each({
            "foreign file": lambda: write(self.place),
            "link to a foreign file": lambda: (write(self.folder / "target"), self.place.symlink_to("target")),
        })

    def each(self, makers):
        for name, make in makers.items():
            make()
            before = self.picture()
            yield name
            self.assertEqual(self.picture(), before, name)
            for path in (self.place, self.folder / "target"):
                if os.path.isdir(path) and not path.is_symlink():
                    path.rmdir()
                else:
                    path.unlink(missing_ok=True)

    def picture(self):
        """All that is in the folder: names, types, modes, numbers, contents."""
        found = {}
        for path in sorted(self.folder.rglob("*")):
            about = path.lstat()
            content = os.readlink(path) if path.is_symlink() else path.read_bytes() if os.path.isfile(path) else None
            found[str(path)] = (about.st_mode, about.st_ino, content)
        return found

    def test_what_is_learned(self):
        for things in (self.obstacles, self.foreign_files):
            for _ in things():
                done = self.run_it(PROGRAM, "phase", "a", MASLIN_LEARNED=str(self.place))
                self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_reports(self):
        for things in (self.obstacles, self.foreign_files):
            for _ in things():
                done = self.run_it(PROGRAM, "phase", "a", MASLIN_REPORT=str(self.place))
                self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_traces(self):
        for things in (self.obstacles, self.foreign_files):
            for name in things():
                done = self.run_it(PROGRAM, "phase", "a", MASLIN_TRACE=str(self.place))
                if name == "device":
                    self.assertEqual((done.returncode, done.stderr), (0, ""))  # written directly
                    continue
                self.assertNotEqual(done.returncode, 0)
                self.assertIn(f"MASLIN_TRACE={self.place}", done.stderr)

    def test_outputs_of_the_command(self):
        self.run_it(PROGRAM, "phase", "a", MASLIN_TRACE="run.mtrace")
        for name in self.obstacles():
            if name.endswith("FIFO"):
                continue  # a reader is waited for, as a shell does
            done = self.run_it(MASLIN, "trace", "spans", "run.mtrace", "--output", self.place)
            self.assertEqual(done.returncode, 0 if name == "device" else 2, done.stderr)
            if name != "device":
                self.assertIn(f"'{self.place}' cannot be written", done.stderr)

    def test_outputs_of_the_command_replace_files(self):
        self.run_it(PROGRAM, "phase", "a", MASLIN_TRACE="run.mtrace")
        (self.folder / "target").write_text(FOREIGN)
        (self.folder / "target").chmod(0o600)
        self.place.symlink_to("target")
        self.assertEqual(self.run_it(MASLIN, "trace", "spans", "run.mtrace", "--output", self.place).returncode, 0)
        self.assertTrue(self.place.is_symlink())
        self.assertTrue((self.folder / "target").read_text().startswith("{"))
        self.assertEqual(stat.S_IMODE((self.folder / "target").stat().st_mode), 0o600)
        said = self.run_it("sh", "-c", f"echo before; '{MASLIN}' trace spans run.mtrace --output /dev/stdout; echo behind")
        self.assertEqual((said.stdout.splitlines()[0], said.stdout.splitlines()[-1]), ("before", "behind"))
        self.run_it("sh", "-c", f"(echo before; '{MASLIN}' trace spans run.mtrace --output /dev/stdout; echo behind) > both")
        self.assertEqual((self.folder / "both").read_text(), said.stdout)

    def test_results_of_phylo(self):
        command = [PHYLO, "search", "--msa", MSA, "--model", "JC", "--quiet", "--prefix", "P", "--starts", "1"]
        self.place = self.folder / "P.bestTree"
        for things in (self.obstacles,):
            for _ in things():
                done = self.run_it(*command)
                self.assertEqual(done.returncode, 2, done.stderr)
                self.assertIn("P.bestTree", done.stderr)

    def test_checkpoints_of_phylo(self):
        command = [PHYLO, "search", "--msa", MSA, "--model", "JC", "--quiet", "--prefix", "P", "--starts", "1"]
        checkpoint = self.folder / "P.checkpoint"
        checkpoint.mkdir()
        for name in ("search-0000", "search-notes.txt", "notes.txt"):
            with self.subTest(name):
                (checkpoint / name).write_text(FOREIGN)
                before = self.picture()
                for more in ((), ("--redo",)):
                    done = self.run_it(*command, *more)
                    self.assertEqual(done.returncode, 2, done.stderr)
                    self.assertIn("another --prefix", done.stderr)
                    self.assertEqual(self.picture(), before)
                (checkpoint / name).unlink()
        self.assertEqual(self.run_it(*command).returncode, 0)
        (checkpoint / "search-notes.txt").write_text(FOREIGN)
        self.place = checkpoint / "search-0001"
        for _ in self.obstacles():
            self.assertEqual(self.run_it(*command[:-1], "2").returncode, 2)
        self.assertEqual(self.run_it(*command, "--redo").returncode, 0)
        self.assertEqual((checkpoint / "search-notes.txt").read_text(), FOREIGN)


if __name__ == "__main__":
    del sys.argv[1:]
    unittest.main()
