"""Studies that judges decide on test cases: each case has one vote for each pair, whoever judges."""

from collections import Counter

import pytest

from copeland.errors import InvalidParameter
from copeland.study import Storage, copy_study, create_study, create_study_from_votes
from copeland.study.log.state import dump_state, fold_log, load_state
from copeland.study.results.certificate_file import (
    certificate_to_file,
    objections,
    read_certificate,
)

OPTIONS = ["A", "B", "C"]
TEN = [f"case {i}" for i in range(10)]


def made(cases=10, options=OPTIONS, **how):
    return create_study("prompts", options, voters="judge", cases=cases, **how)


def run(study, says, cases=TEN, judge="gpt"):
    while ballot := study.ask(judge, cases=cases):
        study.tell(ballot, says(ballot))


def alphabetical(ballot):
    return min(ballot.left, ballot.right)


def even(ballot):
    """Of the ten cases, each option wins five."""
    first, second = sorted((ballot.left, ballot.right))
    return first if int(ballot.item[-1]) < 5 else second


def test_the_settings_say_who_judges_what():
    told = made().settings.to_dict()
    assert (told["voters"], told["cases"], told["population"], told["repeats"]) == (
        "judge",
        10,
        "like-these",
        "first",
    )
    one = made(cases=None).settings
    assert (one.cases, one.population) == (1, "these")
    assert made(population="these").settings.population == "these"


def test_settings_of_other_studies_stay_as_they_are():
    assert not {"cases", "population"} & create_study("tea", OPTIONS).settings.to_dict().keys()


@pytest.mark.parametrize(
    ("how", "sentence"),
    [
        ({"voters": "judge", "cases": 0}, "say how many there are"),
        ({"voters": "judge", "population": "all"}, "population is 'all'"),
        ({"voters": "judge", "repeats": "count"}, "can count only if voters are independent"),
        ({"voters": "judge", "population": "like-these"}, "one case says nothing"),
        ({"voters": "people", "cases": 3}, "cases is for judges, but voters is 'people'"),
        ({"voters": "independent", "population": "these"}, "population is for judges"),
    ],
)
def test_what_does_not_fit_is_refused(how, sentence):
    with pytest.raises(InvalidParameter, match=sentence):
        create_study("prompts", OPTIONS, **how)


@pytest.mark.slow
@pytest.mark.parametrize("population", ["these", "like-these"])
def test_a_pair_meets_each_case_once_and_then_the_study_ends(population):
    study = made(population=population, options=["A", "B"])
    run(study, even)
    assert Counter(vote.item for vote in study.votes()) == Counter(TEN)


@pytest.mark.slow
def test_when_all_is_judged_the_verdict_is_exact_and_comes_back_from_a_snapshot():
    study = made(population="these")
    run(study, even)
    found = study.certificate()
    assert (found.verdict, found.best, found.complete) == ("tied", (0, 1, 2), True)
    study.undo(study.votes()[3])
    state = fold_log(study.log())
    assert load_state(dump_state(state)) == state


def test_without_cases_the_options_themselves_are_compared_once():
    study = made(cases=1)
    run(study, alphabetical, cases=None)
    assert study.standing().votes <= 3
    assert study.certificate().best == (0,)


def test_a_second_judge_on_the_same_case_does_not_count_again():
    study = made()
    row = {"left": "A", "right": "B", "outcome": "left", "item": "case 1"}
    taken = study.add_votes([{**row, "voter": "gpt"}, {**row, "voter": "another name"}])
    assert (taken.counted, taken.repeats) == (1, 1)
    taken = study.add_votes([{**row, "left": "B", "right": "A", "voter": "a third"}])
    assert (taken.counted, taken.repeats) == (0, 1)
    assert study.certificate().votes == 1
    assert study.certificate().judges == ("gpt",)


def test_judges_share_the_cases_and_an_undone_vote_passes_on_to_another():
    study = made(options=["A", "B"])
    asked = [study.ask(judge, cases=TEN) for judge in ("one", "two", "three", "four")]
    assert len({ballot.item for ballot in asked}) == 4
    study = made(options=["A", "B"])
    row = {"left": "A", "right": "B", "item": "case 1"}
    study.add_votes(
        [{**row, "outcome": "left", "voter": "one"}, {**row, "outcome": "right", "voter": "two"}]
    )
    study.undo(study.votes()[0])
    assert study.standing().wins.tolist() == [[0, 0], [1, 0]]
    assert study.certificate().judges == ("two",)


def test_an_answer_under_way_counts_as_a_loss_of_both_unless_the_count_ends_before_it():
    study = made(options=["A", "B"], population="these")
    ballots = [study.ask("gpt", cases=TEN) for _ in range(7)]
    for ballot in ballots[1:6]:
        study.tell(ballot, "A")
    assert study.certificate().best == ()
    study.tell(ballots[0], "A")
    assert study.certificate().best == (0,)  # the first six of the cases; the seventh is under way


def test_an_abandoned_ballot_comes_back_with_its_case():
    now = [0.0]
    study = create_study("p", ["A", "B"], voters="judge", lease=60.0, clock=lambda: now[0])
    ballot = study.ask("one")
    assert not study.ask("two")
    assert study.ask("two") is not None  # a Wait: the answer may still fail to come
    now[0] = 61.0
    again = study.ask("two")
    study.tell(again, "A")
    assert study.certificate().complete
    study.tell(ballot, "B")  # late: another judge has given the vote
    assert study.certificate().best == (0,)


