"""The include rule catches what breaks it and lets pass what keeps it."""

import tempfile
import unittest
import unittest.mock
from pathlib import Path

import include_rule
from include_rule import missing_rooms, violations

GOOD = {
    "src/README.md": "| room | |\n|---|---|\n| `graph/` | what must wait |\n| `threads/` | CPU cores |\n",
    "include/maslin/maslin.hpp": '#include <vector>\n#include "maslin/task.hpp"\n',
    "include/maslin/task.hpp": "#include <cstddef>\n",
    "src/base/lock.hpp": "#include <atomic>\n",
    "src/task/node.hpp": '#include "base/lock.hpp"\n#include "maslin/task.hpp"\n',
    "src/graph/edge.hpp": '#include "task/node.hpp"\n',
    "src/sched/place/dbs.hpp": '#include <vector>\n#include "graph/edge.hpp"\n',
    "src/sched/place/dbs_test.cpp": '#include <gtest/gtest.h>\n#include <thread>\n#include "sched/place/dbs.hpp"\n',
    "src/exec/threads/run.cpp": '#include <hwloc.h>\n#include "sched/place/dbs.hpp"\n#include "trace/ring.hpp"\n',
    "src/c_api/task.cpp": '#include "maslin/task.hpp"\n#include "task/node.hpp"\n',
    "src/trace/ring.hpp": '#include "base/lock.hpp"\n#include "files/replacement.hpp"\n',
    "src/files/replacement.hpp": "#include <string>\n",
    "src/machine/budget.hpp": "",
    "src/model/dma.hpp": '#include "base/lock.hpp"\n',
    "src/comm/mailbox.hpp": '#include "maslin/maslin.hpp"\n#include "base/lock.hpp"\n',
    "src/exec/ranks/world.hpp": '#include "comm/mailbox.hpp"\n',
    "src/runtime.cpp": '#include "exec/threads/team.hpp"\n#include "machine/budget.hpp"\n',
    "src/exec/threads/team.hpp": "",
    "apps/phylo/tree.cpp": '#include "maslin/maslin.hpp"\n#include "phylo/tree.hpp"\n#include "files/replacement.hpp"\n#include <fmt/format.h>\n',
    "apps/phylo/tree.hpp": "",
    "apps/linalg/matrix.hpp": "",
    "cli/main.cpp": '#include "commands.hpp"\n#include "files/replacement.hpp"\n#include "model/dma.hpp"\n#include "maslin/maslin.hpp"\n',
    "cli/commands.hpp": "",
    "cli/shared/run.cpp": '#include "base/nearest_word.hpp"\n#include "cli/shared/run.hpp"\n#include <CLI/CLI.hpp>\n',
    "cli/shared/run.hpp": "",
    "src/base/nearest_word.hpp": "",
    "apps/phylo/main.cpp": '#include "cli/shared/run.hpp"\n',
    "bench/micro/trace_record.cpp": '#include "trace/ring.hpp"\n',
    "bench/figures/cellss/run.cpp": '#include "sched/place/dbs.hpp"\n#include "model/dma.hpp"\n#include "run.hpp"\n',
    "bench/figures/cellss/run.hpp": "",
    "bench/grain/peers/ucb.cpp": '#include "sched/grain/controller.hpp"\n#include "ucb.hpp"\n',
    "bench/grain/peers/ucb.hpp": "",
    "tests/trace/export_test.cpp": '#include "trace/ring.hpp"\n',
    "tests/conformance/loops.cpp": '#include "maslin/maslin.hpp"\n',
    "tests/c_api/loops.c": '#include "maslin/maslin.hpp"\n',
}

