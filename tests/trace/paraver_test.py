"""`maslin trace export --paraver`: the files hold together, and say what `maslin trace info` says.

    paraver_test.py PROGRAM_WITH_TASKS PROGRAM_WITH_A_PHASE MASLIN
"""

import json
import re
import sys
import unittest
from collections import Counter
from pathlib import Path

from commands import Commands

TASKS, PHASE, MASLIN = (Path(path).resolve() for path in sys.argv[1:4])
WORKS, STREAM, TASK, STREAMS_AT_A_TIME = 1, 81000001, 81000002, 81000005


class Paraver(Commands):
    def export(self, program, *options, workers=3):
        """Gives what info says, and the files' records: the run's length, states, events, names of values."""
        self.call(*program, MASLIN_TRACE="run.mtrace", MASLIN_WORKERS=str(workers))
        info = json.loads(self.call(MASLIN, "trace", "info", "--json", "run.mtrace").stdout)
        self.call(MASLIN, "trace", "export", "--paraver", "run.mtrace", *options)
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
        self.assertEqual(len(states) + len(events), len(records))
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
    del sys.argv[1:4]
    unittest.main(verbosity=2)
