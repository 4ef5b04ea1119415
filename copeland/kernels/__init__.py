"""What algorithms are written with: what all of them need is here, what kinds of rules share in a file of its own.

The readable code and the fast code are the same code. :func:`kernel` only marks a plain function;
simulations compile copies of the marked functions, live use runs them as they are.
"""

from copeland.kernels.arrays import pick
from copeland.kernels.compiler.compile import compiled
from copeland.kernels.mark import kernel

__all__ = ["compiled", "kernel", "pick"]
