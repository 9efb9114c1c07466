"""Each way into a project that docs/install.md describes, with the page's own programs and commands.

    install_test.py CHECKOUT BUILD_FOLDER C++_COMPILER [UNITTEST ARGS]

What is installed lies in BUILD_FOLDER/installed.
"""

import json
import os
import re
import shutil
import subprocess
import sys
import unittest
from pathlib import Path

CHECKOUT, BUILD, COMPILER = Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3]
HOME = BUILD / "installed"  # of the user whom the page tells what to do
PREFIX = HOME / "maslin"
REUSE = Path(__file__).with_name("reuse.py")
PAGE = (CHECKOUT / "docs" / "install.md").read_text(encoding="utf-8")
PACKED = BUILD / "packages_test"
LISTED_PACKAGES = re.findall(r"^\| `((?:lib|python3-)?maslin[\w-]*)` \|", PAGE, re.MULTILINE)
VERSION = re.search(r"project\(maslin VERSION (\S+)", (CHECKOUT / "CMakeLists.txt").read_text(encoding="utf-8"))[1]

GDB_SCRIPT = "share/maslin/gdb/maslin.py"

LOADS_THE_LIBRARY = """
import ctypes, sys
maslin = ctypes.CDLL(sys.argv[1])
class Location(ctypes.Structure):
    _fields_ = [("file", ctypes.c_char_p), ("line", ctypes.c_int)]
here, workers, found = Location(b"program.py", 1), ctypes.c_int(), []
@ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_int64, ctypes.c_int64)
def body(_, first, last):
    found.extend(range(first, last))
    return 0
assert maslin.maslin_parallel_for_at(here, ctypes.c_int64(0), ctypes.c_int64(1000), body, None, None) == 0
assert maslin.maslin_workers_at(here, ctypes.byref(workers)) == 0
print(sum(found), "on", workers.value, "workers")
"""

USES_THE_PACKAGE = """
import importlib.metadata
import maslin
def square(x):
    return x * x
print(maslin.map(square, range(3)), "with", maslin.__version__ + ",", importlib.metadata.version("maslin"))
print(maslin.explain())
"""


def blocks_of(text: str, language: str) -> list[str]:
    """Gives the blocks of that language in a page, or a part of one."""
    return re.findall(rf"^```{language}\n(.*?)^```$", text, re.DOTALL | re.MULTILINE)


def blocks(language: str, section: str) -> list[str]:
    """Gives those in the section of the page that has this heading."""
    return blocks_of(re.search(rf"^## {re.escape(section)}\n(.*?)(?=^## |\Z)", PAGE, re.DOTALL | re.MULTILINE)[1], language)


def run(command: str, folder: Path, **more: str) -> str:
    """Runs a command as bash does, and gives what it printed."""
    environment = {key: value for key, value in os.environ.items() if not key.startswith(("MASLIN_", "CMAKE_"))}
    # A user has make or ninja; the packages that Maslin asks for have ninja alone.
    environment |= {"HOME": str(HOME), "CXX": COMPILER, "CMAKE_GENERATOR": "Ninja", "MASLIN_WORKERS": "2",
                    "MASLIN_WATCHDOG": "10", "MASLIN_REPORT": "off", "MASLIN_LEARNED": "off"} | more
    done = subprocess.run(["bash", "-euc", command], cwd=folder, env=environment, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, check=False)
    if done.returncode != 0:
        raise AssertionError(f"status {done.returncode} of:\n{command}\n{done.stdout}")
    return done.stdout


def fresh(folder: Path) -> Path:
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    return folder


def libraries_of(program: Path) -> list[str]:
    """Gives the shared libraries that the program asks for itself."""
    return re.findall(r"\(NEEDED\).*\[(.*)\]", run(f"readelf -dW '{program}'", program.parent))


def cached(folder: Path) -> str:
    return (folder / "CMakeCache.txt").read_text(encoding="utf-8")


