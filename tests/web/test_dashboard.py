"""What the dashboard says of the proof, of pairs and of events."""

import re

import pytest
from web_client import vote


def tiles(page):
    return dict(re.findall(r"<dt>([^<]+)</dt><dd>([^<]*)</dd>", page.text))


@pytest.fixture
def board(site):
    """A study with an admin, and a look at its numbers."""
    site.study()
    admin = site.admin()
    return admin, lambda: tiles(admin.get(f"/admin/s/{site.page().slug}/summary"))


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
