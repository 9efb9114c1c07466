"""Whatever a user hands in wrongly ends in one clear message and status 2, and leaves nothing behind."""

import fcntl
import gzip
import json
import os
import resource
import signal
import subprocess
import unittest

from phylo_process import DATA, ProgramTest, environment, files_below, main

MSA = DATA / "ten.phy"
TREE = DATA / "ten.tree"

GOOD = "4 6\nt1 ACGTAC\nt2 ACGTAA\nt3 AC-TRC\nt4 ACG-AT\n"


class BadInput(ProgramTest):
    def refused(self, arguments, *parts, env=None, **options):
        """Runs what must be refused: status 2, one message with all parts, nothing else printed, nothing left behind."""
        before = files_below(self.folder)
        done = self.run_program(*arguments, env=env, **options)
        message = done.stderr.decode(errors="replace")
        self.assertEqual(done.returncode, 2, message)
        for part in parts:
            self.assertIn(part, message)
        errors = [line for line in message.splitlines() if not line.startswith("maslin-phylo: note:")]
        self.assertEqual(len(errors), 1, message)
        self.assertTrue(errors[0].startswith("maslin-phylo: "), message)
        if "stdout" not in options:
            self.assertEqual(done.stdout, b"")
        self.assertEqual(files_below(self.folder), before)
        return message

    def search(self, msa, prefix="out/x", model="JC", *more):
        return ("search", "--msa", msa, "--model", model, "--prefix", prefix, "--quiet", *more)

    def chains(self, prefix):
        return ("mcmc", "--msa", MSA, "--model", "JC", "--prefix", prefix, "--generations", 200, "--sample", 10, "--quiet")

    def as_nobody(self):
        """Options of a run that may not read and write all: for root, as somebody else, whom the folder belongs to."""
        if os.geteuid() != 0:
            return {}
        nobody = 65534
        for path in (self.folder, *self.folder.rglob("*")):
            os.chown(path, nobody, nobody)
        options = {"user": nobody, "group": nobody, "extra_groups": []}
        try:
            self.run_well("--version", **options)
        except PermissionError:
            self.skipTest("the program may be run by root only")
        return options

    def refused_as_nobody(self, arguments, *parts):
        self.refused(arguments, *parts, **self.as_nobody())

    def refused_file(self, name, content, arguments, *parts):
        """Runs what reads a bad file; the message begins with the place in it, and says what was expected or what to do."""
        self.write(name, content)
        message = self.refused(arguments, *parts)
        self.assertRegex(message, rf"\Amaslin-phylo: {name}:\d+:\d+: ")
        self.assertRegex(message, r"expected|; ")
        (self.folder / name).unlink()

    def refused_alignment(self, content, *parts):
        self.refused_file("in", content, self.search("in"), *parts)
        self.refused_file("in", content, ("evaluate", "--msa", "in", "--tree", TREE, "--model", "JC"), *parts)


