"""The page of a live study."""

import re
from html.parser import HTMLParser
from itertools import combinations

import numpy as np
import pytest
from study_pages import said, study_with, text_of, undrawn, votes
from test_inert import old_study

from copeland.study import create_study
from copeland.study.report.study_page import judges_agreement, study_page
from copeland.study.results.analysis import Analysis
from copeland.study.results.history import history_of

pytestmark = pytest.mark.slow  # left out of `make fast`


def words_of(study, verdict=None):
    """A page without its figures."""
    with undrawn():
        return page_of(study, verdict)


def page_of(study, verdict=None, **about):
    standing, log = study.standing(), study.log()
    return study_page(
        Analysis(standing),
        verdict or said(),
        history_of(log, standing),
        judges_agreement(standing, log),
        **about,
    )


class Balanced(HTMLParser):
    """Fails where an element is closed that is not open."""

    VOID = ("meta", "link", "br", "hr", "img", "input")

    def __init__(self):
        super().__init__()
        self.open = []

    def handle_starttag(self, tag, attrs):
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


@pytest.fixture(scope="module")
def page(circle):
    return page_of(circle, last=0.0, made_with={"copeland": "1.2.3"}, command="copeland x 'a & b'")


def test_the_page_needs_nothing_from_elsewhere_and_is_well_formed(page):
    assert not re.search(r"https?:|<script|<link|@import|url\((?!#)|src=|\son\w+=", page)
    parser = Balanced()
    parser.feed(page)
    assert parser.open == []


def test_the_verdict_comes_first_in_its_own_words(circle):
    page = words_of(circle, said(advice=("Ask <more> people.",)))
    assert text_of(page).startswith(
        "soup A study of 5 options: 1,220 votes. Keep going Nobody knows yet. Proved Nothing is. "
        "Next Ask &lt;more&gt; people."
    )


@pytest.mark.quick
def test_the_page_has_every_section(page):
    assert re.findall(r"<h2>(.*?)</h2>", page) == [
        "Copeland scores",
        "Who beats whom",
        "Every pair",
        "How the proof grew",
        "Other ways to count",
        "Left and right",
        "Ranking",
        "Numbers",
        "What this rests on",
    ]


def test_figures_have_words_and_their_numbers_are_in_tables(page):
    alts = re.findall(r'role="img" aria-label="([^"]*)"', page)
    assert len(alts) == page.count("<svg") == 5
    assert "A 2 (1 to 3); B 2 (1 to 3)" in alts[0]
    assert "A to D: ahead. B to D: ahead." in alts[1]
    rows = [re.findall(r"<t[hd][^>]*>(.*?)</t[hd]>", row) for row in page.split("<tr>")]
    assert ["A against B", "200", "140", "60", "0", "70.0 %", "proved"] in rows
    assert ["E", "possible", "0", "0 to 3", "20", "0.0 %"] in [row[:6] for row in rows]


def test_the_chances_to_be_best_are_in_the_table_if_they_are_known(circle, page, monkeypatch):
    head = '<th scope="col">chance to be best</th>'
    assert head in page
    monkeypatch.setattr("copeland.study.results.measures.MOST_OPTIONS", 2)
    assert head not in words_of(circle)


def test_the_page_says_what_it_rests_on(page, circle):
    certificate = circle.standing().certificate
    words = text_of(page)
    assert certificate.digest in words and "copeland 1.2.3" in words
    assert "number 1,221, at 1970-01-01 00:00:00 UTC" in words
    assert "Which option is shown first is drawn at random" in words
    assert "copeland x &#39;a &amp; b&#39;" in words


def test_the_figures_are_in_the_letters_and_colours_of_the_page(page):
    figures = "".join(re.findall(r"<svg.*?</svg>", page, flags=re.DOTALL))
    assert "DejaVu" not in figures and "#24292f" not in figures
    assert ">A</text>" in figures and "var(--paper)" in figures


def test_the_pairs_that_would_settle_it_are_listed_with_their_votes(circle):
    reading = Analysis(circle.standing())
    with undrawn():
        page = text_of(study_page(reading, said(), history_of(circle.log(), circle.standing())))
    for need in reading.outlook.pairs:
        pair = f"{reading.names[need.first]} over {reading.names[need.second]}"
        won, met = reading.standing.wins, reading.n
        assert f"{pair} {won[need[:2]]} of {met[need[:2]]} {need.votes:,}" in page
    assert reading.outlook.pairs


def test_a_page_is_the_same_each_time(circle, page):
    again = page_of(circle, last=0.0, made_with={"copeland": "1.2.3"}, command="copeland x 'a & b'")
    assert again == page


