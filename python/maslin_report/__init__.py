"""The report of a run: one HTML page with the tree, the time line of the workers and the right-sizing table."""
