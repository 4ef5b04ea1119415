"""Impressions of a live search, against a plain count of what users clicked."""

import json
from itertools import chain, combinations

import numpy as np
import pytest
from commands import flat, run

from copeland.errors import InvalidParameter, InvalidToken
from copeland.ranking.interleaving import credit, interleave, winner
from copeland.search.list_tokens import Ticket, outcome_of, query_digest, read_ticket, sign_ticket
from copeland.study import create_study, open_study
from copeland.study.log.snapshots import dump_values, load_values
from copeland.study.log.state import dump_state, load_state
from copeland.study.log.state_parts import Lists

SECRET = "sixteen characters and more"
LISTS = {"one": "abcdefgh", "two": "hgfedcba", "three": "cadbhegf"}


class Clock:
    def __init__(self):
        self.now = 1_800_000_000.0

    def __call__(self):
        return self.now


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def study(clock):
    return create_study("search", list(LISTS), repeats="first", clock=clock, voters="independent")


@pytest.fixture
def desk(study):
    return study.impressions(SECRET, window=100.0)


def shown_to(desk, user, query="tea", length=6):
    impression = desk.impression(user, query)
    return impression, impression.show(*(LISTS[name] for name in impression.rankers), length=length)


def subsets(positions):
    return chain.from_iterable(combinations(positions, n) for n in range(len(positions) + 1))


@pytest.mark.quick
@pytest.mark.parametrize("method", ["team-draft", "probabilistic"])
def test_clicks_are_credited_as_interleaving_credits_them(method):
    rng = np.random.default_rng(3)
    shown = interleave([LISTS["one"], LISTS["two"]], 5, rng, method)
    teams = "".join("LR"[team] for team in shown.teams)
    how = {"rule": "naive"} if method == "probabilistic" else {}
    for clicked in subsets(range(1, 6)):
        marks = [position in clicked for position in range(1, 6)]
        expected = {0: "left", 1: "right", None: "tie"}[winner(credit(shown, marks, **how))]
        assert outcome_of(teams, clicked) == expected


@pytest.mark.quick
def test_an_impression_from_the_pair_to_the_vote(study, desk, clock):
    impression, page = shown_to(desk, "ann")
    assert len(page.documents) == 6 and len(set(page.documents)) == 6
    teams = read_ticket(page.token, SECRET).teams
    top = teams.index("L") + 1
    assert desk.clicks(page.token, [top]) == ("taken", ())
    assert study.votes() == []  # more may come
    clock.now += 101
    (vote,) = desk.settle()
    assert (vote.left, vote.right, vote.outcome, vote.voter) == (
        *impression.rankers,
        "left",
        "ann",
    )
    assert desk.counts() == (1, 1, 0, 0, 0, 1)


def test_clicks_come_twice_in_parts_and_out_of_order(study, desk, clock):
    _, page = shown_to(desk, "ann")
    teams = read_ticket(page.token, SECRET).teams
    every = range(1, len(teams) + 1)
    start = clock.now
    assert desk.clicks(page.token, [], at=start).fate == "nothing"
    assert desk.clicks(page.token, [5, 6], at=start + 50).fate == "taken"
    assert desk.clicks(page.token, [6], at=start + 40).fate == "known"
    assert desk.clicks(page.token, [1], at=start + 10).fate == "taken"
    assert desk.clicks(page.token, [2], at=start + 101).fate == "late"
    assert desk.clicks(page.token, [2], at=start - 1).fate == "early"
    assert desk.counts().waiting == 1
    clock.now += 101
    desk.settle()
    assert [vote.outcome for vote in study.votes()] == [outcome_of(teams, [1, 5, 6])]
    assert desk.clicks(page.token, every, at=start + 60).fate == "late"  # the vote is there
    assert len(study.votes()) == 1


def test_clicks_that_are_handed_in_a_day_later_count_by_when_they_happened(study, desk, clock):
    _, page = shown_to(desk, "ann")
    clock.now += 86_400
    told = desk.clicks(page.token, [1], at=clock.now - 86_400 + 5)
    assert told.fate == "taken" and len(told.votes) == 1
    patient = study.impressions(SECRET, window=100.0, patience=3600.0)
    _, page = shown_to(patient, "bea")
    clock.now += 3600
    assert patient.clicks(page.token, [1], at=clock.now - 3600).votes == ()
    clock.now += 101
    assert len(patient.settle()) == 1


def test_no_click_is_no_vote_and_is_counted(study, desk, clock):
    for user in ("ann", "bea", "cat"):
        _, page = shown_to(desk, user)
    desk.clicks(page.token, [1])
    clock.now += 1000
    desk.settle()
    assert desk.counts() == (3, 1, 0, 0, 2, 3)
    assert study.certificate().verdict == "open"


