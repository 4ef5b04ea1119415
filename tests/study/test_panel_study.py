"""Studies whose named voters are the whole electorate."""

import itertools
import json
import re
from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from copeland import errors
from copeland.study import (
    certificate_to_file,
    create_study,
    create_study_from_votes,
    objections,
    open_study,
    read_certificate,
)
from copeland.study.judges import judge_study
from copeland.study.meaning.filing import objections_by_file
from copeland.study.meaning.panel_plan import questions_sentence
from copeland.study.record.snapshots import dump_books, load_books

DRINKS = ("tea", "milk", "juice", "water")
ORDERS = {
    "ann": ("tea", "milk", "juice", "water"),
    "ben": ("tea", "juice", "milk", "water"),
    "cid": ("milk", "tea", "juice", "water"),
}


def lunch(panel=tuple(ORDERS), options=DRINKS, **how):
    return create_study("lunch", options, voters="panel", panel=panel, **how)


def preferred(ballot, orders=ORDERS):
    return min(ballot.left, ballot.right, key=orders[ballot.voter].index)


def asked_out(study, orders=ORDERS, voter=None):
    """Ask until nothing is left; return the ballots."""
    ballots = []
    while ballot := study.ask(voter):
        study.tell(ballot, preferred(ballot, orders))
        ballots.append(ballot)
    return ballots


class Clock:
    now = 1000.0

    def __call__(self):
        return self.now


# What is settled


def completions(study, active=False):
    """The winners in every way in which the missing answers may come, one answer after the other."""
    books = study.books()
    options = [i for i, one in enumerate(books.options) if not active or one.state == "active"]
    pairs = list(itertools.combinations(options, 2))
    open_answers = [
        (i, j)
        for place, name in enumerate(books.panel.members)
        for i, j in pairs
        if name not in books.panel.excused and not books.panel.answered[place, i, j]
    ]
    for said in itertools.product((1, 0, -1), repeat=len(open_answers)):
        margin = books.wins - books.wins.T
        for (i, j), answer in zip(open_answers, said, strict=True):
            margin[i, j] += answer
            margin[j, i] -= answer
        scores = {i: sum(margin[i, j] > 0 for j in options) for i in options}
        yield frozenset(i for i in options if scores[i] == max(scores.values()))


@st.composite
def histories(draw):
    """What happens to a small panel: answers, undoings, members excused, an option added or retired."""
    members, k = draw(st.sampled_from([(1, 3), (2, 3), (3, 2), (2, 2), (3, 3)]))
    asked = [
        (f"m{member}", pair)
        for member in range(members)
        for pair in itertools.combinations(range(k), 2)
    ]
    answers = draw(st.permutations(asked))
    kept = answers[: len(answers) - draw(st.integers(0, min(len(answers), 4)))]
    outcomes = st.sampled_from(["left", "right", "tie", "both_bad", "skip", "error"])
    said = [(voter, pair, draw(outcomes)) for voter, pair in kept]
    return members, k, said, draw(st.integers(0, 2)), draw(st.booleans()), draw(st.booleans())


@pytest.mark.slow
@settings(max_examples=60)
@given(histories())
def test_the_certificate_is_what_holds_in_every_completion(history):
    members, k, said, undone, excused, retired = history
    study = lunch([f"m{i}" for i in range(members)], DRINKS[:k])
    rows = [
        {"voter": voter, "left": DRINKS[i], "right": DRINKS[j], "outcome": outcome}
        for voter, (i, j), outcome in said
    ]
    study.add_votes(rows)
    for vote in study.votes()[:undone]:
        study.undo(vote)
    if excused:
        study.excuse("m0")
    if retired and k > 2:
        study.retire_option(DRINKS[0])
    for active in (False, True):
        found = study.certificate(active)
        if found.missing <= 7:
            won = list(completions(study, active))
            assert set(found.best) == frozenset.intersection(*won)
            assert set(found.possible) == frozenset.union(*won)
            assert found.is_all == (len(set(won)) == 1)
    assert study.replay() == study.books() == load_books(dump_books(study.books()))


