"""A judge that counts in a study: it answers all cases, the study draws those of voters, and the certificate uses both."""

import math
import sys
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from commands import flat, run, values

import copeland
from copeland import InvalidParameter, certify
from copeland.certificate.control_judge import ControlJudge, turn_tables
from copeland.study.judges import judge_study
from copeland.study.kinds.control import UniformDraw
from copeland.study.log.state import dump_state, fold_log, load_state
from copeland.study.results.certificate_file import (
    certificate_to_file,
    objections,
    read_certificate,
)

CASES = [f"case {n}" for n in range(20)]
TEA_IS_BETTER = dict(zip(CASES, np.arange(20) % 10 < 7, strict=True))


def judge(left, right, item):
    return "left" if (left.name == "tea") == TEA_IS_BETTER[item] else "right"


def new_study(judged=True, options=("tea", "milk"), **more):
    study = copeland.create_study(
        "drinks",
        list(options),
        voters="independent",
        control_judge="gpt",
        control_cases=len(CASES),
        **more,
    )
    if judged:
        judge_study(study, {"gpt": judge}, items=CASES, swap="confirm")
    return study


def vote(study, outcome=None):
    ballot = study.ask(cases=CASES)
    said = "tea" if TEA_IS_BETTER[ballot.item] else "milk"
    return study.tell(ballot, outcome or said)


def tables_by_hand(study):
    """The table of tea against milk, from the rows that the log gives out: an independent count."""
    rows, columns = Counter(), {}
    for one in study.votes():
        won = {one.left: one.left == "tea", one.right: one.right == "tea"}
        winner = {"left": one.left, "right": one.right}.get(one.outcome)
        side = 1 if winner is None else 0 if won[winner] else 2
        if one.voter == "gpt":
            columns[one.item] = side
        else:
            row = 4 if one.undone else 3 if one.outcome == "skip" else side
            rows[row, columns[one.item]] += 1
    table = np.zeros((5, 3), np.int64)
    for place, times in rows.items():
        table[place] = times
    return table


def judge_in(study):
    return fold_log(study.log()).control.judge_of(2)


@pytest.mark.slow
def test_a_judge_that_agrees_ends_a_study_sooner_and_is_named():
    study = new_study()
    while ballot := study.ask(cases=CASES):
        study.tell(ballot, "tea" if TEA_IS_BETTER[ballot.item] else "milk")
        assert study.number < 400
    found = study.certificate()
    assert found.verdict == "winner"
    assert "the judge gpt on all 20 cases are used, and not believed" in found.statement
    state = fold_log(study.log())
    alone = certify(state.wins, state.ties)
    assert alone.verdict == "open"


@pytest.mark.slow
def test_tables_are_those_of_an_independent_count():
    study = new_study()
    for n in range(30):
        vote(study, {3: "skip", 9: "tie", 15: "both_bad"}.get(n))
    study.undo(study.votes()[-2])
    found = judge_in(study)
    assert found.tables[0, 1].tolist() == tables_by_hand(study).tolist()
    assert found.tables[0, 1].sum() == 30
    assert found.means[0, 1] == 0.7
    standing = fold_log(study.log())
    counts = standing.proof.before_undoing
    made = certify(
        standing.wins, standing.ties, given=counts, control=found, epoch=1, labels=["tea", "milk"]
    )
    assert made == study.certificate()


@pytest.mark.slow
def test_a_ballot_counts_against_both_options_until_it_is_answered():
    study = new_study()
    ballot = study.ask(cases=CASES)
    assert judge_in(study).tables[0, 1, 4].sum() == 1
    study.tell(ballot, "error")
    assert judge_in(study).tables[0, 1, 4].sum() == 1
    study = new_study()
    study.tell(study.ask(cases=CASES), "tea")
    assert judge_in(study).tables[0, 1, 4].sum() == 0
    assert judge_in(study).tables[0, 1, 0].sum() == 1


@pytest.mark.slow
def test_an_undone_vote_counts_as_none_and_one_that_was_taken_back_can_be_given_again():
    study = new_study()
    first = vote(study, "tea")
    study.undo(first)
    assert judge_in(study).tables[0, 1, 4].sum() == 1
    study.tell(first.ballot, "milk")
    assert (
        judge_in(study).tables[0, 1, 4].sum() == 1
    )  # what it said first is not known to the table
    own = vote(study, "tea")
    study.undo(own, own=True)
    study.tell(own.ballot, "milk")
    assert judge_in(study).tables[0, 1].sum(axis=1).tolist() == [0, 0, 1, 0, 1]


