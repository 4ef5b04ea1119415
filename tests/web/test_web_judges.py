"""Studies that judges decide, on pages."""

from html import unescape

from fake_chat import FakeChat, says

from copeland.study.judges import ChatJudge, Reasoned, judge_study


def test_where_judges_decide_no_visitor_votes_and_the_page_says_how_to_start_one(site):
    study = site.study("tea; rm", voters="judge", cases=2)
    assert study.visitors.following("ann") is None
    page = unescape(site.admin().get(f"/admin/s/{site.page('tea; rm').slug}/share").text)
    assert "Judges decide this study" in page and "Make an open link" not in page
    command = "copeland study judge 'tea; rm' --storage memory --items FILE --model MODEL"
    assert command in page


def test_money_spent_on_judges_is_on_the_dashboard(site):
    study = site.study(voters="judge")
    with FakeChat(says("left")) as chat:
        priced = {"prices": (1e6, 1e6), "options": {"max_tokens": 16}}
        judge = ChatJudge("m", url=chat.url, key_variable=None, **priced)
        judge_study(study, [judge], calls=4, cost=1e9)
    assert study.spent.cost > 0
    board = site.admin().get(f"/admin/s/{site.page().slug}/summary")
    assert "spent on judges" in board.text


def test_the_reasons_of_judges_are_in_the_log_and_on_no_page_of_results(site):
    study = site.study(page={"results": "live"}, voters="judge", cases=3)
    why = iter(["because of the vowels", "as it rhymes", "for its scent", "for its scent"])
    judge = {"ann": lambda *_: Reasoned("left", next(why))}
    judge_study(study, judge, items=["q1", "q2", "q3"], calls=2)
    judge_study(study, judge, items=["q1", "q2", "q3"], swap="confirm", calls=2)
    slug = site.page().slug
    results = site.browser().get(f"/r/{slug}")
    votes = site.admin().get(f"/admin/s/{slug}/votes.csv").text
    assert results.status_code == 200 and "because of the vowels" in votes
    assert not any(word in results.text for word in ("vowels", "rhymes", "scent"))
    assert site.server.store.votes_by_source(study._key) == {"judge": study.standing().votes}
    assert "from judges (" in site.admin().get(f"/admin/s/{slug}/certificate.json").text
