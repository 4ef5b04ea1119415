"""A panel on the web: exactly these people, each by a link of their own."""

import pytest
from web_client import asks, send, vote


@pytest.mark.slow
@pytest.mark.quick
def test_a_panel_votes_by_personal_links_until_it_is_settled(site):
    admin = site.admin()
    said = {"name": "jury", "pasted": "a one\nb two\nc three", "voters": "panel"}
    refused = send(admin, admin.get("/admin/new"), **said)
    assert refused.status_code == 422 and "one a line" in refused.text
    shared = send(admin, admin.get("/admin/new"), members="Ann\nBob\nCleo", **said)
    assert shared.url.path.endswith("/share") and "Cleo" in shared.text
    page = site.page("jury")
    study = site.server.study(page)
    links = site.server.store.links(page.study)
    assert [link.voter for link in links] == list(study.settings.panel) and len(links) == 3
    assert admin.get(f"/admin/s/{page.slug}").status_code == 200  # before the first answer
    for link in links:
        assert admin.get(f"/admin/s/{page.slug}/summary").status_code == 200
        browser, shown = site.voter(f"/v/{site.server.signer.link(link.nonce)}", name="jury")
        again = browser.get(shown.url.path)
        assert asks(shown) == asks(again)
        for _ in range(4):
            if asks(shown):
                first = shown.text.index("a one") if "a one" in shown.text else 9**9
                other = min(shown.text.find(t) for t in ("b two", "c three") if t in shown.text)
                shown = vote(browser, shown, "left" if first < other else "right")
    assert not asks(shown) and study.certificate().best == (0,)
    for path in ("", "/share", "/options", "/manage", "/summary", "/certificate.json"):
        assert admin.get(f"/admin/s/{page.slug}{path}").status_code == 200, path
    assert "Ann" not in "".join(map(str, study.log()))
    key = site.key("read", name="jury")
    assert key.get("/api/v1/studies/jury/results").json()["best"] == ["a one"]


def test_pairs_are_counted_as_members_meet_them(site):
    admin = site.admin()
    said = {"name": "jury", "pasted": "a one\nb two\nc three", "voters": "panel"}
    send(admin, admin.get("/admin/new"), members="Ann\nBob", **said)
    path = f"/admin/s/{site.page('jury').slug}"
    assert "1 of 3<" in admin.get(f"{path}/preview").text
    assert "3 at most" in admin.get(f"{path}/manage").text
