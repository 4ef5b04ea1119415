"""Whatever concerns one voter, ballot or id is found by an index, and an import looks all of its voters up at once."""

import itertools
import re

import pytest
import sqlalchemy as sa

from copeland import create_study, open_study
from copeland.study import Storage
from copeland.study.log.events import ASKED, CREATED, VOTED, Event

FIRST = Event(1, CREATED, 0.5, body={"settings": {}, "options": [{"name": "tea"}]})
LOG = [
    Event(n, ASKED, 0.0, voter=f"v{n // 2}", left=0, right=1)
    if n % 2 == 0
    else Event(n, VOTED, 0.0, f"e{n}", n - 1, f"v{n // 2}", 0, 1, "left")
    for n in range(2, 5_002)
]
LOOKUPS = {
    "by id": (lambda log: log.vote("a"), {"copeland_once"}),
    "by ids": (lambda log: log.find_votes(["a", "b"]), {"copeland_once"}),
    "by ballot": (lambda log: list(log.answers(7)), {"copeland_answers"}),
    "answers": (lambda log: list(log.answers_of("ann")), {"copeland_voters"}),
    "opinions": (lambda log: list(log.opinions("ann", 0, 1)), {"copeland_voters"}),
    "pairs": (lambda log: list(log.pairs_of("ann")), {"copeland_voters"}),
    "last question": (lambda log: log.ballots_of("ann", 1), {"copeland_asked"}),
    "past": (lambda log: log.votes_of("ann"), {"copeland_asked", "copeland_voters"}),
    "opinions of many": (
        lambda log: log.opinions_on({("ann", frozenset((0, 1))), ("bob", frozenset((1, 2)))}),
        {"copeland_voters"},
    ),
    "visitors": (lambda log: log.visitors(["ann", "bob"]), {"copeland_asked", "copeland_voters"}),
}


def listen(storage):
    """Return a list to which every query that the storage makes is added, with its values."""
    made = []

    def note(_connection, _cursor, statement, values, _context, _many):
        if statement.startswith("SELECT"):
            made.append((statement, values))

    sa.event.listen(storage._engine, "before_cursor_execute", note)
    return made


def plans_of(storage, work, study=1):
    """Return how SQLite goes about each query of some work."""
    made = listen(storage)
    storage.read(study, work)
    queries = list(made)

    def explain(c):
        return [list(c.exec_driver_sql(f"EXPLAIN QUERY PLAN {s}", v)) for s, v in queries]

    return [row[3] for rows in storage.transact(explain, reads=True) for row in rows]


def is_search_for_one(plan, indexes):
    """Whether a step looks in one of these indexes, for more than the study."""
    return any(re.search(rf"INDEX {index} \(study=\? AND \w+=\?", plan) for index in indexes)


@pytest.fixture(params=["new", "analysed"], scope="module")
def kept(request, tmp_path_factory):
    """A long log in a database: new, or with statistics of a time when it was small."""
    file = tmp_path_factory.mktemp(request.param) / "votes.db"
    storage = Storage(f"sqlite:///{file}")
    storage.create("tea", FIRST)
    if request.param == "analysed":
        storage.transact(lambda connection: connection.exec_driver_sql("ANALYZE"))
        storage.dispose()
    storage.write(1, lambda log: log.append(LOG))
    yield storage
    storage.dispose()


@pytest.mark.parametrize("name", LOOKUPS)
def test_a_lookup_goes_through_its_index(kept, name):
    work, indexes = LOOKUPS[name]
    steps = [plan for plan in plans_of(kept, work) if "copeland_events" in plan]
    assert steps and all(is_search_for_one(plan, indexes) for plan in steps), steps


def test_the_last_question_is_found_without_sorting(kept):
    assert not any(
        "B-TREE" in plan for plan in plans_of(kept, lambda log: log.ballots_of("ann", 1))
    )


def work_of(storage, work, study=1):
    """Return how many thousands of steps SQLite takes for some work."""
    steps = 0

    def step():
        nonlocal steps
        steps += 1

    def counted(connection):
        raw = connection.connection.dbapi_connection
        raw.set_progress_handler(step, 1_000)

    storage.transact(counted, reads=True)  # the pool hands out the same connection again
    storage.read(study, work)
    storage.transact(
        lambda c: c.connection.dbapi_connection.set_progress_handler(None, 0), reads=True
    )
    return steps


@pytest.mark.parametrize("name", LOOKUPS)
def test_a_lookup_takes_no_more_work_in_a_long_log(kept, name):
    assert work_of(kept, LOOKUPS[name][0]) <= 2  # reading all of it takes 30 and more


FIRST_VOTES = {"voters": "independent", "repeats": "first"}
TEAS = [f"tea {n}" for n in range(6)]
ROWS = [
    {"voter": f"v{v}", "left": left, "right": right, "outcome": "left"}
    for v in range(20)
    for left, right in itertools.combinations(TEAS, 2)
]


@pytest.mark.parametrize("settings", [{}, {"voters": "people", "batch": 5}, FIRST_VOTES])
def test_an_import_takes_few_queries_however_many_rows_only_repeat(tmp_path, settings):
    storage = Storage(f"sqlite:///{tmp_path / 'votes.db'}")
    study = create_study("tea", TEAS, storage, **settings)
    made = listen(storage)
    for source in ("one", "two"):
        study.add_votes(ROWS, source)
    storage.dispose()
    assert len(made) < 40


def test_votes_of_an_import_repeat_earlier_ones_in_either_order_and_each_other(tmp_path):
    study = create_study("tea", TEAS, f"sqlite:///{tmp_path / 'votes.db'}", **FIRST_VOTES)
    study.add_votes([{"voter": "ann", "left": "tea 0", "right": "tea 1", "outcome": "left"}])
    turned = [{"voter": "ann", "left": "tea 1", "right": "tea 0", "outcome": "left"}] * 2
    others = [{"voter": "ann", "left": "tea 1", "right": "tea 2", "outcome": "left"}] * 2
    nobody = [{"left": "tea 0", "right": "tea 1", "outcome": "left"}] * 2
    skips = [{"voter": "ann", "left": "tea 3", "right": "tea 4", "outcome": "skip"}]
    skips.append({**skips[0], "outcome": "right"})
    study.add_votes([*turned, *others, *nobody, *skips])
    assert [e.repeats for e in study.log()[1:]] == [None, 2, 2, None, 5, None, None, None, None]


def test_a_repeat_of_what_was_undone_counts(tmp_path):
    study = create_study("tea", TEAS, f"sqlite:///{tmp_path / 'votes.db'}", **FIRST_VOTES)
    row = {"voter": "ann", "left": "tea 0", "right": "tea 1", "outcome": "left", "event_id": "a"}
    study.add_votes([row])
    study.undo("a")
    study.add_votes([{**row, "event_id": "b"}, {**row, "event_id": "c"}])
    assert [vote.counted for vote in study.votes()] == [False, True, False]
    assert open_study("tea", study.storage).replay() == study.state()
