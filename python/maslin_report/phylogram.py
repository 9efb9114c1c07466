"""The picture of a tree: branches to scale, supports at the inner nodes."""

from __future__ import annotations

import math
from html import escape
from typing import Sequence

from . import labels
from .labels import Box, Edge
from .tree import Node, postorder, read

CLASSES = ((95, "95 % and more"), (75, "75 to 95 %"), (50, "50 to 75 %"), (0, "below 50 %"))  # of supports: at least, name
WIDTHS = (96, 160, 240, 360, 540, 800)  # pixels at which more supports are shown, without names
ROW, TOP, FOOT, MARGIN = 19, 12, 40, 12  # pixels; the margin is that of page.css, left of the tree
DIGIT, LETTER = 7.1, 7.6  # pixels at most, in the mean, in the fonts that the page asks for
HIGH = 12.0  # of a number


def nice(length: float) -> float:
    """Gives the largest of 1, 2, 5 × 10^n that is not above the length."""
    power = 10.0 ** math.floor(math.log10(length))
    return max(step * power for step in (1, 2, 5) if step * power <= length * 1.000001)


def percent(share: float) -> str:
    return f"{100 * share:.2f}".rstrip("0").rstrip(".") + "%"


def height_of(row: float) -> float:
    return TOP + ROW * row


def drawn_boxes(nodes: Sequence[Node], deepest: float) -> list[Box]:
    """Gives what labels may not cover: branches, nodes and names."""
    taken = [Box(Edge(0, -math.inf), Edge(0, -MARGIN), -math.inf, math.inf)]
    for node in nodes:
        at, y = node.x / deepest, height_of(node.y)
        taken.append(Box(Edge(at, -5), Edge(at, 5), y - 5, y + 5))
        for child in node.children:
            row = height_of(child.y)
            taken.append(Box(Edge(at, -1), Edge(at, 1), min(row, y), max(row, y)))
            taken.append(Box(Edge(at), Edge(child.x / deepest), row - 1, row + 1))
        if not node.children:
            taken.append(Box(Edge(at), Edge(at, 8 + LETTER * len(node.name)), y - 7, y + 7))
    return taken


PLACES = (("end", -6, -HIGH - 2), ("end", -6, 2), ("start", 7, -HIGH / 2), ("start", 6, -HIGH - 3), ("start", 6, 3))


def support_boxes(node: Node, deepest: float) -> list[Box]:
    """Gives where the number at a node can stand, in the order of PLACES: anchor, pixels right of the node, and below."""
    at, size = node.x / deepest, DIGIT * len(f"{node.support:.0f}")
    found = []
    for anchor, right, down in PLACES:
        left = right - size if anchor == "end" else right
        top = height_of(node.y) + down
        found.append(Box(Edge(at, left), Edge(at, left + size), top, top + HIGH))
    return found


def places_of_supports(nodes: Sequence[Node], supported: Sequence[Node], deepest: float) -> dict[int, labels.Place]:
    """Gives, by id of the node, where the number at it covers nothing. A node without such a place tells its support when it
    is pointed at."""
    chosen = sorted(supported, key=lambda node: -node.length)  # long branches have room, let them have it first
    found = labels.place([support_boxes(node, deepest) for node in chosen], drawn_boxes(nodes, deepest), WIDTHS)
    return {id(chosen[number]): where for number, where in found.items()}


def branches(nodes: Sequence[Node], deepest: float) -> str:
    """Gives the path of all branches, a thousand units wide."""
    parts = []
    for node in nodes:
        at = 1000 * node.x / deepest
        for child in node.children:
            parts.append(f"M{at:.1f} {height_of(node.y):.1f}V{height_of(child.y):.1f}H{1000 * child.x / deepest:.1f}")
    return "".join(parts)


def class_of(support: float) -> int:
    return next(number for number, (least, _) in enumerate(CLASSES) if support >= least or number == len(CLASSES) - 1)


def inner_node(node: Node, deepest: float, where: labels.Place | None) -> str:
    at, y = percent(node.x / deepest), f"{height_of(node.y):.1f}"
    said = f"support {node.support:.0f} %, {node.tips} taxa, branch {node.length:.6f}"
    mark = f'<circle class="point c{class_of(node.support)}" cx="{at}" cy="{y}" r="4"><title>{said}</title></circle>'
    if where is None:
        return mark
    anchor, right, down = PLACES[where.candidate]
    return (f'{mark}<text class="support tree-from-{where.width}" x="{at}" y="{y}" dx="{right}" dy="{down + 9:g}" '
            f'text-anchor="{anchor}">{node.support:.0f}</text>')


def tip(node: Node, deepest: float) -> str:
    return (f'<text class="point tip" x="{percent(node.x / deepest)}" y="{height_of(node.y):g}" dx="7" dy="4">'
            f"{escape(node.name)}<title>{escape(node.name)}, branch {node.length:.6f}</title></text>")


def legend(supported: Sequence[Node], what: str) -> str:
    there = {class_of(node.support) for node in supported}
    if not there:
        return ""
    items = "".join(f"<li><svg width=10 height=10 aria-hidden=true><circle class=c{number} cx=5 cy=5 r=4 /></svg> {name}</li>"
                    for number, (_, name) in enumerate(CLASSES) if number in there)
    return f"<ul class=legend aria-label='{what}'><li>{what}:</li>{items}</ul>"


def picture(text: str, what: str = "bootstrap support") -> str:
    """Gives the picture of a tree in Newick, as HTML; `what` the numbers at its nodes are."""
    root = read(text)
    nodes = postorder(root)
    tips = [node for node in nodes if not node.children]
    deepest = max(node.x for node in tips) or 1.0
    supported = [node for node in nodes if node.children and node.support is not None and node is not root]
    # The branch that the root divides has two upper ends, but one support.
    if len(root.children) == 2 and all(child in supported for child in root.children):
        supported.remove(root.children[0])
    places = places_of_supports(nodes, supported, deepest)

    height = TOP + ROW * len(tips) + FOOT
    scale, bottom = nice(deepest / 5), height - FOOT + 12
    names = 8 + LETTER * max(len(node.name) for node in tips)
    by_row = sorted([*supported, *tips], key=lambda node: (node.y, node.x))
    points = [tip(node, deepest) if not node.children else inner_node(node, deepest, places.get(id(node)))
              for node in by_row]
    return (
        f"{legend(supported, what)}<div class='scroll keys' role=application tabindex=0 "
        f"aria-label='picture of a tree with {len(tips)} taxa; arrow keys go from node to node'>"
        f"<div class=tree style='padding-right:{names:.0f}px;min-width:{names + WIDTHS[0] + 8:.0f}px'><div class=tree-box>"
        f"<svg width='100%' height='{height}'>"
        f"<svg class=branches width='100%' height='{height}' viewBox='0 0 1000 {height}' preserveAspectRatio=none>"
        f"<path d='{branches(nodes, deepest)}'/></svg>{''.join(points)}"
        f"<line class=scale x1='0' x2='{percent(scale / deepest)}' y1='{bottom}' y2='{bottom}'/>"
        f"<text class=note x='0' y='{bottom + 18}'>{scale:g} substitutions per site</text></svg></div></div></div>"
        f"<details><summary>The tree as text (Newick)</summary><pre>{escape(text.strip())}</pre></details>")