class Alignments(BadInput):
    def test_missing_file(self):
        self.refused(self.search("nowhere.phy"), "nowhere.phy: there is no such file")
        self.refused(self.search("no\nwhere\x1b[1m"), r": no\x0awhere\x1b[1m: there is no such file")
        message = self.refused(self.search("n" * 5000), ": ...nnn", "nnn: can't be opened: File name too long")
        self.assertLess(len(message), 500)

    def test_a_folder(self):
        self.refused(self.search(self.folder), "is a folder")

    def test_empty(self):
        self.refused_alignment("", "in:1:1: the file is empty")
        self.refused_alignment("\n \r\n", "nothing but blanks")

    def test_no_text(self):
        self.refused_alignment(bytes(range(256)) * 40, "NUL")
        self.refused_alignment(gzip.compress(GOOD.encode())[:-12], "in:5:8: is compressed (gzip) and damaged", "unexpected end of file", "download it anew")
        self.refused_alignment(gzip.compress(GOOD.encode()).replace(b"\x08", b"\x07", 1), "is compressed (gzip) and damaged")
        self.refused_alignment(gzip.compress(b"ACGT\0"), "NUL")
        self.refused_alignment(bytes(range(1, 256)), "in:1:1: byte 0x01")
        self.refused(self.search("/dev/zero"), "/dev/zero:1:1: is no text: this byte is NUL")
        self.refused_alignment(GOOD.replace("\n", "\r\n").encode().replace(b"R", b"\0"), "in:4:8: is no text: this byte is NUL")

    def test_two_taxa_with_one_name(self):
        self.refused_alignment(GOOD.replace("t3", "t1"), "in:4:1: taxon 't1' stands here a second time")

    def test_control_characters_in_a_name(self):
        self.refused_alignment(GOOD.replace("t3", "t\x1b[31m3"), r"in:4:1: taxon 't\x1b[31m3' has byte 0x1b in its name; expected characters")
        self.refused_alignment(">a\nACGT\n>b\x7f\nACGT\n>c\nACGT\n>d\nACGT\n", r"in:3:2: taxon 'b\x7f' has byte 0x7f in its name")
        self.refused_alignment("#NEXUS\nbegin data;\ndimensions nchar=2;\nmatrix\n'a\tb' AC\n;\nend;\n", r"in:5:1: taxon 'a\x09b' has a tab in its name")

    def test_unequal_lengths(self):
        self.refused_alignment(GOOD.replace("ACGTAA", "ACGTA"), "in:3:1: taxon 't2' has 5 sites, but the header says 6")
        self.refused_alignment(">a\nACGT\n>b\nACG\n>c\nACGT\n>d\nACGT\n", "in:3:2: taxon 'b' has 3 sites")

    def test_illegal_character(self):
        self.refused_alignment(GOOD.replace("R", "E"), "in:4:8: 'E' in the sequence of taxon 't3' (site 5)", "expected")
        self.refused_alignment(GOOD.replace("\n", "\r\n").replace("R", "E"), "in:4:8: 'E'")

    def test_fewer_than_four_taxa(self):
        self.refused_alignment("3 2\na AC\nb AC\nc AC\n", "in:1:1: 3 taxa only", "at least four")

    def test_no_sites(self):
        self.refused_alignment("4 0\na\nb\nc\nd\n", "0 sites")
        self.refused_alignment(">a\n>b\n>c\n>d\n", "taxon 'a' has no sequence")
        self.refused_alignment(">a\n--\n>b\n??\n>c\nNN\n>d\n--\n", "in:1:2: no column of this alignment has a determined base")

    def test_counts_that_are_not_true(self):
        self.refused_alignment("99999999999999999999 5\na ACGTA\n", "in:1:1", "too large")
        self.refused_alignment("1000000000 1000000000\na ACGTA\n", "in:3:1", "the header says 1000000000")
        self.refused_alignment("5 6" + GOOD[3:], "ends behind 4 taxa, but the header says 5")

    def test_cut_off(self):
        interleaved = "4 6\nt1 ACG\nt2 ACG\nt3 AC-\nt4 ACG\n\nTAC\nTAA\n"
        self.refused_alignment(interleaved, "in:9:1: the last block ends behind 2 of 4 taxa")
        self.refused_alignment("#NEXUS\nbegin data;\ndimensions nchar=6;\nmatrix\nt1 ACG", "in:5:1", "t1")

    def test_fasta(self):
        self.refused_alignment(">a\nACGT\n>\nACGT\n", "in:3:2: a taxon without a name")
        self.refused_alignment(">a\nACGT\n>b\n>c\nACGT\n>d\nACGT\n", "in:3:2: taxon 'b' has no sequence; expected 4 sites")
        self.refused_alignment(">a\nACGT\n>b\nAC*T\n", "in:4:3: '*' in the sequence of taxon 'b' (site 3) is no DNA code; expected one of")

    def test_phylip(self):
        self.refused_alignment("4\n" + GOOD[4:], "in:1:2: expected the number of sites here", "as in '41 1134'")
        self.refused_alignment("4x6\n" + GOOD[4:], "in:1:2: 'x' in the number of taxa; expected a blank")
        self.refused_alignment("4 6 1\n" + GOOD[4:], "in:1:5: '1' behind the numbers of taxa and sites")
        self.refused_alignment(GOOD + "t5 ACGTAC\n", "in:6:1: the header says 4 taxa, but the file goes on behind them")

    def test_nexus(self):
        def nexus(body, begin="begin data;", end="end;\n"):
            return f"#NEXUS\n{begin}\n{body}\n{end}"

        rows = "t1 ACGTAC\nt2 ACGTAA\nt3 AC-TRC\nt4 ACG-AT\n;\n"
        sizes = "dimensions ntax=4 nchar=6;\n"
        for text, message in (
            (nexus(sizes, "begin trees;"), "in:6:1: there is no DATA or CHARACTERS block in this file; expected BEGIN DATA;"),
            (nexus(sizes), "in:5:1: this block ends without a MATRIX; expected one"),
            (nexus("matrix\n" + rows), "in:3:1: MATRIX stands before DIMENSIONS NCHAR=...; say how many"),
            (nexus("dimensions nchar=six;\nmatrix\n" + rows), "in:3:12: nchar='six' is no number that can be used here; expected one"),
            (nexus("dimensions nchar;\nmatrix\n" + rows), "in:3:12: nchar lacks its value; expected nchar=..."),
            (nexus("dimensions nchar=0;\nmatrix\n" + rows), "in:3:12: NCHAR=0; expected at least one site"),
            (nexus(sizes + "format gap=--;\nmatrix\n" + rows), "in:4:8: gap='--' must be one character; expected one"),
            (nexus(sizes + "format datatype=protein;\nmatrix\n" + rows), "in:4:8: DATATYPE='protein' can't be analysed as DNA; expected DNA or"),
            (nexus(sizes + "format interleave=;\nmatrix\n" + rows), "in:4:8: interleave lacks its value; expected interleave=..."),
            (nexus(sizes + "format interleave=maybe;\nmatrix\n" + rows), "in:4:8: interleave='maybe' is neither yes nor no; expected one"),
            (nexus(sizes + "format transpose;\nmatrix\n" + rows), "in:4:8: FORMAT transpose is not understood; write the matrix"),
            (nexus(sizes.replace("4", "5") + "matrix\n" + rows), "in:9:2: the matrix has 4 taxa, but DIMENSIONS says NTAX=5"),
            (nexus(sizes + "matrix\n" + rows.replace("ACGTAA", "ACGTAAT")), "in:6:10: taxon 't2' goes on behind the 6 sites"),
            (nexus(sizes + "matrix\n" + rows.replace("ACG-AT", "ACG-A")), "in:8:1: taxon 't4' has 5 sites, but DIMENSIONS says NCHAR=6"),
            (nexus(sizes + "matrix\n" + rows.replace("R", "{}")), "in:7:8: this set is empty; expected"),
            (nexus(sizes + "matrix\n" + rows.replace("R", "{A1}")), "in:7:10: '1' is no DNA code; expected"),
            (nexus(sizes + "matrix\n" + rows[: rows.index("R")] + "{AC", end=""), "in:7:8: this set is never closed; expected '}'"),
            (nexus(sizes + "matrix\n" + rows.replace("t2", "t1")), "in:6:1: taxon 't1' stands here a second time"),
            (nexus(sizes + "[matrix\n" + rows), "in:4:1: this comment is never closed; expected ']'"),
            (nexus(sizes + "matrix\n't1 ACGTAC\n" + rows), "in:5:1: this quoted name is never closed; expected another '"),
            (nexus(sizes + "matrix\n" + rows, end="")[:-3], "in:9:1: the file ends where a taxon's name or ';' is expected"),
        ):  # fmt: skip
            with self.subTest(message):
                self.refused_alignment(text, message)

    def test_data_that_the_model_is_not_for(self):
        evaluate = ("evaluate", "--msa", "in", "--tree", TREE, "--model")
        self.refused_file("in", GOOD, (*evaluate, "LG"), "in:2:1: this looks like DNA: 95 % of its characters are A, C, G or T", "give a model of DNA")
        # N, an amino acid, says nothing here.
        unknown = GOOD.replace("ACG", "NNN")
        self.refused_file("in", unknown, (*evaluate, "LG"), "in:2:1: this looks like DNA: 92 %", "give a model of DNA")
        self.refused_file("in", GOOD, (*evaluate, "JC+ASC"), "in:2:1: 5 of 6 sites are the same in all taxa, or may be, the first of them is 1;")


