"""Studies whose named voters are the whole electorate."""

import itertools
import json
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from panel_study import DRINKS, ORDERS, answer_all, panel_study, preferred

from copeland import errors
from copeland.forecast.panel_forecast import questions_sentence
from copeland.study import (
    certificate_to_file,
    create_study,
    create_study_from_votes,
    objections,
    open_study,
    read_certificate,
)
from copeland.study.judges import judge_study
from copeland.study.log.state import dump_state, load_state
from copeland.study.results.certificate_file import objections_by_file

# What is settled


def completions(study, active=False):
    """The winners in every way in which the missing answers may come, one answer after the other."""
    state = study.state()
    states = ("active",) if active else ("active", "paused")
    options = [i for i, one in enumerate(state.options) if one.state in states]
    pairs = list(itertools.combinations(options, 2))
    open_answers = [
        (i, j)
        for place, name in enumerate(state.ledger.members)
        for i, j in pairs
        if name not in state.ledger.excused and not state.ledger.answered[place, i, j]
    ]
    for said in itertools.product((1, 0, -1), repeat=len(open_answers)):
        margin = state.wins - state.wins.T
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
@given(histories())
def test_the_certificate_is_what_holds_in_every_completion(history):
    members, k, said, undone, excused, retired = history
    study = panel_study([f"m{i}" for i in range(members)], DRINKS[:k])
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
    assert study.replay() == study.state() == load_state(dump_state(study.state()))


@pytest.mark.quick
def test_a_panel_is_asked_until_some_option_is_sure_to_be_best():
    study = panel_study()
    ballots = answer_all(study)
    found = study.certificate()
    assert found.best == (0,) and found.verdict == "winner"
    assert len(ballots) < 18 and found.missing == 18 - len(ballots)
    assert {ballot.voter for ballot in ballots} == set(ORDERS)
    assert study.ask() is None and study.ask("ann") is None
    assert study.verdict().claim == "tea is proved best; a tie for best is not ruled out."


@pytest.mark.slow
def test_no_word_is_said_of_probabilities_that_a_panel_does_not_have(tmp_path):
    study = panel_study()
    for ballot in study.ask(n=5):
        study.tell(ballot, preferred(ballot))
    pages = [study.report(tmp_path / "open.html").read_text()]
    answer_all(study)
    pages.append(study.report(tmp_path / "settled.html").read_text())
    told = [str(study.verdict()), *study.verdict().assumptions, study._repr_html_(), *pages]
    for text in told:
        words = re.sub(r"<style.*?</style>|<svg.*?</svg>", "", text, flags=re.DOTALL).lower()
        assert not re.search(r"delta|error probability|confidence|margin|epoch", words)


@pytest.mark.slow
def test_chances_never_contradict_the_certificate():
    study = panel_study()
    while ballot := study.ask():
        study.tell(ballot, preferred(ballot))
        found, chances = study.certificate(), study.verdict().chances
        assert study.standing().leader in {found.labels[i] for i in found.possible}
        assert (chances is None) == bool(found.best)  # then a share would only hide that it is sure
        assert found.best or all(chances[i] == 0 for i in range(4) if i not in found.possible)


def test_an_even_pair_is_half_a_win_only_while_answers_are_missing():
    study = panel_study(["ann", "ben"], ["tea", "milk", "juice"])
    rows = [("tea", "milk"), ("milk", "tea"), ("tea", "juice"), ("juice", "tea")]
    study.add_votes(
        {"voter": voter, "left": left, "right": right, "outcome": "left"}
        for (left, right), voter in zip(rows, ("ann", "ben") * 2, strict=True)
    )
    study.add_votes([{"voter": "ann", "left": "milk", "right": "juice", "outcome": "left"}])
    assert study.standing().leader == "milk"  # tea is tied with both for good, and wins nothing
    assert study.certificate().scores[0] == (0, 0)


# Files


@pytest.mark.parametrize("active", [False, True])
def test_a_certificate_file_is_checked_by_the_database_the_log_and_the_votes(tmp_path, active):
    study = panel_study()
    study.tell(study.ask("ann"), "skip")
    study.tell(study.ask("ben"), "error")
    study.retire_option("water")
    answer_all(study)
    study.excuse("cid")
    found, text = certificate_to_file(study, active)
    file = tmp_path / "lunch.json"
    file.write_text(text)
    study.readmit("cid")  # what comes later does not matter
    study.add_option("broth")
    study.tell(study.ask("cid"), "left")
    filed = read_certificate(file)
    assert filed.certificate == found
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
    study = panel_study()
    answer_all(study)
    content = json.loads(certificate_to_file(study)[1])
    assert content.keys() >= change.keys()
    file = tmp_path / "lunch.json"
    file.write_text(json.dumps(content | change))
    assert objections(read_certificate(file), study)


@pytest.mark.parametrize("change", [{"panel": 3}, {"answers": "x"}, {"format": 9}, {"best": [9]}])
def test_a_file_that_is_no_certificate_is_refused(tmp_path, change):
    content = json.loads(certificate_to_file(panel_study())[1])
    file = tmp_path / "lunch.json"
    file.write_text(json.dumps(content | change))
    with pytest.raises(errors.InvalidParameter):
        read_certificate(file)


