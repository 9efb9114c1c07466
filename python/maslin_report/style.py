"""Colours and fonts that the pictures and the page share."""

from __future__ import annotations

INK = "#1f2933"
SOFT = "#66707c"
LINE = "#e3e7ec"
ACCENT = "#2563a8"
CHOSEN = "#1b8a5a"
IDLE = "#f1f3f6"
FONT = "Inter, 'Segoe UI', 'Helvetica Neue', 'Noto Sans', 'DejaVu Sans', Arial, sans-serif"

# Streams that follow each other get colours that are easily told apart.
STREAMS = ("#4c78a8", "#f2a154", "#59a89c", "#d6616b", "#8e6fb5", "#9bbb59", "#d48fb1", "#7a98b0",
           "#c7a34a", "#5a9bd4", "#a67c65", "#74b49b")
OTHER = "#a9b1bc"  # work that belongs to no stream
