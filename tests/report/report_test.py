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

from maslin_report import inputs, labels, sizing, timeline
from maslin_report.labels import Box, Edge
from maslin_report.page import render

HERE = Path(__file__).resolve().parent
TRACE = HERE.parent / "trace" / "testdata" / "fungi-v1.mtrace"
SPANS = HERE.parent / "trace" / "testdata" / "fungi-v1.spans.json"
MASLIN = os.environ.get("MASLIN_COMMAND")
KILOBYTE = 1000


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
        self.assertLess(len(page.encode()), 100 * KILOBYTE)

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
        result["alignment"]["file"] = "<script>alert(1).nex"
        result["model"] = result["best"]["model"] = result["right_sizing"]["pinned_by"] = result["files"]["a"] = "<script>alert(2)"
        self.results.write_text(json.dumps(result))
        trace = json.loads(SPANS.read_text())
        trace["processor"] = trace["kernels"][0]["name"] = "<script>alert(3)"
        (self.folder / "spans.json").write_text(json.dumps(trace))
        page = render(inputs.load(self.folder, spans=self.folder / "spans.json"))
        self.assertNotIn("<script>alert", page)
        self.assertEqual([page.count(f"alert({i})") for i in (1, 2, 3)], [2, 4, 3])

    def test_stays_small_for_many_workers_and_streams(self):
        trace = json.loads(SPANS.read_text())
        trace["streams"] = [{"phase": "trees", "index": i, "begin_s": 0, "end_s": 1} for i in range(1000)]
        trace["tracks"] = [{"worker": w, "spans": [[i / 100, (i + 1) / 100, i] for i in range(94)]} for w in range(64)]
        (self.folder / "spans.json").write_text(json.dumps(trace))
        page = render(inputs.load(self.folder, spans=self.folder / "spans.json"))
        self.assertLess(len(page.encode()), 500 * KILOBYTE)

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
        for track in trace["tracks"]:
            drawn = [(float(begin), float(size), name)
                     for name, path in re.findall(r"<path class=(\w+) d='([^']*)'", timeline.bars(track, trace["duration_s"]))
                     for begin, size in re.findall(r"M([\d.]+) 0h([\d.]+)", path)]
            self.assertEqual(len(drawn), len(track["spans"]))
            unit = trace["duration_s"] / 1e4
            for (begin, size, name), (b, e, stream) in zip(sorted(drawn), track["spans"]):
                self.assertAlmostEqual(begin * unit, b, delta=unit)
                self.assertAlmostEqual(size * unit, e - b, delta=unit)
                self.assertEqual(name, timeline.stream_class(stream))

    def test_what_is_pointed_at_is_in_the_page(self):
        trace = json.loads(SPANS.read_text())
        data = json.loads(re.search(r"id=time-data>(.*?)</script>", timeline.picture(trace))[1])
        for track, spans in zip(trace["tracks"], data["tracks"]):
            for (begin, end, stream), (b, e, s) in zip(track["spans"], spans, strict=True):
                self.assertEqual(s, stream)
                self.assertAlmostEqual(b, begin, delta=1e-4)
                self.assertAlmostEqual(e, end, delta=1e-4)
        self.assertEqual(data["streams"][1], "trees 1")

    def test_names_of_phases_end_no_script(self):
        trace = json.loads(SPANS.read_text())
        trace["streams"][0]["phase"] = "</script><b>"
        self.assertEqual(timeline.picture(trace).count("</script>"), 1)

    def test_the_axis_has_round_seconds_and_more_of_them_where_it_is_wider(self):
        for duration in (5.343226265, 0.00123, 1.0, 2.0, 59.9, 7200.0):
            ticks = [(int(width), float(at)) for width, at in
                     re.findall(r"time-from-(\d+)'[^>]*>([^ ]+) s<", timeline.axis(duration, 0))]
            for shown in (240, 960, 15360):
                there = sorted(at for width, at in ticks if width <= shown)
                self.assertGreater(len(there), 1 + shown // 600, duration)
                for one, next_one in zip(there, there[1:]):
                    self.assertGreaterEqual((next_one - one) / duration * shown, timeline.FAR_APART * 0.999)

    def test_labels_of_choices_come_first_and_stay_in_the_picture(self):
        tried = [{"streams": 1 + i % 2, "width": 2 - i % 2, "stage": "sampling", "at_s": i / 100} for i in range(60)]
        marks = timeline.decision_marks([*tried, {"streams": 2, "width": 1, "stage": "chosen", "at_s": 0.599}], 0.6, 100)
        self.assertIn("class='settled time-from-240'", marks)
        self.assertIn("2 × 1 chosen", marks)
        self.assertEqual(marks.count("<line"), 61)

    def test_labels_that_would_meet_in_a_wider_picture_get_no_place(self):
        # Right of the first at 100 pixels, and left of it at 300.
        first = Box(Edge(0.5), Edge(0.5, 20), 0, 10)
        second = Box(Edge(0.1, 70), Edge(0.1, 90), 0, 10)
        self.assertEqual(set(labels.place([[first], [second]], [], [100])), {0})
        self.assertEqual(set(labels.place([[first], [second]], [], [100, 400])), {0, 1})

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
