"""Members of a panel who sit down one after the other are asked a share each, and the panel still comes to its end."""

import numpy as np
import pytest

from copeland.study import create_study
from copeland.web.pages.question_counts import PanelCounts, count_panel


def decide(study, tastes, limit):
    """Let members answer, each for as long as may be, in turns; return how many answers each gave."""
    given = dict.fromkeys(tastes, 0)
    for _ in range(40):
        before = sum(given.values())
        for name, taste in tastes.items():
            while given[name] < limit(study, name) and (ballot := study.ask(name)):
                better = max(ballot.left, ballot.right, key=lambda one: taste[int(one[1:])])
                study.tell(ballot, better)
                given[name] += 1
        if sum(given.values()) == before:
            return given
    raise AssertionError("the members were asked for ever")


def draw_tastes(members, k, seed):
    draw = np.random.default_rng(seed)
    common = draw.normal(size=k)
    return {f"m{n}": common + draw.gumbel(size=k) for n in range(members)}


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(3))
def test_shares_settle_it_with_far_fewer_answers_and_nobody_gives_most(seed):
    tastes, options = draw_tastes(5, 8, seed), [f"o{n}" for n in range(8)]
    study, other = (
        create_study("jury", options, voters="panel", panel=list(tastes)) for _ in range(2)
    )
    given = decide(study, tastes, lambda one, name: count_panel(one).limit(name))
    alone = decide(other, tastes, lambda *_: 28)
    assert study.certificate().best == other.certificate().best and study.certificate().decided
    assert sum(given.values()) < 0.8 * sum(alone.values())
    share = count_panel(study).share
    assert max(given.values()) < 28 and max(alone.values()) == 28 and share < 14


def test_whoever_has_given_the_fewest_is_always_asked():
    draw = np.random.default_rng(0)
    for _ in range(200):
        given = {name: int(n) for name, n in zip("abcd", draw.integers(0, 30, 4), strict=True)}
        due = frozenset("abc"[: draw.integers(1, 4)])
        counts = PanelCounts(int(draw.integers(1, 20)), given, due)
        last = min(due, key=given.__getitem__)
        assert counts.left(last) > 0 and counts.left("d") == 0
        assert all(counts.limit(one) >= counts.share for one in due)
