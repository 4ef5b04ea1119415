"""Several questions on the same pair: each answer is a vote of its own study, and all studies are asked the same pairs."""

import re
from itertools import count

import pytest
from test_admin import png
from web_client import send

from copeland.study import Study, copy_study
from copeland.web import sessions
from copeland.web.pages.dashboard import arrivals
from copeland.web.presentation import digest_of

pytestmark = pytest.mark.usefixtures("few_worlds")
FORM = {
    "name": "tea",
    "question": "Which is clearer?",
    "further": "Which would you buy?\nWhich is shorter?",
    "pasted": "Grassy and bright.\nMalty and strong.\nSoft, a little sweet.\nDark and smooth.",
    "per_voter": "4",
    "voters": "people",
    "ties": "on",
}
NAMES = ("tea", "tea (2)", "tea (3)")


def create(site, **said):
    admin = site.admin()
    return send(admin, admin.get("/admin/new"), **{**FORM, **said})


def studies(site):
    return [site.server.study(site.page(name)) for name in NAMES if site.page(name)]


def begin(site, link=None):
    browser = site.browser()
    return browser, send(browser, browser.get(link or open_link(site)))


def open_link(site):
    (made,) = site.server.store.links(site.page().study)
    return f"/v/{site.server.signer.link(made.nonce)}"


def tokens(page):
    return dict(re.findall(r'name="ballot-([^"]+)" value="([^"]+)"', page.text))


def answer(browser, page, *outcomes):
    """Answer the questions of a page in their order; the last outcome is for those that are left."""
    given = tokens(page)
    said = {f"ballot-{slug}": token for slug, token in given.items()}
    for n, slug in enumerate(given):
        said[f"outcome-{slug}"] = outcomes[min(n, len(outcomes) - 1)]
    return send(browser, page, **said)


def asked(study):
    return [(e.voter, e.left, e.right) for e in study.log() if e.kind == "asked"]


def given(study):
    return [vote.outcome for vote in study.votes() if not vote.undone]


@pytest.mark.slow
def test_one_pair_has_all_questions_and_each_answer_is_a_vote_of_its_own_study(site):
    assert create(site).status_code == 200
    browser, page = begin(site)
    assert page.url.path == f"/questions/{site.page().slug}"
    assert re.findall(r"<legend>(.*?)</legend>", page.text) == [
        *("Which is clearer?", "Which would you buy?"),
        "Which is shorter?",
    ]
    for _ in range(4):
        page = answer(browser, page, "left", "right", "tie")
    assert "Your pairs are done" in page.text
    first, second, third = studies(site)
    assert (given(first), given(second), given(third)) == (["left"] * 4, ["right"] * 4, ["tie"] * 4)
    assert asked(first) == asked(second) == asked(third) and len(asked(first)) == 4
    for study in (first, second, third):
        assert study.replay() == study.state()


@pytest.mark.slow
def test_all_votes_of_a_newcomer_count_for_the_proof_of_every_study(site):
    create(site)
    for _ in range(3):
        browser, page = begin(site)
        for _ in range(4):
            page = answer(browser, page, "left")
    for study in studies(site):
        assert study.standing().certificate.votes == 12
        assert not any((vote.body or {}).get("proves") is False for vote in study.log())


@pytest.mark.slow
def test_which_study_chooses_is_drawn_by_the_visitor(site, monkeypatch):
    create(site, per_voter="1")
    plain, chose = Study.following, []

    def following(study, voter, item=None, available=None, *rest):
        if available is None:
            chose.append(study.name)
        return plain(study, voter, item, available, *rest)

    monkeypatch.setattr(Study, "following", following)
    numbers = count()
    monkeypatch.setattr(sessions.secrets, "token_hex", lambda n: f"{next(numbers):0{2 * n}x}")
    for _ in range(20):
        begin(site)
    assert len(chose) == 20 and set(chose) == set(NAMES)


@pytest.mark.slow
def test_a_question_without_an_answer_is_asked_again_and_nothing_is_kept(site):
    create(site)
    browser, page = begin(site)
    slug, token = next(iter(tokens(page).items()))
    every = {f"ballot-{s}": t for s, t in tokens(page).items()}
    refused = send(browser, page, **every, **{f"outcome-{slug}": "left"})
    assert refused.status_code == 422 and "Answer every question" in refused.text
    assert [given(study) for study in studies(site)] == [[], [], []]
    assert tokens(refused)[slug] == token


