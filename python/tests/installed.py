"""Installs the package outside the checkout, and runs a test there. Status 77 where packages are missing.

    installed.py BUILD_FOLDER install | python | remove | TEST

`python` prints the path of the interpreter that has the package.
"""

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

TESTS = Path(__file__).resolve().parent
CHECKOUT = TESTS.parents[1]
PACKAGES = CHECKOUT / ".venv"
SKIPPED = 77


def missing() -> str:
    """Gives why the tests cannot run; empty if they can."""
    python = PACKAGES / "bin" / "python"
    if not python.is_file():
        return "there is no .venv; ./dev test makes it"
    names = ("joblib", "nanobind", "numpy", "scikit_build_core", "sklearn")
    look = f"import importlib.util as u; print(*[n for n in {names} if u.find_spec(n) is None], sep=', ')"
    absent = subprocess.run([python, "-c", look], capture_output=True, text=True, check=True).stdout.strip()
    if absent:
        return f"{absent} absent; ./dev test installs them (python/tests/requirements.txt)"
    include = "import sysconfig; print(sysconfig.get_path('include'))"
    headers = subprocess.run([python, "-c", include], capture_output=True, text=True, check=True).stdout.strip()
    return "" if Path(headers, "Python.h").is_file() else "Python's headers are absent (Debian: python3-dev)"


def environment(**more: object) -> dict[str, str]:
    own = ("MASLIN_", "PYTHON", "CMAKE_", "SKBUILD_", "OMP_", "OPENBLAS_")
    kept = {name: value for name, value in os.environ.items() if not name.startswith(own)}
    return kept | {name: str(value) for name, value in more.items()}


def install(build: Path) -> None:
    remove(build)
    prefix = build / "python" / "maslin"
    for component in ("runtime", "development", "tools"):
        subprocess.run(["cmake", "--install", build, "--component", component, "--prefix", prefix], check=True,
                       stdout=subprocess.DEVNULL)
    cache = (build / "CMakeCache.txt").read_text(encoding="utf-8")
    settings = [f"{name}={value}" for name, value in
                re.findall(r"^(CMAKE_CXX_COMPILER(?:_LAUNCHER)?):\w+=(.*)$", cache, re.MULTILINE)]
    folder = Path(tempfile.mkdtemp(prefix="maslin-python-"))
    (build / "python" / "where.json").write_text(json.dumps(str(folder)), encoding="utf-8")
    pip = PACKAGES / "bin" / "pip"
    subprocess.run([pip, "wheel", "--no-build-isolation", "--no-deps", "--no-index", "--wheel-dir", folder,
                    CHECKOUT / "python"], check=True,
                   env=environment(CMAKE_PREFIX_PATH=prefix, SKBUILD_BUILD_DIR=build / "python" / "build",
                                   SKBUILD_CMAKE_DEFINE=";".join(settings), PYTHONDONTWRITEBYTECODE=1,
                                   PATH=f"{PACKAGES / 'bin'}:{os.environ['PATH']}"))
    wheel, = folder.glob("maslin-*.whl")
    # What the package does not bring along is that of .venv.
    subprocess.run([PACKAGES / "bin" / "python", "-m", "venv", "--without-pip", folder / "venv"], check=True)
    own, = folder.glob("venv/lib/*/site-packages")
    theirs, = PACKAGES.glob("lib/*/site-packages")
    (own / "theirs.pth").write_text(f"{theirs}\n", encoding="utf-8")
    subprocess.run([pip, "--python", folder / "venv" / "bin" / "python", "install", "--quiet", "--no-deps", "--no-index",
                    wheel], check=True, env=environment())


def where(build: Path) -> Path:
    return Path(json.loads((build / "python" / "where.json").read_text(encoding="utf-8")))


def remove(build: Path) -> None:
    if (build / "python" / "where.json").exists():
        shutil.rmtree(where(build), ignore_errors=True)
        (build / "python" / "where.json").unlink()


def main() -> int:
    build, what = Path(sys.argv[1]), sys.argv[2]
    if why := missing():
        print(f"skipped: {why}")
        return SKIPPED
    if what == "install":
        install(build)
        return 0
    if what == "remove":
        remove(build)
        return 0
    folder = where(build)
    if what == "python":
        print(folder / "venv" / "bin" / "python")
        return 0
    settings = environment(MASLIN_WORKERS=2, MASLIN_WATCHDOG=10, MASLIN_LEARNED="off", MASLIN_REPORT="off",
                           PYTHONFAULTHANDLER=1, PATH=f"{folder / 'venv' / 'bin'}:{os.environ['PATH']}")
    return subprocess.run([folder / "venv" / "bin" / "python", "-B", TESTS / what, *sys.argv[3:]], cwd=folder,
                          env=settings, check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
