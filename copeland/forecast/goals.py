"""What to go on until: an option is proved best, or one is likely enough to be."""

from __future__ import annotations

from typing import NamedTuple

from copeland.errors import InvalidParameter

LIKELY = 0.95  # a chance to be best with which an option is called likely best
_PROVED, _LIKELY = "proved", "likely"


class Goal(NamedTuple):
    """When to stop. A chance to be best is an estimate, and what stops at one proves nothing."""

    likely: float | None = None  # the chance that one option must have; None: until one is proved

    def __str__(self) -> str:
        return _PROVED if self.likely is None else f"{_LIKELY}={self.likely:g}"

    @property
    def words(self) -> str:
        """What has come true then, as in "until ..."."""
        if self.likely is None:
            return "an option is proved best"
        return (
            f"an option's chance to be best is {100 * self.likely:g} % (an estimate, not a proof)"
        )


PROOF = Goal()


def goal_of(until: str | Goal | None, name: str = "until") -> Goal:
    """Return what ``until`` says: ``"proved"``, ``"likely"`` or ``"likely=0.95"``.

    Examples
    --------
    >>> goal_of("likely=0.9"), goal_of("likely").likely, goal_of("proved") == PROOF
    (Goal(likely=0.9), 0.95, True)
    """
    if until is None or isinstance(until, Goal):
        return until or PROOF
    word, _, chance = str(until).partition("=")
    if word == _PROVED and not chance:
        return PROOF
    try:
        likely = float(chance) if "=" in str(until) else LIKELY
    except ValueError:
        likely = 0.0
    # Two options can have a chance of 1/2 each, and an estimate is never sure.
    if word != _LIKELY or not 0.5 < likely < 1:
        raise InvalidParameter(
            f"{name} is {until!r}; say proved, or likely=0.95 with a chance above 0.5 and below 1."
        )
    return Goal(likely)
