"""How the scripts write files: whole or not at all, and only regular files are replaced."""

import os
import stat
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from maslin_report import whole
from maslin_report.whole import write_whole


class Whole(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="maslin_whole_")
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def names(self):
        return sorted(path.name for path in self.folder.iterdir())

    def test_a_link_stays_and_its_target_keeps_its_mode(self):
        (self.folder / "file").write_text("old")
        (self.folder / "file").chmod(0o600)
        (self.folder / "link").symlink_to("file")
        (self.folder / "dangling").symlink_to("new")
        write_whole(self.folder / "link", "text")
        write_whole(self.folder / "dangling", "text")
        self.assertEqual([(self.folder / name).read_text() for name in ("file", "new")], ["text", "text"])
        self.assertEqual(stat.S_IMODE((self.folder / "file").stat().st_mode), 0o600)
        self.assertEqual(self.names(), ["dangling", "file", "link", "new"])
        self.assertTrue((self.folder / "link").is_symlink() and (self.folder / "dangling").is_symlink())

    def test_what_is_no_file_stays(self):
        (self.folder / "folder").mkdir()
        os.mkfifo(self.folder / "fifo")
        with self.assertRaises(OSError):
            write_whole(self.folder / "folder", "text")
        reader = os.open(self.folder / "fifo", os.O_RDONLY | os.O_NONBLOCK)
        write_whole(self.folder / "fifo", "text")
        self.assertEqual(os.read(reader, 10), b"text")
        os.close(reader)
        self.assertEqual(self.names(), ["fifo", "folder"])
        self.assertTrue((self.folder / "fifo").is_fifo())

    def test_a_failure_leaves_the_old_file_and_nothing_else(self):
        (self.folder / "file").write_text("old")
        with self.assertRaises(UnicodeEncodeError):
            write_whole(self.folder / "file", "\udc80")
        self.assertEqual((self.folder / "file").read_text(), "old")
        self.assertEqual(self.names(), ["file"])

    def test_an_open_descriptor_is_written_where_it_stands(self):
        script = ("import os, sys; sys.path.insert(0, sys.argv[1]); from pathlib import Path; from maslin_report.whole import "
                  "write_whole; os.write(1, b'a'); write_whole(Path('/dev/stdout'), 'b'); os.write(1, b'c')")
        with (self.folder / "out").open("w") as out:
            subprocess.run([sys.executable, "-B", "-c", script, str(Path(whole.__file__).parents[1])], stdout=out, check=True)
        self.assertEqual((self.folder / "out").read_text(), "abc")


if __name__ == "__main__":
    unittest.main()
