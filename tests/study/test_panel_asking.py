"""Who of a panel is asked what, whose answers count, and options that come and go."""

import itertools
from collections import Counter

import pytest
from panel_study import DRINKS, ORDERS, answer_all, panel_study, preferred
from study_helpers import Clock

from copeland import errors
from copeland.study import create_study, open_study

# Asking


def test_no_member_is_asked_a_pair_twice_and_sides_are_balanced():
    options = [f"o{i}" for i in range(7)]
    orders = {"ann": options, "ben": options[::-1], "cid": options[3:] + options[:3]}
    study = panel_study(options=options)
    ballots = answer_all(study, orders)
    met = Counter((b.voter, frozenset((b.left, b.right))) for b in ballots)
    assert set(met.values()) == {1}
    for voter, option in itertools.product(orders, options):
        sides = [b.left == option for b in ballots if b.voter == voter and option in b[1:3]]
        assert abs(sides.count(True) - sides.count(False)) <= 2


def test_no_option_is_shown_more_than_three_times_running_while_another_pair_may_matter():
    options = [f"o{i}" for i in range(8)]
    orders = dict.fromkeys(ORDERS, options)
    study = panel_study(options=options)
    shown = {voter: [] for voter in orders}
    while ballot := study.ask():
        pair = {ballot.left, ballot.right}
        assert not set.intersection(*[set(options), *shown[ballot.voter][-3:]][-3:], pair) or (
            len(shown[ballot.voter]) < 3
        )
        shown[ballot.voter].append(pair)
        study.tell(ballot, preferred(ballot, orders))
    assert study.certificate().best == (0,)


def test_a_named_member_is_asked_what_is_left_for_that_member_alone():
    study = panel_study()
    ballots = answer_all(study, voter="ann")
    assert {ballot.voter for ballot in ballots} == {"ann"}
    assert len(ballots) == 6 and study.ask("ann") is None
    assert study.standing().panel.members_to_ask == ("ben", "cid")
    assert study.ask().voter in ("ben", "cid")


def test_members_at_work_at_once_are_asked_different_things():
    study = panel_study()
    ballots = study.ask(n=6)
    assert len({(b.voter, frozenset((b.left, b.right))) for b in ballots}) == len(ballots) > 2
    assert {ballot.voter for ballot in ballots} == set(ORDERS)
    own = study.ask("ann", n=4)
    held = {frozenset((b.left, b.right)) for b in ballots if b.voter == "ann"}
    assert own and held.isdisjoint(frozenset((b.left, b.right)) for b in own)


def test_who_holds_as_many_ballots_as_allowed_gets_the_oldest_again():
    study = panel_study(open_ballots=1)
    first = study.ask("ann")
    assert study.ask("ann") == first
    assert study.ask("ann", item="today").until == first.expires  # it is about something else


def test_an_expired_question_is_asked_again():
    clock = Clock()
    study = panel_study(["ann"], ["tea", "milk"], clock=clock)
    first = study.ask()
    assert study.ask() == first
    clock.now += 601
    again = study.ask()
    assert again.id != first.id and {again.left, again.right} == {first.left, first.right}
    study.tell(first, "tea")  # late, and it counts
    with pytest.raises(errors.AlreadyVoted, match="'ann' has already answered tea and milk"):
        study.tell(again, "milk")


@pytest.mark.slow
def test_the_same_seed_and_answers_give_the_same_ballots(tmp_path):
    runs = [answer_all(panel_study(seed=7, clock=Clock())) for _ in range(2)]
    assert runs[0] == runs[1]
    storage = f"sqlite:///{tmp_path / 'a.db'}"
    study = panel_study(seed=7, clock=Clock(), storage=storage)
    ballots = []
    while ballot := open_study("lunch", storage, clock=Clock()).ask():
        study.tell(ballot, preferred(ballot))
        ballots.append(ballot)
    assert ballots == runs[0]


# Who may answer


@pytest.mark.parametrize(
    ("said", "sentence"),
    [
        ({"voter": "zoe"}, "'zoe' is not on the panel, which is ann, ben and cid"),
        ({}, "this vote has no voter, but the panel is ann, ben and cid"),
        ({"voter": "cid"}, "'cid' is excused; readmit the voter first"),
        ({"voter": "ann"}, "'ann' has already answered tea and milk"),
    ],
)
def test_votes_that_are_no_members_first_answers_are_refused_with_all_that_came_with_them(
    said, sentence
):
    study = panel_study()
    study.excuse("cid")
    fine = {"voter": "ann", "left": "milk", "right": "tea", "outcome": "tie"}
    before = study.number
    with pytest.raises(errors.InvalidRow, match=sentence) as refused:
        study.add_votes([fine, {"left": "tea", "right": "milk", "outcome": "left", **said}])
    assert str(refused.value).endswith("Nothing was imported.")
    assert study.number == before


