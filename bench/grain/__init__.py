"""Right-sizing, measured: phases of many shapes under every fixed configuration and under every policy."""

from __future__ import annotations

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path += [str(ROOT / "bench" / "figures"), str(ROOT / "python")]  # for pictures
