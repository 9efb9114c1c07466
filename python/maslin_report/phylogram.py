"""A tree as a picture: rooted in the middle of its longest path, branches to scale, supports at the inner nodes."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, field

import newick
import plotly.graph_objects as go

from . import style
from .inputs import ReportError

CLASSES = (  # of supports in per cent: at least, colour, name
    (95, "#1b6e5a", "95 % and more"),
    (75, "#3f9fc4", "75 to 95 %"),
    (50, "#e3a21a", "50 to 75 %"),
    (0, "#9aa1ab", "below 50 %"),
)


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

PICTURE_WIDTH = 830  # pixels that the tree takes at the page's full width, without names
ROW_HEIGHT = 19  # pixels


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


def nice(length: float) -> float:
    """Gives the largest of 1, 2, 5 × 10^n that is not above the length."""
    power = 10.0 ** math.floor(math.log10(length))
    return max(step * power for step in (1, 2, 5) if step * power <= length * 1.000001)


def label(name: str) -> str:
    return re.sub(r"[<>&]", " ", name)


Box = tuple[float, float, float, float]  # left, right, top, bottom


def label_positions(nodes: list[Node], labelled: list[Node], deepest: float) -> dict[int, tuple[str, Box]]:
    """Gives, by id of the node, where the number at it covers nothing else, in plotly's words and in pixels; a node
    without such a place is left out, and tells its support when it is pointed at."""
    across, down = PICTURE_WIDTH / deepest, ROW_HEIGHT  # pixels a unit
    high, wide = 12.0, 6.6  # of a digit

    taken: list[Box] = []
    for node in nodes:
        if node.children:
            at = node.x * across
            ends = [child.y * down for child in node.children]
            taken.append((at - 1, at + 1, min(ends), max(ends)))
            taken += [(at, child.x * across, y - 1, y + 1) for child, y in zip(node.children, ends)]
        else:
            x, y = node.x * across, node.y * down
            taken.append((x, x + 8.0 * len(node.name), y - 7, y + 7))

    def is_free(box: Box) -> bool:
        left, right, top, bottom = box
        return not any(left < b[1] and b[0] < right and top < b[3] and b[2] < bottom for b in taken)

    found = {}
    for node in sorted(labelled, key=lambda one: -one.length):  # long branches have room, let them have it first
        x, y, size = node.x * across, node.y * down, wide * len(f"{node.support:.0f}")
        for name, left, top in (("top left", x - size - 5, y - high - 3), ("bottom left", x - size - 5, y + 3),
                                ("middle right", x + 6, y - high / 2), ("top right", x + 5, y - high - 3),
                                ("bottom right", x + 5, y + 3)):
            box = (left, left + size, top, top + high)
            if is_free(box):
                found[id(node)] = (name, box)
                taken.append(box)
                break
    return found


def figure(text: str) -> go.Figure:
    """Gives the picture of the tree."""
    root = read(text)
    nodes = postorder(root)
    tips = [node for node in nodes if not node.children]
    deepest = max(node.x for node in tips) or 1.0

    xs: list[float | None] = []
    ys: list[float | None] = []
    for node in nodes:
        for child in node.children:
            xs += [node.x, node.x, child.x, None]
            ys += [node.y, child.y, child.y, None]
    picture = go.Figure()
    picture.add_trace(go.Scatter(x=xs, y=ys, mode="lines", line={"color": style.INK, "width": 1.4}, hoverinfo="skip",
                                 showlegend=False))
    picture.add_trace(go.Scatter(
        x=[node.x for node in tips], y=[node.y for node in tips], mode="markers+text",
        text=[f" <i>{label(node.name)}</i>" for node in tips], textposition="middle right",
        textfont={"size": 13, "color": style.INK}, marker={"size": 3, "color": style.INK}, cliponaxis=False,
        customdata=[[node.length] for node in tips], showlegend=False,
        hovertemplate="%{text}<br>branch %{customdata[0]:.6f}<extra></extra>"))

    supported = [node for node in nodes if node.children and node.support is not None and node is not root]
    # The branch that the root divides has two upper ends, but one support.
    if len(root.children) == 2 and all(child in supported for child in root.children):
        supported.remove(root.children[0])
    positions = label_positions(nodes, supported, deepest)
    upper = math.inf
    for least, colour, name in CLASSES:
        chosen = [node for node in supported if least <= node.support < upper]
        upper = least
        if not chosen:
            continue
        picture.add_trace(go.Scatter(
            x=[node.x for node in chosen], y=[node.y for node in chosen], mode="markers+text", name=name,
            text=[f"{node.support:.0f}" if id(node) in positions else "" for node in chosen],
            textposition=[positions[id(node)][0] if id(node) in positions else "top left" for node in chosen],
            textfont={"size": 10, "color": style.SOFT if least == 0 else colour},
            marker={"size": 8 if least >= 50 else 7, "color": colour, "line": {"color": "white", "width": 1}},
            customdata=[[node.support, node.tips, node.length] for node in chosen],
            hovertemplate="support %{customdata[0]:.0f} %<br>%{customdata[1]} taxa<br>branch %{customdata[2]:.6f}"
                          "<extra></extra>"))

    scale = nice(deepest / 5)
    bottom = len(tips) + 0.2
    picture.add_shape(type="line", x0=0, x1=scale, y0=bottom, y1=bottom, line={"color": style.INK, "width": 2})
    picture.add_annotation(x=scale / 2, y=bottom, text=f"{scale:g} substitutions per site", showarrow=False, yshift=-12,
                           xanchor="left" if scale < deepest / 4 else "center", font={"size": 11, "color": style.SOFT})
    longest = max(len(node.name) for node in tips)
    picture.update_layout(**style.layout(height=max(320, ROW_HEIGHT * len(tips) + 110)))
    picture.update_layout(legend={"title": {"text": "bootstrap support  "}, "orientation": "h", "x": 0, "y": 1.0,
                                  "yanchor": "bottom", "font": {"size": 12}},
                          margin={"l": 16, "r": 24 + min(7.2 * longest, 330), "t": 40, "b": 8})
    picture.update_xaxes(visible=False, range=[-0.02 * deepest, 1.01 * deepest], fixedrange=True)
    picture.update_yaxes(visible=False, range=[len(tips) + 1.2, -1], fixedrange=True)
    return picture