@pytest.mark.slow
def test_the_same_form_twice_counts_once_and_a_reload_shows_the_same_pair(site):
    create(site)
    browser, page = begin(site)
    assert tokens(browser.get(page.url.path)) == tokens(page)
    answer(browser, page, "left")
    answer(browser, page, "right")
    assert [given(study) for study in studies(site)] == [["left"]] * 3


@pytest.mark.slow
def test_the_last_answers_are_taken_back_in_every_study(site):
    create(site)
    browser, page = begin(site)
    after = answer(browser, page, "left")
    again = send(browser, after, f"{page.url.path}/undo")
    assert [given(study) for study in studies(site)] == [[], [], []]
    answer(browser, again, "right")
    assert [given(study) for study in studies(site)] == [["right"]] * 3
    pairs = [{(v.left, v.right) for v in study.votes()} for study in studies(site)]
    assert all(len(pair) == 1 for pair in pairs)


@pytest.mark.slow
def test_a_closed_or_paused_study_leaves_its_question_out(site):
    create(site)
    studies(site)[1].close()
    browser, page = begin(site)
    assert "Which would you buy?" not in page.text and len(tokens(page)) == 2
    answer(browser, page, "left")
    assert [len(given(study)) for study in studies(site)] == [1, 0, 1]
    for study in (studies(site)[0], studies(site)[2]):
        study.close()
    assert "The voting has ended" in browser.get(page.url.path).text


@pytest.mark.slow
def test_who_has_answered_is_dealt_nothing_in_a_study_that_opens_later(site):
    create(site)
    studies(site)[1].close()
    browser, page = begin(site)
    page = answer(browser, page, "left")
    studies(site)[1].reopen()
    page = browser.get(page.url.path)
    assert len(tokens(page)) == 2 and asked(studies(site)[1]) == []


@pytest.mark.slow
def test_a_decided_study_asks_no_more_and_the_others_go_on(site):
    create(site, voters="independent", pasted="One.\nTwo.", further="Which would you buy?")
    first, second = studies(site)
    first.add_votes([{"winner": "One.", "loser": "Two.", "n": 60}])
    assert first.certificate().decided and not second.certificate().decided
    browser, page = begin(site)
    assert "Which would you buy?" in page.text and "Which is clearer?" not in page.text
    answer(browser, page, "left")
    assert len(given(second)) == 1


@pytest.mark.slow
def test_a_form_that_stopped_half_way_shows_the_questions_that_are_left(site):
    create(site)
    browser, page = begin(site)
    slug, token = next(iter(tokens(page).items()))
    rest = send(browser, page, **{f"ballot-{slug}": token, f"outcome-{slug}": "left"})
    assert slug not in tokens(rest) and len(tokens(rest)) == 2
    page = answer(browser, rest, "right")
    assert len(tokens(page)) == 3
    assert [given(study) for study in studies(site)] == [["left"], ["right"], ["right"]]


@pytest.mark.slow
def test_independent_visitors_get_one_pair_after_the_other(site):
    create(site, voters="independent", per_voter="3")
    browser, page = begin(site)
    for _ in range(3):
        page = answer(browser, page, "left")
    assert "Your pairs are done" in page.text
    assert [len(given(study)) for study in studies(site)] == [3, 3, 3]
    assert len({tuple(asked(study)) for study in studies(site)}) == 1


@pytest.mark.slow
def test_options_are_changed_for_all_questions_together(site):
    create(site)
    admin = site.admin()
    path = f"/admin/s/{site.page().slug}/options"
    name = studies(site)[0].options[0].name
    page = admin.get(path)
    assert "Which would you buy?" in page.text and "Ideas from voters" not in page.text
    send(admin, page, path, does="edit", option=name, text="New words.")
    send(admin, page, path, does="add", option="more", text="More.")
    send(admin, page, path, does="pause", option="more")
    key = site.key("admin")
    key.post("/api/v1/studies/tea (2)/options", json={"name": "x", "text": "X."})
    key = site.key("admin", name="tea (2)")
    key.post("/api/v1/studies/tea (2)/options", json={"name": "y", "text": "Y."})
    for study in studies(site):
        assert study.options[0].text == "New words." and study.option("more").state == "paused"
        assert [option.name for option in study.options][-1] == "y" and len(study.options) == 6


@pytest.mark.slow
def test_the_pages_of_the_owner_lead_from_one_question_to_the_others(site):
    create(site)
    for name in NAMES:
        page = site.admin().get(f"/admin/s/{site.page(name).slug}").text
        others = [site.page(other).slug for other in NAMES if other != name]
        assert all(f'href="/admin/s/{slug}"' in page for slug in others)


