"""What the end-to-end tests of maslin-phylo share: running the program that was built, in a folder of its own."""

import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

DATA = pathlib.Path(__file__).resolve().parent / "data"
TIMEOUT_SECONDS = 240 * int(os.environ.get("PATIENCE", "1"))  # a hang is a failure; sanitizers are slow

IN_MEMORY = pathlib.Path("/dev/shm")
ROOM = 1 << 30  # bytes; what is left there when tests are killed does not fill it

program = None  # path of maslin-phylo, set by main()


def place_of_folders():
    """Gives where the tests have their folders (null: the usual place): in memory, where there is room. The program waits
    until what it writes is on the disk, and most tests of chains would wait ten times as long as they compute."""
    if "TMPDIR" in os.environ or not os.access(IN_MEMORY, os.W_OK | os.X_OK):
        return None
    return IN_MEMORY if shutil.disk_usage(IN_MEMORY).free > ROOM else None


def environment(**changes):
    """The test's environment; a variable that is None is taken out."""
    out = dict(os.environ, LC_ALL="C.UTF-8")
    for name, value in changes.items():
        if value is None:
            out.pop(name, None)
        else:
            out[name] = value
    return out


def files_below(folder):
    """Everything below a folder: path → content (None for folders, and for what may not be read)."""
    return {
        str(path.relative_to(folder)): path.read_bytes() if path.is_file() and os.access(path, os.R_OK) else None
        for path in sorted(folder.rglob("*"))
    }


class ProgramTest(unittest.TestCase):
    maxDiff = None

    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="maslin_phylo_", dir=place_of_folders()))
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)

    def write(self, name, content):
        path = self.folder / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return name

    def run_program(self, *arguments, env=None, **options):
        options.setdefault("stdout", subprocess.PIPE)
        if "input" not in options:
            options.setdefault("stdin", subprocess.DEVNULL)
        return subprocess.run(
            [program, *map(str, arguments)],
            cwd=self.folder,
            env=env or environment(),
            stderr=subprocess.PIPE,
            timeout=TIMEOUT_SECONDS,
            check=False,
            **options,
        )

    def run_well(self, *arguments, env=None, **options):
        """Runs what must succeed and gives its standard output."""
        done = self.run_program(*arguments, env=env, **options)
        self.assertEqual(done.returncode, 0, done.stderr.decode())
        return done.stdout.decode()

    def result(self, prefix):
        return json.loads((self.folder / f"{prefix}.result.json").read_text())

    def trees(self, prefix):
        """The bytes of all tree files of a prefix."""
        return {what: (self.folder / f"{prefix}.{what}").read_bytes() for what in ("bestTree", "bootstraps", "support")}


def figures(result):
    """What of a result.json depends on alignment, model and seed only."""
    trees = [
        (kind, tree["index"], tree["lnl"].hex(), tree["model"])
        for kind in ("searches", "bootstraps")
        for tree in result[kind]
    ]
    return {"lnl": result["lnl"].hex(), "best": result["best"], "trees": trees, "alignment": result["alignment"]}


def main():
    global program
    if len(sys.argv) < 2:
        sys.exit(f"usage: {sys.argv[0]} PATH-OF-MASLIN-PHYLO [unittest arguments]")
    program = str(pathlib.Path(sys.argv.pop(1)).resolve())
    unittest.main(module="__main__")
