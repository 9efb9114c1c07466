"""What `maslin explain` says without a trace.

    explain_test.py MASLIN PROGRAM
"""

import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

LIMIT_S = 120  # of anything; a hang is a failure
MOST_KEPT = 32
MASLIN, PROGRAM = (str(Path(path).resolve()) for path in sys.argv[1:3])
RANKS = ("OMPI_", "PMI_", "PMIX_", "SLURM_")


UNSANITIZED = unittest.skipIf(os.environ.get("SANITIZED"), "ThreadSanitizer delays signals and ends forked children; "
                              "the plain builds run this")


class Explain(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="maslin_explain_")
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.runs = self.folder / "maslin" / "runs"
        plain = {name: value for name, value in os.environ.items() if not name.startswith(("MASLIN_", *RANKS))}
        self.environment = plain | {"XDG_CACHE_HOME": str(self.folder), "MASLIN_LEARNED": "off", "MASLIN_WORKERS": "2",
                                    "MASLIN_WATCHDOG": "20,100"}

    def run_program(self, *words, **variables):
        done = subprocess.run([PROGRAM, *words], env=self.environment | variables, capture_output=True, text=True,
                              timeout=LIMIT_S, cwd=self.folder, stdin=subprocess.DEVNULL, check=False)
        self.assertEqual((done.returncode, done.stderr), (0, ""))

    def start(self, *words):
        """Starts a program that is held; gives it once it is inside its phase."""
        program = subprocess.Popen([PROGRAM, *words], env=self.environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.addCleanup(program.stdin.close)
        self.addCleanup(program.stdout.close)
        self.addCleanup(program.wait)
        self.addCleanup(program.kill)
        self.assertEqual(program.stdout.readline(), "inside\n")
        return program

    def explain(self, *words, status=0):
        """Gives what it prints; where it fails, what it says."""
        done = subprocess.run([MASLIN, "explain", *map(str, words)], env=self.environment, capture_output=True, text=True,
                              timeout=LIMIT_S, cwd=self.folder, check=False)
        self.assertEqual(done.returncode, status, done.stdout + done.stderr)
        return done.stderr if status else done.stdout

    def figures(self, *words):
        return json.loads(self.explain(*words, "--json"))

    def until(self, what, condition):
        end = time.monotonic() + LIMIT_S
        while time.monotonic() < end:
            if condition():
                return
            time.sleep(0.02)
        self.fail(f"after {LIMIT_S} s there is still no {what}")

    def is_seen(self, program):
        """Waits until there is a report of the program's phase."""
        self.until(f"report of {program.pid}", lambda: any(self.runs.glob(f"*.{program.pid}.json")))

    def test_without_any_run_it_says_what_to_do(self):
        for words in ((), ("--list",), ("nobody",)):
            said = self.explain(*words, status=2)
            self.assertIn(str(self.runs), said)
            self.assertIn("MASLIN_TRACE=run.mtrace", said)

    def test_it_says_which_policy_runs_tasks_and_why(self):
        self.run_program("tasks", "80", MASLIN_PLACE="auto", MASLIN_AT_ONCE="0")
        place = self.figures()["place"]
        self.assertTrue(place["decided"], "of 80 rounds 12 comparisons come, which decide in any case")
        self.assertIn(place["now"], ("dbs", "locality"))
        self.assertIn(place["comparisons"], range(3, 13))
        self.assertGreater(place["ratio"], 0)
        self.assertGreaterEqual(place["error"], 0)
        said = self.explain()
        self.assertIn(f"tasks with data run by {place['now']} (MASLIN_PLACE=auto)", said)
        self.assertIn(f"in {place['comparisons']} comparisons", said)
        self.assertIn(f"MASLIN_PLACE={place['now']}\n", said)

    def test_runs_that_wait_once_are_compared_with_each_other(self):
        learned = {"MASLIN_LEARNED": str(self.folder / "learned")}
        found = []
        while not found or not found[-1]["decided"]:
            self.run_program("tasks", "1", MASLIN_PLACE="auto", MASLIN_AT_ONCE="0", **learned)
            found.append(self.figures()["place"])
            self.assertEqual("nothing was compared yet" in self.explain(), len(found) == 1)
            self.assertLessEqual(len(found), 24)
        self.assertEqual([p["comparisons"] for p in found], [(run + 1) // 2 for run in range(len(found))])
        self.assertEqual([p["now"] for p in found[:5]], ["dbs", "locality", "locality", "dbs", "dbs"])
        self.run_program("tasks", "1", MASLIN_PLACE="auto", MASLIN_AT_ONCE="0", **learned)
        stays = self.figures()["place"]
        self.assertEqual({**stays, "ratio": 0, "error": 0}, {**found[-1], "ratio": 0, "error": 0}, "what is decided stays")
        for figure in ("ratio", "error"):  # they are reckoned from what was kept, which has so many digits
            self.assertAlmostEqual(stays[figure], found[-1][figure], delta=1e-8)

    def test_a_policy_that_was_named_is_not_explained(self):
        self.run_program("tasks", "1", "phase", "one", MASLIN_PLACE="locality")
        self.assertNotIn("place", self.figures())
        self.assertNotIn("MASLIN_PLACE", self.explain())

    def test_it_explains_the_last_run(self):
        self.run_program("phase", "first")
        self.run_program("phase", "second", "many", "3", "third")
        said = self.explain()
        self.assertIn("explain_program: 2 workers", said)
        self.assertIn("it has ended", said)
        self.assertNotIn("first", said)
        self.assertLess(said.index("phase second: 4 streams"), said.index("phase third: 4 streams"))
        self.assertIn("the last of 3 of that name", said)
        self.assertIn("of CPU time", said)
        self.assertIn("MASLIN_TRACE=run.mtrace explain_program", said)
        figures = self.figures()
        self.assertEqual(figures["process"]["state"], "ended")
        self.assertEqual([(p["name"], p["done"], p["running"], p["times"], p["policy"]) for p in figures["phases"]],
                         [("second", 4, False, 1, "auto"), ("third", 4, False, 3, "auto")])
        for phase in figures["phases"]:
            self.assertIsNotNone(phase["waiting"])

    def test_it_says_who_pinned_what(self):
        self.run_program("phase", "searches", MASLIN_PIN="searches=1x2", MASLIN_WAIT="park")
        said = self.explain()
        self.assertIn("ran in 1x2 (streams x width) because MASLIN_PIN says so", said)
        self.assertIn("waited by park (MASLIN_WAIT says so)", said)
        self.assertNotIn("pin it", said)
        self.assertEqual(self.figures()["phases"][0]["pinned_by"], "MASLIN_PIN")

    def test_it_says_how_to_pin_what_a_policy_decided(self):
        self.run_program("phase", "searches", MASLIN_GRAIN="edtlp")
        said = self.explain()
        self.assertIn("nothing was sampled, because MASLIN_GRAIN's policy, edtlp, goes by other signs", said)
        self.assertIn('pin it: MASLIN_PIN="searches=2x1"', said)
        wait = self.figures()["phases"][0]["waiting"]["policy"]
        self.assertIn(f'pin all of that: MASLIN_PIN="searches=2x1,wait={wait}"', said)

    def test_it_says_what_ran_in_place(self):
        self.run_program("phase", "searches", MASLIN_SERIAL="1")
        self.assertIn("ran in place", self.explain())
        self.assertTrue(self.figures()["phases"][0]["in_place"])

    def test_a_run_that_goes_on(self):
        program = self.start("phase", "before", "held", "under way")
        self.is_seen(program)
        self.until("other stream's end", lambda: self.figures(program.pid)["phases"][-1]["done"] == 3)
        said = self.explain()
        self.assertIn("it still runs, and this is what it was at 2", said)
        self.assertIn("phase under way: 4 streams, 3 done so far", said)
        figures = self.figures("explain_program")
        self.assertEqual(figures["process"]["state"], "runs")
        self.assertEqual([p["running"] for p in figures["phases"]], [False, True])
        program.communicate("\n", timeout=LIMIT_S)
        self.assertEqual(program.returncode, 0)
        self.assertEqual([p["running"] for p in self.figures(program.pid)["phases"]], [False, False])
        self.assertEqual(self.figures(program.pid)["process"]["state"], "ended")

    def test_a_run_that_was_killed(self):
        program = self.start("held", "the end")
        self.is_seen(program)
        program.send_signal(signal.SIGKILL)
        self.until("dead process", lambda: self.figures()["process"]["state"] == "killed")  # nobody has asked for its status
        program.wait(timeout=LIMIT_S)
        said = self.explain()
        self.assertIn("it ended without saying so", said)
        self.assertIn("phase the end", said)

    @UNSANITIZED
    def test_a_run_that_a_signal_ended(self):
        for ending in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            program = self.start("held", "the end")
            self.is_seen(program)
            program.send_signal(ending)
            program.wait(timeout=LIMIT_S)
            self.assertEqual(program.returncode, -ending)
            said = self.explain(str(program.pid))
            self.assertIn(f"it was ended by a signal ({ending.name})", said)
            self.assertIn("phase the end", said)
            self.assertEqual(self.figures(program.pid)["process"]["signal"], ending.name)

    def test_two_programs_at_the_same_time(self):
        one = self.start("held", "one")
        self.is_seen(one)
        two = self.start("held", "two")
        self.is_seen(two)
        for program, phase in ((one, "one"), (two, "two")):
            self.assertEqual([p["name"] for p in self.figures(program.pid)["phases"]], [phase])
        said = self.explain()
        self.assertIn("phase two", said)
        self.assertIn("1 more run at the moment", said)
        listed = json.loads(self.explain("--list", "--json"))
        self.assertEqual([(run["process"], run["state"], run["phases"]) for run in listed],
                         [(two.pid, "runs", ["two"]), (one.pid, "runs", ["one"])])
        self.assertEqual(len(self.explain("--list").splitlines()), 3)
        for program in (one, two):
            program.communicate("\n", timeout=LIMIT_S)
            self.assertEqual(program.returncode, 0)
        self.assertNotIn("more run at the moment", self.explain())

    def test_nothing_is_written_that_nobody_wants(self):
        self.run_program("phase", "searches", MASLIN_REPORT="off")
        self.run_program("loop")
        self.run_program("phase", "searches", OMPI_COMM_WORLD_RANK="1")
        self.assertEqual([path.name for path in self.folder.iterdir()], [])
        self.run_program("phase", "searches", OMPI_COMM_WORLD_RANK="0")
        self.assertEqual(len(list(self.runs.iterdir())), 1)

    def test_a_file_that_is_named(self):
        self.run_program("phase", "searches", MASLIN_REPORT="run-%p.json")
        named = list(self.folder.iterdir())
        self.assertEqual(len(named), 1)
        self.assertRegex(named[0].name, r"^run-\d+\.json$")
        self.assertIn("phase searches", self.explain(named[0]))

    @UNSANITIZED
    def test_a_forked_child_has_a_report_of_its_own(self):
        self.run_program("phase", "the parent's", "child", "phase", "the child's")
        listed = json.loads(self.explain("--list", "--json"))
        self.assertEqual(sorted(run["phases"] for run in listed), [["the child's"], ["the parent's"]])
        self.assertEqual({run["phases"][0]: run["state"] for run in listed}["the parent's"], "ended")

    def test_a_program_s_own_name_wins_over_what_is_no_report(self):
        self.run_program("phase", "searches")
        (self.folder / "explain_program").symlink_to(PROGRAM)
        self.assertIn("phase searches", self.explain("./explain_program"))
        said = self.explain(MASLIN, status=2)
        self.assertIn("is neither a trace nor a report", said)

    def test_damaged_files_are_named(self):
        self.run_program("phase", "searches")
        whole = next(self.runs.iterdir()).read_text(encoding="utf-8")
        bad = self.folder / "bad.json"
        for text in (whole[:200], whole[:-3], '{"maslin_report": 2}', '{"maslin_report": "one"}', "{}", "{", whole.replace('"streams": 4', '"streams": "x"')):
            bad.write_text(text, encoding="utf-8")
            said = self.explain(bad, status=2)
            self.assertIn(f"the report '{bad}' is damaged", said)
            self.assertIn("expected", said)
        bad.write_text(whole.replace('"maslin_report": 2', '"maslin_report": 3'), encoding="utf-8")
        self.assertIn("is of version 3, expected 2", self.explain(bad, status=2))
        (self.runs / "damaged.json").write_text(whole[:300], encoding="utf-8")
        self.assertIn("phase searches", self.explain())

    def test_old_reports_go(self):
        self.old_reports(40)
        half = self.runs / ".old.host.0.json.0123abcd.part"  # what a kill left
        half.write_text('{"maslin_report":', encoding="utf-8")
        os.utime(half, (1, 1))
        self.run_program("phase", "searches")
        left = {path.name for path in self.runs.iterdir()}
        self.assertEqual(len(left), MOST_KEPT)
        self.assertIn("old.host.39.json", left)
        self.assertNotIn("old.host.0.json", left)
        self.assertNotIn(half.name, left)
        self.assertIn("phase searches", self.explain())

    def old_reports(self, count):
        self.runs.mkdir(parents=True)
        for i in range(count):
            old = self.runs / f"old.host.{i}.json"
            old.write_text('{"maslin_report": 1}', encoding="utf-8")
            os.utime(old, (1000 + i, 1000 + i))

    def test_only_reports_go(self):
        self.old_reports(MOST_KEPT)
        others = {"notes.txt": "mine", "program.json": '{"maslin_report": 1}', "a.host.1.json": '{"mine": 1}',
                  "empty.host.1.json": "", ".a.host.2.json.0123abcd.part": "mine"}
        for name, text in others.items():
            (self.runs / name).write_text(text, encoding="utf-8")
        (self.runs / "folder.host.1.json").mkdir()
        (self.runs / "link.host.1.json").symlink_to("old.host.31.json")
        os.mkfifo(self.runs / "pipe.host.1.json")
        others = sorted([*others, "folder.host.1.json", "link.host.1.json", "pipe.host.1.json"])
        for name in others:
            os.utime(self.runs / name, (1, 1), follow_symlinks=False)
        for _ in range(3):
            self.run_program("phase", "searches")
        self.assertEqual(sorted(path.name for path in self.runs.iterdir() if path.name in others), others)
        self.assertIn("phase searches", self.explain())

    def test_where_nothing_can_be_written_the_program_runs_all_the_same(self):
        (self.folder / "maslin").write_text("in the way", encoding="utf-8")
        self.run_program("phase", "searches")
        self.run_program("phase", "searches", MASLIN_REPORT="no/such/folder.json")
        pipe = self.folder / "pipe"
        os.mkfifo(pipe)
        self.run_program("phase", "searches", MASLIN_REPORT=str(pipe))
        self.assertTrue(pipe.is_fifo(), "what is no file is not replaced by one")

    def test_whenever_a_run_is_killed_its_report_is_whole(self):
        chance = random.Random(1)
        for _ in range(8):
            program = subprocess.Popen([PROGRAM, "many", "100000000", "searches"], env=self.environment)
            try:
                self.is_seen(program)
                time.sleep(chance.uniform(0, 0.3))
            finally:
                program.kill()
                program.wait()
            said = self.explain(program.pid)
            self.assertIn("ended without saying so", said)
            self.assertIn("of that name", said)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
