"""`copeland study vote`: people see what a judge sees, on items, by screenfuls, and images when they ask for it."""

import csv
import os
import re
import select
import subprocess
import sys
import time
from pathlib import Path

import pytest
from commands import flat, run
from typer.testing import CliRunner

from copeland.cli import app
from copeland.study import open_study

pytestmark = pytest.mark.slow  # left out of `make fast`

ITEMS = "name,text,alpha,beta\nq1,Say hello.,Hi.,Good day to you.\nq2,Say bye.,Bye.,Farewell.\n"
ANSWERS = {"q1": ("Say hello.", "Hi.", "Good day to you."), "q2": ("Say bye.", "Bye.", "Farewell.")}


@pytest.fixture(autouse=True)
def in_a_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("COPELAND_STORAGE", raising=False)
    monkeypatch.setenv("COLUMNS", "120")


def made(*words):
    done = run("study", "create", "prompts", *words)
    assert done.exit_code == 0, done.stderr


def of_files(**paths):
    with open("options.csv", "w", newline="") as file:
        csv.writer(file).writerows([("name", "path"), *paths.items()])
    made("--options", "options.csv", "--voters", "independent")


def voting(*words, keys):
    words = ["study", "vote", "prompts", *words]
    return CliRunner().invoke(app, words, input="".join(f"{key}\n" for key in keys))


@pytest.fixture
def items():
    made("-o", "alpha", "-o", "beta", "--voters", "independent")
    Path("items.csv").write_text(ITEMS)


@pytest.fixture
def launched(monkeypatch):
    places = []
    monkeypatch.setattr("typer.launch", lambda place: places.append(place) or 0)
    return places


# Items


def test_an_item_stands_above_the_answers_of_both_options(items):
    shown = voting("--items", "items.csv", "--ballots", "1", keys=["l"]).stdout
    (vote,) = open_study("prompts", "sqlite:///copeland.db").votes()
    text, *answers = ANSWERS[vote.item]
    assert f"On: {vote.item}" in shown
    assert shown.index(text) < min(map(shown.index, answers))
    assert "alpha" not in shown and "beta" not in shown


def test_names_are_shown_with_answers_only_if_they_are_asked_for(items):
    assert "alpha" in voting("--items", "items.csv", "--names", "--ballots", "1", keys=["l"]).stdout


def test_every_ballot_draws_an_item(items):
    voting("--items", "items.csv", keys=["l"] * 12)
    votes = open_study("prompts", "sqlite:///copeland.db").votes()
    # Both come up, unless twelve fair coins fall alike; the seed is fixed.
    assert {vote.item for vote in votes} == {"q1", "q2"}


def test_an_item_that_goes_by_its_text_is_shown_once(items):
    Path("items.txt").write_text("Say hello.\n")
    shown = voting("--items", "items.txt", "--ballots", "1", keys=["l"]).stdout
    assert shown.count("Say hello.") == 1 and "On:" not in shown


def test_an_undone_vote_is_asked_again_on_its_item(items):
    shown = voting("--items", "items.csv", "--ballots", "1", keys=["l", "u", "q"]).stdout
    assert shown.count("Which is better?") == 1
    shown = voting("--items", "items.csv", keys=["l", "u", "q"]).stdout
    ons = re.findall(r"On: (q\d)", shown)
    assert (len(ons), ons[0]) == (3, ons[2])


def test_where_only_first_votes_count_every_item_is_tried_before_the_end():
    made("-o", "alpha", "-o", "beta", "--repeats", "first", "--voters", "independent")
    Path("items.csv").write_text(ITEMS)
    done = voting("--voter", "ann", "--items", "items.csv", keys=["l"] * 9)
    assert "2 answers kept. Nothing is left to ask." in flat(done.stderr)


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (
            ("--items", "items.csv", "--item", "q1"),
            "--item names one item and --items a file of items",
        ),
        (("--items", "none.csv"), "none.csv: it cannot be read"),
        (("--items", "items.xml"), "items are read from files named .txt, .csv, .jsonl"),
        (("--items", "half.csv"), "the item 'q1' has no answer of the option 'beta'"),
    ],
)
def test_items_that_cannot_be_shown_are_refused_before_a_ballot_is_asked_for(
    items, words, sentence
):
    Path("half.csv").write_text("name,text,alpha\nq1,Say hello.,Hi.\n")
    done = run("study", "vote", "prompts", *words)
    assert (done.exit_code, done.stdout, done.stderr.count("\n")) == (2, "", 1)
    assert sentence in done.stderr
    assert open_study("prompts", "sqlite:///copeland.db").number == 1


# Long texts

LONG = "\n".join(f"line {number}" for number in range(1, 61))


def test_a_long_text_is_printed_whole_where_there_is_no_terminal():
    Path("a.txt").write_text(LONG)
    of_files(alpha="a.txt", beta="b.txt")
    shown = voting("--ballots", "1", keys=["l"]).stdout
    assert all(f"line {number} " in shown for number in range(1, 61)) and "scroll" not in shown


def test_a_word_longer_than_a_line_is_shown_to_its_end():
    Path("a.txt").write_text("茶" * 200 + "!")
    of_files(alpha="a.txt", beta="b.txt")
    shown = voting("--ballots", "1", keys=["l"]).stdout
    assert shown.count("茶") == 200 and "!" in shown


def test_of_a_file_that_is_too_long_to_lay_out_the_rest_is_counted():
    Path("a.txt").write_text("word " * 20_001)
    of_files(alpha="a.txt", beta="b.txt")
    assert "(5 more characters in the file)" in voting("--ballots", "1", keys=["l"]).stdout


