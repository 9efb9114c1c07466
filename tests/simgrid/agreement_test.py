"""SimGrid, which knows nothing of Maslin, says the same of 1,000-task graphs on small machines, within 2 %.

    agreement_test.py [ON_MASLIN ON_SIMGRID]"""

import sys
import unittest

import agreement
import graphs
import machines

WITHIN = 0.02
PROGRAMS = agreement.Programs(*sys.argv[1:3]) if len(sys.argv) == 3 else None


class Agreement(unittest.TestCase):
    def each(self):
        for machine in machines.MACHINES:
            for shape in graphs.SHAPES:
                with self.subTest(machine=machine.name, graph=shape):
                    yield machine, shape, *agreement.compare(PROGRAMS, machine, shape, seed=0)

    def test_both_run_every_task_once_and_take_the_same_time(self):
        for machine, shape, ours, simgrid in self.each():
            placed, bisecting = simgrid["placed"], simgrid["bisecting"]
            self.assertEqual(set(ours.begins), set(range(graphs.TASKS)))
            self.assertEqual(set(bisecting.begins), set(range(graphs.TASKS)))
            self.assertLess(abs(ours.disagreement(bisecting)), WITHIN)
            # Who is told where and in which order needs no signals.
            self.assertLess(ours.disagreement(placed), 1e-6)
            # Where the program waits, the runtime's own tasks bring overwritten data home.
            if not (machine.has_host and shape == "buffers"):
                self.assertEqual(ours.same_begins(bisecting), graphs.TASKS)
            if machine.signal_us == 0:
                self.assertEqual(ours.same_begins(placed), graphs.TASKS)
                self.assertLess(abs(ours.disagreement(placed)), 1e-6)


if __name__ == "__main__":
    if not PROGRAMS:
        print("skipped: SimGrid is not installed (Debian: libsimgrid-dev), or this build runs under a sanitizer")
        sys.exit(77)
    unittest.main(argv=sys.argv[:1])
