"""The page as a whole, from a run's folder to the file; and everything that can be wrong with the folder."""

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from maslin_report import inputs, sizing, timeline
from maslin_report.page import render

HERE = Path(__file__).resolve().parent
TRACE = HERE.parent / "trace" / "testdata" / "fungi-v1.mtrace"
SPANS = HERE.parent / "trace" / "testdata" / "fungi-v1.spans.json"
MASLIN = os.environ.get("MASLIN_COMMAND")
MEGABYTE = 1 << 20


class Folder(unittest.TestCase):
    """A copy of a run's folder that a test may spoil."""

    def setUp(self):
        self.folder = Path(tempfile.mkdtemp(prefix="maslin_report_"))
        self.addCleanup(shutil.rmtree, self.folder)
        for file in (HERE / "testdata").iterdir():
            shutil.copy(file, self.folder)
        self.results = self.folder / "fungi.result.json"

    def report(self, *arguments):
        return subprocess.run([sys.executable, "-B", "-m", "maslin_report", *map(str, arguments)], capture_output=True,
                              text=True, check=False)

    def result(self):
        return json.loads(self.results.read_text())


class Page(Folder):
    def test_holds_every_part_and_fetches_nothing(self):
        page = render(inputs.load(self.folder, spans=SPANS))
        for word in ("fungi.phy", "Neurospora crassa",
                     "\u221211\u202f984.426", "streams × width", "makenewz", "chosen"):
            self.assertIn(word, page)
        self.assertEqual(re.findall(r"<(?:script|img|iframe|link)[^>]*(?:src|href)\s*=", page), [])
        self.assertLess(len(page), 6 * MEGABYTE)

    def test_reads_the_trace_through_the_command(self):
        if not MASLIN:
            self.skipTest("MASLIN_COMMAND does not name the command maslin")
        shutil.copy(TRACE, self.folder / "run.mtrace")
        done = self.report(self.folder, "--maslin", MASLIN)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertIn("worker 1", (self.folder / "report.html").read_text())

    def test_says_that_there_is_no_trace(self):
        self.assertIn("no trace was recorded", render(inputs.load(self.folder)))

    def test_means_no_markup_by_names(self):
        result = self.result()
        result["alignment"]["file"] = "<script>alert(1)</script>.nex"
        self.results.write_text(json.dumps(result))
        page = render(inputs.load(self.folder))
        self.assertNotIn("<script>alert", page)

    def test_stays_small_for_many_workers_and_streams(self):
        trace = json.loads(SPANS.read_text())
        trace["streams"] = [{"phase": "trees", "index": i, "begin_s": 0, "end_s": 1} for i in range(1000)]
        trace["tracks"] = [{"worker": w, "spans": [[i / 100, (i + 1) / 100, i] for i in range(94)]} for w in range(64)]
        (self.folder / "spans.json").write_text(json.dumps(trace))
        page = render(inputs.load(self.folder, spans=self.folder / "spans.json"))
        self.assertLess(len(page), 10 * MEGABYTE)

    def test_is_made_of_a_search_alone_too(self):
        result = self.result()
        for key in ("bootstraps", "right_sizing"):
            result[key] = None
        self.results.write_text(json.dumps(result))
        (self.folder / "fungi.support").rename(self.folder / "fungi.bestTree")
        self.assertIn("No phase ran", render(inputs.load(self.folder)))