@pytest.mark.slow
def test_every_study_knows_by_which_link_its_votes_came(site):
    create(site)
    browser, page = begin(site)
    answer(browser, page, "left")
    said = [
        arrivals(site.server, site.page(name), study.number)
        for name, study in zip(NAMES, studies(site), strict=True)
    ]
    assert said[0] and said[0] == said[1] == said[2]


@pytest.mark.slow
def test_every_log_says_which_questions_its_voters_saw(site):
    create(site)
    begin(site)
    key = site.key("read", name="tea (2)")
    shown = key.get("/api/v1/studies/tea (2)/page")
    assert shown.json()["question"] == "Which would you buy?"
    assert shown.json()["questions"][::2] == ["Which is clearer?", "Which is shorter?"]
    last = [event for event in studies(site)[1].log() if event.kind == "presented"][-1]
    assert last.body["digest"] == digest_of(shown.text)


@pytest.mark.slow
def test_a_copy_and_what_is_left_after_deleting_stand_alone(site):
    create(site, further="Which would you buy?")
    copy_study("tea", "again", site.storage)
    assert site.page("again").linked == [] and site.page("again").group == ""
    site.server.delete(site.page("tea (2)"))
    browser, page = begin(site)
    page = answer(browser, page, "left")
    assert len(tokens(page)) == 1 and given(site.server.study(site.page())) == ["left"]


@pytest.mark.slow
def test_the_start_page_lists_the_questions_and_shows_no_name(site):
    create(site)
    start = site.browser().get(open_link(site)).text
    assert "3 questions on each pair" in start and "Which is shorter?" in start
    browser, page = begin(site)
    assert "tea (2)" not in page.text and "<title>Which is clearer?" in page.text
    assert browser.get(f"/vote/{site.page().slug}").url.path.startswith("/questions/")


@pytest.mark.slow
def test_images_are_shown_to_their_voter_alone(site):
    files = [("images", (f"{n}.png", png((n, 9, 9)), "image/png")) for n in (1, 2)]
    admin = site.admin()
    said = {**FORM, "pasted": "", "further": "Which would you buy?", "per_voter": "1"}
    form = send(admin, admin.get("/admin/new"), files=files, **said)
    digests = re.findall(r'name="image_digest" value="([^"]+)"', form.text)
    data = {**said, "csrf": re.search(r'name="csrf" value="([^"]+)"', form.text)[1]}
    data |= {"image_digest": digests, "image_name": ["a", "b"], "image_alt": ["One.", "Two."]}
    assert admin.post("/admin/new", data=data).status_code == 200
    browser, page = begin(site)
    (one, other) = re.findall(r'<img src="([^"]+)"', page.text)
    assert browser.get(one).headers["content-type"].startswith("image/")
    assert browser.get(one).content != browser.get(other).content
    assert site.browser().get(one).status_code == 404
    stranger, _ = begin(site)
    assert stranger.get(one).status_code == 404
    answer(browser, page, "left")
    assert given(site.server.study(site.page("tea (2)"))) == ["left"]


@pytest.mark.parametrize(
    ("said", "why"),
    [
        ({"voters": "panel", "members": "Ann\nBob"}, "people from a larger group"),
        ({"voters": "judge"}, "people from a larger group"),
        ({"known": "good\n---\nbad"}, "without items, checks"),
        ({"ideas": "on"}, "without items, checks"),
        ({"further": "a\nb\nc\nd\ne"}, "5 questions in all"),
        ({"further": "x" * 301}, "it may have 300"),
    ],
)
def test_what_cannot_be_asked_together_is_refused(site, said, why):
    refused = create(site, **said)
    assert refused.status_code == 422 and why in refused.text and site.storage.names() == []


def test_a_name_that_is_taken_creates_nothing(site):
    site.study("tea (3)")
    refused = create(site)
    assert refused.status_code == 422 and "choose another name" in refused.text
    assert site.storage.names() == ["tea (3)"]


@pytest.mark.slow
def test_another_site_cannot_answer(site):
    create(site)
    browser, page = begin(site)
    forged = {"Sec-Fetch-Site": "cross-site"}
    said = {f"ballot-{s}": t for s, t in tokens(page).items()}
    said |= {f"outcome-{s}": "left" for s in tokens(page)}
    assert send(browser, page, headers=forged, **said).status_code == 403
    wrong = {key: "nonsense" if key.startswith("outcome") else one for key, one in said.items()}
    assert send(browser, page, **wrong).status_code == 400
    other, _ = begin(site)
    assert send(other, page, **said).status_code in (403, 404)
    assert [given(study) for study in studies(site)] == [[], [], []]
