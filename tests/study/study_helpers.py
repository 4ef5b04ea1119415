"""What several files of tests make studies of: options, a clock, answers and rows of votes."""

from copeland.study import open_study

OPTIONS = ["tea", "milk", "juice", "water"]
ALGORITHMS = ["cpc-pac", "copeland-pac", "pocowista"]


class Clock:
    """A clock that is set by hand."""

    def __init__(self, now=1000.0):
        self.now = now

    def __call__(self):
        return self.now


def again(study):
    """The same study, opened anew."""
    return open_study(study.name, study.storage, clock=study._clock)


def preferring(order):
    """An answer that always names the option that comes first in ``order``."""
    return lambda ballot: min(ballot.left, ballot.right, key=order.index)


def row(outcome, voter="ann", left="tea", right="milk", **more):
    return {"left": left, "right": right, "outcome": outcome, "voter": voter, **more}
