"""What all commands promise: statuses, words that are misspelt, the manual, completion, pipes, terminals, Ctrl-C.

    commands_test.py MASLIN MASLIN_PHYLO CHECKOUT [UNITTEST ARGS]
"""

import os
import pty
import re
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest
from functools import cache
from pathlib import Path

MASLIN, PHYLO, CHECKOUT = sys.argv[1], sys.argv[2], Path(sys.argv[3])
PROGRAMS = {"maslin": MASLIN, "maslin-phylo": PHYLO}
TRACE = CHECKOUT / "tests" / "trace" / "testdata" / "asks-v2.mtrace"
MACHINE = CHECKOUT / "specs" / "epyc-128.toml"
FOUR = "4 8\na ACGTACGT\nb ACGTACGA\nc ACTTACGA\nd ACTTCCGA\n"


def run(program, *words, **more):
    return subprocess.run([PROGRAMS[program], *map(str, words)], stdin=subprocess.DEVNULL, capture_output=True, text=True,
                          timeout=60, check=False, **more)


@cache
def help_of(program, path=()):
    done = run(program, *path, "--help")
    assert done.returncode == 0, done
    return done.stdout


def commands_in(program, path=()):
    return re.findall(r"^  (\w+) ", help_of(program, path).partition("Subcommands:")[2].partition("\n\n")[0], re.MULTILINE)


def options_in(program, path=()):
    listed = help_of(program, path).partition("\nOptions:\n")[2]
    listed = re.split(r"\n\n?\w+:", listed)[0]
    return re.findall(r"^ +(?:-\w,)?(--[\w-]+)", listed, re.MULTILINE)


def every_command():
    """Gives each command with the words that lead to it."""
    for program in PROGRAMS:
        todo = [()]
        while todo:
            path = todo.pop()
            yield program, path
            todo += [(*path, one) for one in commands_in(program, path)]


def misspelt(word):
    """Gives the word with two letters in each other's place; or with one left out, where they are the same."""
    at = 3 if word.startswith("--") else 0
    if len(word) < at + 2:  # --to
        return word + word[-1]
    swapped = word[:at] + word[at + 1] + word[at] + word[at + 2:]
    return swapped if swapped != word else word[:at] + word[at + 1:]


