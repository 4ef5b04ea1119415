"""What options are compared on, as a judge gets it and as files say it."""

import pytest

from copeland.study import create_study
from copeland.study.judges import InvalidItems, Item, judge_study, read_items


def test_a_judge_is_given_the_item_as_it_is():
    items = [Item("one", "What is 1 + 1?")]
    seen = []
    study = create_study("letters", ["A", "B"], voters="judge")
    judge_study(study, lambda a, b, item: seen.append(item) or "tie", items=items)
    assert seen == items


def test_items_are_read_from_lines_tables_and_json_lines(tmp_path):
    path = tmp_path / "items.txt"
    path.write_text("Say hello.\n\n  Count to 3.\n")
    assert [item.text for item in read_items(path)] == ["Say hello.", "Count to 3."]
    path = tmp_path / "items.csv"
    path.write_text('name,text,A,B\nq1,"Say hello,\nplease.",Hello!,\n')
    assert read_items(path) == [Item("q1", "Say hello,\nplease.", {"A": "Hello!", "B": ""})]
    path = tmp_path / "items.jsonl"
    path.write_text('"Say hello."\n{"name": "q2", "text": "Count.", "answers": {"A": "1 2 3"}}\n')
    assert read_items(path) == [
        Item("Say hello.", "Say hello."),
        Item("q2", "Count.", {"A": "1 2 3"}),
    ]


@pytest.mark.parametrize(
    ("name", "content", "sentence"),
    [
        ("items.csv", "name\nq1\n", "line 1: there is no column 'text'"),
        ("items.csv", "text,A\nhello\n", "line 2: expected 2 fields"),
        ("items.csv", "text\na\nb\na\n", "line 4: there is already an item 'a'"),
        ("items.csv", 'text\n"a\n', "line 2: unexpected end of data"),
        ("items.jsonl", '"a"\n{\n', "line 2: it is not JSON"),
        ("items.jsonl", '{"name": "a"}\n', "line 1: the item has no text"),
        ("items.jsonl", '{"text": "a", "answers": [1]}\n', "line 1: answers must be an object"),
        ("items.jsonl", '{"text": "a", "name": 1}\n', "line 1: the name is 1"),
        ("items.txt", "\n\n", "it has no items"),
        ("items.xml", "", r"named \.txt, \.csv, \.jsonl"),
    ],
)
def test_a_damaged_file_of_items_is_refused_with_its_line(tmp_path, name, content, sentence):
    path = tmp_path / name
    path.write_text(content)
    with pytest.raises(InvalidItems, match=sentence):
        read_items(path)


def test_items_come_from_files_that_are_there_and_lines_may_be_named_json(tmp_path):
    with pytest.raises(InvalidItems, match=r"none\.txt: it cannot be read"):
        read_items(tmp_path / "none.txt")
    path = tmp_path / "items.json"
    path.write_text('"What is a duel?"\n{"name": "q2", "text": "Why?"}\n')
    assert [item.name for item in read_items(path)] == ["What is a duel?", "q2"]
