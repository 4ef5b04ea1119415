"""Studies whose options are the points of a space, made as they are asked."""

import pytest

import copeland
from copeland import Choice, Integer, Real, Space
from copeland.errors import InvalidParameter, StudyExists
from copeland.study import Wait, create_study, open_study

SPACE = Space({"x": Real(0, 1), "style": Choice("a", "b")})


def near(study, ballot, goal=0.3):
    """Which side of a ballot has its x closer to the goal."""
    left, right = (
        abs(study.option(name).point["x"] - goal) for name in (ballot.left, ballot.right)
    )
    return "left" if left < right else "right"


def voted(study, n, voters=("ann",)):
    """Let voters answer so many ballots, in turn; return what was asked."""
    asked = []
    for number in range(n):
        ballot = study.ask(voters[number % len(voters)])
        study.tell(ballot, near(study, ballot))
        asked.append((ballot.left, ballot.right))
    return asked


@pytest.fixture
def file(tmp_path):
    return f"sqlite:///{tmp_path}/s.db"


@pytest.mark.slow
def test_points_become_options_and_the_best_is_found(file):
    study = create_study(
        "s", storage=file, space=SPACE, show="{style} at {x:.2f}", seed=1, voters="independent"
    )
    voted(study, 10)
    first = study.options[0]
    assert first.name.startswith("x=") and set(first.point) == {"x", "style"}
    assert first.text == f"{first.point['style']} at {first.point['x']:.2f}"
    assert study.tuner().votes == 10 == study.tuned().votes
    assert abs(study.recommend().point["x"] - 0.3) < 0.25
    assert len(study.shortlist(3)) == 3


@pytest.mark.slow
def test_another_program_goes_on_as_if_nothing_had_happened(file):
    alone = create_study("s", space=SPACE, seed=5, voters="independent")
    shared = create_study("s", storage=file, space=SPACE, seed=5, voters="independent")
    expected = voted(alone, 12)
    asked = []
    for _ in range(4):
        asked += voted(open_study("s", file), 3)
    assert asked == expected
    tuning = open_study("s", file).state().tuning
    assert tuning is not None and tuning._kept is not None and len(tuning._steps) < 20
    shared.forget_snapshot()
    anew = open_study("s", file)
    assert anew.tuner().dump() == shared.tuner().dump() == alone.tuner().dump()
    assert anew.replay() == shared.state()


@pytest.mark.slow
def test_several_voters_hold_open_ballots_and_answer_in_any_order(file):
    study = create_study(
        "s", storage=file, space=SPACE, lease=60.0, open_ballots=2, voters="independent"
    )
    ann = [study.ask("ann"), study.ask("ann")]
    assert study.ask("ann") in ann  # at the cap, the oldest comes again
    ben = study.ask("ben")
    assert {ben.left, ben.right} not in [{one.left, one.right} for one in ann]
    for ballot in (ben, ann[1], ann[0]):
        study.tell(ballot, "tie")
    assert study.tuned().votes == 3 and study.tuned().open == 0


@pytest.mark.slow
def test_an_undone_vote_moves_nothing_and_can_be_given_again(file):
    study = create_study("s", storage=file, space=SPACE, voters="independent")
    ballot = study.ask("ann")
    vote = study.tell(ballot, "left")
    study.undo(vote)
    assert study.tuner().votes == 0
    study.tell(ballot, "right")
    counts = study.tuner().landscape().asked
    assert study.tuner().votes == 1 and len(counts) == 1
    assert open_study("s", file).tuner().dump() == study.tuner().dump()


def test_skips_and_late_answers_are_taken_as_they_are():
    now = [0.0]
    study = create_study("s", space=SPACE, lease=10.0, clock=lambda: now[0], voters="independent")
    study.tell(study.ask("ann"), "skip")
    late = study.ask("ann")
    now[0] = 100.0
    study.ask("ben")
    study.tell(late, "left")
    assert study.tuner().votes == 1 and len(study.tuner().open) == 1