@pytest.mark.quick
def test_a_panel_is_asked_until_some_option_is_sure_to_be_best():
    study = lunch()
    ballots = asked_out(study)
    found = study.certificate()
    assert found.best == (0,) and found.verdict == "winner"
    assert len(ballots) < 18 and found.missing == 18 - len(ballots)
    assert {ballot.voter for ballot in ballots} == set(ORDERS)
    assert study.ask() is None and study.ask("ann") is None
    assert study.verdict().claim == "tea is proved best."


@pytest.mark.slow
def test_no_word_is_said_of_probabilities_that_a_panel_does_not_have(tmp_path):
    study = lunch()
    for ballot in study.ask(n=5):
        study.tell(ballot, preferred(ballot))
    pages = [study.report(tmp_path / "open.html").read_text()]
    asked_out(study)
    pages.append(study.report(tmp_path / "settled.html").read_text())
    told = [str(study.verdict()), *study.verdict().assumptions, study._repr_html_(), *pages]
    for text in told:
        words = re.sub(r"<style.*?</style>|<svg.*?</svg>", "", text, flags=re.DOTALL).lower()
        assert not re.search(r"delta|error probability|confidence|margin|epoch", words)


@pytest.mark.slow
def test_chances_never_contradict_the_certificate():
    study = lunch()
    while ballot := study.ask():
        study.tell(ballot, preferred(ballot))
        found, chances = study.certificate(), study.verdict().chances
        assert study.standing().leader in {found.labels[i] for i in found.possible}
        assert (chances is None) == bool(found.best)  # then a share would only hide that it is sure
        assert found.best or all(chances[i] == 0 for i in range(4) if i not in found.possible)


def test_an_even_pair_is_half_a_win_only_while_answers_are_missing():
    study = lunch(["ann", "ben"], ["tea", "milk", "juice"])
    rows = [("tea", "milk"), ("milk", "tea"), ("tea", "juice"), ("juice", "tea")]
    study.add_votes(
        {"voter": voter, "left": left, "right": right, "outcome": "left"}
        for (left, right), voter in zip(rows, ("ann", "ben") * 2, strict=True)
    )
    study.add_votes([{"voter": "ann", "left": "milk", "right": "juice", "outcome": "left"}])
    assert study.standing().leader == "milk"  # tea is tied with both for good, and wins nothing
    assert study.certificate().scores[0] == (0, 0)


# Asking


def test_no_member_is_asked_a_pair_twice_and_sides_are_balanced():
    options = [f"o{i}" for i in range(7)]
    orders = {"ann": options, "ben": options[::-1], "cid": options[3:] + options[:3]}
    study = lunch(options=options)
    ballots = asked_out(study, orders)
    met = Counter((b.voter, frozenset((b.left, b.right))) for b in ballots)
    assert set(met.values()) == {1}
    for voter, option in itertools.product(orders, options):
        sides = [b.left == option for b in ballots if b.voter == voter and option in b[1:3]]
        assert abs(sides.count(True) - sides.count(False)) <= 2


def test_no_option_is_shown_more_than_three_times_running_while_another_pair_may_matter():
    options = [f"o{i}" for i in range(8)]
    orders = dict.fromkeys(ORDERS, options)
    study = lunch(options=options)
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
    study = lunch()
    ballots = asked_out(study, voter="ann")
    assert {ballot.voter for ballot in ballots} == {"ann"}
    assert len(ballots) == 6 and study.ask("ann") is None
    assert study.standing().panel.awaited == ("ben", "cid")
    assert study.ask().voter in ("ben", "cid")


def test_members_at_work_at_once_are_asked_different_things():
    study = lunch()
    ballots = study.ask(n=6)
    assert len({(b.voter, frozenset((b.left, b.right))) for b in ballots}) == len(ballots) > 2
    assert {ballot.voter for ballot in ballots} == set(ORDERS)
    own = study.ask("ann", n=4)
    held = {frozenset((b.left, b.right)) for b in ballots if b.voter == "ann"}
    assert own and held.isdisjoint(frozenset((b.left, b.right)) for b in own)


def test_who_holds_as_many_ballots_as_allowed_gets_the_oldest_again():
    study = lunch(open_ballots=1)
    first = study.ask("ann")
    assert study.ask("ann") == first
    assert study.ask("ann", item="today").until == first.expires  # it is about something else


