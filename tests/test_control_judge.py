"""Judges that count without being believed: held against plain products, enumerations and independent counts."""

import json
import math
from collections import Counter
from functools import cache
from itertools import combinations_with_replacement, product

import numpy as np
import pytest

import copeland
from copeland import Certificate, ControlJudge, InvalidParameter, certify, certify_with_judge
from copeland.certificate.control_judge import turn_tables
from copeland.certificate.control_variates import (
    BETS,
    CORRECTIONS,
    log_capital_with_judge,
    log_evidence_with_judge,
)
from copeland.certificate.evidence import evidence
from copeland.certificate.judged_votes import count_with_judge
from copeland.errors import InvalidRow

SKIP, WAITING = None, "waiting"
ROWS = (1, 0.5, 0, SKIP, WAITING)
CELLS = list(product((1, 0.5, 0, SKIP), (1, 0.5, 0)))  # a person's vote, a judge's answer


def table_of(votes):
    """The table of some cells."""
    table = np.zeros((5, 3), np.int64)
    for y, f in votes:
        table[ROWS.index(y), (1, 0.5, 0).index(f)] += 1
    return table


def multiply(votes, mean, margin):
    """The judge's half as docs/notes/certificate-proofs.md has it: a plain product over the votes for each c and lambda, and their mean."""
    m, total = 0.5 - margin, 0.0
    for c, weight in CORRECTIONS.items():
        for bet in BETS:
            stake = bet / (m + max(c * (f - mean) for f in (0, 1)))
            capital = 1.0
            for y, f in votes:
                gain = (0 if y is SKIP else -m if y == WAITING else y - m) - c * (f - mean)
                capital *= 1 + stake * gain
            total += weight / len(BETS) * capital
    return total


def plain_evidence(table, margin=0.0):
    won, tied, lost = (int(n) for n in table.sum(axis=1)[:3])
    return evidence_of(won, tied, lost, margin)


@cache
def evidence_of(won, tied, lost, margin):
    return certify_evidence([[0, won], [lost, 0]], [[0, tied], [tied, 0]], margin)


def certify_evidence(wins, ties, margin):
    if margin >= 0:
        return float(evidence(wins, ties, margin)[0, 1])
    from copeland.certificate.evidence import log_evidence_of_pairs

    won, tied = np.array(wins), np.array(ties)
    return float(log_evidence_of_pairs(won, won.T, tied, margin)[0, 1])


def full_evidence(table, mean, margin=0.0):
    plain = np.array([plain_evidence(table, margin)])
    return float(log_evidence_with_judge(plain, table[None], np.array([mean]), margin)[0])


@pytest.mark.parametrize("margin", [0.0, 0.05, -0.05])
@pytest.mark.parametrize("mean", [0.0, 0.3, 0.5, 1.0])
def test_the_capital_is_the_plain_product_over_all_votes(mean, margin):
    rng = np.random.default_rng(3)
    for n in (0, 1, 7, 40):
        cells = list(product(ROWS, (1, 0.5, 0)))
        votes = [cells[i] for i in rng.integers(len(cells), size=n)]
        found = log_capital_with_judge(table_of(votes)[None], np.array([mean]), margin)[0]
        assert math.exp(found) == pytest.approx(multiply(votes, mean, margin), rel=1e-9)


def test_weights_are_a_mean_and_no_factor_is_ever_negative():
    assert sum(CORRECTIONS.values()) == pytest.approx(1)
    assert max(BETS) < 1
    for mean, margin in product((0.0, 0.2, 0.5, 1.0), (0.0, 0.2, -0.2)):
        for cell in CELLS:
            many = 1000 * table_of([cell])
            assert np.isfinite(log_capital_with_judge(many[None], np.array([mean]), margin)).all()


def populations(size, margin):
    """All sets of so many cases, each with a vote and the judge's answer, of which "p <= 1/2 - margin" is true."""
    for cases in combinations_with_replacement(CELLS, size):
        said = [y for y, _ in cases if y is not SKIP]
        if sum(y - 0.5 + margin for y in said) <= 1e-12:
            yield cases, sum(f for _, f in cases) / size


