"""What the votes of a study mean: what is proved, what only shows, and both in words."""