def test_an_expired_question_is_asked_again():
    clock = Clock()
    study = lunch(["ann"], ["tea", "milk"], clock=clock)
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
    runs = [asked_out(lunch(seed=7, clock=Clock())) for _ in range(2)]
    assert runs[0] == runs[1]
    storage = f"sqlite:///{tmp_path / 'a.db'}"
    study = lunch(seed=7, clock=Clock(), storage=storage)
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
    study = lunch()
    study.excuse("cid")
    fine = {"voter": "ann", "left": "milk", "right": "tea", "outcome": "tie"}
    before = study.number
    with pytest.raises(errors.InvalidRow, match=sentence) as refused:
        study.add_votes([fine, {"left": "tea", "right": "milk", "outcome": "left", **said}])
    assert str(refused.value).endswith("Nothing was imported.")
    assert study.number == before


def test_only_members_are_asked_and_each_answers_its_own_ballot():
    study = lunch()
    with pytest.raises(errors.InvalidParameter, match="'zoe' is not on the panel"):
        study.ask("zoe")
    ballot = study.ask("ann")
    with pytest.raises(errors.InvalidParameter, match="was handed to 'ann', so 'ben' cannot"):
        study.tell(ballot, "left", voter="ben")
    study.tell(ballot, "left", event_id="once")
    assert study.tell(ballot, "left", event_id="once").voter == "ann"  # sent twice, kept once
    assert study.standing().votes == 1


def test_an_undone_answer_is_missing_again_and_may_be_given_anew():
    study = lunch()
    ballot = study.ask("ann")
    vote = study.tell(ballot, "left")
    assert study.certificate().missing == 17
    study.undo(vote)
    assert study.certificate().missing == 18
    study.tell(ballot, "right")
    assert study.certificate().missing == 17 and study.standing().votes == 1


@pytest.mark.parametrize(("outcome", "missing"), [("skip", 17), ("tie", 17), ("error", 18)])
def test_a_skip_is_an_answer_and_an_error_is_none(outcome, missing):
    study = lunch()
    study.tell(study.ask("ann"), outcome)
    assert study.certificate().missing == missing


def test_nobody_waits_for_who_is_excused_until_readmitted():
    study = lunch()
    held = study.ask("cid")
    study.excuse("cid")
    study.excuse("cid")  # is so already
    found = study.certificate()
    assert found.missing == 12 and found.excused == ("cid",)
    assert "With cid excused" in found.statement
    assert "No answer of cid is waited for." in found.assumptions
    with pytest.raises(errors.InvalidParameter, match="'cid' is excused"):
        study.tell(held, "left")
    assert {ballot.voter for ballot in asked_out(study)} == {"ann", "ben"}
    study.readmit("cid")
    assert study.certificate().excused == () and study.replay() == study.books()
    study.tell(held, "left")


def test_only_a_panels_members_are_excused():
    with pytest.raises(errors.InvalidParameter, match="this study has no panel"):
        create_study("tea", DRINKS).excuse("ann")
    with pytest.raises(errors.InvalidParameter, match="'zoe' is not on the panel"):
        lunch().excuse("zoe")


# Options that come and go


def test_answers_on_an_option_that_is_added_are_missing():
    study = lunch()
    asked_out(study)
    missing = study.certificate().missing
    study.add_option("broth")
    assert study.certificate().missing == missing + 12
    assert study.certificate().verdict == "open"
    assert "broth" in {name for b in study.ask(n=3) for name in (b.left, b.right)}


def test_questions_are_about_the_active_options_and_end_when_these_are_settled():
    study = lunch()
    study.tell(study.ask("ann"), "left")
    study.retire_option("tea")
    ballots = asked_out(study)
    assert all("tea" not in (ballot.left, ballot.right) for ballot in ballots)
    found = study.certificate(active=True)
    assert found.active == (1, 2, 3) and found.best
    assert "among the 3 active options" in found.statement
    assert study.certificate().verdict == "open"  # tea may be best of all: it was never asked
    verdict = study.verdict()
    assert verdict.claim.startswith("milk is best of the active options.")
    assert found.statement in verdict.proved and not verdict.advice


def test_a_paused_option_is_asked_once_it_is_resumed():
    study = lunch()
    study.pause_option("tea")
    asked_out(study)
    study.resume_option("tea")
    assert asked_out(study) and study.certificate().best == (0,)


