"""maslin-phylo mcmc as users run it: the same samples at any layout, after kills and stops, in files that others read."""

import json
import random
import re
import signal
import subprocess
import time

import phylo_process
from phylo_process import DATA, ProgramTest, environment, files_below, main

MSA = DATA / "ten.phy"
PLAIN = {"MASLIN_SERIAL": None, "MASLIN_WORKERS": None, "MASLIN_PIN": None}
FILES = ("run1.p", "run2.p", "run1.t", "run2.t", "mcmc", "con.tre")
GENERATIONS = 3000


class Chains(ProgramTest):
    def command(self, prefix, *more, generations=GENERATIONS):
        usual = {"--msa": MSA, "--model": "GTR+G+I", "--prefix": prefix, "--generations": generations, "--sample": 20, "--burnin": 500,
                 "--diagnostics": 250, "--checkpoint": 100, "--seed": 3}  # fmt: skip
        rest = (word for name, value in usual.items() if name not in more for word in (name, value))
        return ("mcmc", *rest, "--quiet", *more)

    def files(self, prefix):
        return {name: (self.folder / f"{prefix}.{name}").read_bytes() for name in FILES}

    def run_chains(self, prefix, *more, env=None, **options):
        self.run_well(*self.command(prefix, *more, **options), env=env)
        return self.files(prefix)

    def assert_same(self, files, expected):
        # No difference is shown: to find one in megabytes of numbers takes hours.
        self.assertEqual([name for name in FILES if files[name] != expected[name]], [], "these files differ")

    def assert_begins(self, file, expected):
        """A file of a run that has not ended is whole, and what there is of it stands at the beginning of the ended run's."""
        prefix, name = file.name.split(".", 1)
        text = file.read_bytes()
        self.assertTrue(text.endswith(b"\nend;\n" if name.endswith(".t") else b"\n"), file.name)
        self.assertTrue(expected[name].startswith(text.removesuffix(b"end;\n")), f"{file.name} is no beginning of the ended run's")

    def kept(self, prefix):
        """The generation of a run's latest checkpoint; -1 before the first."""
        try:
            text = (self.folder / f"{prefix}.chains" / "state").read_text()
        except FileNotFoundError:
            return -1
        return int(re.search(r'"generation":(\d+)', text)[1])

    def columns(self, prefix, name):
        lines = (self.folder / f"{prefix}.{name}").read_text().splitlines()
        self.assertRegex(lines[0], r"^\[ID: \d{10}\]$")
        lines = [line for line in lines if not line.startswith("[")]
        rows = [line.split("\t") for line in lines]
        return {column: [row[i] for row in rows[1:]] for i, column in enumerate(rows[0])}


