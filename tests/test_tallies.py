"""One reader for tables of votes: whatever columns, separators and encodings a file has, it says the same."""

import csv
import io
import json
import tempfile
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from copeland import PreferenceMatrix
from copeland.errors import InvalidMatrix, InvalidParameter, InvalidRow
from copeland.study import create_study_from_votes
from copeland.support.row_files import read_table
from copeland.support.vote_tables import OUTCOMES, count_votes, find_layout, is_votes, read_rows


def tally(path, columns=None):
    table = read_table(Path(path))
    return count_votes(read_rows(table, find_layout(table, columns)))


def told(tmp_path, content, columns=None, name="votes.csv"):
    """Wins of a over b, of b over a, and ties, in a file."""
    path = tmp_path / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    found = tally(path, columns)
    a, b = found.labels.index("a"), found.labels.index("b")
    return int(found.wins[a, b]), int(found.wins[b, a]), int(found.ties[a, b])


def test_outcomes_are_those_of_studies():
    from copeland.study.log import events

    assert events.OUTCOMES == OUTCOMES


@pytest.mark.sampled(10)
@pytest.mark.parametrize(
    "content",
    [
        "left,right,outcome\na,b,left\na,b,a\nb,a,left\na,b,tie\n",
        "outcome,right,left,note\nleft,b,a,x\na,b,a,\nleft,a,b,\ntie,b,a,\n",
        "model_a,model_b,winner\na,b,model_a\nb,a,model_b\na,b,model_b\na,b,tie\n",
        "model_a,model_b,winner\na,b,a\na,b,model_a\nb,a,model_a\nb,a,tie (bothbad)\n",
        "left,right,outcome,count\na,b,left,2\nb,a,a,0\na,b,right,1\na,b,tie,1\n",
        "i,j,wins,ties\na,b,2,1\nb,a,1,\n",
        "I,J,N,Ties\na,b,2.0,0\nb,a,1,1\n",
        "left,right,wins,ties\na,b,02,1\nb,a,1,0\n",
        "winner,loser,wins,ties\na,b,2,1\nb,a,1,0\n",
        "winner,loser,count,ties\na,b,1,1\nb,a,1,0\na,b,1,0\n",
        "left;right;outcome\na;b;left\na;b;left\na;b;b\na;b;tie\n",
        "left\tright\toutcome\na\tb\tleft\na\tb\tleft\na\tb\tb\na\tb\tTie\n",
        "\ufeff Left , RIGHT ,Outcome\n a , b ,left\na,b, a \nb,a,b \na,b, Both bad\n\n  \n,,\n",
        "left,right,outcome\r\na,b,left\r\na,b,left\r\nb,a,left\r\na,b,tie\r\n",
        "left,right,outcome\ra,b,left\ra,b,left\rb,a,left\ra,b,tie\r",
        'left;right;outcome;"note, or, two"\na;b;left;\na;b;left;\nb;a;left;\na;b;tie;x\n',
        "left,right,outcome\na,b,left\na,b,left\nb,a,left\na,b,tie\n".encode("utf-16"),
        "left,right,outcome\na,b,skip\na,b,error\na,b,left\na,b,left\nb,a,left\na,b,tie\n",
        "left,right,outcome,undone,counted\na,b,left,True,False\na,b,left,no,no\na,b,left,,\na,b,left,,\n"
        "b,a,left,False,True\nb,a,tie,0,1\n",
    ],
)
def test_every_form_says_the_same(tmp_path, content):
    assert told(tmp_path, content) == (2, 1, 1)


@pytest.mark.parametrize("suffix", ["jsonl", "ndjson"])
def test_lines_of_json_are_rows(tmp_path, suffix):
    rows = [
        {"model_a": "a", "model_b": "b", "winner": "model_a", "conversation_a": [{}], "n": None},
        {"Model_A": "a", "model_b": "b", "winner": "tie (bothbad)"},
    ]
    content = "\n".join(map(json.dumps, rows)) + "\n\n"
    assert told(tmp_path, content, name=f"votes.{suffix}") == (1, 0, 1)