class Models(BadInput):
    def test_unknown_model(self):
        for model in ("XYZ", "GTR+Z", "GTR{1/2}", "", "GTR+G4m{x}"):
            with self.subTest(model):
                self.refused(self.search(MSA, "out/x", model), "model")

    def test_an_unknown_model_is_told_in_a_short_line(self):
        message = self.refused(self.search(MSA, "out/x", "XYZ"), "model 'XYZ': found 'XYZ' at column 1; expected a model; maslin-phylo search --help lists them")
        self.assertLess(len(message), 200)

    def test_model_files(self):
        self.write("empty", "")
        self.write("two", "JC\nGTR\n")
        self.write("bad", "GTR+Q\n")
        evaluate = ("evaluate", "--msa", MSA, "--tree", TREE)
        self.refused((*evaluate, "--model-file", "nowhere"), "nowhere: there is no such file")
        self.refused((*evaluate, "--model-file", "empty"), "empty:1:1: the file is empty")
        self.refused((*evaluate, "--model-file", "two"), "two:2:1: a second line")
        self.refused((*evaluate, "--model-file", "bad"), "bad:1:5")
        self.write("good", "JC, a = 1-100\nGTR, b = 101-240\n")
        self.refused((*evaluate, "--model-file", "good", "--model", "JC"), "both given, but good names all its models")
        self.refused(evaluate, "no model is given")

    def test_what_a_model_says_wrongly(self):
        for model, message in (
            ("HKZ+G", "bad:1:1: model 'HKZ+G': found 'HKZ+G' at column 1; did you mean HKY?"),
            ("GTR+G4+G", "bad:1:7:"),
            ("GTR{1/2/3}", "bad:1:4:"),
            ("GTR+FU{0.3/0.3/0.3/0.3}", "bad:1:7:"),
            ("GTR+G{-1}", "bad:1:7:"),
            ("GTR+G1", "bad:1:6:"),
            ("GTR+I{2}", "bad:1:7:"),
            ("GTR+R2{1/2}", "bad:1:12:"),
            ("GTR+I+ASC", "bad:1:1:"),
            ("JC+FU{0.25/0.25/0.25/0.25}", "bad:1:4:"),
            ("GTR+BU{x}", "bad:1:8:"),
        ):  # fmt: skip
            with self.subTest(model):
                self.refused_file("bad", model + "\n", ("evaluate", "--msa", MSA, "--tree", TREE, "--model-file", "bad"), message)


