"""The page of a run of `maslin-phylo mcmc`: what its chains sampled, and what is wrong with its files."""

import json
import re
import shutil
import tempfile
import unittest
from pathlib import Path

from maslin_report import chains, inputs
from maslin_report.errors import ReportError
from maslin_report.page import render

HERE = Path(__file__).resolve().parent


class Chains(unittest.TestCase):
    def setUp(self):
        self.folder = Path(tempfile.mkdtemp(prefix="maslin_report_")) / "run"
        self.addCleanup(shutil.rmtree, self.folder.parent)
        shutil.copytree(HERE / "chains", self.folder)
        self.results = self.folder / "ten.result.json"

    def change(self, change) -> None:
        result = json.loads(self.results.read_text(encoding="utf-8"))
        change(result)
        self.results.write_text(json.dumps(result), encoding="utf-8")

    def page(self) -> str:
        return render(inputs.load(self.folder))

    def refusal(self) -> str:
        with self.assertRaises(ReportError) as refused:
            inputs.load(self.folder)
        return str(refused.exception)

    def test_the_page_has_what_the_result_says(self):
        page, result = self.page(), json.loads(self.results.read_text(encoding="utf-8"))
        for word in ("ten.phy", "HKY", "split frequencies differ by", "posterior probability", "ExtSPR(Tau,V)", "swap of heats 1 and 2",
                     f"{result['asdsf']:.4f}"):
            self.assertIn(word, page)
        for one in result["parameters"]:
            self.assertIn(f"<th scope=row>{one['name']}</th>", page)
        # Two lines for the log-likelihood, and two for each parameter.
        self.assertEqual(len(re.findall("<polyline", page)), 2 + 2 * len(result["parameters"]))
        self.assertEqual(len(re.findall("<circle class='f1'", page)), len(result["splits"]))
        self.assertNotIn("Right-sizing", page)

    def test_lines_are_the_samples(self):
        table = chains.read_table(self.folder / "ten.run1.p")
        self.assertEqual(len(table.columns["Gen"]), 81)
        picture, low, high, last = chains.trace_of(chains.Chains([table]), "LnL", 1000, 100)
        self.assertEqual(last, 4000)
        drawn = [tuple(map(float, point.split(","))) for point in re.search(r"points='([^']*)'", picture)[1].split()]
        for (x, y), at, value in zip(drawn, table.columns["Gen"], table.columns["LnL"], strict=True):
            self.assertAlmostEqual(x * last / 1000, at, delta=0.3)
            self.assertAlmostEqual(high - y * (high - low) / 100, value, delta=0.001 * (high - low))
        kept = [value for at, value in zip(table.columns["Gen"], table.columns["LnL"]) if at > 1000]
        self.assertTrue(low < min(kept) and max(kept) < high)
        self.assertIn("<rect class=idle width='250.0'", picture)

    def test_long_runs_have_few_points(self):
        table = chains.Table(["Gen", "LnL"], {"Gen": list(range(100_000)), "LnL": [0.5] * 100_000})
        picture = chains.trace_of(chains.Chains([table]), "LnL", 0, 100)[0]
        self.assertLessEqual(picture.count(","), chains.MOST_POINTS)

    def test_the_tree_has_names_and_posteriors(self):
        tree = chains.read_consensus(self.folder / "ten.con.tre")
        self.assertEqual(sorted(re.findall(r"taxon_\w", tree)), [f"taxon_{letter}" for letter in "ABCDEFGHIJ"])
        shares = {round(100 * split["probability"]) for split in json.loads(self.results.read_text(encoding="utf-8"))["splits"]
                  if split["probability"] > 0.5}
        found = {round(float(share)) for share in re.findall(r"\)([\d.]+)", tree)}
        self.assertEqual(found - {100}, shares - {100})
        self.assertNotIn("[", tree)

    def test_it_says_what_to_do(self):
        self.assertIn("acceptable", chains.verdict({"asdsf": 0.03, "parameters": []}))
        far = {"name": "kappa", "ess": 12.0, "psrf": 1.2}
        said = chains.verdict({"asdsf": 0.2, "parameters": [far, {"name": "TL", "ess": 400.0, "psrf": 1.0}]})
        self.assertEqual(said.count("let it run longer"), 3)
        self.assertIn("kappa has the fewest effective samples, 12", said)

    def test_files_that_are_not_there_are_left_out(self):
        for name in ("ten.run2.p", "ten.con.tre"):
            (self.folder / name).unlink()
        page = self.page()
        self.assertIn("The .p files of 1 run are not there", page)
        self.assertNotIn("<h2>Tree</h2>", page)

    def test_one_run_has_nothing_to_agree_with(self):
        def alone(result):
            del result["runs"][1], result["asdsf"]
            for one in result["parameters"]:
                one["psrf"] = None
            for split in result["splits"]:
                split["runs"] = split["runs"][:1]
        self.change(alone)
        self.assertNotIn("<div class=splits>", self.page())

    def test_damaged_files_are_told_by_line(self):
        path = self.folder / "ten.run1.p"
        whole = path.read_text(encoding="utf-8")
        path.write_text(whole.replace("\n100\t", "\n100x\t", 1), encoding="utf-8")
        self.assertRegex(self.refusal(), r"ten\.run1\.p', line \d+: could not convert")
        path.write_text(whole[:-20], encoding="utf-8")
        self.assertRegex(self.refusal(), r"line \d+: \d+ columns, expected 10")
        path.write_text(whole.partition("\n")[0], encoding="utf-8")
        self.assertIn("holds no samples", self.refusal())
        path.write_text(whole, encoding="utf-8")
        (self.folder / "ten.con.tre").write_text("#NEXUS\n", encoding="utf-8")
        self.assertIn("holds no tree", self.refusal())

    def test_results_that_lack_a_key(self):
        self.change(lambda result: result["splits"][0].pop("runs"))
        self.assertIn("splits[0].runs", self.refusal())


if __name__ == "__main__":
    unittest.main()
