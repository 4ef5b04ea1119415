"""The whole audit: figures that were counted by hand or by another program, on small votes and on the arena's."""

import csv
import gzip
import json
from collections import Counter

import numpy as np
import pytest
from audit_rows import rows_of
from scipy import stats

import copeland
from copeland.audit.comparisons import compare_pairs, compare_votes
from copeland.audit.judged_cases import CastVote, Comparison
from copeland.errors import InvalidParameter

JUDGES = ["gpt4", "gpt35", "claude"]
SCORES = {"model_a": 1.0, "model_b": 0.0}


@pytest.fixture(scope="module")
def arena_rows(data):
    with gzip.open(data / "votes" / "arena_2023.csv.gz", "rt") as file:
        return list(csv.DictReader(file))


@pytest.fixture(scope="module")
def arena(data):
    return copeland.audit_judges(
        data / "votes" / "arena_2023.csv.gz",
        people="winner",
        judges=JUDGES,
        require=["agreement>=.8", "off<=.1"],
    )


def agree_by_hand(rows, judge):
    both = [row for row in rows if row["winner"] in SCORES and row[judge] in SCORES]
    return sum(row["winner"] == row[judge] for row in both), len(both)


@pytest.mark.slow
@pytest.mark.parametrize("judge", JUDGES)
def test_agreement_on_the_arena_is_counted_by_hand(arena, arena_rows, judge):
    report = arena.reports[JUDGES.index(judge)]
    hits, n = agree_by_hand(arena_rows, judge)
    assert (report.agreement.value, report.agreement.n) == (pytest.approx(hits / n), n)
    # Nine of 26,910 questions were asked twice, so grouping hardly changes the interval.
    known = stats.binomtest(hits, n).proportion_ci(method="wilson")
    assert report.agreement[1:3] == pytest.approx((known.low, known.high), abs=2e-4)


@pytest.mark.slow
def test_the_published_figures_of_the_arena(arena):
    gpt4, gpt35, claude = arena.reports
    assert (round(gpt4.agreement.value, 4), gpt4.agreement.n) == (0.8327, 14_397)
    assert [(len(one.off_pairs), len(one.pairs)) for one in arena.reports] == [
        (67, 154),
        (118, 154),
        (76, 154),
    ]
    assert (round(gpt35.first.value, 4), gpt35.first.n) == (0.8626, 26_867)
    assert round(gpt4.correlation.value, 2) == 0.30
    assert (gpt4.people_winners.copeland, gpt4.judge_winners.copeland) == (
        ("gpt-4",),
        ("claude-v1",),
    )
    assert [one.decision for one in arena.reports] == ["undecided", "failed", "failed"]
    assert len(claude.repeats) == 1 and claude.repeats[0].flips.n == 9


@pytest.mark.slow
def test_the_pairs_of_the_arena_are_counted_by_hand(arena, arena_rows):
    sums = {}
    for row in arena_rows:
        pair = tuple(sorted((row["model_a"], row["model_b"])))
        turned = pair[0] != row["model_a"]
        scores = [SCORES.get(row[by], 0.5) for by in ("winner", "gpt4")]
        sums.setdefault(pair, []).append([1 - s if turned else s for s in scores])
    for one in arena.reports[0].pairs:
        people, judge = np.mean(sums[one.first, one.second], axis=0)
        assert (one.people, one.judge) == (pytest.approx(people), pytest.approx(judge))
        assert one.low <= one.difference <= one.high
        assert one.all_low < one.low and one.high < one.all_high


@pytest.mark.slow
def test_two_judges_of_the_arena_disagree_where_a_count_says(arena, arena_rows):
    two = next(one for one in arena.two if (one.first, one.second) == ("gpt4", "claude"))
    questions = Counter(row["question_id"] for row in arena_rows)
    once = [row for row in arena_rows if questions[row["question_id"]] == 1]
    differ = {row["question_id"] for row in once if row["gpt4"] != row["claude"]}
    found = {one.item for one in two.disagreements if questions[one.item] == 1}
    assert found == differ
    assert two.first_winners.copeland == ("claude-v1",)


