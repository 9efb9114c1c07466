"""The Debian packages and the Python wheel, each in a Debian 12 that has nothing else: what they say they need is
enough, and a project that has only them builds and runs an example.

    bare.py CHECKOUT BUILD_FOLDER C++_COMPILER

Needs root, mmdebstrap, the packages in CHECKOUT/build/packages with the sources.list to use, and the wheel that
python/tests/installed.py made of BUILD_FOLDER. What it makes lies in a temporary folder, and is removed.
"""

import re
import shutil
import subprocess
import sys
import tempfile
import tomllib
import unittest
from pathlib import Path

CHECKOUT, BUILD = Path(sys.argv[1]), Path(sys.argv[2])
sys.path += [str(CHECKOUT / "tests" / "install"), str(CHECKOUT / "python" / "tests")]
import installed  # noqa: E402
from examples_test import missing  # noqa: E402
from install_test import VERSION, blocks, blocks_of  # noqa: E402

PACKAGES = CHECKOUT / "build" / "packages"
ENVIRONMENT = ("HOME=/root", "PATH=/usr/sbin:/usr/bin:/sbin:/bin", "LC_ALL=C.UTF-8", "DEBIAN_FRONTEND=noninteractive",
               "MASLIN_WORKERS=2", "MASLIN_REPORT=off", "MASLIN_LEARNED=off", "MASLIN_WATCHDOG=10")
NO_SOURCE = (".git", ".venv", "build", "out")
SOURCES = "maslin-0.2.tar.gz"
INSTALL = "apt-get -qq -o Dpkg::Use-Pty=0 install --no-install-recommends -y"


