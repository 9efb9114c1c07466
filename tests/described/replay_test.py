"""`maslin replay` and `maslin scale`: a recording says what the program itself would take; what cannot be replayed is a clear error.

    replay_test.py MASLIN ASKS RANKS_ASK TWO_LOOPS SCALE_PROGRAM TRACES"""

import json
import os
import re
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree as xml
from pathlib import Path

MASLIN, ASKS, RANKS_ASK, TWO_LOOPS, SCALE_PROGRAM, TRACES = (Path(sys.argv.pop(1)).resolve() for _ in range(6))
PAGE = Path(__file__).resolve().parents[2] / "docs" / "scale.md"
CLEAN = {key: value for key, value in os.environ.items() if not key.startswith("MASLIN_")}


def run(*words, **variables) -> subprocess.CompletedProcess:
    return subprocess.run([str(word) for word in words], env=CLEAN | variables, capture_output=True, text=True, check=False)


class Case(unittest.TestCase):
    def setUp(self):
        self.folder = Path(self.enterContext(tempfile.TemporaryDirectory(prefix="maslin_replay_")))
        self.trace = self.folder / "run.mtrace"

    def machine(self, workers: int, more: str = "") -> Path:
        path = self.folder / f"machine-{workers}.toml"
        path.write_text(f'name = "cores"\n[workers]\nkind = "cpu"\ncount = {workers}\nsource = "a test"\n{more}', encoding="utf-8")
        return path

    def seconds(self, *words) -> dict:
        done = run(MASLIN, "replay", self.trace, "--json", *words)
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)

    def refusal(self, *words, **variables) -> str:
        done = run(MASLIN, *words, **variables)
        self.assertEqual(done.returncode, 2, done.stdout)
        self.assertEqual(len(done.stderr.strip().splitlines()), 1, done.stderr)
        return done.stderr