@pytest.mark.parametrize("margin", [0.0, 0.1, -0.1])
def test_given_any_past_one_more_vote_gains_nothing_in_the_mean_whatever_the_judge_says(margin):
    """By enumeration of all populations of three cases, after several pasts: useless, adversarial and perfect judges are among them."""
    rng = np.random.default_rng(5)
    steps = np.array([table_of([cell]) for cell in CELLS])
    looked = 0
    for past in (np.zeros((5, 3), np.int64), *rng.integers(0, 9, (4, 5, 3))):
        after = {}
        for cases, mean in populations(3, margin):
            if mean not in after:
                tables = np.concatenate([past[None], past + steps])
                nats = log_capital_with_judge(tables, np.full(len(tables), mean), margin)
                after[mean] = np.exp(nats[1:] - nats[0])
            expected = sum(after[mean][CELLS.index(case)] for case in cases) / 3
            assert expected <= 1 + 1e-12
            looked += 1
    assert looked > 500


def test_a_skip_that_is_left_out_breaks_the_proof():
    """People skip the cases that the judge gives to the second option: without these, the judge seems to be unlucky."""
    cases = [(1, 0), (0, 0), (SKIP, 1), (SKIP, 1)]  # p is 1/2
    mean = np.array([0.5])
    gains = [np.exp(log_capital_with_judge(table_of([c])[None], mean))[0] for c in cases]
    assert sum(gains) / 4 == pytest.approx(1, abs=1e-9)
    assert sum(gains[:2]) / 2 > 1.05


@pytest.mark.slow
@pytest.mark.parametrize("margin", [0.0, 0.1])
@pytest.mark.parametrize(
    "cases",
    [
        ((1, 1), (0, 0)),  # a perfect judge
        ((1, 0), (0, 1)),  # one that is always wrong
        ((1, 1), (0, 1), (1, 0), (0, 0)),  # a useless one
        ((1, 1), (0.5, 1), (0, 0), (SKIP, 0)),
    ],
)
def test_the_evidence_ever_reaches_x_with_probability_1_over_x_at_most(cases, margin):
    """Over all orders of seven draws, from cases on which the null is true: exactly."""
    cases = cases if margin == 0 else (*cases, (0, 0.5))  # p = 1/2 - margin, or less
    mean = sum(f for _, f in cases) / len(cases)
    weights = Counter(cases)

    def chance(level, left=7):
        @cache
        def reach(counts):
            votes = [case for case, n in zip(weights, counts, strict=True) for _ in range(n)]
            if full_evidence(table_of(votes), mean, margin) >= level:
                return 1.0
            if sum(counts) == left:
                return 0.0
            more = (tuple(n + (i == j) for j, n in enumerate(counts)) for i in range(len(counts)))
            shares = [n / len(cases) for n in weights.values()]
            return sum(share * reach(next_) for share, next_ in zip(shares, more, strict=True))

        return reach((0,) * len(weights))

    found = {x: chance(math.log(x)) for x in (1.5, 3.0)}
    assert all(chance <= 1 / x + 1e-12 for x, chance in found.items())
    assert found[1.5] > 0  # so it could fail


def test_the_votes_alone_lose_ln_2_at_most():
    rng = np.random.default_rng(2)
    for _ in range(50):
        table = rng.integers(0, 30, (5, 3))
        plain = plain_evidence(table)
        assert full_evidence(table, rng.random()) >= plain - math.log(2) - 1e-12


def test_a_judge_that_agrees_makes_votes_count_for_more_and_a_lucky_draw_of_cases_for_less():
    table = np.array([[110, 0, 12], [0, 0, 0], [12, 0, 66], [0, 0, 0], [0, 0, 0]])  # 122 : 78
    by_mean = [full_evidence(table, mean) for mean in (0.5, 0.61, 0.65)]
    assert by_mean == sorted(by_mean)
    assert by_mean[0] < plain_evidence(table) < by_mean[1]


def test_a_judge_that_is_mostly_wrong_tells_something_too():
    right = 3 * np.array([[110, 0, 12], [0, 0, 0], [12, 0, 66], [0, 0, 0], [0, 0, 0]])
    wrong = right[:, ::-1]
    assert full_evidence(wrong, 0.39) > plain_evidence(right) + 4


def judge_of(table, share=0.61, cases=1000, **more):
    won = round(share * cases)
    tables = np.zeros((2, 2, 5, 3), np.int64)
    tables[0, 1] = table
    tables += turn_tables(tables).swapaxes(0, 1)
    return ControlJudge("gpt", cases, [[0, won], [cases - won, 0]], tables, **more)


