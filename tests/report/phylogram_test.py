"""The tree is drawn as it is, wherever its root comes to lie."""

import random
import unittest

import newick

from maslin_report import phylogram
from maslin_report.inputs import ReportError


def splits_of(root):
    """Gives for each inner branch its split of the tips (the side without the first), its support and its length."""
    tips = sorted(node.name for node in phylogram.postorder(root) if not node.children)
    found = {}
    below = {}
    for node in phylogram.postorder(root):
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
    tree = newick.loads(text)[0]
    tips = sorted(leaf.unquoted_name for leaf in tree.get_leaves())
    found = {}
    for node in tree.walk():
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


class Trees(unittest.TestCase):
    def test_the_root_lies_in_the_middle_of_the_longest_path(self):
        root = phylogram.read("(a:1,b:2,(c:1,d:5)90:1);")
        self.assertEqual(len(root.children), 2)
        depths = [max(n.x for n in phylogram.postorder(child) if not n.children) for child in root.children]
        self.assertAlmostEqual(depths[0], depths[1])  # b to d is 8 long
        self.assertAlmostEqual(depths[0], 4.0)

    def test_supports_and_lengths_stay_with_their_branches(self):
        draw = random.Random(11)
        for _ in range(200):
            text = random_tree(draw, draw.randrange(4, 30), 3)
            root = phylogram.read(text)
            expected = splits_of_newick(text)
            found = splits_of(root)
            self.assertEqual(found.keys(), expected.keys(), text)
            for side, (support, length) in expected.items():
                self.assertEqual(found[side][0], support, text)
                self.assertAlmostEqual(found[side][1], length, msg=text)

    def test_a_tree_that_has_a_root_loses_it_and_no_support(self):
        root = phylogram.read("((a:1,b:1)80:1,(c:1,d:9)80:1);")
        self.assertEqual(splits_of(root), {frozenset("cd"): (80.0, 2.0)})

    def test_every_tip_has_a_row_and_none_is_lost(self):
        root = phylogram.read(random_tree(random.Random(5), 41, 3))
        tips = [node for node in phylogram.postorder(root) if not node.children]
        self.assertEqual(sorted(node.y for node in tips), list(range(41)))
        self.assertEqual({node.name for node in tips}, {f"t{i}" for i in range(41)})

    def test_a_tree_without_lengths_or_supports_is_drawn_too(self):
        self.assertGreater(len(phylogram.figure("(a,b,(c,d));").data), 0)
        self.assertGreater(len(phylogram.figure("(a:0,b:0,(c:0,d:0):0);").data), 0)

    def test_names_may_be_quoted_and_mean_no_markup(self):
        picture = phylogram.figure("('Homo <b>sapiens':1,b:1,(c_d:1,e:1)77:1);")
        words = "".join(str(trace.text) for trace in picture.data)
        self.assertIn("c d", words)
        self.assertNotIn("<b>", words)

    def test_numbers_at_nodes_cover_no_other_number(self):
        root = phylogram.read(random_tree(random.Random(7), 120, 3))
        nodes = phylogram.postorder(root)
        inner = [n for n in nodes if n.children and n.support is not None]
        places = phylogram.label_positions(nodes, inner, max(n.x for n in nodes))
        self.assertGreater(len(places), len(inner) // 2)
        boxes = [box for _, box in places.values()]
        for i, (left, right, top, bottom) in enumerate(boxes):
            for other in boxes[:i]:
                self.assertFalse(left < other[1] and other[0] < right and top < other[3] and other[2] < bottom)

    def test_what_is_no_tree_is_refused(self):
        for text in ("", "(a,b", "x;", "(a:1,b:x,c:1);"):
            with self.assertRaises(ReportError, msg=text):
                phylogram.read(text)


if __name__ == "__main__":
    unittest.main()
