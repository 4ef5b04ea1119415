"""Files of votes as others write them: each format against a file of its own kind, and against its own library or a plain reader."""

import gzip
import json
import re
from collections import Counter
from pathlib import Path

import pytest
from helpers import count_calls

from copeland import PreferenceMatrix, load, rank
from copeland.errors import CopelandError, InvalidMatrix, InvalidParameter, InvalidRow, UnknownName
from copeland.formats import find_format, formats, read_votes
from copeland.study import create_study, create_study_from_votes
from copeland.support.row_files import read_table
from copeland.support.vote_tables import find_layout, read_rows


def votes_in(path, format=None, columns=None):
    """What a file says, as tuples: left, right, outcome, voter, item."""
    table, layout = read_votes(path, format, columns)
    also = [name for name in (layout.voter, layout.item) if name]
    return [
        (one.left, one.right, one.outcome, *(one.row[name] for name in also))
        for one in read_rows(table, layout)
    ]


def write_lines(path, records):
    path.write_text("".join(json.dumps(one) + "\n" for one in records))
    return path


def write_list(path, records):
    path.write_text(json.dumps(records, indent=2))
    return path


# Tables


TABLE = "left,right,outcome,voter\ntea,milk,left,ann\nmilk,tea,tie,bob\n"


def test_a_plain_table_is_read_as_ever(tmp_path):
    path = tmp_path / "votes.csv"
    path.write_text(TABLE)
    table, layout = read_votes(path)
    plain = read_table(path)
    assert layout == find_layout(plain)
    assert list(read_rows(table, layout)) == list(read_rows(plain, layout))


def test_every_way_to_keep_a_table_says_the_same(tmp_path):
    rows = [
        {"left": "tea", "right": "milk", "outcome": "left", "voter": "ann"},
        {"left": "milk", "right": "tea", "outcome": "tie", "voter": "bob"},
    ]
    (tmp_path / "votes.csv").write_text(TABLE)
    (tmp_path / "votes.csv.gz").write_bytes(gzip.compress(TABLE.encode()))
    write_lines(tmp_path / "lines.jsonl", rows)
    write_lines(tmp_path / "lines.json", rows)
    write_list(tmp_path / "list.json", rows)
    said = {tuple(votes_in(path)) for path in tmp_path.iterdir()}
    assert said == {(("tea", "milk", "left", "ann"), ("milk", "tea", "tie", "bob"))}


def test_a_parquet_file_is_read(tmp_path):
    arrow = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    rows = [{"model_a": "x", "model_b": "y", "winner": "tie (bothbad)", "tstamp": 1.5e9}]
    parquet.write_table(arrow.Table.from_pylist(rows), tmp_path / "battles.parquet")
    assert votes_in(tmp_path / "battles.parquet") == [("x", "y", "both_bad")]


def test_a_file_that_cannot_be_read_is_named_with_its_record_and_the_formats(tmp_path):
    (tmp_path / "votes.csv.gz").write_text(TABLE)
    with pytest.raises(InvalidRow, match=r"votes\.csv\.gz: it ends in \.gz, but is no whole file"):
        read_votes(tmp_path / "votes.csv.gz")
    pytest.importorskip("pyarrow")
    (tmp_path / "votes.parquet").write_text(TABLE)
    with pytest.raises(InvalidRow, match="it is not a Parquet file"):
        read_votes(tmp_path / "votes.parquet")
    path = write_lines(tmp_path / "cups.jsonl", [{"cup": 1, "size": 2}])
    with pytest.raises(InvalidRow, match="no column 'left'; the columns are cup and size") as error:
        read_votes(path)
    tried = "formats alpaca-eval, arena-hard, argilla, label-studio, label-studio-min and lmarena"
    assert tried in str(error.value)
    with pytest.raises(InvalidRow, match="no column 'generator_1', which the format alpaca-eval"):
        read_votes(path, "alpaca-eval")
    path = write_lines(tmp_path / "cups.jsonl", [{"cup": 1}])
    with pytest.raises(UnknownName, match="no format 'lmareena'; did you mean 'lmarena'"):
        read_votes(path, "lmareena")
    with pytest.raises(InvalidParameter, match="trl is only written; those that are read are"):
        read_votes(path, "trl")
    with pytest.raises(InvalidParameter, match="only files have one"):
        create_study_from_votes("cups", [{"winner": "a", "loser": "b"}], format="lmarena")
    path = tmp_path / "battles.csv"
    path.write_text("model_a,model_b,winner\n")
    with pytest.raises(
        InvalidRow, match=r"no column 'who' .*; known names: model_a, model_b, winn"
    ):
        read_votes(path, columns={"voter": "who"})
    path = write_list(tmp_path / "annotations.json", [annotation(1), annotation(3)])
    with pytest.raises(InvalidRow, match="record 2: preference is '3'; it must be from 1 to 2"):
        read_votes(path)
    other = task("left", left="x", right="y")
    other["annotations"][0]["result"][0]["type"] = "choices"
    with pytest.raises(InvalidRow, match="record 1: its annotation has no result of type 'pairw"):
        read_votes(write_list(tmp_path / "export.json", [other]))