class Words(unittest.TestCase):
    def refused(self, program, *words):
        done = run(program, *words)
        self.assertEqual((done.returncode, done.stdout), (2, ""), done)
        self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
        self.assertTrue(done.stderr.startswith(f"{program}: "), done.stderr)
        return done.stderr

    def test_there_are_commands_and_options_to_ask_for(self):
        known = list(every_command())
        self.assertGreater(len(known), 16)
        self.assertIn("--completion", options_in("maslin"))
        self.assertEqual(options_in("maslin", ("trace", "export")), ["--help", "--perfetto", "--paraver", "--dot", "--svg", "--output", "--from", "--to"])

    def test_a_misspelt_command_is_told_with_the_one_that_was_meant(self):
        for program, path in every_command():
            for one in commands_in(program, path):
                said = self.refused(program, *path, misspelt(one))
                self.assertIn(f"'{misspelt(one)}' is not a command of {' '.join((program, *path))}", said)
                self.assertIn(f"did you mean {one}?", said)

    def test_a_misspelt_option_is_told_with_the_one_that_was_meant(self):
        for program, path in every_command():
            for one in options_in(program, path):
                for wrong in (misspelt(one), misspelt(one) + "=4"):
                    said = self.refused(program, *path, wrong)
                    self.assertIn(f"{misspelt(one)} is not an option of {' '.join((program, *path))}", said)
                    self.assertIn(f"did you mean {one}?", said)

    def test_a_misspelt_value_is_told_with_the_one_that_was_meant(self):
        self.assertIn("'dsb' is not a value of --loop; did you mean dbs?",
                      self.refused("maslin", "replay", TRACE, "--machine", MACHINE, "--loop", "dsb"))
        self.assertIn("did you mean branches?",
                      self.refused("maslin-phylo", "evaluate", "--msa", "a", "--tree", "b", "--optimize=branchse"))

    def test_a_word_that_is_near_none_is_told_with_where_they_are_listed(self):
        self.assertIn("'simulate' is not a command of maslin; `maslin --help` lists", self.refused("maslin", "simulate"))
        self.assertIn("--zzz is not an option of maslin trace info; `maslin trace info --help` lists",
                      self.refused("maslin", "trace", "info", TRACE, "--zzz"))

    def test_what_is_missing_or_bad_is_told_in_one_line(self):
        self.assertIn("--msa is required; `maslin-phylo search --help` lists", self.refused("maslin-phylo", "search"))
        self.assertIn("--workers", self.refused("maslin", "scale", TRACE, "--workers", "none"))
        for wrong in ("-1", "nan", "soon"):
            self.assertIn(f"--resolution: '{wrong}'; expected a number that is not below 0",
                          self.refused("maslin", "trace", "spans", TRACE, f"--resolution={wrong}"))

    def test_an_option_that_is_given_several_times_is_told_with_its_values(self):
        mcmc = ("mcmc", "--msa", "a", "--model", "JC", "--prefix", "x")
        self.assertEqual(self.refused("maslin-phylo", *mcmc, "--sample", 10, "--sample=20"),
                         "maslin-phylo: --sample is given twice: '10' and '20'; give one of them\n")  # fmt: skip
        self.assertIn("--swap is given 3 times: '1', '2' and '1'; give one of them",
                      self.refused("maslin-phylo", *mcmc, "--swap", 1, "--swap", 2, "--swap", 1))
        self.assertIn("--output is given twice: 'a' and 'b'", self.refused("maslin", "trace", "export", TRACE, "--output", "a", "--output", "b"))
        # What comes behind a program belongs to the program.
        said = self.refused("maslin", "scale", "--workers", 2, "--machine", "none.toml", "program", "--workers", 3)
        self.assertNotIn("twice", said)
        # Options that take several values, and flags.
        self.assertIn("no such file", self.refused("maslin-phylo", *mcmc, "--json", "--json"))

    def test_every_option_with_one_value_may_be_given_once(self):
        tried = 0
        for program, path in every_command():
            for option, kind in set(re.findall(r"^ +(?:-\w,)?(--[\w-]+) (?!Excludes|Needs)(\S.*?)(?:  |$)", help_of(program, path), re.MULTILINE)):
                tried += 1
                value = (re.findall(r"{(\w+)", kind) or ["1"])[0]
                said = self.refused(program, *path, option, value, option, value)
                self.assertEqual(f"{option} is given twice: '{value}' and '{value}'; give one of them" in said, not kind.endswith(" ..."),
                                 (program, path, option, kind, said))  # fmt: skip
        self.assertGreater(tried, 60)

    def test_numbers_are_decimal_with_zeros_in_front_as_well(self):
        scaled = ("scale", "--machine", MACHINE, "--json", TRACE, "--workers")
        self.assertEqual(run("maslin", *scaled, "010").stdout, run("maslin", *scaled, "10").stdout)
        self.assertIn("--workers: '0x10'; expected a whole number from 1 to 4096", self.refused("maslin", *scaled, "0x10"))

    def test_control_characters_of_a_word_are_told_by_their_numbers(self):
        for program in PROGRAMS:
            for words in (("no\x1b[1m\n",), ("--no\x1b[1m\n",)):
                self.assertIn("no\\x1b[1m\\x0a", self.refused(program, *words))

    def test_without_a_command_the_help_is_shown(self):
        for program in PROGRAMS:
            done = run(program)
            self.assertEqual((done.returncode, done.stdout, done.stderr), (2, "", help_of(program)))

    def test_one_thing_has_one_name(self):
        names = [name for program, path in every_command() for name in options_in(program, path)]
        for gone in ("--spec", "--policy"):
            self.assertNotIn(gone, names)
        listed = run("maslin", "replay", TRACE, "--machine", MACHINE, "--json").stdout
        scaled = run("maslin", "scale", "--machine", MACHINE, "--json", "--workers", "1", TRACE).stdout
        self.assertIn('"work_s"', listed)
        self.assertIn('"work_s"', scaled)


