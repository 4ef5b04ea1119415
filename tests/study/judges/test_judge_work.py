"""Judges at work on a study: ballots asked for, judged and told, within caps, until there is a reason to stop."""

import threading
import time

import pytest
from tiny_study import TinyStudy, always_left, first_by_name, program

from copeland.errors import AlreadyVoted, InvalidParameter, StorageError, UnknownName
from copeland.study import Wait, create_study
from copeland.study.judges import CommandJudge, judge_study, sleep_until
from copeland.study.judges.call import ask_judge
from copeland.support.escaping import inert


def test_a_function_votes_in_its_name_until_nothing_is_left_to_ask():
    study = TinyStudy(enough=10)
    done = judge_study(study, first_by_name)
    assert (done.votes, done.calls, done.errors, done.reason) == (10, 10, 0, "finished")
    assert all(
        getattr(told.ballot, told.outcome) == min(told.ballot.left, told.ballot.right)
        for told in study.votes
    )
    study = TinyStudy(enough=2)
    judge_study(study, {"ann": first_by_name, "bob": always_left})
    assert study.voters == {"ann": 1, "bob": 1}


@pytest.mark.parametrize("said", ["LEFT", " left\n", "Left."])
def test_case_and_punctuation_of_an_outcome_do_not_matter(said):
    assert ask_judge(lambda *_: said, "a", "b", None).outcome == "left"


@pytest.mark.parametrize("said", ["lefty", "left right", "", None, True, 1, "error"])
def test_anything_but_an_outcome_is_an_error_and_never_a_tie(said):
    assert ask_judge(lambda *_: said, "a", "b", None).outcome == "error"


def test_a_skip_is_told_and_is_no_vote():
    study = TinyStudy(enough=1)
    answers = iter(["skip", "left"])
    done = judge_study(study, lambda *_: next(answers))
    assert (done.skips, done.votes, study.outcomes) == (1, 1, ["skip", "left"])


def test_a_failure_is_told_as_an_error_and_the_study_goes_on():
    study = TinyStudy(enough=2)
    answers = iter([RuntimeError("busy"), "tie", "both_bad"])

    def moody(*_):
        answer = next(answers)
        if isinstance(answer, Exception):
            raise answer
        return answer

    heard = []
    done = judge_study(study, moody, progress=heard.append)
    assert study.outcomes == ["error", "tie", "both_bad"]
    assert (done.errors, done.votes, heard[0].note) == (1, 2, "busy")
    assert [told.source for told in study.events.values()] == ["judge: busy", "judge", "judge"]


def test_failures_in_a_row_stop_the_work_with_one_sentence():
    def broken(*_):
        raise ValueError("the lamp is out")

    study = TinyStudy()
    done = judge_study(study, {"good": first_by_name, "broken": broken}, patience=3)
    assert done.reason == "failed"
    assert (
        done.stopped == "the judge 'broken' failed 3 times in a row; the last time: the lamp is out"
    )
    assert done.errors == 3


def test_a_success_in_between_ends_a_row_of_failures():
    answers = iter(["", "", "left"] * 4)
    done = judge_study(TinyStudy(enough=4), lambda *_: next(answers), patience=3)
    assert (done.reason, done.errors) == ("finished", 8)


@pytest.mark.parametrize(
    ("wrong", "error", "sentence"),
    [
        ({"judges": []}, InvalidParameter, "at least one"),
        ({"judges": [always_left, always_left]}, InvalidParameter, "different names"),
        ({"judges": {"ann": 3}}, InvalidParameter, "'ann' cannot be called"),
        ({"swap": "confrim"}, UnknownName, "did you mean 'confirm'"),
        ({"calls": 0}, InvalidParameter, "calls is 0"),
        ({"workers": 0}, InvalidParameter, "workers is 0"),
        ({"cost": 0}, InvalidParameter, "cap on cost is 0"),
        ({"items": []}, InvalidParameter, "items is empty"),
        ({"items": ["x", "y"]}, InvalidParameter, "voters='judge' and cases=2"),
        ({"items": [" "]}, InvalidParameter, "an item has no name"),
    ],
)
def test_bad_input_is_refused_before_a_ballot_is_asked_for(wrong, error, sentence):
    study = TinyStudy()
    with pytest.raises(error, match=sentence):
        judge_study(study, **{"judges": always_left, **wrong})
    assert study.asked == 0


