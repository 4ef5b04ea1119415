"""What was at an earlier event is computed once, a few at a time, and holds up nobody who votes."""

import threading
from dataclasses import replace

import pytest
from fastapi import HTTPException
from web_client import vote

from copeland.web.cache import AT_ONCE, PastTexts
from copeland.web.pages import results


@pytest.fixture
def public(site):
    """A study whose results everybody may read, with a few events."""
    study = site.study(batch=5)
    site.server.store.save_page(replace(site.page(), results="live"))
    browser, page = site.voter()
    vote(browser, vote(browser, page))
    return study, f"/r/{site.page().slug}"


class Gate:
    """Work that begins, and ends when it is let go."""

    def __init__(self, work):
        self.work, self.calls = work, 0
        self.begun, self.go = threading.Semaphore(0), threading.Event()

    def __call__(self, *told, **more):
        self.calls += 1
        self.begun.release()
        assert self.go.wait(20)
        return self.work(*told, **more)


@pytest.mark.slow
def test_whoever_comes_when_enough_is_computed_is_asked_to_come_again(site, public, monkeypatch):
    study, path = public
    kept = site.browser().get(f"{path}@1")
    gate = Gate(results.analyse_past)
    monkeypatch.setattr(results, "analyse_past", gate)
    found = []
    readers = [
        threading.Thread(target=lambda n=n: found.append(site.browser().get(f"{path}@{n}")))
        for n in range(2, 2 + AT_ONCE)
    ]
    for reader in readers:
        reader.start()
        assert gate.begun.acquire(timeout=20)
    try:
        refused = site.browser().get(f"{path}@5")
        again = site.browser().get(f"{path}@1")
        page = site.voter()[1]
    finally:
        gate.go.set()
        for reader in readers:
            reader.join(20)
    assert refused.status_code == 503 and int(refused.headers["retry-after"]) > 0
    assert again.text == kept.text and page.status_code == 200
    assert [answer.status_code for answer in found] == [200] * AT_ONCE
    assert site.browser().get(f"{path}@5").status_code == 200 and gate.calls == AT_ONCE + 1
    assert study.number >= 5


@pytest.mark.slow
def test_old_results_are_computed_once(site, public, monkeypatch):
    _, path = public
    gate = Gate(results.analyse_past)
    gate.go.set()
    monkeypatch.setattr(results, "analyse_past", gate)
    assert len({site.browser().get(f"{path}@3").text for _ in range(3)}) == 1 == gate.calls


def test_a_question_that_was_changed_is_shown_on_old_results(site, public):
    _, path = public
    before = site.browser().get(f"{path}@3").text
    site.server.store.save_page(replace(site.page(), question="Which one now?"))
    assert (
        "Which one now?" not in before and "Which one now?" in site.browser().get(f"{path}@3").text
    )


def test_a_certificate_is_computed_once_and_waits_for_its_place(site, public, monkeypatch):
    study, _ = public
    gate = Gate(results.certificate_to_file)
    gate.go.set()
    monkeypatch.setattr(results, "certificate_to_file", gate)
    key, path = site.key("read"), "/api/v1/studies/tea/certificate?at=3"
    assert key.get(path).text == key.get(path).text and gate.calls == 1
    for _ in range(AT_ONCE):
        site.server.past._places.acquire()
    assert key.get(path).status_code == 200  # it is kept
    refused = key.get("/api/v1/studies/tea/certificate?at=2")
    assert refused.status_code == 503 and refused.headers["retry-after"]
    assert refused.json()["type"] == "/problems/unavailable" and study.number > 3


def test_a_place_is_free_again_after_a_failure():
    past = PastTexts(at_once=1)
    for _ in range(3):
        with pytest.raises(ZeroDivisionError):
            past.find("a", lambda: str(1 / 0))
    assert past.find("a", lambda: "text") == "text"


def test_there_is_no_more_than_a_place_for_each():
    past = PastTexts(at_once=1)

    def compute():
        with pytest.raises(HTTPException) as refused:
            past.find("b", lambda: "other")
        return f"{refused.value.status_code}"

    assert past.find("a", compute) == "503"


def test_what_was_read_last_is_kept_within_bounds():
    past = PastTexts(most=10)
    for key in ("a", "b", "a", "c"):  # so b was read least recently
        past.find(key, lambda key=key: key * 4)
    kept = [key for key in "abc" if past.find(key, lambda: "computed") != "computed"]
    assert kept[:1] == ["a"] and "b" not in kept
    assert past.find("large", lambda: "x" * 11) == "x" * 11 and len(past) == 0
