"""Maslin for Python: runs independent calls at the same time, and gives the BLAS and OpenMP libraries inside each call
as many threads as fit. docs/python.md in Maslin's checkout says how to use it."""

from __future__ import annotations

import atexit
import functools
import json
import operator
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from types import CodeType
from typing import Any, TypeVar

from . import _core
from ._core import Error

__all__ = ["Error", "__version__", "explain", "map", "phase", "report", "width", "workers"]

Item = TypeVar("Item")
Result = TypeVar("Result")

__version__: str = _core.version
COMMAND = Path(__file__).with_name("maslin-command")

Error.__module__ = __name__


def _text(path: str) -> str:
    """Gives it without what is not UTF-8."""
    return path.encode("utf-8", "replace").decode()


if sys.argv and os.path.isfile(sys.argv[0]):
    _program = Path(sys.argv[0])
    _core.name_program(_text(_program.parent.name if _program.name == "__main__.py" else _program.name))
os.register_at_fork(after_in_child=_core.after_fork)
atexit.register(_core.end)


def _name(function: Callable[..., Any], file: str, line: int) -> str:
    """Gives the name that the phase has in reports: that of the function, else its place, else that of the call."""
    while isinstance(function, functools.partial):
        function = function.func
    name = getattr(function, "__name__", type(function).__name__)
    if isinstance(name, str) and name.isidentifier():
        return name
    code = getattr(function, "__code__", None)  # of a lambda
    if isinstance(code, CodeType):
        file, line = code.co_filename, code.co_firstlineno
    return f"{_text(Path(file).name)}:{line}"


def _run(function: Callable[..., Any], items: list[Any] | None, count: int, order: Sequence[int],
         results: list[Any] | None, name: str | None, goes_on: bool) -> None:
    if not callable(function):
        raise TypeError(f"expected a function, not {type(function).__name__}")
    if name is not None and not isinstance(name, str):
        raise TypeError(f"a name is a string, not {type(name).__name__}")
    try:
        caller = sys._getframe(2)
        file, line = _text(caller.f_code.co_filename), caller.f_lineno
    except ValueError:  # no Python code called
        file, line = "", 0
    if count > 0:
        _core.run(function, items, count, order, results, goes_on,
                  _text(name) if name else _name(function, file, line), file, line)


def map(function: Callable[[Item], Result], items: Iterable[Item], *, costs: Iterable[float] | None = None,
        name: str | None = None) -> list[Result]:
    """Gives ``[function(item) for item in items]``, several items at a time.

    Items begin in their order, or the most expensive first if ``costs`` has a number for each: what it takes, in any
    unit. If items raise, the exception of the earliest is raised here; what stands behind it is not begun any more.
    ``name``: of the phase in reports; the function's if not given.

    Each item sees a copy of the caller's context variables. Inside an item, ``map`` uses what workers are idle.
    """
    all_items = list(items)
    order: list[int] = []
    if costs is not None:
        expensive = [float(cost) for cost in costs]
        if len(expensive) != len(all_items):
            raise ValueError(f"{len(expensive)} costs for {len(all_items)} items: expected one for each")
        if any(cost != cost for cost in expensive):
            raise ValueError("a cost is not a number (nan)")
        order = sorted(range(len(expensive)), key=lambda i: -expensive[i])
    results: list[Any] = [None] * len(all_items)
    _run(function, all_items, len(all_items), order, results, name, goes_on=False)
    return results


def phase(streams: int, function: Callable[[int], Any], *, name: str | None = None) -> None:
    """Calls ``function(i)`` for each i from 0 up to ``streams``, several at a time.

    If calls raise, the others still run, and the exception of the lowest i is raised here. ``name``: of the phase in
    reports; the function's if not given.
    """
    streams = operator.index(streams)
    if streams < 0:
        raise ValueError(f"{streams} streams: expected 0 or more")
    _run(function, None, streams, [], None, name, goes_on=True)


def width() -> int:
    """Gives the number of workers granted to the caller: in an item, how many threads libraries may use; outside, all."""
    return _core.width()


def workers() -> int:
    """Gives the number of workers: the CPUs that this process may use, unless MASLIN_WORKERS says otherwise."""
    return _core.workers()


def report() -> dict[str, Any]:
    """Gives what was decided so far in this process, for each phase, as MASLIN_REPORT has it; empty before the first
    call."""
    text = _core.report()
    return json.loads(text) if text else {}


def explain() -> str:
    """Gives the same as text: what was tried, what was chosen, and why, as the command ``maslin explain`` prints it."""
    text = _core.report()
    if not text:
        return "no call of maslin.map or maslin.phase has begun in this process\n"
    with tempfile.TemporaryDirectory(prefix="maslin-") as folder:
        file = Path(folder, "report.json")
        file.write_text(text, encoding="utf-8")
        done = subprocess.run([COMMAND, "explain", file], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                              encoding="utf-8", check=False)
    if done.returncode != 0:
        raise Error(done.stderr.strip())
    return done.stdout