def test_with_one_active_option_nothing_can_be_asked():
    study = lunch()
    study.tell(study.ask("ann"), "left")
    for name in DRINKS[1:]:
        study.retire_option(name)
    assert study.ask() is None
    assert study.verdict().claim.endswith("No option is sure to be best, and nothing can be asked.")
    assert study.verdict().advice == (
        "Fewer than 2 options are active, so nothing can be asked; resume one, or add one.",
    )
    with pytest.raises(errors.InvalidParameter, match="nothing to ask"):
        study.plan()


def test_of_a_best_option_that_is_retired_and_the_rest_both_are_told():
    study = lunch()
    study.add_votes(
        {"voter": voter, "winner": "tea", "loser": other}
        for voter, other in itertools.product(("ann", "ben"), DRINKS[1:])
    )
    study.retire_option("tea")
    verdict = study.verdict()
    assert verdict.claim == "tea is proved the only winner."
    assert verdict.proved[1] == study.certificate(active=True).statement
    assert (
        "tea is retired; the first statement is about all options ever offered." in verdict.proved
    )
    assert "is best of the active options:" in verdict.advice[0]
    asked_out(study)
    assert study.certificate(active=True).best == (1,)


# Files


@pytest.mark.parametrize("active", [False, True])
def test_a_certificate_file_is_checked_by_the_database_the_log_and_the_votes(tmp_path, active):
    study = lunch()
    study.tell(study.ask("ann"), "skip")
    study.tell(study.ask("ben"), "error")
    study.retire_option("water")
    asked_out(study)
    study.excuse("cid")
    found, text = certificate_to_file(study, active)
    file = tmp_path / "lunch.json"
    file.write_text(text)
    study.readmit("cid")  # what comes later does not matter
    study.add_option("broth")
    study.tell(study.ask("cid"), "left")
    filed = read_certificate(file)
    assert filed.certificate == found and not filed.unbound
    assert objections(filed, study) == ()
    for name in ("log.jsonl", "votes.csv"):
        study.export(tmp_path / name)
        assert objections_by_file(filed, tmp_path / name) == ()


@pytest.mark.parametrize(
    "change",
    [
        {"best": [1]},
        {"missing": 0},
        {"excused": ["ann"]},
        {"panel": ["ann", "ben"]},
        {"answers": 3},
        {"statement": "Whatever."},
        {"digest": "0" * 64},
    ],
)
def test_a_file_that_was_changed_does_not_hold(tmp_path, change):
    study = lunch()
    asked_out(study)
    content = json.loads(certificate_to_file(study)[1])
    assert content.keys() >= change.keys()
    file = tmp_path / "lunch.json"
    file.write_text(json.dumps(content | change))
    assert objections(read_certificate(file), study)


@pytest.mark.parametrize("change", [{"panel": 3}, {"answers": "x"}, {"format": 9}, {"best": [9]}])
def test_a_file_that_is_no_certificate_is_refused(tmp_path, change):
    content = json.loads(certificate_to_file(lunch())[1])
    file = tmp_path / "lunch.json"
    file.write_text(json.dumps(content | change))
    with pytest.raises(errors.InvalidParameter):
        read_certificate(file)


def test_a_certificate_of_a_panel_does_not_hold_of_people(tmp_path):
    file = tmp_path / "lunch.json"
    file.write_text(certificate_to_file(lunch())[1])
    people = create_study("lunch", DRINKS, voters="people")
    assert any("panel" in one for one in objections(read_certificate(file), people))


# Settings


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({"panel": []}, "nobody is named"),
        ({"panel": ["ann", "ann"]}, "has 'ann' twice"),
        ({"panel": ["ann", " "]}, "give each a name"),
        ({"panel": "ann"}, "give a list of names"),
        ({"margin": 0.1}, "leave the margin out"),
        ({"repeats": "count"}, "answers a pair once"),
        ({"algorithm": "ccb"}, "its own planner"),
        ({"voters": "people"}, "say voters='panel'"),
        ({"options": [f"o{i}" for i in range(201)]}, "takes up to 200 options"),
    ],
)
def test_settings_that_mean_nothing_to_a_panel_are_refused(given, sentence):
    how = {"options": DRINKS, "voters": "panel", "panel": ["ann"]} | given
    with pytest.raises(errors.InvalidParameter, match=sentence):
        create_study("lunch", how.pop("options"), **how)


