"""Studies that judges decide, on pages."""

from html import unescape

from fake_chat import FakeChat, says

from copeland.study.judges import ChatJudge, judge_study


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