def test_columns_of_other_names_are_named(tmp_path):
    content = "First; Second;who is better\na;b;first\na;b;a\nb;a;First\na;b;tie\n"
    columns = {"left": "first", "right": "SECOND", "outcome": "Who is better"}
    assert told(tmp_path, content, columns) == (2, 1, 1)
    content = "model_a,model_b,verdict\na,b,model_a\n"
    assert told(tmp_path, content, {"outcome": "verdict"}) == (1, 0, 0)
    content = "x,y,winner\na,b,x\na,b,b\n"
    assert told(tmp_path, content, {"left": "x", "right": "y"}) == (1, 1, 0)
    content = "x,y,wins\na,b,3\n"
    assert told(tmp_path, content, {"left": "x", "right": "y"}) == (3, 0, 0)


def test_named_columns_come_before_those_of_studies_and_others(tmp_path):
    content = "x,y,winner,loser,said\na,b,b,a,y\n"
    assert told(tmp_path, content, {"left": "x", "right": "y"}) == (0, 1, 0)
    with pytest.raises(InvalidRow, match="there is no column 'left'"):
        told(tmp_path, content, {"outcome": "said"})
    content = "left,right,outcome,winner,loser,n\na,b,left,b,a,7\n"
    assert told(tmp_path, content) == (1, 0, 0)
    assert not is_votes(["left", "right"])


@pytest.mark.sampled(10)
@pytest.mark.parametrize(
    ("content", "columns", "sentence"),
    [
        ("", {}, "line 1: the file is empty"),
        ("\n\n", {}, "line 1: the file is empty"),
        (
            "a,b\nx,y\n",
            {},
            "there is no column 'left'; the columns are a and b. Name those .* --left",
        ),
        ("left,right\nx,y\n", {}, "there is no column 'outcome'.* --outcome"),
        (
            "a,b,result\nx,y,x\n",
            {"left": "a", "right": "b", "outcome": "reslt"},
            r"line 1: there is no column 'reslt' \(--outcome\); did you mean 'result'",
        ),
        (
            "left,right,outcome\nx,y,left\n",
            {"event_id": "z"},
            r"no column 'z' \(--id\); known names",
        ),
        ("left,left,right,outcome\nx,y,z,left\n", {}, "2 columns are called 'left'"),
        (
            "left,right,outcome\nx,y,lft\n",
            {},
            "line 2: 'lft' is not an outcome; did you mean 'left'",
        ),
        ("left,right,outcome\nx,y,\n", {}, "line 2: it has no outcome"),
        ("winner,loser\nx,x\n", {}, "line 2: 'x' is on both sides"),
        ("winner,loser\n , x\n", {}, "line 2: it has no winner"),
        ("winner,loser\nx\n", {}, "line 2: expected 2 fields, but it has 1"),
        ("i,j,wins\nx,y,1.5\n", {}, "line 2: wins is '1.5'; a count is a whole number, 0 or more"),
        ("i,j,wins\nx,y,-1\n", {}, "line 2: wins is '-1'; a count is a whole number, 0 or more"),
        ("i,j,wins\nx,y,\n", {}, "line 2: wins is ''; a count is a whole number"),
        ("i,j,wins\nx,y,many\n", {}, "line 2: wins is 'many'"),
        ("i,j,wins\nx,y,١\n", {}, "line 2: wins is '١'"),
        ("i,j,wins\nx,y,2000000000000000\n", {}, "may be at most 1,000,000,000,000,000"),
        (f"i,j,wins\nx,y,{'9' * 5000}\n", {}, "may be at most 1,000,000,000,000,000"),
        ("i,j,wins,ties\nx,y,1,-2\n", {}, "line 2: ties is '-2'"),
    ],
)
def test_a_damaged_table_is_one_sentence_with_its_line(tmp_path, content, columns, sentence):
    path = tmp_path / "votes.csv"
    path.write_text(content)
    with pytest.raises(InvalidRow, match=rf"votes.csv, .*{sentence}") as caught:
        tally(path, columns)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        ("[1]", "line 1: it is not a JSON object"),
        ("{", "line 1: it is not a JSON object"),
        ("[" * 100_000, "line 1: it is not a JSON object"),
        (
            '{"left": ["a"], "right": "b", "outcome": "left"}',
            "line 1: its left is not text but a list",
        ),
        ('{"left": null, "right": "b", "outcome": "left"}', "line 1: it has no left"),
    ],
)
def test_a_damaged_line_of_json_is_a_sentence(tmp_path, line, sentence):
    (tmp_path / "votes.jsonl").write_text(line + "\n")
    with pytest.raises(InvalidRow, match=rf"votes.jsonl, {sentence}"):
        tally(tmp_path / "votes.jsonl")


