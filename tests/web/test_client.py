"""A study on a server is used as one at hand."""

import json
from inspect import signature

import pytest
from commands import run
from web_client import HOME, Site

from copeland import client
from copeland.errors import (
    AlreadyVoted,
    Conflict,
    InvalidParameter,
    InvalidVote,
    StorageError,
    StudyClosed,
    UnknownBallot,
    UnknownOption,
    UnknownStudy,
)
from copeland.study import Study
from copeland.study.any_study import AnyStudy


@pytest.fixture
def both():
    """The study, and the same one from afar."""
    site = Site()
    study = site.study(voters="independent")
    token = site.server.store.add_key(site.page().study, "far", ["ask", "tell", "read", "admin"])
    browser = site.browser(Authorization=f"Bearer {token}")
    browser.base_url = f"{HOME}/api/v1"
    return study, client.RemoteStudy("tea", browser)


def use(study):
    """What code does with either."""
    ballot = study.ask(voter="ann")
    vote = study.tell(ballot, "left", event_id="one")
    few = study.ask(n=2, available=["sencha-7", "bai-3"])
    study.tell(few[0], few[0].right)
    return ballot, vote, few


def test_both_have_the_signatures_of_any_study():
    for name in AnyStudy.__abstractmethods__:
        method = getattr(AnyStudy, name)
        if isinstance(method, property):
            continue
        wanted, at_hand = signature(method), signature(getattr(Study, name))
        assert signature(getattr(client.RemoteStudy, name)) == wanted, name
        if name == "add_option":  # at hand, it may also be an option as a whole, or have a file
            assert [*at_hand.parameters][:3] == [*wanted.parameters]
        else:
            assert at_hand == wanted, name


@pytest.mark.slow
def test_a_program_says_for_whom_it_asks_and_answers_its_own_ballots(both):
    study, far = both
    ballot = far.ask("ann", source="app 7")
    source = study.log()[-1].source
    assert source.startswith("key ") and source.endswith(" app 7")
    vote = far.tell(ballot, "left")
    far.undo(vote, "a slip", own=True)
    assert study.log()[-1].body == {"ballot": ballot.id, "reason": "a slip", "own": True}


@pytest.mark.quick
def test_the_same_code_runs_on_either(both):
    study, far = both
    (ballot, vote, few), near = use(far), Site().study(voters="independent")
    at_hand, kept, some = use(near)
    assert (ballot.left, ballot.right, ballot.voter) == (at_hand.left, at_hand.right, "ann")
    assert ballot.expires == pytest.approx(at_hand.expires, abs=1) and len(few) == len(some)
    assert vote._replace(event_id="", ballot=0, source=None) == kept._replace(event_id="", ballot=0)
    assert [v.outcome for v in study.votes()] == [v.outcome for v in near.votes()]


@pytest.mark.slow
def test_an_answer_may_be_sent_again(both):
    study, far = both
    ballot = far.ask()
    assert far.tell(ballot, "left", event_id="é") == far.tell(ballot, "left", event_id="é")
    with pytest.raises(Conflict):
        far.tell(ballot, "right", event_id="é")
    with pytest.raises(AlreadyVoted):
        far.tell(ballot, "left")
    assert len(study.votes()) == 1


def test_errors_are_those_of_a_study_at_hand(both):
    study, far = both
    with pytest.raises(UnknownBallot):
        far.tell(999, "left")
    with pytest.raises(UnknownOption):
        far.ask(available=["nothing"])
    with pytest.raises(InvalidParameter):
        far.ask(n=1000)
    with pytest.raises(InvalidVote):
        far.tell(far.ask(), "sideways")
    with pytest.raises(UnknownStudy):
        _ = client.RemoteStudy("other", far._http).options
    study.close()
    with pytest.raises(StudyClosed):
        far.ask()


@pytest.mark.slow
def test_a_ranking_is_the_same_on_either(both):
    study, far = both
    study.add_votes([{"winner": "bai-3", "loser": "assam-9", "n": 5}])  # bounds no strength
    for by in ("copeland", "borda", "strength"):
        assert far.ranking(by) == study.ranking(by)
        assert far.ranking(by).sentence == study.ranking(by).sentence
    with pytest.raises(InvalidParameter, match="'copeland', 'borda' or 'strength'"):
        far.ranking("wins")


