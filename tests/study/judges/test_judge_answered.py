"""No judge is asked the same question twice: the same answer for certain is no second vote."""

from collections import Counter

import pytest
from fake_chat import FakeChat, says
from tiny_study import always_left, first_by_name, program, quick

from copeland.errors import InvalidParameter, UnknownOption
from copeland.study import create_study, open_study
from copeland.study.judges import CommandJudge, judge_study

SENTENCE = (
    "the judge 'first_by_name' has answered every question there is, and the same answer again would not be "
    "a new vote; test cases (--judge --cases FILE), more judges, people, or a temperature above 0 with repeats allowed would help."
)


def letters(names="ABC", **settings):
    return create_study("letters", list(names), **{"voters": "independent", **settings})


def questions(study):
    """How often each was answered: who, on what, left and right."""
    answers = [vote for vote in study.votes() if vote.outcome != "error"]
    return Counter((vote.voter, vote.item, vote.left, vote.right) for vote in answers)


def test_a_judge_says_two_things_of_a_pair_and_is_done():
    study = letters()
    done = judge_study(study, first_by_name)
    assert (done.calls, done.votes, done.left_out) == (6, 6, 0)
    assert (done.reason, done.stopped) == ("answered", SENTENCE)
    assert len(questions(study)) == 6 and study.certificate().best == ()


def test_what_was_answered_in_an_earlier_run_is_left_out_and_not_asked_again():
    study = letters()
    judge_study(study, first_by_name, calls=4)
    again = judge_study(study, first_by_name)
    assert (again.calls, again.left_out, again.reason) == (2, 4, "answered")
    once_more = judge_study(study, first_by_name)
    assert (once_more.calls, once_more.left_out, once_more.stopped) == (0, 6, SENTENCE)
    assert set(questions(study).values()) == {1}
    study = letters()
    assert judge_study(study, first_by_name, calls=3).left_out == 0
    assert judge_study(study, first_by_name, calls=2).left_out == 3


def test_every_judge_has_questions_of_its_own_until_repeats_or_votes_settle_the_study():
    study = letters("AB")
    done = judge_study(study, {"ann": first_by_name, "bob": always_left})
    assert (done.calls, done.reason) == (4, "answered")
    assert done.stopped.startswith("all judges have answered every question there is")
    assert judge_study(study, {"cat": first_by_name}).calls == 2
    study = letters("AB")
    done = judge_study(study, first_by_name, repeat=True)
    assert (done.reason, done.left_out, study.certificate().best) == ("finished", 0, (0,))
    assert max(questions(study).values()) > 1
    study = letters("AB")
    judge_study(study, first_by_name)
    study.add_votes([{"left": "A", "right": "B", "outcome": "left"}] * 50)
    assert judge_study(study, first_by_name).reason == "finished"


@pytest.mark.parametrize("kind", [{}, {"voters": "panel", "panel": ["first_by_name"]}])
def test_items_are_refused_where_two_answers_on_one_would_be_two_votes(kind):
    study = letters("AB", **kind)
    with pytest.raises(InvalidParameter, match="create it with voters='judge' and cases=100"):
        judge_study(study, first_by_name, items=[f"case {i}" for i in range(100)])
    with pytest.raises(InvalidParameter, match="voters='judge' and cases=1 "):
        judge_study(study, first_by_name, items=["x"], repeat=True)
    assert study.number == 1


def test_a_skip_is_an_answer_and_a_failure_is_asked_again():
    study = letters("AB")
    said = iter(["", "", "left", "left"])
    done = judge_study(study, {"moody": lambda *_: next(said)})
    assert (done.calls, done.errors, done.votes, done.reason) == (4, 2, 2, "answered")
    study = letters("AB")
    done = judge_study(study, {"shy": lambda *_: "skip"})
    assert (done.skips, done.reason) == (2, "answered")


def test_undone_answers_new_options_and_ballots_left_behind_bring_questions():
    study = letters("AB")
    judge_study(study, first_by_name)
    vote = study.votes()[0]
    study.undo(vote)
    assert judge_study(study, first_by_name).calls == 1
    assert questions(study)["first_by_name", None, vote.left, vote.right] == 2
    study = letters("AB")
    judge_study(study, first_by_name)
    study.add_option("C")
    assert judge_study(study, first_by_name).calls == 4
    study.pause_option("A")
    assert judge_study(study, first_by_name).reason == "answered"
    study = letters("AB")
    left_behind = study.ask(voter="first_by_name")
    judge_study(study, first_by_name)
    assert len(questions(study)) == 2 and set(questions(study).values()) == {1}
    assert left_behind.id in [vote.ballot for vote in study.votes()]


