"""Labels that cover nothing, however wide the page is.

A picture keeps its height in pixels and takes what width there is. Things in it stand at a share of that width, and labels
beside them keep their size. So a place that is free in a narrow picture can be covered in a wider one, when two things pass
each other. Here a label gets a place only if that is free at one width and at all wider ones.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Iterable, Iterator, Sequence


@dataclass(frozen=True)
class Edge:
    """Where something begins or ends: a share of the picture's width, and pixels from there."""

    share: float
    pixels: float = 0.0

    def at(self, width: float) -> float:
        return self.share * width + self.pixels


@dataclass(frozen=True)
class Box:
    left: Edge
    right: Edge
    top: float  # pixels
    bottom: float

    def ends_before(self, other: Box, width: float) -> bool:
        """Says whether it lies left of the other one at this width and at all wider ones."""
        return self.right.at(width) <= other.left.at(width) and self.right.share <= other.left.share

    def is_clear_of(self, other: Box, width: float) -> bool:
        if self.bottom <= other.top or other.bottom <= self.top:
            return True
        return self.ends_before(other, width) or other.ends_before(self, width)


LEFT_OF_ALL = Box(Edge(0, -math.inf), Edge(0), -math.inf, math.inf)
RIGHT_OF_ALL = Box(Edge(1), Edge(1, math.inf), -math.inf, math.inf)


class Boxes:
    """Boxes by the rows of pixels that they touch, so that few are compared."""

    ROW = 24.0

    def __init__(self, boxes: Iterable[Box]):
        self.everywhere: list[Box] = []
        self.by_row: dict[int, list[Box]] = {}
        for box in boxes:
            self.add(box)

    def rows(self, box: Box) -> Iterator[int]:
        return iter(range(math.floor(box.top / self.ROW), math.floor(box.bottom / self.ROW) + 1))

    def add(self, box: Box) -> None:
        if math.isinf(box.top):
            self.everywhere.append(box)
            return
        for row in self.rows(box):
            self.by_row.setdefault(row, []).append(box)

    def leave_room_for(self, box: Box, width: float) -> bool:
        beside = (other for row in self.rows(box) for other in self.by_row.get(row, ()))
        return all(box.is_clear_of(other, width) for other in (*self.everywhere, *beside))


@dataclass(frozen=True)
class Place:
    """Where a label stands: the first width at which it is shown, and which of its candidates it took."""

    width: int
    candidate: int
    box: Box


def place(labels: Sequence[Sequence[Box]], taken: Iterable[Box], widths: Sequence[int]) -> dict[int, Place]:
    """Gives the places of labels, by their number. Each label has candidates, the best first; the first labels choose first.
    A label that has a place at one width keeps it at wider ones; one that has none at the widest is left out."""
    room = Boxes(taken)
    found: dict[int, Place] = {}
    for width in widths:
        for number, candidates in enumerate(labels):
            if number in found:
                continue
            for candidate, box in enumerate(candidates):
                if room.leave_room_for(box, width):
                    found[number] = Place(width, candidate, box)
                    room.add(box)
                    break
    return found


def rules(name: str, widths: Sequence[int]) -> str:
    """Gives the style sheet's rules by which a label of class `name-from-WIDTH` is shown at that width and at wider ones."""
    return "".join(f".{name}-from-{width}{{display:none}}@container {name} (min-width:{width}px)"
                   f"{{.{name}-from-{width}{{display:inline}}}}" for width in widths)
