"""Votes of people and judges meet on the same case, in whichever form they come."""

from itertools import combinations

import pytest
from audit_rows import long_rows, rows_of

import copeland
from copeland.errors import InvalidParameter, InvalidRow, UnknownName
from copeland.study.judges import judge_study

ROWS = [
    *rows_of(("left", "left", 30), ("right", "left", 20), ("tie", "right", 10)),
    *rows_of(("left", "left", 5), ("right", "right", 9), left="c", right="a"),
]


def test_a_voter_in_each_row_says_the_same_and_one_person_proves_nothing_of_people():
    wide = copeland.audit_judges(ROWS, people="people", judges=["gpt"]).reports[0]
    votes = long_rows(ROWS, "people", "gpt")
    for i, vote in enumerate(votes):
        vote["voter"] = "gpt" if vote["voter"] == "gpt" else f"person {i}"
    assert copeland.audit_judges(votes, judges=["gpt"]).reports[0] == wide
    report = copeland.audit_judges(long_rows(ROWS, "people", "gpt"), judges=["gpt"]).reports[0]
    assert (report.grouped, report.agreement[1:3]) == ("person", (0, 1))


def test_votes_are_matched_by_item_and_pair_on_whichever_sides():
    votes = [
        {"voter": "ann", "item": "q", "left": "a", "right": "b", "outcome": "left"},
        {"voter": "ann", "item": "r", "left": "a", "right": "b", "outcome": "left"},
        {"voter": "gpt", "item": "q", "left": "b", "right": "a", "outcome": "right"},
        {"voter": "gpt", "item": "q", "left": "a", "right": "c", "outcome": "right"},
    ]
    report = copeland.audit_judges(votes, judges=["gpt"]).reports[0]
    assert (report.compared, report.verdicts) == (1, 2)
    assert report.agreement.value == 1


def test_a_judge_that_says_two_things_of_a_case_says_tie_and_flips():
    votes = [
        {"voter": "ann", "item": "q", "left": "a", "right": "b", "outcome": "tie"},
        {"voter": "gpt", "item": "q", "left": "a", "right": "b", "outcome": "left"},
        {"voter": "gpt", "item": "q", "left": "b", "right": "a", "outcome": "left"},
    ]
    report = copeland.audit_judges(votes, judges=["gpt"]).reports[0]
    assert report.agreement_with_ties.value == 1
    assert [(one.how, one.flips.value, one.flips.n) for one in report.repeats] == [
        ("in both orders", 1.0, 1)
    ]


def test_several_people_on_one_question_are_grouped():
    votes = long_rows(rows_of(("left", "left", 30), ("right", "left", 10)), "gpt")
    for i, vote in enumerate(list(votes)):
        side = "left" if i < 30 else "right"
        votes += [{**vote, "voter": f"person {i} {k}", "outcome": side} for k in range(5)]
    report = copeland.audit_judges(votes, judges=["gpt"]).reports[0]
    assert (report.compared, report.grouped) == (200, "question")
    alone = copeland.audit_judges(
        rows_of(("left", "left", 30), ("right", "left", 10)), people="people", judges="gpt"
    ).reports[0]
    width, narrow = (one.agreement.high - one.agreement.low for one in (report, alone))
    assert width == pytest.approx(narrow, rel=0.06)  # five people who agree are one


def test_rows_without_items_and_gaps_and_columns_of_judges_are_read_as_they_are():
    rows = [{key: row[key] for key in ("left", "right", "people", "gpt")} for row in ROWS]
    report = copeland.audit_judges(rows, people="people", judges="gpt").reports[0]
    assert (report.compared, report.grouped, report.repeats) == (74, "", ())
    rows = [{**row, "judge": row["gpt"]} for row in ROWS]
    report = copeland.audit_judges(rows, people="people", judges="judge").reports[0]
    assert (report.grouped, report.agreement.n) == ("", 64)
    rows = [
        *ROWS,
        {**ROWS[0], "item": "new", "people": ""},
        {**ROWS[0], "item": "newer", "gpt": ""},
    ]
    report = copeland.audit_judges(rows, people="people", judges="gpt").reports[0]
    assert (report.compared, report.verdicts) == (74, 75)


