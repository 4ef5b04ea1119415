"""A study of drinks whose three named voters are the whole electorate."""

from copeland.study import create_study

DRINKS = ("tea", "milk", "juice", "water")
ORDERS = {
    "ann": ("tea", "milk", "juice", "water"),
    "ben": ("tea", "juice", "milk", "water"),
    "cid": ("milk", "tea", "juice", "water"),
}


def panel_study(panel=tuple(ORDERS), options=DRINKS, **how):
    return create_study("lunch", options, voters="panel", panel=panel, **how)


def preferred(ballot, orders=ORDERS):
    return min(ballot.left, ballot.right, key=orders[ballot.voter].index)


def answer_all(study, orders=ORDERS, voter=None):
    """Ask until nothing is left; return the ballots."""
    ballots = []
    while ballot := study.ask(voter):
        study.tell(ballot, preferred(ballot, orders))
        ballots.append(ballot)
    return ballots