AGREED = np.array([[45, 0, 5], [0, 0, 0], [5, 0, 27], [0, 0, 0], [0, 0, 0]])
WINS = [[0, 50], [32, 0]]


def test_a_certificate_names_the_judge_and_proves_with_it_what_the_votes_alone_do_not():
    table = 2 * AGREED
    wins = 2 * np.array(WINS)
    alone = certify(wins, labels=["tea", "milk"])
    found = certify(wins, labels=["tea", "milk"], control=judge_of(table, 0.63))
    assert (alone.verdict, found.verdict) == ("open", "winner")
    assert "the judge gpt on all 1,000 cases are used, and not believed" in found.statement
    assert any("drawn uniformly from all 1,000 cases" in said for said in found.assumptions)
    assert any("had answered all 1,000 cases" in said for said in found.assumptions)
    assert found.digest != alone.digest


def test_both_directions_are_weighed():
    tables = 2 * AGREED
    one = certify(2 * np.array(WINS), control=judge_of(tables, 0.63))
    turned = judge_of(turn_tables(tables), 0.37)
    other = certify(2 * np.array(WINS).T, control=turned)
    assert (one.best, other.best) == ((0,), (1,))
    assert one.beats == ((0, 1),)
    assert other.beats == ((1, 0),)


def test_a_certificate_survives_its_file_and_is_proved_again():
    wins, judge = 2 * np.array(WINS), judge_of(2 * AGREED, 0.63)
    for goal in ("best", "above:1"):
        found = certify(wins, control=judge, goal=goal, margin=0.05)
        read = Certificate.from_json(found.to_json())
        assert read == found
        assert json.loads(found.to_json())["format"] == 6
        assert read.recheck(wins, control=judge) == ()
        (why,) = read.recheck(wins, control=judge_of(2 * AGREED, 0.64))
        assert "issued on other votes" in why
        (why,) = read.recheck(wins)
        assert "judge gpt" in why


def test_one_vote_elsewhere_in_the_table_is_another_digest():
    moved = AGREED.copy()
    moved[0] += [-1, 0, 1]
    one, other = (certify(WINS, control=judge_of(table)) for table in (AGREED, moved))
    assert one.digest != other.digest


def test_without_a_judge_files_are_as_they_were():
    found = certify(WINS)
    assert json.loads(found.to_json())["format"] == 4
    assert "control_judge" not in found.to_dict()
    assert json.loads(certify(WINS, goal="tiers").to_json())["format"] == 5


def test_on_a_pair_that_lacks_an_answer_the_judge_bets_nothing():
    """So it does not matter when the judge answers the rest: its half was kept aside."""
    tables = np.zeros((2, 2, 5, 3), np.int64)
    judge = ControlJudge("gpt", 1000, [[0, 610], [389, 0]], tables)
    assert np.isnan(judge.means).all()
    wins = np.array([[0, 80], [32, 0]])
    found = judge.add_to(certify_counts(wins, 0 * wins), "independent").weigh(0.0)
    assert math.exp(found[0, 1]) == pytest.approx((math.exp(evidence(wins)[0, 1]) + 1) / 2)
    assert found[0, 0] == -math.inf


def test_an_answer_that_is_under_way_never_helps_whatever_it_turns_out_to_be():
    rng = np.random.default_rng(6)
    past = rng.integers(0, 20, (5, 3))
    for f, mean, margin in product((1, 0.5, 0), (0.2, 0.6), (0.0, 0.05, -0.05)):
        nats = [
            log_capital_with_judge((past + table_of([(y, f)]))[None], np.array([mean]), margin)[0]
            for y in ROWS
        ]
        assert nats[-1] == pytest.approx(nats[2])
        assert nats[-1] <= min(nats) + 1e-12
        turned = turn_tables(past + table_of([(WAITING, f)]))
        lost = turn_tables(past) + table_of([(0, 1 - f)])
        found = [
            log_capital_with_judge(t[None], np.array([mean]), margin)[0] for t in (turned, lost)
        ]
        assert found[0] == pytest.approx(found[1])