class Partitions(BadInput):
    def refused_parts(self, content, *parts, command=("evaluate", "--msa", MSA, "--tree", TREE)):
        self.refused_file("parts", content, (*command, "--model-file", "parts"), *parts)

    def test_as_raxml_has_them(self):
        for text, message in (
            (" \n", "parts:1:1: the file is empty; expected a model"),
            ("JC, a = 1-100\nJC, b = 90-240\n", "parts:2:9: site 90 is in partition 'a' and also in 'b'; a site can be in one only"),
            ("JC, a = 1-100\nJC, b = 102-240\n", "parts:1:9: 1 of the alignment's 240 sites are in no partition, the first of them is 101"),
            ("JC, a = 101-240\n\n", "parts:1:9: 100 of the alignment's 240 sites are in no partition, the first of them is 1;"),
            ("JC, a = 1-240\\2, 2-241\\2\n", "parts:1:18: partition 'a' has sites up to 241, but the alignment has 240"),
            ("JC, a = 1-100\nJC b = 101-240\n", "parts:2:4: model 'JC b = 101-240'"),
            ("JC, = 1-240\n", "parts:1:5: found '= 1-240'; expected the partition's name"),
            ("JC, a 1-240\n", "parts:1:12: found the end of the line; expected '='"),
            ("JC, a =\n", "parts:1:8: found the end of the line; expected the number of a site"),
            ("JC, a = 0-240\n", "parts:1:9: found '0-240'; expected the number of a site, from 1 on"),
            ("JC, a = 240-1\n", "parts:1:13: found '1'; expected a site from 240 on"),
            ("JC, a = 1-240\\0\n", "parts:1:15: found '0'; expected a stride"),
            ("JC, a = 1-240 all\n", "parts:1:15: found 'all'; expected ',' and further sites, or the end of the line"),
            ("JC, a = 1-240,\n", "parts:1:15: found the end of the line; expected the number of a site"),
            ("JC, a = 1-100\nJC, a = 101-240\n", "parts:2:5: a second partition 'a'; names must be distinct"),
            ("JC, a = 1-100\nJC\n", "parts:2:3: expected the sites of this model"),
            ("JC\nJC, a = 1-100\n", "parts:2:1: a second line; expected one model in one line, or partitions"),
        ):  # fmt: skip
            with self.subTest(text):
                self.refused_parts(text, message)

    def test_as_iqtree_has_them(self):
        def nexus(body):
            return f"#NEXUS\nbegin sets;\n{body}\nend;\n"

        a, b = "charset a = 1-100;\n", "charset b = 101-240;\n"
        for text, message in (
            (nexus(a + b), "parts:7:1: the file ends without a charpartition; expected charset"),
            (nexus(a + b + "charpartition p = JC:a, JC:c;"), "parts:5:28: no charset 'c' stands before this; expected one of 'a', 'b'"),
            (nexus(a + b + "charpartition p = JC:a, JC:a;"), "parts:5:28: charset 'a' is in two partitions; expected it in one"),
            (nexus(a + b + "charpartition p = JC:a;"), "parts:3:13: 140 of the alignment's 240 sites are in no partition, the first of them is 101"),
            (nexus(a + a + "charpartition p = JC:a;"), "parts:4:9: a second charset 'a'; names must be distinct"),
            (nexus(a + b + "charpartition p = JC:a, JD:b;"), "parts:5:25: model 'JD'"),
            (nexus(a + b + "charpartition p = JC:a JC:b;"), "parts:5:24: found 'JC:b;'; expected ','"),
            (nexus(a + b + "charpartition p = JC a;"), "parts:5:22: found 'a;'; expected ':' and the charset's name"),
            (nexus("charset a 1-100;"), "parts:3:11: found '1-100;'; expected '='"),
            (nexus("charset a = x;"), "parts:3:13: found 'x;'; expected the number of a site"),
            ("#NEXUS\nbegin sets;\ncharset a = 1-100", "parts:3:18: found the end of the file; expected ';'"),
        ):  # fmt: skip
            with self.subTest(text):
                self.refused_parts(text, message)

    def test_that_a_command_cannot_take(self):
        two = "JC, a = 1-100\nJC+BU{2}, b = 101-240\n"
        self.refused_parts(two, "parts:2:15: partition 'b' has the speed 2 (+BU), but with --brlen unlinked", "leave the speed out",
                           command=("evaluate", "--msa", MSA, "--tree", TREE, "--brlen", "unlinked"))
        self.refused_parts(two, "parts:2:15: this is the second of 2 partitions; mcmc takes one model for all sites, so give one",
                           command=("mcmc", "--msa", MSA, "--prefix", "x"))
        rows = [line.split() for line in MSA.read_text().splitlines()[1:]]
        self.write("mixed.phy", f"10 250\n{''.join(f'{name} {row}{chr(48 + i % 2) * 10}' + chr(10) for i, (name, row) in enumerate(rows))}")
        self.refused_parts("JC, a = 1-240\nBIN, b = 241-250\n", "parts:2:10: partition 'a' holds DNA, partition 'b' ", "run each kind for itself",
                           command=("ancestral", "--msa", "mixed.phy", "--tree", TREE, "--prefix", "x"))


