"""A run that was killed or stopped goes on where it was, and ends as if nothing had happened."""

import json
import random
import signal
import subprocess
import time

import phylo_process
from phylo_process import DATA, ProgramTest, environment, figures, main

MSA = DATA / "ten.phy"
TREES = 14


class Resume(ProgramTest):
    def command(self, prefix):
        return ["all", "--msa", MSA, "--model", "GTR+G", "--starts", 2, "--replicates", TREES - 2, "--seed", 5, "--prefix", prefix]

    def start(self, prefix, **options):
        return subprocess.Popen(
            [phylo_process.program, *map(str, self.command(prefix)), *options.pop("more", ())],
            cwd=self.folder,
            env=environment(),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            **options,
        )

    def undisturbed(self):
        begin = time.monotonic()
        self.run_well(*self.command("undisturbed"), "--quiet")
        return self.trees("undisturbed"), figures(self.result("undisturbed")), time.monotonic() - begin

    def records(self, prefix):
        """The finished trees on the disk: name → what changes when the file is written again."""
        folder = self.folder / f"{prefix}.checkpoint"
        if not folder.is_dir():
            return {}
        return {
            path.name: (path.stat().st_ino, path.stat().st_mtime_ns, path.read_bytes())
            for path in folder.iterdir()
            if path.name.startswith(("search-", "bootstrap-")) and not path.name.endswith((".part", ".begun"))
        }

    def assert_kept(self, before, after):
        for name, record in before.items():
            self.assertEqual(after.get(name), record, f"{name} was computed again")

    def test_killed_at_twenty_random_moments(self):
        trees, values, seconds = self.undisturbed()
        moments = random.Random(2024)
        interrupted = 0
        for _ in range(20):
            process = self.start("killed", more=["--quiet"])
            time.sleep(moments.uniform(0, seconds / 3))
            before = self.records("killed")
            process.kill()
            process.wait()
            process.stderr.close()
            interrupted += process.returncode == -signal.SIGKILL
            after = self.records("killed")
            self.assert_kept(before, after)
            if len(after) == TREES:
                break
        self.assertGreater(interrupted, 0)
        before = self.records("killed")
        self.run_well(*self.command("killed"), "--quiet")
        after = self.records("killed")
        self.assert_kept(before, after)
        self.assertEqual(len(after), TREES)
        self.assertEqual(self.trees("killed"), trees)
        self.assertEqual(figures(self.result("killed")), values)
        counts = self.result("killed")["trees"]
        self.assertEqual((counts["restored"], counts["computed"]), (len(before), TREES - len(before)))
        self.assertEqual([path.name for path in self.folder.rglob("*.part")], [])

    def test_killed_after_every_single_tree(self):
        trees, values, _ = self.undisturbed()
        for _ in range(10 * TREES):
            before = self.records("killed")
            process = self.start("killed", more=["--quiet"])
            while process.poll() is None and len(self.records("killed")) <= len(before):
                time.sleep(0.002)
            process.kill()
            process.wait()
            process.stderr.close()
            self.assert_kept(before, self.records("killed"))
            if process.returncode == 0:
                break
        self.run_well(*self.command("killed"), "--quiet")
        self.assertEqual(self.trees("killed"), trees)
        self.assertEqual(figures(self.result("killed")), values)

    def test_a_search_goes_on_where_it_was(self):
        def searching(prefix):
            return ("search", "--msa", MSA, "--model", "GTR+G+I", "--start-trees", "rand", "--seed", 5,
                    "--checkpoint-seconds", 0, "--prefix", prefix)

        self.run_well(*searching("undisturbed"), "--quiet")
        expected = [(self.folder / f"undisturbed.{what}").read_bytes() for what in ("bestTree", "bestModel")]
        begun = self.folder / "killed.checkpoint" / "search-0000.begun"
        states = set()

        def state():
            try:
                return begun.read_bytes()
            except FileNotFoundError:
                return b""

        for attempt in range(12):  # each is stopped once it has come further than the one before
            before = state()
            process = subprocess.Popen([phylo_process.program, *map(str, searching("killed")), "--quiet"], cwd=self.folder,
                                       env=environment(), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)  # fmt: skip
            while process.poll() is None and state() in (before, b""):
                time.sleep(0.0005)
            process.send_signal(signal.SIGTERM if attempt % 3 == 2 else signal.SIGKILL)
            process.wait()
            if process.returncode == 0:
                break
            states.add(state())
        self.assertGreater(len(states - {b""}), 1)
        left = state()
        said = self.run_program(*searching("killed"))
        self.assertEqual(said.returncode, 0)
        if left:
            self.assertIn("1 begun; going on", said.stderr.decode())
        self.assertFalse(begun.exists())
        self.assertEqual([(self.folder / f"killed.{what}").read_bytes() for what in ("bestTree", "bestModel")], expected)

    def test_a_search_that_is_stopped_in_its_last_fit_goes_on(self):
        parts = self.write("many.part", "".join(f"GTR+G, p{first} = {first}-{first + 5}\n" for first in range(1, 240, 6)))

        def searching(prefix):
            return ("search", "--msa", MSA, "--model-file", parts, "--brlen", "unlinked", "--seed", 5, "--checkpoint-seconds", 0,
                    "--prefix", prefix, "--quiet")  # fmt: skip

        self.run_well(*searching("undisturbed"))
        process = subprocess.Popen([phylo_process.program, *map(str, searching("stopped"))], cwd=self.folder, env=environment(),
                                   stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL)  # fmt: skip
        begun = self.folder / "stopped.checkpoint" / "search-0000.begun"

        def is_in_its_last_fit():
            """All models and branches are fitted in one call of the engine, when the last ring of a climb (seven nodes wide) is done."""
            try:
                state = json.loads(begun.read_text().splitlines()[0])["search"]
            except FileNotFoundError:
                return False
            return state["stage"] == 3 and state["nearest"] > 7

        while process.poll() is None and not is_in_its_last_fit():
            time.sleep(0.005)
        process.send_signal(signal.SIGTERM)
        self.assertEqual(process.wait(), 143)
        self.assertTrue(is_in_its_last_fit())
        self.run_well(*searching("stopped"))
        for what in ("bestTree", "bestModel", "bestPartitionTrees"):
            self.assertEqual((self.folder / f"stopped.{what}").read_bytes(), (self.folder / f"undisturbed.{what}").read_bytes())

    def test_a_search_that_cannot_go_on_begins_anew(self):
        command = ("search", "--msa", MSA, "--model", "GTR+G", "--seed", 5, "--prefix", "x", "--quiet")
        self.run_well(*command)
        tree = (self.folder / "x.bestTree").read_bytes()
        folder = self.folder / "x.checkpoint"
        (folder / "search-0000").unlink()
        (folder / "search-0000.begun").write_text("{}\nchecksum 0123456789abcdef\n")
        said = self.run_program(*command)
        self.assertEqual(said.returncode, 0)
        self.assertIn("search-0000.begun:2:1: this search can't go on: it is cut off, or its checksum does not fit; it begins anew", said.stderr.decode())
        self.assertEqual((self.folder / "x.bestTree").read_bytes(), tree)
        self.assertFalse((folder / "search-0000.begun").exists())

    def test_a_finished_run_computes_nothing_again(self):
        trees, values, _ = self.undisturbed()
        before = self.records("undisturbed")
        self.run_well(*self.command("undisturbed"), "--quiet")
        self.assertEqual(self.records("undisturbed"), before)
        self.assertEqual(self.trees("undisturbed"), trees)
        self.assertEqual(figures(self.result("undisturbed")), values)
        self.assertEqual(self.result("undisturbed")["trees"]["computed"], 0)

    def test_a_damaged_record_costs_one_tree(self):
        trees, _, _ = self.undisturbed()
        folder = self.folder / "undisturbed.checkpoint"
        for damage, line in (("torn", "[12]"), ("empty", 1), ("flipped", 3), ("swapped", 1)):
            with self.subTest(damage):
                record = folder / "bootstrap-0003"
                whole = record.read_bytes()
                flipped = bytearray(whole)
                flipped[len(flipped) // 2] ^= 4
                record.write_bytes({
                    "torn": whole[: len(whole) // 2],
                    "empty": b"",
                    "flipped": bytes(flipped),
                    "swapped": (folder / "bootstrap-0004").read_bytes(),
                }[damage])  # fmt: skip
                before = self.records("undisturbed")
                done = self.run_program(*self.command("undisturbed"), "--quiet")
                self.assertEqual(done.returncode, 0)
                self.assertRegex(done.stderr.decode(), rf"bootstrap-0003:{line}:1: this finished tree can't be used")
                self.assertIn("computed anew", done.stderr.decode())
                after = self.records("undisturbed")
                del before["bootstrap-0003"]
                self.assert_kept(before, after)
                self.assertEqual(self.trees("undisturbed"), trees)
                counts = self.result("undisturbed")["trees"]
                self.assertEqual((counts["computed"], counts["damaged_records"]), (1, 1))

    def test_stopped_by_a_signal(self):
        trees, _, seconds = self.undisturbed()
        for number, status in ((signal.SIGINT, 130), (signal.SIGTERM, 143)):
            with self.subTest(number):
                prefix = f"stopped_{status}"
                stopped = False
                for attempt in range(50):
                    # Ever earlier, until the signal comes before the end.
                    process = self.start(prefix, more=["--redo"])
                    time.sleep(seconds / 2 / (attempt + 1))
                    process.send_signal(number)
                    _, message = process.communicate(timeout=phylo_process.TIMEOUT_SECONDS)
                    if process.returncode == status:
                        stopped = True
                        break
                    # Before the program hears signals, they end it at once; behind its work, they are too late.
                    self.assertIn(process.returncode, (0, -number), message)
                self.assertTrue(stopped)
                self.assertIn("the same command continues", message.decode())
                self.assertEqual([path.name for path in self.folder.rglob("*.part")], [])
                self.assertFalse((self.folder / f"{prefix}.bestTree").exists() and attempt == 0)
                before = self.records(prefix)
                self.run_well(*self.command(prefix), "--quiet")
                self.assert_kept(before, self.records(prefix))
                self.assertEqual(self.trees(prefix), trees)

    def test_two_processes_on_one_prefix(self):
        trees, _, _ = self.undisturbed()
        first = self.start("shared", more=["--quiet"])
        codes = []
        for _ in range(5):
            codes.append(self.run_program(*self.command("shared"), "--quiet").returncode)
        first.communicate(timeout=phylo_process.TIMEOUT_SECONDS)
        self.assertTrue(set(codes) <= {0, 2}, codes)
        self.assertIn(first.returncode, (0, 2))
        self.run_well(*self.command("shared"), "--quiet")
        self.assertEqual(self.trees("shared"), trees)

    def test_redo_starts_afresh(self):
        trees, _, _ = self.undisturbed()
        before = self.records("undisturbed")
        self.run_well(*self.command("undisturbed"), "--quiet", "--redo")
        self.assertEqual(self.result("undisturbed")["trees"]["computed"], TREES)
        self.assertTrue(all(self.records("undisturbed")[name] != record for name, record in before.items()))
        self.assertEqual(self.trees("undisturbed"), trees)

    def test_progress_is_shown_unless_quiet(self):
        done = self.run_program(*self.command("x"))
        self.assertIn(f"trees {TREES}/{TREES}", done.stderr.decode())
        self.assertIn("lnL -", done.stderr.decode())
        done = self.run_program(*self.command("y"), "--quiet", "--json")
        self.assertEqual(done.stderr, b"")
        self.assertEqual(json.loads(done.stdout)["command"], "all")


if __name__ == "__main__":
    main()
