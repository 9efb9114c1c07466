"""Forty programs that `auto` has never seen: their names, how they are measured, and what of them is judged."""
