"""What answers cost, and how much of the proof they bought."""

import re

import pytest
from web_client import send, vote


def tiles(page):
    return dict(re.findall(r"<dt>([^<]+)</dt><dd>([^<]*)</dd>", page.text))


def pay(site, admin, **said):
    path = f"/admin/s/{site.page().slug}/manage"
    return send(admin, admin.get(path), path, does="money", **said)


@pytest.fixture
def board(site):
    """A study with an admin, and a look at its numbers."""
    site.study()
    admin = site.admin()
    return admin, lambda: tiles(admin.get(f"/admin/s/{site.page().slug}/summary"))


@pytest.mark.slow
def test_answers_are_paid_skips_and_those_taken_back_too(site, board):
    admin, numbers = board
    pay(site, admin, price="0.25", budget="20", currency="EUR")
    browser, page = site.voter()
    page = vote(browser, page)
    page = vote(browser, page, "skip")
    send(browser, page, f"{page.url.path}/undo")
    told = numbers()
    assert told["EUR spent, about"] == "0.50" and told["EUR left of the budget"] == "19.50"
    needed = site.server.analyses(site.page()).latest().reading.remaining
    assert told["votes left"] == needed.words
    low, high = (
        f"over {needed.most / 4:,.2f}" if n is None else f"{n / 4:,.2f}"
        for n in (needed.low, needed.high)
    )
    assert told["EUR still needed, about"] == f"{low} to {high}"


def test_without_a_price_no_money_is_spoken_of(board):
    _, numbers = board
    assert not any("budget" in name or "spent" in name for name in numbers())


@pytest.mark.parametrize("price", ["-1", "nan", "much", "1e30"])
def test_what_is_no_price_is_refused_and_changes_nothing(site, board, price):
    answer = pay(site, board[0], price=price)
    assert answer.status_code == 422 and 'role="alert"' in answer.text
    assert site.page().price == 0


@pytest.mark.slow
def test_the_share_of_the_proof_grows_to_all_of_it(site, board):
    _, numbers = board
    before = numbers()["proof done"]
    study = site.server.study(site.page())
    rows = [
        {"voter": f"v{i}", "winner": "assam-9", "loser": loser}
        for i in range(40)
        for loser in ("bai-3", "sencha-7")
    ]
    study.add_votes(rows[:20])
    halfway = numbers()["proof done"]
    study.add_votes(rows[20:])
    after = [int(share.removesuffix(" %")) for share in (before, halfway, numbers()["proof done"])]
    assert after[0] == 0 < after[1] < after[2] == 100


def test_the_dashboard_says_what_the_share_of_the_proof_counts(site, board):
    page = board[0].get(f"/admin/s/{site.page().slug}/summary")
    assert "share of the evidence that a proof needs, not of the votes" in page.text


@pytest.mark.slow
def test_the_admin_reads_why_a_pair_is_asked(site, board):
    vote(*site.voter())
    page = board[0].get(f"/admin/s/{site.page().slug}/summary")
    assert re.search(r"Asked: .*<em>\(to prove .* over .*, about \d+ votes?\)</em>", page.text)


def test_a_voter_without_scripts_reads_why_and_learns_nothing(site):
    site.study()
    _, page = site.voter()
    assert "Why this pair?" in page.text and "to prove" not in page.text
