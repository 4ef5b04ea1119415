"""Laws of studies: events are JSON, replay is the live state, the order of votes does not matter."""

import itertools
from contextlib import suppress
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from copeland.errors import CopelandError, InvalidRow
from copeland.policy import arrays_of
from copeland.registry import _registry, find, register
from copeland.study import OUTCOMES, Storage, create_study, open_study
from copeland.study.log.events import KINDS, Event, from_json, to_json
from copeland.study.log.state import dump_state, load_state
from copeland.study.pair_choice import chooser_of

pytestmark = pytest.mark.slow  # left out of `make fast`

OPTIONS = ["A", "B", "C", "D"]
VOTERS = ["ann", "bob", None]
_numbers = itertools.count()

whole = st.integers(0, 2**53)
texts = st.none() | st.text()
events = st.builds(
    Event,
    number=whole,
    kind=st.sampled_from(KINDS),
    time=st.floats(allow_nan=False, allow_infinity=False),
    event_id=texts,
    ballot=st.none() | whole,
    voter=texts,
    left=st.none() | whole,
    right=st.none() | whole,
    outcome=st.none() | st.sampled_from(OUTCOMES),
    item=texts,
    source=texts,
    repeats=st.none() | whole,
    undoes=st.none() | whole,
    body=st.none() | st.dictionaries(st.text(), st.integers() | st.text() | st.lists(whole)),
)


@pytest.mark.quick
@given(events)
def test_an_event_is_the_same_after_json(event):
    assert from_json(to_json(event)) == event


@pytest.mark.parametrize(
    "line", ["", "[]", "{}", '{"number": 1, "kind": "x", "time": 0}', '{"a": 1}']
)
def test_what_is_no_event_is_refused(line):
    with pytest.raises(InvalidRow):
        from_json(line)


class Play:
    """A study at the mercy of a list of operations."""

    def __init__(self, storage, **how):
        self.now = 0.0
        self.study = create_study(
            f"play-{next(_numbers)}", OPTIONS, storage, clock=lambda: self.now, lease=5, **how
        )
        self.ballots = []
        self.votes = []
        self.most = 0  # ballots that one voter ever held

    def run(self, operations):
        for name, number, word in operations:
            self.now += number % 4
            with suppress(CopelandError):  # refused: nothing may have happened
                getattr(self, name)(number, word)

    def ask(self, number, word):
        voter = VOTERS[number % 3]
        given = self.study.ask(voter, n=2, available=OPTIONS[number % 3 :])
        self.ballots += given
        self.most = max(self.most, self.held(voter))

    def held(self, voter):
        """How many ballots somebody is still to answer."""
        if voter is None:
            return 0
        under_way = self.study.state().ledger.under_way(self.now)
        return sum(ballot.voter == voter for ballot in under_way.values())

    def tell(self, number, word):
        ballot = self.ballots[number % len(self.ballots)] if self.ballots else number
        self.votes.append(self.study.tell(ballot, word, event_id=f"{number % 7}-{word}"))

    def vote(self, number, word):
        left, right = [(0, 1), (1, 0), (1, 2)][number % 3]
        row = {"left": OPTIONS[left], "right": OPTIONS[right], "outcome": word}
        row |= {"voter": VOTERS[number % 2], "time": number}
        self.study.add_votes([row] * 2, source=VOTERS[number % 2])

    def withdraw(self, number, word):
        self.study.undo_import(VOTERS[number % 2])

    def undo(self, number, word):
        self.study.undo(self.votes[number % len(self.votes)] if self.votes else "none")

    def change(self, number, word):
        change = ("pause_option", "resume_option", "retire_option")[number % 3]
        getattr(self.study, change)(OPTIONS[number % 4])

    def add(self, number, word):
        self.study.add_option(f"new {number}")


operations = st.lists(
    st.tuples(
        st.sampled_from(
            ["ask", "ask", "tell", "tell", "tell", "vote", "undo", "withdraw", "change", "add"]
        ),
        st.integers(0, 60),
        st.sampled_from(OUTCOMES),
    ),
    max_size=30,
)
independent = st.fixed_dictionaries(
    {
        "voters": st.just("independent"),
        "algorithm": st.sampled_from(["cpc-pac", "copeland-pac", "pocowista", "random"]),
        "repeats": st.sampled_from(["count", "first"]),
        "both_bad": st.sampled_from(["tie", "drop"]),
        "open_ballots": st.sampled_from([1, 3, 8]),
    }
)
people = st.fixed_dictionaries(
    {
        "voters": st.just("people"),
        "repeats": st.just("first"),
        "both_bad": st.sampled_from(["tie", "drop"]),
        "batch": st.sampled_from([1, 3]),
        "missing": st.sampled_from(["against", "ignored"]),
    }
)
hows = independent | people


@pytest.fixture(scope="module", params=["memory", "sqlite"])
def one_storage(request, tmp_path_factory):
    folder = tmp_path_factory.mktemp("laws")
    kept = Storage(f"sqlite:///{folder / 'votes.db'}" if request.param == "sqlite" else None)
    yield kept
    kept.dispose()


