"""What `maslin settings` prints.

    settings_command_test.py MASLIN
"""

import json
import os
import subprocess
import sys
import unittest

MASLIN = sys.argv[1]
WIDTH = 120


def settings(*words, **variables):
    plain = {name: value for name, value in os.environ.items() if not name.startswith("MASLIN_")}
    return subprocess.run([MASLIN, "settings", *words], env=plain | variables, capture_output=True, text=True, timeout=60,
                          check=False)


class Settings(unittest.TestCase):
    def test_all_are_listed_in_columns(self):
        done = settings(MASLIN_LOOP="gss")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        lines = done.stdout.splitlines()
        self.assertLessEqual(max(map(len, lines)), WIDTH)
        self.assertEqual([line for line in lines if line.endswith(" ")], [])
        now = lines[0].index("now")
        rows = [line for line in lines if line.startswith("MASLIN_")]
        self.assertEqual(len(rows), len(json.loads(settings("--json").stdout)))
        self.assertEqual({line.split()[0]: line[now:].split()[0] for line in rows if line[now] != " "},
                         {"MASLIN_LOOP": "gss"})

    def test_a_long_value_stays_in_its_column(self):
        done = settings(MASLIN_TRACE="/a" * 100)
        self.assertLessEqual(max(map(len, done.stdout.splitlines())), WIDTH)

    def test_one_is_told_in_detail(self):
        done = settings("MASLIN_DURATIONS", MASLIN_DURATIONS="declared", MASLIN_WAIT="yeild")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        for part in ("declared: only declared costs count\n", "if not set  measured\n", "now         declared\n",
                     "on described machines\n"):
            self.assertIn(part, done.stdout)
        self.assertNotIn("`", settings("MASLIN_FOREIGN").stdout)

    def test_json_tells_the_same(self):
        every = {one["name"]: one for one in json.loads(settings("--json", MASLIN_WORKERS="3").stdout)}
        workers = every["MASLIN_WORKERS"]
        self.assertEqual((workers["kind"], workers["least"], workers["most"], workers["now"], workers["problem"]),
                         ("number", 1, 4096, "3", None))
        self.assertIsNone(every["MASLIN_RENAME"]["most"])
        self.assertEqual([word["word"] for word in every["MASLIN_LOOP"]["words"]], ["dbs", "static", "gss", "afs"])
        self.assertEqual(json.loads(settings("MASLIN_WORKERS", "--json", MASLIN_WORKERS="3").stdout), workers)

    def test_a_bad_value_is_shown_with_what_was_expected(self):
        for words in ((), ("--json",), ("MASLIN_WAIT",)):
            done = settings(*words, MASLIN_WAIT="yeild")
            self.assertEqual(done.returncode, 2)
            self.assertIn("maslin: MASLIN_WAIT=yeild: expected spin, yield, adaptive, park or auto, did you mean 'yield'?",
                          done.stderr)
            self.assertIn("yeild", done.stdout)
        self.assertIn("yeild (bad)", settings(MASLIN_WAIT="yeild").stdout)
        every = json.loads(settings("--json", MASLIN_PIN="p=4y2").stdout)
        problems = [one["problem"] for one in every if one["problem"]]
        self.assertEqual(len(problems), 1)
        self.assertTrue(problems[0].startswith("MASLIN_PIN=p=4y2: column 4: expected 'x'"), problems)

    def test_policies_to_compare_with_are_not_the_librarys(self):
        for policy in ("hill-climbing", "ucb"):
            done = settings(MASLIN_GRAIN=policy)
            self.assertEqual((done.returncode, done.stderr),
                             (2, f"maslin: MASLIN_GRAIN={policy}: unknown policy; write auto, edtlp, edtlp-llp:WIDTH, s-mgps, "
                                 "s-mgps:work, mgps; if not set: auto\n"))

    def test_a_misspelt_one_is_told_with_the_nearest_name(self):
        done = settings(MASLIN_WROKERS="2")
        self.assertEqual((done.returncode, done.stderr),
                         (0, "maslin: MASLIN_WROKERS is not a setting; did you mean MASLIN_WORKERS?\n"))

    def test_an_unknown_name_is_an_error(self):
        done = settings("MASLIN_WIAT")
        self.assertEqual((done.returncode, done.stdout, done.stderr),
                         (2, "", "maslin: MASLIN_WIAT is not a setting; did you mean MASLIN_WAIT?\n"))
        done = settings("MASLIN_BANANA")
        self.assertEqual((done.returncode, done.stderr),
                         (2, "maslin: MASLIN_BANANA is not a setting; `maslin settings` lists all\n"))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