# LMArena


def test_battles_are_read_with_who_voted_and_when(tmp_path):
    battle = {
        "question_id": "q1",
        "model_a": "vicuna",
        "model_b": "koala",
        "judge": "arena_user_1",
        "turn": 1,
        "language": "English",
        "tstamp": 1682351591.13,
    }
    winners = ["model_a", "model_b", "tie", "tie (bothbad)"]
    path = write_list(tmp_path / "battles.json", [{**battle, "winner": one} for one in winners])
    outcomes = ["left", "right", "tie", "both_bad"]
    assert votes_in(path) == [("vicuna", "koala", one, "arena_user_1") for one in outcomes]
    assert votes_in(path, "lmarena") == votes_in(path)
    assert votes_in(path, columns={"item": "question_id"})[0][-1] == "q1"
    assert read_votes(path)[1].time == "tstamp"


def test_a_winner_in_three_columns_is_read(tmp_path):
    path = tmp_path / "train.csv"
    head = "id,model_a,model_b,prompt,winner_model_a,winner_model_b,winner_tie"
    path.write_text(f"{head}\n1,x,y,Hi,1,0,0\n2,x,y,Hi,0,1,0\n3,y,x,Hi,0,0,1\n")
    assert votes_in(path) == [("x", "y", "left"), ("x", "y", "right"), ("y", "x", "tie")]
    path.write_text(f"{head}\n1,x,y,Hi,1,1,0\n")
    with pytest.raises(InvalidRow, match=r"line 2: 2 of winner_model_a, .* are marked"):
        votes_in(path)
    path.write_text("model_a,model_b,language\nx,y,English\n")
    with pytest.raises(InvalidRow, match="no column 'winner', nor 'winner_model_a'"):
        votes_in(path)


@pytest.mark.slow
def test_the_stored_battles_are_read_whole(data):
    path = data / "votes" / "arena_2023.csv.gz"
    found = votes_in(path)
    lines = gzip.decompress(path.read_bytes()).decode().splitlines()
    plain = [tuple(line.split(",")[1:4]) for line in lines[1:]]
    words = {"left": "model_a", "right": "model_b", "tie": "tie", "both_bad": "tie (bothbad)"}
    assert [(left, right, words[outcome]) for left, right, outcome in found] == plain
    judged = votes_in(path, columns={"outcome": "gpt4", "item": "question_id"})
    assert len(judged) == len(plain)


def test_every_format_is_in_the_table_of_the_docs():
    page = Path(__file__).parent.parent / "docs" / "formats.md"
    rows = re.findall(
        r"^\| `([\w-]+)` \| (\w+) \| (yes)? ?\| (yes)? ?\|", page.read_text(), re.MULTILINE
    )
    told = {name: (holds, bool(read), bool(written)) for name, holds, read, written in rows}
    assert told == {
        one.name: (one.holds, one.is_read, one.write is not None) for one in formats().values()
    }


# PrefLib


RANKED = """# FILE NAME: small.toi
# DATA TYPE: toi
# NUMBER ALTERNATIVES: 4
# ALTERNATIVE NAME 1: Tea
# ALTERNATIVE NAME 2: Milk
# ALTERNATIVE NAME 3: Juice
# ALTERNATIVE NAME 4: Juice
2: 1,{2,3}
1: 4, 1
"""


