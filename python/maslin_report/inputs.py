"""What a run left in its folder."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from dataclasses import dataclass, field
from pathlib import Path

from . import chains
from .errors import ReportError

ROOT = Path(__file__).resolve().parents[2]
MOST_SPANS = 6000  # that the page draws, over all workers


@dataclass
class Run:
    """The results of a run; what is absent was not left by it."""

    folder: Path
    result: dict
    tree: str | None = None  # Newick, with supports in per cent where there are any
    trace: dict | None = None  # as `maslin trace spans` gives it
    trace_file: Path | None = None
    chains: chains.Chains | None = None  # of `maslin-phylo mcmc`
    notes: list[str] = field(default_factory=list)


def the_only(folder: Path, pattern: str) -> Path | None:
    """Gives the newest file of that pattern in the folder, or nothing."""
    found = [path for path in folder.glob(pattern) if path.is_file()]
    return max(found, key=lambda path: path.stat().st_mtime, default=None)


def read_json(path: Path) -> dict:
    """Gives the object in a JSON file."""
    try:
        value = json.loads(path.read_text(encoding="utf-8"))
    except OSError as reason:
        raise ReportError(f"'{path}' cannot be read: {reason.strerror}") from reason
    except UnicodeDecodeError as wrong:
        raise ReportError(f"'{path}' is no UTF-8 text: byte {wrong.start}") from wrong
    except json.JSONDecodeError as wrong:
        raise ReportError(f"'{path}', line {wrong.lineno}, column {wrong.colno}: {wrong.msg}; expected the JSON that "
                          f"maslin-phylo writes; run it again") from wrong
    if not isinstance(value, dict):
        raise ReportError(f"'{path}' holds no JSON object; expected the one that maslin-phylo writes; run it again")
    return value


SHAPE = {  # of what maslin-phylo writes, as far as the page needs it
    "alignment": {"file": str, "taxa": int, "sites": int, "patterns": int},
    "model": str, "seed": int, "workers": int, "seconds": (int, float), "files": {},
    "trees": {"total": int, "restored": int},
}
CHAINS_SHAPE = {
    "alignment": SHAPE["alignment"], "workers": int, "seconds": (int, float), "files": {},
    "generations": {"total": int, "burnin": int}, "parameters": list, "runs": list, "splits": list, "options": {},
}
PARAMETER_SHAPE = {"name": str, "mean": (int, float), "low": (int, float), "high": (int, float)}
RUN_SHAPE = {"moves": {}, "swaps": list}
SPLIT_SHAPE = {"taxa": list, "runs": list}
SIZING_SHAPE = {"configurations": list, "seconds": (int, float), "sampling_seconds": (int, float)}
CONFIGURATION_SHAPE = {"streams": int, "width": int, "samples": int, "seconds": (int, float),
                       "throughput": (int, float), "chosen": bool}


def check_shape(value, shape, path: Path, where: str = "") -> None:
    """Throws unless the value has the keys of the shape with values of those types."""
    if isinstance(shape, dict):
        if not isinstance(value, dict):
            raise ReportError(f"'{path}': {where or 'the whole'} is no object; let maslin-phylo write it again")
        for key, inner in shape.items():
            inside = f"{where}.{key}" if where else key
            if key not in value:
                raise ReportError(f"'{path}' lacks {inside}; let the maslin-phylo of this version write it again")
            check_shape(value[key], inner, path, inside)
    elif not isinstance(value, shape):
        raise ReportError(f"'{path}': {where} is {json.dumps(value)[:60]}, which is of the wrong type; let "
                          "maslin-phylo write it again")


def check_result(result: dict, path: Path) -> None:
    if is_of_chains(result):
        check_shape(result, CHAINS_SHAPE, path)
        for key, shape in (("parameters", PARAMETER_SHAPE), ("runs", RUN_SHAPE), ("splits", SPLIT_SHAPE)):
            for i, row in enumerate(result[key]):
                check_shape(row, shape, path, f"{key}[{i}]")
    else:
        check_shape(result, SHAPE, path)
    if result.get("right_sizing") is not None:
        check_shape(result["right_sizing"], SIZING_SHAPE, path, "right_sizing")
        for i, row in enumerate(result["right_sizing"]["configurations"]):
            check_shape(row, CONFIGURATION_SHAPE, path, f"right_sizing.configurations[{i}]")


def is_of_chains(result: dict) -> bool:
    return result.get("command") == "mcmc"


def find_maslin(wish: str | None) -> str | None:
    """Gives the path of the command `maslin`: the one asked for, of this checkout, or on the PATH."""
    if wish:
        if not shutil.which(wish):
            raise ReportError(f"--maslin {wish} is no program that can be run; expected the path of the command maslin")
        return wish
    built = ROOT / "build" / "release" / "bin" / "maslin"
    return str(built) if os.access(built, os.X_OK) else shutil.which("maslin")


def read_trace(maslin: str, path: Path) -> dict:
    """Gives the intervals of a trace, few enough to be drawn."""

    def spans(*more: str) -> dict:
        done = subprocess.run([maslin, "trace", "spans", str(path), *more], capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise ReportError(done.stderr.strip() or f"maslin trace spans {path} ended with status {done.returncode}")
        return json.loads(done.stdout)

    trace = spans()
    steps = 2000
    while sum(len(track["spans"]) for track in trace["tracks"]) > MOST_SPANS and steps > 50:
        trace = spans("--resolution", repr(max(trace["duration_s"], 1e-9) / steps))
        steps //= 2
    return trace


def load(folder: Path, maslin: str | None = None, spans: Path | None = None) -> Run:
    """Gives the run that lies in the folder."""
    if not folder.is_dir():
        raise ReportError(f"'{folder}' is no folder; expected the one that a run wrote to, e.g. out/demo")
    results = the_only(folder, "result.json") or the_only(folder, "*.result.json")
    if results is None:
        raise ReportError(f"'{folder}' holds no result.json; let maslin-phylo write there: --prefix {folder}/")
    run = Run(folder, read_json(results))
    check_result(run.result, results)
    command = find_maslin(maslin)

    stem = results.name[: -len("result.json")]
    if is_of_chains(run.result):
        run.chains = chains.load(folder, stem, len(run.result["runs"]))
    for kind in ("support", "bestTree"):
        path = folder / (stem + kind)
        if path.is_file():
            run.tree = path.read_text(encoding="utf-8", errors="replace")
            break

    if spans:
        run.trace = read_json(spans)
    run.trace_file = the_only(folder, "*.mtrace")
    if not run.trace and run.trace_file:
        if command:
            run.trace = read_trace(command, run.trace_file)
        else:
            run.notes.append("The time line is missing: the command maslin, which reads the trace, was not found; "
                             "build it (./dev build maslin) or name it with --maslin.")
    elif not run.trace:
        run.notes.append("The time line is missing: no trace was recorded; set MASLIN_TRACE to a file in the folder of "
                         "the results, ending in .mtrace.")
    return run