@pytest.mark.parametrize("workers", [1, 3])
@pytest.mark.parametrize(("swap", "calls", "made"), [("random", 7, 7), ("confirm", 7, 6)])
def test_the_cap_on_calls_is_met_and_not_exceeded(workers, swap, calls, made):
    asked = []

    def counted(left, right, item):
        asked.append(left)
        return first_by_name(left, right, item)

    done = judge_study(TinyStudy(enough=99), counted, calls=calls, swap=swap, workers=workers)
    assert (len(asked), done.calls, done.reason) == (made, made, "calls")


def test_calls_that_a_failed_confirmation_did_not_make_are_given_back():
    answers = iter(["", "left", "right"])  # the first ballot fails at its first call
    done = judge_study(TinyStudy(), lambda *_: next(answers), calls=3, swap="confirm")
    assert (done.calls, done.votes, done.errors) == (3, 1, 1)


def test_workers_judge_at_the_same_time():
    together = threading.Barrier(3, timeout=10)

    def patient(left, right, item):
        together.wait()
        return "left"

    assert judge_study(TinyStudy(enough=3), patient, calls=3, workers=3).votes == 3


def test_only_the_calling_thread_touches_the_study():
    here = threading.get_ident()
    threads = set()

    class Watched(TinyStudy):
        def ask(self, *asked, **about):
            threads.add(threading.get_ident())
            return super().ask(*asked, **about)

        def tell(self, *told, **about):
            threads.add(threading.get_ident())
            super().tell(*told, **about)

    judge_study(Watched(), first_by_name, workers=4)
    assert threads == {here}


def test_a_study_that_waits_for_open_ballots_is_asked_again():
    class OneAtATime(TinyStudy):
        def ask(self, voter, without=()):
            return None if self.asked > len(self.events) else super().ask(voter)

    assert judge_study(OneAtATime(enough=4), first_by_name, workers=3).votes == 4


def test_a_judge_holds_no_more_ballots_than_a_voter_may():
    at_work, most, two = set(), [], threading.Barrier(2, timeout=60)

    def watched(left, right, item):
        at_work.add(threading.get_ident())
        most.append(len(at_work))
        if len(most) <= 2:
            two.wait()  # however busy the machine, the first two are at work together
        time.sleep(0.01)
        at_work.discard(threading.get_ident())
        return first_by_name(left, right, item)

    study = create_study("tea", ["green", "black"], open_ballots=2, voters="independent")
    done = judge_study(study, watched, workers=6, repeat=True)
    assert (done.reason, study.standing().certificate.best) == ("finished", (1,))
    assert max(most) == 2
    assert done.calls == study.standing().asked  # no ballot was judged twice


@pytest.mark.slow
def test_ballots_of_others_do_not_stop_a_judge_and_its_own_are_answered_first():
    study = create_study("tea", ["green", "black"], voters="independent")
    for number in range(60):
        study.ask(voter=f"voter {number}")
    judge_study(study, first_by_name, repeat=True)
    assert study.standing().certificate.best == (1,)
    study = create_study("tea", ["green", "black"], open_ballots=3, voters="independent")
    left_behind = study.ask(voter="first_by_name", n=3)
    done = judge_study(study, first_by_name, workers=3, repeat=True)
    assert study.votes(frame=True)["ballot"][0] == left_behind[0].id
    assert (done.reason, study.standing().certificate.best) == ("finished", (1,))


def test_a_judge_that_must_wait_rests_and_goes_on():
    now, waits = [1000.0], []

    def rest(wait):
        waits.append(wait)
        now[0] = wait.until

    study = create_study(
        "tea",
        ["green", "black"],
        open_ballots=1,
        lease=60,
        clock=lambda: now[0],
        voters="independent",
    )
    held = study.ask(voter="first_by_name", item="of another program")
    done = judge_study(study, first_by_name, rest=rest, repeat=True)
    assert waits == [Wait(held.expires)]
    assert (done.reason, study.standing().certificate.best) == ("finished", (1,))


def test_ctrl_c_ends_a_rest():
    study = create_study("tea", ["green", "black"], open_ballots=1, voters="independent")
    study.ask(voter="first_by_name", item="of another program")

    def rest(wait):
        raise KeyboardInterrupt

    done = judge_study(study, first_by_name, rest=rest)
    assert (done.reason, done.calls) == ("interrupted", 0)


@pytest.mark.parametrize(("ahead", "slept"), [(5.0, 5.0), (600.0, 10.0), (-600.0, 0.1)])
def test_a_sleep_is_neither_long_nor_idle(monkeypatch, ahead, slept):
    sleeps = []
    monkeypatch.setattr("time.sleep", sleeps.append)
    monkeypatch.setattr("time.time", lambda: 1000.0)
    sleep_until(Wait(1000.0 + ahead))
    assert sleeps == [slept]