class Bare(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = Path(tempfile.mkdtemp(prefix="maslin-bare-"))
        cls.addClassCleanup(shutil.rmtree, cls.folder, ignore_errors=True)
        subprocess.run(["mmdebstrap", "--quiet", "--variant=apt", "bookworm", cls.folder / "bare.tar",
                        PACKAGES / "sources.list"], check=True)

    def setUp(self):
        self.begin()

    def tearDown(self):
        shutil.rmtree(self.root)

    def begin(self) -> None:
        """Goes on in a new Debian."""
        self.root = Path(tempfile.mkdtemp(dir=self.folder))
        self.root.chmod(0o755)
        subprocess.run(["tar", "-x", "--exclude=./dev/*", "-f", self.folder / "bare.tar", "-C", self.root], check=True)
        for device in ("null", "zero", "random", "urandom"):
            subprocess.run(["cp", "-a", f"/dev/{device}", self.root / "dev"], check=True)
        self.brought = self.root / "root" / "brought"
        self.brought.mkdir()
        shutil.copytree(CHECKOUT / "examples", self.root / "root" / "examples", ignore=shutil.ignore_patterns("build"))
        self.run_there("apt-get -qq update")

    def run_there(self, command: str, folder: str = "/root") -> str:
        done = subprocess.run(["chroot", self.root, "env", "-i", *ENVIRONMENT, "bash", "-euc", f"cd {folder}\n{command}"],
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                              check=False)
        self.assertEqual(done.returncode, 0, f"{command}\n{done.stdout}")
        return done.stdout

    def install(self, *names: str) -> None:
        """Installs packages of ours by these names, and what they depend on."""
        for name in names:
            file, = PACKAGES.glob(f"{name}_*.deb")
            shutil.copy(file, self.brought)
        self.run_there(f"{INSTALL} " + " ".join(f"/root/brought/{name}_*.deb" for name in names))

    def bring_the_sources(self, folder: str) -> None:
        """Puts an archive of the checkout there."""
        subprocess.run(["tar", "-czf", self.root / folder / SOURCES, *(f"--exclude=./{name}" for name in NO_SOURCE),
                        "--transform=s,^[.],maslin-0.2,SH", "-C", CHECKOUT, "."], check=True)

    def run_example(self, example: str, **environment: str) -> None:
        """Does what the page of an example says."""
        page = (CHECKOUT / "examples" / example / "README.md").read_text(encoding="utf-8")
        commands, = blocks_of(page, "sh")
        shown, = blocks_of(page, "text")
        settings = "".join(f"export {name}={value}\n" for name, value in environment.items())
        output = self.run_there(settings + commands, f"/root/examples/{example}")
        self.assertEqual(missing(shown.splitlines(), output), [], output)

    def test_the_commands(self):
        self.install("libmaslin0", "maslin")
        for command in ("maslin", "maslin-phylo"):
            self.assertEqual(self.run_there(f"{command} --version"), f"{command} {VERSION}\n")
        self.assertRegex(self.run_there("maslin machine"), "workers +2:")

    def test_a_project_that_has_only_the_library(self):
        """Examples in C and C++ are built and run; what was built runs where only the library is."""
        self.install("libmaslin0", "libmaslin-dev")
        self.run_there(f"{INSTALL} g++ make pkg-config cmake")
        self.run_example("c-stencil")
        self.run_example("quicksort")
        stencil = (self.root / "root/examples/c-stencil/build/stencil").read_bytes()

        # The static library needs what libmaslin-dev suggests.
        suggested = self.run_there("dpkg-query --show --showformat='${Suggests}' libmaslin-dev").replace(",", " ")
        self.run_there(f"{INSTALL} {suggested}")
        section = "C, or another build system"
        (self.root / "root" / "program.c").write_text(blocks("c", section)[0], encoding="utf-8")
        self.assertEqual(self.run_there(blocks("sh", section)[1]).splitlines()[-1], "499500")

        shutil.rmtree(self.root)
        self.begin()
        self.install("libmaslin0")
        (self.brought / "stencil").write_bytes(stencil)
        self.assertIn("100 steps", self.run_there("chmod +x stencil; ./stencil", "/root/brought"))

    def test_a_project_that_brings_the_sources(self):
        """What the page says that compiling Maslin needs is enough, for a folder of the project and for an archive."""
        section = "Build Maslin with the project"
        packages, = blocks("sh", section)
        self.run_there(packages.replace("apt install", INSTALL))
        folder = self.root / "root" / "project"
        folder.mkdir()
        self.bring_the_sources("root/project")
        (folder / "program.cpp").write_text(blocks("cpp", "C++ with CMake")[0], encoding="utf-8")
        as_folder, as_archive = blocks("cmake", section)
        configure = "cmake -S . -B build -D CMAKE_BUILD_TYPE=Release"
        (folder / "CMakeLists.txt").write_text(as_archive, encoding="utf-8")
        self.run_there(configure + "; cmake --build build --parallel $(nproc)", "/root/project")
        self.assertEqual(self.run_there("build/program", "/root/project").strip(), "499500 on 2 workers")
        (folder / "CMakeLists.txt").write_text(as_folder, encoding="utf-8")
        self.run_there("mv build/_deps/maslin-src maslin; rm -r build; " + configure, "/root/project")

    def test_maslin_phylo_on_the_packages(self):
        """What the page says that it needs beside an installed Maslin is enough; it finds a tree."""
        section = "Build maslin-phylo on an installed Maslin"
        self.install("libmaslin0", "libmaslin-dev")
        page = (CHECKOUT / "docs/install.md").read_text(encoding="utf-8")
        needs, = re.findall(r"^It needs (.*?), and gives", page, re.MULTILINE | re.DOTALL)
        self.run_there(f"{INSTALL} cmake g++ make " + " ".join(re.findall(r"`([^`]+)`", needs)))
        self.bring_the_sources("root")
        self.run_there(f"tar -xf {SOURCES}")
        configure, build, ask = blocks("sh", section)[0].splitlines()
        made = self.run_there(f"{configure}\n{build} --parallel $(nproc)\n{ask}", "/root/maslin-0.2")
        self.assertEqual(made.splitlines()[-1], f"maslin-phylo {VERSION}")
        self.run_there("phylo/bin/maslin-phylo search --msa maslin-0.2/tests/phylo/data/ten.phy --model HKY+G --quiet "
                       "--prefix found; test -s found.bestTree")

    def test_the_python_package_from_the_sources(self):
        """`pip install ./python` where no Maslin is installed: what the pages name is enough to compile it."""
        wheels = self.brought / "wheels"
        project = tomllib.loads((CHECKOUT / "python" / "pyproject.toml").read_text(encoding="utf-8"))
        # What pip would fetch: these, and ninja, for which scikit-build-core asks where there is none.
        subprocess.run([installed.PACKAGES / "bin" / "pip", "download", "--quiet", "--dest", wheels,
                        *project["build-system"]["requires"], "ninja"], check=True)
        library, = (block for block in blocks("sh", "Build Maslin with the project") if block.startswith("apt install"))
        page = (CHECKOUT / "docs/python.md").read_text(encoding="utf-8")
        more, = re.findall(r"^and (.*?)\. The backends", page, re.MULTILINE | re.DOTALL)
        self.run_there(library.strip().replace("apt install", INSTALL) + " " + " ".join(re.findall(r"`([^`]+)`", more)))
        self.run_there(f"{INSTALL} python3-venv python3-numpy\npython3 -m venv --system-site-packages environment")
        self.bring_the_sources("root")
        self.run_there(f"tar -xf {SOURCES}")
        self.run_there("export PIP_NO_INDEX=1 PIP_FIND_LINKS=/root/brought/wheels\n/root/environment/bin/pip install ./python",
                       "/root/maslin-0.2")
        self.assertEqual(self.run_there("environment/bin/maslin --version"), f"maslin {VERSION}\n")
        self.run_example("python-search", PATH="/root/environment/bin:$PATH")

    def test_a_project_that_has_only_the_python_package(self):
        self.install("libmaslin0", "maslin", "python3-maslin")
        self.assertEqual(self.run_there("python3 -c 'import importlib.metadata as m, maslin\n"
                                        "print(maslin.map(len, [[], [1]]), maslin.__version__, m.version(\"maslin\"))'"),
                         f"[0, 1] {VERSION} {VERSION}\n")
        self.assertIn("phase", self.run_there("python3 -c 'import maslin\nmaslin.map(len, [[]])\nprint(maslin.explain())'"))
        self.assertEqual(self.run_there("python3 -m maslin --version"), f"maslin {VERSION}\n")
        self.run_there(f"{INSTALL} python3-numpy; ln -s /usr/bin/python3 /usr/local/bin/python")
        self.run_example("python-search", PATH="/usr/local/bin:$PATH")
        self.run_there("apt-get -qq remove -y python3-maslin; test ! -e /usr/lib/python3/dist-packages/maslin")

    def test_a_project_that_has_only_the_wheel(self):
        wheel, = installed.where(BUILD).glob("maslin-*.whl")
        shutil.copy(wheel, self.brought)
        needs, = [block for block in blocks_of((CHECKOUT / "docs/python.md").read_text(encoding="utf-8"), "sh")
                  if block.startswith("apt install")]
        self.run_there(needs.replace("apt install", INSTALL))
        self.run_there(f"{INSTALL} python3-venv python3-numpy\npython3 -m venv --system-site-packages environment\n"
                       "environment/bin/pip install --quiet --no-index brought/maslin-*.whl")
        self.run_example("python-search", PATH="/root/environment/bin:$PATH")
        self.assertEqual(self.run_there("environment/bin/maslin --version"), f"maslin {VERSION}\n")


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[4:]], verbosity=2)