def judged_study():
    texts = {"A": "Less is more.", "B": "Think.", "C": "Do less."}
    study = copeland.create_study("slogans", texts, voters="independent")

    def longer(left, right, item):
        return "left" if len(left.text) > len(right.text) else "right"

    judge_study(study, {"longer": longer})
    for person in range(12):
        rows = [{"winner": first, "loser": second} for first, second in combinations(texts, 2)]
        study.add_votes([row | {"voter": f"person {person}"} for row in rows])
    return study


@pytest.mark.slow
def test_a_study_compares_its_judges_with_people():
    study = judged_study()
    report = copeland.audit_judges(study).reports[0]
    votes = [one for one in study.votes() if one.voter != "longer"]
    assert (report.judge, report.compared) == ("longer", len(votes))
    # A is longest and first; of B and C people name B, the judge names C.
    agreed = sum("A" in (one.left, one.right) for one in votes)
    assert report.agreement.value == pytest.approx(agreed / len(votes))
    assert report.grouped == "pair and by person"
    assert report.people_winners.copeland == report.judge_winners.copeland == ("A",)
    assert report.swaps == 1


@pytest.mark.slow
def test_ballots_that_a_study_put_to_a_judge_twice_count_as_repeated():
    study = copeland.create_study("two", {"A": "aa", "B": "b"}, voters="independent")
    judge_study(study, {"first": lambda left, right, item: "left"}, swap="confirm")
    study.tell(study.ask("ann"), "A")
    report = copeland.audit_judges(study, judges=["first"]).reports[0]
    assert [(one.how, one.flips.value, one.flips.n) for one in report.repeats] == [
        ("in both orders", 1.0, 1)
    ]
    assert report.first is None  # a ballot in both orders has no sides


def test_what_has_no_judge_or_nothing_in_common_is_refused():
    study = copeland.create_study("tea", ["green", "black"], voters="people")
    with pytest.raises(InvalidParameter, match="no judge has voted in the study 'tea'"):
        copeland.audit_judges(study)
    with pytest.raises(UnknownName, match=r"no column 'gpt4' .* did you mean 'gpt'\?"):
        copeland.audit_judges(ROWS, people="people", judges="gpt4")
    votes = long_rows(ROWS, "people", "gpt")
    with pytest.raises(UnknownName, match=r"no voter 'gptt' with a vote; did you mean 'gpt'\?"):
        copeland.audit_judges(votes, judges="gptt")
    with pytest.raises(UnknownName, match="name the column of people's outcomes with --people"):
        copeland.audit_judges([{**one, "gpt4": ""} for one in votes], judges="gpt4")
    votes = [
        {"voter": "ann", "item": "q", "left": "a", "right": "b", "outcome": "left"},
        {"voter": "gpt", "item": "r", "left": "a", "right": "b", "outcome": "left"},
        {"voter": "gpt", "item": "s", "left": "a", "right": "b", "outcome": "left"},
    ]
    with pytest.raises(InvalidParameter, match="people voted on 1 case, gpt on 2 cases"):
        copeland.audit_judges(votes, judges="gpt")
    with pytest.raises(InvalidRow, match="holds counts"):
        copeland.audit_judges([{"i": "a", "j": "b", "wins": 3, "voter": "gpt"}], judges="gpt")
    with pytest.raises(InvalidRow, match="no column says who voted"):
        copeland.audit_judges([{"left": "a", "right": "b", "outcome": "left"}], judges="gpt")


@pytest.mark.parametrize(
    ("how", "said"),
    [
        ({"people": "people"}, "name the column of at least one judge"),
        ({"people": "people", "judges": "gpt", "margin": 1.5}, "margin is 1.5"),
        ({"people": "people", "judges": "gpt", "pair_votes": 0}, "pair_votes is 0"),
        (
            {"people": "people", "judges": "gpt", "texts": ("a", "b"), "lengths": ("a", "b")},
            "not both",
        ),
    ],
)
def test_what_makes_no_sense_is_refused(how, said):
    with pytest.raises(InvalidParameter, match=said):
        copeland.audit_judges(ROWS, **how)
