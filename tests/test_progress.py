"""The bar that Python shows for what takes long."""

import io
import sys
import threading
import time
import types

import pytest

import copeland
from copeland.cli import output
from copeland.support import progress


class Terminal(io.StringIO):
    def isatty(self):
        return True


@pytest.fixture
def terminal(monkeypatch):
    monkeypatch.setenv("TERM", "xterm")
    return stderr_is(Terminal(), monkeypatch)


def stderr_is(stream, monkeypatch):
    """Let the bar see another standard error; pytest gives the real one back before the test begins."""
    seen = types.SimpleNamespace(stderr=stream, modules=sys.modules)
    monkeypatch.setattr(progress, "sys", seen)
    return stream


@pytest.fixture
def soon(monkeypatch):
    monkeypatch.setattr(progress, "AFTER", 0.05)


@pytest.fixture
def notebook(monkeypatch):
    """A notebook's IPython without widgets, as far as the bar looks at it; its standard error is below a cell."""
    shell = type("ZMQInteractiveShell", (), {})()
    fake = types.SimpleNamespace(get_ipython=lambda: shell)
    monkeypatch.setitem(sys.modules, "IPython", fake)
    return stderr_is(io.StringIO(), monkeypatch)


def until(seen, seconds=20.0):
    """Go on as soon as something is seen."""
    end = time.monotonic() + seconds
    while not seen() and time.monotonic() < end:
        time.sleep(0.01)
    assert seen()


def work(seconds=0.4):
    with progress.progress_bar("runs") as tell:
        tell(0, 4)
        time.sleep(seconds)
        tell(3, 4)
        time.sleep(0.2)


@pytest.mark.quick
def test_what_takes_long_shows_a_bar_in_a_terminal(terminal, soon):
    work()
    assert "runs" in terminal.getvalue() and "3/4" in terminal.getvalue()


@pytest.mark.slow
def test_the_time_left_is_the_one_that_was_told(terminal, soon):
    with progress.progress_bar("runs") as tell:
        tell(1, 4)
        progress.tell_left(tell, None)
        until(lambda: "left: ?" in terminal.getvalue())
        progress.tell_left(tell, 3725.0)
        until(lambda: "left: 1:02:0" in terminal.getvalue())


def test_what_was_done_before_does_not_count_for_the_time_left(terminal, soon, monkeypatch):
    now = [1000.0]
    monkeypatch.setattr(progress, "time", types.SimpleNamespace(time=lambda: now[0]))
    monkeypatch.setattr("tqdm.std.time", lambda: now[0])
    with progress.progress_bar("runs") as tell:
        tell(90, 100)
        now[0] += 50
        tell(95, 100)
        until(lambda: "95/100 [00:50, left: 00:50]" in terminal.getvalue())


@pytest.mark.slow
@pytest.mark.parametrize("place", ["notebook", "terminal"])
def test_a_bar_says_what_is_done_before_anything_is_counted(place, soon, request):
    seen = request.getfixturevalue(place)
    with progress.progress_bar("worlds") as tell:
        progress.tell_what(tell, "compiling cpc-pac")
        until(lambda: "compiling cpc-pac [" in seen.getvalue())
        tell(1, 4)
        until(lambda: "worlds" in seen.getvalue())


@pytest.mark.slow
def test_a_command_shows_at_once_what_it_starts_with(terminal):
    with output.progress_bar("runs") as tell:
        until(lambda: f"{output.COMPILING} [" in terminal.getvalue(), progress.AFTER / 2)
        tell(1, 4)
        until(lambda: "1/4" in terminal.getvalue())


def test_sentences_of_others_stand_above_the_bar(terminal, soon):
    with progress.progress_bar("runs") as tell:
        tell(1, 4)
        until(lambda: "1/4" in terminal.getvalue())
        print("a file is damaged.", file=sys.stderr)
    assert "\ra file is damaged.\n" in terminal.getvalue()


def test_a_function_of_ones_own_hears_no_estimate():
    own = lambda done, total: pytest.fail("called")  # noqa: E731
    progress.tell_left(own, 3.0)
    progress.tell_what(own, "compiling")


@pytest.mark.slow
@pytest.mark.parametrize("place", ["notebook", "terminal"])
def test_what_is_soon_done_shows_nothing(place, request):
    seen = request.getfixturevalue(place)
    work(0.0)
    assert not seen.getvalue()


@pytest.mark.slow
def test_where_nobody_looks_there_is_no_bar(monkeypatch, soon):
    stream = stderr_is(io.StringIO(), monkeypatch)
    work()
    assert not stream.getvalue()


@pytest.mark.slow
def test_a_thread_shows_no_bar(terminal, soon):
    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert not terminal.getvalue()


@pytest.mark.slow
@pytest.mark.parametrize("place", ["notebook", "terminal"])
def test_a_bar_is_gone_at_the_end(place, soon, request):
    seen = request.getfixturevalue(place)
    work()
    assert "3/4" in seen.getvalue() and not seen.getvalue().rstrip("\r").rpartition("\r")[2].strip()


def test_a_notebook_shows_the_time_left(notebook, soon):
    with progress.progress_bar("runs") as tell:
        progress.tell_left(tell, 83.0)
        tell(1, 4)
        until(lambda: "left: 01:2" in notebook.getvalue())


@pytest.mark.slow
def test_a_terminal_that_cannot_go_back_has_no_bar(terminal, monkeypatch, soon):
    monkeypatch.setenv("TERM", "dumb")
    work(0.1)
    assert not terminal.getvalue()


@pytest.mark.slow
def test_a_function_of_ones_own_is_told_instead(terminal, soon):
    told = []
    with progress.progress_bar("runs", lambda done, total: told.append((done, total))) as tell:
        tell(1, 2)
        time.sleep(0.2)
    assert told == [(1, 2)] and not terminal.getvalue()


@pytest.mark.slow
def test_an_error_leaves_no_bar_behind(terminal, soon):
    with pytest.raises(KeyboardInterrupt), progress.progress_bar("runs"):
        raise KeyboardInterrupt
    before = terminal.getvalue()
    time.sleep(0.2)
    assert terminal.getvalue() == before


@pytest.mark.slow
def test_a_simulation_shows_its_bar(terminal, monkeypatch):
    monkeypatch.setattr(progress, "AFTER", 0.0)
    copeland.simulate("cyclic-4", "ccb", 2000, runs=20, compiled=False)
    assert "parts" in terminal.getvalue()
