"""Pages whose examples are run as they stand there: each block of `sh`, and what it prints is what the block of `text` behind
it shows, but for the digits of numbers."""

import re

BLOCK = re.compile(r"^```(sh|text)\n(.*?)^```$", re.DOTALL | re.MULTILINE)


def without_digits(text, hidden=None):
    """Gives the lines with # for each number, and for what stands behind the first group of the pattern `hidden`."""
    if hidden:
        text = re.sub(hidden, r"\1#", text)
    return [re.sub(r" +", " ", re.sub(r"-?\d+(\.\d+)?(e[+-]?\d+)?", "#", line)).rstrip() for line in text.splitlines()]


def expect_shown(test, page, run, fewest, hidden=None):
    """Runs the blocks of `page`, of which there must be `fewest` at least. `run` gives what a block of `sh` printed, or None
    where it cannot be run here."""
    blocks = BLOCK.findall(page.read_text(encoding="utf-8"))
    test.assertGreaterEqual(len(blocks), fewest)
    said = ""
    for kind, text in blocks:
        if kind == "sh":
            said = run(text)
        elif said is not None:
            test.assertEqual(without_digits(said, hidden), without_digits(text, hidden))
