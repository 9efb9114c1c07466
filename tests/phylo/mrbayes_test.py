"""Split frequencies agree with those of MrBayes where both programs' runs have converged, and elsewhere as well as their errors let
them.

It takes a quarter of an hour on two quiet cores, so it runs only with PHYLO_LONG=1; and only where MrBayes (mb) and the alignments beside the project
are."""

import os
import pathlib
import re
import shutil
import statistics
import subprocess
import sys

import phylo_process
from phylo_process import ProgramTest, environment, main

ROOT = pathlib.Path(__file__).resolve().parents[2]
ALIGNMENT = ROOT.parent / "shared" / "data" / "alignments" / "d025_h1n1ha.phy"
GENERATIONS = 400000
LARGEST_DIFFERENCE = 0.02
BATCHES = 20  # of the samples of a run
LIMIT_SECONDS = 3600


def missing():
    if os.environ.get("PHYLO_LONG") != "1":
        return "it takes a quarter of an hour; PHYLO_LONG=1 runs it"
    if not shutil.which("mb"):
        return "mrbayes (mb) is not installed"
    if not ALIGNMENT.exists():
        return f"{ALIGNMENT} is not there"
    return None


def splits_of(newick):
    """The splits of a tree of numbered taxa: the sides without taxon 1."""
    stack, splits, every = [], set(), set()
    for token in re.findall(r"[(),]|[0-9]+(?=:)|:[0-9.e+-]+", newick):
        if token == "(":
            stack.append(set())
        elif token == ")":
            done = stack.pop()
            splits.add(frozenset(done))
            if stack:
                stack[-1] |= done
        elif token.isdigit():
            stack[-1].add(int(token))
            every.add(int(token))
    sides = {frozenset(every - s) if 1 in s else s for s in splits}
    return {s for s in sides if 2 <= len(s) <= len(every) - 2}


def sampled_splits(text, skipped):
    """The splits of each tree of a .t file, but for the first ones."""
    trees = re.findall(r"tree gen\.\d+ = \[&U\] (\(.*\);)", text)
    return [splits_of(tree) for tree in trees[int(len(trees) * skipped) :]]


def share(runs, split):
    """The share of trees that have a split, in the mean over the runs, and its standard error, by the means of batches."""
    means = []
    for trees in runs:
        size = len(trees) // BATCHES
        means += [sum(split in tree for tree in trees[i * size : (i + 1) * size]) / size for i in range(BATCHES)]
    return statistics.mean(means), statistics.stdev(means) / len(means) ** 0.5


class MrBayes(ProgramTest):
    def nexus(self):
        first, *lines = ALIGNMENT.read_text().splitlines()
        taxa, sites = first.split()
        rows = "\n".join(" ".join(line.split()) for line in lines if line.strip())
        self.write("data.nex", f"#NEXUS\nbegin data;\ndimensions ntax={taxa} nchar={sites};\nformat datatype=dna gap=- missing=?;\n"
                               f"matrix\n{rows}\n;\nend;\n")  # fmt: skip
        self.write("job.nex", "#NEXUS\nbegin mrbayes;\nset autoclose=yes nowarnings=yes seed=1 swapseed=1;\nexecute data.nex;\n"
                              f"lset nst=6 rates=gamma;\nmcmc ngen={GENERATIONS} nruns=2 nchains=4 samplefreq=100 printfreq=100000 "
                              "diagnfreq=100000;\nend;\n")  # fmt: skip

    def test_split_frequencies_agree_on_d025(self):
        self.nexus()
        theirs = subprocess.Popen(["mb", "job.nex"], cwd=self.folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True)
        ours = subprocess.Popen([phylo_process.program, "mcmc", "--msa", str(ALIGNMENT), "--model", "GTR+G", "--generations",
                                 str(GENERATIONS), "--sample", "100", "--seed", "1", "--prefix", "ours", "--quiet"],
                                cwd=self.folder, env=environment(), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True)  # fmt: skip
        ours.communicate(timeout=LIMIT_SECONDS)
        theirs.communicate(timeout=LIMIT_SECONDS)
        self.assertEqual((ours.returncode, theirs.returncode), (0, 0))
        runs = {name: [sampled_splits((self.folder / f"{file}.run{run}.t").read_text(), 0.25) for run in (1, 2)]
                for name, file in (("ours", "ours"), ("theirs", "data.nex"))}  # fmt: skip
        compared, converged, differences = 0, 0, []
        for split in set().union(*(tree for both in runs.values() for run in both for tree in run)):
            (ours, our_error), (theirs, their_error) = share(runs["ours"], split), share(runs["theirs"], split)
            if max(ours, theirs) < 0.1:
                continue
            error = (our_error**2 + their_error**2) ** 0.5
            compared += 1
            converged += 3 * error <= LARGEST_DIFFERENCE
            differences.append(abs(ours - theirs))
            self.assertLessEqual(abs(ours - theirs), max(LARGEST_DIFFERENCE, 4 * error), (sorted(split), ours, theirs, error))
        print(f"mrbayes_test: {compared} splits, {converged} of them converged; differences: largest {max(differences):.4f}, "
              f"average {statistics.mean(differences):.4f}", file=sys.stderr)  # fmt: skip
        self.assertGreater(converged, 15)
        self.assertLessEqual(statistics.mean(differences), LARGEST_DIFFERENCE / 2)


if __name__ == "__main__":
    if missing() is not None:
        print(f"mrbayes_test: {missing()}; skipped")
        sys.exit(77)
    main()