class Replay(Case):
    def program(self, workers: int, **variables) -> float:
        done = run(ASKS, MASLIN_MACHINE=str(self.machine(workers)), MASLIN_DURATIONS="declared", **variables)
        self.assertEqual(done.returncode, 0, done.stderr)
        return float(done.stdout)

    def test_a_recording_on_one_worker_says_what_the_program_takes_on_more(self):
        alone = self.program(1, MASLIN_TRACE=str(self.trace))
        for policy in ("dbs", "static", "gss", "afs"):
            for workers in (1, 2, 3, 8, 64):
                with self.subTest(policy=policy, workers=workers):
                    said = self.seconds("--machine", self.machine(workers), "--loop", policy)
                    really = self.program(workers, MASLIN_LOOP=policy)
                    self.assertAlmostEqual(said["seconds"], really, delta=1e-9)
        self.assertAlmostEqual(self.seconds("--machine", self.machine(1))["recorded_s"], alone, delta=1e-6)

    def test_a_recording_on_eight_workers_says_what_the_program_takes_on_one(self):
        self.program(8, MASLIN_TRACE=str(self.trace), MASLIN_PIN="streams=5x1")
        self.assertAlmostEqual(self.seconds("--machine", self.machine(1))["seconds"] * 1e6, self.program(1) * 1e6, delta=1)

    def test_a_recording_of_loops_beside_each_other_loses_hardly_anything(self):
        """Chunks do not say of which loop of a call site they are: those of streams that share a team may be swapped, and some be left over."""
        for workers in (2, 3, 4):
            with self.subTest(workers=workers):
                self.program(workers, MASLIN_TRACE=str(self.trace))
                really = self.program(1)
                self.assertAlmostEqual(self.seconds("--machine", self.machine(1))["seconds"], really, delta=0.003 * really)

    def test_explain_and_replay_say_the_same(self):
        """Of a recording, and of its replay on the same machine."""
        def explained(trace):
            done = run(MASLIN, "explain", trace, "--json")
            self.assertEqual(done.returncode, 0, done.stderr)
            return json.loads(done.stdout)

        again = self.folder / "again.mtrace"
        for workers, pin in ((1, {}), (4, {}), (4, {"MASLIN_PIN": "streams=2x2"})):
            with self.subTest(workers=workers, **pin):
                took = self.program(workers, MASLIN_TRACE=str(self.trace), **pin)
                done = run(MASLIN, "replay", self.trace, "--json", "--machine", self.machine(workers), "--trace", again, **pin)
                self.assertEqual(done.returncode, 0, done.stderr)
                replayed, first, second = json.loads(done.stdout), explained(self.trace), explained(again)
                self.assertEqual((first["workers"], second["workers"]), (workers, workers))
                for said in (first, second):
                    self.assertEqual(sum(one["handed_over"] + one["at_once"] for one in said["tasks"]), replayed["tasks"])
                    self.assertEqual(sum(one["loops"] for one in said["loops"]), replayed["loops"])
                    if pin:
                        configuration = "{streams}x{width}".format(**said["phases"][0]["chosen"])
                        self.assertEqual(configuration, pin["MASLIN_PIN"].split("=")[1])
                for key, counts in (("tasks", ("site", "handed_over", "at_once")), ("loops", ("site", "loops", "blocks")),
                                    ("kernels", ("name", "off_loaded", "on_host")),
                                    ("phases", ("name", "streams", "chosen", "pinned_by", "policy", "unit", "in_place"))):
                    one, other = ([{name: row[name] for name in counts} for row in said[key]] for said in (first, second))
                    self.assertEqual(one, other)
                self.assertAlmostEqual(first["seconds"], replayed["recorded_s"], delta=1e-9)
                self.assertAlmostEqual(first["seconds"], took, delta=1e-6)
                self.assertAlmostEqual(second["seconds"], replayed["seconds"], delta=1e-6)
                # Blocks that one worker ran one after another share their time, so loops may be cut otherwise.
                self.assertAlmostEqual(second["seconds"], first["seconds"], delta=0.02 * first["seconds"] if workers > 1 else 1e-6)

    def test_an_old_recording_says_today_what_it_said_then(self):
        self.trace = TRACES / "asks-v2.mtrace"
        for workers, microseconds in ((1, 1997), (2, 1044), (4, 568), (64, 218)):
            self.assertAlmostEqual(self.seconds("--machine", self.machine(workers))["seconds"], microseconds * 1e-6, delta=1e-9)

    def test_a_recording_from_threads_is_replayed_in_full(self):
        for workers in ("1", "2", "3"):
            done = run(SCALE_PROGRAM, "4", MASLIN_WORKERS=workers, MASLIN_TRACE=str(self.trace))
            self.assertEqual(done.returncode, 0, done.stderr)
            said = self.seconds("--machine", self.machine(1))
            self.assertEqual(said["tasks"], 4 + 6 + 10)
            self.assertAlmostEqual(said["seconds"], said["work_s"], delta=1e-9 * said["tasks"])
            # The longest chain of dependences, and no more than all work.
            self.assertLess(self.seconds("--machine", self.machine(64))["seconds"], said["seconds"])

    def test_the_same_replay_is_the_same_to_the_last_digit(self):
        self.program(1, MASLIN_TRACE=str(self.trace))
        machine = self.machine(7, '[dispatch]\ntask_us = 0.1\nhandover_us = 0.3\nwake_us = 20\nspin_us = 60\nsource = "a test"\n')
        first = self.seconds("--machine", machine)
        self.assertEqual(self.seconds("--machine", machine), first)
        self.assertGreater(first["seconds"], self.seconds("--machine", self.machine(7))["seconds"])

    def test_a_replay_leaves_a_trace_that_can_be_replayed(self):
        self.program(1, MASLIN_TRACE=str(self.trace))
        again = self.folder / "again.mtrace"
        machine = self.machine(1)
        said = self.seconds("--machine", machine, "--trace", again)
        self.trace = again
        self.assertAlmostEqual(self.seconds("--machine", machine)["seconds"], said["seconds"], delta=1e-6)

    def test_what_cannot_be_replayed_says_why(self):
        machine = self.machine(2)
        self.assertIn("record it anew", self.refusal("replay", TRACES / "fungi-v1.mtrace", "--machine", machine))
        self.program(1, MASLIN_TRACE=str(self.trace), MASLIN_TRACE_DETAIL="streams")
        self.assertIn("MASLIN_TRACE_DETAIL=streams", self.refusal("replay", self.trace, "--machine", machine))
        self.assertIn("no trace of Maslin", self.refusal("replay", machine, "--machine", machine))
        self.program(1, MASLIN_TRACE=str(self.trace))
        self.assertIn("absent.toml", self.refusal("replay", self.trace, "--machine", self.folder / "absent.toml"))
        whole = self.trace.read_bytes()
        for length in {*range(0, len(whole), max(1, len(whole) // 64)), len(whole) - 1}:
            self.trace.write_bytes(whole[:length])
            self.refusal("replay", self.trace, "--machine", machine)

    def test_scale_tells_what_limits_a_program(self):
        self.program(1, MASLIN_TRACE=str(self.trace))
        picture = self.folder / "scale.svg"
        done = run(MASLIN, "scale", "--json", "--workers", "1,2,4,64", "--machine", self.machine(64), "--picture", picture, self.trace)
        self.assertEqual(done.returncode, 0, done.stderr)
        said = json.loads(done.stdout)
        self.assertEqual([point["workers"] for point in said["points"]], [1, 2, 4, 64])
        for point in said["points"]:
            self.assertGreaterEqual(point["seconds"] * point["workers"], said["work_s"] * (1 - 1e-9))
            self.assertGreaterEqual(point["seconds"], said["span_s"] * (1 - 1e-9))
        self.assertEqual(said["points"][-1]["limit"], "span")
        self.assertAlmostEqual(sum(line["share"] for line in said["lines"]), 1, delta=1e-6)
        self.assertTrue(all(re.fullmatch(r"|.*asks\.cpp:\d+|streams|kernel", line["line"]) for line in said["lines"]), said["lines"])
        # What the program computes between two calls is told by the call before.
        self.assertTrue(any(not line["line"] and re.fullmatch(r".*asks\.cpp:\d+", line["after"]) for line in said["lines"]), said["lines"])
        self.assertEqual(said["unsaid"], ["workers.speed", "dispatch.task_us", "dispatch.handover_us", "dispatch.wake_us",
                                          "the bandwidth of memory"])
        xml.fromstring(picture.read_text(encoding="utf-8"))

    def test_no_number_of_workers_beats_the_burdened_span(self):
        """Telling 4,096 workers of a phase takes longer than all the work, so the most workers are not the best."""
        self.program(1, MASLIN_TRACE=str(self.trace))
        machine = self.machine(128, '[dispatch]\nhandover_us = 13\nsource = "a test"\n')

        def said(workers: str) -> dict:
            done = run(MASLIN, "scale", "--json", "--workers", workers, "--machine", machine, self.trace)
            self.assertEqual(done.returncode, 0, done.stderr)
            return json.loads(done.stdout)

        all_of_them, last = said("1,2,3,4,5,6,7,8,16,32,64,128"), said("128")
        seconds = {point["workers"]: point["seconds"] for point in all_of_them["points"]}
        self.assertLess(min(seconds.values()), seconds[128])
        self.assertEqual(all_of_them["burdened_span_s"], min(seconds.values()))
        # Also where the best number was not asked for.
        self.assertEqual(last["burdened_span_s"], min(takes for workers, takes in seconds.items() if workers & (workers - 1) == 0))
        self.assertLessEqual(last["span_s"], last["burdened_span_s"])

    def test_scale_runs_the_program_itself(self):
        done = run(MASLIN, "scale", "--json", "--workers", "1,4", "--machine", self.machine(4), SCALE_PROGRAM, "4")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(json.loads(done.stdout)["tasks"], 20)
        self.assertIn("cannot be run", self.refusal("scale", self.folder / "absent"))
        self.assertIn("status 1", self.refusal("scale", "false"))
        self.assertIn("never called Maslin", self.refusal("scale", "true"))

    def test_numbers_out_of_range_are_refused_with_their_range(self):
        for option, least, most in (("--workers", 1, 2**31 - 1), ("--eager", 0, 2**63 - 1)):
            for value in (least - 1, most + 1, "1.5"):
                with self.subTest(option=option, value=value):
                    self.assertIn(f"{option}: '{value}'; expected a whole number from {least} to {most}",
                                  self.refusal("replay", self.trace, "--machine", self.machine(4), f"{option}={value}"))

    def test_more_workers_than_are_described_are_refused(self):
        self.program(1, MASLIN_TRACE=str(self.trace))
        for command in ("replay", "scale"):
            with self.subTest(command=command):
                self.assertIn("has 4; ask for no more", self.refusal(command, self.trace, "--machine", self.machine(4), "--workers", "5"))
        nodes = self.machine(4)
        nodes.write_text(nodes.read_text(encoding="utf-8").replace("[workers]", "nodes = 2\n[workers]"), encoding="utf-8")
        self.seconds("--machine", nodes, "--workers", "8")
        done = run(MASLIN, "scale", "--json", "--machine", nodes, self.trace)
        self.assertEqual([point["workers"] for point in json.loads(done.stdout)["points"]], [1, 2, 4, 8], done.stderr)

    def beside(self, microseconds: int, *words) -> dict:
        """Scales two loops, the first of blocks of 2 ms, and of so many microseconds beside copies, which leave the program one CPU."""
        program = self.folder / "program"
        program.write_text(f'#!/bin/sh\ntakes=2000\n[ "$(nproc)" = 1 ] && takes={microseconds}\n'
                           f'MASLIN_MACHINE={self.machine(1)} MASLIN_DURATIONS=declared exec {TWO_LOOPS} $takes\n', encoding="utf-8")
        program.chmod(0o755)
        done = run(MASLIN, "scale", "--json", "--beside", *words, program)
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)

    @unittest.skipIf(len(os.sched_getaffinity(0)) < 2, "there is one CPU, and so no copy beside a program")
    def test_what_is_slower_beside_copies_waits_for_memory(self):
        cpus = len(os.sched_getaffinity(0))
        said = self.beside(4000, "--workers", f"1,{64 * cpus}")
        self.assertEqual([line["line"][-16:] for line in said["from_memory"]], ["two_loops.cpp:17"])
        last = said["points"][-1]
        self.assertEqual(last["limit"], "memory bandwidth")
        # All CPUs together do half of what as many alone would, and more workers do no more of that. The rest is the
        # other loop, and what waking and telling takes, which is measured: some milliseconds on a busy machine.
        self.assertGreater(last["seconds"], 256 * 2e-3 / (cpus / 2))
        self.assertLess(last["seconds"], 256 * 2e-3 / (cpus / 2) * 1.2)
        self.assertNotIn("from_memory", self.beside(2000, "--workers", "1"))
        # Elsewhere it is that machine's memory that counts.
        wide = self.machine(64, '[[memory]]\nlevel = "memory"\nbytes = 1000000000\nshared_by = 64\n'
                                'bandwidth_gb_per_s = 100000\nsource = "a test"\n')
        there = self.beside(4000, "--machine", wide)
        self.assertIn("from_memory", there)
        self.assertNotIn("memory bandwidth", {point["limit"] for point in there["points"]})

    def test_copies_need_a_program_and_a_cpu(self):
        self.program(1, MASLIN_TRACE=str(self.trace))
        self.assertIn("is a trace", self.refusal("scale", "--beside", self.trace))
        cpu = str(min(os.sched_getaffinity(0)))
        done = run("taskset", "-c", cpu, MASLIN, "scale", "--beside", SCALE_PROGRAM, "4")
        self.assertEqual(done.returncode, 2, done.stdout)
        self.assertIn("one CPU only", done.stderr)

    def test_workers_share_the_ways_to_memory_that_are_described(self):
        done = run(SCALE_PROGRAM, "12", MASLIN_WORKERS="1", MASLIN_TRACE=str(self.trace))
        self.assertEqual(done.returncode, 0, done.stderr)
        slow = ('[[memory]]\nlevel = "memory"\nbytes = 1000000000\nshared_by = 2\n'
                'bandwidth_gb_per_s = 0.001\nsource = "a test"\n')
        done = run(MASLIN, "scale", "--json", "--workers", "1,2,4,64", "--machine", self.machine(64, slow), self.trace)
        points = {point["workers"]: point for point in json.loads(done.stdout)["points"]}
        self.assertEqual({point["limit"] for point in points.values()}, {"memory bandwidth"})
        # Two workers share one way to memory; 64 have 32 ways, and tasks do not fill them evenly.
        self.assertAlmostEqual(points[1]["seconds"], points[2]["seconds"], delta=1e-3 * points[1]["seconds"])
        self.assertLess(points[64]["seconds"], points[2]["seconds"] / 4)
        self.assertGreaterEqual(points[64]["seconds"], points[2]["seconds"] / 32)
        # A replay counts the same; where nothing is said of memory, there is nothing to wait for.
        for workers in (1, 64):
            said = self.seconds("--machine", self.machine(64, slow), "--workers", workers)
            self.assertAlmostEqual(said["seconds"], points[workers]["seconds"], delta=1e-9)
            self.assertLessEqual(said["memory_s"], said["seconds"])
        self.assertAlmostEqual(self.seconds("--machine", self.machine(64, slow))["seconds"], points[64]["seconds"], delta=1e-9)
        free = self.seconds("--machine", self.machine(64))
        self.assertEqual(free["memory_s"], 0)
        self.assertLess(free["seconds"], points[64]["seconds"] / 10)
        done = run(MASLIN, "replay", self.trace, "--machine", self.machine(64, slow))
        self.assertRegex(done.stdout, r"; (9\d|100) % of it waits for memory", done.stderr)
        done = run(MASLIN, "replay", self.trace, "--machine", self.machine(64))
        self.assertNotIn("memory", done.stdout, done.stderr)

    def test_loops_that_say_what_they_move_wait_for_memory(self):
        """The first loop moves 256 times 100,000 bytes, for which 10 GB/s need 2,560 us; both take 5,120 us on one worker."""
        memory = '[[memory]]\nlevel = "memory"\nbytes = 1000000000\nshared_by = {}\nbandwidth_gb_per_s = 10\nsource = "a test"\n'

        def program(machine, workers, **variables):
            done = run(TWO_LOOPS, "20", "100000", MASLIN_MACHINE=str(machine), MASLIN_WORKERS=str(workers), MASLIN_DURATIONS="declared",
                       **variables)
            self.assertEqual(done.returncode, 0, done.stderr)
            return 1e6 * float(done.stdout)

        program(self.machine(1), 1, MASLIN_TRACE=str(self.trace))
        for shared_by, expected in ((64, {1: 10240, 2: 5120, 8: 2560 + 640, 64: 2560 + 80}), (16, {16: 2560 + 320, 64: 640 + 80})):
            machine = self.machine(64, memory.format(shared_by))
            for workers, us in expected.items():
                with self.subTest(shared_by=shared_by, workers=workers):
                    # The last block of those that wait may begin when the others are served.
                    self.assertAlmostEqual(program(machine, workers), us, delta=41)
                    said = self.seconds("--machine", machine, "--workers", workers)
                    self.assertAlmostEqual(said["seconds"] * 1e6, us, delta=41)
                    self.assertLessEqual(said["without_memory_s"], said["seconds"])
                    self.assertAlmostEqual(said["memory_s"] * 1e6, 2560 / -(-workers // shared_by), delta=1e-3)
        machine = self.machine(64, memory.format(64))
        done = run(MASLIN, "scale", "--json", "--workers", "1,2,64", "--machine", machine, self.trace)
        self.assertEqual(done.returncode, 0, done.stderr)
        said = json.loads(done.stdout)
        self.assertEqual([point["limit"] for point in said["points"]], ["", "", "memory bandwidth"])
        self.assertEqual(said["memory_bytes"], 256 * 100000)
        self.assertTrue(said["lines"][0]["line"].endswith("two_loops.cpp:17"), said["lines"])
        self.assertGreater(said["lines"][0]["share"], 0.9)
        # Local stores share memory in equal parts.
        done = run(MASLIN, "replay", self.trace, "--json", "--machine", machine, "--workers", "8", MASLIN_STORE="64K")
        said = json.loads(done.stdout)
        self.assertAlmostEqual(said["memory_s"] * 1e6, 2560, delta=1e-3)
        self.assertAlmostEqual(said["seconds"] * 1e6, 2560 + 640, delta=41)
        self.assertAlmostEqual(said["without_memory_s"] * 1e6, 640 + 640, delta=1)
        self.assertAlmostEqual(said["seconds"] * 1e6, program(machine, 8, MASLIN_STORE="64K"), delta=1e-3)

    def test_what_loops_move_to_local_stores_is_replayed(self):
        """As the program runs there, to the nanosecond: copy engines, their start-ups and the bus that they share are the bound."""
        machine = self.machine(8, '[local_store]\nbytes = 65536\nsource = "a test"\n[transfer]\nlatency_us = 0.5\n'
                                  'bandwidth_gb_per_s = 2.5\ntotal_gb_per_s = 10\nsource = "a test"\n')
        record = {"MASLIN_DURATIONS": "declared", "MASLIN_MACHINE": str(self.machine(1))}
        self.assertEqual(run(TWO_LOOPS, "20", "100000", MASLIN_TRACE=str(self.trace), **record).returncode, 0)
        for workers, memory_us in ((1, 10240), (2, 5120), (8, 2560)):
            with self.subTest(workers=workers):
                done = run(TWO_LOOPS, "20", "100000", MASLIN_WORKERS=str(workers), **(record | {"MASLIN_MACHINE": str(machine)}))
                said = self.seconds("--machine", machine, "--workers", workers)
                self.assertAlmostEqual(said["seconds"] * 1e6, 1e6 * float(done.stdout), delta=1e-3)
                self.assertAlmostEqual(said["memory_s"] * 1e6, memory_us, delta=1e-3)
                self.assertGreaterEqual(said["seconds"] * 1e6, memory_us + 5120 / workers)
                self.assertLess(said["seconds"] * 1e6, memory_us + 5120 / workers + 60)
                self.assertLess(said["without_memory_s"], said["seconds"])

    def test_what_loops_read_and_write_is_said_to_be_unknown(self):
        unknown = "What these loops read and write is not known: "
        done = run(TWO_LOOPS, "20", "1", MASLIN_MACHINE=str(self.machine(1)), MASLIN_DURATIONS="declared", MASLIN_TRACE=str(self.trace))
        self.assertRegex(run(MASLIN, "scale", self.trace, "--machine", self.machine(2)).stdout, unknown + r".*two_loops\.cpp:21\.\n")
        for program, has_loops in (([TWO_LOOPS, "20"], True), ([SCALE_PROGRAM, "4"], False)):
            with self.subTest(program=program[0].name):
                done = run(*program, MASLIN_MACHINE=str(self.machine(1)), MASLIN_DURATIONS="declared", MASLIN_TRACE=str(self.trace))
                self.assertEqual(done.returncode, 0, done.stderr)
                words = ("scale", self.trace, "--machine", self.machine(2))
                if not has_loops:
                    words = ("scale", "--machine", self.machine(2), *program)
                done = run(MASLIN, *words)
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertEqual(unknown in done.stdout, has_loops)
                self.assertEqual(json.loads(run(MASLIN, *words, "--json").stdout)["loops_traffic_known"], not has_loops)

    def test_the_page_is_true(self):
        (self.folder / "cholesky").symlink_to(SCALE_PROGRAM)
        (self.folder / "triad").symlink_to(SCALE_PROGRAM.parent / "page_scale_2")
        (self.folder / "specs").symlink_to(PAGE.parents[1] / "specs")
        commands = re.findall(r"^```sh\n(.*?)^```$", PAGE.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE)
        self.assertGreaterEqual(len(commands), 3)
        for command in commands:
            done = subprocess.run(["bash", "-euc", command], cwd=self.folder, env=CLEAN | {"PATH": f"{MASLIN.parent}:{CLEAN['PATH']}"},
                                  capture_output=True, text=True, check=False)
            self.assertEqual(done.returncode, 0, f"{command}{done.stdout}{done.stderr}")
        xml.fromstring((self.folder / "scale.svg").read_text(encoding="utf-8"))


LINK = '[[link]]\nbetween = "nodes"\nbandwidth_gb_per_s = {bandwidth}\nlatency_us = {latency}\nsource = "a test"\n'


class Ranks(Case):
    """Ranks that compute for whole 100 us each; two nodes of two workers each, joined by 1 GB/s and 10 us."""

    def record(self, what: str, workers: int = 1) -> None:
        done = run(RANKS_ASK, what, MASLIN_MACHINE=str(self.machine(workers)), MASLIN_DURATIONS="declared", MASLIN_TRACE=str(self.trace))
        self.assertEqual(done.returncode, 0, done.stderr)

    def nodes(self, bandwidth: float = 1, latency: float = 10, count: int = 2) -> Path:
        path = self.machine(2, LINK.format(bandwidth=bandwidth, latency=latency))
        path.write_text(path.read_text(encoding="utf-8").replace("[workers]", f"nodes = {count}\n[workers]"), encoding="utf-8")
        return path

    def microseconds(self, *words) -> float:
        return self.seconds("--machine", self.nodes(), *words)["seconds"] * 1e6

    def test_links_take_what_they_are_described_to_take(self):
        for workers in (1, 2, 4):
            with self.subTest(workers=workers):
                self.record("exchange", workers)
                said = self.seconds("--machine", self.nodes())
                self.assertEqual((said["ranks"], said["messages"], said["message_bytes"], said["calls_of_all"]), (4, 1, 1000000, 1))
                # Rank 3 comes at 400 us: 10 us and 1,000 us later it has the message. Then two turns of 8 bytes.
                for key, us in (("seconds", 1430.016), ("half_startup_s", 1415.016), ("twice_bandwidth_s", 930.008), ("no_links_s", 400),
                                ("longest_computation_s", 400)):
                    self.assertAlmostEqual(said[key] * 1e6, us, delta=1e-3, msg=key)

    def test_what_was_started_goes_on_beside_its_rank(self):
        self.record("overlap")
        said = self.seconds("--machine", self.nodes(), "--eager", "256")
        self.assertEqual((said["messages"], said["message_bytes"]), (2, 24000))
        # Both are long. The second is asked for at once, and on the link for 16 us; the first at 20 us, for 8 us and 10 us.
        self.assertAlmostEqual(said["seconds"] * 1e6, 50, delta=1e-3)
        later = self.nodes(latency=100)
        self.assertAlmostEqual(self.seconds("--machine", later, "--eager", "256")["seconds"] * 1e6, 128, delta=1e-3)
        # The first is sent at once, and the second follows it on the link.
        said = self.seconds("--machine", later)
        self.assertEqual(said["eager_bytes"], 16384)
        self.assertAlmostEqual(said["seconds"] * 1e6, 8 + 100 + 16, delta=1e-3)

    def test_what_was_dropped_is_not_sent(self):
        self.record("dropped", workers=4)  # rank 2 comes later
        said = self.seconds("--machine", self.nodes())
        self.assertEqual((said["messages"], said["message_bytes"]), (1, 16000))
        self.assertAlmostEqual(said["seconds"] * 1e6, 50 + 10 + 16, delta=1e-3)

    def test_what_nobody_waited_for_has_come(self):
        self.record("forgotten", workers=4)
        said = self.seconds("--machine", self.nodes())
        self.assertEqual((said["messages"], said["message_bytes"]), (2, 24000))

    def test_ranks_are_placed_as_is_said(self):
        self.record("exchange")
        # Neighbours on two nodes: ranks 1 and 3 share the second, and rank 0's message still passes the link.
        self.assertAlmostEqual(self.microseconds("--place", "cyclic"), self.microseconds(), delta=15)
        # On one worker they compute one after another, and nothing passes a link.
        alone = self.microseconds("--workers", "1")
        self.assertAlmostEqual(alone, 1000, delta=1e-3)
        self.assertAlmostEqual(self.microseconds("--workers", "2"), 700, delta=1e-3)
        self.assertIn("leave --workers out", self.refusal("replay", self.trace, "--machine", self.nodes(), "--place", "cyclic", "--workers", "2"))

    def test_ranks_that_exchange_most_are_put_on_one_node(self):
        self.record("exchange")
        # Ranks 0 and 3: their message takes no time.
        self.assertAlmostEqual(self.microseconds("--place", "traffic"), 420.016, delta=0.02)

    def test_small_messages_may_be_sent_before_they_are_received(self):
        self.record("exchange")
        # Rank 0 goes on at once, but rank 3 gets the data at 1,110 us.
        self.assertAlmostEqual(self.microseconds("--eager", "1000000"), 1130.016, delta=0.01)

    def test_the_hops_of_a_description_are_passed(self):
        self.record("exchange")
        specs = TRACES.parents[2] / "specs"
        near = self.seconds("--machine", specs / "triblade.toml")
        # All on one processor: 25.6 GB/s.
        self.assertAlmostEqual(near["seconds"] * 1e6, 400 + 1e6 / 25.6e3, delta=1)

    def test_the_text_says_what_other_links_would_change(self):
        self.record("exchange")
        done = run(MASLIN, "replay", self.trace, "--machine", self.nodes())
        self.assertEqual(done.stdout, f"""{RANKS_ASK.name}: 4 ranks, 1 messages of 1 MB in all, 1 calls of all ranks; recorded on 1 workers in 0.001 s
would take 0.00143002 s on 'cores'
  0.000930008 s with links of twice the bandwidth
  0.00141502 s with links that begin in half the time
  0.0004 s if messages took no time
  0.0004 s is what the rank computes that computes most
""")

    def test_loops_of_a_rank_are_its_own_time_on_one_worker(self):
        self.record("loops")
        self.assertAlmostEqual(self.seconds("--machine", self.nodes())["no_links_s"] * 1e6, 1400, delta=1e-3)
        self.record("loops", workers=8)
        self.assertIn("MASLIN_WORKERS=1", self.refusal("replay", self.trace, "--machine", self.nodes()))

    def test_what_ranks_do_beside_each_other_is_not_told_apart(self):
        for what, why in (("tasks", "its ranks create tasks"), ("phases", "its ranks have phases"), ("twice", "calls ms::ranks more than once"),
                          ("later", "if the program asks for nothing else before")):
            with self.subTest(what):
                self.record(what)
                self.assertIn(why, self.refusal("replay", self.trace, "--machine", self.nodes()))

    def test_a_machine_without_links_is_refused(self):
        self.record("exchange")
        self.assertIn("no [[route]] and no [[link]]", self.refusal("replay", self.trace, "--machine", self.machine(8)))
        self.assertIn("maslin replay", self.refusal("scale", self.trace, "--machine", self.nodes()))


if __name__ == "__main__":
    unittest.main(verbosity=2)