def plain_wins(path):
    """Who is ranked above whom how often, by a reader of a few lines."""
    names, wins = {}, Counter()
    for line in path.read_text().splitlines():
        name = re.match(r"# ALTERNATIVE NAME (\d+): (.*)", line)
        if name:
            names[name[1]] = name[2]
        if line.startswith("#") or not line.strip():
            continue
        times, order = line.split(":")
        levels = [re.findall(r"\d+", one) for one in re.findall(r"\{.*?\}|\d+", order)]
        for n, level in enumerate(levels):
            for lower in levels[n + 1 :]:
                for pair in ((names[a], names[b]) for a in level for b in lower):
                    wins[pair] += int(times)
    return wins


def wins_in(path):
    return Counter((left, right) for left, right, outcome, _ in votes_in(path) if outcome == "left")


def test_a_ranking_is_a_voter_for_each_of_its_times(tmp_path):
    path = tmp_path / "small.toi"
    path.write_text(RANKED)
    first = [("Tea", "Milk", "left"), ("Tea", "Juice (3)", "left"), ("Milk", "Juice (3)", "tie")]
    voters = [(*vote, voter) for voter in "12" for vote in first]
    assert votes_in(path) == [*voters, ("Juice (4)", "Tea", "left", "3")]
    layout = read_votes(path)[1]
    assert not layout.has_sides and not layout.has_order


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("2: 1,{2,3", "line 10: it is not an order such as"),
        ("2: 1,9", "line 10: there is no '# ALTERNATIVE NAME 9'"),
        ("2: 1,1", "line 10: it ranks 1 twice"),
        ("9999999: 1,2", "line 10: the orders up to here are over 1,000,000 votes"),
    ],
)
def test_a_damaged_order_is_named(tmp_path, line, said):
    path = tmp_path / "small.toi"
    path.write_text(RANKED + line + "\n")
    with pytest.raises(InvalidRow, match=re.escape(said)):
        read_votes(path)


STORED = ("00002-00000003.soi", "00007-00000019.soi", "00047-00000262.soc", "00049-00000288.soc")


@pytest.mark.parametrize("name", STORED)
def test_stored_rankings_agree_with_a_plain_reader(data, name):
    path = data / "votes" / name
    assert wins_in(path) == plain_wins(path)


@pytest.mark.parametrize("name", STORED)
def test_stored_rankings_agree_with_preflibtools(data, name):
    instances = pytest.importorskip("preflibtools.instances")
    compare = pytest.importorskip("preflibtools.properties.pairwisecomparisons")
    path = data / "votes" / name
    instance = instances.OrdinalInstance()
    instance.parse_file(str(path))
    names = instance.alternatives_name
    scores = compare.pairwise_scores(instance)
    told = {(names[a], names[b]): n for a, row in scores.items() for b, n in row.items() if n}
    assert wins_in(path) == told


# AlpacaEval, arena-hard


def annotation(preference):
    """An annotation with the fields of annotations.json."""
    return {
        "dataset": "helpful_base",
        "instruction": "How did US states get their names?",
        "output_1": "From many languages.",
        "generator_1": "gpt4_1106_preview",
        "output_2": "By history.",
        "generator_2": "mine",
        "annotator": "weighted_alpaca_eval_gpt4_turbo",
        "preference": preference,
    }


def test_annotations_are_votes_for_the_nearer_answer(tmp_path):
    said = [1.0, 2, 1.5, 0, 1.7328323962, 1.1438742347, None]
    path = write_list(tmp_path / "annotations.json", [annotation(one) for one in said])
    told = ["left", "right", "tie", "tie", "right", "left", "error"]
    assert [vote[2] for vote in votes_in(path)] == told
    judge, question = "weighted_alpaca_eval_gpt4_turbo", "How did US states get their names?"
    assert votes_in(path)[0] == ("gpt4_1106_preview", "mine", "left", judge, question)
    layout = read_votes(path)[1]
    assert not layout.has_sides  # the reference is first, wherever it was shown


def judgment(*scores, **more):
    """A judgment with the fields of arena-hard's second version."""
    games = [{"score": one, "judgment": {"answer": f"[[{one}]]"}, "prompt": []} for one in scores]
    record = {"uid": "u1", "category": "hard_prompt", "judge": "gpt-4.1", "model": "mine"}
    return {**record, "baseline": "o3-mini", "games": games, **more}