def test_a_role_that_no_column_has_is_refused(tmp_path):
    (tmp_path / "votes.csv").write_text("left,right,outcome\n")
    with pytest.raises(InvalidParameter, match="no column role 'lft'; did you mean 'left'"):
        tally(tmp_path / "votes.csv", {"lft": "left"})


def test_a_matrix_is_read_from_any_table_of_votes(tmp_path):
    (tmp_path / "v.tsv").write_text("x\ty\tbest\na\tb\ta\na\tb\tb\n")
    columns = {"left": "x", "right": "y", "outcome": "best"}
    assert PreferenceMatrix.load(tmp_path / "v.tsv", columns=columns).p[0, 1] == 0.5
    (tmp_path / "v.jsonl").write_text('{"winner": "a", "loser": "b"}\n')
    assert PreferenceMatrix.load(tmp_path / "v.jsonl").labels == ("a", "b")
    with pytest.raises(
        InvalidMatrix, match=r"v.jsonl: files of type .jsonl hold no matrix; use one"
    ):
        PreferenceMatrix.load(tmp_path / "v.jsonl").save(tmp_path / "v.jsonl")


def test_a_matrix_may_have_semicolons_too(tmp_path):
    (tmp_path / "m.csv").write_text("a;b\n0.5;0.7\n0.3;0.5\n")
    assert PreferenceMatrix.load(tmp_path / "m.csv").p[0, 1] == 0.7


# Any table in any form


NAMES = ["tea", "Tea", "model_a", "=1+1", "é;x", "a, b", "left or right", "'x", "1", '"q"']
votes = st.lists(
    st.tuples(
        st.permutations(NAMES).map(lambda names: tuple(names[:2])),
        st.sampled_from(["left", "right", "tie"]),
    ),
    min_size=1,
    max_size=12,
)


def own(rows):
    return ["left", "right", "outcome"], [(*pair, outcome) for pair, outcome in rows]


def by_name(rows):
    said = {"left": 0, "right": 1}
    return ["Left", "Right", " OUTCOME"], [
        (*pair, f"{pair[said[o]]} " if o in said else "TIE") for pair, o in rows
    ]


def arena(rows):
    said = {"left": "model_a", "right": "model_b", "tie": "tie (bothbad)"}
    return ["model_a", "model_b", "winner"], [
        (*pair, pair[o == "right"] if "model_a" in pair and o != "tie" else said[o])
        for pair, o in rows
    ]


def counts(rows):
    return ["i", "j", "wins", "ties"], [
        (*(pair[::-1] if o == "right" else pair), int(o != "tie"), int(o == "tie"))
        for pair, o in rows
    ]


def written(head, rows, separator, encoding, newline):
    file = io.StringIO()
    writer = csv.writer(file, delimiter=separator, lineterminator=newline)
    writer.writerow(head)
    writer.writerows(
        [
            [cell.replace("=", "'=") if isinstance(cell, str) else cell for cell in row]
            for row in rows
        ]
    )
    return (file.getvalue() + newline).encode(encoding)


@pytest.mark.slow
@given(
    votes,
    st.sampled_from([own, by_name, arena, counts]),
    st.sampled_from(",;\t"),
    st.sampled_from(["utf-8", "utf-8-sig", "utf-16"]),
    st.sampled_from(["\n", "\r\n"]),
)
def test_any_table_in_any_form_gives_the_same_counts(rows, form, separator, encoding, newline):
    expected = {}
    for (left, right), outcome in rows:
        winner, loser = (right, left) if outcome == "right" else (left, right)
        key = (frozenset((left, right)), "") if outcome == "tie" else (winner, loser)
        expected[key] = expected.get(key, 0) + 1
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "votes.csv")
        path.write_bytes(written(*form(rows), separator, encoding, newline))
        found = tally(path)
        study, taken = create_study_from_votes("any", path, voters="independent")
    at = found.labels.index
    for key, times in expected.items():
        if key[1] == "":
            one, other = key[0]
            assert found.ties[at(one), at(other)] == times
        else:
            assert found.wins[at(key[0]), at(key[1])] == times
    assert found.wins.sum() + found.ties.sum() / 2 == len(rows) == taken == taken.counted
    assert [option.name for option in study.options] == found.labels
    standing = study.standing(voters=False)
    assert np.array_equal(standing.wins, found.wins)
    assert np.array_equal(standing.ties, found.ties)