@pytest.mark.slow
def test_people_answer_a_pair_once_and_a_small_space_ends():
    study = create_study("s", space=Space({"n": Integer(1, 2)}), voters="people")
    voted_once = study.ask("ann")
    study.tell(voted_once, "left")
    assert study.ask("ann") is None and study.ask("ben")


def test_items_are_kept_apart():
    study = create_study("s", space=SPACE, open_ballots=1, voters="independent")
    study.ask("ann", item="one")
    assert isinstance(study.ask("ann", item="two"), Wait)


@pytest.mark.slow
def test_an_audit_asks_random_opponents_and_counts_without_gaps(file):
    study = create_study("s", storage=file, space=SPACE, delta=0.1, voters="independent")
    voted(study, 6)
    study.audit({"x": 0.3, "style": "a"}, votes=20)
    ballots = study.ask(n=20)
    point = next(one.name for one in study.options if one.point == {"x": 0.3, "style": "a"})
    assert all(point in (ballot.left, ballot.right) for ballot in ballots)
    for ballot in ballots[1:]:
        study.tell(ballot, point)
    assert study.tuned().audits[0].votes == 0  # the first opponent's answer is missing
    assert "nothing is proved" in study.verdict().proved[0]
    study.tell(ballots[0], point)
    (audit,) = open_study("s", file).tuned().audits
    assert (audit.votes, audit.delta) == (20, 0.05) and 0.3 < audit.bound < 1
    assert "is proved to beat at least" in study.verdict().proved[0]
    study.audit(votes=5)
    assert study.tuned().audits[1].delta == pytest.approx(0.1 / 6)
    assert study.tuner().votes == 26


@pytest.mark.slow
def test_a_skipped_opponent_comes_again_and_an_undone_vote_opens_its_place():
    study = create_study("s", space=SPACE, voters="independent")
    study.audit({"x": 0.5, "style": "b"}, votes=2)
    first = study.ask()
    study.tell(first, "skip")
    again = study.ask()
    assert {first.left, first.right} == {again.left, again.right}
    vote = study.tell(again, "tie")
    assert study.tuned().audits[0].votes == 1
    study.undo(vote)
    assert study.tuned().audits[0].votes == 0


@pytest.mark.slow
def test_a_constraint_in_words_stays_with_the_study(file):
    space = Space({"x": Real(0, 1), "y": Real(0, 1)}, feasible="x + y <= 0.5")
    study = create_study("s", storage=file, space=space, voters="independent")
    voted(study, 3)
    again = open_study("s", file)
    voted(again, 5)  # past a snapshot
    assert "feasible=['x + y <= 0.5']" in repr(open_study("s", file).tuner().space)
    assert all(space.allows(option.point) for option in again.options)
    with pytest.raises(InvalidParameter, match="made for a different space"):
        open_study("s", file, space=Space(dict(space.parameters), "x + y <= 0.6"))
    with pytest.raises(InvalidParameter, match="not feasible"):
        again.audit({"x": 0.5, "y": 0.5})


@pytest.mark.slow
def test_a_constraint_is_given_again_when_a_study_is_opened(file):
    space = Space({"x": Real(0, 1)}, feasible=lambda x: x < 0.5)
    study = create_study("s", storage=file, space=space, voters="independent")
    voted(study, 3)
    assert all(option.point["x"] < 0.5 for option in study.options)
    with pytest.raises(
        InvalidParameter, match=r"a function, so it is not in the log; open the study"
    ):
        open_study("s", file).ask()
    assert open_study("s", file, space=space).ask()
    with pytest.raises(InvalidParameter, match="made for a different space"):
        open_study("s", file, space=SPACE)