def test_judgments_are_two_votes_with_the_sides_swapped(tmp_path):
    path = write_lines(tmp_path / "mine.jsonl", [judgment("B>>A", "A>B"), judgment("A=B", None)])
    assert votes_in(path) == [
        ("o3-mini", "mine", "right", "gpt-4.1", "u1"),
        ("mine", "o3-mini", "left", "gpt-4.1", "u1"),
        ("o3-mini", "mine", "tie", "gpt-4.1", "u1"),
        ("mine", "o3-mini", "error", "gpt-4.1", "u1"),
    ]


def test_judgments_count_as_arena_hard_scores_them(tmp_path):
    share = {  # of a win of A, as its show_result.py has them
        **dict.fromkeys(("A>B", "A>>B", "B<A", "B<<A"), 1),
        **dict.fromkeys(("B>A", "B>>A", "A<B", "A<<B"), 0),
        **dict.fromkeys(("A=B", "B=A"), 0.5),
    }
    path = write_lines(tmp_path / "mine.jsonl", [judgment(one, one) for one in share])
    worth = {"left": 1, "right": 0, "tie": 0.5}
    assert [worth[vote[2]] for vote in votes_in(path)] == [n for n in share.values() for _ in "AB"]


def test_judgments_of_the_first_version_have_an_unnamed_baseline(tmp_path):
    old = judgment("A<B", "A>>B", question_id="q7")
    del old["baseline"], old["uid"]
    path = write_lines(tmp_path / "mine.jsonl", [old])
    assert votes_in(path)[0] == ("baseline", "mine", "right", "gpt-4.1", "q7")
    with pytest.raises(InvalidRow, match="line 1: the score 'A' is none of A>B"):
        read_votes(write_lines(tmp_path / "odd.jsonl", [judgment("A")]))


# Label Studio, Argilla


def task(selected, **data):
    """A task as Label Studio exports it."""
    chosen = {
        "id": "aXb",
        "from_name": "pw",
        "to_name": "text1",
        "type": "pairwise",
        "origin": "manual",
        "value": {"selected": selected},
    }
    done = {
        "id": 11,
        "completed_by": {"id": 4, "email": "ann@example.org"},
        "result": [chosen],
        "was_cancelled": False,
        "created_at": "2024-03-01T10:00:00.123456Z",
    }
    return {"id": 7, "annotations": [done], "data": {"text1": "Hi", "text2": "Ho", **data}}


def test_pairwise_annotations_are_votes(tmp_path):
    named = {"model_a": "x", "model_b": "y"}
    skipped = task("left", **named)
    skipped["annotations"][0]["was_cancelled"] = True
    path = write_list(tmp_path / "export.json", [task("right", **named), skipped])
    table, layout = read_votes(path)
    assert [one.outcome for one in read_rows(table, layout)] == ["right", "skip"]
    assert votes_in(path)[0] == ("x", "y", "right", "ann@example.org", "7")
    assert layout.time == "time"
    _, taken = create_study_from_votes("export", path)
    assert (taken.counted, taken.skipped) == (1, 1)


def test_options_of_a_task_may_be_named_by_other_columns(tmp_path):
    path = write_list(tmp_path / "export.json", [task("left")])
    with pytest.raises(InvalidRow, match=r"there is no column 'left'; .*text1, text2"):
        read_votes(path)
    columns = {"left": "text1", "right": "text2"}
    assert votes_in(path, columns=columns)[0][:3] == ("Hi", "Ho", "left")


def min_row(**more):
    """An annotation as label-studio-sdk 2.1 writes it to JSON-MIN."""
    row = {
        "text1": "Hi",
        "text2": "Ho",
        "id": 7,
        "pw": [{"selected": "right"}],
        "why": "clear",
        "annotator": 4,
        "annotation_id": 11,
        "created_at": "2024-03-01T10:00:00Z",
        "updated_at": "2024-03-01T10:00:00Z",
        "lead_time": 3.2,
    }
    return {**row, **more}


