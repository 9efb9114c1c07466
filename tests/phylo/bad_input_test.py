"""Whatever a user hands in wrongly ends in one clear message and status 2, and leaves nothing behind."""

import fcntl
import gzip
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

    def refused_alignment(self, content, *parts):
        name = self.write("in", content)
        self.refused(self.search(name), *parts)
        self.refused(("evaluate", "--msa", name, "--tree", TREE, "--model", "JC"), *parts)
        (self.folder / name).unlink()


class Alignments(BadInput):
    def test_missing_file(self):
        self.refused(self.search("nowhere.phy"), "nowhere.phy: there is no such file")

    def test_a_folder(self):
        self.refused(self.search(self.folder), "is a folder")

    def test_empty(self):
        self.refused_alignment("", "in:1:1: the file is empty")
        self.refused_alignment("\n \r\n", "nothing but blanks")

    def test_no_text(self):
        self.refused_alignment(bytes(range(256)) * 40, "NUL")
        self.refused_alignment(gzip.compress(GOOD.encode())[:-12], "in: is compressed (gzip) and damaged", "unexpected end of file")
        self.refused_alignment(gzip.compress(GOOD.encode()).replace(b"\x08", b"\x07", 1), "is compressed (gzip) and damaged")
        self.refused_alignment(gzip.compress(b"ACGT\0"), "NUL")
        self.refused_alignment(bytes(range(1, 256)), "in:1:1: byte 0x01")
        self.refused(self.search("/dev/zero"), "NUL")

    def test_two_taxa_with_one_name(self):
        self.refused_alignment(GOOD.replace("t3", "t1"), "in:4:1: taxon 't1' stands here a second time")

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
        self.refused_alignment(">a\n--\n>b\n??\n>c\nNN\n>d\n--\n", "no column of this alignment has a determined base")

    def test_counts_that_are_not_true(self):
        self.refused_alignment("99999999999999999999 5\na ACGTA\n", "in:1:1", "too large")
        self.refused_alignment("1000000000 1000000000\na ACGTA\n", "in:3:1", "the header says 1000000000")
        self.refused_alignment("5 6" + GOOD[3:], "ends behind 4 taxa, but the header says 5")

    def test_cut_off(self):
        interleaved = "4 6\nt1 ACG\nt2 ACG\nt3 AC-\nt4 ACG\n\nTAC\nTAA\n"
        self.refused_alignment(interleaved, "in:9:1: the last block ends behind 2 of 4 taxa")
        self.refused_alignment("#NEXUS\nbegin data;\ndimensions nchar=6;\nmatrix\nt1 ACG", "in:5:1", "t1")


class Models(BadInput):
    def test_unknown_model(self):
        for model in ("XYZ", "GTR+Z", "GTR{1/2}", "", "GTR+G4m{x}"):
            with self.subTest(model):
                self.refused(self.search(MSA, "out/x", model), "model")

    def test_model_files(self):
        self.write("empty", "")
        self.write("two", "JC\nGTR\n")
        self.write("bad", "GTR+Q\n")
        evaluate = ("evaluate", "--msa", MSA, "--tree", TREE)
        self.refused((*evaluate, "--model-file", "nowhere"), "nowhere: there is no such file")
        self.refused((*evaluate, "--model-file", "empty"), "empty: the file is empty")
        self.refused((*evaluate, "--model-file", "two"), "two:2:1: a second line")
        self.refused((*evaluate, "--model-file", "bad"), "bad:1:5")
        self.refused((*evaluate, "--model-file", "bad", "--model", "JC"), "both given")
        self.refused(evaluate, "no model is given")


class Trees(BadInput):
    def refused_tree(self, content, *parts):
        self.write("tree", content)
        self.refused(("evaluate", "--msa", MSA, "--tree", "tree", "--model", "JC"), *parts)

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
        self.refused_tree(good + good, "2 trees in this file")
        self.refused_tree(b"\xff\xfe(", "byte 0xff")
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
        self.refused(("distances", "--trees", "one", "--prefix", "out/x"), "one: one tree; expected two at least")


class Checkpoints(BadInput):
    def test_of_another_run(self):
        self.run_well(*self.search(MSA, "x"))
        self.refused(self.search(DATA / "other.phy", "x"), "x.checkpoint: this checkpoint belongs to another alignment",
                     "--redo", "choose another --prefix")
        self.refused(self.search(MSA, "x", "K80"), "made with --model")
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

    def test_with_a_damaged_identity(self):
        self.run_well(*self.search(MSA, "x"))
        self.write("x.checkpoint/identity.json", "{")
        self.refused(self.search(MSA, "x"), "identity.json: is damaged", "--redo")


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

    @unittest.skipIf(os.geteuid() == 0, "root may write everywhere")
    def test_a_folder_that_may_not_be_written(self):
        (self.folder / "closed").mkdir(mode=0o500)
        self.refused(self.search(MSA, "closed/x"), "closed: no file can be created in this folder", "--prefix")

    def test_a_full_disk_behind_standard_output(self):
        with open("/dev/full", "wb") as full:
            self.refused(("evaluate", "--msa", MSA, "--tree", TREE, "--model", "JC"), "standard output can't be written",
                         "No space left", stdout=full)
            self.refused(("consensus", "--trees", TREE), "standard output can't be written", stdout=full)

    def test_a_disk_that_is_full_from_the_beginning(self):
        self.refused_by_size(50)  # not even the identity fits, wherever the repository lies

    def refused_by_size(self, size):
        def limit():
            resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))

        message = self.refused(self.search(MSA, "x"), "can't be written", preexec_fn=limit)
        self.assertIn("free some space", message)

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
        self.run_refused(*self.search(MSA), "--seed", "-1")
        self.run_refused(*self.search(MSA), "--unknown")
        self.run_refused("bootstrap", "--msa", MSA, "--model", "JC", "--prefix", "x", "--replicates", "-3")
        self.run_refused("evaluate", "--msa", MSA, "--tree", TREE, "--model", "JC", "--optimize", "everything")
        self.run_refused("consensus", "--trees", TREE, "--threshold", "0.3")
        self.run_refused("bootstrap", "--msa", MSA, "--model", "JC", "--prefix", "x", "--cutoff", "0.1")
        self.run_refused("bootstrap", "--msa", MSA, "--model", "JC", "--prefix", "x", "--bootstop", "--cutoff", "nan")

    def test_help_is_given(self):
        for command in ((), ("evaluate",), ("search",), ("bootstrap",), ("all",), ("support",), ("consensus",), ("distances",), ("ancestral",)):
            text = self.run_well(*command, "--help")
            self.assertIn("Example" if command else "explains a command", text)


if __name__ == "__main__":
    # Python ignores it, and children would inherit that; the program must ignore it by itself.
    signal.signal(signal.SIGXFSZ, signal.SIG_DFL)
    main()
