"""The report of an estimate: who is best, what is not told apart, the page, and the command."""

import json
import re

import numpy as np
import pytest
from commands import run

from copeland.ranking import all_features, letor, synthetic
from copeland.ranking.clicks import click_model
from copeland.ranking.estimation import Estimate, Protocol, estimate
from copeland.ranking.rankers_page import (
    by_score,
    certainty,
    certainty_sentences,
    cycles_sentence,
    heat_map,
    rankers_page,
    winners_by_notion,
)

pytestmark = pytest.mark.slow  # left out of `make fast`


def estimate_of(wins, n=100, labels=None):
    """An estimate from the wins above the diagonal, without ties."""
    upper = np.triu(np.array(wins), 1)
    k = len(upper)
    totals = np.where(np.eye(k, dtype=bool), 0, n)
    won = upper + np.tril(n - upper.T, -1)
    none = np.zeros((k, k))
    names = labels or tuple("abcdefgh"[:k])
    return Estimate(names, "sign", won, none.astype(int), totals, none, none)


@pytest.fixture
def circle():
    """A beats b beats c beats a, and all beat d; a and b are close."""
    return estimate_of([[0, 55, 20, 90], [0, 0, 80, 90], [0, 0, 0, 90], [0, 0, 0, 0]])


@pytest.mark.quick
def test_pairs_within_two_standard_errors_are_not_told_apart(circle):
    sure = certainty(circle)
    assert sure.open == ((0, 1),)
    assert sure.pairs == 6
    assert sure.largest_error == pytest.approx(np.sqrt(0.55 * 0.45 / 100))
    assert sure.touching([0]) == ((0, 1),) and sure.touching([3]) == ()
    assert "2 standard errors from 1/2: 1 of 6." in certainty_sentences(sure)[1]


def test_pairs_that_always_tie_are_named_for_what_they_are():
    found = estimate_of([[0, 0, 70], [0, 0, 70], [0, 0, 0]])
    found.wins[1, 0], found.ties[0, 1], found.ties[1, 0] = 0, 100, 100
    sure = certainty(found)
    assert (sure.open, sure.twins) == ((), ((0, 1),))
    assert "a tie in every comparison" in certainty_sentences(sure)[-1]


def test_cycles_and_winners_are_found(circle):
    m = circle.matrix()
    assert cycles_sentence(m) == "Cycles among the best (> reads beats): a > b > c > a."
    best = winners_by_notion(m)
    assert best["Condorcet winner"] == []
    assert set(best["Copeland winners"]) == set(best["Smith set"]) == {0, 1, 2}
    assert by_score(m)[-1] == 3


def test_the_heat_map_is_ordered_by_score_and_centred_at_one_half():
    m = estimate_of([[0, 30, 20], [0, 0, 40], [0, 0, 0]]).matrix()  # c beats b beats a
    figure = heat_map(m)
    cells = figure.axes[0].collections[0]
    low, high = cells.get_clim()
    assert (low + high) / 2 == pytest.approx(0.5)
    assert [label.get_text() for label in figure.axes[0].get_yticklabels()] == ["c", "b", "a"]
    assert cells.get_array()[0, 1] == pytest.approx(0.6)


@pytest.mark.parametrize("k", [2, 70])
def test_a_page_needs_nothing_else(k):
    rng = np.random.default_rng(k)
    labels = tuple(f"<r{i}> & $x$" for i in range(k))
    page = rankers_page(estimate_of(rng.integers(20, 80, (k, k)), labels=labels), rng.random(k))
    text = re.sub(r"base64,[^\"]*", "", page)
    assert "http" not in text and "<r0>" not in text
    assert not re.search(r'(src|href)="(?!#|data:)', page)
    assert "mean nDCG@10" in page and "name the same better ranker" in page


