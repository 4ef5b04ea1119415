"""Boards: which places of a table of scores are proved."""

from copeland.boards.finished_board import Board, board
from copeland.boards.score_table import ScoreTable, read_scores

__all__ = ["Board", "ScoreTable", "board", "read_scores"]