class Trees(BadInput):
    def refused_tree(self, content, *parts):
        self.refused_file("tree", content, ("evaluate", "--msa", MSA, "--tree", "tree", "--model", "JC"), *parts)

    def test_other_taxa(self):
        good = TREE.read_text()
        self.refused_tree(
            good.replace("taxon_C", "taxon_X"), "taxa differ from those of the alignment", "'taxon_X'", "'taxon_C'"
        )
        self.refused_tree("(a:1,b:1,(c:1,d:1):1);", "only the tree has 'a', 'b', 'c', 'd'", "and 5 more")
        self.refused_tree(good.replace("taxon_C", "taxon_A"), "taxon 'taxon_A' stands twice")

    def test_no_tree(self):
        good = TREE.read_text()
        self.refused_tree("", "tree:1:1: the file is empty")
        self.refused_tree(good.replace(");", ")"), "';', the end of the tree")
        self.refused_tree(good[1:], "tree:1:")
        self.refused_tree(good.replace(":0.", ":-0.", 1), "negative")
        self.refused_file("tree", good + good, ("ancestral", "--msa", MSA, "--tree", "tree", "--model", "JC", "--prefix", "x"), "2 trees in this file")
        self.refused_tree(good + good.replace("taxon_C", "taxon_X"), "tree:2:98: this tree's taxa differ from those of the alignment: only the tree has 'taxon_X'")
        self.refused_tree(b"\xff\xfe(", "byte 0xff")
        self.refused_tree("#NEXUS\nbegin trees;\n", "tree:3:1: the file ends where END; is expected")
        self.refused_tree("a,b;", "tree:1:1: 'a' stands where '(', the beginning of a tree in Newick notation, is expected")
        self.refused_tree(" [no tree]\n", "tree:2:1: there is no tree in this file; expected one")
        self.refused_tree("(a,b,\n(c,));", "tree:2:4: ')' stands where a taxon's name or '(' is expected")
        self.refused_tree("(a,b,('c,d));", "tree:1:7: this quoted name is never closed; expected another '")
        self.refused_tree("(a,b,[(c,d));", "tree:1:6: this comment is never closed; expected ']'")
        self.refused_tree("(a:x,b,(c,d));", "tree:1:4: 'x' is no branch length; expected a number like 0.013")
        self.refused_tree("(a:1e999,b,(c,d));", "tree:1:4: '1e999' is no branch length; expected a number")
        self.refused_tree("(a:1e101,b,(c,d));", "tree:1:4: '1e101' is no branch length; expected a number like 0.013 or 1e-6, 1e+100 at most")
        self.refused_tree("(a,b,\n(c,'d\x07'));", r"tree:2:4: taxon 'd\x07' has byte 0x07 in its name; expected characters")
        self.refused_tree("#NEXUS\nbegin trees;\ntranslate 1 'a\tb';", r"tree:3:13: taxon 'a\x09b' has a tab in its name")
        self.refused_tree("(a:,b,(c,d));", "tree:1:4: ',' stands where a branch length is expected")
        self.refused(("evaluate", "--msa", MSA, "--tree", "nowhere", "--model", "JC"), "nowhere: there is no such file")

    def test_shapes_without_a_likelihood(self):
        names = [f"taxon_{letter}" for letter in "ABCDEFGHIJ"]
        self.refused_tree("(" + ":1,".join(names) + ":1);", "10 children")
        self.refused_tree(TREE.read_text().replace(":0.", "", 1), "tree:1:")

    def test_support_and_consensus(self):
        self.write("one", "(a,b,(c,d));")
        self.write("others", "(a,b,(c,d));\n(a,b,(c,x));")
        self.refused(("support", "--tree", "one", "--trees", "others", "--prefix", "out/x"), "others:2:9", "only the tree has 'x'")
        self.refused(("consensus", "--trees", "others", "--prefix", "out/x"), "others:2:9")
        self.refused(("support", "--tree", "one", "--trees", "nowhere", "--prefix", "out/x"), "nowhere")
        self.refused(("distances", "--trees", "others", "--prefix", "out/x"), "others:2:9", "only the tree has 'x'")
        self.refused(("distances", "--trees", "one", "--prefix", "out/x"), "one:1:13: the file ends behind one tree; expected two at least")

    def test_starts_and_constraints(self):
        good = TREE.read_text()
        for option, name, text, message in (
            ("--start-trees", "mine", good + good.replace("taxon_C", "taxon_X"), "mine:2:"),
            ("--start-trees", "mine", "", "mine:1:1: the file is empty; expected a tree"),
            ("--tree-constraint", "known", "", "known:1:1: the file is empty; expected a tree"),
            ("--tree-constraint", "known", "((taxon_A,taxon_B),(taxon_C,taxon_X));", "known:1:29: the constraint has the taxon 'taxon_X'"),
            ("--tree-constraint", "known", "((taxon_A,taxon_B),(taxon_C,taxon_A));", "known:1:29: taxon 'taxon_A' stands twice in this tree"),
            ("--tree-constraint", "known", "((taxon_A),(taxon_C,taxon_B));", "known:1:2: an inner node with one child; expected two or more"),
            ("--tree-constraint", "known", "(taxon_A,taxon_C,taxon_B);", "known:1:1: this tree constrains nothing"),
            ("--tree-constraint", "known", good + good, "known:2:1: 2 trees in this file; expected one, the constraint"),
        ):  # fmt: skip
            with self.subTest(message):
                self.refused_file(name, text, self.search(MSA, "out/x", "JC", option, name), message)
        self.write("known", "((taxon_A,taxon_B),(taxon_C,taxon_D));")
        self.refused_file("mine", "\n" + good, self.search(MSA, "out/x", "JC", "--start-trees", "mine", "--tree-constraint", "known"),
                          "mine:2:1: tree 1 of 1 does not display the constraint (--tree-constraint)")


