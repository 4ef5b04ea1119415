"""A study that ends tells one address, once, signed, however often the receiver fails, and no vote waits for it."""

import json
import socket
import threading
import time
from hashlib import sha256

import pytest
from commands import run, values
from receiver import receive
from web_client import Site, send, vote

from copeland.errors import InvalidParameter, StorageError
from copeland.study import Storage, create_study
from copeland.study.webhook_post import post_message, sign_message
from copeland.study.webhooks import DAY, Delivery, Webhook, Webhooks, check_hook_address
from copeland.web.ending_watch import EndingWatch

PROOF = [
    {"voter": f"v{i}", "winner": "assam-9", "loser": loser}
    for i in range(40)
    for loser in ("bai-3", "sencha-7")
]


class Told:
    """A study with a webhook, and the watch over it, which looks when it is told to."""

    def __init__(self, site, url):
        self.site, self.study = site, site.study()
        self.key = site.page().study
        self.hooks = Webhooks(site.storage, site.clock)
        self.hook = self.hooks.set(self.key, url, "http://127.0.0.1:8000")
        self.watch = EndingWatch(site.server)

    def look(self, watch=None):
        """Look once, and wait for what is sent."""
        watch = watch or self.watch
        watch.look()
        for thread in watch.send_due():
            thread.join()

    @property
    def sent(self):
        return self.hooks.deliveries(self.key)


def hmac_by_hand(secret, text):
    """HMAC-SHA256 as RFC 2104 writes it, without the module that the server uses."""
    key = secret if len(secret) <= 64 else sha256(secret).digest()
    key = key.ljust(64, b"\0")
    inner = sha256(bytes(one ^ 0x36 for one in key) + text).digest()
    return sha256(bytes(one ^ 0x5C for one in key) + inner).hexdigest()


@pytest.mark.slow
def test_a_receiver_that_fails_twice_gets_the_same_message_until_it_takes_it(site):
    with receive(503, 500) as receiver:
        told = Told(site, receiver.url)
        told.look()
        assert told.sent == [] and receiver.came == []  # nothing has ended
        told.study.add_votes(PROOF)
        told.look()
        assert (told.sent[0].state, told.sent[0].answer) == ("waiting", "503")
        told.look()
        assert len(receiver.came) == 1  # the pause goes on
        for seconds in (10, 30):
            site.clock.now += seconds
            told.look()
        assert (told.sent[0].state, told.sent[0].attempts) == ("sent", 3)
        site.clock.now += DAY
        told.look()
        assert len(receiver.came) == 3 and len(set(receiver.bodies)) == 1
        assert {headers["Copeland-Id"] for headers, _ in receiver.came} == {told.sent[0].id}


@pytest.mark.slow
def test_the_message_says_what_was_found(site):
    with receive() as receiver:
        told = Told(site, receiver.url)
        told.study.add_votes(PROOF)
        told.look()
        body = json.loads(receiver.bodies[0])
        verdict = told.study.verdict()
        assert body == {
            "id": told.sent[0].id,
            "event": "study.ended",
            "study": "tea",
            "ended": "proved",
            "verdict": "winner",
            "claim": verdict.claim,
            "winners": ["assam-9"],
            "leaders": ["assam-9"],
            "votes": 80,
            "closed": False,
            "number": told.study.number,
            "results": f"http://127.0.0.1:8000/admin/s/{site.page().slug}",
            "time": "2027-01-15T08:00:00Z",
        }


@pytest.mark.slow
def test_a_study_that_is_closed_without_a_proof_names_no_winner(site):
    with receive() as receiver:
        told = Told(site, receiver.url)
        told.study.close()
        told.look()
        body = json.loads(receiver.bodies[0])
        assert (body["ended"], body["winners"], body["verdict"]) == ("closed", [], "open")


