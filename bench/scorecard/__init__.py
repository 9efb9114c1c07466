"""The scorecard: every figure that the project claims, measured next to its peers in the same run."""

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[2] / "python"))  # for maslin_report.whole
