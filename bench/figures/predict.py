"""What recordings on one worker say of runs on more, next to those runs.

    python3 bench/figures/predict.py [--workers 2] [--rounds 7] [--only NAME] [--json FILE]

Programs: those of the paper on Dynamic Bisectioning under each loop policy, bootstraps of maslin-phylo, the tiled Cholesky
factor of docs/scale.md, and four of bench/unseen whose loops are bound by memory (one stream at a time on all workers). In each round a
program is recorded on one worker while copies of it keep the other cores busy, so that what the cores share is shared; the recording is
replayed on this machine as `maslin machine --calibrate` describes it, without what the program says that it moves (the copies moved as
much, so it was waited for); and the program runs on so many workers. Compared is the time from its first call of Maslin to the end of its
last, as it says itself or a trace does: the medians of the rounds. The programs check their answers."""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from threading import Event

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from scorecard import data  # noqa: E402
from scorecard.measure import MeasurementError, alternate, binary, execute, show  # noqa: E402
from unseen.programs import FAMILIES, TUNED_ON  # noqa: E402
from maslin_report.whole import write_whole  # noqa: E402  scorecard says where

POLICIES = ("dbs", "static", "gss", "afs")
SIZES = {"mta": 1536, "cmm": 384, "slu": 512, "sac": 8000, "cfd": 384, "mdj": 8}  # about a tenth of a second on one worker
MEMORY = [name for name in FAMILIES["bandwidth"] if name in TUNED_ON]  # by auto, not by what is tested here; the others stay aside


@dataclass
class Case:
    name: str
    command: list
    policy: str = "dbs"
    phase: str = ""  # runs one stream at a time, on all workers
    predicted: list[float] = field(default_factory=list)
    measured: list[float] = field(default_factory=list)

    @property
    def error(self) -> float:
        return median(self.predicted) / median(self.measured) - 1


def cases() -> list[Case]:
    all_cases = [
        Case(f"{program}/{form}/{policy}", [binary("maslin-dbs"), program, "--form", form, "--size", size, "--repeat", "1", "--warm-up", "0",
                                            "--json"], policy)
        for program, size in SIZES.items() for form in ("loop", "functional") for policy in POLICIES
    ]
    all_cases.append(Case("cholesky", [binary("page_scale_1"), "24"]))
    all_cases += [Case(f"memory/{name}", [binary("unseen_maslin"), name], phase="unseen") for name in MEMORY]
    try:
        alignment = data.alignment("d041_m1366")
    except MeasurementError as absent:
        print(f"bootstraps left out: {absent}", file=sys.stderr)
        return all_cases
    all_cases.append(Case("bootstraps", [binary("maslin-phylo"), "bootstrap", "--msa", alignment, "--model", "GTR+F+G", "--replicates", "4",
                                         "--quiet", "--redo", "--prefix"]))
    return all_cases


def replay(trace: Path, machine: Path, workers: int, case: Case) -> dict:
    _, said = execute([binary("maslin"), "replay", trace, "--trim", "--machine", machine, "--workers", workers, "--loop", case.policy,
                       "--json"], pinned(case, workers))
    return json.loads(said)


def pinned(case: Case, workers: int) -> dict[str, str]:
    return {"MASLIN_LEARNED": "off"} | ({"MASLIN_PIN": f"{case.phase}=1x{workers}"} if case.phase else {})


def measure(case: Case, machine: Path, workers: int, rounds: int, tell) -> None:
    """Adds so many rounds to the case's."""
    with tempfile.TemporaryDirectory(prefix="predict-") as folder:
        def command(copy: int) -> list:
            return case.command + ([f"{folder}/{copy}"] if case.command[-1] == "--prefix" else [])

        def record(on: int) -> dict:
            trace = Path(folder) / "run.mtrace"
            execute(command(0), pinned(case, on) | {"MASLIN_WORKERS": str(on), "MASLIN_LOOP": case.policy, "MASLIN_TRACE": str(trace)})
            return replay(trace, machine, workers, case)

        def predict() -> float:
            done = Event()

            def keep_running(copy: int) -> None:
                while not done.is_set():
                    execute(command(copy), pinned(case, 1) | {"MASLIN_WORKERS": "1", "MASLIN_LOOP": case.policy})

            with ThreadPoolExecutor(workers) as neighbours:
                others = [neighbours.submit(keep_running, copy) for copy in range(1, workers)]
                try:
                    return record(1)["without_memory_s"]  # the copies have moved as much: it was waited for
                finally:
                    done.set()
                    for other in others:
                        other.result()

        def really() -> float:
            if "--json" not in case.command:
                return record(workers)["recorded_s"]
            _, said = execute(case.command, {"MASLIN_WORKERS": str(workers), "MASLIN_LOOP": case.policy})
            return json.loads(said)[0]["seconds"][0]

        values = alternate({"predicted": lambda _: predict(), "measured": lambda _: really()},
                           [rounds], lambda what: tell(f"{case.name}: {what}"))
    case.predicted += values["predicted"]
    case.measured += values["measured"]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--only", default="", help="names that contain this")
    parser.add_argument("--json", type=Path, help="write every value there")
    wish = parser.parse_args()

    chosen = [case for case in cases() if wish.only in case.name]
    if not chosen:
        parser.error(f"--only {wish.only}: no program's name contains that")
    with tempfile.TemporaryDirectory(prefix="predict-") as folder:
        machine = Path(folder) / "here.toml"
        execute([binary("maslin"), "machine", "--calibrate", machine])
        description = machine.read_text()
        print(f"{'program':<24} {'predicted ms':>12} {'measured ms':>12} {'error':>8}")
        for case in chosen:
            measure(case, machine, wish.workers, wish.rounds, show)
            show("")
            print(f"{case.name:<24} {1e3 * median(case.predicted):12.3f} {1e3 * median(case.measured):12.3f} {case.error:+8.1%}",
                  flush=True)
    worst = max(chosen, key=lambda case: abs(case.error))
    print(f"median error {median(abs(case.error) for case in chosen):.1%} over {len(chosen)}; worst {worst.error:+.1%}: {worst.name}")
    if wish.json:
        write_whole(wish.json, json.dumps({"machine": description, "workers": wish.workers, "cases": [
            {"name": case.name, "predicted": case.predicted, "measured": case.measured} for case in chosen]}, indent=1))
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except MeasurementError as problem:
        print(f"predict.py: {problem}", file=sys.stderr)
        sys.exit(2)