@pytest.mark.parametrize(
    ("how", "words"),
    [
        ({}, "options, or a space"),
        ({"options": ["a", "b"], "space": SPACE}, "one of the two"),
        ({"space": "x"}, "must be a Space"),
        ({"space": SPACE, "algorithm": "ccb"}, "a tuner of its own"),
        ({"space": SPACE, "margin": 0.1}, "margin means nothing"),
        ({"space": SPACE, "voters": "panel", "panel": ["a", "b"]}, "without end|have no end"),
        ({"space": SPACE, "show": "{y}"}, "not a parameter"),
        ({"space": SPACE, "show": "plain"}, "look the same"),
        ({"options": ["a", "b"], "show": "{x}"}, "needs a space"),
    ],
)
def test_what_does_not_go_with_a_space_is_refused(how, words):
    with pytest.raises(InvalidParameter, match=words):
        create_study("s", **how)


@pytest.mark.slow
def test_a_space_stays_as_it_is(file):
    voted(create_study("s", storage=file, space=SPACE, voters="independent"), 2)
    same = create_study("s", storage=file, space=SPACE, load_if_exists=True, voters="independent")
    assert same.tuned().votes == 2
    with pytest.raises(StudyExists, match="was created with space"):
        other = Space({"x": Real(0, 2)})
        create_study("s", storage=file, space=other, load_if_exists=True, voters="independent")
    assert open_study("s", file).tuned().votes == 2


@pytest.mark.slow
@pytest.mark.parametrize(
    "does",
    [
        lambda study: study.standing(),
        lambda study: study.certificate(),
        lambda study: study.ranking(),
        lambda study: study.plan(),
        lambda study: study.drift(),
        lambda study: study.begin_epoch(),
        lambda study: study.add_option("x=1"),
        lambda study: study.ask(available=["x"]),
        lambda study: study.impressions("secret secret secret"),
        lambda study: study.audit({"x": 7.0, "style": "a"}),
        lambda study: study.audit(votes=0),
    ],
)
def test_what_makes_no_sense_of_points_is_one_sentence(does):
    study = create_study("s", space=SPACE, voters="independent")
    before = study.number
    with pytest.raises(InvalidParameter) as refused:
        does(study)
    assert str(refused.value).endswith(".") and study.number == before


@pytest.mark.slow
def test_votes_on_points_never_asked_are_refused():
    study = create_study("s", space=SPACE, voters="independent")
    voted(study, 2)
    with pytest.raises(copeland.CopelandError, match=r"there is no option 'x=9'|x=9"):
        study.add_votes([{"left": "x=9", "right": study.options[0].name, "outcome": "left"}])
    assert study.tuned().votes == 2


@pytest.mark.slow
def test_a_space_study_speaks_in_plain_words():
    study = create_study("s", space=SPACE, voters="independent")
    assert repr(study) == "<Study 's', 0 options, 0 votes, points of a space>"
    assert study.verdict().claim == "There are no votes yet."
    voted(study, 2)
    said = study.verdict()
    assert "Estimated best so far" in said.claim and said.proved == ("Nothing is proved yet.",)
    assert study._repr_html_().startswith("<p>")


@pytest.mark.slow
def test_a_batch_of_a_mixed_space_is_feasible_and_answered_in_any_order():
    space = Space(
        {"rate": Real(1e-3, 1, log=True), "n": Integer(1, 4), "style": Choice("a", "b")},
        feasible=lambda rate, n, style: n < 4 or rate < 0.1,
    )
    study = create_study("s", space=space, voters="independent")
    ballots = study.ask(n=5)
    points = [study.option(name).point for one in ballots for name in (one.left, one.right)]
    assert all(space.allows(point) for point in points)
    for ballot in ballots[::-1]:
        assert ballot.left != ballot.right
        study.tell(ballot, "tie")
    assert study.tuner().votes == 5 and study.tuner().open == []


@pytest.mark.slow
def test_a_program_that_only_tells_keeps_no_snapshot_without_the_tuner(file):
    asker = create_study("s", storage=file, space=SPACE, voters="independent")
    teller = open_study("s", file)
    for _ in range(8):
        teller.tell(asker.ask("ann"), "left")
    tuning = open_study("s", file).state().tuning
    assert tuning is not None and tuning._kept is not None
