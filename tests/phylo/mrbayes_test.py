"""Split frequencies agree with those of MrBayes where both programs' runs have converged, and elsewhere as well as their errors let
them.

On d041 it takes two and a half minutes of a core, and only splits of which each program's two runs say the same count. On d025 all count,
which takes a quarter of an hour on two quiet cores. So both run only with PHYLO_LONG=1, as `./dev release-check tests` sets it. They need
MrBayes (mb) and the alignments beside the project, and a program that was built without sanitizers."""

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
ALIGNMENTS = ROOT.parent / "shared" / "data" / "alignments"
LARGEST_DIFFERENCE = 0.02
BATCHES = 20  # of the samples of a run
LIMIT_SECONDS = 3600


def missing():
    if os.environ.get("PATIENCE", "1") != "1":
        return "the program is slow here"
    if not shutil.which("mb"):
        return "mrbayes (mb) is not installed"
    if not ALIGNMENTS.exists():
        return f"{ALIGNMENTS} is not there"
    if os.environ.get("PHYLO_LONG") != "1":
        return "it takes a quarter of an hour; PHYLO_LONG=1 runs it"
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


def effective(values):
    """How many independent values say as much as these do (Geyer 1992: initial positive sequence of autocorrelations)."""
    count, mean = len(values), statistics.mean(values)
    centred = [value - mean for value in values]
    variance = sum(value**2 for value in centred)
    if variance == 0:
        return count
    time = -1.0
    for lag in range(0, count - 1, 2):
        pair = sum(sum(a * b for a, b in zip(centred, centred[at:])) / variance for at in (lag, lag + 1))
        if pair <= 0:
            break
        time += 2 * pair
    return count / max(time, 1 / count)


def agreed(runs, split):
    """The share of trees that have a split, over both runs, and its standard error; and whether the runs differ by two of their standard
    errors at most, which follow from effective sample sizes."""
    has = [[float(split in tree) for tree in trees] for trees in runs]
    shares, sizes = [statistics.mean(one) for one in has], [effective(one) for one in has]
    together = sum(sizes)
    likely = (statistics.mean(shares) * together + 1) / (together + 2)  # what is always there, so far, may be rare to lack
    variance = likely * (1 - likely)
    between = (variance * sum(1 / size for size in sizes)) ** 0.5
    return statistics.mean(shares), (variance / together) ** 0.5, abs(shares[0] - shares[1]) <= 2 * between


class MrBayes(ProgramTest):
    def sampled(self, name, generations):
        """Runs both programs, and gives the splits of the trees after the burn-in of each run."""
        alignment = ALIGNMENTS / f"{name}.phy"
        first, *lines = alignment.read_text().splitlines()
        taxa, sites = first.split()
        rows = "\n".join(" ".join(line.split()) for line in lines if line.strip())
        self.write("data.nex", f"#NEXUS\nbegin data;\ndimensions ntax={taxa} nchar={sites};\nformat datatype=dna gap=- missing=?;\n"
                               f"matrix\n{rows}\n;\nend;\n")  # fmt: skip
        self.write("job.nex", "#NEXUS\nbegin mrbayes;\nset autoclose=yes nowarnings=yes seed=1 swapseed=1;\nexecute data.nex;\n"
                              f"lset nst=6 rates=gamma;\nmcmc ngen={generations} nruns=2 nchains=4 samplefreq=100 printfreq=100000 "
                              "diagnfreq=100000;\nend;\n")  # fmt: skip
        theirs = subprocess.Popen(["mb", "job.nex"], cwd=self.folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True)
        ours = subprocess.Popen([phylo_process.program, "mcmc", "--msa", str(alignment), "--model", "GTR+G", "--generations",
                                 str(generations), "--sample", "100", "--seed", "1", "--prefix", "ours", "--quiet"],
                                cwd=self.folder, env=environment(), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True)  # fmt: skip
        ours.communicate(timeout=LIMIT_SECONDS)
        theirs.communicate(timeout=LIMIT_SECONDS)
        self.assertEqual((ours.returncode, theirs.returncode), (0, 0))
        return [[sampled_splits((self.folder / f"{file}.run{run}.t").read_text(), 0.25) for run in (1, 2)] for file in ("ours", "data.nex")]

    def compared(self, both, share_of):
        """What `share_of` gives of each split that a tenth of either program's trees have."""
        for split in set().union(*(tree for runs in both for run in runs for tree in run)):
            ours, theirs = (share_of(runs, split) for runs in both)
            if max(ours[0], theirs[0]) >= 0.1:
                yield split, ours, theirs

    def test_split_frequencies_agree_on_d025(self):
        compared, converged, differences = 0, 0, []
        for split, (ours, our_error), (theirs, their_error) in self.compared(self.sampled("d025_h1n1ha", 400000), share):
            error = (our_error**2 + their_error**2) ** 0.5
            compared += 1
            converged += 3 * error <= LARGEST_DIFFERENCE
            differences.append(abs(ours - theirs))
            self.assertLessEqual(abs(ours - theirs), max(LARGEST_DIFFERENCE, 4 * error), (sorted(split), ours, theirs, error))
        print(f"mrbayes_test: {compared} splits, {converged} of them converged; differences: largest {max(differences):.4f}, "
              f"average {statistics.mean(differences):.4f}", file=sys.stderr)  # fmt: skip
        self.assertGreater(converged, 15)
        self.assertLessEqual(statistics.mean(differences), LARGEST_DIFFERENCE / 2)

    def test_splits_that_have_converged_agree_on_d041(self):
        compared, sure, open_ones = 0, [], 0
        for split, ours, theirs in self.compared(self.sampled("d041_m1366", 100000), agreed):
            compared += 1
            if not (ours[2] and theirs[2]):
                continue
            error = (ours[1] ** 2 + theirs[1] ** 2) ** 0.5
            difference = abs(ours[0] - theirs[0])
            self.assertLessEqual(difference, max(LARGEST_DIFFERENCE, 4 * error), (sorted(split), ours, theirs, error))
            if 3 * error <= LARGEST_DIFFERENCE:
                sure.append(difference)
            else:
                open_ones += 1
        print(f"mrbayes_test: d041: {compared} splits; {len(sure)} known to {LARGEST_DIFFERENCE}, largest difference {max(sure):.4f}; "
              f"{open_ones} more on which each program's runs agree", file=sys.stderr)  # fmt: skip
        self.assertGreater(len(sure), 15)
        self.assertGreater(open_ones, 5)


if __name__ == "__main__":
    if missing() is not None:
        print(f"mrbayes_test: {missing()}; skipped")
        sys.exit(77)
    main()
