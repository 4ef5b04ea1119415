"""How far judges agree."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tiny_study import TinyStudy, first_by_name

from copeland.study.judges import agreement, judge_study


def votes(**said):
    """Votes of judges on the pairs of A with B, C, D ...: + for A, - for the other, = tie, 0 both bad."""
    words = {"+": "left", "-": "right", "=": "tie", "0": "both_bad", "s": "skip", "e": "error"}
    return [
        {"voter": judge, "left": "A", "right": "BCDEFGH"[n], "outcome": words[mark]}
        for judge, marks in said.items()
        for n, mark in enumerate(marks)
    ]


def test_kappa_by_hand():
    # Same on 3 of 4. Each has 3/4 winners and 1/4 ties, so chance is (3/4)^2 / 2 + (1/4)^2 = 11/32,
    # and kappa (24/32 - 11/32) / (21/32).
    (pair,) = agreement(votes(ann="++-=", bob="+--=")).pairs
    assert (pair.first, pair.second, pair.n, pair.agreement) == ("ann", "bob", 4, 0.75)
    assert pair.kappa == pytest.approx(13 / 21)
    (pair,) = agreement(votes(ann="++++", bob="+++-")).pairs
    assert pair.kappa == pytest.approx(2 * 0.75 - 1)
    (pair,) = agreement(votes(ann="==", bob="==")).pairs
    assert (pair.agreement, pair.kappa) == (1.0, None)


def test_only_opinions_on_the_same_item_are_compared_whatever_the_side():
    (pair,) = agreement(votes(ann="+s+e", bob="++-+")).pairs
    assert (pair.n, pair.agreement) == (2, 0.5)
    one = {"voter": "ann", "left": "A", "right": "B", "outcome": "left"}
    other = {"voter": "bob", "left": "B", "right": "A", "outcome": "right"}
    assert agreement([one, other]).pairs[0].agreement == 1.0
    one, other = votes(ann="+", bob="+")
    assert agreement([one | {"item": "x"}, other | {"item": "y"}]).pairs == ()


def test_votes_come_as_a_data_frame_too_and_repeats_are_matched_in_order():
    one, other = votes(ann="+", bob="+")
    assert agreement([one | {"item": float("nan")}, other | {"item": float("nan")}]).pairs[0].n == 1
    frame = pytest.importorskip("pandas").DataFrame(votes(ann="+-", bob="+="))
    assert agreement(frame) == agreement(votes(ann="+-", bob="+="))
    one, other = votes(ann="+", bob="+")
    assert agreement([one, other | {"undone": True}]).pairs == ()
    rows = [*votes(ann="+"), *votes(ann="-"), *votes(bob="+"), *votes(bob="-"), *votes(bob="-")]
    assert agreement(rows).pairs[0][2:4] == (2, 1.0)


def test_judges_are_compared_where_they_met_and_with_those_named():
    assert agreement(votes(ann="+", bob="s")).pairs == ()
    pairs = agreement(votes(ann="+", bob="+", cat="+"), judges=["ann", "cat"]).pairs
    assert [(p.first, p.second) for p in pairs] == [("ann", "cat")]


def test_a_study_reports_how_far_its_judges_agree():
    done = judge_study(
        TinyStudy(enough=12), {"by name": first_by_name, "by name too": first_by_name}
    )
    (pair,) = done.agreement.pairs
    assert pair.n > 0 and pair.agreement == 1.0


marks = st.text("+-=0", min_size=1, max_size=7)


def plain_kappa(ones, others):
    """Cohen's kappa from its table, every comparison in both orders."""
    turn = str.maketrans("+-", "-+")
    both = list(zip(ones + ones.translate(turn), others + others.translate(turn), strict=True))
    same = sum(a == b for a, b in both) / len(both)
    chance = (
        sum(sum(a == mark for a, _ in both) * sum(b == mark for _, b in both) for mark in "+-=0")
        / len(both) ** 2
    )
    return None if chance == 1 else (same - chance) / (1 - chance)


@given(
    st.integers(1, 7).flatmap(lambda n: st.tuples(*[st.text("+-=0", min_size=n, max_size=n)] * 2))
)
def test_kappa_is_that_of_the_table_read_in_both_orders(said):
    (pair,) = agreement(votes(ann=said[0], bob=said[1])).pairs
    assert pair.kappa == (
        pytest.approx(plain_kappa(*said)) if plain_kappa(*said) is not None else None
    )


@given(marks, marks, st.permutations("ABCDEFGH"))
def test_names_of_options_do_not_matter_to_agreement(one, other, names):
    rows = votes(ann=one, bob=other)
    renamed = dict(zip("ABCDEFGH", names, strict=True))
    other_rows = [r | {"left": renamed[r["left"]], "right": renamed[r["right"]]} for r in rows]
    assert agreement(rows) == agreement(other_rows)