def test_json_min_says_the_same_as_json(tmp_path):
    named = {"model_a": "x", "model_b": "y"}
    unasked = min_row(id=8, annotator=None, annotation_id=None, created_at=None, **named)
    del unasked["pw"]
    empty = min_row(id=9, **named)
    del empty["pw"]
    rows = [min_row(annotator="ann@example.org", **named), unasked, empty]
    path = write_list(tmp_path / "min.json", rows)
    assert votes_in(path) == [
        ("x", "y", "right", "ann@example.org", "7"),
        ("x", "y", "skip", "4", "9"),
    ]
    whole = write_list(tmp_path / "export.json", [task("right", **named)])
    assert votes_in(path)[0] == votes_in(whole)[0]
    assert read_votes(path)[1].time == "time"
    with pytest.raises(InvalidRow, match="record 1: selected is 'up'; it must be left or right"):
        read_votes(write_list(path, [min_row(pw=[{"selected": "up"}], **named)]))
    with pytest.raises(InvalidRow, match="none of its 1 records has a vote"):
        read_votes(write_list(path, [unasked]))


def test_a_ranking_without_ranks_is_refused(tmp_path):
    record = ranked_record()
    record["responses"]["preference"][0]["value"] = ["response2", "response1"]
    path = write_list(tmp_path / "records.json", [record])
    with pytest.raises(InvalidRow, match="its answer to preference names response2 and others wit"):
        read_votes(path)
    record["responses"]["preference"][0]["value"] = ["polite", "short"]  # labels, not options
    with pytest.raises(InvalidRow, match="none of its 1 records has a vote"):
        read_votes(write_list(path, [record]))


def ranked_record(**metadata):
    """A record as Argilla's to_json writes it."""
    value = [
        {"value": "response2", "rank": 1},
        {"value": "response1", "rank": 2},
        {"value": "response3", "rank": 2},
    ]
    return {
        "id": "r1",
        "fields": {"prompt": "Hi", "response1": "a", "response2": "b", "response3": "c"},
        "metadata": metadata,
        "suggestions": {},
        "responses": {
            "preference": [{"value": value, "user_id": "u1"}],
            "comment": [{"value": "well said", "user_id": "u1"}],
        },
        "vectors": {},
        "status": "completed",
        "_server_id": None,
    }


def test_rankings_are_votes_on_their_pairs(tmp_path):
    path = write_list(tmp_path / "records.json", [ranked_record(response1="gpt", response2="mine")])
    assert votes_in(path) == [
        ("mine", "gpt", "left", "u1", "r1"),
        ("mine", "response3", "left", "u1", "r1"),
        ("gpt", "response3", "tie", "u1", "r1"),
    ]


def test_records_that_argilla_writes_are_read(tmp_path):
    argilla = pytest.importorskip("argilla")
    from argilla.records._io import JsonIO

    record = ranked_record()
    answers = record["responses"]["preference"]
    user = "3f0d1c5e-0000-4000-8000-000000000001"
    responses = [argilla.Response("preference", one["value"], user_id=user) for one in answers]
    made = argilla.Record(id="r1", fields=record["fields"], responses=responses)
    path = JsonIO.to_json([made], tmp_path / "records.json")
    assert votes_in(path)[0] == ("response2", "response1", "left", user, "r1")


# Out


@pytest.fixture
def study():
    made = create_study("tea", {"green": "Steamed.", "black": "", "white": "Dried."})
    made.add_votes(
        [
            {"left": "green", "right": "black", "outcome": "left", "voter": "ann", "item": "Hi?"},
            {"left": "white", "right": "green", "outcome": "right", "voter": "ann"},
            {"left": "white", "right": "black", "outcome": "tie", "voter": "bob"},
            {"left": "white", "right": "black", "outcome": "skip", "voter": "cid"},
        ]
    )
    return made


def test_preference_rows_have_the_texts_of_votes_that_name_a_winner(study, tmp_path):
    study.export(tmp_path / "rows.jsonl", "trl")
    lines = (tmp_path / "rows.jsonl").read_text().splitlines()
    assert [json.loads(line) for line in lines] == [
        {"prompt": "Hi?", "chosen": "Steamed.", "rejected": "black"},
        {"prompt": "", "chosen": "Steamed.", "rejected": "Dried."},
    ]


