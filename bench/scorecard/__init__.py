"""The scorecard: every figure that the project claims, measured next to its peers in the same run."""