def counted(log, both_bad, repeats):
    """The counts by the plainest code: every vote that stands in turn, of repeats the first."""
    k = len(log[0].body["options"]) + sum(event.kind == "added" for event in log)
    wins, ties = np.zeros((k, k), int), np.zeros((k, k), int)
    undone = {event.undoes for event in log if event.kind == "undone"}
    seen = []
    for vote in (event for event in log if event.kind == "voted" and event.number not in undone):
        if vote.outcome in ("skip", "error") or (vote.outcome == "both_bad" and both_bad == "drop"):
            continue
        if not (vote.body or {}).get("proves", True):
            continue
        subject = (vote.voter, {vote.left, vote.right}, vote.item)
        if repeats == "first" and vote.voter is not None and subject in seen:
            continue
        seen.append(subject)
        if vote.outcome == "left":
            wins[vote.left, vote.right] += 1
        elif vote.outcome == "right":
            wins[vote.right, vote.left] += 1
        else:
            ties[vote.left, vote.right] += 1
            ties[vote.right, vote.left] += 1
    return wins.tolist(), ties.tolist()


@given(operations, hows)
def test_replay_gives_the_live_state_and_the_votes_give_its_counts(one_storage, todo, how):
    play = Play(one_storage, **how)
    play.run(todo)
    live = play.study.state()
    assert play.study.replay() == live
    assert open_study(play.study.name, one_storage).state() == live
    assert load_state(dump_state(live)) == live
    log = play.study.log()
    assert [event.number for event in log] == list(range(1, len(log) + 1))
    assert (live.wins.tolist(), live.ties.tolist()) == counted(log, how["both_bad"], how["repeats"])
    votes = play.study.votes()
    assert play.most <= how.get("open_ballots", how.get("batch"))
    assert (
        sum(vote.counted for vote in votes) == live.votes == live.wins.sum() + live.ties.sum() // 2
    )


@pytest.fixture(scope="module")
def cpc_replayed():
    """The default algorithm as one that must be shown every event."""
    register(replace(find("cpc-pac"), name="cpc-replayed", absorb=None))
    yield
    _registry.pop("cpc-replayed")


@given(operations, st.sampled_from(["cpc-replayed", "copeland-pac", "pocowista", "ccb"]))
def test_an_algorithm_that_is_shown_the_log_is_where_it_was(cpc_replayed, todo, algorithm):
    play = Play(Storage(), algorithm=algorithm, voters="independent")
    play.ask(0, "")  # from here on it follows the log
    play.run(todo)
    play.ask(0, "")
    study = play.study
    is_open = study._work.kind.is_open
    anew = study.storage.read(study._key, lambda log: chooser_of(study._work.state, log, is_open))
    chooser = study._work._chooser
    chooser.follow(study._work._unseen)
    assert _told(chooser) == _told(anew)


def _told(chooser):
    """Everything that the algorithm of a chooser knows."""
    policy = chooser._player.policy
    state = {name: array.tolist() for name, array in arrays_of(policy.state)}
    return policy.asked, policy.events, policy.k, repr(state)


@given(
    st.lists(
        st.tuples(
            st.sampled_from(list(itertools.permutations(range(4), 2))), st.sampled_from(OUTCOMES)
        ),
        max_size=30,
    ),
    st.randoms(use_true_random=False),
)
def test_the_order_and_the_sides_of_votes_change_neither_counts_nor_certificate(votes, rng):
    turned = {"left": "right", "right": "left"}
    rows = [
        {"left": OPTIONS[i], "right": OPTIONS[j], "outcome": outcome} for (i, j), outcome in votes
    ]
    swapped = [
        {
            "left": row["right"],
            "right": row["left"],
            "outcome": turned.get(row["outcome"], row["outcome"]),
        }
        for row in rows
    ]
    rng.shuffle(swapped)
    one, other = (
        create_study("one", OPTIONS, voters="independent"),
        create_study("other", OPTIONS, voters="independent"),
    )
    one.add_votes(rows)
    for row in swapped:
        other.add_votes([row])
    assert one.standing().certificate == other.standing().certificate


@given(
    st.lists(
        st.tuples(st.sampled_from(list(itertools.permutations(range(4), 2))), st.integers(0, 40)),
        max_size=12,
    ),
    st.permutations(range(4)),
)
def test_the_order_of_options_does_not_change_the_certificate(wins, order):
    def certificate(names):
        study = create_study("one", names, margin=0.1, voters="independent")
        study.add_votes(
            {"left": OPTIONS[i], "right": OPTIONS[j], "outcome": "left"}
            for (i, j), times in wins
            for _ in range(times)
        )
        found = study.standing().certificate
        return {found.labels[i] for i in found.best}, {found.labels[i] for i in found.possible}

    assert certificate(OPTIONS) == certificate([OPTIONS[i] for i in order])
