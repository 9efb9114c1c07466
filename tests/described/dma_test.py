"""`maslin dma`: docs/dma.md's commands as they stand there, and what is refused.

    dma_test.py MASLIN PROGRAM OTHER     PROGRAM is the page's; OTHER has no tasks that name data"""

import json
import os
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

PAGE = Path(__file__).resolve().parents[2] / "docs" / "dma.md"
MASLIN, PROGRAM, OTHER = (Path(path).resolve() for path in sys.argv[1:4])
TASKS, PACKETS = 63, 128  # of the page's program; packets of a vector that begins where a packet does


def environment(**settings: str) -> dict[str, str]:
    clean = {key: value for key, value in os.environ.items() if not key.startswith("MASLIN_")}
    return clean | {"PATH": f"{MASLIN.parent}:{clean['PATH']}", "MASLIN_WORKERS": "2"} | settings


class Dma(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="maslin_dma_")
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        (self.folder / "program").symlink_to(PROGRAM)

    def bash(self, command: str, **settings: str) -> subprocess.CompletedProcess:
        return subprocess.run(["bash", "-euc", command], cwd=self.folder, env=environment(**settings), capture_output=True, text=True,
                              check=False)

    def dma(self, *words: str) -> dict:
        done = self.bash(" ".join(("maslin dma run.mtrace --json", *words)))
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)

    def record(self, **settings: str) -> None:
        done = self.bash("./program", MASLIN_TRACE="run.mtrace", **settings)
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_the_page_is_true(self):
        (block,) = re.findall(r"^```sh\n(.*?)^```$", PAGE.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE)
        done = self.bash(block)
        self.assertEqual(done.returncode, 0, done.stderr)
        for word in ("63 tasks on 2 workers, 189 transfers", "packets", "SL1", "memory", "pages", "bus 0", "time"):
            self.assertIn(word, done.stdout)
        said = json.loads(done.stdout[done.stdout.index("{") :])
        self.assertEqual(said["tasks"], TASKS)
        self.assertEqual(len(said["clusters"]), 2)

    def test_what_tasks_name_is_transferred_once_each(self):
        for settings in ({}, {"MASLIN_WORKERS": "1"}):
            self.record(**settings)
            said = self.dma("--sl1 0")
            self.assertEqual(said["tasks"], TASKS)
            self.assertEqual(said["operations"], 3 * TASKS)
            self.assertEqual(said["bytes"], 3 * TASKS * 4096 * 4)
            for key, transfers in (("get_packets", 2 * TASKS), ("put_packets", TASKS)):
                self.assertGreaterEqual(said[key], transfers * PACKETS)
                self.assertLessEqual(said[key], transfers * (PACKETS + 1))
            self.assertEqual(said["memory_reads"], said["get_packets"])
            self.assertEqual(said["memory_writes"], said["put_packets"])
            self.assertEqual(sum(said["packets_of_workers"]), said["get_packets"] + said["put_packets"])

    def test_a_cache_that_holds_everything_reads_each_vector_once(self):
        self.record()
        said = self.dma("--sl1 64m")
        self.assertGreaterEqual(said["memory_reads"], 64 * PACKETS)
        self.assertLessEqual(said["memory_reads"], 64 * (PACKETS + 1))
        self.assertEqual(said["memory_writes"], 0)
        self.assertGreaterEqual(said["newer_in_sl1"], 32 * PACKETS)  # every second vector became a sum

    def test_numbers_are_decimal_with_zeros_in_front_as_well(self):
        self.record()
        wide = self.dma("--sl1 64k --packet 512 --banks 8")
        self.assertEqual(self.dma("--sl1 064k --packet 0512 --banks 08"), wide)
        self.refused("maslin dma run.mtrace --packet 0x80", "--packet: '0x80'; expected a size in bytes")
        self.refused("maslin dma run.mtrace --banks 0x8", "--banks: '0x8'; expected a whole number from 1 to")

    def test_a_wider_packet_and_a_slower_bus_are_taken(self):
        self.record()
        fast, slow = self.dma("--sl1 0"), self.dma("--sl1 0 --bandwidth 100 --packet 256")
        self.assertLess(slow["get_packets"], fast["get_packets"])
        # All packets after each other at 100 MB/s: 2.56 us each.
        self.assertGreaterEqual(slow["last_packet_ns"], 2560 * (slow["get_packets"] + slow["put_packets"]))

    def refused(self, command: str, what: str, **settings: str) -> None:
        done = self.bash(command, **settings)
        self.assertEqual(done.returncode, 2, done.stdout)
        self.assertIn(what, done.stderr)

    def test_what_cannot_be_told_is_refused_in_words(self):
        self.record()
        self.refused("maslin dma run.mtrace --clusters 3", "3 clusters of 2 workers")
        self.refused("maslin dma run.mtrace --clusters 0", "--clusters: '0'; expected a whole number from 1 to 2147483647")
        self.refused("maslin dma run.mtrace --packet 100", "packets of 100 bytes")
        self.refused("maslin dma run.mtrace --packet 1152921504606846976", "--packet is 1152921504606846976; expected")
        self.refused("maslin dma run.mtrace --banks 2000000000", "2000000000 banks")
        self.refused("maslin dma run.mtrace --interleave permuted --banks 6", "6 permuted banks")
        self.refused("maslin dma run.mtrace --interleave no", "--interleave")
        self.refused("maslin dma absent.mtrace", "absent.mtrace")
        done = self.bash("./program", MASLIN_TRACE="streams.mtrace", MASLIN_TRACE_DETAIL="streams")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.refused("maslin dma streams.mtrace", "MASLIN_TRACE_DETAIL=streams")
        subprocess.run([OTHER], env=environment(MASLIN_TRACE=str(self.folder / "other.mtrace")), cwd=self.folder, check=True,
                       capture_output=True)
        self.refused("maslin dma other.mtrace", "none of its tasks names data")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
