"""Cells of a paper's table or figure: what was published and what a described machine gives; printed and drawn."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Callable, Iterable

from pictures import Bar, Panel, draw


@dataclass
class Cell:
    figure: str
    row: str
    column: str
    predicted: float | None  # none where our machine does not model it
    unit: str
    published: float | None = None
    withheld: bool = False
    fitted: bool = False
    bound: str = ""  # "<", ">": the paper says only that it is less, or more, than `published`

    def error(self) -> float | None:
        if self.published is None or self.predicted is None or self.bound:
            return None
        return abs(self.predicted / self.published - 1)

    def holds(self) -> bool:
        """Gives whether ours lies on the side of the bound where the paper's does."""
        assert self.published is not None and self.predicted is not None
        return self.predicted > self.published if self.bound == ">" else self.predicted < self.published


@dataclass(frozen=True)
class Figure:
    make: Callable[[str], Iterable[Cell]]  # of its name
    paper: str
    note: str  # under the picture's title
    folder: str  # of out/, for the picture
    bars: tuple[str, ...] = ("paper", "ours")  # otherwise a column is "PANEL BAR", and bars stand beside each other in a panel
    remark: str = ""  # what whoever reads the numbers must know


def picture(name: str, figure: Figure, cells: list[Cell]) -> str | None:
    """Draws a panel for each column and a group for each row, or a panel for several columns; gives nothing where there is nothing of ours."""
    compared = figure.bars == ("paper", "ours")
    panels: dict[str, Panel] = {}
    for cell in cells:
        title, _, bar = (cell.column, "", "ours") if compared else cell.column.rpartition(" ")
        if cell.predicted is None or bar not in figure.bars:
            continue
        panel = panels.setdefault(title, Panel(title, cell.unit))
        if not panel.groups or panel.groups[-1][0] != cell.row:
            panel.groups.append((cell.row, []))
        if compared and cell.published is not None:
            panel.groups[-1][1].append(Bar("paper", cell.published))
        panel.groups[-1][1].append(Bar(bar, cell.predicted))
    return draw(f"{name} of {figure.paper}", figure.note, figure.bars, list(panels.values())) if panels else None


def print_bars(figure: Figure, cells: list[Cell]) -> list[Cell]:
    """Prints what stands beside each other in the picture on one line, ours only; gives the other cells."""
    lines: dict[tuple[str, str, str], dict[str, float | None]] = {}
    others = []
    for cell in cells:
        title, _, bar = cell.column.rpartition(" ")
        if bar in figure.bars and cell.published is None:
            lines.setdefault((title, cell.row, cell.unit), {})[bar] = cell.predicted
        else:
            others.append(cell)
    wide = max([8, *(len(title) for title, _, _ in lines)])
    if lines:
        print(f"{'':{wide}} {'row':14} " + " ".join(f"{bar:>9}" for bar in figure.bars))
    for (title, row, unit), values in lines.items():
        print(f"{title:{wide}} {row:14} " + " ".join(f"{values[bar]:{max(9, len(bar))}.4g}" for bar in figure.bars) + f" {unit}")
    return others


def print_figure(name: str, figure: Figure, cells: list[Cell]) -> None:
    print(f"\n{name}")
    wide = max([12, *(len(cell.column) for cell in cells)])
    shown = print_bars(figure, cells) if figure.bars != ("paper", "ours") else cells
    print(f"{'row':14} {'column':{wide}} {'paper':>9} {'ours':>9} {'error':>7}")
    for cell in shown:
        paper = f"{cell.bound}{cell.published:.4g}" if cell.published is not None else "withheld" if cell.withheld else "-"
        ours = f"{cell.predicted:.4g}" if cell.predicted is not None else "-"
        error = cell.error()
        verdict = "-"
        if error is not None:
            verdict = f"{100 * error:.1f}%"
        elif cell.bound and cell.predicted is not None:
            verdict = "holds" if cell.holds() else "fails"
        print(f"{cell.row:14} {cell.column:{wide}} {paper:>9} {ours:>9} {verdict:>7}" + (" *" if cell.fitted and error is not None else ""))
    counted = [cell.error() for cell in cells if cell.error() is not None and not cell.fitted]
    if counted:
        print(f"mean error {100 * sum(counted) / len(counted):.1f} % over {len(counted)} cells")
    bounds = [cell.holds() for cell in cells if cell.bound and cell.predicted is not None]
    if bounds:
        print(f"{sum(bounds)} of {len(bounds)} of the paper's statements without a number hold")
    if figure.remark:
        print(figure.remark)