def test_the_smallest_studies_have_a_page():
    page = page_of(create_study("empty", ["a", "b", "c"], voters="independent"))
    assert "0 votes" in page and "<svg" not in page
    study = create_study("soup", ["a", "b", "c"], voters="independent")
    study.tell(study.ask(voter="ann"), "skip")
    assert "1 skipped" in words_of(study)
    page = words_of(study_with("ab", votes("a", "b", 0, 0, 4)))
    assert "No vote has named a winner yet." in page and "even" in page
    assert "1 of 1 other" in words_of(study_with("ab", votes("a", "b", 3, 1)))


@pytest.mark.sampled(1)
@pytest.mark.slow
@pytest.mark.parametrize("k", [26, 60])
def test_many_options_have_a_page(k):
    rng = np.random.default_rng(k)
    names = [f"option number {i}" for i in range(k)]
    pairs = [sorted(rng.choice(k, 2, replace=False)) for _ in range(600)]
    rows = [
        {"left": names[i], "right": names[j], "outcome": "left" if rng.random() < 0.8 else "right"}
        for i, j in pairs
    ]
    page = page_of(study_with(names, rows))
    assert not re.search(r"https?:|<script", page)
    assert len(page) < 2_000_000


NASTY = [
    "<script>alert('x')</script>",
    "a very long name " * 12,
    "a very long name " * 11 + "that ends otherwise",
    "日本語の選択肢",
    "🍵 $tea_1$ & \\frac{",
    "turned \u202e around",
    "quotes \" and ' and\nlines",
]


def test_names_are_shown_as_text_whatever_is_in_them():
    study = old_study("soup", NASTY)
    for one, other in combinations(NASTY, 2):
        study.add_votes(votes(one, other, 3, 1))
    study.add_votes(votes(*NASTY[:2], 1, voter="<img src=x onerror=y>"))
    page = page_of(study, command="copeland '<script>'")
    assert "<script" not in page and "<img" not in page and "&lt;script&gt;" in page
    assert "\u202e" not in page and "日本語の選択肢" in page
    parser = Balanced()
    parser.feed(page)
    assert parser.open == []


def test_a_retired_option_is_marked_in_a_closed_study():
    study = study_with("abc", votes("a", "b", 3))
    study.retire_option("b")
    study.close()
    page = words_of(study)
    assert ">retired<" in page.replace(" ", "") and "possible, retired" not in page
    assert "Closed without a proof" in page


def test_judges_are_compared_where_they_voted_on_the_same():
    study = study_with("ab", votes("a", "b", 4, voter="ann"), votes("a", "b", 3, 1, voter="bob"))
    study.undo(
        study.votes(frame=True).query("voter == 'bob' and outcome == 'left'").event_id.iloc[0]
    )
    standing = study.standing()
    (pair,) = judges_agreement(standing, study.log()).pairs
    assert (pair.first, pair.second, pair.n) == ("ann", "bob", 3)
    page = words_of(study)
    assert "ann and bob" in page and "Every two voters" in page


def test_the_page_says_how_many_voters_and_pairs_of_them_it_leaves_out():
    rows = [row for i in range(15) for row in votes("a", "b", 1 + i, voter=f"v{i:02d}")]
    page = page_of(study_with("ab", rows))
    assert "3 more voters are not shown." in page
    assert "46 more pairs of voters are not shown." in page  # 20 of 66
    assert "Only the 12 voters with the most answers are compared, of 15." in page


def test_no_name_on_the_page_lacks_its_middle_and_figures_have_it_in_full():
    long = [f"A name that goes on for quite a while, version {i}" for i in range(3)]
    page = page_of(study_with(long, votes(long[0], long[1], 9), votes(long[1], long[2], 9)))
    for name in long:
        assert page.count(f"<title>{name}</title>") >= 4  # scores, box and its text, both edges
    for found in re.findall(r"[^<>]*…[^<>]*", page):
        assert re.search(r"…( \(\d\))?[^\w]", f"{found} "), found


def test_only_the_voters_with_the_most_votes_are_compared():
    rows = [row for i in range(30) for row in votes("a", "b", 1 + i, voter=f"v{i:02d}")]
    study = study_with("ab", rows)
    found = judges_agreement(study.standing(), study.log())
    compared = {judge for pair in found.pairs for judge in (pair.first, pair.second)}
    assert compared == {f"v{i}" for i in range(18, 30)}
    assert "10 with fewer answers are left out" in words_of(study)


def test_a_page_is_written_from_a_study(circle, tmp_path):
    path = circle.report(tmp_path / "report.html")
    assert path == tmp_path / "report.html"
    page = path.read_text("utf-8")
    assert page.startswith("<!doctype html>")
    assert Analysis(circle.standing()).verdict.claim in text_of(page)
    assert [file.name for file in tmp_path.iterdir()] == ["report.html"]
