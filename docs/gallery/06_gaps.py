"""The gaps that decide how often a pair is asked

A dot is the probability that the option wins against an opponent. A bar is what its interval covers while `ccb` may still ask
the pair. These are the paper's Figures 7 and 8.
"""

import copeland
from copeland.reproduction.paper_figures import star_figure

matrix = copeland.load("arithmetic-8")
figures = {
    "The gaps of a Copeland winner": star_figure(matrix, 0),
    "The gaps of another option": star_figure(matrix, 3),
}
