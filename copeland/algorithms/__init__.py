"""One file for each algorithm, or for a family that differs in little; each registers itself."""
