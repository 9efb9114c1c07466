"""Split frequencies agree with those of MrBayes where both programs' runs have converged.

It takes a quarter of an hour, so it runs only with PHYLO_LONG=1; and only where MrBayes (mb) and the alignments beside the project
are."""

import os
import pathlib
import re
import shutil
import subprocess
import sys
from collections import Counter

import phylo_process
from phylo_process import ProgramTest, environment, main

ROOT = pathlib.Path(__file__).resolve().parents[2]
ALIGNMENT = ROOT.parent / "shared" / "data" / "alignments" / "d025_h1n1ha.phy"
GENERATIONS = 400000
LARGEST_DIFFERENCE = 0.02
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


def shares(text, skipped):
    """The share of trees of a .t file, but for the first ones, that have each split."""
    trees = re.findall(r"tree gen\.\d+ = \[&U\] (\(.*\);)", text)
    trees = trees[int(len(trees) * skipped) :]
    count = Counter()
    for tree in trees:
        count.update(splits_of(tree))
    return {split: number / len(trees) for split, number in count.items()}


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
        runs = {f"{name}{run}": shares((self.folder / f"{file}.run{run}.t").read_text(), 0.25)
                for name, file in (("ours", "ours"), ("theirs", "data.nex")) for run in (1, 2)}  # fmt: skip
        every = set().union(*runs.values())
        mean = {name: {s: (runs[f"{name}1"].get(s, 0) + runs[f"{name}2"].get(s, 0)) / 2 for s in every} for name in ("ours", "theirs")}
        seen = [s for s in every if max(mean["ours"][s], mean["theirs"][s]) >= 0.1]
        self.assertGreater(len(seen), 15)
        within = {name: max(abs(runs[f"{name}1"].get(s, 0) - runs[f"{name}2"].get(s, 0)) for s in seen) for name in ("ours", "theirs")}
        differences = {s: abs(mean["ours"][s] - mean["theirs"][s]) for s in seen}
        average = sum(differences.values()) / len(seen)
        print(f"mrbayes_test: {len(seen)} splits; largest difference {max(differences.values()):.4f}, average {average:.4f}; between runs: "
              f"ours {within['ours']:.4f}, theirs {within['theirs']:.4f}", file=sys.stderr)  # fmt: skip
        # A split whose own runs differ by more has not converged, and says nothing.
        for s in seen:
            apart = max(abs(runs[f"{name}1"].get(s, 0) - runs[f"{name}2"].get(s, 0)) for name in ("ours", "theirs"))
            if apart <= LARGEST_DIFFERENCE:
                self.assertLessEqual(differences[s], LARGEST_DIFFERENCE, sorted(s))
        self.assertLessEqual(average, LARGEST_DIFFERENCE / 2)




if __name__ == "__main__":
    if missing() is not None:
        print(f"mrbayes_test: {missing()}; skipped")
        sys.exit(77)
    main()