@pytest.mark.slow
def test_an_admin_key_does_the_rest(both):
    study, far = both
    vote = far.tell(far.ask(), "left")
    far.undo(vote, "a robot")
    assert study.log()[-1].body["reason"] == "a robot"
    far.add_option("new one", "Fresh.")
    far.pause_option("new one")
    assert far.options[-1].state == "paused"
    far.resume_option("new one")
    far.retire_option("new one")
    assert far.results()["votes"] == 0 and '"study": "tea"' in far.certificate_file()
    far.close()
    assert far.closed and far.number == study.number


@pytest.mark.slow
def test_an_admin_key_edits_reopens_and_deletes(both):
    study, far = both
    assert far.edit_option("bai-3", "Softer.", source="ann")
    assert study.log()[-1].source.startswith("key ") and study.log()[-1].source.endswith(" ann")
    assert not far.edit_option("bai-3", "Softer.")
    assert far.edit_page(question="Which tea?", guidance="Think of lunch.", source="bo")
    assert study.log()[-1].source.endswith(" bo")
    assert not (far.edit_page() or far.edit_page(question="Which tea?"))
    edits = [event.body["part"] for event in study.log() if event.kind == "edited"]
    assert far.options[2].text == "Softer." and edits == ["text", "question", "guidance"]
    far.close()
    far.reopen("two were on holiday")
    assert not far.closed and study.log()[-1].body == {"reason": "two were on holiday"}
    with pytest.raises(InvalidParameter, match="nothing was deleted"):
        far.delete("te")
    far.delete("tea")
    assert study.storage.names() == []


@pytest.mark.slow
def test_an_admin_key_settles_what_voters_suggest(both):
    from copeland.web.ideas import Ideas

    study, far = both
    far.take_ideas()
    kept, key = Ideas(study.storage), study.storage.key("tea")
    mint, milk = (kept.add(key, "ann", text) for text in ("Mint tea", "Milk"))
    far.approve_idea(mint.id, name="mint")
    far.decline_idea(milk.id)
    assert [(one["state"], one["option"]) for one in far.ideas()] == [
        ("added", "mint"),
        ("declined", None),
    ]
    assert far.options[-1].name == "mint" and study.option("mint").text == "Mint tea"


def test_what_fails_on_the_way_is_tried_again_and_counts_once(both, monkeypatch):
    import httpx

    study, far = both
    monkeypatch.setattr(client, "PAUSE", 0.0)
    send, times = far._http.request, []

    def flaky(verb, path, **how):
        times.append(path)
        answer = send(verb, path, **how)
        if len(times) == 2:
            raise httpx.ReadError("the line is cut after the answer was kept")
        return answer

    far._http.request = flaky
    far.tell(far.ask(), "left")
    assert len(times) == 3 and len(study.votes()) == 1


def test_a_server_that_is_not_there_is_said(monkeypatch):
    monkeypatch.setattr(client, "PAUSE", 0.0)
    far = client.open_study("tea", "http://127.0.0.1:9", "cop_x")
    with pytest.raises(StorageError, match="does not answer"):
        far.ask()
    far.close_connection()
    monkeypatch.delenv(client.KEY, raising=False)
    with pytest.raises(InvalidParameter, match="COPELAND_KEY"):
        client.open_study("tea", "http://127.0.0.1:9")


def test_the_command_line_waits_until_it_ends(both, monkeypatch):
    study, far = both
    happens = [study.close]
    monkeypatch.setattr(client, "open_study", lambda name, url: far)
    monkeypatch.setattr("copeland.cli.study.results.time.sleep", lambda _seconds: happens.pop()())
    words = "study", "wait", "tea", "--server", HOME, "--json"
    done = run(*words)
    assert (done.exit_code, json.loads(done.stdout)["ended"]) == (1, "closed")
    study.reopen()
    proof = [{"winner": "assam-9", "loser": one} for one in ("bai-3", "sencha-7")]
    happens.append(lambda: study.add_votes(proof * 40))
    done = run(*words)
    told = json.loads(done.stdout)
    assert (done.exit_code, told["ended"], told["best"]) == (0, "proved", ["assam-9"])
    assert (told["votes"], told["number"]) == (80, study.number)
