"""`maslin trace export --dot` and `--svg`: the graph of a Cholesky factorization is what its blocks say.

    graph_test.py CHOLESKY PROGRAM_WITHOUT_TASKS MASLIN
"""

import re
import shutil
import sys
import unittest
import xml.etree.ElementTree as xml
from pathlib import Path

from commands import Commands

CHOLESKY, PHASE, MASLIN = (Path(path).resolve() for path in sys.argv[1:4])
TILES = 5
SVG = "{http://www.w3.org/2000/svg}"


def tasks():
    """Gives for each task of the factorization the blocks that it reads, and the one that it changes."""
    for k in range(TILES):
        yield [], (k, k)
        for i in range(k + 1, TILES):
            yield [(k, k)], (i, k)
        for j in range(k + 1, TILES):
            yield [(j, k)], (j, j)
            for i in range(j + 1, TILES):
                yield [(i, k), (j, k)], (i, j)


def expected():
    """Gives the dependences as (from, to), data and order; each task waits for a block's last writer."""
    writer, data = {}, set()
    for number, (reads, changes) in enumerate(tasks(), 1):
        data |= {(writer[block], number) for block in (*reads, changes) if block in writer}
        writer[changes] = number
    return data  # nothing is written that somebody still reads


class Graph(Commands):
    def export(self, *options, status=0):
        return self.call(MASLIN, "trace", "export", "run.mtrace", *options, status=status)

    def test_dot_is_the_graph(self):
        for workers in (1, 3):
            self.call(CHOLESKY, TILES, 16, MASLIN_TRACE="run.mtrace", MASLIN_WORKERS=str(workers))
            said = self.export("--dot").stdout
            count, edges = len(list(tasks())), expected()
            self.assertEqual(said, f"run.dot: {count} tasks, {len(edges)} dependences; Graphviz draws it\n")
            dot = (self.folder / "run.dot").read_text()
            self.assertEqual({(int(a), int(b)) for a, b in re.findall(r"^  t(\d+) -> t(\d+);$", dot, re.M)}, edges)
            self.assertEqual(dot.count("->"), len(edges))
            self.assertEqual([int(n) for n in re.findall(r"^  t(\d+) \[label", dot, re.M)], list(range(1, count + 1)))
            lines = re.findall(r'^    line\d+ \[.*label="(.*) \((\d+)\)"\];$', dot, re.M)
            self.assertEqual(sorted(int(tasks) for _, tasks in lines), sorted((TILES, 10, 10, 10)))
            self.assertTrue(all(re.search(r"graph\.cpp:\d+$", name) for name, _ in lines), lines)
            if shutil.which("dot"):
                self.assertIn("<svg", self.call("dot", "-Tsvg", "run.dot").stdout)

    def test_svg_has_each_task_below_what_it_depends_on(self):
        self.call(CHOLESKY, TILES, 16, MASLIN_TRACE="run.mtrace")
        picture = xml.fromstring(self.export("--svg", "-o", "-").stdout)
        tasks_at = {}
        for circle in picture.iter(SVG + "circle"):
            if (title := circle.find(SVG + "title")) is not None:
                tasks_at[int(title.text.split(":")[0])] = float(circle.get("cx")), float(circle.get("cy"))
        self.assertEqual(sorted(tasks_at), list(range(1, len(list(tasks())) + 1)))
        self.assertEqual(len(set(tasks_at.values())), len(tasks_at), "two tasks stand in one place")
        _, _, width, height = map(float, picture.get("viewBox").split())
        self.assertTrue(all(0 < x < width and 0 < y < height for x, y in tasks_at.values()))
        edges = set()
        numbers = {(round(x, 1), round(y, 1)): number for number, (x, y) in tasks_at.items()}
        for path in picture.iter(SVG + "path"):
            if "C" in path.get("d"):
                at = [float(number) for number in re.findall(r"[\d.]+", path.get("d"))]
                edges.add((numbers[at[0], round(at[1] - 12, 1)], numbers[at[-2], round(at[-1] + 12, 1)]))
        self.assertEqual(edges, expected())
        self.assertTrue(all(tasks_at[a][1] < tasks_at[b][1] for a, b in edges))

    def test_a_window_leaves_out_tasks(self):
        self.call(CHOLESKY, TILES, 16, MASLIN_TRACE="run.mtrace")
        self.assertIn("none of its 35 tasks began then", self.export("--dot", "--from", "1000", status=2).stderr)
        self.export("--dot", "--from", "0")

    def test_what_has_no_graph_is_refused(self):
        self.call(PHASE, MASLIN_TRACE="run.mtrace", MASLIN_WORKERS="2")
        self.assertIn("has no task graph: it holds no tasks", self.export("--dot", status=2).stderr)
        self.call(CHOLESKY, TILES, 16, MASLIN_TRACE="run.mtrace", MASLIN_TRACE_DETAIL="streams")
        self.assertIn("has no task graph: it was recorded with MASLIN_TRACE_DETAIL=streams",
                      self.export("--svg", status=2).stderr)
        self.export("--svg", "--dot", status=2)
        self.assertFalse([path for path in self.folder.iterdir() if path.suffix in (".dot", ".svg")])


if __name__ == "__main__":
    del sys.argv[1:4]
    unittest.main(verbosity=2)