class Pages(unittest.TestCase):
    def test_the_statuses_are_in_the_help_in_the_manual_and_on_their_page(self):
        page = (CHECKOUT / "docs" / "commands.md").read_text(encoding="utf-8")
        listed = {program: re.findall(r"^  (\S+|128 \+ N) {2,}(\S.*)$", help_of(program).partition("Exit status:\n")[2],
                                      re.MULTILINE) for program in PROGRAMS}
        self.assertEqual(listed["maslin"], listed["maslin-phylo"])
        self.assertEqual([number for number, _ in listed["maslin"]], ["0", "1", "2", "128 + N"])
        for number, meaning in listed["maslin"]:
            self.assertIn(f"| {number} | {meaning} |", page)
            for program in PROGRAMS:
                self.assertIn(meaning, run(program, "--manual").stdout.replace("\\-", "-"))

    def test_the_commands_of_the_page_run(self):
        page = (CHECKOUT / "docs" / "commands.md").read_text(encoding="utf-8")
        lines = "".join(re.findall(r"^```sh\n(.*?)^```$", page, re.DOTALL | re.MULTILINE)).splitlines()
        self.assertGreaterEqual(len(lines), 5)
        for line in lines:
            if "| man " in line and not shutil.which("man"):
                continue
            done = self.run_line(line)
            self.assertEqual((done.returncode, done.stderr), (0, ""), line)
        shown, = re.findall(r"^```text\n\$ (.*)\n(.*\n)```$", page, re.MULTILINE)
        done = self.run_line(shown[0])
        self.assertEqual((done.returncode, done.stdout, done.stderr), (2, "", shown[1]))

    def run_line(self, line):
        path = f"{Path(MASLIN).parent}:{os.environ['PATH']}"
        return subprocess.run(["bash", "-c", line], env={**os.environ, "PATH": path}, stdin=subprocess.DEVNULL,
                              capture_output=True, text=True, timeout=60, check=False)

    def test_the_help_of_each_command_ends_with_the_statuses(self):
        for program, path in every_command():
            helped = help_of(program, path)
            self.assertEqual(helped.partition("Exit status:\n")[2], help_of(program).partition("Exit status:\n")[2])
            explains = f"{' '.join((program, *path))} COMMAND --help explains a command."
            self.assertEqual(explains in helped, bool(commands_in(program, path)), helped)
        for program in ("maslin-linalg", "maslin-mpirun", "maslin-sweep"):
            if (command := Path(MASLIN).with_name(program)).exists():
                helped = subprocess.run([command, "--help"], capture_output=True, text=True, timeout=60, check=True).stdout
                self.assertRegex(helped, r"\n\nExit status:\n  0 (.*\n)+  1 (.*\n)+  2 (.*\n)+  128 \+ N .*\n\Z")
                if program == "maslin-mpirun":
                    self.assertIn("Usage: maslin-mpirun [OPTIONS] PROGRAM [ARGUMENTS]\n", helped)

    def test_the_manual_has_every_command_and_option(self):
        for program in PROGRAMS:
            manual = run(program, "--manual").stdout.replace("\\-", "-")
            for known, path in every_command():
                if known != program:
                    continue
                for option in options_in(program, path):
                    self.assertIn(f"\\fB{option}\\fR", manual)
                if path and not commands_in(program, path):
                    self.assertIn(f"\n.SS {' '.join((program, *path))}\n", manual)
        settings = re.findall(r"^(MASLIN_\w+)", run("maslin", "settings").stdout, re.MULTILINE)
        self.assertGreater(len(settings), 20)
        for name in settings:
            self.assertIn(f"\\fB{name}\\fR", run("maslin", "--manual").stdout)

    @unittest.skipUnless(shutil.which("groff"), "there is no groff")
    def test_troff_has_nothing_to_say_about_the_manual(self):
        for program in PROGRAMS:
            page = run(program, "--manual").stdout
            shown = subprocess.run(["groff", "-k", "-t", "-man", "-Tutf8", "-ww", "-rLL=100n"], input=page, capture_output=True,
                                   text=True, check=False)
            self.assertEqual((shown.returncode, shown.stderr), (0, ""))
            words = re.sub(r"\x1b\[[\d;]*m|.\x08", "", shown.stdout)
            self.assertIn(f"{program} - ", words)
            self.assertIn("'-' is the standard output" if program == "maslin" else "GTR{1/2/1/1/2/1}+G{0.5}", words)