class Same(Chains):
    def test_invariant_sites_that_others_count_are_sampled(self):
        for prefix, model in (("free", "JC+I"), ("counted", "JC+IC")):
            self.run_chains(prefix, "--model", model, generations=1000)
        self.assertIn("pinvar", self.columns("free", "run1.p"))
        self.assertEqual(self.columns("counted", "run1.p"), self.columns("free", "run1.p"))

    def test_at_every_layout(self):
        ways = {"workers_1": {"MASLIN_WORKERS": "1"}, "workers_2": {"MASLIN_WORKERS": "2"}, "workers_5": {"MASLIN_WORKERS": "5"}}
        for streams, width in ((1, 2), (2, 1), (2, 2), (8, 1), (1, 8)):
            ways[f"pin_{streams}x{width}"] = {"MASLIN_WORKERS": "8", "MASLIN_PIN": f"chains={streams}x{width}"}
        expected = self.run_chains("serial", env=environment(**{**PLAIN, "MASLIN_SERIAL": "1"}))
        for name, variables in ways.items():
            with self.subTest(name):
                self.assert_same(self.run_chains(name, env=environment(**{**PLAIN, **variables})), expected)

    def test_in_single_precision(self):
        single = ("--precision", "single")
        expected = self.run_chains("serial", *single, env=environment(**{**PLAIN, "MASLIN_SERIAL": "1"}))
        for pin in ("chains=2x1", "chains=1x8"):
            with self.subTest(pin):
                self.assert_same(self.run_chains(pin[7:], *single, env=environment(**{**PLAIN, "MASLIN_WORKERS": "8", "MASLIN_PIN": pin})),
                                 expected)  # fmt: skip
        self.run_chains("in_steps", *single, generations=1010)
        self.assert_same(self.run_chains("in_steps", *single), expected)
        check = self.result("in_steps")["precision_check"]
        self.assertGreater(check["times"], 1)
        self.assertTrue(0 < check["largest_error"] < 0.01, check)
        self.assert_same(self.run_chains("in_steps", *single), expected)  # nothing is left to do but the check at the end
        self.assertEqual(self.result("in_steps")["precision_check"]["times"], 1)
        self.assertNotEqual(self.run_chains("double")["run1.p"], expected["run1.p"])
        self.assertIsNone(self.result("double")["precision_check"])
        done = self.run_program(*self.command("in_steps"))
        self.assertEqual(done.returncode, 2)
        self.assertIn("these chains were made with --precision single, not double; choose another --prefix", done.stderr.decode())

    def test_another_seed_gives_other_samples(self):
        one = self.run_chains("one")
        other = self.run_chains("other", "--seed", 4)
        self.assertNotEqual(one["run1.p"], other["run1.p"])
        self.assertNotEqual(one["run1.p"], one["run2.p"])

    def test_killed_at_ten_moments(self):
        begin = time.monotonic()
        expected = self.run_chains("undisturbed")
        seconds_of_100 = (time.monotonic() - begin) * 100 / GENERATIONS
        moments = random.Random(7)
        left_at = []
        # The first kills meet the start of a run, each later one finds more generations made; the last leave 600 and more.
        for least in (-1, -1, -1, 100, 400, 700, 1000, 1400, 1900, 2400):
            process = subprocess.Popen([phylo_process.program, *map(str, self.command("killed"))], cwd=self.folder, env=environment(),
                                       stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)  # fmt: skip
            while self.kept("killed") < least and process.poll() is None:
                time.sleep(0.002)
            time.sleep(moments.uniform(0, 2 * seconds_of_100))
            process.kill()
            said = process.communicate()[1].decode()
            self.assertEqual(process.returncode, -signal.SIGKILL, f"the run ended before it was killed; {said}")
            left_at.append(self.kept("killed"))
            for file in self.folder.glob("killed.*.[pt]"):
                self.assert_begins(file, expected)
        self.assertEqual(left_at, sorted(left_at))
        self.assertGreaterEqual(left_at[-1], 2400)
        self.assertLess(left_at[-1], GENERATIONS)
        self.assert_same(self.run_chains("killed"), expected)
        self.assertEqual(self.result("killed")["generations"]["restored"], left_at[-1])
        self.assertEqual(list(self.folder.rglob("*.part")), [])

    def test_stopped_by_a_signal(self):
        # Of every generation a sample: files of so many are not replaced at each checkpoint, but they are when a run ends.
        for prefix, sample, least in (("stopped", 20, 0), ("often", 1, 2500)):
            with self.subTest(sample=sample):
                self.stop_and_go_on(prefix, sample, least)

    def stop_and_go_on(self, prefix, sample, least):
        more = ("--sample", sample)
        expected = self.run_chains(f"{prefix}_not", *more, generations=10000)
        process = subprocess.Popen([phylo_process.program, *map(str, self.command(prefix, *more, generations=10000))], cwd=self.folder,
                                   env=environment(), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)  # fmt: skip
        while self.kept(prefix) < least and process.poll() is None:
            time.sleep(0.005)
        process.send_signal(signal.SIGTERM)
        said = process.communicate()[1].decode()
        self.assertEqual(process.returncode, 143, said)
        self.assertRegex(said, r"stopped; \d+ of 10000 generations are finished, and the same command continues from there")
        stopped_at = int(re.search(r"stopped; (\d+) of", said)[1])
        for name in FILES[:5]:
            self.assert_begins(self.folder / f"{prefix}.{name}", expected)
        self.assertEqual(int(self.columns(prefix, "run1.p")["Gen"][-1]), stopped_at // sample * sample)
        self.assertFalse((self.folder / f"{prefix}.con.tre").exists())
        self.assertRegex((self.folder / f"{prefix}.log").read_text(), r"stopped by signal 15: \d+ of 10000 generations are finished\n$")
        self.assert_same(self.run_chains(prefix, *more, generations=10000), expected)
        self.assertIn("generation 10000: log-likelihood -", (self.folder / f"{prefix}.log").read_text())

    def test_the_files_grow_while_it_runs(self):
        expected = self.run_chains("whole", generations=10000)
        process = subprocess.Popen([phylo_process.program, *map(str, self.command("growing", generations=10000))], cwd=self.folder,
                                   env=environment(), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)  # fmt: skip
        seen = {name: set() for name in FILES[:5]}
        while process.poll() is None:
            for name in seen:
                file = self.folder / f"growing.{name}"
                if file.exists():
                    self.assert_begins(file, expected)
                    seen[name].add(file.stat().st_size)
            time.sleep(0.01)
        self.assertEqual(process.returncode, 0, process.communicate()[1].decode())
        self.assert_same(self.files("growing"), expected)
        for name, sizes in seen.items():
            self.assertGreater(len(sizes - {len(expected[name])}), 1, f"{name} was not seen to grow: {sizes}")

    def test_what_a_kill_left_is_taken_away(self):
        self.run_chains("x", generations=1000)
        left = [".x.run2.t.01234567.part", ".x.mcmc.01234567.part"]
        others = [".xx.run2.t.01234567.part", ".x.thesis.01234567.part"]
        for name in (*left, *others):
            self.write(name, "half")
        self.run_chains("x")
        self.assertEqual(sorted(file.name for file in self.folder.rglob("*.part")), sorted(others))

    def test_extended(self):
        expected = self.run_chains("at_once")
        self.run_chains("in_steps", generations=1010)
        self.assert_same(self.run_chains("in_steps"), expected)
        result = self.result("in_steps")
        self.assertEqual(result["generations"], {"total": GENERATIONS, "restored": 1010, "burnin": 500})
        self.assert_same(self.run_chains("in_steps"), expected)

    def test_one_run_of_one_chain(self):
        self.run_well(*self.command("x", "--runs", 1, "--chains", 1))
        self.assertTrue((self.folder / "x.p").exists())
        self.assertTrue((self.folder / "x.t").exists())
        self.assertIsNone(self.result("x")["asdsf"])
        computed = self.result("x")["computed"]
        self.assertLessEqual(computed["likelihoods"], GENERATIONS + 1)
        self.assertGreater(computed["likelihoods"], 0.9 * GENERATIONS)
        self.assertGreater(computed["vectors"], computed["likelihoods"])
        self.assertLess(computed["vectors"], 8 * computed["likelihoods"])  # the tree has eight inner nodes
        self.run_well(*self.command("y", "--runs", 1, "--chains", 1, "--threads", 3))
        self.assertEqual(self.result("y")["computed"], computed)
        self.assertNotIn("AvgStdDev(s)", self.columns("x", "mcmc"))


class Files(Chains):
    def test_parameters_are_tables(self):
        self.run_chains("x")
        columns = self.columns("x", "run1.p")
        self.assertEqual(list(columns), ["Gen", "LnL", "LnPr", "TL", "r(A<->C)", "r(A<->G)", "r(A<->T)", "r(C<->G)", "r(C<->T)",
                                         "r(G<->T)", "pi(A)", "pi(C)", "pi(G)", "pi(T)", "alpha", "pinvar"])  # fmt: skip
        self.assertEqual(columns["Gen"], [str(g) for g in range(0, GENERATIONS + 1, 20)])
        for row in range(len(columns["Gen"])):
            self.assertAlmostEqual(sum(float(columns[c][row]) for c in columns if c.startswith("r(")), 1, places=6)
            self.assertAlmostEqual(sum(float(columns[c][row]) for c in columns if c.startswith("pi(")), 1, places=6)

    def test_trees_are_those_of_the_parameters(self):
        self.run_chains("x")
        text = (self.folder / "x.run2.t").read_text()
        self.assertTrue(text.startswith("#NEXUS\n[ID: "))
        trees = re.findall(r"^   tree gen\.(\d+) = \[&U\] (\(.*\);)$", text, re.MULTILINE)
        columns = self.columns("x", "run2.p")
        self.assertEqual([generation for generation, _ in trees], columns["Gen"])
        names = dict(re.findall(r"^ +(\d+) (\w+)[,;]$", text, re.MULTILINE))
        self.assertEqual(len(names), 10)
        lengths = [sum(map(float, re.findall(r":([0-9.e+-]+)", tree))) for _, tree in trees]
        for length, said in zip(lengths, columns["TL"]):
            self.assertAlmostEqual(length, float(said), places=6)
        # The likelihood of the last sample is that of its tree under its parameters.
        value = {column: float(values[-1]) for column, values in columns.items()}
        rates = "/".join(repr(value[f"r({pair})"]) for pair in ("A<->C", "A<->G", "A<->T", "C<->G", "C<->T", "G<->T"))
        frequencies = "/".join(repr(value[f"pi({base})"]) for base in "ACGT")
        tree = re.sub(r"([(,])(\d+):", lambda m: f"{m[1]}{names[m[2]]}:", trees[-1][1])
        self.write("tree", tree)
        model = f"GTR{{{rates}}}+FU{{{frequencies}}}+G4m{{{value['alpha']!r}}}+I{{{value['pinvar']!r}}}"
        said = json.loads(self.run_well("evaluate", "--msa", MSA, "--tree", "tree", "--model", model, "--json"))
        self.assertAlmostEqual(said["lnl"], value["LnL"], delta=1e-3)

    def test_files_of_trees_are_read_as_they_stand(self):
        self.run_chains("x")
        said = json.loads(self.run_well("distances", "--trees", "x.run1.t", "--json"))
        self.assertEqual(said["trees"], GENERATIONS // 20 + 1)
        consensus = self.run_well("consensus", "--trees", "x.run1.t")
        self.assertEqual(len(set(re.findall(r"taxon_[A-J]", consensus))), 10)

    def test_the_consensus_has_probabilities(self):
        self.run_chains("x")
        text = (self.folder / "x.con.tre").read_text()
        tree = re.search(r"tree con_50_majrule = \[&U\] (.*;)", text)[1]
        shown = sorted(round(float(p), 6) for p in re.findall(r"\)\[&prob=([0-9.e+-]+),", tree))
        splits = [s["probability"] for s in self.result("x")["splits"] if s["probability"] > 0.5]
        self.assertEqual(shown, sorted(round(p, 6) for p in splits))
        plain = re.sub(r"\[[^\]]*\]", "", tree)
        self.assertEqual(sorted(re.findall(r"[(,](\d+):", plain), key=int), [str(i) for i in range(1, 11)])

    def test_the_diagnostics_are_those_of_the_samples(self):
        self.run_chains("x")
        columns = self.columns("x", "mcmc")
        self.assertEqual(columns["Gen"], [str(g) for g in range(250, GENERATIONS + 1, 250)])
        self.assertEqual(columns["AvgStdDev(s)"][:2], ["NA", "NA"])
        self.assertAlmostEqual(float(columns["AvgStdDev(s)"][-1]), self.result("x")["asdsf"], places=6)
        for name, values in columns.items():
            if "$acc" in name:
                self.assertTrue(0 <= float(values[-1]) <= 1, name)
        boldness = columns["Multiplier(V)$boldness_run1"]
        self.assertNotEqual(boldness[0], boldness[1])
        self.assertEqual(len(set(boldness[1:])), 1, "tuned after burn-in")
        samples = self.columns("x", "run1.p")["TL"][500 // 20 + 1 :] + self.columns("x", "run2.p")["TL"][500 // 20 + 1 :]
        mean = sum(map(float, samples)) / len(samples)
        said = next(p for p in self.result("x")["parameters"] if p["name"] == "TL")
        self.assertAlmostEqual(said["mean"], mean, delta=1e-6 * mean)

    def test_the_log_says_how_far_to_trust(self):
        self.run_chains("x")
        text = (self.folder / "x.log").read_text()
        rows = re.findall(r"generation (\d+): log-likelihood (-[0-9.]+)(.*)$", text, re.MULTILINE)
        self.assertEqual([int(row[0]) for row in rows], list(range(250, GENERATIONS + 1, 250)))
        # No sample counts before the end of the burn-in at 500; swaps are tried from the beginning.
        for _, _, more in rows[:2]:
            self.assertRegex(more, r"^, swaps \d+ to \d+ %$")
        result = self.result("x")
        least = min(result["parameters"], key=lambda p: p["ess"])
        largest = max(result["parameters"], key=lambda p: p["psrf"])
        swaps = [swap["accepted"] for run in result["runs"] for swap in run["swaps"] if swap["heats"][1] == swap["heats"][0] + 1]
        self.assertEqual(rows[-1][2], f", asdsf {result['asdsf']:.4f}, least ESS {least['ess']:.0f} ({least['name']}), largest PSRF "
                                      f"{largest['psrf']:.3f} ({largest['name']}), swaps {100 * min(swaps):.0f} to {100 * max(swaps):.0f} %")  # fmt: skip
        self.assertNotEqual(rows[3][2], rows[-1][2])
        self.run_well(*self.command("y", "--runs", 1, "--chains", 1))
        last = re.findall(r"generation 3000: log-likelihood -[0-9.]+(.*)$", (self.folder / "y.log").read_text(), re.MULTILINE)
        self.assertEqual(len(last), 1)
        self.assertRegex(last[0], r"^, least ESS \d+ \(\S+\)$")

    def test_what_is_sampled_of_the_model_is_said(self):
        def said(model, *more):
            done = self.run_program(*self.command("x", "--model", model, "--redo", generations=1000, *more))
            self.assertEqual(done.returncode, 0, done.stderr.decode())
            shown = re.search(r"^Model (.*)$", done.stdout.decode(), re.MULTILINE)[1]
            self.assertEqual(self.result("x")["sampled"], [] if "nothing" in shown else shown.partition("sampled: ")[2].split(", "))
            self.assertIn("\n" + shown + "\n", (self.folder / "x.log").read_text())
            return shown

        self.assertEqual(said("HKY+G+I"), "HKY+FO+I+G4m; sampled: frequencies, kappa, shape, invariant")
        self.assertEqual(said("JC"), "JC; sampled: nothing of it")
        self.assertEqual(said("GTR+F"), "GTR+FC; sampled: rates, frequencies")
        log = (self.folder / "x.log").read_text()
        note = "other commands count the frequencies of +F in the alignment, mcmc samples them"
        self.assertIn(f"note: {note}", log)
        loud = [word for word in self.command("y", "--model", "GTR+F", generations=1000) if word != "--quiet"]
        self.assertIn(f"maslin-phylo: note: --model: {note}", self.run_program(*loud).stderr.decode())

    def test_rates_that_a_model_ties_are_sampled_once(self):
        for model, rates in {"TN93": ["A<->C,A<->T,C<->G,G<->T", "A<->G", "C<->T"], "K81": ["A<->C,G<->T", "A<->G,C<->T", "A<->T,C<->G"],
                             "TVMef": ["A<->C", "A<->G,C<->T", "A<->T", "C<->G", "G<->T"],
                             "DNA000001+FE": ["A<->C,A<->G,A<->T,C<->G,C<->T", "G<->T"]}.items():  # fmt: skip
            with self.subTest(model):
                self.run_chains("x", "--model", model, "--redo", generations=1000)
                columns = self.columns("x", "run1.p")
                values = {name[2:-1]: [float(value) for value in column] for name, column in columns.items() if name.startswith("r(")}
                self.assertEqual(list(values), rates)
                for row in zip(*values.values()):
                    self.assertAlmostEqual(sum(row), 1, delta=1e-6)
                # What a row says has the likelihood that it says.
                last = {name: float(column[-1]) for name, column in columns.items()}
                pairs = {pair: one[-1] for name, one in values.items() for pair in name.split(",")}
                given = "/".join(repr(pairs[pair]) for pair in ("A<->C", "A<->G", "A<->T", "C<->G", "C<->T", "G<->T"))
                frequencies = "/".join(repr(last.get(f"pi({base})", 0.25)) for base in "ACGT")
                tree = re.findall(r"tree gen\.1000 = \[&U\] (.*;)", (self.folder / "x.run1.t").read_text())[-1]
                names = dict(re.findall(r"^ +(\d+) ([^\s,;]+)[,;]$", (self.folder / "x.run1.t").read_text(), re.MULTILINE))
                self.write("tree", re.sub(r"([(,])(\d+):", lambda m: f"{m[1]}{names[m[2]]}:", tree))
                said = json.loads(self.run_well("evaluate", "--msa", MSA, "--tree", "tree", "--model",
                                                f"GTR{{{given}}}+FU{{{frequencies}}}", "--json"))  # fmt: skip
                self.assertAlmostEqual(said["lnl"], last["LnL"], delta=0.02)
        self.assertEqual(self.result("x")["sampled"], ["rates"])
        same = self.run_chains("serial", "--model", "TIM2+G", env=environment(**{**PLAIN, "MASLIN_SERIAL": "1"}))
        self.run_chains("x", "--model", "TIM2+G", "--redo", generations=770)
        self.assert_same(self.run_chains("x", "--model", "TIM2+G"), same)

    def test_runs_end_when_they_agree(self):
        self.run_well(*self.command("x", "--stop-at", "asdsf=0.3", generations=1000000))
        result = self.result("x")
        self.assertTrue(result["converged"])
        self.assertLess(result["asdsf"], 0.3)
        self.assertLess(result["generations"]["total"], 1000000)
        before = self.files("x")
        self.assert_same(self.run_chains("x", "--stop-at", "asdsf=0.3", generations=1000000), before)

    def test_without_data_the_likelihood_is_one(self):
        self.run_well("mcmc", "--msa", MSA, "--model", "HKY+G", "--prefix", "x", "--generations", 2000, "--sample", 100, "--no-data",
                      "--prior-shape", "uniform:0.5,2", "--quiet")  # fmt: skip
        columns = self.columns("x", "run1.p")
        self.assertEqual(set(map(float, columns["LnL"])), {0.0})
        self.assertTrue(all(0.5 <= float(a) <= 2 for a in columns["alpha"]))
        self.assertIn("kappa", columns)


class Refused(Chains):
    def refused(self, arguments, *parts):
        before = files_below(self.folder)
        done = self.run_program(*arguments)
        message = done.stderr.decode()
        self.assertEqual(done.returncode, 2, message)
        for part in parts:
            self.assertIn(part, message)
        self.assertEqual(files_below(self.folder), before)

    def test_bad_options(self):
        def wrong(*more):
            return ("mcmc", "--msa", MSA, "--model", "GTR+G", "--prefix", "x", "--quiet", *more)

        self.refused(wrong("--burnin", 1.5), "--burnin: 1.5; expected a share of the generations below 1, or a whole number")
        self.refused(wrong("--burnin", -1), "--burnin")
        self.refused(wrong("--generations", 1000, "--burnin", 900), "1000 generations with a burn-in of 900 leave 1 of the samples")
        self.refused(wrong("--generations", 0), "--generations")
        self.refused(wrong("--chains", 0), "--chains")
        self.refused(wrong("--temperature", -0.1), "--temperature")
        self.refused(wrong("--stop-at", "psrf=1"), "--stop-at: 'psrf=1'; expected asdsf= and a number between 0 and 1")
        self.refused(wrong("--stop-at", "asdsf=0.01", "--runs", 1), "--stop-at compares runs, and there is one")
        self.refused(wrong("--temperature", "nan"), "--temperature: 'nan'; expected a number from 0 to 1000")
        self.refused(wrong("--burnin", "nan"), "--burnin: 'nan'; expected a number from 0 to 2")
        self.refused(wrong("--weights", "tbr=3"), "--weights: 'tbr' is no move; the moves are nni, spr, branch")
        self.refused(wrong("--weights", "spr"), "--weights: 'spr'; expected moves with their weights")
        self.refused(wrong("--weights", "spr=3,"), "--weights: ''; expected moves with their weights")
        self.refused(wrong("--weights", "spr=3,nni=2,spr=4"), "--weights: spr is given twice; give it once")
        self.refused(wrong("--weights", "kappa=2"), "this model samples nothing that this move changes")
        self.refused(wrong("--weights", "nni=0,spr=0"), "the topology would never change")
        self.refused(wrong("--weights", "shape=0"), "without shape that parameter would never change")
        self.refused(wrong("--prior-kappa", "beta:1,1"), "--prior-kappa: the model does not sample this parameter")
        self.refused(wrong("--prior-shape", "gamma:1,1"), "--prior-shape: 'gamma' is none of the distributions")
        self.refused(wrong("--prior-branches", "exponential:-1"), "takes positive numbers up to 1e+100, not -1")
        self.refused(wrong("--prior-branches", "uniform:0,1e-12"), "its middle does not lie between 1e-09 and 1000")
        self.write("m", "JC\n")
        self.refused(wrong("--model-file", "m"), "--model and --model-file are both given")
        self.refused(wrong("--sample", 10**8), "250000 leave 0 of the samples that are taken every 100000000 generations", "a smaller --sample")
        self.refused(("mcmc", "--model", "JC", "--prefix", "x"), "--msa is required")

    def test_bad_numbers(self):
        ranges = {"--sample": 2000000000, "--swap": 2000000000, "--diagnostics": 2000000000, "--checkpoint": 2000000000, "--runs": 100,
                  "--chains": 100, "--threads": 4096}  # fmt: skip
        for option, most in ranges.items():
            for value in (0, -1, most + 1, 1.5, "two", 10**30):
                with self.subTest(option=option, value=value):
                    self.refused(("mcmc", "--msa", MSA, "--model", "GTR+G", "--prefix", "x", "--quiet", option, value),
                                 f"{option}: '{value}'; expected a whole number from 1 to {most}")  # fmt: skip

    def test_bad_priors(self):
        def wrong(option, prior, problem, model="GTR+G+I"):
            with self.subTest(option=option, prior=prior):
                self.refused(("mcmc", "--msa", MSA, "--model", model, "--prefix", "x", "--quiet", option, prior), f"{option}: {problem}")

        # A right one of as many numbers, and what the option does not take.
        for option, right, another in (("--prior-rates", "dirichlet:1,2,3,4,5,6", "beta:1,1"), ("--prior-frequencies", "dirichlet:1,2,3,4", "uniform:0,1"),
                                       ("--prior-invariant", "beta:1,2", "exponential:1")):  # fmt: skip
            word, numbers = right.split(":")
            count = len(numbers.split(","))
            wrong(option, another, f"'{another.split(':')[0]}' is none of the distributions that this prior can have; expected")
            wrong(option, word, f"{word} takes {count} numbers, not 0")
            wrong(option, right[:-2], f"{word} takes {count} numbers, not {count - 1}")
            wrong(option, right + ",1", f"{word} takes {count} numbers, not {count + 1}")
            wrong(option, right + ",", "'' is no number")
            wrong(option, right[:-1] + "x", "'x' is no number")
            wrong(option, right[:-1] + "nan", "'nan' is no number")
            wrong(option, right[:-1] + "inf", "'inf' is no number")
            wrong(option, right[:-1] + "0", f"{word} takes positive numbers up to 1e+100, not 0")
            wrong(option, right[:-1] + "-2", f"{word} takes positive numbers up to 1e+100, not -2")
            wrong(option, right[:-1] + "1e101", f"{word} takes positive numbers up to 1e+100, not 1e+101")
            wrong(option, right, "the model does not sample this parameter; leave the option out", model="JC")
        # As many numbers as the model has distinct rates, or frequencies.
        wrong("--prior-rates", "dirichlet:1,2,3,4,5,6", "dirichlet takes 3 numbers, not 6; expected a distribution and its numbers, as in "
              "dirichlet:1,1,1", model="TN93")  # fmt: skip

    def test_a_checkpoint_of_another_run(self):
        self.run_chains("x", generations=1000)
        self.refused(self.command("x", "--seed", 9), "x.chains: these chains were made with --seed 3, not 9", "--redo")
        self.refused(self.command("x", "--chains", 2), "these chains were made with --chains 4, not 2")
        self.refused(self.command("x", "--burnin", 0.5), "these chains were made with --burnin 500, not 1500")
        self.refused(self.command("x", "--prior-branches", "exponential:10"), "--prior-branches gammadir:1,0.1,1,1, not exponential:10")
        self.refused(self.command("x", generations=800), "have made 1000 generations already, more than the 800")
        self.write("other.phy", MSA.read_text().replace("-", "A"))
        self.refused(self.command("x", "--msa", "other.phy"), "these chains belong to another alignment")

    def test_a_checkpoint_of_another_version(self):
        self.run_chains("x", generations=1000)
        identity = self.folder / "x.chains" / "identity.json"
        text = identity.read_text()
        identity.write_text(text.replace('"program": "2"', '"program": "1"'))
        self.assertNotEqual(identity.read_text(), text)
        self.refused(self.command("x"), "these chains were made by version 1 of mcmc, this is 2")
        identity.write_text(text)
        state = self.folder / "x.chains" / "state"
        state.write_text(state.read_text().replace("maslin-phylo chains 2", "maslin-phylo chains 0"))
        self.refused(self.command("x"), "x.chains/state:1:1: is no record of chains of this version")
        expected = self.run_chains("new")
        self.assert_same(self.run_chains("x", "--redo"), expected)

    def test_a_damaged_checkpoint(self):
        self.run_chains("x", generations=1000)
        for name in ("state", "samples-0001"):
            record = self.folder / "x.chains" / name
            whole = record.read_bytes()
            for damage, place in ((whole[: len(whole) // 2], "3:"), (b"", "1:1:"), (whole.replace(b"0.", b"1.", 1), "5:1:")):
                record.write_bytes(damage)
                self.refused(self.command("x"), f"x.chains/{name}:{place}")
            record.write_bytes(whole)
        self.refused(("mcmc", "--msa", MSA, "--model", "JC", "--prefix", "y/", "--chains", 0), "--chains")
        (self.folder / "z.chains").mkdir()
        (self.folder / "z.chains" / "thesis.tex").write_text("mine")
        self.refused(self.command("z"), "holds thesis.tex and no identity.json")


if __name__ == "__main__":
    main()
