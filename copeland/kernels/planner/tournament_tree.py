"""The smallest of many numbers that change one at a time: a tournament of K leaves.

Leaf i of a tree with room for K numbers is at K + i; node n holds the smaller of nodes 2n and 2n + 1.
"""

from __future__ import annotations

import math

import numpy as np

from copeland.kernels.arrays import Floats
from copeland.kernels.mark import kernel


def new_tree(leaves: int) -> Floats:
    """Return a tree whose leaves are all infinite."""
    return np.full(2 * leaves, math.inf)


@kernel
def put(tree, leaf, value):
    """Set a leaf, and the winners on the way to the top."""
    node = len(tree) // 2 + leaf
    tree[node] = value
    while node > 1:
        node //= 2
        smaller = min(tree[2 * node], tree[2 * node + 1])
        if tree[node] == smaller:
            return
        tree[node] = smaller


@kernel
def smallest(tree):
    """Return the smallest leaf's number."""
    return tree[1]


@kernel
def lowest_leaf(tree):
    """Return a leaf that holds the smallest number."""
    leaves = len(tree) // 2
    node = 1
    while node < leaves:
        node = 2 * node if tree[2 * node] <= tree[2 * node + 1] else 2 * node + 1
    return node - leaves
