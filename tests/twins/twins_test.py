"""The list of twins finds what stands in both machines alike, and nothing else."""

import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
from twins import MACHINES, twins  # noqa: E402

ONE = """
void threads_executor::wake(worker& w) {
  if (w.sleeps) return;
  w.turns = 0;
  bell_.ring(w.index);
  count_turn();
}
"""


class Twins(unittest.TestCase):
    def found(self, other: str):
        with tempfile.TemporaryDirectory() as folder:
            for machine, text in zip(MACHINES, (ONE, other)):
                (Path(folder) / machine).mkdir(parents=True)
                (Path(folder) / machine / "work.cpp").write_text(text, encoding="utf-8")
            return [name for _, name, *_ in twins(Path(folder))]

    def test_a_twin_with_other_names_is_found(self):
        self.assertEqual(self.found(ONE.replace("threads_executor", "virtual_executor").replace("w.", "p.")), ["wake"])

    def test_what_does_another_thing_is_none(self):
        self.assertEqual(self.found("void virtual_executor::wake(worker& w) {\n  a = b;\n  c = d;\n  e = f;\n}\n"), [])

    def test_another_function_is_none(self):
        self.assertEqual(self.found(ONE.replace("wake", "rouse")), [])

    def test_a_call_alone_is_none(self):
        self.assertEqual(self.found("void virtual_executor::wake(worker& w) { core::wake(*this, w); }\n"), [])


if __name__ == "__main__":
    unittest.main()
