"""One file for each way to interleave; each registers itself."""