BAD = {
    "sched knows exec": ("src/sched/place/dbs.hpp", '#include "exec/threads/team.hpp"'),
    "graph knows sched": ("src/graph/edge.hpp", '#include "sched/place/dbs.hpp"'),
    "the C API knows exec": ("src/c_api/task.cpp", '#include "exec/threads/team.hpp"'),
    "a test in C with src": ("tests/c_api/loops.c", '#include "task/node.hpp"'),
    "task knows graph": ("src/task/node.hpp", '#include "graph/edge.hpp"'),
    "task knows exec": ("src/task/node.hpp", '#include "exec/threads/team.hpp"'),
    "trace knows task": ("src/trace/ring.hpp", '#include "task/node.hpp"'),
    "machine knows exec": ("src/machine/budget.hpp", '#include "exec/threads/team.hpp"'),
    "comm knows task": ("src/comm/mailbox.hpp", '#include "task/node.hpp"'),
    "model knows graph": ("src/model/dma.hpp", '#include "graph/edge.hpp"'),
    "model in an app": ("apps/phylo/tree.cpp", '#include "model/dma.hpp"'),
    "a shape with src": ("bench/grain/md.cpp", '#include "model/dma.hpp"'),
    "another figure with src": ("bench/figures/cell/run.cpp", '#include "model/dma.hpp"'),
    "files knows base": ("src/files/replacement.hpp", '#include "base/lock.hpp"'),
    "graph in an app": ("apps/phylo/tree.cpp", '#include "graph/edge.hpp"'),
    "files in a test across rooms": ("tests/conformance/loops.cpp", '#include "files/replacement.hpp"'),
    "base knows trace": ("src/base/lock.hpp", '#include "trace/ring.hpp"'),
    "in angles": ("src/task/node.hpp", "#include <exec/threads/team.hpp>"),
    "with blanks": ("src/task/node.hpp", '  #  include  "exec/threads/team.hpp"'),
    "by a way round": ("src/task/node.hpp", '#include "../exec/threads/team.hpp"'),
    "a test of a room": ("src/sched/place/dbs_test.cpp", '#include "exec/threads/team.hpp"'),
    "sched with a lock": ("src/sched/place/dbs.hpp", "#include <mutex>"),
    "sched with a clock": ("src/sched/place/dbs.hpp", "#include <chrono>"),
    "a room nobody knows": ("src/util/all.hpp", "#include <vector>"),
    "a public header with src": ("include/maslin/task.hpp", '#include "task/node.hpp"'),
    "a public header with a library": ("include/maslin/task.hpp", "#include <fmt/format.h>"),
    "no such public header": ("cli/main.cpp", '#include "maslin/secret.hpp"'),
    "cli with src": ("cli/main.cpp", '#include "exec/threads/team.hpp"'),
    "cli with another file of base": ("cli/main.cpp", '#include "base/lock.hpp"'),
    "an app with the nearest word": ("apps/phylo/main.cpp", '#include "base/nearest_word.hpp"'),
    "an app with a command of cli": ("apps/phylo/main.cpp", '#include "cli/commands.hpp"'),
    "a room with cli": ("src/graph/edge.hpp", '#include "cli/shared/run.hpp"'),
    "an app with src": ("apps/phylo/tree.cpp", '#include "task/node.hpp"'),
    "an app with src by a way round": ("apps/phylo/tree.cpp", '#include "../../src/task/node.hpp"'),
    "an app with another": ("apps/phylo/tree.cpp", '#include "linalg/matrix.hpp"'),
    "a test of one room with another": ("tests/trace/export_test.cpp", '#include "task/node.hpp"'),
    "a test across rooms with src": ("tests/conformance/loops.cpp", '#include "task/node.hpp"'),
}


class IncludeRule(unittest.TestCase):
    def broken(self, extra=None, check=violations):
        with tempfile.TemporaryDirectory() as folder:
            root = Path(folder)
            for name, content in GOOD.items():
                path = root / name
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(content)
            if extra:
                path = root / extra[0]
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(GOOD.get(extra[0], "") + extra[1] + "\n")
            return check(root)

    def test_what_keeps_the_rule_passes(self):
        self.assertEqual(self.broken(), [])

    def test_each_breach_is_named_with_its_line(self):
        for what, (file, line) in BAD.items():
            with self.subTest(what):
                found = self.broken((file, line))
                self.assertEqual(len(found), 1, found)
                number = GOOD.get(file, "").count("\n") + 1
                self.assertTrue(found[0].startswith(f"{file}:{number}: "), found[0])

    def test_a_room_that_is_drawn_exists(self):
        self.assertEqual(self.broken(check=missing_rooms), [])
        row = ("src/README.md", "| `cuda/` | a GPU |")
        self.assertEqual(self.broken(row, missing_rooms), ["src/README.md:5: cuda/ does not exist"])

    def test_a_room_of_the_rule_exists(self):
        with unittest.mock.patch.dict(include_rule.MAY_INCLUDE, {"cuda": {"base"}}):
            self.assertEqual(self.broken(check=missing_rooms), ["include_rule.py: src/cuda does not exist"])


if __name__ == "__main__":
    unittest.main()