def test_a_user_counts_once_a_pair(study, desk, clock):
    pairs = []
    for query in range(4):
        impression, page = shown_to(desk, "ann", f"query {query}")
        pairs.append(frozenset(impression.rankers))
        if page.token is not None:
            desk.clicks(page.token, [1])
            clock.now += 101
    assert len(set(pairs[:3])) == 3
    assert len(pairs[3]) == 1  # this user has answered every pair
    assert len(study.votes()) == 3 and all(vote.counted for vote in study.votes())


def test_another_list_of_the_same_pair_does_not_count_again(desk, clock):
    _, first = shown_to(desk, "ann", "tea")
    _, second = shown_to(desk, "ann", "milk")  # nothing was clicked, so it is the same pair
    assert read_ticket(first.token, SECRET).ballot == read_ticket(second.token, SECRET).ballot
    assert desk.clicks(first.token, [1]).fate == "taken"
    assert desk.clicks(second.token, [1]).fate == "further"
    other, _ = shown_to(
        desk, "ann", "juice"
    )  # while the first ones wait, the user meets another pair
    assert other.ballot != read_ticket(first.token, SECRET).ballot


def test_a_page_that_is_loaded_again_shows_the_same_list(desk, clock):
    impression, page = shown_to(desk, "ann")
    clock.now += 5
    again, same = shown_to(desk, "ann")
    assert again.rankers == impression.rankers and same.documents == page.documents
    assert desk.clicks(page.token, [1]).fate == "taken"
    assert desk.clicks(same.token, [2]).fate == "taken"  # it is the same impression


def test_each_list_of_a_pair_counts_once_and_the_clicked_one_is_no_longer_without_a_click(
    study, desk
):
    for query in ("tea", "milk", "tea"):  # the second tea is the first one, loaded again
        _, page = shown_to(desk, "ann", query)
    assert (desk.counts().lists, desk.counts().unclicked) == (2, 2)
    desk.clicks(page.token, [1])
    desk.clicks(page.token, [2])
    assert (desk.counts().lists, desk.counts().unclicked) == (2, 1)
    study.add_votes([{"winner": "two", "loser": "one", "n": 5}])  # of no list
    assert study.standing().unclicked == 1 and study.replay() == study.state()


def test_clicks_of_earlier_logs_take_nothing_from_the_lists_that_are_counted():
    lists = Lists()
    lists.click({"ballot": 2})  # of a list that was not logged
    lists.show({"ballot": 5, "query": "a"})
    assert (lists.shown, lists.clicked, lists.without_click) == (1, 0, 1)


def test_the_queries_of_old_ballots_are_forgotten(monkeypatch):
    monkeypatch.setattr("copeland.study.log.state_parts.REMEMBERED", 2)
    lists = Lists()
    for ballot in (1, 2, 3):
        lists.show({"ballot": ballot, "query": "tea"})
    assert [lists.is_new(ballot, "tea") for ballot in (1, 2, 3)] == [True, False, False]
    assert lists.shown == 3 and load_values(dump_values(lists), [Lists]) == lists


@pytest.mark.slow
def test_lists_without_a_click_are_told_by_status_and_report(tmp_path, monkeypatch, clock):
    monkeypatch.chdir(tmp_path)
    made = create_study(
        "search",
        list(LISTS),
        repeats="first",
        storage="sqlite:///copeland.db",
        voters="independent",
    )
    assert "shown" not in run("study", "status", "search").stdout
    desk = made.impressions(SECRET)
    pages = [shown_to(desk, user)[1] for user in ("ann", "bea", "cat")]
    desk.clicks(pages[0].token, [1])
    said = "Of 3 lists shown, 2 had no click that counts: a list without clicks gives no vote."
    assert said in flat(run("study", "status", "search").stdout)
    found = json.loads(run("study", "status", "search", "--json").stdout)
    assert found["lists"] == {"shown": 3, "unclicked": 2}
    assert said in made.report(tmp_path / "page.html").read_text()


def test_once_one_ranker_is_proved_best_its_own_list_is_shown(study, desk):
    rows = [{"winner": "two", "loser": other, "n": 60} for other in ("one", "three")]
    study.add_votes(rows)
    impression, page = shown_to(desk, "ann")
    assert impression.rankers == ("two",) and page == (tuple(LISTS["two"][:6]), None)
    study.close()
    assert desk.impression("bea", "tea").rankers == ("two",)


def test_a_closed_study_takes_no_clicks(study, desk):
    _, page = shown_to(desk, "ann")
    desk.clicks(page.token, [1])
    study.close()
    before = study.number
    assert desk.clicks(page.token, [2]) == ("late", ()) and study.number == before