def test_a_certificate_of_a_panel_does_not_hold_of_people(tmp_path):
    file = tmp_path / "lunch.json"
    file.write_text(certificate_to_file(panel_study())[1])
    people = create_study("lunch", DRINKS, voters="people")
    assert any("panel" in one for one in objections(read_certificate(file), people))


# Settings


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({"panel": []}, "panel has no names"),
        ({"panel": ["ann", "ann"]}, "has 'ann' twice"),
        ({"panel": ["ann", " "]}, "give each a name"),
        ({"panel": "ann"}, "give a list of names"),
        ({"margin": 0.1}, "leave the margin out"),
        ({"repeats": "count"}, "can count only if voters are independent"),
        ({"algorithm": "ccb"}, "its own planner"),
        ({"voters": "people"}, "let voters be 'panel'"),
        ({"options": [f"o{i}" for i in range(201)]}, "takes up to 200 options"),
    ],
)
def test_settings_that_mean_nothing_to_a_panel_are_refused(given, sentence):
    how = {"options": DRINKS, "voters": "panel", "panel": ["ann"]} | given
    with pytest.raises(errors.InvalidParameter, match=sentence):
        create_study("lunch", how.pop("options"), **how)


@pytest.mark.slow
def test_a_panel_is_kept_with_its_study(tmp_path, monkeypatch):
    monkeypatch.setattr("copeland.study.session.SNAPSHOT_EVERY", 3)
    storage = f"sqlite:///{tmp_path / 'a.db'}"
    study = panel_study(storage=storage)
    answer_all(study)
    again = open_study("lunch", storage)
    assert again.settings == study.settings and again.settings.panel == ("ann", "ben", "cid")
    assert again.certificate() == study.certificate()
    assert again.state() == again.replay() and again._work._snapshot > 1
    assert (
        panel_study(storage=storage, load_if_exists=True).standing().votes == study.standing().votes
    )
    with pytest.raises(errors.StudyExists, match="created with panel"):
        panel_study(["ann", "ben"], storage=storage, load_if_exists=True)


def test_settings_of_other_studies_say_nothing_of_panels_which_can_begin_with_votes():
    assert "panel" not in create_study("tea", DRINKS, voters="independent").settings.to_dict()
    assert not {"delta", "margin"} & panel_study().settings.to_dict().keys()
    rows = [{"voter": "ann", "winner": "tea", "loser": "milk"}]
    study, taken = create_study_from_votes("lunch", rows, voters="panel", panel=["ann", "ben"])
    assert taken == 1 and study.certificate().missing == 1
    with pytest.raises(errors.InvalidRow, match="is not on the panel"):
        create_study_from_votes("lunch", rows, voters="panel", panel=["ben"])


def test_votes_are_exported_undone_and_imported_again(tmp_path):
    file = tmp_path / "votes.csv"
    file.write_text("voter,left,right,outcome\nann,tea,milk,left\nben,tea,milk,left\n")
    study = panel_study()
    assert study.import_votes(file) == 2
    assert study.import_votes(file).known == 2
    assert study.undo_import("votes.csv") == 2 and study.certificate().missing == 18
    assert study.import_votes(file) == 2 and study.certificate().missing == 16


# Looking ahead, and judges


@pytest.mark.slow
def test_a_plan_says_how_many_more_answers_it_may_take():
    study = panel_study()
    plan = study.plan(worlds=5)
    planned, all_pairs = plan.ways
    assert 6 <= planned.quantile(0.5) <= 18 and planned.quantile(0.5) < all_pairs.quantile(0.9)
    answer_all(study)
    assert study.plan(worlds=2).ways[0].votes == (0, 0)


@pytest.mark.slow
def test_no_plan_is_below_what_is_said_at_creation():
    for members, k in ((2, 3), (3, 2), (4, 4), (5, 3)):
        fewest, most = (
            int(n)
            for n in re.findall(r"(?:at least|at most) (\d+)", questions_sentence(members, k))
        )
        study = panel_study([f"m{i}" for i in range(members)], DRINKS[:k])
        orders = dict.fromkeys(study.settings.panel, DRINKS)
        assert fewest <= len(answer_all(study, orders)) <= most


def test_judges_are_members_by_their_names():
    study = panel_study(["ann", "ben"], ["tea", "milk", "juice"])
    with pytest.raises(errors.InvalidParameter, match="'zoe' is not on the panel"):
        judge_study(study, {"zoe": lambda left, right, item: "left"})
    judge = {"ann": lambda left, right, item: "left" if left.name < right.name else "right"}
    done = judge_study(study, judge)
    assert done.stopped == "nothing is left to ask of the members who judge here."
    assert study.standing().panel.members_to_ask == ("ben",)
    done = judge_study(study, {"ben": judge["ann"]})
    assert done.reason == "finished" and study.certificate().verdict == "winner"
