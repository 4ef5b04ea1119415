"""The reasons of judges: read from what they say, kept with the vote, and shown to no voter."""

import pytest
from fake_chat import FakeChat, says
from tiny_study import A, B, TinyStudy, program, quick

from copeland.study import create_study
from copeland.study.judges import CommandJudge, Reasoned, judge_study
from copeland.study.judges.call import ask_judge
from copeland.study.judges.parse import find_reason
from copeland.support.escaping import inert


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        ("left", ""),
        ("**Both bad.**", ""),
        ("Verdict: A", ""),
        ("**Final answer:** Response B.", ""),
        ("[[A]]", ""),
        ('```json\n{"winner": "A"}\n```', ""),
        ('{"winner": "A", "Reason": "Shorter."}', "Shorter."),
        ('{"explanation": 3, "winner": "A"}', ""),
        ("tie\nBoth are right.", "tie\nBoth are right."),
        ("A is shorter.\nVerdict: A", "A is shorter.\nVerdict: A"),
        ("Verdict: A, because it is shorter.", "Verdict: A, because it is shorter."),
        ("It is shorter. [[A]]", "It is shorter. [[A]]"),
    ],
)
def test_what_is_more_than_a_verdict_is_a_reason(answer, reason):
    assert find_reason(answer) == reason


def test_reasons_of_models_programs_and_functions_are_kept_with_their_votes(key):
    with FakeChat(says("Shorter.\n\nVerdict: left"), says("left")) as fake:
        judges = {
            "model": quick(fake),
            "program": CommandJudge(program("print('right'); print('It is'); print('longer.')")),
            "function": lambda left, right, item: Reasoned("left", "I like it."),
        }
        study = create_study("tea", ["A", "B"], voters="judge", cases=6)
        judge_study(study, judges, items=[f"q{i}" for i in range(6)])
    sources = {vote.voter: vote.source for vote in reversed(study.votes())}
    known = {
        "model": "judge: Shorter. Verdict: left",
        "program": "judge: It is longer.",
        "function": "judge: I like it.",
    }
    assert sources.items() <= known.items() and sources
    assert study.replay() == study.state()


def test_a_reason_is_one_line_inert_and_not_endless():
    long = ask_judge(lambda *_: Reasoned("left", "x\n\x1b[2J" * 1000), A, B, None)
    assert len(long.note) == 600 and inert(long.note) == long.note and "\n" not in long.note


def test_a_changed_answer_keeps_its_first_reason_and_is_still_a_flip():
    study, heard = TinyStudy(enough=1), []
    judge = {"ann": lambda *_: Reasoned("left", "It comes first.")}
    done = judge_study(study, judge, swap="confirm", progress=heard.append)
    [told] = study.votes
    said = "left, but with the sides swapped right: counted as a tie; It comes first."
    assert told.source == f"judge, asked in both orders: {said}"
    assert done.swaps["ann"] == (1, 1, 1, 0)
    study = create_study("tea", ["A", "B"], voters="independent")
    judge_study(study, judge, swap="confirm", calls=2)
    assert study.standing().swaps["ann"] == (1, 1, 1, 0)


def test_a_program_that_says_an_outcome_only_later_fails():
    code = "print('I think'); print('left')"
    assert ask_judge(CommandJudge(program(code)), A, B, None).outcome == "error"