class Refusals(Folder):
    def refused(self, *arguments):
        """Gives what the program said when it refused; nothing may be left then."""
        before = sorted(os.listdir(self.folder))
        done = self.report(*arguments)
        self.assertEqual(done.returncode, 2, done.stdout + done.stderr)
        self.assertEqual(sorted(os.listdir(self.folder)), before)
        self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
        return done.stderr

    def test_a_folder_that_is_none(self):
        self.assertIn("no folder", self.refused(self.folder / "absent"))

    def test_a_folder_without_results(self):
        self.results.unlink()
        self.assertIn("holds no result.json", self.refused(self.folder))

    def test_results_that_are_cut(self):
        text = self.results.read_text()
        self.results.write_text(text[: len(text) // 2])
        self.assertRegex(self.refused(self.folder), r"line \d+, column \d+")

    def test_results_that_are_something_else(self):
        for text in ("[]", "\u00ff", ""):
            self.results.write_text(text, encoding="latin-1")
            self.assertIn(str(self.results), self.refused(self.folder))

    def test_results_that_lack_a_key(self):
        result = self.result()
        del result["right_sizing"]["configurations"]
        self.results.write_text(json.dumps(result))
        self.assertIn("configurations", self.refused(self.folder))

    def test_a_tree_that_is_none(self):
        (self.folder / "fungi.support").write_text("(a,b")
        self.assertIn("no Newick tree", self.refused(self.folder))

    def test_a_trace_that_is_damaged(self):
        if not MASLIN:
            self.skipTest("MASLIN_COMMAND does not name the command maslin")
        (self.folder / "run.mtrace").write_bytes(TRACE.read_bytes()[:100])
        self.assertIn("at byte 100", self.refused(self.folder, "--maslin", MASLIN))

    def test_a_command_that_is_none(self):
        self.assertIn("--maslin", self.refused(self.folder, "--maslin", self.folder / "absent"))

    def test_a_page_that_has_no_place(self):
        self.assertIn("cannot be written", self.refused(self.folder, "-o", self.folder / "absent" / "report.html"))
        self.assertIn("is a folder", self.refused(self.folder, "-o", self.folder))

    def test_a_full_disk(self):
        if not os.access("/dev/full", os.W_OK):
            self.skipTest("/dev/full absent")
        self.assertIn("No space left", self.refused(self.folder, "-o", "/dev/full"))


class Parts(unittest.TestCase):
    def test_decisions_that_repeat_are_one(self):
        decision = {"phase": "trees", "streams": 2, "width": 1, "stage": "sampling", "at_s": 0}
        again = {**decision, "at_s": 1}
        chosen = {**decision, "at_s": 2, "stage": "chosen"}
        self.assertEqual(timeline.distinct([decision, again, chosen, again]), [decision, chosen, again])

    def test_every_interval_is_drawn_once_in_its_streams_colour(self):
        trace = json.loads(SPANS.read_text())
        bars = timeline.figure(trace).data[1]
        spans = [(track["worker"], span) for track in trace["tracks"] for span in track["spans"]]
        self.assertEqual(len(bars.x), len(spans))
        for (worker, (begin, end, stream)), y, base, length, colour in zip(spans, bars.y, bars.base, bars.x,
                                                                          bars.marker.color):
            self.assertEqual((y, base, colour), (f"worker {worker}", begin, timeline.colour(stream)))
            self.assertAlmostEqual(length, end - begin, places=5)

    def test_the_verdict_says_what_was_done(self):
        row = {"streams": 2, "width": 1, "samples": 3, "seconds": 1.0, "throughput": 2.0, "chosen": True}
        sized = {"configurations": [row], "chosen": {"streams": 2, "width": 1}, "pinned_by": "", "gain_over_worst": 0.5,
                 "loss_to_best": 0.0, "seconds": 9.0, "sampling_seconds": 1.0}
        self.assertIn("50.0 % more throughput than the worst", sizing.verdict(sized))
        self.assertIn("pinned to 2 × 1 by MASLIN_PIN", sizing.verdict({**sized, "pinned_by": "MASLIN_PIN"}))
        self.assertIn("ended before", sizing.verdict({**sized, "chosen": None}))
        self.assertIn("nothing to sample", sizing.verdict({**sized, "configurations": []}))

    def test_how_the_workers_waited_is_said_where_it_is_known(self):
        sized = {"seconds": 2.0, "cpu_seconds": 3.5, "waiting": "park", "waiting_reason": "auto: waits take 2 ms"}
        self.assertEqual(sizing.waiting(sized), " Workers without work waited by park (auto: waits take 2 ms)."
                                                " The phase took 3.50 s of CPU time in 2.00 s.")
        self.assertEqual(sizing.waiting({"seconds": 2.0, "cpu_seconds": None, "waiting": ""}), "")
        self.assertEqual(sizing.waiting({"seconds": 2.0}), "")


if __name__ == "__main__":
    unittest.main()
