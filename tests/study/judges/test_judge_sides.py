"""A ballot judged twice, with the sides swapped."""

import pytest
from tiny_study import TinyStudy, always_left, first_by_name

from copeland.study.judges import judge_study
from copeland.study.judges.call import ask_judge


@pytest.mark.parametrize(
    ("answers", "outcome", "flipped"),
    [
        (("left", "right"), "left", False),  # the same option both times
        (("right", "left"), "right", False),
        (("both_bad", "both_bad"), "both_bad", False),
        (("left", "left"), "tie", True),  # the same side both times
        (("right", "tie"), "tie", True),
        (("left", "skip"), "skip", None),
        (("left", "?"), "error", None),
    ],
)
def test_a_confirmed_outcome_is_what_both_orders_say(answers, outcome, flipped):
    said = iter(answers)
    opinion = ask_judge(lambda *_: next(said), "a", "b", None, swap="confirm")
    assert (opinion.outcome, opinion.flipped, opinion.calls) == (outcome, flipped, 2)


def test_the_second_question_has_the_sides_swapped():
    shown = []

    def watched(left, right, item):
        shown.append((left, right, item))
        return "both_bad"

    ask_judge(watched, "a", "b", "on this", swap="confirm")
    assert shown == [("a", "b", "on this"), ("b", "a", "on this")]


@pytest.mark.parametrize("first", ["tie", "skip"])
def test_there_is_no_second_question_where_it_could_not_change_the_vote(first):
    opinion = ask_judge(lambda *_: first, "a", "b", None, swap="confirm")
    assert (opinion.outcome, opinion.flipped, opinion.calls) == (first, None, 1)


def test_a_judge_that_looks_at_sides_only_is_shown_to_flip_every_time():
    heard = []
    done = judge_study(TinyStudy(enough=4), always_left, swap="confirm", progress=heard.append)
    assert (done.flips, done.confirmed, done.calls) == (4, 4, 8)
    assert heard[0].note == "left, but with the sides swapped right: counted as a tie"


def test_a_judge_that_says_nothing_about_the_options_is_named():
    judges = {"echo": always_left, "dumb": lambda *_: "tie", "fair": first_by_name}
    done = judge_study(TinyStudy(enough=90), judges, repeat=True)
    follows, ties = done.habits
    assert follows.startswith("The judge echo follows the side, not the answer: it named the left")
    assert ties.startswith("The judge dumb named an answer in 0 of ")
    assert judge_study(TinyStudy(enough=12), {"echo": always_left}, repeat=True).habits == ()
