"""What the figures say that PBPI computes is what maslin-phylo mcmc computes, and its messages take what they say.

    pbpi_test.py PATH-OF-MASLIN-PHYLO"""

import os
import pathlib
import sys
import unittest

os.environ["MASLIN_BENCH_BIN"] = str(pathlib.Path(sys.argv.pop(1)).resolve().parent)
BENCH = pathlib.Path(__file__).resolve().parents[2] / "bench"
sys.path[:0] = [str(BENCH), str(BENCH / "figures")]
import applications  # noqa: E402
import pbpi  # noqa: E402
from applications import Application, Messages  # noqa: E402
from scorecard.measure import MeasurementError  # noqa: E402

MACHINE = """name = "eight"
about = "eight accelerators, a hardware thread of its own for each of eight processes"
[workers]
kind = "accelerator"
count = 8
source = "a test"
[hosts]
contexts = 8
switch_us = 1.5
quantum_us = 10000
source = "a test"
[transfer]
signal_us = 0.5
bandwidth_gb_per_s = 25.6
source = "a test"
"""
TWO_HOSTS = MACHINE.replace("contexts = 8", "contexts = 2")
MESSAGE_US = 20.0
SUMS = 10


def seconds(processes: int, messages: Messages, machine: str = MACHINE, host: str = "edtlp", sums: int = SUMS, pin: str = "") -> float:
    """Gives what a run with so many sums over all processes takes, each with the same loops before it."""
    app = Application("pbpi", 1, 10.0, 0.0, 100.0, 800, 0.0, 5.0, messages)
    return applications.simulated(app, machine, processes, host, sums, {"MASLIN_PIN": pin or f"processes={processes}x1"})["seconds"]


def sum_us(processes: int, messages: Messages) -> float:
    return 1e6 * (seconds(processes, messages) - seconds(processes, Messages())) / SUMS


class Profile(unittest.TestCase):
    def test_is_what_the_program_counts(self):
        size = pbpi.CELL_SIZES[0]
        recorded, now = pbpi.profile(*size), pbpi.counted(*size)
        self.assertEqual((recorded.generations, recorded.patterns), (now["generations"], now["patterns"]))
        # Other instructions round otherwise, and the chain soon goes another way.
        self.assertAlmostEqual(recorded.likelihoods / now["likelihoods"], 1, delta=0.01)
        self.assertAlmostEqual(recorded.vectors / now["vectors"], 1, delta=0.05)

    def test_all_sizes_are_there(self):
        for taxa, sites in (*pbpi.CELL_SIZES, *pbpi.CONSOLE_SIZES):
            one = pbpi.profile(taxa, sites)
            self.assertLessEqual(one.patterns, sites)
            self.assertGreater(one.loops(), 2)
            self.assertLess(one.loops(), taxa)

    def test_one_worker_takes_what_was_published(self):
        for size, seconds in zip(pbpi.CELL_SIZES, (27.2, 262.0)):
            chain = pbpi.chain(*size)
            self.assertAlmostEqual(chain.repeats * chain.loops * (chain.host + chain.loop + pbpi.SIGNALS_US) / 1e6 / seconds, 1, delta=1e-3)


class Sums(unittest.TestCase):
    def test_a_process_has_a_message_with_each_other_or_one_in_each_round_of_a_tree(self):
        for processes, rounds in ((2, 1), (3, 2), (4, 2), (5, 3), (8, 3)):
            with self.subTest(processes=processes):
                self.assertAlmostEqual(sum_us(processes, Messages(MESSAGE_US)), (processes - 1) * MESSAGE_US, delta=0.01)
                self.assertAlmostEqual(sum_us(processes, Messages(MESSAGE_US, "tree")), rounds * MESSAGE_US, delta=0.01)

    def test_who_waits_on_a_hardware_thread_of_its_own_waits_no_longer(self):
        for waiting in ("as-kernel", "yield", "adaptive", "spin"):
            with self.subTest(waiting=waiting):  # but for a look, or the signals of a kernel
                self.assertAlmostEqual(sum_us(4, Messages(MESSAGE_US, waiting=waiting)), 3 * MESSAGE_US, delta=1.5)

    def test_messages_one_at_a_time_take_their_turns(self):
        for waiting in ("block", "yield"):
            with self.subTest(waiting=waiting):  # what a process computes meanwhile is no more than its loops
                took = sum_us(8, Messages(MESSAGE_US, waiting=waiting, one_at_a_time=True))
                self.assertGreater(took, 0.8 * 8 * 7 * MESSAGE_US)
                self.assertLess(took, 1.2 * 8 * 7 * MESSAGE_US)

    def test_a_message_of_a_process_that_has_not_begun_is_not_there(self):
        """Four processes share a hardware thread under time slices. If their messages were there before they begin, nobody would
        wait: all four sums of the first process lie within its first slice."""
        for waiting in ("as-kernel", "yield", "spin"):
            with self.subTest(waiting=waiting):
                spun = Messages(MESSAGE_US, waiting=waiting)
                few, many = (seconds(8, spun, TWO_HOSTS, "native", sums) / sums for sums in (4, 12))
                self.assertGreater(few, 10 * seconds(8, Messages(MESSAGE_US), TWO_HOSTS, "native", 4) / 4)
                self.assertAlmostEqual(few / many, 1, delta=0.1)

    def test_processes_that_cannot_run_at_the_same_time_are_refused(self):
        with self.assertRaisesRegex(MeasurementError, "4 processes must run at the same time, but only 2 do"):
            seconds(4, Messages(MESSAGE_US), pin="processes=2x1")

    def test_a_lock_that_is_spun_for_is_refused(self):
        with self.assertRaisesRegex(MeasurementError, "expects --waiting block or yield"):
            sum_us(2, Messages(MESSAGE_US, waiting="spin", one_at_a_time=True))


if __name__ == "__main__":
    unittest.main()