class Checkpoints(BadInput):
    def test_of_another_run(self):
        self.run_well(*self.search(MSA, "x"))
        self.refused(self.search(DATA / "other.phy", "x"), "x.checkpoint: this checkpoint belongs to another alignment",
                     "--redo", "choose another --prefix")
        self.refused(self.search(MSA, "x", "K80"), "made with the model JC, not K80")
        self.refused(self.search(MSA, "x", "JC", "--seed", "2"), "made with --seed 1, not 2")
        self.refused(self.search(MSA, "x"), "made with", "MASLIN_SIMD=", env=environment(MASLIN_SIMD=self.other_instructions()))
        self.run_well(*self.search(DATA / "other.phy", "x", "JC", "--redo"))
        self.assertEqual(self.result("x")["alignment"]["file"], str(DATA / "other.phy"))

    def other_instructions(self):
        if self.result("x")["instructions"] == "scalar":
            self.skipTest("this processor has scalar instructions only")
        return "scalar"

    def test_of_a_running_process(self):
        self.run_well(*self.search(MSA, "x"))
        with open(self.folder / "x.checkpoint" / "lock", "rb") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            self.refused(self.search(MSA, "x"), "another process is working on this checkpoint")

    def test_that_cannot_be_read(self):
        for command, name in (self.search(MSA, "x"), "x.checkpoint"), (self.chains("y"), "y.chains"):
            self.run_well(*command)
            for file in ("identity.json", "search-0000" if name == "x.checkpoint" else "state"):
                path = self.folder / name / file
                with self.subTest(path=path):
                    kept = path.read_bytes()
                    path.unlink()
                    path.mkdir()
                    self.refused(command, f"{name}/{file}: is no regular file, so it is none of this checkpoint's; move it away")
                    path.rmdir()
                    path.write_bytes(kept)
                    path.chmod(0)
                    self.refused_as_nobody(command, f"{name}/{file}: can't be read: Permission denied; choose another --prefix, or start afresh with --redo")
                    path.chmod(0o644)
            (self.folder / name).chmod(0o300)
            self.refused_as_nobody(command, f"{name}: this folder can't be read: Permission denied; choose another --prefix")
            (self.folder / name).chmod(0o700)
            self.run_well(*command)

    def test_with_a_damaged_identity(self):
        self.run_well(*self.search(MSA, "x"))
        identity = (self.folder / "x.checkpoint" / "identity.json").read_text()
        for damaged, place in (("{", "1:2"), ("", "1:1"), (identity.replace("{", "{\n,", 1), "2:1"), ("{}", "1:1")):
            self.write("x.checkpoint/identity.json", damaged)
            self.refused(self.search(MSA, "x"), f"x.checkpoint/identity.json:{place}: is damaged", "--redo")


def limit_file_size():
    resource.setrlimit(resource.RLIMIT_FSIZE, (400, 400))


