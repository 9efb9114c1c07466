"""`maslin layout`: what it says of layouts agrees with runs on described machines; what it cannot say is a clear error.

    layout_test.py MASLIN RANKS_ASK PAGE_PROGRAM PROGRAM_WITHOUT_PHASES"""

import json
import math
import os
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

NO_PHASES, CHAINS, RANKS_ASK, MASLIN = (Path(sys.argv.pop()).resolve() for _ in range(4))
CHECKOUT = Path(__file__).resolve().parents[2]
PAGE = CHECKOUT / "docs" / "layout.md"
PROGRAMS = MASLIN.parent / "layered_programs"
CLEAN = {key: value for key, value in os.environ.items() if not key.startswith("MASLIN_")}
TIMES = "--host-us 20 --serial-us 8 --loop-us 96 --iterations 192 --spread 0".split()
ON_HOSTS = """name = "console"
[workers]
kind = "accelerator"
count = 6
source = "a test"
[hosts]
contexts = 2
switch_us = 1.5
source = "a test"
[transfer]
signal_us = 0.5
bandwidth_gb_per_s = 1
source = "a test"
"""


def run(*words, **variables) -> subprocess.CompletedProcess:
    return subprocess.run([str(word) for word in words], env=CLEAN | variables, capture_output=True, text=True, check=False)