def test_undone_votes_count_as_those_that_never_came():
    """Of the votes alone the smaller evidence counts, and in the tables an undone vote is a loss of both."""
    table = 2 * AGREED
    table[0, 0] -= 6
    table[4, 0] += 6
    stands, given = np.array([[0, 94], [64, 0]]), 2 * np.array(WINS)
    judge = judge_of(table, 0.63)
    votes = judge.add_to(
        certify_counts(stands, 0 * stands)._replace(given=(given, 0 * given)), "independent"
    )
    least = np.minimum(evidence(stands), evidence(given))[0, 1]
    capital = log_capital_with_judge(table[None], np.array([0.63]))[0]
    assert votes.weigh(0.0)[0, 1] == pytest.approx(np.logaddexp(least, capital) - math.log(2))


def test_of_several_options_each_pair_has_its_own_table():
    rng = np.random.default_rng(8)
    tables = np.zeros((3, 3, 5, 3), np.int64)
    for i, j in ((0, 1), (0, 2), (1, 2)):
        tables[i, j] = rng.integers(0, 20, (5, 3))
    tables += turn_tables(tables).swapaxes(0, 1)
    wins, ties = tables.sum(axis=3)[:, :, 0], tables.sum(axis=3)[:, :, 1]
    said = np.array([[0, 70, 40], [30, 0, 55], [60, 45, 0]])
    judge = ControlJudge("gpt", 100, said, tables)
    votes = judge.add_to(certify_counts(wins, ties), "independent")
    for margin in (0.0, 0.05):
        found = votes.weigh(margin)
        for i, j in ((0, 1), (1, 0), (2, 0)):
            assert found[i, j] == pytest.approx(
                full_evidence(tables[i, j], said[i, j] / 100, margin)
            )
    cut = votes.cut(2)
    assert cut.weigh(0.0)[0, 1] == votes.weigh(0.0)[0, 1]


def certify_counts(wins, ties):
    from copeland.certificate.evidence import votes_of

    return votes_of(wins, ties, None, None)


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"name": " "}, "name"),
        ({"cases": 0}, "1 or more"),
        ({"wins": [[0, 9], [9, 0]]}, "more answers"),
        ({"tables": np.zeros((2, 2, 3))}, "shape"),
        ({"tables": "x"}, "table of counts"),
        ({"tables": np.full((2, 2, 3, 3), 0.5)}, "whole numbers"),
        ({"tables": np.arange(36).reshape(2, 2, 3, 3)}, "do not say the same"),
        ({"ties": [[0, 1], [2, 0]]}, "symmetric"),
    ],
)
def test_a_judge_that_cannot_be_is_refused(change, why):
    told = {"name": "gpt", "cases": 10, "wins": [[0, 6], [4, 0]], "tables": np.zeros((2, 2, 3, 3))}
    with pytest.raises(InvalidParameter, match=why):
        ControlJudge(**told | change)


@pytest.mark.parametrize(
    ("wins", "terms", "why"),
    [
        ([[0, 49], [32, 0]], {}, "count each vote in both"),
        (np.ones((3, 3)) - np.eye(3), {}, "3"),
        (WINS, {"voters": "judge, these cases", "cases": 1000}, "drawn anew"),
    ],
)
def test_votes_that_do_not_fit_the_tables_are_refused(wins, terms, why):
    with pytest.raises(InvalidParameter, match=why):
        certify(wins, control=judge_of(AGREED), **terms)


# Rows and files


def rows_by(voter, outcomes, left="tea", right="milk"):
    return [
        {"left": left, "right": right, "voter": voter, "item": item, "outcome": outcome}
        for item, outcome in outcomes
    ]


JUDGED = rows_by("gpt", [("a", "left"), ("b", "right"), ("c", "tie"), ("d", "skip")])


def test_rows_become_tables_whichever_the_sides():
    people = [
        *rows_by("ann", [("a", "left"), ("c", "skip"), ("a", "error")]),
        *rows_by("ben", [("b", "left"), ("d", "both_bad")], left="milk", right="tea"),
        *rows_by("cat", [(None, "milk")]),
    ]
    found = count_with_judge(JUDGED + people, "gpt", cases=4)
    assert found.labels == ("tea", "milk")
    assert found.wins.tolist() == [[0, 1], [2, 0]]
    assert found.ties.tolist() == [[0, 1], [1, 0]]
    table = [[1, 0, 0], [0, 1, 0], [0, 0, 1], [1, 1, 0], [0, 0, 0]]
    assert found.control.tables[0, 1].tolist() == table
    assert found.control.tables[1, 0].tolist() == turn_tables(np.array(table)).tolist()
    assert found.control.means[0, 1] == 0.5