@pytest.mark.skipif(sys.platform == "win32", reason="needs a pseudo-terminal")
def test_a_long_text_scrolls_in_a_terminal_and_can_be_voted_on_from_any_page():
    import pty

    Path("a.txt").write_text(LONG)
    of_files(alpha="a.txt", beta="b.txt")
    keyboard, terminal = pty.openpty()
    code = "from copeland.cli import main; main()"
    command = [sys.executable, "-c", code, "study", "vote", "prompts", "--ballots", "1"]
    size = {"LINES": "24", "COLUMNS": "80", "TERM": "xterm"}
    p = subprocess.Popen(
        command, stdin=terminal, stdout=terminal, stderr=terminal, env={**os.environ, **size}
    )
    os.close(terminal)
    try:
        first = read_until(keyboard, "lines 1 to 20 of 64")
        os.write(keyboard, b"\x1b[B")
        second = read_until(keyboard, "lines 21 to 40 of 64")
        os.write(keyboard, b"jj")
        last = read_until(keyboard, "lines 45 to 64 of 64")
        os.write(keyboard, b"kl")
        read_until(keyboard, "1 answer kept")
        assert p.wait(60) == 0
    finally:
        p.kill()
        os.close(keyboard)
    assert "line 18 " in first and "line 19 " not in first and "scroll" in first
    assert "line 19 " in second and "line 38 " in second
    assert "line 60 " in last
    assert open_study("prompts", "sqlite:///copeland.db").votes()[0].outcome == "left"


def read_until(terminal, text):
    """What a program writes up to a text, or up to a minute."""
    said, end = "", time.monotonic() + 60
    while text not in said and time.monotonic() < end:
        if not select.select([terminal], [], [], 1)[0]:
            continue
        try:
            said += os.read(terminal, 10_000).decode(errors="replace")
        except OSError:  # it has ended
            break
    assert text in said, said
    return said


# Images


@pytest.fixture
def images():
    for name in ("a.png", "b.SVG"):
        Path(name).write_bytes(b"\x89PNG\xff")
    of_files(alpha="a.png", beta="b.SVG")


def test_an_image_is_named_and_opened_only_by_its_key(images, launched):
    shown = voting("--ballots", "1", keys=["l"]).stdout
    assert all(text in shown for text in ("Image: a.png", "Image: b.SVG"))
    assert all(text in shown for text in ("Press o to open it.", "Press p to open it."))
    assert launched == []
    done = voting("--ballots", "1", keys=["o", "p", "l"])
    assert {Path(place) for place in launched} == {Path("a.png").resolve(), Path("b.SVG").resolve()}
    assert "The image on the left is opened." in done.stdout
    vote = open_study("prompts", "sqlite:///copeland.db").votes()[-1]
    assert Path(launched[0]).stem == {"alpha": "a", "beta": "b"}[vote.left]


@pytest.mark.parametrize(
    ("path", "reason"),
    [
        ("../secret.png", "it is outside the folder"),
        ("/etc/secret.png", "it is outside the folder"),
        ("link.png", "it is outside the folder"),
        ("none.png", "it is not an ordinary file"),
        ("folder.png", "it is not an ordinary file"),
        ("pipe.png", "it is not an ordinary file"),
    ],
)
def test_no_image_outside_of_the_folder_and_no_odd_file_is_opened(launched, path, reason):
    Path("../secret.png").write_text("")
    Path("link.png").symlink_to("../secret.png")
    Path("folder.png").mkdir()
    os.mkfifo("pipe.png")
    of_files(alpha=path, beta=path)
    done = voting("--ballots", "1", keys=["o", "p", "l"])
    assert launched == [] and flat(done.stdout).count(reason) == 2
    assert "1 answer kept" in done.stderr


def test_a_machine_that_cannot_open_an_image_says_so(images, monkeypatch):
    monkeypatch.setattr("typer.launch", lambda place: 1)
    said = voting("--ballots", "1", keys=["o", "l"]).stdout
    assert "cannot be opened: this machine has no program for it." in flat(said)


def test_where_there_is_no_image_its_key_says_so(items, launched):
    said = voting("--items", "items.csv", "--ballots", "1", keys=["o", "p", "l"]).stdout
    assert "There is no image on the left." in said and "There is no image on the right." in said
    assert launched == []


def test_an_answer_to_an_item_stands_in_the_place_of_an_image(images, launched):
    Path("items.csv").write_text(ITEMS)
    shown = voting("--items", "items.csv", "--ballots", "1", keys=["o", "l"]).stdout
    assert "Image" not in shown and launched == []


def test_one_person_at_a_terminal_is_one_person(monkeypatch):
    monkeypatch.setattr("getpass.getuser", lambda: "ann")
    made("-o", "alpha", "-o", "beta", "-o", "gamma")
    for _ in range(2):
        done = voting(keys=["l"] * 9)
    assert "Nothing is left to ask" in flat(done.stderr)
    votes = open_study("prompts", "sqlite:///copeland.db").votes()
    assert {vote.voter for vote in votes} == {"ann"}
    assert len({frozenset((vote.left, vote.right)) for vote in votes}) == len(votes) == 3


@pytest.mark.quick
def test_a_person_who_leaves_meets_the_same_ballot_again():
    made("-o", "alpha", "-o", "beta")
    voting("--voter", "ann", keys=["q"])
    voting("--voter", "ann", keys=["l"])
    (vote,) = open_study("prompts", "sqlite:///copeland.db").votes()
    assert (vote.voter, vote.outcome) == ("ann", "left")
