"""Where a study stands: sides, voters, the leader."""

import pytest
from study_helpers import row


def test_the_position_bias_is_measured(study):
    for outcome in ["left"] * 3 + ["right"] + ["tie"]:
        study.tell(study.ask(), outcome)
    position = study.standing().position
    assert (position.left, position.right, position.share) == (3, 1, 0.75)
    assert position.low < 0.75 < position.high
    assert not position.is_biased


def test_voters_are_counted_and_compared_with_the_others(study):
    study.add_votes(
        [row("left", "ann"), row("left", "bob"), row("right", "cas"), row("skip", "cas")]
    )
    ann, bob, cas = study.standing().voters
    assert (ann.name, ann.votes, ann.outcomes["left"]) == ("ann", 1, 1)
    assert (ann.compared, bob.compared) == (0, 0)  # one other says so, one says the opposite
    assert (cas.votes, cas.outcomes["skip"], cas.agreement) == (1, 1, 0.0)


def test_an_undone_vote_is_not_counted_for_its_voter(study):
    study.add_votes([row("left", "ann", event_id="a"), row("tie", "ann")])
    study.undo("a")
    (ann,) = study.standing().voters
    assert (ann.outcomes["left"], ann.outcomes["tie"]) == (0, 1)


def test_the_leader_has_the_highest_score_and_counts_cannot_be_changed(study):
    assert study.standing().leader is None
    study.add_votes(
        [row("right", left=a, right=b) for a, b in [("tea", "milk"), ("juice", "milk")]]
    )
    assert study.standing().leader == "milk"
    with pytest.raises(ValueError, match="read-only"):
        study.standing().wins[0, 1] = 5