class Completion(unittest.TestCase):
    def setUp(self):
        self.folder = Path(tempfile.mkdtemp(prefix="maslin_commands_"))
        self.addCleanup(shutil.rmtree, self.folder)
        for name in ("one.mtrace", "a file"):
            (self.folder / name).write_text("")
        (self.folder / "inner").mkdir()

    def bash(self, *words):
        """Gives what bash offers for the last word."""
        program, here = words[0], self.folder / "completion.bash"
        here.write_text(run(program, "--completion", "bash").stdout)
        typed = [part for word in words for part in re.split(r"(=)", word) if part or word == ""]  # as bash divides words
        function = f"_{program.replace('-', '_')}"
        script = f'. ./completion.bash; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); {function}; printf "%s\\n" "${{COMPREPLY[@]}}"'
        done = subprocess.run(["bash", "-c", script, "bash", *typed], cwd=self.folder, capture_output=True, text=True, check=False)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return done.stdout.split("\n")[:-1] if done.stdout.strip() else []

    def test_bash_offers_every_command_and_option(self):
        for program, path in every_command():
            self.assertEqual(sorted(one for one in self.bash(program, *path, "--")), sorted(options_in(program, path)))
            if commands_in(program, path):
                self.assertEqual(self.bash(program, *path, ""), commands_in(program, path))

    def test_bash_offers_values(self):
        self.assertEqual(self.bash("maslin", "replay", "one.mtrace", "--loop", ""), ["dbs", "static", "gss", "afs"])
        self.assertEqual(self.bash("maslin", "replay", "--loop=s"), ["static"])
        self.assertEqual(self.bash("maslin", "trace", "info", "o"), ["one.mtrace"])
        self.assertEqual(self.bash("maslin", "machine", "--machine", "a"), ["a file"])
        self.assertEqual(self.bash("maslin", "figures", "--output", ""), ["inner"])
        self.assertEqual(self.bash("maslin-phylo", "search", "--seed", ""), [])
        self.assertIn("bash", self.bash("maslin", "scale", "bas"))

    @unittest.skipUnless(shutil.which("zsh"), "there is no zsh")
    def test_zsh_offers_commands_options_and_values(self):
        functions = self.folder / "functions"
        functions.mkdir()
        for program in PROGRAMS:
            (functions / f"_{program}").write_text(run(program, "--completion", "zsh").stdout)
        for typed, expected in (("maslin expl\t", "maslin explain"), ("maslin trace exp\t", "maslin trace export"),
                                ("maslin replay --tri\t", "maslin replay --trim"),
                                ("maslin replay --loop st\t", "maslin replay --loop static"),
                                ("maslin trace info one\t", "maslin trace info one.mtrace"),
                                ("maslin-phylo evaluate --optimize bra\t", "maslin-phylo evaluate --optimize branches")):
            self.assertIn(expected, self.zsh(functions, typed))
        sourced = "autoload -U compinit; compinit -u -D; source <($MASLIN --completion zsh); print ${_comps[maslin]}"
        done = subprocess.run(["zsh", "-f", "-c", sourced], env={**os.environ, "MASLIN": MASLIN, "HOME": str(self.folder)},
                              capture_output=True, text=True, check=False)
        self.assertEqual((done.stdout, done.stderr), ("_maslin\n", ""))

    def zsh(self, functions, typed):
        """Gives what a terminal with zsh shows when this has been typed."""
        setup = (f"fpath=({functions} $fpath); autoload -U compinit; compinit -u -D; unsetopt zle_bracketed_paste; "
                 "PROMPT='rea''dy> '; cd $HOME\n")
        pid, terminal = pty.fork()
        if pid == 0:
            os.environ.update(HOME=str(self.folder), TERM="dumb", COLUMNS="200")
            os.execvp("zsh", ["zsh", "-f", "-i"])
        try:
            os.write(terminal, setup.encode())
            self.read_until(terminal, b"ready> ")
            os.write(terminal, typed.encode())
            time.sleep(0.1)
            os.write(terminal, b"#end\x1b\r")
            return re.sub(r"\x1b\[[\d;?]*[A-Za-z]|\x1b[=>]|.\x08|\x07|\x00", "", self.read_until(terminal, b"#end"))
        finally:
            os.kill(pid, signal.SIGKILL)
            os.waitpid(pid, 0)
            os.close(terminal)

    def read_until(self, terminal, end):
        got = b""
        while end not in got:
            self.assertTrue(select.select([terminal], [], [], 20)[0], f"{end!r} does not come after {got!r}")
            got += os.read(terminal, 4096)
        return got.decode(errors="replace")