class Outputs(BadInput):
    def test_a_folder_that_cannot_be_made(self):
        self.write("regular", "")
        self.refused(self.search(MSA, "regular/below/x"), "regular is a file, not a folder", "--prefix")
        self.refused(self.search(MSA, "regular/"), "regular is a file, not a folder")
        self.refused(self.search(MSA, "/dev/full/x"), "/dev/full is a file, not a folder")
        self.refused(self.search(MSA, "/dev/full"), "/dev/full: is a device")
        self.refused(self.search(MSA, "/proc/nothing/x"), "can't be made")
        self.refused(self.search(MSA, ""), "--prefix is empty")
        self.refused(("consensus", "--trees", TREE, "--prefix", "regular/x"), "regular is a file")

    def test_a_folder_that_may_not_be_written(self):
        (self.folder / "closed").mkdir(mode=0o500)
        self.refused_as_nobody(self.search(MSA, "closed/x"), "closed: no file can be created in this folder", "--prefix")

    def test_a_folder_that_may_be_written_and_not_read(self):
        folder = self.folder / "blind"
        folder.mkdir(mode=0o300)
        for command in (self.search(MSA, "blind/x"), self.chains("blind/y")):
            done = self.run_program(*command, **self.as_nobody())
            self.assertEqual(done.returncode, 0, done.stderr)
        folder.chmod(0o700)
        self.assertTrue({"x.bestTree", "y.con.tre"} <= {path.name for path in folder.iterdir()})

    def test_a_full_disk_behind_standard_output(self):
        with open("/dev/full", "wb") as full:
            self.refused(("evaluate", "--msa", MSA, "--tree", TREE, "--model", "JC"), "standard output can't be written",
                         "No space left", stdout=full)
            self.refused(("consensus", "--trees", TREE), "standard output can't be written", stdout=full)

    def test_a_disk_that_is_full_from_the_beginning(self):
        def limit():
            resource.setrlimit(resource.RLIMIT_FSIZE, (50, 50))  # not even the identity fits, wherever the repository lies

        for command in (self.search(MSA, "x"), self.chains("x")):
            self.refused(command, "identity.json: can't be written", "free some space", preexec_fn=limit)

    def test_a_disk_that_fills_up_on_the_way(self):
        # The identity fits, the first finished tree does not.
        done = self.run_program(*self.search(MSA, "x"), preexec_fn=limit_file_size)
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertIn("search-0000: can't be written: File too large; free some space", done.stderr.decode())
        self.assertEqual(sorted(files_below(self.folder)), ["x.checkpoint", "x.checkpoint/identity.json", "x.checkpoint/lock", "x.log"])
        # With room again the same command finishes.
        self.run_well(*self.search(MSA, "x"))

    def test_a_file_system_without_space(self):
        # The real thing, where a file system can be mounted: 16 KiB for all files.
        disk = self.folder / "disk"
        disk.mkdir()
        mount = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=16k", "tmpfs", disk], capture_output=True, check=False)
        if mount.returncode != 0:
            self.skipTest("no file system can be mounted here")
        try:
            done = self.run_program("bootstrap", "--msa", MSA, "--model", "JC", "--replicates", "20", "--prefix", "disk/x", "--quiet")
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertIn("No space left on device; free some space", done.stderr.decode())
            left = sorted(files_below(disk))
            self.assertFalse([name for name in left if name.endswith(".part")], left)
            self.assertNotIn("x.bootstraps", left)
        finally:
            subprocess.run(["umount", disk], check=True)


class Environment(BadInput):
    def test_workers_that_are_no_number(self):
        for command in (self.search(MSA), ("evaluate", "--msa", MSA, "--tree", TREE, "--model", "JC")):
            for value in ("banana", "0", "-1", "2x", "99999999999999999999"):
                with self.subTest(value):
                    self.refused(command, "MASLIN_WORKERS", value, env=environment(MASLIN_WORKERS=value, MASLIN_SERIAL=None))

    def test_instructions_that_do_not_exist(self):
        self.refused(self.search(MSA), "MASLIN_SIMD=banana", env=environment(MASLIN_SIMD="banana"))


