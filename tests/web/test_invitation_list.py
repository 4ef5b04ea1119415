"""A CSV file of people comes in, and goes out with their links."""

import csv
import io

import pytest
from browsing import answer
from test_browser_owners import jury
from web_client import asks, send, vote

pytestmark = pytest.mark.slow  # left out of `make fast`

PEOPLE = "name,email\nAnn Miller,ann@example.org\nBob,\n"


def invite(site, content=PEOPLE, name="tea", **said):
    admin = site.admin()
    path = f"/admin/s/{site.page(name).slug}"
    files = {"csv": ("people.csv", content.encode(), "text/csv")} if content else None
    return send(admin, admin.get(f"{path}/share"), f"{path}/invite", files=files, **said)


def rows(answer):
    assert answer.status_code == 200, answer.text[:2000]
    assert "attachment" in answer.headers["content-disposition"]
    return list(csv.DictReader(io.StringIO(answer.text)))


def test_the_list_has_a_link_for_each_that_opens_as_that_person(site):
    study = site.study()
    found = rows(invite(site))
    assert [(one["name"], one["email"]) for one in found] == [
        *(("Ann Miller", "ann@example.org"), ("Bob", ""))
    ]
    browser, shown = site.voter(found[0]["link"].removeprefix("http://127.0.0.1:8000"))
    assert asks(shown)
    vote(browser, shown)
    links = site.server.store.links(site.page().study)
    assert study.votes()[0].voter == next(one.voter for one in links if one.label == "Ann Miller")


def test_the_same_file_gives_the_same_links_and_what_is_left(site):
    site.study()
    first = rows(invite(site))
    vote(*site.voter(first[1]["link"].removeprefix("http://127.0.0.1:8000")))
    again = rows(invite(site, f"{PEOPLE}Cleo,c@example.org\n"))
    assert [one["link"] for one in again[:2]] == [one["link"] for one in first]
    assert [(one["answers"], one["left"]) for one in again] == [("0", "3"), ("1", "2"), ("0", "3")]
    assert len(site.server.store.links(site.page().study)) == 3


def test_no_address_is_kept(site):
    site.study()
    invite(site)
    assert [one.label for one in site.server.store.links(site.page().study)] == [
        "Ann Miller",
        "Bob",
    ]
    kept = site.storage.transact(
        lambda connection: "\n".join(connection.connection.dbapi_connection.iterdump())
    )
    assert "Ann Miller" in kept and "ann@example.org" not in kept


@pytest.mark.quick
@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("name\nAnn\nAnn\n", "&#39;Ann&#39; is there 2 times"),
        ("", "Nobody is named"),
        ("name\n" + "".join(f"p{n}\n" for n in range(1001)), "1,001 names"),
    ],
)
def test_what_cannot_be_sent_to_is_refused(site, content, said):
    site.study()
    refused = invite(site, content)
    assert refused.status_code == 422 and said in refused.text
    assert site.server.store.links(site.page().study) == []


def test_a_jury_is_listed_and_takes_nobody_new(site):
    jury(site)
    assert len(rows(invite(site, "name\nBob\nAnn\n", "jury"))) == 2
    refused = invite(site, "name\nBob\nEve\n", "jury")
    assert refused.status_code == 422 and "Eve" in refused.text


def test_a_name_that_a_table_would_run_is_made_harmless(site):
    site.study()
    [row] = rows(invite(site, 'name,email\n=1+1,"=cmd()"\n'))
    assert not row["name"].startswith("=") and not row["email"].startswith("=")


@pytest.mark.sampled(1)
@pytest.mark.parametrize("scripts", [True, False])
def test_an_owner_gets_the_list_in_a_browser(live, somebody, scripts, tmp_path):
    study = live.study()
    path = tmp_path / "people.csv"
    path.write_text(PEOPLE)
    page = somebody(java_script_enabled=scripts).see_study("/share")
    page.set_input_files("[name=csv]", path)
    with page.expect_download() as download:
        page.get_by_role("button", name="Make links and download the list").click()
    [first, _] = csv.DictReader(io.StringIO(download.value.path().read_text()))
    answer(somebody().begin(first["link"]))
    assert len(study.votes()) == 1
