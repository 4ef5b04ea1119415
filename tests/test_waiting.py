"""The bar that Python shows for what takes long."""

import io
import sys
import threading
import time
import types

import pytest

import copeland
from copeland import waiting


class Terminal(io.StringIO):
    def isatty(self):
        return True


class Shown:
    """What stands below the cell of a notebook, one text after the other."""

    def __init__(self, text):
        self.texts = [text]

    def update(self, text):
        self.texts.append(text)


@pytest.fixture
def terminal(monkeypatch):
    monkeypatch.setenv("TERM", "xterm")
    return stderr_is(Terminal(), monkeypatch)


def stderr_is(stream, monkeypatch):
    """Let the bar see another standard error; pytest gives the real one back before the test begins."""
    seen = types.SimpleNamespace(stderr=stream, modules=sys.modules)
    monkeypatch.setattr(waiting, "sys", seen)
    return stream


@pytest.fixture
def soon(monkeypatch):
    monkeypatch.setattr(waiting, "AFTER", 0.05)


@pytest.fixture
def notebook(monkeypatch):
    """A notebook's IPython, as far as the bar looks at it; gives all that was displayed."""
    displayed = []

    def display(text, display_id):
        assert display_id
        displayed.append(Shown(text))
        return displayed[-1]

    shell = type("ZMQInteractiveShell", (), {})()
    fake = types.SimpleNamespace(get_ipython=lambda: shell)
    monkeypatch.setitem(sys.modules, "IPython", fake)
    monkeypatch.setitem(
        sys.modules, "IPython.display", types.SimpleNamespace(HTML=str, display=display)
    )
    return displayed


def until(seen, seconds=20.0):
    """Go on as soon as something is seen."""
    end = time.monotonic() + seconds
    while not seen() and time.monotonic() < end:
        time.sleep(0.01)
    assert seen()


def work(seconds=0.4):
    with waiting.waiting("runs") as tell:
        tell(0, 4)
        time.sleep(seconds)
        tell(3, 4)
        time.sleep(0.2)


@pytest.mark.quick
def test_what_takes_long_shows_a_bar_in_a_terminal(terminal, soon):
    work()
    assert "runs" in terminal.getvalue() and "3/4" in terminal.getvalue()


def test_the_time_left_is_the_one_that_was_told(terminal, soon):
    with waiting.waiting("runs") as tell:
        tell(1, 4)
        waiting.tell_left(tell, None)
        until(lambda: "-:--:--" in terminal.getvalue())
        waiting.tell_left(tell, 3725.0)
        until(lambda: "1:02:0" in terminal.getvalue())


@pytest.mark.parametrize("is_notebook", [True, False], ids=["notebook", "terminal"])
def test_a_bar_says_what_is_done_before_anything_is_counted(
    is_notebook, terminal, notebook, soon, monkeypatch
):
    def told():
        return " ".join(text for one in notebook for text in one.texts) + terminal.getvalue()

    monkeypatch.setattr(waiting, "_is_notebook", lambda: is_notebook)
    with waiting.waiting("worlds") as tell:
        waiting.tell_what(tell, "compiling cpc-pac")
        until(lambda: "compiling cpc-pac" in told())
        tell(1, 4)
        until(lambda: "worlds" in told())
    assert bool(notebook) == is_notebook


def test_a_function_of_ones_own_hears_no_estimate():
    own = lambda done, total: pytest.fail("called")  # noqa: E731
    waiting.tell_left(own, 3.0)
    waiting.tell_what(own, "compiling")


def test_what_is_soon_done_shows_nothing(terminal, notebook):
    work(0.0)
    assert not terminal.getvalue() and not notebook


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
def test_a_notebook_shows_a_bar_that_is_gone_at_the_end(notebook, soon):
    work()
    (shown,) = notebook
    assert any('value="3" max="4"' in text and "runs: 3 of 4" in text for text in shown.texts)
    assert shown.texts[-1] == ""


def test_a_notebook_shows_the_time_left(notebook, monkeypatch, soon):
    monkeypatch.setattr(waiting, "_AGAIN", 0.0)
    with waiting.waiting("runs") as tell:
        time.sleep(0.2)
        waiting.tell_left(tell, 83.0)
        tell(1, 4)
    (shown,) = notebook
    assert any(text.endswith(", about 0:01:23 left") for text in shown.texts)


def test_a_function_of_ones_own_is_told_instead(terminal, soon):
    told = []
    with waiting.waiting("runs", lambda done, total: told.append((done, total))) as tell:
        tell(1, 2)
        time.sleep(0.2)
    assert told == [(1, 2)] and not terminal.getvalue()


def test_an_error_leaves_no_bar_behind(terminal, soon):
    with pytest.raises(KeyboardInterrupt), waiting.waiting("runs"):
        raise KeyboardInterrupt
    before = terminal.getvalue()
    time.sleep(0.2)
    assert terminal.getvalue() == before


@pytest.mark.slow
def test_a_simulation_shows_its_bar(terminal, monkeypatch):
    monkeypatch.setattr(waiting, "AFTER", 0.0)
    copeland.simulate("cyclic-4", "ccb", 2000, runs=20, compiled=False)
    assert "parts" in terminal.getvalue()