def test_shares_and_differences_by_hand():
    rows = rows_of(
        ("left", "left", 30), ("right", "left", 15), ("tie", "right", 10), ("left", "tie", 5)
    )
    report = copeland.audit_judges(rows, people="people", judges="gpt").reports[0]
    one = report.pairs[0]
    assert (one.first, one.second, one.votes) == ("a", "b", 60)
    assert (one.people, one.judge) == (pytest.approx(40 / 60), pytest.approx(47.5 / 60))
    assert one.difference == pytest.approx(7.5 / 60)
    assert (report.agreement.value, report.agreement.n) == (30 / 45, 45)
    assert report.agreement_with_ties.value == 30 / 60
    assert report.off.value == pytest.approx(7.5 / 60)
    assert report.off.high == pytest.approx(one.all_high)


def test_sides_do_not_matter_for_shares():
    rows = rows_of(("left", "right", 30), ("right", "right", 30))
    turned = {"left": "right", "right": "left"}
    swapped = [
        {
            "item": row["item"],
            "left": row["right"],
            "right": row["left"],
            "people": turned[row["people"]],
            "gpt": turned[row["gpt"]],
        }
        for row in rows
    ]
    one, other = (
        copeland.audit_judges(each, people="people", judges="gpt").reports[0]
        for each in (rows, swapped)
    )
    assert one.pairs == other.pairs
    assert (one.first.value, other.first.value) == (0, 1)


def test_a_pair_with_few_votes_is_not_looked_at():
    rows = [*rows_of(("left", "left", 50)), *rows_of(("left", "right", 49), left="c")]
    report = copeland.audit_judges(rows, people="people", judges="gpt").reports[0]
    assert [(one.first, one.second) for one in report.pairs] == [("a", "b")]
    few = copeland.audit_judges(rows, people="people", judges="gpt", pair_votes=10).reports[0]
    assert [(one.first, one.second) for one in few.pairs] == [("b", "c"), ("a", "b")]
    assert few.proved_pairs == few.pairs[:1]


def test_agreement_by_option_and_by_tag():
    rows = [
        *(
            {**row, "tags": "sums; short"}
            for row in rows_of(("left", "left", 20), ("left", "right", 20))
        ),
        *({**row, "tags": "poems"} for row in rows_of(("left", "left", 40), left="c")),
    ]
    report = copeland.audit_judges(rows, people="people", judges="gpt").reports[0]
    assert [(one.name, one.agreement.value) for one in report.by_option] == [
        ("a", 0.5),
        ("b", 0.75),
        ("c", 1.0),
    ]
    assert [(one.name, one.agreement.value) for one in report.by_tag] == [
        ("short", 0.5),
        ("sums", 0.5),
        ("poems", 1.0),
    ]


def test_tags_of_items_may_come_from_elsewhere():
    rows = rows_of(("left", "left", 20), ("left", "right", 20))
    tags = {row["item"]: ["easy"] for row in rows[:20]}
    report = copeland.audit_judges(rows, people="people", judges="gpt", tags=tags).reports[0]
    assert [(one.name, one.agreement.value) for one in report.by_tag] == [("easy", 1.0)]


def cast(rng, pair, people, judge, number):
    return Comparison(
        CastVote(None, f"{pair}{number}", pair[0], pair[1], float(rng.random() < people)),
        float(rng.random() < judge),
    )


@pytest.mark.slow
def test_a_judge_with_the_shares_of_people_is_seldom_said_to_differ():
    rng = np.random.default_rng(7)
    shares = {(f"a{i}", f"b{i}"): 0.1 + 0.08 * i for i in range(10)}
    wrong = 0
    for _ in range(100):
        votes = [cast(rng, pair, p, p, n) for pair, p in shares.items() for n in range(50)]
        wrong += any(one.is_proved for one in compare_pairs(compare_votes(votes), 50))
    # Each audit errs with 5 % at most; more than 13 of 100 have a probability below 1 / 1000.
    assert wrong <= 13