def test_cases_are_drawn_uniformly_with_replacement():
    draw = UniformDraw(tuple(CASES), seed=0)
    drawn = [draw.case(0, 1, number) for number in range(2, 2002)]
    counts = np.array([Counter(drawn)[case] for case in CASES])
    assert ((counts - 100) ** 2 / 100).sum() < 43.8  # 19 degrees of freedom, one in a thousand
    pairs = Counter(zip(drawn[::2], drawn[1::2], strict=True))
    chi = sum((pairs[one, other] - 2.5) ** 2 / 2.5 for one in CASES for other in CASES)
    assert chi < 490  # 399 degrees of freedom, one in a thousand


def test_the_same_seed_draws_the_same_cases():
    drawn = [
        [ballot.item for ballot in new_study(judged=False, seed=seed).ask(n=8, cases=CASES)]
        for seed in (1, 1, 2)
    ]
    assert drawn[0] == drawn[1] != drawn[2]


@pytest.mark.slow
def test_only_votes_on_drawn_cases_since_the_judge_had_answered_all_are_in_the_tables():
    study = new_study(judged=False)
    vote(study)
    judge_study(study, {"gpt": judge}, items=CASES, swap="confirm")
    study.tell(study.ask(item="case 3"), "tea")  # nobody drew it
    assert not judge_in(study).tables.any()
    vote(study)
    assert judge_in(study).tables[0, 1].sum() == 1


@pytest.mark.slow
def test_before_the_judge_has_answered_all_its_half_bets_nothing():
    study = new_study(judged=False)
    judge_study(study, {"gpt": judge}, items=CASES, calls=10)
    assert np.isnan(judge_in(study).means).all()
    for _ in range(6):
        study.tell(study.ask(cases=CASES), "tea")
    state = fold_log(study.log())
    plain = copeland.certificate.evidence.evidence(state.wins)[0, 1]
    found = judge_in(study).add_to(
        copeland.certificate.evidence.votes_of(state.wins, None, None, None), "independent"
    )
    assert found.weigh(0.0)[0, 1] == pytest.approx(np.logaddexp(plain, 0) - math.log(2))


@pytest.mark.slow
def test_once_it_has_answered_all_the_judge_cannot_change_its_answers():
    study = new_study()
    before = judge_in(study).wins.tolist()
    answer = next(one for one in study.votes() if one.voter == "gpt")
    study.undo(answer)
    said = {"left": "tea", "right": "milk", "voter": "gpt", "item": "case 0", "outcome": "right"}
    study.add_votes([said])
    assert judge_in(study).wins.tolist() == before


def test_an_answer_that_is_undone_before_is_forgotten_and_two_answers_make_a_tie():
    study = new_study(judged=False)
    said = {"left": "tea", "right": "milk", "voter": "gpt", "item": "case 0", "outcome": "left"}
    study.add_votes([said | {"event_id": "a"}, said | {"item": "case 1", "event_id": "b"}])
    study.add_votes([said | {"item": "case 1", "outcome": "right", "event_id": "c"}])
    study.undo("a")
    study.add_votes([said | {"item": case, "event_id": case} for case in CASES[2:]])
    assert not judge_in(study).is_complete[0, 1]
    study.add_votes([said | {"outcome": "skip", "event_id": "d"}])
    found = judge_in(study)
    assert (found.wins[0, 1], found.wins[1, 0], found.ties[0, 1]) == (18, 0, 2)


@pytest.mark.slow
def test_the_judge_is_a_guide_and_stays_one():
    study = new_study()
    assert study.role("gpt") == "guide"
    assert study.standing().votes == 0
    with pytest.raises(InvalidParameter, match="judge that counts"):
        study.set_role("gpt", "proof")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("cases", "why"),
    [
        (CASES[:-1], "20 cases"),
        ("case 0", "20 cases"),
        ([*CASES[:-1], "other"], "'case 19'"),
    ],
)
def test_other_cases_than_the_judge_answered_are_refused(cases, why):
    with pytest.raises(InvalidParameter, match=why):
        new_study().ask(cases=cases)