def as_compiled(prefix: str, targets: str) -> str:
    """Gives the options of CMake by which these targets' objects are taken from the build folder (reuse.py)."""
    settings = r"^(CMAKE_BUILD_TYPE|CMAKE_CXX_FLAGS\w*):\w+=(.*)$"
    of_this = dict(re.findall(settings, cached(BUILD), re.MULTILINE))
    of_this["CMAKE_DISABLE_PRECOMPILE_HEADERS"] = "ON"  # objects that are there already need none
    of_this["CMAKE_CXX_COMPILER_LAUNCHER"] = f"{sys.executable};-B;{REUSE};{BUILD};{prefix};{targets}"
    return " ".join(f"-D '{name}={value}'" for name, value in of_this.items())


def packed() -> dict[str, Path]:
    """Gives the Debian packages that were made, by their names."""
    return {path.name.partition("_")[0]: path for path in (PACKED / "packages").glob("*.deb")}


class Ways(unittest.TestCase):
    def test_prefix(self):
        """Everything is installed, as the page says; the other tests use it."""
        fresh(HOME)
        build, install = blocks("sh", "Install Maslin")[0].splitlines()
        self.assertEqual(build, "./dev build")  # which has been done, or there were no tests
        run(install.replace("build/release", str(BUILD)), CHECKOUT)
        for command in ("maslin", "maslin-phylo"):
            self.assertEqual(run(f"bin/{command} --version", PREFIX), f"{command} {VERSION}\n")
        self.assertIn("workers", run("bin/maslin machine", PREFIX))

    def test_components(self):
        """Each component is what the page says, and together they are all."""
        folder = fresh(BUILD / "components")
        held = {}
        for component in ("runtime", "development", "tools", "phylo"):
            run(f"cmake --install '{BUILD}' --component {component} --prefix '{folder / component}'", CHECKOUT)
            files = (path for path in (folder / component).rglob("*") if not path.is_dir())
            held[component] = {str(path.relative_to(folder / component)) for path in files}
        headers = {f"include/maslin/{path.name}" for path in (CHECKOUT / "include/maslin").iterdir()}
        library, = (str(Path(file).parent) for file in held["runtime"] if file.endswith("/libmaslin.so.0"))
        self.assertFalse([file for file in held["runtime"] if not Path(file).name.startswith("libmaslin")
                          and file != "share/doc/libmaslin0/copyright"])
        self.assertLessEqual(headers | {f"{library}/{name}" for name in (
            "libmaslin.so", "libmaslin.a", "pkgconfig/maslin.pc", "cmake/maslin/maslin-config.cmake",
            "cmake/maslin/maslin-config-version.cmake")}, held["development"])
        self.assertEqual({file for file in held["development"] if file.startswith("include/")}, headers)
        self.assertIn(GDB_SCRIPT, held["development"])
        self.assertIn("bin/maslin", held["tools"])
        self.assertIn("share/maslin/specs/cell-qs20.toml", held["tools"])
        for file in held["tools"]:
            if file.startswith("bin/"):
                self.assertIn(f"`{Path(file).name}`", PAGE)
        words = "share/man/man1/{0}.1", "share/bash-completion/completions/{0}", "share/zsh/site-functions/_{0}"
        phylo = {"bin/maslin-phylo", "bin/maslin-phylo-mpi", *(file.format("maslin-phylo") for file in words)}
        self.assertEqual(held["phylo"] - {"bin/maslin-phylo-system-mpi"}, phylo)
        self.assertLessEqual({file.format("maslin") for file in words}, held["tools"])
        commands = {Path(file).name for file in held["tools"] if file.startswith("bin/")}
        self.assertLessEqual({words[0].format(command) for command in commands}, held["tools"])
        for first in held:
            for second in held:
                self.assertTrue(first == second or not held[first] & held[second], (first, second))

    def test_commands(self):
        """What is installed with the commands works: the manual, completion, figures without the checkout."""
        folder = fresh(BUILD / "with_commands")
        manual = (PREFIX / "share/man/man1/maslin.1").read_text(encoding="utf-8")
        self.assertEqual(manual, run(f"{PREFIX}/bin/maslin --manual", folder))
        for page in (PREFIX / "share/man/man1").iterdir():
            name = page.stem.replace("-", "\\-")
            text = page.read_text(encoding="utf-8")
            self.assertTrue(text.startswith(f'.TH {name.upper()} 1 "" "{name} {VERSION}"'), text)
            for section in ("SYNOPSIS", "EXIT STATUS", "SEE ALSO"):
                self.assertIn(f"\n.SH {section}\n", text)
            if shutil.which("groff"):
                self.assertEqual(run(f"groff -k -t -man -Tutf8 -ww -rLL=100n '{page}' 2>&1 > page.text", folder), "")
        for compiler in PREFIX.glob("bin/maslin-*cc"):
            page = (PREFIX / f"share/man/man1/{compiler.name}.1").read_text(encoding="utf-8").replace("\\-", "-")
            options = re.findall(r"^  (-\S+) {2,}(\S.*)$", run(f"{compiler} --help", folder), re.MULTILINE)
            self.assertGreaterEqual(len(options), 3)
            for option, meaning in options:
                self.assertIn(f"\n.TP\n\\fB{option}\\fR\n{meaning}\n", page)
        offered = run(f". {PREFIX}/share/bash-completion/completions/maslin; COMP_WORDS=(maslin repl); COMP_CWORD=1; _maslin; "
                      'echo "${COMPREPLY[@]}"', folder)
        self.assertEqual(offered, "replay\n")
        self.assertIn("mean error", run(f"{PREFIX}/bin/maslin figures table2a --quick", folder))
        self.assertTrue((folder / "out/cell/table2a.svg").is_file())

    def test_cmake(self):
        """C++ by find_package: the shared library, then the static one."""
        folder = fresh(BUILD / "with_cmake")
        section = "C++ with CMake"
        (folder / "program.cpp").write_text(blocks("cpp", section)[0], encoding="utf-8")
        project, = blocks("cmake", section)
        (folder / "CMakeLists.txt").write_text(project, encoding="utf-8")
        commands, = blocks("sh", section)
        self.assertEqual(run(commands, folder).splitlines()[-1], "499500 on 2 workers")
        self.assertIn("libmaslin.so.0", libraries_of(folder / "build/program"))
        # C++20 comes with the target: the project does not ask for it.
        self.assertIn("-std=gnu++20", (folder / "build/build.ninja").read_text(encoding="utf-8"))

        (folder / "CMakeLists.txt").write_text(project.replace("maslin::maslin", "maslin::static")
                                               .replace("REQUIRED", "REQUIRED COMPONENTS static"), encoding="utf-8")
        self.assertEqual(run(commands, folder).splitlines()[-1], "499500 on 2 workers")
        self.assertNotIn("libmaslin", str(libraries_of(folder / "build/program")))

        # Another minor version may lack what the program uses.
        for version in ("0.1", "0.3", "1"):
            (folder / "CMakeLists.txt").write_text(project.replace("0.2", version), encoding="utf-8")
            with self.assertRaises(AssertionError) as refused:
                run(f"cmake -S . -B build_{version} -D CMAKE_PREFIX_PATH='{PREFIX}'", folder)
            self.assertIn(f'requested version "{version}"', " ".join(str(refused.exception).split()))

        # The shared library needs none of the packages that the static one does.
        (folder / "CMakeLists.txt").write_text(project, encoding="utf-8")
        configure = f"cmake -S . -B build_without -D CMAKE_PREFIX_PATH='{PREFIX}' " + " ".join(
            f"-D CMAKE_DISABLE_FIND_PACKAGE_{name}=ON" for name in ("fmt", "Boost", "tomlplusplus", "PkgConfig"))
        run(f"{configure}; cmake --build build_without; build_without/program", folder)
        (folder / "CMakeLists.txt").write_text(project.replace("REQUIRED", "REQUIRED COMPONENTS static"), encoding="utf-8")
        with self.assertRaises(AssertionError) as refused:
            run(configure, folder)
        self.assertIn("maslin::static needs what was not found: fmt::fmt", " ".join(str(refused.exception).split()))

    def test_cmake_c(self):
        """A project in C alone, by find_package."""
        folder = fresh(BUILD / "with_cmake_c")
        (folder / "program.c").write_text(blocks("c", "C, or another build system")[0], encoding="utf-8")
        project, = blocks("cmake", "C++ with CMake")
        (folder / "CMakeLists.txt").write_text(project.replace("CXX", "C").replace(".cpp", ".c"), encoding="utf-8")
        self.assertEqual(run(blocks("sh", "C++ with CMake")[0], folder).splitlines()[-1], "499500")

    def test_pkg_config(self):
        """C by pkg-config: the shared library, the static one, and one where there is only a static one."""
        folder = fresh(BUILD / "with_pkg_config")
        section = "C, or another build system"
        (folder / "program.c").write_text(blocks("c", section)[0], encoding="utf-8")
        shared, static = blocks("sh", section)
        self.assertEqual(run(shared, folder).splitlines()[-1], "499500")
        needed = libraries_of(folder / "program")
        self.assertIn("libmaslin.so.0", needed)
        self.assertFalse([name for name in needed if not re.match(r"lib(maslin|c)\.", name)], needed)
        place = shared.splitlines()[0] + "\n"
        self.assertEqual(run(place + static, folder).splitlines()[-1], "499500")
        self.assertNotIn("libmaslin", str(libraries_of(folder / "program")))
        self.assertEqual(run(place + "pkg-config --modversion maslin", folder).strip(),
                         VERSION)

        moved = folder / "moved"  # and without the shared library
        shutil.copytree(PREFIX, moved, symlinks=True, ignore=shutil.ignore_patterns("*.so*", "bin", "share"))
        commands = shared.replace("$HOME/maslin", str(moved)).replace("--libs", "--static --libs")
        self.assertEqual(run(commands, folder).splitlines()[-1], "499500")
        self.assertNotIn("libmaslin", str(libraries_of(folder / "program")))

    @unittest.skipUnless(shutil.which("gfortran"), "there is no gfortran")
    def test_fortran(self):
        """The Fortran program of docs/c.md, by pkg-config."""
        folder = fresh(BUILD / "with_fortran")
        page = (CHECKOUT / "docs" / "c.md").read_text(encoding="utf-8")
        program, = blocks_of(page, "fortran")
        (folder / "squares.f90").write_text(program, encoding="utf-8")
        commands, = blocks_of(page, "sh")
        place = blocks("sh", "C, or another build system")[0].splitlines()[0] + "\n"
        printed = run(place + commands, folder)
        self.assertEqual(printed, "333833500.0\n")
        self.assertIn(f"It prints `{printed.strip()}`", page)
        self.assertIn("libmaslin.so.0", libraries_of(folder / "squares"))

    def test_dlopen(self):
        """A program that was built without Maslin loads the shared library while it runs, as Python does."""
        folder = fresh(BUILD / "with_dlopen")
        (folder / "program.py").write_text(LOADS_THE_LIBRARY, encoding="utf-8")
        library, = PREFIX.rglob("libmaslin.so.0")
        self.assertEqual(run(f"'{sys.executable}' -B program.py '{library}'", folder).strip(), "499500 on 2 workers")

    @unittest.skipUnless(shutil.which("gdb"), "there is no gdb")
    def test_gdb(self):
        """gdb loads the commands by itself with the installed library, once it trusts the folder where they are."""
        folder = fresh(BUILD / "with_gdb")
        place = blocks("sh", "C, or another build system")[0].splitlines()[0]
        run(f"{place}\n{COMPILER} -std=c++20 -g '{CHECKOUT}/tests/debuggers/waiting.cpp' -o waiting "
            "$(pkg-config --cflags --libs maslin) -Wl,-rpath=$(pkg-config --variable=libdir maslin)", folder)
        folder_for_gdb = PREFIX.resolve() / "share/gdb/auto-load"
        told = f"-iex 'set auto-load scripts-directory {folder_for_gdb}' -iex 'add-auto-load-safe-path {folder_for_gdb}' "
        started = "gdb -q -nx -batch -iex 'set width 0' {}-ex run -ex 'info auto-load python-scripts' {}--args ./waiting stop 2>&1"
        said = run(started.format(told, "-ex 'maslin fibers' "), folder)
        self.assertRegex(said, rf"\nYes +{re.escape(str(folder_for_gdb))}/.*/libmaslin\.so\.{re.escape(VERSION)}-gdb\.py *\n")
        self.assertEqual(len(re.findall(r"^  \d+ +.*wait_for_it.* at .*waiting\.cpp:\d+$", said, re.MULTILINE)), 3, said)
        self.assertNotIn("libmaslin", run(started.format("", "") + " | sed -n '/^Loaded/,$p'", folder))

    def test_packages(self):
        """The Debian packages hold what the page says and depend on what they use. Examples are built with them."""
        if not shutil.which("dpkg-shlibdeps"):
            self.skipTest("there is no dpkg-shlibdeps (Debian: dpkg-dev), which finds what packages depend on")
        folder = fresh(PACKED)
        run(blocks("sh", "Install Maslin")[1].replace("build/release", str(BUILD)), folder)
        files = packed()
        self.assertEqual({*files, "python3-maslin"}, set(LISTED_PACKAGES))
        depends = {name: run(f"dpkg-deb -f '{file}' Depends", folder) for name, file in files.items()}
        for library in ("libc6", "libfmt", "libhwloc", "libboost-context", "libstdc++6"):
            self.assertIn(library, depends["libmaslin0"])
            self.assertIn(library, depends["maslin"])
        for package in ("libmaslin-dev", "maslin"):
            self.assertIn(f"libmaslin0 (= {VERSION})", depends[package])
        root = folder / "root"
        for file in files.values():
            run(f"dpkg-deb -x '{file}' '{root}'", folder)
        for name in files:
            self.assertTrue((root / "usr/share/doc" / name / "copyright").exists(), name)
        self.assertIn("workers", run("usr/bin/maslin machine", root))
        library, = (path.resolve() for path in root.rglob("libmaslin.so.0"))
        loaded_by_gdb = root / "usr/share/gdb/auto-load" / f"{library.relative_to(root.resolve())}-gdb.py"
        self.assertEqual(loaded_by_gdb.read_text(encoding="utf-8"), f"gdb.execute('source /usr/{GDB_SCRIPT}')\n")
        for example in ("c-stencil", "quicksort"):  # by pkg-config, and by find_package
            shutil.copytree(CHECKOUT / "examples" / example, folder / example, ignore=shutil.ignore_patterns("build"))
            page = (folder / example / "README.md").read_text(encoding="utf-8")
            output = run(blocks_of(page, "sh")[0].replace("$HOME/maslin", f"{root}/usr"), folder / example)
            self.assertIn(blocks_of(page, "text")[0].splitlines()[0], output)

    def test_python_package(self):
        """python3-maslin is made as the page says. With the other packages beside it, Debian's own Python uses it."""
        sys.path.insert(0, str(CHECKOUT / "python" / "tests"))
        import installed  # noqa: PLC0415

        if why := installed.missing():
            self.skipTest(why)
        if not shutil.which("dpkg-deb"):
            self.skipTest("there is no dpkg-deb")
        folder, made = PACKED, BUILD / "with_python_package"
        shutil.rmtree(made, ignore_errors=True)
        # With the library that the wheel is tested with, the compiler's cache knows the extension.
        commands = blocks("sh", "Install Maslin")[2].replace("$HOME/maslin", str(BUILD / "python" / "maslin"))
        launcher = re.search(r"^CMAKE_CXX_COMPILER_LAUNCHER:\w+=(.*)$", cached(BUILD), re.MULTILINE)
        run(commands.replace("build/python3", str(made)).replace("-B packages", f"-B '{folder / 'packages'}'"), CHECKOUT,
            CMAKE_CXX_COMPILER_LAUNCHER=launcher[1] if launcher else "")
        files = packed()
        depends = run(f"dpkg-deb -f '{files['python3-maslin']}' Depends", folder)
        python = run("/usr/bin/python3 -c 'import sys; print(\"%d.%d\" % sys.version_info[:2])'", folder).strip()
        for needed in (f"libmaslin0 (= {VERSION})", f"maslin (= {VERSION})", f"python3 (>= {python})", "python3 (<< 3."):
            self.assertIn(needed, depends)
        root = fresh(folder / "python_root")
        for name in ("libmaslin0", "maslin", "python3-maslin"):
            run(f"dpkg-deb -x '{files[name]}' '{root}'", folder)
        self.assertEqual(len(list(root.rglob("libmaslin.so.*"))), 2)  # the library and its name, in libmaslin0
        (folder / "program.py").write_text(USES_THE_PACKAGE, encoding="utf-8")
        printed = run("/usr/bin/python3 -B program.py", folder, LD_LIBRARY_PATH=str(root / "usr/lib"),
                      PYTHONPATH=str(root / "usr/lib/python3/dist-packages"))
        self.assertEqual(printed.splitlines()[0], f"[0, 1, 4] with {VERSION}, {VERSION}")
        self.assertIn("square", printed)

    def test_python_sources(self):
        """Where no Maslin is installed, `pip install ./python` builds the library and the command, and nothing else of it."""
        sys.path.insert(0, str(CHECKOUT / "python" / "tests"))
        import installed  # noqa: PLC0415

        if why := installed.missing():
            self.skipTest(why)
        folder = fresh(BUILD / "python_sources")
        python = installed.PACKAGES / "bin" / "python"
        nanobind = run(f"'{python}' -m nanobind --cmake_dir", folder).strip()
        run(f"cmake -S '{CHECKOUT / 'python'}' -B . -D CMAKE_DISABLE_FIND_PACKAGE_maslin=ON -D nanobind_DIR='{nanobind}' "
            f"-D Python_EXECUTABLE='{python}'", folder)
        commands = run("ninja -t commands maslin_python", folder)
        for made in (rf"libmaslin\.so\.{re.escape(VERSION)}", "bin/maslin", r"_core\.[\w-]*\.so"):
            self.assertRegex(commands, rf"-o (\S*/)?{made} ")
        for name in ("conformance", "maslin-phylo", "bench_", "libmaslin_mpi"):
            self.assertNotIn(name, commands)

    def test_phylo(self):
        """maslin-phylo as a project of its own on the installed Maslin: it is the installed command to the last bit."""
        folder = fresh(HOME / "phylo")
        configure, build, ask = blocks("sh", "Build maslin-phylo on an installed Maslin")[0].splitlines()
        run(f"{configure} {as_compiled(str(PREFIX), 'phylo,command-line,maslin-phylo-command-line')}", CHECKOUT)
        compiled = json.loads((folder / "compile_commands.json").read_text(encoding="utf-8"))
        of_rooms = {entry["file"].partition(f"{CHECKOUT}/src/")[2] for entry in compiled} - {""}
        self.assertEqual(of_rooms, {"files/marked.cpp", "files/replacement.cpp", "base/nearest_word.cpp"})
        self.assertFalse([entry["command"] for entry in compiled if f"{CHECKOUT}/include" in entry["command"]])
        self.assertEqual(run(f"{build}; {ask}", CHECKOUT).splitlines()[-1], f"maslin-phylo {VERSION}")
        self.assertIn("libmaslin.so.0", libraries_of(folder / "bin/maslin-phylo"))

        data = CHECKOUT / "tests/phylo/data"
        model = "HKY{3.0}+FU{0.35/0.15/0.2/0.3}+R3{0.2/0.8/2.7}{0.3/0.5/0.2}"  # and IQ-TREE's answer
        evaluated = run(f"bin/maslin-phylo evaluate --msa {data}/ten.phy --tree {data}/ten.tree --model '{model}' --json", folder)
        self.assertAlmostEqual(json.loads(evaluated)["lnl"], -2354.9011, delta=6e-5)
        search = f"maslin-phylo search --msa {data}/ten.phy --model HKY+G --starts 2 --quiet --json --prefix"
        here, there = (json.loads(run(f"{where}/bin/{search} {name}", folder))
                       for where, name in ((folder, "here"), (PREFIX, "there")))
        self.assertEqual(here["best"], there["best"])

    def test_part(self):
        """Maslin as a part of another project, by add_subdirectory."""
        folder = fresh(BUILD / "part")
        section = "Build Maslin with the project"
        (folder / "program.cpp").write_text(blocks("cpp", "C++ with CMake")[0], encoding="utf-8")
        (folder / "program.c").write_text(blocks("c", "C, or another build system")[0], encoding="utf-8")
        project = blocks("cmake", section)[0].replace("(maslin)", f"({CHECKOUT} maslin)")
        more = "add_executable(c_program program.c)\ntarget_link_libraries(c_program maslin::static)\n"
        (folder / "CMakeLists.txt").write_text(project + more, encoding="utf-8")
        run(f"cmake -G Ninja -S . -B build {as_compiled('-', 'maslin-objects')}", folder)
        looked_for = set(re.findall(r"^(\w+)_(?:DIR|FOUND)\b", cached(folder / "build"), re.MULTILINE))
        self.assertFalse(looked_for & {"GTest", "benchmark", "CLI11", "nlohmann_json", "MPI"}, looked_for)
        built = run("ninja -C build -t targets all", folder)
        for name in ("conformance", "maslin-phylo", "bin/maslin:", "bench_", "libmaslin_mpi"):
            self.assertNotIn(name, built)
        run("ninja -C build", folder)
        self.assertEqual(run("build/program", folder).strip(), "499500 on 2 workers")
        self.assertEqual(run("build/c_program", folder).strip(), "499500")
        self.assertIn("libmaslin.so.0", libraries_of(folder / "build/program"))
        self.assertNotIn("libmaslin", str(libraries_of(folder / "build/c_program")))

    def test_part_settings(self):
        """Where the project sets no build type, Maslin is optimized and says so; FetchContent gives the same target."""
        folder = fresh(BUILD / "part_settings")
        (folder / "program.cpp").write_text(blocks("cpp", "C++ with CMake")[0], encoding="utf-8")
        (folder / "CMakeLists.txt").write_text(blocks("cmake", "Build Maslin with the project")[1], encoding="utf-8")
        configure = f"cmake -G Ninja -S . -D FETCHCONTENT_SOURCE_DIR_MASLIN='{CHECKOUT}' -D CMAKE_EXPORT_COMPILE_COMMANDS=ON -B "
        said = run(configure + "none", folder)
        self.assertIn("CMAKE_BUILD_TYPE is not set; Maslin itself is built as Release", said)
        commands = json.loads((folder / "none/compile_commands.json").read_text(encoding="utf-8"))
        for entry in commands:
            of_maslin = entry["file"].startswith(str(CHECKOUT / "src"))
            self.assertEqual(" -O3 " in entry["command"], of_maslin, entry)
            self.assertIn("-std=c++20" if of_maslin else "++20", entry["command"])
        self.assertGreater(len(commands), 50)
        said = run(configure + "debug -D CMAKE_BUILD_TYPE=Debug", folder)
        self.assertIn("Debug; Maslin, too, is built without optimization", said)
        self.assertNotIn("Maslin", run(configure + "release -D CMAKE_BUILD_TYPE=Release", folder))
        with self.assertRaises(AssertionError) as refused:
            run(configure + "tests -D MASLIN_TESTS=ON", folder)
        self.assertIn("MASLIN_TESTS and MASLIN_BENCH need MASLIN_TOOLS", str(refused.exception))


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[4:]], verbosity=2)
