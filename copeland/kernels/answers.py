"""What algorithms share that stop with an answer: ``state.answer[0]`` is it, -1 until it is found."""

from __future__ import annotations

from copeland.kernels.mark import kernel


@kernel
def finished(state):
    """Tell whether the answer is found."""
    return state.answer[0] >= 0


@kernel
def select(state, t, rng):
    """Return the pair of this step, or the answer against itself."""
    if state.answer[0] >= 0:
        return state.answer[0], state.answer[0]
    return state.pair[0], state.pair[1]