def test_forged_and_foreign_tokens_are_refused(study, desk, clock):
    _, page = shown_to(desk, "ann")
    token = page.token
    for at in range(0, len(token), 5):
        other = "A" if token[at] != "A" else "B"
        with pytest.raises(InvalidToken):
            desk.clicks(token[:at] + other + token[at + 1 :], [1])
    for bad in ("", "not base64!", token + "=", token[:-1], "é", None, "A" * 5000):
        with pytest.raises(InvalidToken):
            desk.clicks(bad, [1])
    with pytest.raises(InvalidToken, match="secret"):
        study.impressions(SECRET + "!").clicks(token, [1])
    elsewhere = create_study(
        "other", list(LISTS), repeats="first", clock=clock, voters="independent"
    )
    with pytest.raises(InvalidToken, match="of the study 'search'"):
        elsewhere.impressions(SECRET).clicks(token, [1])
    unknown = sign_ticket(Ticket("search", 99, query_digest("tea"), clock.now, "LR"), SECRET)
    with pytest.raises(InvalidToken, match="no ballot 99"):
        desk.clicks(unknown, [1])
    assert study.number == 3  # the study, a ballot and its list: nothing more was kept


@pytest.mark.parametrize("position", [0, 7, -1, 1.0, True, "1"])
def test_a_position_that_the_list_does_not_have_is_refused_with_all_others(study, desk, position):
    _, page = shown_to(desk, "ann")
    with pytest.raises(InvalidParameter, match="positions 1 to 6"):
        desk.clicks(page.token, [1, position])
    assert desk.counts().waiting == 0


@pytest.mark.parametrize(
    ("how", "sentence"),
    [
        ({"secret": "short"}, "fewer than 16"),
        ({"method": "balanced"}, "team-draft and probabilistic"),
        ({"window": 0.0}, "window is 0"),
        ({"patience": -1.0}, "patience -1"),
    ],
)
def test_a_desk_that_cannot_work_is_refused(study, how, sentence):
    with pytest.raises(InvalidParameter, match=sentence):
        study.impressions(**{"secret": SECRET, **how})


def test_users_who_count_again_and_again_are_refused():
    with pytest.raises(InvalidParameter, match="once per pair"):
        create_study("search", list(LISTS), voters="independent").impressions(SECRET)


def test_waiting_clicks_survive_a_restart_and_a_snapshot(tmp_path, clock):
    storage = f"sqlite:///{tmp_path / 'votes.db'}"
    made = create_study(
        "search", list(LISTS), storage, repeats="first", clock=clock, voters="independent"
    )
    _, page = shown_to(made.impressions(SECRET, window=100.0), "ann")
    made.impressions(SECRET, window=100.0).clicks(page.token, [1])
    state = made.state()
    assert load_state(dump_state(state)) == state and made.replay() == state
    again = open_study("search", storage, clock=clock)
    clock.now += 101
    assert len(again.impressions(SECRET, window=100.0).settle()) == 1
    assert made.misfit() is None


@pytest.mark.slow
@pytest.mark.parametrize("voters", ["independent", "people"])
def test_traffic_with_delays_and_repeats_gives_the_votes_of_a_plain_count(voters, clock):
    """300 impressions, clicks delayed by up to a day and a fifth of them twice, in any order."""
    rng = np.random.default_rng(11)
    study = create_study("search", list(LISTS), repeats="first", voters=voters, clock=clock)
    desk = study.impressions(SECRET, window=600.0, patience=86_400.0)
    events, expected = [], {}
    for n in range(300):
        clock.now += 60
        impression, page = shown_to(desk, f"user {n}")
        clicked = [p for p in range(1, 7) if rng.random() < 0.3]
        times = {p: clock.now + float(rng.integers(0, 900)) for p in clicked}
        inside = [p for p in clicked if times[p] <= clock.now + 600]
        if inside:
            outcome = outcome_of(read_ticket(page.token, SECRET).teams, inside)
            expected[f"user {n}"] = (*impression.rankers, outcome)
        for position, time in times.items():
            for _ in range(1 + (rng.random() < 0.2)):
                delay = float(rng.integers(0, 86_400))
                events.append((time + delay, page.token, position, time))
    for delivered, token, position, time in sorted(events):
        clock.now = max(clock.now, delivered)
        desk.clicks(token, [position], at=time)
    clock.now += 2 * 86_400
    desk.settle()
    found = {vote.voter: (vote.left, vote.right, vote.outcome) for vote in study.votes()}
    assert found == expected
    assert desk.counts().unclicked == 300 - len(expected)
