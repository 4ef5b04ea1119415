"""Names and texts are short enough, and do nothing but be read: in terminals, spreadsheets, shells, paths."""

import csv
import json
import os
import shlex
import unicodedata
from pathlib import Path

import pytest
from commands import run
from hypothesis import example, given
from hypothesis import strategies as st

import copeland
from copeland import PreferenceMatrix
from copeland.cli.output import note, print_json, show
from copeland.errors import InvalidParameter, InvalidRow
from copeland.study import Storage, create_study, open_study
from copeland.study.log.events import CREATED, LIMITS, WITH_LINES, Event
from copeland.study.settings import Settings
from copeland.support.escaping import cell, file_name, inert, uncell
from copeland.support.phrasing import letters, shorten_names

TITLE = "tea\x1b]0;owned\x07"  # changes the title of a terminal
CLIPBOARD = "\x9d52;c;cm0gLXJm\x9cmilk"  # the same as a C1 character: writes the clipboard
TURNED = "juice\u202egnp.exe"
BACK = "wine\x7f\x08\x08\x08\rall is well"
ACTIVE = [TITLE, CLIPBOARD, TURNED, BACK]
FORMULAS = ["=1+1", "+1", "-1", "@SUM(A1)", "'=1+1", "''-1", "'tea'", "＝1"]


def old_study(name, options, storage=None):
    """A study that was created before names were looked at."""
    kept = Storage(storage)
    shown = [{"name": one, "text": "", "path": ""} for one in options]
    body = {"settings": Settings(voters="independent").to_dict(), "options": shown}
    kept.create(name, Event(1, CREATED, 1.0, body=body))
    return open_study(name, kept)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("COPELAND_STORAGE", raising=False)
    monkeypatch.setenv("COLUMNS", "200")
    return tmp_path


# Where it enters

FIELDS = {
    "name": lambda value: create_study(value, ["a", "b"], voters="independent"),
    "voter": lambda value: create_study("s", ["a", "b"], voters="independent").ask(value),
    "item": lambda value: create_study("s", ["a", "b"], voters="independent").ask(item=value),
    "event_id": lambda value: create_study("s", ["a", "b"], voters="independent").tell(
        1, "left", event_id=value
    ),
    "source": lambda value: create_study("s", ["a", "b"], voters="independent").tell(
        1, "left", source=value
    ),
    "text": lambda value: create_study("s", {"a": value, "b": ""}, voters="independent"),
    "path": lambda value: create_study(
        "s", ["a", {"name": "b", "path": value}], voters="independent"
    ),
}


@pytest.mark.parametrize("field", FIELDS)
def test_what_is_too_long_is_refused_with_the_limit_and_the_length(field):
    most = LIMITS[field]
    said = f"{field} has {most + 1:,} characters; it may have at most {most:,}"
    with pytest.raises(InvalidParameter, match=said):
        FIELDS[field]("x" * (most + 1))


@pytest.mark.sampled(10)
@pytest.mark.slow
@pytest.mark.parametrize("field", FIELDS)
@pytest.mark.parametrize(
    "active", ["\x1b[2J", "\x9b2J", "\x7f", "\r", "\u202e", "\u2066", "\u2028"]
)
def test_control_characters_are_refused_and_named(field, active):
    with pytest.raises(InvalidParameter, match=rf"{field} .* control character U\+") as refused:
        FIELDS[field](f"a{active}b")
    assert active not in str(refused.value)


@pytest.mark.parametrize("field", [field for field in FIELDS if field not in WITH_LINES])
@pytest.mark.parametrize("active", ["\n", "\t"])
def test_names_have_one_line(field, active):
    with pytest.raises(InvalidParameter, match=r"control character U\+000"):
        FIELDS[field](f"a{active}b")


def test_texts_and_items_may_have_lines_and_tabs():
    study = create_study("s", {"a": "one\n\ttwo\r\nthree", "b": ""}, voters="independent")
    assert study.option("a").text == "one\n\ttwo\r\nthree"
    assert study.ask(item="one\ntwo").item == "one\ntwo"


@pytest.mark.slow
def test_what_is_at_the_limit_fits_every_storage(storage_of):
    for kind in ("sqlite", "postgres"):
        longest = {field: "\U0001f375" * most for field, most in LIMITS.items()}
        options = [{key: longest[key] for key in ("name", "text", "path")}, "b"]
        study = create_study(longest["name"], options, storage_of(kind), voters="independent")
        ballot = study.ask(longest["voter"], item=longest["item"])
        event_id = longest["event_id"]
        vote = study.tell(ballot, "left", event_id=event_id, source=longest["source"])
        assert (vote.voter, vote.item) == (longest["voter"], longest["item"])
        study.undo(event_id)


@pytest.mark.parametrize(
    "vote", [{"voter": "v" * 401}, {"item": TITLE}, {"event_id": "e" * 501}, {"voter": "a\nb"}]
)
def test_imported_votes_are_looked_at_too(vote):
    study = create_study("s", ["a", "b"], voters="independent")
    with pytest.raises(InvalidRow, match=r"row 0: (voter|item|event_id) .*Nothing was imported"):
        study.add_votes([{"left": "a", "right": "b", "outcome": "left", **vote}])
    assert study.standing().votes == 0