@pytest.mark.slow
def test_a_snapshot_gives_the_same_state():
    study = new_study()
    for _ in range(5):
        vote(study)
    study.ask(cases=CASES)
    study.undo(study.votes()[-1])
    state = fold_log(study.log())
    assert load_state(dump_state(state)) == state


@pytest.mark.slow
def test_counting_from_zero_keeps_the_judge_and_forgets_the_votes():
    study = new_study()
    vote(study)
    study.begin_epoch()
    assert not judge_in(study).tables.any()
    assert judge_in(study).means[0, 1] == 0.7


@pytest.mark.slow
def test_a_certificate_file_holds_and_names_what_was_changed(tmp_path):
    study = new_study()
    for _ in range(20):
        vote(study)
    path = tmp_path / "drinks.json"
    found, text = certificate_to_file(study)
    assert found.control_judge == "gpt"
    path.write_text(text)
    vote(study)
    assert objections(read_certificate(path), study) == ()
    path.write_text(text.replace('"control_judge": "gpt"', '"control_judge": "claude"'))
    assert objections(read_certificate(path), study)


def test_a_study_never_stops_asking_before_its_certificate_says_so():
    """The planner is held to half of delta, because half of the evidence is that of the votes alone."""
    rng = np.random.default_rng(3)
    study = new_study(judged=False)
    while ballot := study.ask(cases=CASES):  # a judge that never answers
        study.tell(ballot, "tea" if rng.random() < 0.8 else "milk")
    assert study.certificate().verdict == "winner"


@pytest.mark.slow
def test_more_options_have_a_table_for_each_pair():
    study = new_study(judged=False, options=("tea", "milk", "water"))

    def fair(left, right, item):
        return "left" if left.name == min(left.name, right.name) else "right"

    judge_study(study, {"gpt": fair}, items=CASES, swap="confirm")
    for _ in range(12):
        study.tell(study.ask(cases=CASES), "left")
    found = fold_log(study.log()).control.judge_of(3)
    assert isinstance(found, ControlJudge)
    assert found.is_complete.sum() == 6
    assert np.triu(found.tables.sum(axis=(2, 3))).sum() == 12
    assert np.array_equal(found.tables, turn_tables(found.tables).swapaxes(0, 1))


def test_settings_that_do_not_go_together_are_refused():
    for told, why in (
        ({"control_judge": "gpt", "control_cases": 5, "voters": "people"}, "independent"),
        ({"control_judge": "gpt", "voters": "independent"}, "how many"),
        ({"control_cases": 5, "voters": "independent"}, "name the judge"),
        (
            {
                "control_judge": "gpt",
                "control_cases": 5,
                "voters": "independent",
                "algorithm": "ccb",
            },
            "guided",
        ),
    ):
        with pytest.raises(InvalidParameter, match=why):
            copeland.create_study("drinks", ["tea", "milk"], **told)


@pytest.mark.slow
def test_all_of_it_on_the_command_line(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("judge.py").write_text(
        "import sys\nleft, _, item = sys.argv[1:]\n"
        "print('left' if (left == 'tea') == (int(item.split()[1]) % 10 < 7) else 'right')\n"
    )
    Path("cases.txt").write_text("\n".join(CASES) + "\n")
    named = ["-o", "tea", "-o", "milk", "--voters", "independent"]
    counting = ["--control-judge", "gpt", "--control-cases", 20]
    made = values("study", "create", "drinks", *named, *counting)
    assert made["settings"]["control_judge"] == "gpt"
    judge = f"{sys.executable} judge.py {{left.name}} {{right.name}} {{item}}"
    run("study", "judge", "drinks", "--voter", "gpt", "--items", "cases.txt", "--command", judge)
    for _ in range(3):
        (ballot,) = values("study", "ask", "drinks", "--cases", "cases.txt")
        values("study", "tell", "drinks", ballot["ballot"], "tea")
    run("study", "vote", "drinks", "--items", "cases.txt", "--ballots", 2, input="left\nleft\n")
    study = copeland.open_study("drinks", "sqlite:///copeland.db")
    tables = fold_log(study.log()).control.judge_of(2).tables
    assert tables[0, 1, :3].sum() == 5
    said = run("study", "create", "again", *named, *counting).stdout
    assert "judge again --voter gpt --items FILE" in flat(said)
    plain = run("study", "create", "other", "-o", "a", "-o", "b")
    assert plain.exit_code == 0
    refused = run("study", "ask", "other", "--cases", "cases.txt")
    assert "--control-judge" in refused.stderr