def test_a_judge_that_flips_with_the_sides_sees_a_tie():
    both = [*rows_by("gpt", [("a", "left")]), *rows_by("gpt", [("a", "left")], "milk", "tea")]
    found = count_with_judge([*both, *JUDGED[1:]], "gpt", cases=4)
    assert found.control.ties[0, 1] == 3


def test_guides_repeats_and_a_judge_that_failed_count_for_nothing():
    people = rows_by("ann", [("a", "left")])
    others = [
        {**people[0], "voter": "claude", "role": "guide", "counted": False},
        {**people[0], "counted": False},
    ]
    found = count_with_judge([*JUDGED, *people, *others], "gpt", cases=4)
    assert found.wins.sum() == found.control.tables[0, 1].sum() == 1
    failed = [*JUDGED[:3], {**JUDGED[3], "outcome": "error"}]
    found = count_with_judge([*failed, *people], "gpt", cases=4)
    assert np.isnan(found.control.means).all()
    assert found.wins.sum() == 1


@pytest.mark.parametrize(
    ("rows", "cases", "error", "why"),
    [
        (rows_by("ann", [("z", "left")]), 4, InvalidRow, "'z' is not one of the 4 cases"),
        ([{**JUDGED[0], "voter": "ann", "undone": True}], 4, InvalidRow, "undone"),
        ([], 3, InvalidRow, "more than 3 cases"),
        ([{**JUDGED[0], "item": None}], 4, InvalidRow, "give each answer an item"),
    ],
)
def test_rows_that_cannot_be_are_refused(rows, cases, error, why):
    with pytest.raises(error, match=why):
        count_with_judge(JUDGED + rows, "gpt", cases)


def test_what_is_missing_in_the_rows_is_named():
    with pytest.raises(InvalidParameter, match="no vote is by the judge 'claude'"):
        count_with_judge(JUDGED, "claude", 4)
    with pytest.raises(InvalidRow, match="no column 'item'"):
        count_with_judge([{"left": "a", "right": "b", "outcome": "left", "voter": "x"}], "x", 4)
    with pytest.raises(InvalidRow, match="not among the labels"):
        count_with_judge(JUDGED, "gpt", 4, labels=["tea", "water"])


def test_a_file_gives_the_same_as_its_rows(tmp_path):
    rows = JUDGED + rows_by("ann", [("a", "left"), ("b", "right")])
    path = tmp_path / "votes.csv"
    lines = ["left,right,voter,question,outcome"]
    lines += [",".join(str(row[key]) for key in row) for row in rows]
    path.write_text("\n".join(lines) + "\n")
    found = certify_with_judge(path, "gpt", 4, columns={"item": "question"}, delta=0.1)
    assert found.digest == certify_with_judge(rows, "gpt", 4).digest
    assert (found.delta, found.control_cases) == (0.1, 4)


@pytest.mark.slow
def test_votes_of_a_study_are_certified_with_a_guide_that_judged_every_case():
    """A whole way: a guide answers all cases, people vote on drawn ones, and what they say is certified with the guide."""
    from copeland.study.judges import judge_study

    rng = np.random.default_rng(4)
    cases = [f"case {n}" for n in range(30)]
    better = {case: rng.random() < 0.7 for case in cases}  # where tea is
    study = copeland.create_study("drinks", ["tea", "milk"], voters="independent")

    def judge(left, right, item):
        return "left" if (left.name == "tea") == better[item] else "right"

    done = judge_study(study, {"gpt": judge}, items=cases, role="guide", swap="confirm")
    assert done.votes == 30
    for _ in range(60):
        ballot = study.ask(item=cases[rng.integers(30)])
        assert ballot
        assert ballot.item
        study.tell(ballot, "tea" if better[ballot.item] == (rng.random() < 0.95) else "milk")
    found = certify_with_judge(study.votes(), "gpt", 30)
    assert found.votes == 60
    judged = count_with_judge(study.votes(), "gpt", 30, labels=["tea", "milk"])
    assert judged.control.means[0, 1] == sum(better.values()) / 30
    assert judged.control.tables[0, 1].sum() == 60
