"""The scorecard's figures, each in a module of its own: `NAME`, and `measure(plan)`, which gives its rows."""

from __future__ import annotations

from dataclasses import dataclass, field
from importlib import import_module
from pkgutil import iter_modules
from types import ModuleType
from typing import Callable, Mapping, Sequence

from ..measure import LOOKS, QUICK_LOOKS, Stopped, Taken, Values, alternate, twice
from ..row import Row


def all_figures() -> list[ModuleType]:
    """Gives the modules of this package, in the order of their names."""
    return [import_module(f"{__name__}.{module.name}") for module in iter_modules(__path__)]


def may_hold(name: str, only: str) -> bool:
    """Is a row of that name, or one below it, among those whose names begin with `only`?"""
    return name.startswith(only) or only.startswith(name + "/")


@dataclass(frozen=True)
class Plan:
    """How much to measure: always the same work, in fewer rounds where the user is in a hurry."""

    quick: bool
    aside: bool = False  # grain/unseen and grain/crowded run programs that were put aside
    tell: Callable[[str], None] = lambda _: None  # where the measurement stands, for the progress bar
    only: str = ""  # how the rows' names begin that are wanted
    kept: list[Row] = field(default_factory=list)  # what stays of a figure that is stopped

    def wants(self, row: str) -> bool:
        """Is the row wanted, or one below it?"""
        return may_hold(row, self.only)

    @property
    def looks(self) -> Sequence[int]:
        return QUICK_LOOKS if self.quick else LOOKS

    def gather(self, what: str, more: Callable[[int], Values], decided: Callable[[Values], bool]) -> Values:
        """Asks a program that measures all its sides for more rounds of them, until what there is decides; gives that."""
        values: Values = {}
        for before, look in zip((0, *self.looks), self.looks):
            self.tell(f"{what}: {look} rounds")
            for side, times in more(look - before).items():
                values.setdefault(side, []).extend(times)
            if decided(values):
                break
        return values

    def until_decided(self, measure: Callable[[int, int], None], rows: Callable[[], list[Row]]) -> list[Row]:
        """Calls `measure(before, look)` for the rounds from `before` up to `look`, until the rows that are made of all of them are decided;
        gives these rows. Those of the latest look stay."""
        made: list[Row] = []
        try:
            for before, look in zip((0, *self.looks), self.looks):
                measure(before, look)
                made = rows()
                if all(row.decided for row in made):
                    break
        except KeyboardInterrupt:
            self.keep(made)
            raise
        return self.keep(made)

    def rows(self, what: str, sides: Mapping[str, Callable[[int], Taken]], ours: str,
             rows: Callable[[dict[str, list[Taken]]], list[Row]]) -> list[Row]:
        """Measures the sides, and ours twice, until the rows that are made of what they gave are decided; gives these rows. Those of the
        rounds that were whole stay."""
        try:
            return self.keep(rows(alternate(twice(sides, ours), self.looks, lambda at: self.tell(f"{what}: {at}"),
                                            lambda values: all(row.decided for row in rows(values)))))
        except Stopped as stop:
            if stop.values[ours]:
                self.keep(rows(stop.values))
            raise

    def keep(self, rows: list[Row]) -> list[Row]:
        """Gives the rows, which stay if the figure is stopped later."""
        self.kept.extend(rows)
        return rows
