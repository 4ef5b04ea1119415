"""Click logs of any size: lists that were shown and clicks on them -> counts of wins by pair."""