class Options(BadInput):
    def run_refused(self, *arguments):
        done = self.run_program(*arguments)
        self.assertEqual(done.returncode, 2, arguments)
        self.assertNotEqual(done.stderr, b"")
        self.assertEqual(files_below(self.folder), {})

    def test_options_that_are_none(self):
        self.run_refused()
        self.run_refused("dance")
        self.run_refused("search")
        self.run_refused(*self.search(MSA), "--starts", "0")
        self.run_refused(*self.search(MSA), "--starts", "many")
        self.run_refused(*self.search(MSA), "--unknown")
        self.run_refused("bootstrap", "--msa", MSA, "--model", "JC", "--prefix", "x", "--replicates", "-3")
        self.run_refused("evaluate", "--msa", MSA, "--tree", TREE, "--model", "JC", "--optimize", "everything")
        self.run_refused("consensus", "--trees", TREE, "--threshold", "0.3")
        self.run_refused("bootstrap", "--msa", MSA, "--model", "JC", "--prefix", "x", "--cutoff", "0.1")
        self.run_refused("bootstrap", "--msa", MSA, "--model", "JC", "--prefix", "x", "--bootstop", "--cutoff", "nan")

    def test_an_empty_text_is_no_way_to_leave_an_option_out(self):
        for command, options in ((self.search(MSA), ("--tree-constraint", "--start-trees")),
                                 (self.chains("x"), ("--stop-at", "--weights", "--prior-branches", "--prior-invariant")),
                                 (("consensus", "--trees", TREE), ("--prefix",)), (("distances", "--trees", TREE), ("--prefix",))):  # fmt: skip
            for option in options:
                with self.subTest(command=command[0], option=option):
                    self.refused((*command, option, ""), f"{option}: ''; give a value, or leave the option out")

    def test_seeds_are_whole_numbers_of_64_bits(self):
        most = 2**64 - 1
        replicates = ("bootstrap", "--msa", MSA, "--model", "JC", "--replicates", "1", "--quiet", "--json")
        for command in (self.search(MSA), (*replicates, "--prefix", "x"), ("mcmc", "--msa", MSA, "--model", "JC", "--prefix", "x"),
                        ("evaluate", "--msa", MSA, "--tree", TREE, "--model", "JC", "--alrt", "9")):
            for value in ("-1", "+1", "1.5", "1e3", "0x10", "many", str(most + 1)):
                with self.subTest(command=command[0], value=value):
                    self.refused((*command, f"--seed={value}"), f"--seed: '{value}'; expected a whole number from 0 to {most}")
        for text, seed in (("0", 0), ("010", 10), (str(2**53 + 1), 2**53 + 1), (str(most), most)):
            with self.subTest(text):
                self.assertEqual(json.loads(self.run_well(*replicates, "--prefix", text, "--seed", text))["seed"], seed)

    def test_numbers_are_decimal_with_zeros_in_front_as_well(self):
        common = ("--msa", MSA, "--model", "JC", "--quiet", "--json")
        said = json.loads(self.run_well("bootstrap", *common, "--prefix", "x", "--replicates", "010", "--memory", "0100M"))
        self.assertEqual(said["trees"]["total"], 10)
        said = json.loads(self.run_well("search", *common, "--prefix", "y", "--starts", "02"))
        self.assertEqual(said["trees"]["total"], 2)
        for option, value, expected in (("--starts", "0x2", "'0x2'; expected a whole number from 1 to 1000000"),
                                        ("--checkpoint-seconds", "+5", "'+5'; expected a whole number from 0 to 1000000"),
                                        ("--memory", "-1", "'-1'; expected a size in bytes, as 200000, 256K or 2M"),
                                        ("--memory", "18446744073709551616", "'18446744073709551616'; expected a size in bytes"),
                                        ("--memory", "017179869184G", "'017179869184G'; expected a size in bytes"),
                                        ("--memory", "10X", "'10X'; expected a size in bytes"),
                                        ("--memory", "0x10000000", "'0x10000000'; expected a size in bytes")):  # fmt: skip
            with self.subTest(option=option, value=value):
                self.refused(("search", *common, "--prefix", "z", f"{option}={value}"), f"{option}: {expected}")

    def test_no_memory_is_too_little(self):
        self.refused(self.search(MSA, "x", "JC", "--memory", 0, "--threads", 1), "--memory: 0 bytes are too few: 1 searches may run at a time", "or more")

    def test_bootstop_needs_replicates_to_look_at(self):
        command = ("--msa", MSA, "--model", "JC", "--prefix", "x", "--bootstop", "--replicates")
        for what in ("bootstrap", "all"):
            self.refused((what, *command, 49), "--replicates 49: --bootstop looks whether there are enough replicates after each 50 of them; expected 50 or more")

    def test_help_is_given(self):
        for command in ((), ("evaluate",), ("search",), ("bootstrap",), ("all",), ("support",), ("consensus",), ("distances",), ("ancestral",)):
            text = self.run_well(*command, "--help")
            self.assertIn("Example" if command else "explains a command", text)

    def test_the_help_of_what_reads_an_alignment_says_what_it_may_be(self):
        for command in ("evaluate", "ancestral", "search", "bootstrap", "all", "mcmc"):
            text = self.run_well(command, "--help")
            for what in ("compressed by gzip", "- is the standard input", "+ASC_LEWIS", "+ASC_FELS", "+ASC_STAM", "#NEXUS", "charpartition", "mean in IQ-TREE"):
                self.assertIn(what, text, command)

    def test_the_help_of_what_reads_trees_says_what_they_may_be(self):
        for command in ("support", "consensus", "distances"):
            text = self.run_well(command, "--help")
            for what in ("Newick, or NEXUS", "compressed by gzip", "- is the standard input", f"P.{command}"):
                self.assertIn(what, text, command)

    def test_the_help_lists_the_files_that_come(self):
        for command in ("search", "all"):
            text = self.run_well(command, "--help")
            self.run_well(command, "--msa", MSA, "--model", "JC", "--prefix", command, "--quiet", "--alrt", 9,
                          *(("--replicates", 2) if command == "all" else ()))
            files = [file.name.partition(".")[2] for file in self.folder.glob(f"{command}.*")]
            self.assertIn("alrt", files)
            for file in files:
                self.assertIn(f"\n  P.{file}", text)


if __name__ == "__main__":
    # Python ignores it, and children would inherit that; the program must ignore it by itself.
    signal.signal(signal.SIGXFSZ, signal.SIG_DFL)
    main()