def test_fewer_than_thirty_votes_are_said_to_be_few_and_pass_for_no_failure():
    audit = copeland.audit_judges(rows_of(("left", "left", 5)), people="people", judges="gpt")
    assert "These are fewer than 30 votes, so the intervals are wide." in audit.sentences
    assert "No pair has 50 votes of people" in str(audit)
    assert audit.decision is None


def test_the_first_sentences_decide_and_say_whose_preference_is_proved():
    rows = rows_of(("left", "left", 95), ("left", "right", 5))
    how = {"people": "people", "judges": "gpt"}
    passed = copeland.audit_judges(rows, require="agreement>=.8", **how)
    assert passed.sentences[:2] == (
        "gpt is fit to decide by this pass mark: agreement >= 0.8 is proved.",
        "Whatever gpt's votes prove is gpt's preference, not people's.",
    )
    failed = copeland.audit_judges(rows, require=["agreement>=.8", "kappa>=.99"], **how)
    assert failed.decision == "failed"
    assert failed.sentences[0].startswith(
        "gpt is not fit to decide: agreement >= 0.8 is proved and kappa"
    )
    open_ = copeland.audit_judges(rows, require="agreement>=.95", **how)
    assert open_.sentences[0].startswith("Whether gpt is fit to decide is open")
    assert copeland.audit_judges(rows, **how).sentences[0].startswith("No pass mark was set")


def test_two_judges_have_winners_of_their_own_and_cases_on_which_they_disagree():
    rows = [
        {**row, "bard": "right"} for row in rows_of(("left", "left", 30), ("left", "right", 25))
    ]
    audit = copeland.audit_judges(rows, people="people", judges=["gpt", "bard"])
    two = audit.two[0]
    assert (two.first_winners.copeland, two.second_winners.copeland) == (("a",), ("b",))
    assert two.agreement.value == 25 / 55
    assert len(two.disagreements) == 30
    assert two.disagreements[0] == ("ab0", "a", "b", "a", "b")


def test_all_of_it_is_json_and_the_pairs_are_a_table():
    rows = rows_of(("left", "left", 30), ("right", "left", 30), left="=1+1")
    audit = copeland.audit_judges(rows, people="people", judges="gpt", require="off<=.1")
    told = json.loads(json.dumps(audit.to_dict(), allow_nan=False))
    assert told["judges"][0]["marks"][0]["decision"] == "failed"
    assert told["judges"][0]["pairs"][0]["off"] is True
    table = list(csv.DictReader(audit.pairs_csv().splitlines()))
    assert (table[0]["judge"], table[0]["first"], table[0]["judge_share"]) == ("gpt", "'=1+1", "1")


@pytest.mark.slow
def test_the_page_needs_nothing_else_and_shows_names_as_text(tmp_path):
    rows = rows_of(("left", "left", 30), ("right", "left", 30), left="<b>a</b>", right="$x$")
    rows = [{**row, "bard": "left"} for row in rows]
    audit = copeland.audit_judges(rows, people="people", judges=["gpt", "bard"])
    text = audit.report(tmp_path / "audit.html", "copeland judges audit").read_text()
    assert "<b>a</b>" not in text and "&lt;b&gt;a&lt;/b&gt;" in text
    assert "No pass mark was set" in text
    assert "http" not in text.replace("http-equiv", "")
    assert text.count("<svg") == 4  # shares and options, of two judges


def test_plot_draws_the_shares_of_each_judge():
    rows = rows_of(("left", "left", 30), ("right", "left", 30))
    audit = copeland.audit_judges(rows, people="people", judges="gpt")
    figure = copeland.plot(audit)
    drawn = figure.axes[0].collections[-1].get_offsets()
    assert drawn.tolist() == [[0.5, 1.0]]
    with pytest.raises(InvalidParameter, match="an audit is drawn in one way"):
        copeland.plot(audit, yscale="log")
