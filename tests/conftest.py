import gc
import itertools
import os
import warnings
from collections import defaultdict
from collections.abc import Callable
from functools import cache
from pathlib import Path
from unittest.mock import patch
from zlib import crc32

import pytest
from _pytest.doctest import DoctestModule
from hypothesis import settings
from stand_ins import stand_in

from copeland import PreferenceMatrix

# The same examples every time, however busy the machine; few for `make fast`, many for `make nightly`.
# HYPOTHESIS_PROFILE=search looks for new ones.
settings.register_profile("fixed", deadline=None, derandomize=True, max_examples=20)
settings.register_profile("few", deadline=None, derandomize=True, max_examples=10)
settings.register_profile("many", deadline=None, derandomize=True, max_examples=300)
settings.register_profile("search", deadline=None, max_examples=1000)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "fixed"))

BENCHMARKS = Path(__file__).parents[1] / "benchmarks"

_databases = itertools.count()


@pytest.fixture(scope="session")
def data() -> Path:
    """The folder of real data, or a skip that says so."""
    folder = os.environ.get("COPELAND_TEST_DATA", "")
    if not folder or not Path(folder).is_dir():
        pytest.skip("COPELAND_TEST_DATA names no folder of real matrices, votes and LETOR files")
    return Path(folder)


@pytest.fixture(scope="session")
def real_matrix(data) -> Callable[[str], PreferenceMatrix]:
    """A function that loads a real matrix by name."""
    return cache(lambda name: PreferenceMatrix.load(data / "matrices" / f"{name}.csv"))


@pytest.fixture(scope="session")
def lifelike_matrix(request) -> Callable[[str], PreferenceMatrix]:
    """A function that makes a stand-in, or loads a real matrix by name."""

    def load(name):
        made = name.startswith("stand_in")
        return stand_in(name) if made else request.getfixturevalue("real_matrix")(name)

    return load


@pytest.fixture(scope="module")
def browser():
    """A real browser for the tests of one file.

    It ends with them: while it lives, its loop stands in this thread, where another test could run none.
    """
    from browsers import chromium

    with chromium() as found:
        yield found


@pytest.hookimpl(wrapper=True)
def pytest_collect_file():
    """Examples to run are in the package; looking for them in tests would read every file twice."""
    found = yield
    return [file for file in found if not isinstance(file, DoctestModule)]


def pytest_collection_modifyitems(items):
    """Mark what only `make nightly` runs, and begin with what takes long."""
    for item in items:
        if item.path.is_relative_to(BENCHMARKS):
            item.add_marker("nightly")
    if items and len({item.path for item in items}) > 50:  # the whole of it, not some files
        _require_fast_tests(items)
    for item in (*filter(_has_more_cases, items), *_left_for_the_night(items)):
        item.add_marker("nightly")
    # The longest begin first, so that no worker waits for one at the end.
    items.sort(key=lambda item: item.get_closest_marker("long") is None)


@pytest.hookimpl(wrapper=True)
def pytest_collection():
    """What is imported stays, and is much: no search for garbage looks through it, now or later."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


def _left_for_the_night(items):
    """Of a test marked `sampled`, all cases but as many as it says: those whose names come first when scrambled."""
    cases = defaultdict(list)
    for item in items:
        if item.get_closest_marker("sampled") and not item.get_closest_marker("quick"):
            cases[item.path, item.originalname].append(item)
    for some in cases.values():
        kept = some[0].get_closest_marker("sampled").args[0]
        yield from sorted(some, key=lambda item: crc32(item.name.encode()))[kept:]


def _has_more_cases(item):
    """Whether a property or hostile input is tried with more cases than `make test` does."""
    if item.path.parent.name == "fuzz":
        return int(os.environ.get("COPELAND_FUZZ", "1")) > 1
    given = getattr(getattr(item, "function", None), "is_hypothesis_test", False)
    return given and os.environ.get("HYPOTHESIS_PROFILE") == "many"


def _require_fast_tests(items):
    """`make fast` tries every capability: each file has a test that it runs, unless all wait for `make nightly`."""
    daily = [item for item in items if not item.get_closest_marker("nightly")]
    run = {
        i.path for i in daily if i.get_closest_marker("quick") or not i.get_closest_marker("slow")
    }
    left_out = sorted({item.path.name for item in daily} - {path.name for path in run})
    if left_out:
        raise pytest.UsageError(f"make fast runs nothing of {left_out}; mark a test as quick.")


@pytest.fixture(scope="session")
def postgres():
    """The address of a PostgreSQL server that runs for these tests."""
    from postgres import server

    with server(fsync=False) as address:
        yield address


@pytest.fixture
def postgres_url(postgres):
    """The address of a new, empty database."""
    import psycopg

    name = f"test_{next(_databases)}"
    with psycopg.connect(postgres, autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name}")
    yield postgres.replace("/postgres?", f"/{name}?")
    with warnings.catch_warnings():
        # A study that a test left is collected with its connections, in any order, and here: not in a later test.
        warnings.simplefilter("ignore", ResourceWarning)
        gc.collect()


@pytest.fixture(scope="session")
def postgres_storage(postgres):
    """A storage on that server, for all tests."""
    from copeland.study import Storage

    kept = Storage(postgres)
    yield kept
    kept.dispose()


@pytest.fixture
def storage_of(request, tmp_path):
    """A function that returns an empty storage: in memory, sqlite or postgres."""
    from copeland.study import Storage

    def empty(kind):
        if kind != "postgres":
            return Storage(f"sqlite:///{tmp_path / 'votes.db'}" if kind == "sqlite" else None)
        kept = request.getfixturevalue("postgres_storage")
        with kept._engine.begin() as connection:
            connection.exec_driver_sql("TRUNCATE copeland_studies CASCADE")
        return kept

    return empty


@pytest.fixture(scope="module")
def few_worlds():
    """Tell chances to be best by an eighth of the worlds, for who reads more than them: they take most of a verdict's time."""
    with patch("copeland.forecast.plausible_worlds.WORLDS", 500):
        yield


@pytest.fixture
def undrawn(monkeypatch):
    """Leave figures empty, for who reads words, numbers or names of files: drawing takes most of the time."""
    for module in ("report.simulation_page", "reproduction.reproduction_page"):
        monkeypatch.setattr(f"copeland.{module}.regret_figure", lambda *_, **__: None)
        monkeypatch.setattr(f"copeland.{module}.image", lambda *_: b"<svg></svg>")
