"""One file for each algorithm; each registers itself."""
