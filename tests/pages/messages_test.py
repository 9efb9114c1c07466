"""What messages.py finds in a source; then the project's own: messages_test.py FOLDER."""

import sys
import unittest
from pathlib import Path

import messages

FOLDER = Path(sys.argv.pop())


class Messages(unittest.TestCase):
    def found(self, source):
        return messages.messages(source)

    def test_the_longest_piece_that_does_not_vary_is_taken(self):
        self.assertEqual(self.found('\n  throw error(fmt::format("of {} at {}: expected one of them", a, b));'),
                         [(2, "expected one of them")])

    def test_literals_that_stand_side_by_side_are_one(self):
        self.assertEqual(self.found('throw maslin::error("a (bracket) and "\n  "more" + name + " of it");'),
                         [(1, "a (bracket) and more")])

    def test_what_is_no_message_is_left_alone(self):
        self.assertEqual(self.found('std::printf("a line of output\\n"); throw error("short"); rethrow("something long");'), [])
        self.assertEqual(self.found('std::fprintf(stderr, "maslin: %zu workers are too many\\n", n);'),
                         [(1, "workers are too many")])

    def test_the_page_has_all(self):
        self.assertIn(messages.main(FOLDER), (0, 77))


if __name__ == "__main__":
    unittest.main(verbosity=2)
