"""docs/memory.md: its program gives what the page says, and cachegrind counts what `maslin trace reuse` computes.

    reuse_test.py PROGRAM MASLIN
"""

import json
import os
import re
import shutil
import sys
import unittest
import xml.etree.ElementTree as xml
from pathlib import Path

from commands import Commands

PROGRAM, MASLIN = (Path(path).resolve() for path in sys.argv[1:3])
PAGE = Path(__file__).resolve().parents[2] / "docs" / "memory.md"
MB = 1 << 20
PASSES = 12
CACHES = ("--cache", "256k", "--l3", "2m")


class Reuse(Commands):
    def record(self, how, mb, part_kb, workers=2):
        self.call(PROGRAM, how, mb, part_kb, MASLIN_TRACE="run.mtrace", MASLIN_WORKERS=str(workers))

    def reuse(self, *options):
        return json.loads(self.call(MASLIN, "trace", "reuse", "run.mtrace", "--json", *options).stdout)

    def found(self, how, mb=8, part_kb=64, workers=2):
        self.record(how, mb, part_kb, workers)
        return self.reuse(*CACHES)["all"]

    def test_the_page_s_commands_run(self):
        blocks = re.findall(r"^```sh\n(.*?)^```$", PAGE.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE)
        shown = [block for block in blocks if "maslin trace reuse" in block]
        self.assertTrue(shown)
        (self.folder / "passes").symlink_to(PROGRAM)
        for block in shown:
            self.call("bash", "-euc", block, PATH=f"{MASLIN.parent}:{os.environ['PATH']}", MASLIN_WORKERS="2")
        self.assertIn("<svg", (self.folder / "reuse.svg").read_text())

    def test_passes_over_more_than_a_cache_holds_come_from_memory_each_time(self):
        """But for what a pass that begins where the last one ended finds in the caches, a quarter of the array."""
        for workers in (1, 2):
            all_bytes = self.found("pass-by-pass", workers=workers)
            self.assertEqual(all_bytes["bytes"], PASSES * 8 * MB)
            self.assertAlmostEqual(all_bytes["memory_first"] / MB, 8, delta=0.01)
            self.assertGreater(all_bytes["memory_again"], 0.7 * (PASSES - 1) * 8 * MB)

    def test_passes_over_a_part_that_fits_find_it_in_the_cache(self):
        found = self.found("part-by-part", workers=1)
        self.assertAlmostEqual(found["own_cache"] / MB, (PASSES - 1) * 8, delta=0.1)  # parts share a line where they meet
        self.assertEqual(found["memory_again"], 0)

    def test_one_task_that_does_all_passes_uses_each_byte_once(self):
        found = self.found("fused")
        self.assertEqual(found["bytes"], 8 * MB)
        self.assertAlmostEqual(found["memory_first"] / MB, 8, delta=0.01)

    def test_what_it_says_is_the_same_in_each_form(self):
        self.record("pass-by-pass", 8, 64)
        said = self.reuse(*CACHES)
        self.assertEqual((said["cache_bytes"], said["l3_bytes"], said["workers"]), (256 << 10, 2 << 20, 2))
        self.assertEqual(sum(line["tasks"] for line in said["lines"]), PASSES * 128)
        self.assertEqual(len(said["lines"]), 3)
        places = [key for key in said["all"] if key not in ("tasks", "seconds", "bytes")]
        self.assertEqual(len(places), 5)
        for one in (*said["lines"], said["all"]):
            self.assertEqual(sum(one[place] for place in places), one["bytes"])
        text = self.call(MASLIN, "trace", "reuse", "run.mtrace", *CACHES, "--svg", "reuse.svg").stdout
        self.assertIn("1536 tasks on 2 workers", text)
        self.assertIn(f"{100 * said['all']['memory_again'] / said['all']['bytes']:.1f} %", text)
        picture = xml.parse(self.folder / "reuse.svg").getroot()
        bars = [rect for rect in picture.iter("{http://www.w3.org/2000/svg}rect") if len(rect)]
        self.assertGreaterEqual(len(bars), 3)

    def test_cachegrind_counts_the_same(self):
        if not shutil.which("valgrind"):
            self.skipTest("valgrind is not there")
        if os.environ.get("SANITIZED"):
            self.skipTest("a sanitizer reads and writes memory of its own, which cachegrind counts, too")
        own, shared = 256 << 10, 2 << 20
        for how, part_kb in (("pass-by-pass", 64), ("part-by-part", 64), ("part-by-part", 1024)):
            self.call("valgrind", "--tool=cachegrind", "--cache-sim=yes", "--cachegrind-out-file=counts", f"--D1={own},16,64",
                      f"--LL={shared},16,64", PROGRAM, how, 4, part_kb, MASLIN_WORKERS="1", MASLIN_TRACE="run.mtrace")
            said = self.reuse(*CACHES)["all"]
            text = (self.folder / "counts").read_text()
            names = re.search(r"^events: (.*)$", text, re.M)[1].split()
            counts = dict(zip(names, map(int, re.search(r"^summary: (.*)$", text, re.M)[1].split())))
            # The program also writes the array before, and reads it behind, the passes: twice 4 MB from memory each.
            beside = 2 * 4 * MB
            from_memory = 64 * (counts["DLmr"] + counts["DLmw"]) - beside
            missed = 64 * (counts["D1mr"] + counts["D1mw"]) - beside
            expected_from_memory = said["memory_again"] + said["memory_first"]
            expected_missed = said["bytes"] - said["own_cache"]
            for counted, expected in ((from_memory, expected_from_memory), (missed, expected_missed)):
                self.assertAlmostEqual(counted / MB, expected / MB, delta=0.05 * said["bytes"] / MB, msg=f"{how}, parts of {part_kb} KB")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
