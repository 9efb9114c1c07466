"""Draws one loop under each policy from real runs: python3 docs/pictures/loops.py

Runs the paper's triangular arrays (maslin-dbs mta: 512 columns, column i costs i) with two workers under each policy, records it,
and draws of the recorded loops the one of median length into loop-POLICY.svg beside this file: each row a worker, each bar the
blocks that it took at once. Needs `./dev build`; a busy machine shows as gaps."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass, field
from html import escape
from pathlib import Path

from rows import BOTTOM, LEFT, ROW, WORKERS, Rows, Slice, picture, recorded, slices, top
from maslin_report.style import STREAMS  # rows knows where it lies

POLICIES = ("dbs", "static", "gss", "afs")


@dataclass
class Loop:
    begin: float
    chunks: list[Slice] = field(default_factory=list)

    @property
    def end(self) -> float:
        return self.chunks[-1].end


def loops_under(policy: str) -> list[Loop]:
    """Gives the loops of one run, which follow each other."""
    events = recorded("maslin-dbs", "mta", "--form", "loop", "--steps", "4", "--repeat", "5", MASLIN_LOOP=policy)
    loops = [Loop(each.begin) for each in slices(events, "loop")]
    begins = [loop.begin for loop in loops]
    for chunk in slices(events, "chunk"):
        loops[bisect_right(begins, chunk.begin) - 1].chunks.append(chunk)
    return loops


def typical(loops: list[Loop]) -> Loop:
    """Gives the loop of median length among those in which every worker took part, or of all if there is none."""
    shared = [loop for loop in loops if len({chunk.worker for chunk in loop.chunks}) == WORKERS] or loops
    return sorted(shared, key=lambda loop: loop.end - loop.begin)[len(shared) // 2]


def draw(policy: str, loop: Loop) -> str:
    rows = Rows(loop.begin, loop.end)
    title = f"{policy}: 512 columns, column i costs i; {loop.end - loop.begin:.0f} µs, {rows.share(loop.chunks)}"
    parts: list[str] = []
    for number, chunk in enumerate(loop.chunks):
        first, blocks = chunk.event["args"]["first block"], chunk.event["args"]["blocks"]
        columns = f"{first}–{first + blocks - 1}" if blocks > 1 else f"{first}"
        parts.append(rows.bar(chunk, STREAMS[number % 8], f"columns {columns}, {chunk.end - chunk.begin:.1f} µs"))
        begin, end = rows.x(chunk.begin), rows.x(chunk.end)
        if end - begin > 8 * len(columns):
            parts.append(f'<text x="{(begin + end) / 2:.1f}" y="{top(chunk.worker) + ROW / 2 + 4}" class="inside">'
                         f"{escape(columns)}</text>")
    parts.append(f'<text x="{LEFT}" y="{BOTTOM + 16}" class="note">time ⟶ each bar: the columns that a worker took at once</text>')
    return picture(title, parts, ".inside{text-anchor:middle;font-size:12px;fill:white}")


def main() -> None:
    for policy in POLICIES:
        loop = typical(loops_under(policy))
        Path(__file__).with_name(f"loop-{policy}.svg").write_text(draw(policy, loop))
        print(f"{policy}: {loop.end - loop.begin:.0f} µs, {len(loop.chunks)} times blocks were taken")


if __name__ == "__main__":
    main()