@pytest.mark.slow
def test_undoing_gives_the_case_to_the_next_answer_and_keeps_the_smaller_evidence():
    study = made(options=["A", "B"])
    run(study, alphabetical)
    first = study.votes()[0]
    study.undo(first)
    before = len(study.votes())
    while ballot := study.ask("gpt", cases=TEN):
        study.tell(ballot, "B")
    assert len(study.votes()) >= before
    proof = fold_log(study.log()).ledger.tables(study.now())
    assert (proof.wins + proof.wins.T <= 10).all()
    given = proof.before_undoing
    assert given is not None and (given[0] + given[0].T <= 10).all()


@pytest.mark.slow
def test_the_order_of_cases_is_one_for_all_pairs_of_a_sample_and_its_own_for_each_of_these():
    def orders(population):
        study = made(population=population, seed=3)
        run(study, even)
        votes = study.votes()
        pairs = {tuple(sorted((vote.left, vote.right))) for vote in votes}
        return [
            tuple(v.item for v in votes if tuple(sorted((v.left, v.right))) == pair)
            for pair in sorted(pairs)
        ]

    assert len(set(orders("like-these"))) == 1
    assert len(set(orders("these"))) == 3


@pytest.mark.slow
def test_the_first_case_of_a_pair_is_any_with_the_same_chance():
    """400 studies; a count off its mean by more than 4.9 standard deviations has probability 1e-6."""
    cases = ["x", "y", "z", "u"]
    first, storage = Counter(), Storage()  # one, for a new one takes longer than a study
    for seed in range(400):
        study = create_study(
            f"prompts {seed}", ["A", "B"], storage, voters="judge", cases=4, seed=seed
        )
        first[study.ask("gpt", cases=cases).item] += 1
    assert all(abs(first[case] - 100) < 4.9 * (400 * 0.25 * 0.75) ** 0.5 for case in cases)


def test_the_study_draws_the_case_itself():
    with pytest.raises(InvalidParameter, match="draws the case of each ballot itself"):
        made().ask("gpt", item="case 3")
    with pytest.raises(InvalidParameter, match="10 test cases, and these are 9"):
        made().ask("gpt", cases=TEN[:9])
    study = made()
    ballot = study.ask("gpt", cases=TEN)
    with pytest.raises(InvalidParameter, match="the study draws the case"):
        study.tell(ballot, "left", item="another")


def test_other_cases_than_before_are_refused():
    study = made()
    study.tell(study.ask("gpt", cases=TEN), "left")
    with pytest.raises(InvalidParameter, match="was judged before, and is not among these cases"):
        study.ask("gpt", cases=[f"new {i}" for i in range(10)])
    row = {"left": "A", "right": "B", "outcome": "left"}
    with pytest.raises(InvalidParameter, match="more than 10 cases"):
        made().add_votes([{**row, "item": f"case {i}"} for i in range(11)])


def test_a_sample_of_cases_takes_no_further_options_once_it_was_seen():
    study = made()
    study.add_option("D")
    study.tell(study.ask("gpt", cases=TEN), "left")
    with pytest.raises(InvalidParameter, match=r"copy the study, which leaves the votes behind"):
        study.add_option("E")
    again = copy_study("prompts", "second round", study.storage)
    again.add_option("E")
    assert again.ask("gpt", cases=TEN) and len(again.options) == 5
    these = made(population="these")
    these.tell(these.ask("gpt", cases=TEN), "left")
    these.add_option("E")


def test_answers_of_all_cases_can_be_imported_and_are_exact():
    rows = [
        {"left": "A", "right": "B", "outcome": "left" if i < 6 else "right", "item": f"q{i}"}
        for i in range(10)
    ]
    study, _ = create_study_from_votes("p", rows, voters="judge", cases=10, population="these")
    assert (study.certificate().best, study.certificate().complete) == ((0,), True)
    assert study.ask("gpt", cases=[f"q{i}" for i in range(10)]) is None


def test_a_certificate_file_says_on_which_cases_and_is_checked_from_the_log(tmp_path):
    study = made(options=["A", "B"], population="these")
    run(study, alphabetical)
    path = tmp_path / "prompts.json"
    found, text = certificate_to_file(study)
    path.write_text(text)
    assert "On these 10 cases, by the judge gpt: " in text
    assert found.cases == 10 and '"cases": 10' in text
    assert objections(read_certificate(path), study) == ()
    path.write_text(text.replace('"cases": 10', '"cases": 9'))
    assert any("cases is 9" in said for said in objections(read_certificate(path), study))


def test_votes_that_no_judge_gave_on_a_case_are_refused():
    with pytest.raises(InvalidParameter, match="judges decide test cases"):
        made().allocate(100)
    study = create_study("cases", ["a", "b"], voters="judge", cases=20)
    with pytest.raises(InvalidParameter, match="each vote names its case"):
        study.add_votes([{"left": "a", "right": "b", "outcome": "left", "voter": "gpt"}])
    assert study.votes() == []