def test_a_panel_is_kept_with_its_study(tmp_path, monkeypatch):
    monkeypatch.setattr("copeland.study.conduct.transactions.SNAPSHOT_EVERY", 3)
    storage = f"sqlite:///{tmp_path / 'a.db'}"
    study = lunch(storage=storage)
    asked_out(study)
    again = open_study("lunch", storage)
    assert again.settings == study.settings and again.settings.panel == ("ann", "ben", "cid")
    assert again.certificate() == study.certificate()
    assert again.books() == again.replay() and again._work._snapshot > 1
    assert lunch(storage=storage, load_if_exists=True).standing().votes == study.standing().votes
    with pytest.raises(errors.StudyExists, match="created with panel"):
        lunch(["ann", "ben"], storage=storage, load_if_exists=True)


def test_the_settings_of_other_studies_say_nothing_of_panels():
    assert "panel" not in create_study("tea", DRINKS).settings.to_dict()
    assert not {"delta", "margin"} & lunch().settings.to_dict().keys()


def test_a_study_of_a_panel_can_begin_with_votes():
    rows = [{"voter": "ann", "winner": "tea", "loser": "milk"}]
    study, taken = create_study_from_votes("lunch", rows, voters="panel", panel=["ann", "ben"])
    assert taken == 1 and study.certificate().missing == 1
    with pytest.raises(errors.InvalidRow, match="is not on the panel"):
        create_study_from_votes("lunch", rows, voters="panel", panel=["ben"])


def test_votes_are_exported_undone_and_imported_again(tmp_path):
    file = tmp_path / "votes.csv"
    file.write_text("voter,left,right,outcome\nann,tea,milk,left\nben,tea,milk,left\n")
    study = lunch()
    assert study.import_votes(file) == 2
    assert study.import_votes(file).known == 2
    assert study.undo_import("votes.csv") == 2 and study.certificate().missing == 18
    assert study.import_votes(file) == 2 and study.certificate().missing == 16


# Looking ahead, and judges


def test_a_plan_says_how_many_more_answers_it_may_take():
    study = lunch()
    plan = study.plan(worlds=5)
    planned, all_pairs = plan.ways
    assert 6 <= planned.quantile(0.5) <= 18 and planned.quantile(0.5) < all_pairs.quantile(0.9)
    asked_out(study)
    assert study.plan(worlds=2).ways[0].votes == (0, 0)


@pytest.mark.slow
def test_no_plan_is_below_what_is_said_at_creation():
    for members, k in ((2, 3), (3, 2), (4, 4), (5, 3)):
        fewest, most = (
            int(n)
            for n in re.findall(r"(?:at least|at most) (\d+)", questions_sentence(members, k))
        )
        study = lunch([f"m{i}" for i in range(members)], DRINKS[:k])
        orders = dict.fromkeys(study.settings.panel, DRINKS)
        assert fewest <= len(asked_out(study, orders)) <= most


def test_judges_are_members_by_their_names():
    study = lunch(["ann", "ben"], ["tea", "milk", "juice"])
    with pytest.raises(errors.InvalidParameter, match="'zoe' is not on the panel"):
        judge_study(study, {"zoe": lambda left, right, item: "left"})
    judge = {"ann": lambda left, right, item: "left" if left.name < right.name else "right"}
    done = judge_study(study, judge)
    assert done.stopped == "nothing is left to ask of the members who judge here."
    assert study.standing().panel.awaited == ("ben",)
    done = judge_study(study, {"ben": judge["ann"]})
    assert done.reason == "finished" and study.certificate().verdict == "winner"


def test_the_table_of_answers_takes_no_room_where_there_is_no_panel():
    books = create_study("tea", [f"o{i}" for i in range(300)]).books()
    assert books.panel.answered.size == 0 and isinstance(books.panel.answered, np.ndarray)


def test_nobody_guides_a_panel():
    study = lunch()
    with pytest.raises(errors.InvalidParameter, match="every member of a panel counts"):
        study.set_role("ann", "guide")