def test_preference_rows_are_what_datasets_loads(study, tmp_path):
    datasets = pytest.importorskip("datasets")
    study.export(tmp_path / "rows.jsonl", "trl")
    found = datasets.Dataset.from_json(str(tmp_path / "rows.jsonl"))
    assert found.column_names == ["prompt", "chosen", "rejected"]


def test_preflib_comes_back(study, tmp_path):
    path = tmp_path / "tea.toi"
    study.export(path)
    pairs = [("green", "black", "left"), ("green", "white", "left"), ("black", "white", "tie")]
    assert sorted(vote[:3] for vote in votes_in(path)) == sorted(pairs)
    with pytest.raises(InvalidParameter, match=r"tea\.soi must end in \.toi, because some votes"):
        study.export(tmp_path / "tea.soi")
    with pytest.raises(InvalidParameter, match=r"tea\.soc must end in \.toi"):
        study.export(tmp_path / "tea.soc")
    assert [one.name for one in tmp_path.iterdir()] == ["tea.toi"]


def test_what_preflib_exports_preflibtools_reads(study, tmp_path):
    instances = pytest.importorskip("preflibtools.instances")
    study.export(tmp_path / "tea.toi")
    instance = instances.OrdinalInstance()
    instance.parse_file(str(tmp_path / "tea.toi"))
    assert (instance.num_voters, instance.data_type) == (3, "toi")
    assert list(instance.alternatives_name.values()) == ["green", "black", "white"]


def test_parquet_comes_back_with_every_vote(study, tmp_path):
    pytest.importorskip("pyarrow")
    path = tmp_path / "tea.parquet"
    study.export(path)
    copy, taken = create_study_from_votes("copy", path, options=["green", "black", "white"])
    assert taken == 4
    kept = [vote._replace(source=None, time=round(vote.time, 3)) for vote in study.votes()]
    assert [v._replace(source=None, time=round(v.time, 3)) for v in copy.votes()] == kept


def test_what_cannot_be_written_is_refused(study, tmp_path):
    with pytest.raises(
        InvalidParameter, match=r"must end in \.csv, .* formats parquet, .* and trl"
    ):
        study.export(tmp_path / "tea.txt")
    with pytest.raises(InvalidParameter, match="name one of the formats"):
        study.export(tmp_path / "tea.json", "argilla")
    with pytest.raises(InvalidParameter, match="cannot be written: No such file"):
        study.export(tmp_path / "nowhere" / "tea.toi")


# All


def test_every_format_says_what_it_is():
    known = formats()
    assert list(known) == sorted(known)
    for name, one in known.items():
        assert one.name == name and one.summary.endswith(".")
        assert one.read or one.write or one.answers
        assert not (one.read and one.answers)
        assert one.columns or one.suffixes or one.keys or not one.is_read  # else nobody knows it


@pytest.mark.sampled(10)
@pytest.mark.parametrize("name", [one.name for one in formats().values() if one.convert])
@pytest.mark.parametrize("value", [None, 3, "text", [], {}, [None], [3], {"a": 3}, {"a": [3]}])
def test_a_record_of_anything_is_a_vote_or_a_sentence(tmp_path, name, value):
    columns = find_format(name).columns
    path = write_lines(tmp_path / "odd.jsonl", [dict.fromkeys(columns, value)])
    try:
        votes_in(path, name)
    except CopelandError as error:
        assert str(path) in str(error)


NESTED = {
    "arena-hard": lambda value: judgment(value, games=value),
    "arena-hard score": judgment,
    "label-studio": lambda value: {"data": {"left": "x", "right": "y"}, "annotations": value},
    "label-studio result": lambda value: {
        "data": {"left": "x", "right": "y"},
        "annotations": [{"result": value}],
    },
    "label-studio value": lambda value: {
        "data": {"left": "x", "right": "y"},
        "annotations": [{"result": [{"type": "pairwise", "value": value}]}],
    },
    "label-studio selected": task,
    "argilla": lambda value: {"fields": {}, "responses": {"preference": value}},
    "argilla value": lambda value: {"fields": {}, "responses": {"q": [{"value": value}]}},
    "argilla entry": lambda value: {
        "fields": {},
        "responses": {"q": [{"value": [{"value": value, "rank": 1}, {"value": "b", "rank": 2}]}]},
    },
}