def test_a_ballot_that_was_answered_elsewhere_is_passed_over():
    class Shared(TinyStudy):
        def tell(self, ballot, *told, **about):
            if ballot.id == 2:
                raise AlreadyVoted("ballot 2 was answered before.")
            super().tell(ballot, *told, **about)

    done = judge_study(Shared(enough=3), first_by_name)
    assert (done.calls, done.votes, done.reason) == (4, 3, "finished")


def test_a_judge_that_can_be_given_nothing_is_passed_over():
    class OneVoteEach(TinyStudy):
        def ask(self, voter, without=()):
            return None if voter == "ann" and self.voters["ann"] else super().ask(voter)

    study = OneVoteEach(enough=4)
    judge_study(study, {"ann": first_by_name, "bob": first_by_name})
    assert study.voters == {"ann": 1, "bob": 3}


def test_after_ctrl_c_what_is_under_way_is_told_and_nothing_new_is_asked():
    heard = []

    def impatient(judged):
        heard.append(judged)
        if len(heard) == 1:
            raise KeyboardInterrupt

    study = TinyStudy(enough=99)
    done = judge_study(study, first_by_name, workers=3, progress=impatient)
    assert (done.reason, done.votes, study.asked) == ("interrupted", 3, 3)


def test_a_vote_whose_acknowledgement_is_lost_is_told_again_and_counts_once():
    class Shaky(TinyStudy):
        def tell(self, *told, **about):
            super().tell(*told, **about)
            if self.tellings == 1:
                raise StorageError("the connection was lost.")

    study = Shaky(enough=3)
    done = judge_study(study, first_by_name)
    assert (study.tellings, len(study.votes), done.votes) == (4, 3, 3)


def test_a_storage_that_stays_away_is_not_hidden():
    class Gone(TinyStudy):
        def tell(self, *told, **about):
            raise StorageError("the database is gone.")

    with pytest.raises(StorageError, match="gone"):
        judge_study(Gone(), first_by_name, workers=2)


@pytest.mark.parametrize("said", ["\x1b]0;owned\x07", "a\ud800b", "a\0b", "\u202eleft"])
def test_what_a_judge_says_is_kept_inert(said):
    def rude(*_):
        raise ValueError(said)

    study = create_study("s", ["a", "b"], voters="independent")
    done = judge_study(study, {"mute": lambda *_: said, "rude": rude}, patience=1)
    assert done.errors == 1
    assert all(inert(event.source or "") == (event.source or "") for event in study.log())


@pytest.mark.parametrize(
    ("wrong", "error", "sentence"),
    [
        (
            {"judges": {"j" * 401: always_left}},
            InvalidParameter,
            "a judge's name has 401 characters",
        ),
        ({"judges": {"\x1b[2J": always_left}}, InvalidParameter, "control character"),
        ({"items": ["q" * 10_001]}, InvalidParameter, "item has 10,001 characters"),
    ],
)
def test_names_that_no_vote_can_have_are_refused_before_a_ballot_is_asked_for(
    wrong, error, sentence
):
    study = TinyStudy()
    with pytest.raises(error, match=sentence):
        judge_study(study, **{"judges": always_left, **wrong})
    assert study.asked == 0


@pytest.mark.slow
@pytest.mark.parametrize("workers", [1, 3])
def test_judges_settle_a_real_study(workers):
    study = create_study("letters", ["A", "B", "C"], seed=1, voters="independent")
    judges = {"ann": first_by_name, "bob": first_by_name}
    done = judge_study(study, judges, workers=workers, repeat=True, calls=2000)
    standing = study.standing()
    assert (done.reason, standing.leader, standing.votes) == ("finished", "A", done.votes)
    assert {voter.name for voter in standing.voters} == {"ann", "bob"}


def test_a_real_study_keeps_the_item_and_the_reason_of_every_answer():
    study = create_study("letters", {"A": "text", "B": "text"}, voters="judge")
    judge_study(study, CommandJudge(program("1/0"), name="zero"), items=["x"], patience=1)
    (vote,) = [event for event in study.log() if event.kind == "voted"]
    assert (vote.voter, vote.outcome, vote.item) == ("zero", "error", "x")
    assert vote.source.startswith("judge: zero ended with code 1: ZeroDivisionError")
