"""Who answers in a simulation: named matrices, generators, and problems too large for a matrix."""

from copeland.problems.catalogue import (
    list_problems,
    load,
    names,
    problem_of,
    problem_of_run,
    redrawn,
)
from copeland.problems.problem import Problem, matrix_problem

__all__ = [
    "Problem",
    "list_problems",
    "load",
    "matrix_problem",
    "names",
    "problem_of",
    "problem_of_run",
    "redrawn",
]