def test_only_members_are_asked_and_each_answers_its_own_ballot():
    study = panel_study()
    with pytest.raises(errors.InvalidParameter, match="'zoe' is not on the panel"):
        study.ask("zoe")
    ballot = study.ask("ann")
    with pytest.raises(errors.InvalidParameter, match="was handed to 'ann', so 'ben' cannot"):
        study.tell(ballot, "left", voter="ben")
    study.tell(ballot, "left", event_id="once")
    assert study.tell(ballot, "left", event_id="once").voter == "ann"  # sent twice, kept once
    assert study.standing().votes == 1


def test_an_undone_answer_is_missing_again_and_may_be_given_anew():
    study = panel_study()
    ballot = study.ask("ann")
    vote = study.tell(ballot, "left")
    assert study.certificate().missing == 17
    study.undo(vote)
    assert study.certificate().missing == 18
    study.tell(ballot, "right")
    assert study.certificate().missing == 17 and study.standing().votes == 1


@pytest.mark.parametrize(("outcome", "missing"), [("skip", 17), ("tie", 17), ("error", 18)])
def test_a_skip_is_an_answer_and_an_error_is_none(outcome, missing):
    study = panel_study()
    study.tell(study.ask("ann"), outcome)
    assert study.certificate().missing == missing


def test_nobody_waits_for_who_is_excused_until_readmitted():
    study = panel_study()
    held = study.ask("cid")
    study.excuse("cid")
    study.excuse("cid")  # is so already
    found = study.certificate()
    assert found.missing == 12 and found.excused == ("cid",)
    assert "With cid excused" in found.statement
    assert "No answer of cid is waited for." in found.assumptions
    with pytest.raises(errors.InvalidParameter, match="'cid' is excused"):
        study.tell(held, "left")
    assert {ballot.voter for ballot in answer_all(study)} == {"ann", "ben"}
    study.readmit("cid")
    assert study.certificate().excused == () and study.replay() == study.state()
    study.tell(held, "left")


def test_only_members_are_excused_and_answers_on_added_options_are_missing():
    with pytest.raises(errors.InvalidParameter, match="this study has no panel"):
        create_study("tea", DRINKS, voters="independent").excuse("ann")
    with pytest.raises(errors.InvalidParameter, match="'zoe' is not on the panel"):
        panel_study().excuse("zoe")
    study = panel_study()
    answer_all(study)
    missing = study.certificate().missing
    study.add_option("broth")
    assert study.certificate().missing == missing + 12
    assert study.certificate().verdict == "open"
    assert "broth" in {name for b in study.ask(n=3) for name in (b.left, b.right)}


# Options that come and go


def test_questions_are_about_the_active_options_and_end_when_these_are_settled():
    study = panel_study()
    study.tell(study.ask("ann"), "left")
    study.retire_option("tea")
    ballots = answer_all(study)
    assert all("tea" not in (ballot.left, ballot.right) for ballot in ballots)
    found = study.certificate(active=True)
    assert found.active == (1, 2, 3) and found.best
    assert "among the 3 active options" in found.statement
    assert study.certificate() == found  # which leaves tea out
    verdict = study.verdict()
    assert verdict.claim == "milk is proved the only winner of the 3 active options."
    assert verdict.proved.count(found.statement) == 1 and not verdict.advice


def test_a_paused_option_waits_and_with_one_active_nothing_can_be_asked():
    study = panel_study()
    study.pause_option("tea")
    answer_all(study)
    study.resume_option("tea")
    assert answer_all(study) and study.certificate().best == (0,)
    study = panel_study()
    study.tell(study.ask("ann"), "left")
    for name in DRINKS[1:]:
        study.retire_option(name)
    assert study.ask() is None
    assert study.verdict().claim.endswith("Nothing can be asked, and no option is sure to be best.")
    assert study.verdict().advice == (
        "Fewer than 2 options are active, so nothing can be asked; resume one, or add one.",
    )
    with pytest.raises(errors.InvalidParameter, match="nothing to ask"):
        study.plan()


@pytest.mark.slow
def test_once_the_best_option_is_retired_the_verdict_is_about_the_rest():
    study = panel_study()
    study.add_votes(
        {"voter": voter, "winner": "tea", "loser": other}
        for voter, other in itertools.product(("ann", "ben"), DRINKS[1:])
    )
    assert study.verdict().claim == "tea is proved the only winner."
    study.retire_option("tea")
    verdict = study.verdict()
    assert "tea" not in verdict.claim and verdict.proved[0] == study.certificate().statement
    assert "is best of the active options:" in verdict.advice[0]
    answer_all(study)
    assert study.certificate(active=True).best == (1,)