def test_options_that_are_added_or_read_from_a_file_are_looked_at_too(tmp_path):
    study = create_study("s", ["a", "b"], voters="independent")
    with pytest.raises(InvalidParameter, match="an option's name has 401 characters"):
        study.add_option("c" * 401)
    path = tmp_path / "options.csv"
    path.write_text(f"name,text\na,{TITLE}\nb,\n")
    with pytest.raises(InvalidRow, match="line 2: an option's text is"):
        create_study("t", path, voters="independent")


# Where it is shown


def quiet(done):
    """What a command said, which nothing in it makes a terminal obey."""
    said = done.stdout + done.stderr
    assert not [
        letter
        for letter in said
        if (unicodedata.category(letter) == "Cc" and letter not in "\t\n") or letter in "\u202e"
    ]
    return said


COMMANDS = [
    ("list",),
    ("status", TITLE),
    ("status", TURNED),
    ("ask", TITLE, "--voter", "ann"),
    ("tell", TITLE, "99", TITLE),
    ("certify", TITLE, "--out", "c.json"),
    ("verify", "c.json"),
    ("export", TITLE, "votes.csv"),
    ("import", TITLE, "votes.csv"),
    ("report", TITLE),
    ("undo", TITLE, CLIPBOARD),
    ("option", "pause", TITLE, TITLE),
    ("option", "add", TITLE, TITLE),
    ("judge", TITLE, "--command", "true", "--calls", "3"),
    ("judge", TITLE, "--command", f"sh -c 'printf \"{TITLE}\" >&2; exit 1'", "--calls", "3"),
    ("judge", TITLE, "--command", TITLE),
    ("close", TITLE),
    (TITLE,),
    ("list", "--storage", f"sqlite:///{CLIPBOARD}.db"),
]


@pytest.mark.slow
def test_what_an_old_database_holds_controls_no_terminal(folder, few_worlds):
    study = old_study(TITLE, ACTIVE, "sqlite:///copeland.db")
    study.add_votes(
        [
            {"left": ACTIVE[i], "right": ACTIVE[j], "outcome": "left"}
            for i in range(4)
            for j in range(i)
        ]
        * 30
    )
    for words in COMMANDS:
        quiet(run("study", *words))
        quiet(run("study", *words, "--json"))
    assert "tea\N{REPLACEMENT CHARACTER}]0;owned" in quiet(run("study", "status", TITLE))
    shown = run("study", "vote", TITLE, "--ballots", "1")
    quiet(shown)
    page = next(folder.glob("*.html")).read_text()
    assert page == inert(page) and "]0;owned" in page


def test_styles_of_a_terminal_pass_and_escapes_of_a_text_do_not(monkeypatch, capsys):
    from rich.table import Table
    from rich.text import Text

    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("TERM", "xterm")
    table = Table(title=TITLE)
    table.add_column(Text(CLIPBOARD))
    table.add_row(Text(TITLE))
    show(Text(TITLE, style="bold"), table, TURNED)
    note(TITLE)
    said = capsys.readouterr()
    assert "\x1b[1m" in said.out
    for text in (said.out, said.err):
        assert not any(active in text for active in ("\x1b]", "\x07", "\x9d", "\u202e"))


def test_json_escapes_every_control_character(capsys):
    print_json(ACTIVE)
    said = capsys.readouterr().out
    assert inert(said) == said and json.loads(said) == ACTIVE


@pytest.mark.slow
def test_labels_of_a_matrix_control_no_terminal(folder):
    PreferenceMatrix([[0.5, 0.7], [0.3, 0.5]], labels=[TITLE, CLIPBOARD]).save("m.json")
    assert "]0;owned" in quiet(run("winners", "m.json"))
    quiet(run("winners", TITLE))
    quiet(run(TITLE))
    quiet(run("simulate", "m.json", "-a", TITLE))


@pytest.mark.slow
@given(st.text(st.characters(codec=None, categories=["Cc", "Cf", "Cs", "Zl", "Zp", "L"])))
def test_inert_text_can_be_printed_and_kept(text):
    shown = inert(text)
    assert shown.encode().decode() == shown
    assert all(letter in "\t\n" or unicodedata.category(letter) != "Cc" for letter in shown)
    assert inert(shown) == shown


# Short names


def test_shortening_takes_time_in_proportion_to_the_length(monkeypatch):
    looked_up, width = [], unicodedata.east_asian_width
    monkeypatch.setattr(
        unicodedata, "east_asian_width", lambda letter: looked_up.append(letter) or width(letter)
    )
    names = [f"{'x' * 10_000}{i}" for i in range(5)]
    shorten_names(names, 12)
    assert len(looked_up) < 20 * sum(map(len, names))