@pytest.mark.quick
def test_the_signature_is_that_of_an_independent_computation(site):
    with receive(500) as receiver:
        told = Told(site, receiver.url)
        told.study.close()
        told.look()
        site.clock.now += 10
        told.look()
        for (headers, body), now in zip(receiver.came, (1_800_000_000, 1_800_000_010), strict=True):
            signed = hmac_by_hand(told.hook.secret.encode(), f"{now}.".encode() + body)
            assert headers["Copeland-Signature"] == f"t={now},v1={signed}"
    assert sign_message("k" * 80, "x", 7.9) == f"t=7,v1={hmac_by_hand(b'k' * 80, b'7.x')}"


@pytest.mark.slow
def test_proved_and_then_closed_is_one_ending_and_two_processes_tell_it_once(site):
    with receive() as receiver:
        told = Told(site, receiver.url)
        other = EndingWatch(Site(site.storage).server)
        told.study.add_votes(PROOF)
        told.watch.look()
        other.look()
        told.study.close()
        told.look(other)
        told.look()
        assert len(receiver.came) == 1 and len(told.sent) == 1


@pytest.mark.parametrize("kind", ["sqlite", pytest.param("postgres", marks=pytest.mark.slow)])
def test_many_at_once_keep_one_message_and_one_of_them_sends_it(storage_of, kind):
    first = storage_of(kind)
    study = create_study("tea", ["green", "black"], first)
    key = study.storage.key("tea")
    hook = Webhooks(first).set(key, "http://127.0.0.1:1/")
    ready, taken = threading.Barrier(6), []

    def end():
        hooks = Webhooks(first)
        ready.wait()
        hooks.note_end(key, hook, {"ended": "closed"})
        ready.wait()
        taken.extend(hooks.take_due(8))

    threads = [threading.Thread(target=end) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(Webhooks(first).deliveries(key)) == 1 == len(taken)
    assert Webhooks(first).deliveries(key)[0].attempts == 1


@pytest.mark.slow
def test_a_study_that_goes_on_and_ends_again_tells_that_too(site):
    with receive() as receiver:
        told = Told(site, receiver.url)
        told.study.add_votes(PROOF)
        told.look()
        told.study.add_option("oolong-1", "Half-oxidised.")
        told.look()
        assert len(receiver.came) == 1
        told.study.close()
        told.look()
        assert len(receiver.came) == 2
        assert len({json.loads(body)["id"] for body in receiver.bodies}) == 2


@pytest.mark.slow
def test_a_study_that_is_reopened_and_closed_again_tells_that_too(site):
    with receive() as receiver:
        told = Told(site, receiver.url)
        for change in (told.study.close, told.study.reopen, told.study.close):
            change()
            told.look()
        assert [json.loads(body)["ended"] for body in receiver.bodies] == ["closed", "closed"]


def test_a_study_that_is_deleted_leaves_no_webhook_to_a_later_one(site):
    told = Told(site, "http://127.0.0.1:1/")
    told.study.close()
    told.watch.look()
    site.server.delete(site.page())
    assert told.hooks.find_all() == {} and told.sent == []
    site.study("later").close()
    told.look()
    assert told.hooks.take_due(8) == []


@pytest.mark.slow
def test_one_study_that_cannot_be_read_keeps_no_other_from_telling(site, monkeypatch):
    with receive() as receiver:
        told = Told(site, receiver.url)
        site.study("broken")
        broken = site.page("broken").study
        told.hooks.set(broken, receiver.url)
        found = told.watch._describe_end

        def fail(study, hook):
            if study == broken:
                raise RuntimeError("damaged")
            return found(study, hook)

        monkeypatch.setattr(told.watch, "_describe_end", fail)
        told.study.close()
        told.look()
        assert [json.loads(body)["study"] for body in receiver.bodies] == ["tea"]


def test_a_storage_that_is_away_is_one_line_of_the_log_at_each_look(site, monkeypatch, caplog):
    watch = Told(site, "http://127.0.0.1:1/").watch

    def fail():
        site.server.ends.set()
        raise StorageError("it does not answer.")

    monkeypatch.setattr("copeland.web.ending_watch.EVERY", 0.0)
    monkeypatch.setattr(watch, "look", fail)
    watch.start().join(20)
    assert [(one.getMessage(), one.exc_info) for one in caplog.records] == [
        ("webhooks wait: it does not answer.", None)
    ]


@pytest.mark.slow
def test_a_server_that_restarts_goes_on_with_a_message(site):
    with receive(503) as receiver:
        told = Told(site, receiver.url)
        told.study.close()
        told.look()
        again = Site(site.storage)  # nothing else is left of the first
        again.clock.now = site.clock.now + 10
        told.look(EndingWatch(again.server))
        assert len(receiver.came) == 2 and told.sent[0].state == "sent"


@pytest.mark.slow
def test_a_server_that_dies_while_it_sends_sends_again(site):
    with receive() as receiver:
        told = Told(site, receiver.url)
        told.study.close()
        told.watch.look()
        assert len(told.hooks.take_due(8)) == 1  # and then nothing more is heard of it
        told.look()
        assert receiver.came == []
        site.clock.now += 60
        told.look()
        assert len(receiver.came) == 1 and told.sent[0].attempts == 2


@pytest.mark.slow
def test_a_dead_receiver_is_tried_for_a_day_with_growing_pauses(site):
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    told = Told(site, f"http://127.0.0.1:{port}/")
    told.study.close()
    begun, times = site.clock.now, []
    told.look()
    while told.sent[0].due is not None:
        times.append(told.sent[0].due - begun)
        site.clock.now = told.sent[0].due
        told.look()
    pauses = [b - a for a, b in zip([0, *times], times, strict=False)]
    assert pauses == sorted(pauses) and pauses[:3] == [10, 30, 90]
    assert DAY - 4 * 3600 <= times[-1] < DAY
    assert (told.sent[0].state, told.sent[0].attempts) == ("given up", len(times) + 1)
    assert told.sent[0].answer == "Connection refused"


@pytest.mark.slow
def test_a_receiver_that_leads_elsewhere_is_not_followed(site):
    with receive(302) as receiver:
        told = Told(site, receiver.url)
        told.study.close()
        told.look()
        assert len(receiver.came) == 1 and told.sent[0].state == "waiting"
        assert told.sent[0].answer.startswith("302")


@pytest.mark.slow
def test_a_vote_is_not_slowed_by_a_receiver_that_never_answers(site):
    with socket.create_server(("127.0.0.1", 0)) as silent:  # it takes connections, and says nothing
        told = Told(site, f"http://127.0.0.1:{silent.getsockname()[1]}/")
        browser, page = site.voter()
        page = vote(browser, page)  # what is loaded once is loaded
        told.study.add_votes(PROOF)
        told.watch.look()
        begun = time.perf_counter()
        threads = told.watch.send_due()
        assert time.perf_counter() - begun < 1.0
        page = vote(browser, page)
        assert page.status_code == 200 and time.perf_counter() - begun < 5.0
        assert threads[
            0
        ].is_alive()  # the message is still on its way: its receiver may be silent for 10 s
        assert told.study.standing().votes == 82


@pytest.mark.slow
def test_a_receiver_that_says_a_byte_now_and_then_is_left(monkeypatch):
    monkeypatch.setattr("copeland.study.webhook_post.LONGEST", 0.3)
    hook = Webhook("a", "", "s", 0.0)
    with socket.create_server(("127.0.0.1", 0)) as slow:

        def drip():
            taken, _ = slow.accept()
            with taken:
                try:
                    for one in b"HTTP/1.1 200 OK" + b"!" * 200:
                        taken.send(bytes([one]))
                        time.sleep(0.05)
                except OSError:
                    pass

        threading.Thread(target=drip, daemon=True).start()
        url = f"http://127.0.0.1:{slow.getsockname()[1]}/"
        begun = time.perf_counter()
        outcome = post_message(
            Webhook(**{**vars(hook), "url": url}), Delivery("m", "{}", 0.0, 0.0), 0.0
        )
        assert not outcome.is_taken and time.perf_counter() - begun < 3


@pytest.mark.sampled(10)
@pytest.mark.parametrize(
    "url",
    [
        *("", "ftp://x.org/", "javascript:alert(1)", "https://", "https:///x", "/hook", "x.org"),
        *("https://me:word@x.org/", "https://x.org/a b", "https://x.org/\n#x", "https://x.org/é"),
        *(
            "https://x.org:99999/",
            "https://x.org\\@y.org/",
            "https://[x/",
            "https://x.org/" + "a" * 2000,
        ),
    ],
)
def test_what_is_no_address_is_refused(url):
    with pytest.raises(InvalidParameter, match="address of the webhook"):
        check_hook_address(url)


@pytest.mark.slow
def test_the_owner_sets_it_sees_the_secret_once_and_what_became_of_messages(site):
    with receive(503) as receiver:
        study = site.study()
        admin, path = site.admin(), f"/admin/s/{site.page().slug}"
        page = admin.get(f"{path}/manage")
        page = send(admin, page, f"{path}/webhook", does="set", url=receiver.url)
        hook = Webhooks(site.storage).find(site.page().study)
        assert hook is not None
        assert hook.secret in page.text and hook.secret not in admin.get(f"{path}/manage").text
        study.close()
        watch = EndingWatch(site.server)
        watch.look()
        for thread in watch.send_due():
            thread.join()
        page = admin.get(f"{path}/manage")
        assert all(
            one in page.text for one in ("waiting", "<td>503</td>", "2027-01-15 08:00:10 UTC")
        )
        send(admin, page, f"{path}/webhook", does="remove")
        assert Webhooks(site.storage).find(site.page().study) is None
        wrong = send(admin, page, f"{path}/webhook", does="set", url="javascript:alert(1)")
        assert wrong.status_code == 422 and "The address of the webhook is" in wrong.text


@pytest.mark.slow
def test_a_program_sets_it_with_a_key_for_admins_alone(site):
    site.study()
    path, body = "/api/v1/studies/tea/webhook", {"url": "https://ci.example.org/x"}
    program = site.key("ask", "tell", "read")
    assert [program.get(path).status_code, program.put(path, json=body).status_code] == [403, 403]
    program = site.key("admin")
    assert program.get(path).json() == {"url": None, "secret": None, "deliveries": []}
    secret = program.put(path, json=body).json()["secret"]
    kept = Webhooks(site.storage).find(site.page().study)
    assert kept is not None and kept.secret == secret
    assert program.get(path).json() == {**body, "secret": None, "deliveries": []}
    refused = program.put(path, json={"url": "file:///etc/passwd"})
    assert refused.status_code == 422 and "in full" in refused.json()["detail"]
    assert program.delete(path).status_code == 204 and program.get(path).json()["url"] is None


@pytest.mark.slow
def test_the_command_line_sets_it_and_a_server_of_the_same_storage_sends(tmp_path):
    storage = f"sqlite:///{tmp_path}/votes.db"
    run("study", "create", "tea", "-o", "green", "-o", "black", "--storage", storage)
    with receive() as receiver:
        told = values("study", "hook", "tea", "--url", receiver.url, "--storage", storage)
        assert told["secret"].startswith("whsec_")
        run("study", "close", "tea", "--storage", storage)
        site = Site(Storage(storage))
        watch = EndingWatch(site.server)
        watch.look()
        for thread in watch.send_due():
            thread.join()
        assert json.loads(receiver.bodies[0])["results"] is None  # nobody said how to reach it
        said = run("study", "hook", "tea", "--storage", storage)
        assert "sent after 1 attempt, last answer: 200" in said.output
        run("study", "hook", "tea", "--remove", "--storage", storage)
        assert values("study", "hook", "tea", "--storage", storage)["url"] is None


@pytest.mark.slow
def test_a_running_server_looks_by_itself(site, monkeypatch):
    monkeypatch.setattr("copeland.web.ending_watch.EVERY", 0.01)
    monkeypatch.setattr("copeland.web.app.warm", lambda: None)
    with receive() as receiver:
        told = Told(site, receiver.url)
        with site.browser():  # for as long as the server runs
            told.study.close()
            patience = time.monotonic() + 20
            while not (told.sent and told.sent[0].sent) and time.monotonic() < patience:
                time.sleep(0.01)
        assert len(receiver.came) == 1 and told.sent[0].state == "sent"
    assert site.server.ends.is_set()
