"""Sets of answers and judges that tests of gates share."""

from copeland.gate.case_pairs import pair_answers

OLD, NEW = "baseline", "candidate"


def make_pairs(cases, identical=0):
    """Two sets of answers; the first cases have the same answer twice."""
    old = {f"q{i}": f"old {i}" for i in range(cases)}
    new = {f"q{i}": f"old {i}" if i < identical else f"new {i}" for i in range(cases)}
    return pair_answers(old, new)


def answers_of(pairs):
    """The two sets as run_gate takes them."""
    old, new = pairs.names
    return (
        {case.id: case.answers[old] for case in pairs.cases},
        {case.id: case.answers[new] for case in pairs.cases},
    )


class Scripted:
    """A judge that prefers the candidate, the baseline or neither on each case, whatever the sides."""

    name = "scripted"

    def __init__(self, *wishes):
        self.wishes = wishes
        self.asked = []

    def __call__(self, left, right, item):
        place = int(item.name[1:])
        self.asked.append((place, left.name))
        wish = self.wishes[place % len(self.wishes)]
        if wish not in (OLD, NEW):
            return wish
        return "left" if left.name == wish else "right"
