"""Live search: interleaved lists of rankers, and the clicks that compare them."""