@pytest.mark.sampled(10)
@pytest.mark.parametrize("name", NESTED)
@pytest.mark.parametrize("value", [None, 3, "text", [], {}, [None], [3], {"a": 3}, [{"a": [3]}]])
def test_anything_inside_a_record_is_a_vote_or_a_sentence(tmp_path, name, value):
    path = write_lines(tmp_path / "odd.jsonl", [NESTED[name](value)])
    try:
        votes_in(path, name.split()[0])
    except CopelandError as error:
        assert str(path) in str(error)


SPREAD = {"winner_model_a": 0, "winner_model_b": 1, "winner_tie": 0}
GOOD = {  # a record of each format that has columns of its own
    "alpaca-eval": annotation(1.2),
    "arena-hard": judgment("A>B"),
    "argilla": ranked_record(),
    "label-studio": task("left", left="x", right="y"),
    "label-studio-min": min_row(left="x", right="y"),
    "lmarena": {"model_a": "x", "model_b": "y", **SPREAD},
}


@pytest.mark.parametrize(
    ("name", "column"), [(name, c) for name in GOOD for c in find_format(name).columns]
)
def test_a_missing_column_is_named(tmp_path, name, column):
    record = {key: value for key, value in GOOD[name].items() if key != column}
    path = write_lines(tmp_path / "wrong.jsonl", [record])
    with pytest.raises(InvalidRow, match=f"no column '{column}', which the format {name} needs"):
        read_votes(path, name)
    with pytest.raises(InvalidRow, match=r"there is no column '\w+'; the columns are"):
        votes_in(path)


@pytest.mark.parametrize("end", ["csv", "jsonl", "json", "parquet"])
@pytest.mark.parametrize("column", ["left", "right", "outcome"])
def test_a_missing_column_of_a_table_is_named(tmp_path, end, column):
    record = {"left": "x", "right": "y", "outcome": "left", "more": "1"}
    del record[column]
    path = tmp_path / f"votes.{end}"
    if end == "csv":
        path.write_text(f"{','.join(record)}\n{','.join(record.values())}\n")
    elif end == "parquet":
        arrow = pytest.importorskip("pyarrow")
        parquet = pytest.importorskip("pyarrow.parquet")
        parquet.write_table(arrow.Table.from_pylist([record]), path)
    else:
        write_lines(path, [record])
    with pytest.raises(InvalidRow, match=f"there is no column '{column}'; the columns are"):
        read_votes(path)


def test_every_format_with_columns_is_tried_without_each():
    known = [one.name for one in formats().values() if one.read is not None and one.columns]
    assert known == list(GOOD)


@pytest.mark.slow
@pytest.mark.parametrize("name", [*GOOD, "preflib", "parquet"])
def test_a_vote_is_read_by_a_few_calls(tmp_path, name):
    path, votes = make_file(tmp_path, name, 3000), []
    assert count_calls(lambda: votes.extend(votes_in(path))) < 200 * 3000
    assert len(votes) >= 3000