@pytest.mark.slow
@given(
    st.lists(st.text(min_size=1, max_size=40), min_size=1, max_size=6, unique=True),
    st.integers(12, 20),
)
@example(["x" * 30, "x" * 31, "xxxxxxxxx… (2)"], 14)
@example(["茶" * 9, "茶" * 10], 12)
def test_shortened_names_fit_and_differ(names, most):
    found = shorten_names(names, most)
    assert all(letters(name) <= most for name in found)
    assert len(set(found)) == len(names)


def test_names_are_cut_once_and_between_letters():
    assert shorten_names(["a" * 10 + "e\u0301bcde"], 12) == ["a" * 10 + "…"]
    assert shorten_names(["a" * 30, "a" * 31], 12) == ["aaaaaaa… (1)", "aaaaaaa… (2)"]


@pytest.mark.slow
@given(st.text(max_size=60), st.integers(8, 20), st.integers(1, 3))
def test_a_wrapped_name_loses_nothing_but_its_end(name, most, lines):
    whole = " ".join(inert(name).split())
    (shown,) = shorten_names([name], most, lines)
    assert all(letters(line) <= most for line in shown.split("\n")) and shown.count("\n") < lines
    assert same(whole).startswith(same(shown.removesuffix("…"))) or same(whole) == same(shown)


def same(text):
    return "".join(text.split())


# Spreadsheets


@pytest.mark.slow
@given(st.text("'=+-@\t\r\n＝x", max_size=4))
def test_a_cell_is_never_a_formula_and_comes_back(text):
    assert not cell(text) or cell(text)[0] not in "=+-@\t\r\n＝＋－＠"
    assert uncell(cell(text)) == text


@pytest.mark.slow
def test_exported_names_are_no_formulas_and_come_back(tmp_path):
    study, other = (create_study(name, FORMULAS, voters="independent") for name in "st")
    votes = [
        {"left": one, "right": FORMULAS[0], "outcome": "left", "voter": one, "item": one}
        for one in FORMULAS[1:]
    ]
    study.add_votes(votes)
    study.export(tmp_path / "votes.csv")
    with (tmp_path / "votes.csv").open(newline="", encoding="utf-8") as file:
        cells = [value for row in csv.reader(file) for value in row]
    assert not [value for value in cells if value and value[0] in "=+-@\t\r＝"]
    assert other.import_votes(tmp_path / "votes.csv") == len(votes)
    kept = other.votes(frame=True)[["left", "right", "outcome", "voter", "item"]]
    assert kept.to_dict("records") == votes


def test_saved_labels_are_no_formulas_and_come_back(tmp_path):
    m = PreferenceMatrix([[0.5, 0.7], [0.3, 0.5]], labels=["=1+1", "'-x"])
    m.save(tmp_path / "m.csv")
    assert (tmp_path / "m.csv").read_text().startswith("'=1+1,''-x")
    assert copeland.load(str(tmp_path / "m.csv")).labels == m.labels


# Shells and paths


@pytest.mark.slow
def test_hints_can_be_pasted_into_a_shell(folder):
    name = "tea; touch owned $(id)"
    made = run("study", "create", name, "-o", "a", "-o", "b", "--voters", "independent").stdout
    asked = run("study", "ask", name).stdout
    certified = run("study", "certify", name, "--out", "c d.json").stderr
    hints = [text.partition(": copeland ")[2] for text in (made, asked, certified)]
    hints[1] = asked.partition("Answer: copeland ")[2]
    words = [shlex.split(hint) for hint in hints]
    assert words[0][:3] == ["study", "vote", name]
    assert shlex.quote(name) in made.splitlines()[-1]  # for clicks
    assert words[1][:3] == ["study", "tell", name]
    assert words[2] == ["study", "verify", "c d.json"]
    judged = run("study", "judge", name, "--command", "echo left", "--calls", "1").stdout
    assert shlex.quote(name) in judged


@pytest.mark.slow
def test_a_name_with_a_dash_in_front_is_no_option_in_a_hint(folder):
    made = run("study", "create", "-o", "a", "-o", "b", "--", "-tea").stdout
    assert "copeland study vote -- -tea" in made


@pytest.mark.slow
@pytest.mark.parametrize("name", ["../evil", "/evil", "..", ".hidden", "a/b", "-rf"])
def test_the_name_of_a_study_chooses_no_folder(tmp_path, monkeypatch, name):
    inside = tmp_path / "inside"
    inside.mkdir()
    monkeypatch.chdir(inside)
    create_study(name, ["a", "b"], "sqlite:///copeland.db", voters="independent")
    done = run("study", "report", "--", name)
    assert done.exit_code == 0, done.stderr
    pages = list(inside.glob("*.html"))
    assert len(pages) == 1 and pages[0].name[0] not in ".-"
    assert [path.name for path in tmp_path.iterdir()] == ["inside"]


@given(st.text(max_size=300))
def test_a_file_name_is_one_part_of_a_path(name):
    found = file_name(name)
    assert Path(found).name == found and found not in (".", "..") and "\\" not in found
    assert len(os.fsencode(found)) <= 206