def test_what_the_same_judge_answers_in_another_program_is_seen(tmp_path):
    url = f"sqlite:///{tmp_path / 'letters.db'}"
    study = letters(storage=url)
    others = []

    def slow(left, right, item):
        if not others:  # meanwhile, elsewhere
            others.append(judge_study(open_study("letters", url), {"j": first_by_name}, calls=3))
        return first_by_name(left, right, item)

    done = judge_study(study, {"j": slow})
    assert (others[0].calls, done.calls, done.reason) == (3, 3, "answered")
    assert set(questions(study).values()) == {1}


# Sides swapped


@pytest.mark.parametrize("workers", [1, 3])
def test_a_confirmed_pair_is_asked_once(workers):
    study = letters()
    done = judge_study(study, always_left, swap="confirm", workers=workers)
    assert (done.votes, done.calls, done.flips, done.left_out) == (3, 6, 3, 0)
    assert {vote.source[:27] for vote in study.votes()} == {"judge, asked in both orders"}
    assert len({frozenset((vote.left, vote.right)) for vote in study.votes()}) == 3


@pytest.mark.parametrize(("first", "then"), [("confirm", "random"), ("random", "confirm")])
def test_a_question_is_not_asked_again_in_the_other_way(first, then):
    study = letters("AB")
    judge_study(study, first_by_name, swap=first, calls=2)
    done = judge_study(study, first_by_name, swap=then)
    assert (done.calls, done.left_out, done.reason) == (0, 2, "answered")


def test_a_confirmation_asks_for_both_orders_or_not_at_all():
    study = letters("AB")
    judge_study(study, first_by_name, calls=1)
    done = judge_study(study, first_by_name, swap="confirm")
    assert (done.calls, done.left_out, done.reason) == (0, 1, "answered")
    study = letters("AB")
    said = iter(["left", "", "left", "right"])
    done = judge_study(study, {"moody": lambda *_: next(said)}, swap="confirm")
    assert (done.errors, done.votes, done.reason) == (1, 1, "answered")
    study = letters(repeats="first")
    done = judge_study(study, first_by_name)
    assert (done.votes, done.reason) == (3, "answered")


# All kinds of judges


@pytest.mark.slow
def test_programs_and_models_are_asked_once_too(key):
    study = letters("AB")
    with FakeChat(says("left")) as fake:
        judges = [CommandJudge(program("print('left')"), name="program"), quick(fake)]
        done = judge_study(study, judges)
    assert (done.calls, done.reason, len(fake.requests)) == (4, "answered", 2)


# What the study is asked for


def test_a_study_asks_for_a_pair_with_its_other_sides_or_not_at_all():
    study = letters("AB")
    for number in range(20):
        assert study.ask(f"voter {number}", without=[("A", "B")])[1:3] == ("B", "A")
    assert study.ask("ann", without=[("A", "B"), ("B", "A")]) is None


def test_a_voter_is_not_asked_again_for_what_it_holds():
    study = letters("AB", open_ballots=8)
    one, other = study.ask("ann", without=[]), study.ask("ann", without=[])
    assert one[1:3] == other[1:3][::-1]
    assert study.ask("ann", without=[]) == one  # the oldest that it holds
    assert study.ask("ann", without=[one[1:3]]) == other
    assert isinstance(study.ask("ann", item="x", without=[]), tuple)


@pytest.mark.parametrize("wrong", [3, "AB", [("A",)], [3], [([], "A")]])
def test_what_is_not_pairs_of_names_is_refused(wrong):
    with pytest.raises((InvalidParameter, UnknownOption)):
        letters("AB").ask("ann", without=wrong)


def test_the_log_is_read_from_a_number_on_or_for_a_voter():
    study = letters("AB")
    ballot = study.ask("ann")
    vote = study.tell(ballot, "left")
    study.undo(vote)
    assert study.number == 4
    assert [event.kind for event in study.log(after=2)] == ["voted", "undone"]
    assert [event.kind for event in study.log(voter="ann")] == ["voted", "undone"]
    assert study.log(voter="bob") == []
    with pytest.raises(InvalidParameter, match="after is 'x'"):
        study.log(after="x")
