"""The commands of docs/sanitizers.md, as they stand there; but the library is the one that this build has compiled in the
same way.

    page_test.py CHECKOUT LIBRARY
"""

import os
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

CHECKOUT, LIBRARY = (Path(path).resolve() for path in sys.argv[1:3])
PAGE = (CHECKOUT / "docs" / "sanitizers.md").read_text(encoding="utf-8")
BUILDS = re.compile(r"^cmake --build (\S+) --target maslin\n", re.MULTILINE)


class Page(unittest.TestCase):
    def test_the_commands_make_a_program_in_which_nothing_is_found(self):
        commands, = re.findall(r"^```sh\n(.*?)^```$", PAGE, re.DOTALL | re.MULTILINE)
        program, = re.findall(r"^```cpp\n(.*?)^```$", PAGE, re.DOTALL | re.MULTILINE)
        self.assertRegex(commands, BUILDS)
        commands = BUILDS.sub(rf"grep -q 'src/libmaslin[.]a' \1/build.ninja\ncp '{LIBRARY}' \1/src/\n", commands)
        with tempfile.TemporaryDirectory(prefix="maslin_sanitizers_") as name:
            folder = Path(name)
            (folder / "maslin").symlink_to(CHECKOUT)
            (folder / "program.cpp").write_text(program, encoding="utf-8")
            environment = {key: value for key, value in os.environ.items() if not key.startswith(("MASLIN_", "CMAKE_"))}
            environment |= {"CMAKE_GENERATOR": "Ninja", "MASLIN_WORKERS": "2", "MASLIN_AT_ONCE": "0",
                            "MASLIN_WATCHDOG": "20", "MASLIN_REPORT": "off", "MASLIN_LEARNED": "off"}
            done = subprocess.run(["bash", "-euc", commands], cwd=folder, env=environment, capture_output=True, text=True,
                                  timeout=280, check=False)
        said = done.stdout + done.stderr
        self.assertEqual(done.returncode, 0, said)
        self.assertNotIn("ThreadSanitizer", said)
        self.assertTrue(done.stdout.endswith(" 100 tasks\n"), said)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
