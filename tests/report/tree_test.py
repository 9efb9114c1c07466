"""The tree is drawn as it is, wherever its root comes to lie; and nothing of it covers anything else."""

import random
import re
import unittest
from html import unescape

import newick

from maslin_report import phylogram, tree
from maslin_report.inputs import ReportError


def splits_of(root):
    """Gives for each inner branch its split of the tips (the side without the first), its support and its length."""
    tips = sorted(node.name for node in tree.postorder(root) if not node.children)
    found = {}
    below = {}
    for node in tree.postorder(root):
        below[id(node)] = frozenset([node.name]) if not node.children else frozenset().union(
            *(below[id(child)] for child in node.children))
        side = below[id(node)]
        if node is root or len(side) in (1, len(tips) - 1):
            continue
        side = side if tips[0] not in side else frozenset(tips) - side
        support, length = found.get(side, (None, 0.0))
        found[side] = (node.support if support is None else support, length + node.length)
    return found


def splits_of_newick(text):
    """The same from the Newick text as it stands, without the code under test."""
    first = newick.loads(text)[0]
    tips = sorted(leaf.unquoted_name for leaf in first.get_leaves())
    found = {}
    for node in first.walk():
        side = frozenset(leaf.unquoted_name for leaf in node.get_leaves())
        if node.ancestor is None or len(side) in (1, len(tips) - 1):
            continue
        side = side if tips[0] not in side else frozenset(tips) - side
        _, length = found.get(side, (None, 0.0))
        found[side] = (float(node.name), length + node.length)
    return found


def random_tree(draw, tips, root_children):
    nodes = [f"t{i}:{draw.expovariate(10):.6f}" for i in range(tips)]
    while len(nodes) > root_children:
        draw.shuffle(nodes)
        nodes.append(f"({nodes.pop()},{nodes.pop()}){draw.randrange(101)}:{draw.expovariate(10):.6f}")
    return f"({','.join(nodes)});"


def names_in(picture):
    """Gives the names of the tips, from the top."""
    return [unescape(name) for name in re.findall(r"class=\"point tip\"[^>]*>([^<]*)<", picture)]


class Trees(unittest.TestCase):
    def test_the_root_lies_in_the_middle_of_the_longest_path(self):
        root = tree.read("(a:1,b:2,(c:1,d:5)90:1);")
        self.assertEqual(len(root.children), 2)
        depths = [max(n.x for n in tree.postorder(child) if not n.children) for child in root.children]
        self.assertAlmostEqual(depths[0], depths[1])  # b to d is 8 long
        self.assertAlmostEqual(depths[0], 4.0)

    def test_supports_and_lengths_stay_with_their_branches(self):
        draw = random.Random(11)
        for _ in range(200):
            text = random_tree(draw, draw.randrange(4, 30), 3)
            root = tree.read(text)
            expected = splits_of_newick(text)
            found = splits_of(root)
            self.assertEqual(found.keys(), expected.keys(), text)
            for side, (support, length) in expected.items():
                self.assertEqual(found[side][0], support, text)
                self.assertAlmostEqual(found[side][1], length, msg=text)

    def test_a_tree_that_has_a_root_loses_it_and_no_support(self):
        root = tree.read("((a:1,b:1)80:1,(c:1,d:9)80:1);")
        self.assertEqual(splits_of(root), {frozenset("cd"): (80.0, 2.0)})

    def test_every_tip_has_a_row_and_none_is_lost(self):
        root = tree.read(random_tree(random.Random(5), 41, 3))
        tips = [node for node in tree.postorder(root) if not node.children]
        self.assertEqual(sorted(node.y for node in tips), list(range(41)))
        self.assertEqual({node.name for node in tips}, {f"t{i}" for i in range(41)})

    def test_a_tree_without_lengths_or_supports_is_drawn_too(self):
        for text in ("(a,b,(c,d));", "(a:0,b:0,(c:0,d:0):0);"):
            self.assertEqual(sorted(names_in(phylogram.picture(text))), ["a", "b", "c", "d"])

    def test_names_may_be_quoted_and_mean_no_markup(self):
        picture = phylogram.picture("('Homo <b>sapiens':1,b:1,(c_d:1,e:1)77:1);")
        self.assertEqual(sorted(names_in(picture)), ["Homo <b>sapiens", "b", "c d", "e"])
        self.assertNotIn("<b>", picture)

    def test_every_branch_is_drawn_to_scale(self):
        root = tree.read(random_tree(random.Random(3), 40, 3))
        nodes = tree.postorder(root)
        deepest = max(node.x for node in nodes)
        drawn = re.findall(r"M([\d.]+) ([\d.]+)V([\d.]+)H([\d.]+)", phylogram.branches(nodes, deepest))
        lengths = sorted((float(to) - float(begin)) * deepest / 1000 for begin, _, _, to in drawn)
        expected = sorted(child.length for node in nodes for child in node.children)
        self.assertEqual(len(drawn), len(nodes) - 1)
        for length, found in zip(expected, lengths):
            self.assertAlmostEqual(length, found, delta=deepest / 1000)

    def test_numbers_at_nodes_cover_nothing_at_any_width(self):
        root = tree.read(random_tree(random.Random(7), 60, 3))
        nodes = tree.postorder(root)
        inner = [n for n in nodes if n.children and n.support is not None]
        deepest = max(n.x for n in nodes)
        drawn = phylogram.drawn_boxes(nodes, deepest)
        places = phylogram.places_of_supports(nodes, inner, deepest)
        self.assertGreater(len(places), len(inner) // 2)
        for width in (*phylogram.WIDTHS, *range(97, 1400, 210)):
            shown = [where.box for where in places.values() if where.width <= width]
            for i, box in enumerate(shown):
                for other in (*drawn, *shown[:i]):
                    self.assertFalse(box.left.at(width) < other.right.at(width) and other.left.at(width) < box.right.at(width)
                                     and box.top < other.bottom and other.top < box.bottom, f"{width}: {box} {other}")

    def test_what_is_no_tree_is_refused(self):
        for text in ("", "(a,b", "x;", "(a:1,b:x,c:1);"):
            with self.assertRaises(ReportError, msg=text):
                tree.read(text)


if __name__ == "__main__":
    unittest.main()