class Layout(unittest.TestCase):
    def setUp(self):
        self.folder = Path(self.enterContext(tempfile.TemporaryDirectory(prefix="maslin_layout_")))
        self.trace = self.folder / "run.mtrace"

    def file(self, name: str, text: str) -> Path:
        path = self.folder / name
        path.write_text(text, encoding="utf-8")
        return path

    def cores(self, count: int, more: str = "") -> Path:
        return self.file(f"cores-{count}.toml", f'name = "cores"\n[workers]\nkind = "cpu"\ncount = {count}\nsource = "a test"\n{more}')

    def record(self, *words, workers: int = 1, program: str = "bootstraps") -> Path:
        """Records on a described machine, in declared costs."""
        done = run(PROGRAMS, program, *TIMES, *words, MASLIN_MACHINE=str(self.cores(workers)), MASLIN_DURATIONS="declared",
                   MASLIN_TRACE=str(self.trace), MASLIN_QUIET="1")
        self.assertEqual(done.returncode, 0, done.stderr)
        return self.trace

    def runs(self, program: str, machine: Path, *words, pin: str, **variables) -> float:
        """Gives the seconds of a run there, in declared costs."""
        done = run(PROGRAMS, program, *TIMES, *words, MASLIN_MACHINE=str(machine), MASLIN_DURATIONS="declared", MASLIN_PIN=pin,
                   MASLIN_LEARNED="off", MASLIN_QUIET="1", **variables)
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)["seconds"]

    def said(self, *words) -> dict:
        done = run(MASLIN, "layout", *words, "--json")
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)

    def refusal(self, *words) -> str:
        done = run(MASLIN, "layout", *words)
        self.assertEqual((done.returncode, done.stdout), (2, ""), done.stderr)
        self.assertEqual(len(done.stderr.strip().splitlines()), 1, done.stderr)
        return done.stderr

    def test_one_worker_takes_what_was_recorded(self):
        self.record("--streams", "4", "--offloads", "5")
        said = self.said(self.trace, "--machine", self.cores(1))
        self.assertEqual([(one["streams"], one["width"]) for one in said["phases"][0]["candidates"]], [(1, 1)])
        self.assertAlmostEqual(said["seconds"], 4 * 5 * 124e-6, delta=1e-6)  # an event of the recording takes some of it
        self.assertEqual((said["phases"][0]["off_loads"], said["phases"][0]["streams"]), (20, 4))

    def test_candidates_are_sorted_and_their_terms_add_up(self):
        self.record("--streams", "12", "--offloads", "5")
        said = self.said(self.trace, "--machine", self.file("console.toml", ON_HOSTS))
        candidates = said["phases"][0]["candidates"]
        self.assertEqual(len(candidates), 14)
        self.assertEqual([one["chosen"] for one in candidates], [True] + 13 * [False])
        self.assertEqual(sorted(candidates, key=lambda one: one["seconds"]), candidates)
        for one in candidates:
            self.assertAlmostEqual(sum(one["terms"].values()), one["seconds"], delta=1e-9)
            self.assertGreater(one["error_s"], 0)
            self.assertLessEqual(one["idealised_s"], 1.02 * one["seconds"])
        self.assertEqual(said["unknown"], ["hosts.contention"])
        best = candidates[0]
        self.assertEqual(said["start"]["MASLIN_PIN"], f"bootstraps={best['streams']}x{best['width']}")

    def test_the_line_that_it_prints_starts_the_program_so(self):
        self.record("--streams", "12", "--offloads", "5")
        machine = self.file("console.toml", ON_HOSTS)
        said = self.said(self.trace, "--machine", machine)
        times = "bootstraps --streams 12 --offloads 5 --host-us 20 --serial-us 8 --loop-us 96 --iterations 192 --spread 0"
        program = said["program"]
        line = said["start"]["described"].replace(f"./{program}", f"{PROGRAMS} {times}")
        self.assertIn(str(PROGRAMS), line)
        done = subprocess.run(["bash", "-euc", line], env=CLEAN | {"MASLIN_DURATIONS": "declared", "MASLIN_QUIET": "1"},
                              capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertAlmostEqual(json.loads(done.stdout)["seconds"] / said["seconds"], 1, delta=0.05)

    def test_the_faster_master_of_loops_is_named_and_runs_take_what_is_said_of_both(self):
        words = ("--streams", "6", "--offloads", "40")
        self.record(*words)
        # Three streams share a hardware thread: a host that is the master would keep them waiting.
        for contexts, streams, width, master in ((2, 2, 3, "host"), (1, 3, 2, "worker")):
            machine = self.file(f"hosts-{contexts}.toml", ON_HOSTS.replace("contexts = 2", f"contexts = {contexts}"))
            on = (self.trace, "--machine", machine)
            said = self.said(*on, "--layout", f"{streams}x{width}")
            best = said["phases"][0]["candidates"][0]
            takes = best["seconds_by_master"]
            self.assertEqual((best["loop_master"], said["start"]["MASLIN_MASTER"]), (master, master))
            self.assertEqual(best["seconds"], min(takes.values()))
            pin = f"bootstraps={streams}x{width}"
            for who, seconds in takes.items():
                really = self.runs("bootstraps", machine, *words, pin=pin, MASLIN_MASTER=who)
                self.assertAlmostEqual(seconds / really, 1, delta=0.03, msg=f"{who} of {contexts}")
            text = run(MASLIN, "layout", *on, "--layout", f"{streams}x{width}").stdout
            self.assertIn(f"MASLIN_PIN={pin} MASLIN_MASTER={master} ./", text)
            self.assertEqual("hosts give out loops" in text, master == "host")
            lines = self.said(*on, "--layout", f"1x{streams}x{width}", "--ranks", "processes")["start"]
            self.assertIn(f" -x MASLIN_PIN={pin} -x MASLIN_MASTER={master} ./", lines["mpirun"])
            self.assertTrue(lines["srun"].startswith(f"MASLIN_PIN={pin} MASLIN_MASTER={master} srun "), lines)
        # One worker shares no loops, and there is no host where the workers are cores.
        for on, layout in ((machine, "2x1"), (self.cores(6), "2x3")):
            said = self.said(self.trace, "--machine", on, "--layout", layout)
            self.assertNotIn("seconds_by_master", said["phases"][0]["candidates"][0])
            self.assertNotIn("MASLIN_MASTER", said["start"])

    def test_the_line_has_the_arguments_of_a_program_that_it_has_run_and_says_so_where_it_has_none(self):
        machine, arguments = self.cores(4), ("bootstraps", "--streams", "2", "--offloads", "2", *TIMES)
        said = json.loads(run(MASLIN, "layout", "--json", "--machine", machine, "--", PROGRAMS, *arguments).stdout)
        self.assertTrue(said["start"]["shell"].endswith(" ".join((str(PROGRAMS), *arguments))), said["start"])
        self.assertIs(said["start_has_arguments"], True)
        self.record("--streams", "4", "--offloads", "5")
        self.assertIs(self.said(self.trace, "--machine", machine)["start_has_arguments"], False)
        missing = "A trace holds the program's name only: add its arguments, and its folder if it is another."
        self.assertEqual(run(MASLIN, "layout", self.trace, "--machine", machine).stdout.splitlines()[-1], missing)
        self.assertNotIn(missing, run(MASLIN, "layout", "--machine", machine, "--", PROGRAMS, *arguments).stdout)
        self.record_ranks("exchange")
        self.assertEqual(run(MASLIN, "layout", self.trace, "--machine", machine).stdout.splitlines()[-1], missing)

    def test_ranks_that_are_processes_get_lines_for_their_launchers(self):
        self.record("--generations", "4", program="chain")
        link = '[[link]]\nbetween = "nodes"\nbandwidth_gb_per_s = 1\nlatency_us = 20\nsource = "a test"\n'
        machine = self.file("cluster.toml", "nodes = 4\n" + self.cores(8, link).read_text(encoding="utf-8"))
        alone = self.said(self.trace, "--machine", machine, "--ranks", "processes", "--layout", "8x1x4")
        talks = self.said(self.trace, "--machine", machine, "--ranks", "processes", "--layout", "8x1x4", "--all-reduce", "2x8")
        self.assertEqual(alone["start"]["mpirun"], f"mpirun -n 8 --map-by ppr:2:node:pe=4 -x MASLIN_PIN=chain=1x4 ./{alone['program']}")
        self.assertEqual(alone["start"]["srun"],
                         f"MASLIN_PIN=chain=1x4 srun -N 4 --ntasks-per-node=2 --cpus-per-task=4 ./{alone['program']}")
        # Two a run, between four nodes: two steps there and back, of 20 us and 8 bytes.
        paid = talks["phases"][0]["candidates"][0]["terms"]["communication_s"]
        self.assertAlmostEqual(paid, 4 * 2 * 4 * (20e-6 + 8e-9), delta=1e-9)
        self.assertAlmostEqual(talks["seconds"] - alone["seconds"], paid, delta=1e-9)

    def test_a_program_with_versions_for_ranks_is_started_as_these(self):
        """One for the system's MPI, and one for maslin-mpirun; beside the program, or in PATH."""
        program = self.folder / "programs"
        program.symlink_to(PROGRAMS)
        one_node, cluster = self.cores(8), self.file("cluster.toml", "nodes = 4\n" + self.cores(8).read_text(encoding="utf-8"))

        def start(machine, layout, *words, **variables) -> dict[str, str]:
            said = run(MASLIN, "layout", "--json", "--machine", machine, "--ranks", "processes", "--layout", layout, *words, **variables)
            self.assertEqual(said.returncode, 0, said.stderr)
            lines = json.loads(said.stdout)["start"]
            del lines["MASLIN_PIN"]
            return lines

        arguments = ("chain", "--generations", "2", *TIMES)
        words, tail, pin = ("--", program, *arguments), " ".join(arguments), "MASLIN_PIN=chain=1x4"
        on_mpirun, on_srun = f"mpirun -n 8 --map-by ppr:2:node:pe=4 -x {pin} ", f"{pin} srun -N 4 --ntasks-per-node=2 --cpus-per-task=4 "
        self.assertEqual(start(cluster, "8x1x4", *words), {"mpirun": f"{on_mpirun}{program} {tail}", "srun": f"{on_srun}{program} {tail}"})
        (self.folder / "programs-mpi").touch()
        own = {"maslin-mpirun": f"mpirun -n 4 --map-by ppr:1:node --bind-to none -x {pin} -x MASLIN_WORKERS=4 "
                                f"maslin-mpirun --nodes --processes 2 -n 8 {program}-mpi {tail}"}  # fmt: skip
        self.assertEqual(start(cluster, "8x1x4", *words), own)
        self.assertEqual(start(one_node, "2x1x4", *words),
                         {"maslin-mpirun": f"{pin} MASLIN_WORKERS=4 maslin-mpirun --processes 2 -n 2 {program}-mpi {tail}"})
        (self.folder / "programs-system-mpi").touch()
        of_system = {"mpirun": f"{on_mpirun}{program}-system-mpi {tail}", "srun": f"{on_srun}{program}-system-mpi {tail}"}
        self.assertEqual(start(cluster, "8x1x4", *words), own | of_system)
        self.record("--generations", "4", program="chain")
        (self.folder / f"{PROGRAMS.name}-system-mpi").touch()
        path = f"{os.environ['PATH']}:{self.folder}"
        self.assertEqual(start(cluster, "8x1x4", self.trace, PATH=path)["mpirun"], f"{on_mpirun}{PROGRAMS.name}-system-mpi")
        self.assertEqual(start(cluster, "8x1x4", self.trace)["mpirun"], f"{on_mpirun}./{PROGRAMS.name}")

    def test_messages_take_what_was_measured_where_the_ranks_are(self):
        self.record("--generations", "4", program="chain")
        curve = ('[[messages]]\ncall = "all_reduce"\nplacement = "{}"\nranks = {}\n{}bytes = [8]\nus = [{}]\nsource = "a test"\n').format
        curves = curve("workers", 8, "", 1)

        def paid(layout: str, *ranks) -> float:
            machine = self.file("cluster.toml", "nodes = 4\n" + self.cores(8, curves).read_text(encoding="utf-8"))
            words = (self.trace, "--machine", machine, "--layout", layout, "--ranks", *ranks, "--all-reduce", "8")
            communication = self.said(*words)["phases"][0]["candidates"][0]["terms"]["communication_s"]
            return round(1e6 * communication / 4, 6)  # of a run

        note = "messages between processes were not measured"

        def table(*more) -> str:
            return run(MASLIN, "layout", self.trace, "--machine", self.folder / "cluster.toml", "--ranks", "processes", *more).stdout

        self.assertEqual(paid("8x1", "streams"), 1)
        self.assertIn(note, table("--send", "8"))
        self.assertNotIn(note, table())
        self.assertEqual(paid("8x1x1", "processes"), 0.333333)  # as ranks of a process; nothing is known of nodes
        curves += curve("processes", 2, "", 3) + curve("nodes", 4, "", 40)
        self.assertEqual(paid("8x1", "streams"), 1)
        self.assertEqual(paid("8x1x1", "processes"), 43)
        self.assertNotIn(note, table("--send", "8"))
        self.assertEqual(paid("4x1x1", "processes"), 40)
        curves += curve("nodes", 8, "on_a_node = 2\n", 30)
        self.assertEqual(paid("8x1x1", "processes"), 30)

    def test_memory_that_workers_share_is_counted_where_its_curve_is_known(self):
        self.record("--streams", "8", "--offloads", "5")
        curve = '[saturation]\nworkers = [1, 4]\ngb_per_s = [10, 10]\nsource = "a test"\n'
        machine = self.cores(4, curve)
        words = (self.trace, "--machine", machine, "--layout", "4x1")
        free, bound = self.said(*words), self.said(*words, "--memory", "10")
        # All that kernels do is bound by a memory that four share; the host part is not.
        host = 8 * 5 * 20e-6 / 4
        self.assertAlmostEqual((bound["seconds"] - host) / (free["seconds"] - host), 4, delta=0.02)
        self.assertEqual((bound["memory"], "memory" in free), ("a test", False))
        self.assertIn("says neither how fast its memory is", self.refusal(self.trace, "--machine", self.cores(2), "--memory", "1"))

    def test_a_described_bandwidth_is_shared_where_nothing_was_measured(self):
        self.record("--streams", "8", "--offloads", "5")
        memory = '[[memory]]\nlevel = "memory"\nbytes = 1000000000\nshared_by = 4\nbandwidth_gb_per_s = 20\nsource = "a test"\n'
        words = (self.trace, "--machine", self.cores(4, memory), "--layout", "2x1,4x1")

        def seconds(*more) -> dict[int, float]:
            return {one["streams"]: one["seconds"] for one in self.said(*words, *more)["phases"][0]["candidates"]}

        free, little, bound = seconds(), seconds("--memory", "5"), seconds("--memory", "10")
        for streams in (2, 4):
            self.assertAlmostEqual(little[streams], free[streams], delta=1e-9)
        self.assertAlmostEqual(bound[2], free[2], delta=1e-9)  # two move 20 GB/s, which there is
        host = 8 * 5 * 20e-6 / 4
        self.assertAlmostEqual((bound[4] - host) / (free[4] - host), 2, delta=0.02)
        self.assertIn("described", self.said(*words, "--memory", "10")["memory"])
        self.assertIn("how workers share memory was not measured", run(MASLIN, "layout", *words, "--memory", "10").stdout)
        self.assertIn("moves 20 GB/s at most", self.refusal(*words, "--memory", "21"))
        self.assertNotIn("share memory", run(MASLIN, "layout", *words).stdout)

    def record_ranks(self, what: str, workers: int = 1) -> Path:
        done = run(RANKS_ASK, what, MASLIN_MACHINE=str(self.cores(workers)), MASLIN_DURATIONS="declared", MASLIN_TRACE=str(self.trace))
        self.assertEqual(done.returncode, 0, done.stderr)
        return self.trace

    def test_ranks_of_a_trace_are_laid_out_with_what_they_exchange(self):
        """Each of 4 ranks has a loop of 1,000 us in 100 blocks, and computes 100 us more than the one before. Rank 0 sends 1 MB to rank 3."""
        self.record_ranks("loops")
        link = '[[link]]\nbetween = "nodes"\nbandwidth_gb_per_s = 1\nlatency_us = 10\nsource = "a test"\n'
        nodes = self.cores(8, link)
        nodes.write_text(nodes.read_text(encoding="utf-8").replace("[workers]", "nodes = 2\n[workers]"), encoding="utf-8")
        said = self.said(self.trace, "--machine", nodes)
        self.assertEqual((said["ranks"], said["messages"], said["message_bytes"], said["calls_of_all"], said["loops"]), (4, 1, 1000000, 1, 4))
        us = {(one["nodes"], one["ranks_on_a_node"], one["width"]): 1e6 * one["seconds"] for one in said["candidates"]}
        self.assertEqual(set(us), {(1, 4, 1), (1, 4, 2), (2, 2, 1), (2, 2, 2), (2, 2, 3), (2, 2, 4)})
        # On one node nothing passes the link, which takes 1,010 us and after that two turns of 8 bytes.
        for (on, _, width), takes in us.items():
            loop = 10 * -(-100 // width)
            self.assertAlmostEqual(takes, loop + 400 + (1030.016 if on == 2 else 0), delta=0.1, msg=f"{on} {width}")
        self.assertEqual([said["candidates"][0][key] for key in ("nodes", "ranks_on_a_node", "width")], [1, 4, 2])
        # Where nothing passes the link the error is the model's own; elsewhere also a tenth of the link's two costs.
        for one in said["candidates"]:
            of_link = (0.1 * 1000.016, 0.1 * 3 * 10) if one["nodes"] == 2 else ()
            self.assertAlmostEqual(1e6 * one["error_s"], math.hypot(0.03e6 * one["seconds"], *of_link), delta=0.1, msg=f"{one}")
        self.assertEqual((said["seconds"], said["error_s"]), tuple(said["candidates"][0][key] for key in ("seconds", "error_s")))
        self.assertEqual(said["unknown"], ["dispatch.handover_us", "dispatch.wake_us"])
        self.assertEqual(said["start"], {"shell": f"MASLIN_WORKERS=8 ./{RANKS_ASK.name}",
                                         "maslin-mpirun": f"MASLIN_WORKERS=8 maslin-mpirun -n 4 ./{RANKS_ASK.name}"})
        # Links that are hardly worth naming: two nodes have wider teams.
        fast = self.folder / "fast.toml"
        fast.write_text(nodes.read_text(encoding="utf-8").replace("= 1\n", "= 1000\n").replace("= 10\n", "= 0.01\n"), encoding="utf-8")
        said = self.said(self.trace, "--machine", fast)
        self.assertEqual([said["candidates"][0][key] for key in ("nodes", "ranks_on_a_node", "width")], [2, 2, 4])
        self.assertEqual(said["start"], {
            "maslin-mpirun": "mpirun -n 2 --map-by ppr:1:node --bind-to none -x MASLIN_WORKERS=4 "
                             f"maslin-mpirun --nodes --processes 2 -n 4 ./{RANKS_ASK.name}",
            "mpirun": f"mpirun -n 4 --map-by ppr:2:node:pe=4 -x MASLIN_WORKERS=4 ./{RANKS_ASK.name}",
            "srun": f"MASLIN_WORKERS=4 srun -n 4 -N 2 --ntasks-per-node=2 --cpus-per-task=4 ./{RANKS_ASK.name}"})
        self.assertAlmostEqual(1e6 * said["candidates"][0]["without_messages_s"], 650, delta=0.1)
        one = self.said(self.trace, "--machine", fast, "--layout", "4x2")
        self.assertEqual([(c["ranks_on_a_node"], c["width"]) for c in one["candidates"]], [(4, 2)])
        self.assertRegex(run(MASLIN, "layout", self.trace, "--machine", nodes).stdout, r"1  4x2 .*start with this")

    def test_ranks_are_laid_out_on_accelerators_as_they_run_there(self):
        self.record_ranks("loops")
        machine = self.file("console.toml", ON_HOSTS.replace("count = 6", "count = 12"))
        said = self.said(self.trace, "--machine", machine)
        self.assertEqual({(one["ranks_on_a_node"], one["width"]) for one in said["candidates"]}, {(4, 1), (4, 2), (4, 3)})
        for one in said["candidates"]:
            ran = run(RANKS_ASK, "loops", MASLIN_MACHINE=str(machine), MASLIN_DURATIONS="declared", MASLIN_QUIET="1",
                      MASLIN_WORKERS=str(4 * one["width"]))
            self.assertAlmostEqual(one["seconds"] / float(ran.stdout), 1, delta=0.06, msg=f"{one}")
        self.assertEqual(said["unknown"], [])
        # Such workers are described, and so is the run; one on several nodes cannot be described.
        described = f"MASLIN_MACHINE={machine} MASLIN_WORKERS=12"
        self.assertEqual(said["start"], {"shell": f"{described} ./{RANKS_ASK.name}",
                                         "maslin-mpirun": f"{described} maslin-mpirun -n 4 ./{RANKS_ASK.name}"})
        link = '[[link]]\nbetween = "nodes"\nbandwidth_gb_per_s = 1\nlatency_us = 10\nsource = "a test"\n'
        nodes = self.file("consoles.toml", ON_HOSTS.replace("[workers]", "nodes = 2\n[workers]", 1) + link)
        words = (self.trace, "--machine", nodes, "--layout", "2x3")
        self.assertNotIn("start", self.said(*words))
        self.assertNotIn("start it with", run(MASLIN, "layout", *words).stdout)

    def test_what_is_not_known_exactly_of_teams_and_loops_is_in_the_errors_of_ranks(self):
        """Each of 4 ranks has a loop of 500 us and one of 1,500 us, and computes 100 us more than the one before."""
        self.record_ranks("unequal")
        costs = '[dispatch]\nhandover_us = 2\nwake_us = 5\nspin_us = 1\nsource = "a test"\n'

        def candidates(machine: Path) -> dict[int, dict]:
            said = self.said(self.trace, "--machine", machine, "--layout", "4x1,4x2,4x4")
            return {one["width"]: one for one in said["candidates"]}

        free, paid = candidates(self.cores(16)), candidates(self.cores(17, costs))
        # Eight loops are 500 us off their mean. Ranks compute 9,000 us, a quarter each.
        of_loops = math.sqrt(8 * 500 ** 2 * 4) / 9000
        for width, one in free.items():
            self.assertAlmostEqual(one["error_s"] / one["seconds"], math.hypot(0.03, of_loops), delta=1e-4)
            more = paid[width]["error_s"] ** 2 - (paid[width]["seconds"] * math.hypot(0.03, of_loops)) ** 2
            # Some part of a tenth of what it takes to wake others for two loops; nothing where there is nobody to wake.
            self.assertGreaterEqual(more, (0.1e-6) ** 2 if width > 1 else -1e-15)
            self.assertLessEqual(more, (20e-6) ** 2 if width > 1 else 1e-15)
        text = run(MASLIN, "layout", self.trace, "--machine", self.cores(16)).stdout
        self.assertRegex(text, r"seconds +\+- +without messages")
        self.assertIn("as good within the errors: ", text)
        self.assertIn("not described, counted as nothing: dispatch.handover_us, dispatch.wake_us", text)

    def test_ranks_that_cannot_have_a_process_each_are_one_process_on_each_node(self):
        link = '[[link]]\nbetween = "nodes"\nbandwidth_gb_per_s = 1\nsource = "a test"\n'
        machine = self.cores(8, link)
        machine.write_text(machine.read_text(encoding="utf-8").replace("[workers]", "nodes = 4\n[workers]"), encoding="utf-8")
        # One rank fewer on the last node; more than 64 processes; more ranks of a node than workers.
        for ranks, layout, nodes, workers in ((5, "2x2", 3, 4), (96, "24x1", 4, 8), (20, "10x1", 2, 8)):
            with self.subTest(ranks=ranks, layout=layout):
                done = run(RANKS_ASK, "ring", ranks, MASLIN_MACHINE=str(self.cores(1)), MASLIN_DURATIONS="declared", MASLIN_TRACE=str(self.trace))
                self.assertEqual(done.returncode, 0, done.stderr)
                start = self.said(self.trace, "--machine", machine, "--layout", layout)["start"]["maslin-mpirun"]
                self.assertEqual(start, f"mpirun -n {nodes} --map-by ppr:1:node --bind-to none -x MASLIN_WORKERS={workers} "
                                        f"maslin-mpirun --nodes --processes 1 -n {ranks} ./{RANKS_ASK.name}")

    def test_ranks_share_workers_where_there_are_too_few(self):
        self.record_ranks("exchange")
        said = self.said(self.trace, "--machine", self.cores(2))
        self.assertEqual([(one["ranks_on_a_node"], one["width"]) for one in said["candidates"]], [(4, 1)])
        self.assertAlmostEqual(1e6 * said["seconds"], 700, delta=0.1)  # ranks 2 and 3 compute one after the other

    def test_what_cannot_be_laid_out_of_ranks_says_why(self):
        self.record_ranks("exchange")
        machine = self.cores(4)
        self.assertIn("leave --ranks, --send", self.refusal(self.trace, "--machine", machine, "--send", "8", "--ranks", "processes"))
        self.assertIn("expected RANKSxWIDTH", self.refusal(self.trace, "--machine", machine, "--layout", "1x2x2"))
        self.assertIn("expected RANKSxWIDTH", self.refusal(self.trace, "--machine", machine, "--layout", "5x1"))
        self.assertIn("it needs more than", self.refusal(self.trace, "--machine", machine, "--layout", "4x2"))
        self.assertIn("it needs more than", self.refusal(self.trace, "--machine", machine, "--layout", "2x1"))
        self.record_ranks("exchange", workers=2)
        self.assertIn("record it with MASLIN_WORKERS=1", self.refusal(self.trace, "--machine", machine))

    def test_what_a_program_says_that_it_moves_counts(self):
        """5,000 bytes an iteration of 0.5 us are 10 GB/s on one worker. Four workers share 15."""
        moves = ("--streams", "8", "--offloads", "5", "--bytes", "5000")
        self.record(*moves)
        memory = '[[memory]]\nlevel = "memory"\nbytes = 1000000000\nshared_by = 4\nbandwidth_gb_per_s = 15\nsource = "a test"\n'
        words = (self.trace, "--layout", "2x1,4x1,1x4,2x2", "--machine")
        said = self.said(*words, self.cores(4, memory))
        self.assertAlmostEqual(said["memory_gb_per_s"], 10, delta=0.01)
        self.assertIn("described", said["memory"])
        self.assertAlmostEqual(self.said(*words, self.cores(4, memory), "--memory", "0.001")["phases"][0]["candidates"][0]["seconds"],
                               8 * 5 * 124e-6 / 4, delta=1e-6)
        # As it runs there: blocks wait for memory.
        for one in said["phases"][0]["candidates"]:
            really = self.runs("bootstraps", self.cores(4, memory), *moves, pin="bootstraps={streams}x{width}".format(**one))
            self.assertAlmostEqual(one["seconds"], really, delta=0.1 * really, msg=f"{one}")
        self.assertIn("10 GB/s that the program moves count as nothing", run(MASLIN, "layout", *words, self.cores(4)).stdout)
        slow = memory.replace("= 15", "= 9")
        self.assertIn("moves 9 GB/s at most", self.refusal(*words, self.cores(4, slow)))
        # Where workers have local stores, their copies share it.
        with_stores = self.cores(4, memory + '[local_store]\nbytes = 65536\nsource = "a test"\n')
        said = self.said(*words, with_stores)
        self.assertAlmostEqual(said["memory_gb_per_s"], 10, delta=0.01)
        for one in said["phases"][0]["candidates"]:
            really = self.runs("bootstraps", with_stores, *moves, pin="bootstraps={streams}x{width}".format(**one))
            self.assertAlmostEqual(one["seconds"], really, delta=0.1 * really, msg=f"{one}")

    @unittest.skipIf(len(os.sched_getaffinity(0)) < 2, "there is one CPU, and so no copy beside a program")
    def test_what_is_slower_beside_copies_is_slower_where_as_many_compute(self):
        """Beside copies, which leave the program one CPU, loops take half as long again."""
        cpus = len(os.sched_getaffinity(0))
        program = self.file("program", f"""#!/bin/sh
loop=96
[ "$(nproc)" = 1 ] && loop=144
MASLIN_MACHINE={self.cores(1)} MASLIN_DURATIONS=declared MASLIN_QUIET=1 exec {PROGRAMS} bootstraps --streams {2 * cpus} --offloads 5 \
  --host-us 20 --serial-us 8 --loop-us $loop --iterations 192 --spread 0
""")
        program.chmod(0o755)
        here = self.cores(cpus)
        words = ("--machine", here, "--layout", f"1x1,{cpus}x1", program)
        said = self.said("--beside", *words)
        self.assertEqual(said["copies_beside"], cpus - 1)
        self.assertAlmostEqual(said["phases"][0]["slowed_by_each"]["loops"], 0.5 / (cpus - 1), delta=0.02 / (cpus - 1))
        self.assertAlmostEqual(said["phases"][0]["slowed_by_each"]["code"], 0, delta=0.02 / (cpus - 1))
        seconds = {one["streams"]: one["seconds"] for one in said["phases"][0]["candidates"]}
        self.assertAlmostEqual(seconds[1] / (2 * cpus * 5 * 124e-6), 1, delta=0.02)
        self.assertAlmostEqual(seconds[cpus] / (2 * 5 * 172e-6), 1, delta=0.02)
        alone = self.said(*words)
        self.assertEqual((alone["copies_beside"], alone["phases"][0]["slowed_by_each"]), (0, {"code": 0, "loops": 0}))
        self.assertAlmostEqual(alone["phases"][0]["candidates"][0]["seconds"] / (2 * 5 * 124e-6), 1, delta=0.02)
        self.assertRegex(run(MASLIN, "layout", "--beside", *words).stdout, r"each other worker that computes makes loops take \d+\.\d % longer")
        self.assertIn(f"on {cpus} CPUs; 'cores' is another one", self.refusal("--beside", "--machine", self.cores(cpus + 1), program))
        self.assertIn("'console' is another one", self.refusal("--beside", "--machine", self.file("console.toml", ON_HOSTS), program))
        self.assertIn("give one of them", self.refusal("--beside", "--memory", "1", "--machine", here, program))
        self.record("--streams", "4", "--offloads", "5")
        self.assertIn("is a trace", self.refusal("--beside", "--machine", here, self.trace))
        self.record_ranks("exchange")
        self.assertIn("and --beside out", self.refusal("--beside", "--machine", here, self.trace))

    def test_a_recording_on_a_busy_machine_is_said_to_be_one(self):
        """The program and somebody else share one CPU."""
        cpu, busy = str(min(os.sched_getaffinity(0))), "The machine was busy: the recorded run had a CPU for "
        other = subprocess.Popen(["taskset", "-c", cpu, sys.executable, "-c", "print(flush=True)\nwhile True: pass"], stdout=subprocess.PIPE)
        try:
            other.stdout.readline()
            done = run("taskset", "-c", cpu, CHAINS, 600, MASLIN_WORKERS="1", MASLIN_TRACE=str(self.trace), MASLIN_LEARNED="off")
            self.assertEqual(done.returncode, 0, done.stderr)
            loops = run("taskset", "-c", cpu, MASLIN, "scale", "--workers", 1, "--machine", self.cores(1), NO_PHASES, 24, MASLIN_REPORT="off")
        finally:
            other.kill()
            other.communicate()
        self.assertLess(self.said(self.trace, "--machine", self.cores(4))["cpu_share"], 0.9)
        self.assertIn(busy, run(MASLIN, "layout", self.trace, "--machine", self.cores(4)).stdout)
        self.assertIn(busy, loops.stdout)
        # Where time is described nothing is known of it.
        self.record("--streams", "4", "--offloads", "5")
        self.assertNotIn("cpu_share", self.said(self.trace, "--machine", self.cores(4)))
        self.assertNotIn(busy, run(MASLIN, "layout", self.trace, "--machine", self.cores(4)).stdout)

    def test_loops_that_do_not_say_what_they_move_are_named(self):
        unknown = "What these loops read and write is not known: "
        machine, on_hosts = self.cores(4), self.file("console.toml", ON_HOSTS)

        def text(*words) -> str:
            known = json.loads(run(MASLIN, "layout", self.trace, *words, "--json").stdout)["loops_traffic_known"]
            text = run(MASLIN, "layout", self.trace, *words).stdout
            self.assertEqual(known, unknown not in text)
            return text

        self.record("--streams", "4", "--offloads", "5")
        self.assertRegex(text("--machine", machine), unknown + r".*layout/main\.cpp:\d+\.\nThey can say it \(ms::memory_traffic\); --memory ")
        # Where that does not count, or all is said, nothing is missing.
        self.assertNotIn(unknown, text("--machine", on_hosts))
        curve = '[saturation]\nworkers = [1, 4]\ngb_per_s = [10, 10]\nsource = "a test"\n'
        self.assertNotIn(unknown, text("--machine", self.cores(4, curve), "--memory", "1"))
        self.record("--streams", "4", "--offloads", "5", "--bytes", "100")
        self.assertNotIn(unknown, text("--machine", machine))

    def test_a_machine_of_100_000_workers_is_looked_at_in_seconds(self):
        """The bound is so wide that only what takes as many steps as there are workers, for each of them, fails."""
        self.record("--streams", "8", "--offloads", "61")
        done = subprocess.run([MASLIN, "layout", self.trace, "--machine", CHECKOUT / "specs" / "roadrunner.toml", "--json"], env=CLEAN,
                              capture_output=True, text=True, check=False, timeout=100)
        self.assertEqual(done.returncode, 0, done.stderr)
        said = json.loads(done.stdout)
        self.assertEqual(said["nodes"] * said["workers"], 97920)
        # All workers are told that the phase begins, those of other nodes in 11.77 us each; the streams are done before.
        self.assertAlmostEqual(said["seconds"], (97920 - 16) * 11.77e-6, delta=0.01 * said["seconds"])

    def test_copies_that_computing_does_not_hide_count(self):
        """A kernel of 192 tasks of 0.5 us, each with 200 bytes to and fro: as runs take it, where copies are faster and slower than that."""
        words = ("--streams", "4", "--offloads", "5", "--bytes", "200")
        for rate, bound in ((1, False), (0.25, True)):
            engines = ON_HOSTS.replace("bandwidth_gb_per_s = 1", f"bandwidth_gb_per_s = {rate}")
            machine = self.file("stores.toml", engines + '[local_store]\nbytes = 65536\nsource = "a test"\n')
            self.record(*words, program="tiles")
            said = self.said(self.trace, "--machine", machine, "--layout", "1x1,2x2,4x1")
            without = self.said(self.trace, "--machine", self.file("none.toml", engines), "--layout", "1x1,2x2,4x1")
            computing = {one["streams"]: one["seconds"] for one in without["phases"][0]["candidates"]}
            for one in said["phases"][0]["candidates"]:
                really = self.runs("tiles", machine, *words, pin="tiles={streams}x{width}".format(**one))
                self.assertAlmostEqual(one["seconds"], really, delta=0.03 * really, msg=f"{one}")
                self.assertEqual(one["seconds"] > 1.3 * computing[one["streams"]], bound)

    def test_loops_that_move_more_than_they_compute_are_bound_by_communication(self):
        """Kernels of 12 blocks of 8 us, each with 3,200 bytes: engines move these in 3.2 us, or in 12.8 us, or all six share that much."""
        words = ("--streams", "4", "--offloads", "5", "--bytes", "200")
        store = '[local_store]\nbytes = 65536\nsource = "a test"\n'
        memory = '[[memory]]\nlevel = "memory"\nbytes = 1000000000\nshared_by = 6\nbandwidth_gb_per_s = 1\nsource = "a test"\n'
        self.record(*words)
        for rate, shared, bound in ((1, "", ()), (0.25, "", ("1x1", "2x2", "4x1")), (8, memory, ("2x2", "4x1"))):
            engines = ON_HOSTS.replace("bandwidth_gb_per_s = 1", f"bandwidth_gb_per_s = {rate}")
            machine = self.file("stores.toml", engines + shared + store)
            said = self.said(self.trace, "--machine", machine, "--layout", "1x1,2x2,4x1")
            self.assertTrue(said["loops_traffic_known"])
            without = self.said(self.trace, "--machine", self.file("none.toml", engines), "--layout", "1x1,2x2,4x1")
            computing = {one["streams"]: one["seconds"] for one in without["phases"][0]["candidates"]}
            for one in said["phases"][0]["candidates"]:
                layout = "{streams}x{width}".format(**one)
                with self.subTest(rate=rate, shared=bool(shared), layout=layout):
                    really = self.runs("bootstraps", machine, *words, pin=f"bootstraps={layout}", MASLIN_MASTER=one.get("loop_master", "auto"))
                    self.assertAlmostEqual(one["seconds"], really, delta=0.1 * really)
                    self.assertEqual(one["seconds"] > 1.1 * computing[one["streams"]], layout in bound)
        # What is said of the whole program counts in place of that.
        said = self.said(self.trace, "--machine", machine, "--layout", "1x1", "--memory", "0.001")
        self.assertAlmostEqual(said["phases"][0]["candidates"][0]["seconds"], computing[1], delta=0.01 * computing[1])

    def test_what_it_cannot_say_is_a_clear_error(self):
        self.record("--streams", "4", "--offloads", "5", workers=2)
        machine = self.cores(4)
        self.assertIn("was recorded on 2 workers, which share what they measure; record it with MASLIN_WORKERS=1",
                      self.refusal(self.trace, "--machine", machine))
        self.record("--streams", "4", "--offloads", "5")
        for wrong in ("0", "-1", "nan", "inf", "much"):
            self.assertIn(f"--memory: '{wrong}'; expected a number above 0", self.refusal(self.trace, "--machine", machine, f"--memory={wrong}"))
        self.assertIn("cannot be opened", self.refusal(self.trace, "--machine", self.folder / "absent.toml"))
        for wrong in ("4", "4x", "x4", "4x2x1", "0x1", "-1x1", "ax1", "4x99999999999999999999"):
            self.assertIn(f"--layout {wrong}: expected STREAMSxWIDTH", self.refusal(self.trace, "--machine", machine, f"--layout={wrong}"))
        self.assertIn("it needs more workers than 'cores' has: 4", self.refusal(self.trace, "--machine", machine, "--layout", "3x2"))
        self.assertIn("expected RANKSxSTREAMSxWIDTH",
                      self.refusal(self.trace, "--machine", machine, "--ranks", "processes", "--layout", "2x2"))
        self.assertIn("give --ranks streams or processes, too", self.refusal(self.trace, "--machine", machine, "--send", "8"))
        self.assertIn("--send much: expected BYTES",
                      self.refusal(self.trace, "--machine", machine, "--ranks", "processes", "--send", "much"))
        self.assertIn("did you mean streams?", self.refusal(self.trace, "--machine", machine, "--ranks", "stream"))
        self.assertIn("cannot be run: No such file", self.refusal(self.folder / "absent", "--machine", machine))
        self.assertIn("is neither a trace nor a program that may be run", self.refusal(machine, "--machine", machine))
        here = subprocess.run([MASLIN, "layout", PROGRAMS.name, "--machine", machine], env=CLEAN | {"PATH": "/nowhere"}, cwd=PROGRAMS.parent,
                              capture_output=True, text=True, check=False)
        self.assertEqual(here.returncode, 2)
        self.assertIn(f"is in this folder, where programs are not looked for; give it as ./{PROGRAMS.name}", here.stderr)
        self.assertIn("never called Maslin", self.refusal("true", "--machine", machine))

    def test_a_program_without_phases_is_told_what_to_do(self):
        done = run(NO_PHASES, MASLIN_WORKERS="1", MASLIN_TRACE=str(self.trace))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("has no phase: there are no streams to lay out", self.refusal(self.trace, "--machine", self.cores(4)))

    def test_the_table_is_for_people(self):
        self.record("--streams", "12", "--offloads", "5")
        machine = self.file("console.toml", ON_HOSTS)
        done = run(MASLIN, "layout", self.trace, "--machine", machine)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertEqual(done.stdout.count("<- start with this"), 1)
        self.assertIn("and 4 more (--all)", done.stdout)
        self.assertIn("not described, counted as nothing: hosts.contention", done.stdout)
        self.assertTrue(done.stdout.isascii())
        every = run(MASLIN, "layout", self.trace, "--machine", machine, "--all")
        self.assertNotIn("--all", every.stdout)

    def test_the_page_is_true(self):
        (self.folder / "chains").symlink_to(CHAINS)
        for folder in ("specs", "tests"):
            (self.folder / folder).symlink_to(CHECKOUT / folder)
        (self.folder / "heat").symlink_to(CHAINS.parent / "page_layout_2")
        page = PAGE.read_text(encoding="utf-8")
        self.file("cluster.toml", re.search(r"^```toml\n(.*?)^```$", page, re.DOTALL | re.MULTILINE).group(1))
        commands = re.findall(r"^```sh\n(.*?)^```$", page, re.DOTALL | re.MULTILINE)
        self.assertGreaterEqual(len(commands), 4)
        for command in commands:
            if "maslin-phylo" in command and not (MASLIN.parent / "maslin-phylo").exists():
                continue
            done = subprocess.run(["bash", "-euc", command], cwd=self.folder, env=CLEAN | {"PATH": f"{MASLIN.parent}:{CLEAN['PATH']}"},
                                  capture_output=True, text=True, check=False)
            self.assertEqual(done.returncode, 0, f"{command}{done.stdout}{done.stderr}")
        self.assertEqual(len(json.loads((self.folder / "layouts.json").read_text(encoding="utf-8"))["phases"][0]["candidates"]), 3)


class Judged(unittest.TestCase):
    def test_a_part_of_the_judged_cases_comes_out_as_on_described_machines(self):
        done = run(sys.executable, "-B", CHECKOUT / "bench" / "layout" / "judge.py", "--quick", "--json",
                   MASLIN_BENCH_BIN=str(MASLIN.parent))
        self.assertEqual(done.returncode, 0, done.stderr)
        said = json.loads(done.stdout)["summary"]
        self.assertLessEqual(said["mean_error"], 0.05)
        self.assertLessEqual(said["worst_error"], 0.15)
        self.assertEqual(said["best_or_within_3_percent"], said["cases"])

    def test_ranks_come_out_as_on_described_machines(self):
        for more in ((), ("--accelerators",)):
            done = run(sys.executable, "-B", CHECKOUT / "bench" / "layout" / "ranks.py", "--development", *more, "--json",
                       MASLIN_BENCH_BIN=str(MASLIN.parent))
            self.assertEqual(done.returncode, 0, done.stderr)
            said = json.loads(done.stdout)["summary"]
            self.assertLessEqual(said["mean_error"], 0.03)
            self.assertGreaterEqual(said["within_two_errors"], 0.95)
            self.assertLessEqual(said["worst_over_best"], 0.03)


if __name__ == "__main__":
    unittest.main(verbosity=2)
