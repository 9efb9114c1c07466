"""`maslin trace export --paraver`: the files hold together, and say what `maslin trace info` says.

    paraver_test.py PROGRAM_WITH_TASKS PROGRAM_WITH_A_PHASE PROGRAM_WITH_RANKS PROGRAM_WITH_STORES MASLIN
"""

import json
import re
import sys
import unittest
from collections import Counter
from pathlib import Path

from commands import Commands

TASKS, PHASE, RANKS, STORES, MASLIN = (Path(path).resolve() for path in sys.argv[1:6])
WORKS, STREAM, TASK, STREAMS_AT_A_TIME, GOT, PUT = 1, 81000001, 81000002, 81000005, 81000007, 81000008
TRANSFER, BYTES = 81000009, 81000010


class Paraver(Commands):
    def export(self, program, *options, workers=3):
        """Gives what info says, and the files' records: the run's length, states, events, names of values."""
        self.call(*program, MASLIN_TRACE="run.mtrace", MASLIN_WORKERS=str(workers))
        info = json.loads(self.call(MASLIN, "trace", "info", "--json", "run.mtrace").stdout)
        self.said = self.call(MASLIN, "trace", "export", "--paraver", "run.mtrace", *options).stderr
        head, *records = (self.folder / "run.prv").read_text().splitlines()
        found = re.fullmatch(r"#Paraver \(\d\d/\d\d/\d{4} at \d\d:\d\d\):(\d+)_ns:1\((\d+)\):1:1\(\2:1\)", head)
        self.assertTrue(found, head)
        length, rows = map(int, found.groups())
        records = [[int(number) for number in line.split(":")] for line in records]
        self.assertEqual([record[5] for record in records], sorted(record[5] for record in records))
        for record in records:
            self.assertEqual(record[1:5], [record[1], 1, 1, record[1]])
            self.assertTrue(1 <= record[1] <= rows)
        states = [(r[1], r[5], r[6], r[7]) for r in records if r[0] == 1]
        events = [(r[1], r[5], r[6], r[7]) for r in records if r[0] == 2]
        self.messages = [r for r in records if r[0] == 3]
        self.assertEqual(len(states) + len(events) + len(self.messages), len(records))
        for message in self.messages:
            self.assertEqual(len(message), 15)
            self.assertEqual(message[7:11], [message[7], 1, 1, message[7]])
            self.assertTrue(1 <= message[7] <= rows)
            _, _, _, _, _, begun, left, *_, wanted, there, _, _ = message
            self.assertTrue(0 <= begun <= left <= there <= length and 0 <= wanted <= there, message)
        for row in range(1, rows + 1):  # each moment has one state
            ends = [0] + [end for of, _, end, _ in states if of == row]
            self.assertEqual([begin for of, begin, _, _ in states if of == row], ends[:-1])
            self.assertEqual(ends[-1], length)
        names, of = {}, None
        for line in (self.folder / "run.pcf").read_text().splitlines():
            if kind := re.fullmatch(r"0 (\d{8}) (.*)", line):
                of = int(kind[1])
                names[of] = {}
            elif of and (value := re.fullmatch(r"(\d+) (.*)", line)):
                names[of][int(value[1])] = value[2]
        for _, _, kind, value in events:
            self.assertTrue(kind > TASK + 2 or value in names[kind], (kind, value))
        listed = (self.folder / "run.row").read_text().splitlines()
        self.assertEqual(listed[:workers + 1], [f"LEVEL CPU SIZE {rows}"] + [f"worker {i}" for i in range(workers)])
        self.assertEqual(listed[:rows + 1][1:], listed[rows + 3:])
        return info, length, states, events, names

    def test_tasks(self):
        info, length, states, events, names = self.export((TASKS, 8, 8))
        self.assertAlmostEqual(length * 1e-9, info["duration_s"], places=6)
        begun = Counter(names[TASK][value] for _, _, kind, value in events if kind == TASK and value)
        again = info["kinds"].get("task_resume", 0) + info["kinds"].get("resume", 0)  # what was suspended goes on
        self.assertGreaterEqual(sum(begun.values()), info["kinds"]["task_begin"])
        self.assertLessEqual(sum(begun.values()), info["kinds"]["task_begin"] + again)
        self.assertTrue(all(re.search(r"\.cpp:\d+$", name) for name in begun), begun)
        for row in range(1, 4):
            kinds = [value for of, _, kind, value in events if of == row and kind == TASK]
            self.assertFalse(kinds and kinds[-1], "a task is open at the end")

    def test_a_phase(self):
        _, _, states, events, names = self.export((PHASE,))
        self.assertGreater(sum(end - begin for _, begin, end, state in states if state == WORKS), 0)
        self.assertTrue([1 for _, _, kind, value in events if kind == STREAM and value])
        self.assertTrue([1 for _, _, kind, value in events if kind == STREAMS_AT_A_TIME and value >= 1])
        self.assertGreater(len(names[STREAM]), 1)

    def test_what_tasks_would_transfer(self):
        """A Cholesky factorization of 8 x 8 tiles of 8 x 8 doubles: each task reads the tile that it writes, and up to two more."""
        info, _, _, events, names = self.export((TASKS, 8, 8))
        self.assertEqual(info["dropped"], 0)
        tile, columns, under, rest = 8 * 8 * 8, 8, 28, 56  # potrf; trsm, and as many syrk; gemm
        got = [value for _, _, kind, value in events if kind == GOT]
        put = [value for _, _, kind, value in events if kind == PUT]
        self.assertEqual(Counter(got), {tile: columns, 2 * tile: 2 * under, 3 * tile: rest})
        self.assertEqual(Counter(put), {tile: columns + 2 * under + rest})
        changes = {(row, at) for row, at, kind, _ in events if kind == TASK}
        for row, at, kind, value in events:
            if kind in (GOT, PUT):
                self.assertIn((row, at), changes, "a task begins or ends there")
        self.assertTrue(GOT in names and PUT in names)
        said = json.loads(self.call(MASLIN, "dma", "--json", "run.mtrace").stdout)
        self.assertEqual(said["bytes"], sum(got) + sum(put))
        self.assertEqual(self.messages, [])

    def test_what_local_stores_transfer(self):
        """A chain of ten tasks on 8,000 bytes, on one worker with a local store: one fetch, ten puts."""
        info, _, _, events, names = self.export((STORES,), workers=1)
        self.assertEqual(info["transfers"], [{**one, "count": count, "bytes": 8000 * count} for one, count in
                                             zip(info["transfers"], (1, 10), strict=True)])
        begun = Counter(names[TRANSFER][value] for _, _, kind, value in events if kind == TRANSFER and value)
        self.assertEqual(begun, {"stage in": 1, "stage out": 10})
        self.assertEqual([value for _, _, kind, value in events if kind == TRANSFER and not value], [0] * 11)
        self.assertEqual([value for _, _, kind, value in events if kind == BYTES], [8000, 0] * 11)
        seconds = 1e-9 * sum(at if not value else -at for _, at, kind, value in events if kind == TRANSFER)
        self.assertAlmostEqual(seconds, sum(one["seconds"] for one in info["transfers"]), places=8)
        self.assertGreater(seconds, 0)

    def test_messages_of_ranks(self):
        """2 ranks, and then 60: each exchanges a cell with the next one in each of 200 steps."""
        for workers in (1, 3):
            with self.subTest(workers=workers):
                info, *_ = self.export((RANKS,), workers=workers)
                if workers == 3 and info["dropped"]:  # the recorder had no core
                    self.assertIn("transfers are left out of run.prv", self.said)
                    self.assertEqual(self.messages, [])
                    continue
                self.assertEqual(info["dropped"], 0)
                self.assertEqual(self.said, "")
                self.assertEqual(len(self.messages), 2 * 200 * (1 + 59))
                self.assertEqual(len(self.messages), info["kinds"]["sends"])
                self.assertEqual({tuple(message[13:]) for message in self.messages}, {(8, 0)})
                ways = Counter((message[1], message[7]) for message in self.messages)
                for (sender, receiver), count in ways.items():
                    self.assertEqual(ways[receiver, sender], count, "whoever sends receives as many")
                if workers == 1:
                    self.assertEqual(len(ways), 1)
                else:  # ranks 0 to 19, 20 to 39 and 40 to 59
                    self.assertGreaterEqual(ways[1, 2], 200)
                    self.assertEqual(ways[2, 3], 200)
                    self.assertNotIn((1, 3), ways)

    def test_a_window_counts_from_its_begin(self):
        info, *_ = self.export((TASKS, 8, 8))
        middle = info["duration_s"] / 2
        self.call(MASLIN, "trace", "export", "--paraver", "run.mtrace", "--from", middle, "-o", "part.prv")
        self.assertEqual(sorted(path.name for path in self.folder.glob("part.*")), ["part.pcf", "part.prv", "part.row"])
        length = int(re.search(r":(\d+)_ns:", (self.folder / "part.prv").read_text())[1])
        self.assertAlmostEqual(length * 1e-9, info["duration_s"] - middle, places=5)

    def test_needs_files(self):
        self.call(TASKS, 8, 8, MASLIN_TRACE="run.mtrace")
        self.assertIn("three files", self.call(MASLIN, "trace", "export", "--paraver", "run.mtrace", "-o", "-", status=2).stderr)
        self.call(MASLIN, "trace", "export", "--paraver", "--perfetto", "run.mtrace", status=2)


if __name__ == "__main__":
    del sys.argv[1:6]
    unittest.main(verbosity=2)
