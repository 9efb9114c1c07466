"""Right-sizing, measured: phases of many shapes under every fixed configuration and under every policy."""
