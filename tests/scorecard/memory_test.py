"""What phylo/memory makes of the peaks of programs; what memory there is, and a row of phylo/mcmc that needs more."""

import sys
import tempfile
import unittest
from pathlib import Path
from unittest import mock

from scorecard import data, mrbayes, tree_search
from scorecard.figures import Plan, phylo_mcmc, phylo_memory
from scorecard.measure import MeasurementError, available_memory, peak_memory
from scorecard.row import MET, MISSED, NOT_MEASURED


class Peaks(unittest.TestCase):
    def test_a_programs_peak_is_told_in_mebibytes_with_what_it_wrote(self):
        small, _ = peak_memory([sys.executable, "-c", "pass"])
        large, said = peak_memory([sys.executable, "-c", "x = b'1' * (100 << 20); print('done')"])
        self.assertEqual(said, "done\n")
        self.assertAlmostEqual(large - small, 100, delta=10)

    def test_what_the_scorecard_itself_takes_does_not_count(self):
        held = b"1" * (200 << 20)
        self.assertLess(peak_memory(["/bin/true"])[0], 50, len(held))

    def test_a_program_that_fails_is_told(self):
        for words in (["-c", "exit 3"], ["-c", "kill -9 $$"]):
            with self.assertRaisesRegex(MeasurementError, "status"):
                peak_memory(["/bin/sh", *words])


class Available(unittest.TestCase):
    def available(self, limits: dict[str, str]) -> float:
        with tempfile.TemporaryDirectory() as folder:
            for name, text in {"proc/meminfo": "MemTotal: 9000 kB\nMemAvailable:    5000 kB\nBuffers: 1 kB\n", **limits}.items():
                (Path(folder) / name).parent.mkdir(parents=True, exist_ok=True)
                (Path(folder) / name).write_text(text)
            return available_memory(Path(folder))

    def test_it_is_what_the_machine_has_left_and_the_control_group_allows(self):
        self.assertEqual(self.available({}), 5000 * 1024)
        self.assertEqual(self.available({"sys/fs/cgroup/memory.max": "max\n"}), 5000 * 1024)
        self.assertEqual(self.available({"sys/fs/cgroup/memory.max": "4096000\n"}), 4096000)
        self.assertEqual(self.available({"sys/fs/cgroup/memory/memory.limit_in_bytes": "9223372036854771712\n"}), 5000 * 1024)
        self.assertGreater(available_memory(), 1 << 20)

    def test_chains_that_need_more_are_not_measured_and_say_so(self):
        for available, verdict in ((7.9e9, NOT_MEASURED), (8.1e9, MET)):
            made = mock.Mock(return_value=mrbayes.Chains(1.0, [], [], []))
            with mock.patch.object(phylo_mcmc, "available_memory", lambda: available), mock.patch.object(mrbayes, "installed", lambda: True), \
                 mock.patch.object(data, "reason_absent", lambda name: None), mock.patch.object(data, "alignment", Path), \
                 mock.patch.object(mrbayes, "version", lambda: "mrbayes"), mock.patch.object(mrbayes, "chains", made), \
                 mock.patch.object(phylo_mcmc, "check", lambda *_: "checked"), \
                 mock.patch.object(phylo_mcmc, "our_seconds", lambda *_: 0.5):  # fmt: skip
                rows = {row.name: row for row in phylo_mcmc.measure(Plan(quick=False, only="phylo/mcmc"))}
            self.assertEqual(list(rows), ["phylo/mcmc/d041", "phylo/mcmc/d062", "phylo/mcmc/d110", "phylo/mcmc/d237"])
            self.assertEqual({name: row.verdict for name, row in rows.items()},
                             {name: verdict if name.endswith("d110") else MET for name in rows})
            self.assertEqual(rows["phylo/mcmc/d110"].note.startswith("its chains need 8 GB of memory, and 7.9 GB are available here"),
                             verdict == NOT_MEASURED)  # fmt: skip


class Rows(unittest.TestCase):
    """Made-up searches: the peer takes 40 MiB and finds -100."""

    def row(self, peak: float, lnl: float, peer: str = "raxml-ng", first: float | None = None):
        searcher = mock.Mock(spec=tree_search.Searcher)
        searcher.name = peer
        searches = phylo_memory.Searches(Path("x.phy"), searcher)

        def ours(seed: int) -> float:
            searches.lnls["maslin"][seed] = lnl if first is None or seed != 1 else first
            return peak

        def theirs(seed: int) -> float:
            searches.lnls[peer][seed] = -100.0
            return 40.0

        with mock.patch.multiple(searches, ours=ours, theirs=theirs), mock.patch.object(tree_search, "version", lambda one: "1.2.2"):
            row, = phylo_memory.against("phylo/memory/x", searches, Plan(quick=False))
        return row

    def test_a_peak_is_judged_by_the_peers(self):
        self.assertEqual((self.row(40.0, -100.0).verdict, self.row(41.0, -100.0).verdict), (MET, MISSED))
        self.assertEqual(self.row(40.0, -99.5).checked, "lnL in the median +0.50 to raxml-ng's")
        self.assertIn("--peer raxml-ng=PATH", self.row(40.0, -100.0, peer="raxml").note)

    def test_a_search_that_finds_less_is_no_answer(self):
        with self.assertRaisesRegex(MeasurementError, "in the median lower than raxml-ng's by 0.50"):
            self.row(10.0, -100.5)

    def test_one_search_may_end_on_a_lower_hill(self):
        self.assertEqual(self.row(40.0, -99.0, first=-103.0).checked, "lnL in the median +1.00 to raxml-ng's")


if __name__ == "__main__":
    unittest.main()
