"""The cases on which `maslin layout` is judged against exec/virtual, and those on which it was developed. Both were named before the
model was written; nothing of the model is chosen by what the judged ones say.

A case is a program with a size of its data on so many PlayStations: weak scaling of the chain, strong scaling of the bootstraps, as in
the paper on a cluster of them (ps3-cluster, 3.2, 4.5). Its layouts are all that fit a console: 1 to 6 processes x 1 to 6 workers each."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "bench"), str(ROOT / "bench" / "figures"), str(ROOT / "python")]
import ps3  # noqa: E402
from applications import Application  # noqa: E402

WORKERS = 6  # of a console
LAYOUTS = [(streams, width) for streams in range(1, WORKERS + 1) for width in range(1, WORKERS // streams + 1)]


# The chain: one loop a generation, as fitted to a table of the Cell blade's when the cases were named.
CHAIN = (Application("pbpi", 20_000, 90.0, 10.0, 1_258.0, 3_000, 0.0), Application("pbpi", 20_000, 225.0, 0.0, 12_875.0, 10_000, 0.0))


@dataclass(frozen=True)
class Case:
    program: str
    size: int  # iterations of a kernel's loop; of the chain, on each console
    nodes: int

    def words(self) -> list[str]:
        """Gives the program's arguments."""
        app = ps3.between(ps3.RAXML if self.program == "bootstraps" else CHAIN, self.size)
        scale = self.nodes if self.program == "chain" else 1
        return [self.program, "--host-us", f"{app.host:.9g}", "--serial-us", f"{app.serial:.9g}", "--loop-us", f"{app.loop * scale:.9g}",
                "--iterations", str(self.size * scale), "--spread", f"{app.spread:.9g}"]

    def machine(self) -> str:
        """Gives the description of so many consoles. A message from one to another: a plausible 40 us, which the paper does not print."""
        text = ps3.machine()
        return text.replace('\n[workers]', f"nodes = {self.nodes}\n\n[workers]", 1).replace("bandwidth_gb_per_s = 0.125", "bandwidth_gb_per_s = 0.125\nlatency_us = 40")


def cases(sizes: dict[str, tuple[int, ...]], nodes: tuple[int, ...]) -> list[Case]:
    return [Case(program, size, count) for program, all_sizes in sizes.items() for size in all_sizes for count in nodes]


JUDGED = cases({"bootstraps": (100, 228, 456), "chain": (1250, 3000, 5000)}, (1, 2, 3, 4, 5, 6, 7, 8))
DEVELOPMENT = cases({"bootstraps": (164, 342), "chain": (2000, 7000)}, (1, 2, 3, 5, 8))
