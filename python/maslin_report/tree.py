"""A tree in Newick, as it is drawn: rooted in the middle of its longest path, each node with its place."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import newick

from .errors import ReportError


@dataclass
class Node:
    """A node of the rooted tree; `support` is that of the branch above it."""

    name: str = ""
    length: float = 0.0
    support: float | None = None
    children: list[Node] = field(default_factory=list)
    x: float = 0.0
    y: float = 0.0
    tips: int = 1


def parse_support(label: str | None) -> float | None:
    """Gives a support in per cent as it stands at an inner node, or nothing."""
    try:
        value = float(label) if label else math.nan
    except ValueError:
        return None
    return value if math.isfinite(value) else None


@dataclass
class Branch:
    to: int
    length: float
    support: float | None


def read(text: str) -> Node:
    """Gives the first tree of a Newick text, rooted in its middle, smaller subtrees first."""
    try:
        first = newick.loads(text)[0]
        lengths = {id(node): max(float(node.length or 0), 0.0) for node in first.walk()}
    except (ValueError, IndexError) as wrong:
        raise ReportError(f"the tree is no Newick tree: {wrong}; let maslin-phylo write it again") from wrong

    # The tree without a root: at each node its branches. A branch carries its support wherever the root comes to lie.
    names: list[str] = []
    branches: list[list[Branch]] = []
    numbers: dict[int, int] = {}
    for node in first.walk(mode="preorder"):
        number = len(names)
        numbers[id(node)] = number
        names.append("" if node.descendants else (node.unquoted_name or "").replace("_", " "))
        branches.append([])
        if node.ancestor is not None:
            above = numbers[id(node.ancestor)]
            length = lengths[id(node)]
            support = parse_support(node.unquoted_name) if node.descendants else None
            branches[number].append(Branch(above, length, support))
            branches[above].append(Branch(number, length, support))
    if len(names) < 2:
        raise ReportError("the tree has a single node; expected one with branches")

    def distances(start: int) -> tuple[list[float], list[int]]:
        far, back = [0.0] * len(names), [-1] * len(names)
        todo = [start]
        while todo:
            at = todo.pop()
            for b in branches[at]:
                if b.to != back[at]:
                    far[b.to], back[b.to] = far[at] + b.length, at
                    todo.append(b.to)
        return far, back

    tips = [i for i, name in enumerate(names) if len(branches[i]) == 1]
    from_any, _ = distances(tips[0])
    one = max(tips, key=lambda i: from_any[i])
    from_one, back = distances(one)
    other = max((i for i in tips if i != one), key=lambda i: from_one[i])
    at = other
    while back[at] >= 0 and from_one[back[at]] > from_one[other] / 2:
        at = back[at]

    # The root divides the branch between `at` and the node before it.
    above = back[at]
    divided = next(b for b in branches[at] if b.to == above)
    part = from_one[at] - from_one[other] / 2
    root = Node()
    for start, came_from, length in ((above, at, divided.length - part), (at, above, part)):
        top = Node(names[start], length, divided.support)
        root.children.append(top)
        todo = [(start, came_from, top)]
        while todo:
            number, before, node = todo.pop()
            for b in branches[number]:
                if b.to != before:
                    child = Node(names[b.to], b.length, b.support)
                    node.children.append(child)
                    todo.append((b.to, number, child))
    unite_unary(root)
    place(root)
    return root


def postorder(root: Node) -> list[Node]:
    order, todo = [], [root]
    while todo:
        node = todo.pop()
        order.append(node)
        todo.extend(node.children)
    return order[::-1]


def unite_unary(root: Node) -> None:
    """Takes out inner nodes with one child, which the old root of a rooted tree becomes."""
    for node in postorder(root):
        for i, child in enumerate(node.children):
            if len(child.children) == 1 and not child.name:
                only = child.children[0]
                only.length += child.length
                if only.support is None and only.children:
                    only.support = child.support
                node.children[i] = only


def place(root: Node) -> None:
    """Gives every node its coordinates: distance from the root, and its place among the tips."""
    for node in postorder(root):
        node.tips = sum(child.tips for child in node.children) or 1
        node.children.sort(key=lambda child: (child.tips, min_name(child)))
    row = 0
    todo = [root]
    while todo:
        node = todo.pop()
        for child in node.children:
            child.x = node.x + child.length
        if not node.children:
            node.y = row
            row += 1
        todo.extend(reversed(node.children))
    for node in postorder(root):
        if node.children:
            node.y = (node.children[0].y + node.children[-1].y) / 2


def min_name(node: Node) -> str:
    while node.children:
        node = node.children[0]
    return node.name