def make_file(folder, name, votes):
    if name == "preflib":
        path = folder / "many.soi"
        path.write_text(RANKED.split("2: 1")[0] + f"{votes}: 1,2,3\n")
    elif name == "parquet":
        arrow = pytest.importorskip("pyarrow")
        parquet = pytest.importorskip("pyarrow.parquet")
        path, row = folder / "many.parquet", {"left": "x", "right": "y", "outcome": "tie"}
        parquet.write_table(arrow.Table.from_pylist([row] * votes), path)
    else:
        each = 3 if name == "argilla" else 1  # votes
        path = write_lines(folder / "many.jsonl", [GOOD[name]] * (votes // each + 1))
    return path


# Where else votes are read


@pytest.mark.slow
def test_a_matrix_is_loaded_from_votes_of_any_format(tmp_path):
    path = tmp_path / "small.toi"
    path.write_text(RANKED.replace("NAME 4: Juice", "NAME 4: Wine") + "1: 4,{2,3}\n")
    found = PreferenceMatrix.load(path)
    assert found.labels == ("Tea", "Milk", "Juice", "Wine")
    assert found.p[0].tolist() == [0.5, 1, 1, 0] and found.p[1, 2] == 0.5
    names = ["x,y,1,0,0", "x,y,0,0,1", "y,x,0,1,0"]
    battles = tmp_path / "train.csv"
    battles.write_text("\n".join(["model_a,model_b," + ",".join(SPREAD), *names, ""]))
    assert PreferenceMatrix.load(battles).p[0, 1] == 2.5 / 3
    listed = write_list(tmp_path / "export.json", [task("left", left="x", right="y")])
    assert PreferenceMatrix.load(listed).p[0, 1] == 1
    assert PreferenceMatrix.load(write_lines(tmp_path / "m.jsonl", [judgment("A>B", "A=B")])).k == 2
    packed = tmp_path / "votes.csv.gz"
    packed.write_bytes(gzip.compress(b"winner,loser\na,b\n"))
    assert load(str(packed)).labels == ("a", "b")
    assert load(str(path)) == found


def test_a_file_that_is_no_matrix_names_its_column(tmp_path):
    path = write_list(tmp_path / "odd.json", [{"cup": 1}])
    with pytest.raises(InvalidMatrix, match="there is no column 'left'; the columns are cup"):
        PreferenceMatrix.load(path)
    path = tmp_path / "odd.csv"
    path.write_text("model_a,model_b,language\nx,y,English\n")
    with pytest.raises(InvalidMatrix, match="no column 'winner', nor 'winner_model_a'"):
        PreferenceMatrix.load(path)
    with pytest.raises(InvalidMatrix, match=r"type \.docx hold no matrix; use one of .*\.soc"):
        PreferenceMatrix.load(tmp_path / "odd.docx")


def test_a_file_of_votes_is_ranked(tmp_path):
    path = tmp_path / "small.soi"
    path.write_text(RANKED.split("2: 1")[0] + "60: 1,2\n40: 2,1\n90: 1,3\n10: 3,1\n")
    wins = [[0, 60, 90], [40, 0, 0], [10, 0, 0]]
    names = ["Tea", "Milk", "Juice (3)"]
    found, counted = rank(path, by="strength"), rank(wins, by="strength", labels=names)
    assert found.sentence.startswith("Votes are grouped by voter.")
    for one, other in zip(found.places, counted.places, strict=True):
        assert one.name == other.name and one[2:5] == pytest.approx(other[2:5], abs=0.01)
    with pytest.raises(InvalidParameter, match="leave out ties, labels and ballots"):
        rank(path, labels=names)
    with pytest.raises(InvalidRow, match="there is no column 'left'"):
        rank(write_list(tmp_path / "odd.json", [{"cup": 1}]))


PLUGIN = """
from copeland.formats import Format

def convert(record):
    yield {"left": record["better"], "right": record["worse"], "outcome": "left"}

CUPS = Format("cups", "Cups.", columns=("better", "worse"), convert=convert)
"""


def install(folder, monkeypatch, text, value="cups_plugin:CUPS"):
    info = folder / "cups_plugin-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: cups-plugin\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(f"[copeland.formats]\ncups = {value}\n")
    (folder / "cups_plugin.py").write_text(text)
    monkeypatch.syspath_prepend(folder)
    monkeypatch.delitem(__import__("sys").modules, "cups_plugin", raising=False)


@pytest.fixture
def own_registry(monkeypatch):
    formats()
    monkeypatch.setattr("copeland.formats._registry", dict(formats()))


def test_an_installed_package_adds_a_format(tmp_path, monkeypatch, own_registry):
    install(tmp_path, monkeypatch, PLUGIN)
    path = write_lines(tmp_path / "cups.jsonl", [{"better": "tea", "worse": "milk"}])
    assert votes_in(path) == [("tea", "milk", "left")]
    assert "cups" in formats()


def test_a_broken_package_leaves_the_others_usable(tmp_path, monkeypatch, own_registry):
    install(tmp_path, monkeypatch, "raise RuntimeError('no cups')")
    with pytest.warns(UserWarning, match="'cups' of the package cups-plugin cannot be loaded"):
        assert "lmarena" in formats()
    with pytest.raises(InvalidParameter, match="RuntimeError: no cups; update the package"):
        find_format("cups")