def test_a_page_lists_what_is_open_at_the_top(circle):
    page = rankers_page(circle, name="tiny", versions={"copeland": "1.2.3"}, command="copeland x")
    assert "a against b" in page or "b against a" in page
    assert "a &gt; b &gt; c &gt; a" in page
    assert "copeland 1.2.3" in page and "nDCG" not in page
    again = rankers_page(circle, name="tiny", versions={"copeland": "1.2.3"}, command="copeland x")
    assert page == again


@pytest.fixture(scope="module")
def rankers_folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("rankers")
    collection = synthetic(queries=20, documents=12, features=6, seed=2)
    letor.write(collection, folder / "train.txt")
    rules = Protocol(click_model("informational"), comparisons=2000)
    chosen = all_features(collection)[:3] + all_features(collection, descending=False)[:1]
    estimate(collection, chosen, rules, folder / "cells").save(folder / "m.npz")
    return folder


@pytest.fixture(autouse=True)
def no_cache(tmp_path, monkeypatch):
    monkeypatch.setenv("COPELAND_CACHE", str(tmp_path / "cache"))


def test_the_command_says_it_in_words(rankers_folder):
    done = run("rankers", "report", rankers_folder / "m.npz")
    said = " ".join(done.stdout.split())
    assert done.exit_code == 0
    assert "Copeland winner" in said and "Pairs not yet told apart" in said and "nDCG" not in said


def report_words(folder):
    return ("rankers", "report", folder / "m.npz", "--letor", folder / "train.txt")


def test_the_command_puts_ndcg_beside_it_and_writes_the_page(rankers_folder, tmp_path):
    pytest.importorskip("ir_measures")
    page = tmp_path / "out.html"
    words = (*report_words(rankers_folder), "--page", page)
    done = run(*words)
    said = " ".join(done.stdout.split())
    assert done.exit_code == 0
    assert "Highest mean nDCG@10: feature_1" in said and "name the same better ranker" in said
    assert "mean nDCG@10" in page.read_text()
    again = run(*words)
    assert again.exit_code == 2 and "--force" in again.stderr
    assert run(*words, "--force").exit_code == 0


def test_the_command_gives_json(rankers_folder):
    pytest.importorskip("ir_measures")
    told = json.loads(run(*report_words(rankers_folder), "--json").stdout)
    assert told["labels"] == ["feature_1", "feature_2", "feature_3", "-feature_1"]
    assert len(told["means"]) == 4 and told["means"][0] > told["means"][3]
    agreed = told["agreement"]
    assert agreed["pairs"] + agreed["tied"] == told["pairs"] == 6
    assert agreed["share"] >= 0.5


def refused(*words):
    done = run("rankers", "report", *words)
    assert done.exit_code == 2 and done.stdout == ""
    assert done.stderr.startswith("copeland: ") and done.stderr.count("\n") == 1
    return done.stderr


def test_bad_input_is_a_sentence(rankers_folder, tmp_path):
    for content in (b"", b"p\n1\n", (rankers_folder / "m.npz").read_bytes()[:300]):
        (tmp_path / "bad.npz").write_bytes(content)
        assert "not an estimate" in refused(tmp_path / "bad.npz")
    np.save(tmp_path / "bad.npy", np.eye(2))
    assert "not an estimate" in refused(tmp_path / "bad.npy")
    assert "not an estimate" in refused(tmp_path / "absent.npz")
    assert "rule 'halv'" in refused(rankers_folder / "m.npz", "--ties", "halv")
    assert "folder" in refused(rankers_folder / "m.npz", "--page", tmp_path / "no" / "page.html")
    assert "neither a feature of" in refused(
        _other_labels(rankers_folder, tmp_path), "--letor", rankers_folder / "train.txt"
    )


def _other_labels(rankers_folder, folder):
    found = Estimate.load(rankers_folder / "m.npz")
    Estimate(
        ("a", "b", "c", "d"),
        *(found.outcome, found.wins, found.ties, found.n, found.lead, found.spread),
    ).save(folder / "other.npz")
    return folder / "other.npz"