class Surroundings(unittest.TestCase):
    def setUp(self):
        self.folder = Path(tempfile.mkdtemp(prefix="maslin_commands_"))
        self.addCleanup(shutil.rmtree, self.folder)
        (self.folder / "four.phy").write_text(FOUR)

    def unread(self, *words, ignored=False):
        """Runs a command whose output nobody reads."""
        reader, writer = os.pipe()
        os.close(reader)
        program, *rest = words
        done = subprocess.run([PROGRAMS[program], *map(str, rest)], stdin=subprocess.DEVNULL, stdout=writer,
                              stderr=subprocess.PIPE, text=True, timeout=60, check=False, cwd=self.folder,
                              restore_signals=not ignored)
        os.close(writer)
        return done

    def test_a_reader_that_has_gone_ends_a_command_without_a_word(self):
        for ignored in (False, True):
            for words in (("maslin", "settings"), ("maslin", "trace", "export", TRACE, "-o", "-"), ("maslin", "--help"),
                          ("maslin-phylo", "--manual")):
                done = self.unread(*words, ignored=ignored)
                self.assertEqual((done.returncode, done.stderr), (-signal.SIGPIPE, ""), words)

    def test_results_are_complete_though_nobody_reads_the_output(self):
        done = self.unread("maslin-phylo", "search", "--msa", "four.phy", "--model", "JC", "--prefix", "out", "--quiet")
        self.assertEqual((done.returncode, done.stderr), (-signal.SIGPIPE, ""))
        self.assertTrue((self.folder / "out.bestTree").read_text().endswith(";\n"))
        self.assertTrue((self.folder / "out.result.json").exists())

    def test_a_standard_error_that_takes_nothing_changes_nothing_else(self):
        with open("/dev/full", "wb") as full:
            for taker in ({"stderr": full}, {"preexec_fn": lambda: os.close(2)}):
                for program in PROGRAMS:
                    for words in ((), ("dance",)):
                        done = subprocess.run([PROGRAMS[program], *words], stdout=subprocess.PIPE, timeout=60, check=False, **taker)
                        self.assertEqual((done.returncode, done.stdout), (2, b""), words)
                shutil.rmtree(self.folder / "out.checkpoint", ignore_errors=True)
                done = subprocess.run([PHYLO, "search", "--msa", "four.phy", "--model", "JC", "--prefix", "out"], stdout=subprocess.PIPE,
                                      timeout=60, check=False, cwd=self.folder, **taker)
                self.assertEqual(done.returncode, 0)
                # Else it would have got the number of the standard error, and the progress.
                self.assertEqual((self.folder / "out.checkpoint" / "lock").read_bytes(), b"")

    def test_other_locales_get_plain_characters(self):
        words = ("scale", TRACE, "--machine", MACHINE, "--workers", "1,2")
        for locale, bar in (("C", "#"), ("de_DE.ISO-8859-1", "#"), ("C.UTF-8", "█")):
            done = run("maslin", *words, env={**os.environ, "LC_ALL": locale})
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn(f"  {bar}{bar}", done.stdout)
            self.assertEqual(done.stdout.isascii(), locale != "C.UTF-8")

    def test_nothing_is_coloured_and_a_dumb_terminal_gets_lines(self):
        for name, value in (("NO_COLOR", "1"), ("TERM", "dumb")):
            shown = self.on_terminal("maslin-phylo", "search", "--msa", "four.phy", "--model", "JC", "--prefix", name,
                                     **{"TERM": "xterm", name: value})
            self.assertNotRegex(shown, rb"\x1b\[[\d;]*m")
            self.assertEqual(b"\x1b" in shown, name != "TERM", shown)

    def on_terminal(self, program, *words, **environment):
        """Gives what the command shows on a terminal."""
        pid, terminal = pty.fork()
        if pid == 0:
            os.chdir(self.folder)
            os.environ.update({"LC_ALL": "C", **environment})
            os.execv(PROGRAMS[program], [program, *words])
        shown = b""
        try:
            while part := os.read(terminal, 4096):
                shown += part
        except OSError:  # it has ended
            pass
        os.close(terminal)
        self.assertEqual(os.waitpid(pid, 0)[1], 0, shown)
        return shown

    def test_a_command_that_is_stopped_ends_by_the_signal_and_leaves_nothing(self):
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            scratch = self.folder / number.name
            scratch.mkdir()
            pid_file = self.folder / f"{number.name}.pid"
            child = f"echo $$ >'{pid_file}.part' && mv '{pid_file}.part' '{pid_file}' && exec sleep 60"
            running = subprocess.Popen([MASLIN, "scale", "--", "sh", "-c", child], env={**os.environ, "TMPDIR": str(scratch)},
                                       stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
            while not pid_file.exists():
                self.assertIsNone(running.poll())
                time.sleep(0.01)
            self.assertEqual(len(list(scratch.iterdir())), 1)
            running.send_signal(number)
            self.assertEqual((*running.communicate(timeout=30), running.returncode), ("", "", -number))
            self.assertEqual(list(scratch.iterdir()), [])
            with self.assertRaises(ProcessLookupError, msg="its child goes too"):
                os.kill(int(pid_file.read_text()), 0)

    def test_a_child_that_has_just_begun_goes_too(self):
        pid_file = self.folder / "pid"
        child = f"echo $$ >'{pid_file}'; kill -INT $PPID; exec sleep 60"
        for _ in range(20):
            done = subprocess.run([MASLIN, "scale", "--", "sh", "-c", child], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                  timeout=30)
            self.assertEqual(done.returncode, -signal.SIGINT)
            with self.assertRaises(ProcessLookupError):
                os.kill(int(pid_file.read_text()), 0)

    def test_a_stopped_measurement_leaves_no_description(self):
        running = subprocess.Popen([MASLIN, "machine", "--calibrate", "here.toml"], cwd=self.folder, stderr=subprocess.PIPE)
        time.sleep(0.2)
        running.send_signal(signal.SIGINT)
        self.assertEqual((running.communicate(timeout=30)[1], running.returncode), (b"", -signal.SIGINT))
        self.assertEqual([path.name for path in self.folder.iterdir()], ["four.phy"])

    def test_a_measurement_on_a_busy_machine_says_what_is_doubtful(self):
        one_cpu = {min(os.sched_getaffinity(0))}
        confined = {"preexec_fn": lambda: os.sched_setaffinity(0, one_cpu)}
        spins = "while True: pass"
        others = [subprocess.Popen([sys.executable, "-c", spins], **confined) for _ in range(2)]
        try:
            done = subprocess.run([MASLIN, "machine", "--calibrate", "here.toml"], cwd=self.folder, capture_output=True,
                                  text=True, timeout=250, check=False, **confined)
        finally:
            for other in others:
                other.kill()
                other.wait()
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stderr, r"(?s)warning: .*so these figures are doubtful: .*dispatch\.task_us")
        text = (self.folder / "here.toml").read_text()
        self.assertRegex(text, r"\A# Measured by .*\n# Warning: .* Doubtful are:\n(#   .*: .*\n)+name = ")
        self.assertRegex(text, r"#   dispatch\.task_us: (its threads had a CPU for|\d+ rounds gave|other processes took)")
        self.assertEqual(run("maslin", "machine", "--machine", self.folder / "here.toml").returncode, 0)

    def test_a_signal_that_the_parent_ignores_is_ignored(self):
        script = f"trap '' INT; '{MASLIN}' machine --calibrate here.toml & sleep 0.2; kill -INT $!; kill -0 $!; kill -TERM $!"
        done = subprocess.run(["sh", "-c", script], cwd=self.folder, capture_output=True, text=True, timeout=30, check=False)
        self.assertEqual((done.returncode, done.stderr), (0, ""))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[4:])
