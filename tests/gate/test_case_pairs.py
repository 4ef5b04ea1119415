"""Two sets of answers are joined by their cases, and what does not fit is named and counted."""

import json

import pytest

from copeland.errors import InvalidParameter, InvalidRow, UnknownName
from copeland.formats.answers import AnswerCase, AnswerFile
from copeland.gate.case_pairs import pair_answers, pick_answers, refuse_empty


def write(path, rows):
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def test_files_are_joined_by_id_in_the_order_of_the_baseline(tmp_path):
    old = write(
        tmp_path / "old.jsonl",
        [
            {"id": "b", "input": "2 + 2?", "answer": "4", "tags": "sums"},
            {"id": "a", "input": "Hi?", "answer": "Hi."},
        ],
    )
    new = write(
        tmp_path / "new.jsonl",
        [{"id": "a", "answer": "Hello."}, {"id": "b", "answer": "four", "tags": "short"}],
    )
    pairs = pair_answers(old, new)
    assert pairs.names == ("old", "new")
    assert [(case.id, case.text, *pairs.answers(case)) for case in pairs.cases] == [
        ("b", "2 + 2?", "4", "four"),
        ("a", "Hi?", "Hi.", "Hello."),
    ]
    assert pairs.cases[0].tags == ("sums", "short")


def test_cases_of_one_side_are_counted_and_the_first_three_named():
    old = {f"q{i}": "x" for i in range(6)}
    with pytest.raises(InvalidRow) as refused:
        pair_answers(old, {"q0": "y", "z": "y"})
    said = str(refused.value)
    assert "5 cases are in baseline only (q1, q2, q3 ...)" in said
    assert "1 case is in candidate only (z)" in said
    assert "--inner" in said


def test_what_does_not_pair_is_dropped_or_refused():
    pairs = pair_answers({"a": "x", "b": "x"}, {"b": "y", "c": "y"}, inner=True)
    assert [case.id for case in pairs.cases] == ["b"]
    assert pairs.dropped == ("a", "c")
    with pytest.raises(InvalidRow, match="no case in common"):
        pair_answers({"a": "x"}, {"b": "y"}, inner=True)
    twice = AnswerFile(
        "old.csv", ("old",), tuple(AnswerCase("q1", "", {"old": text}) for text in "ab")
    )
    with pytest.raises(InvalidRow, match=r"old.csv names a case several times"):
        pair_answers(twice, {"q1": "x"})

    def make(text):
        return AnswerFile("f", ("o",), (AnswerCase("q1", text, {"o": "x"}),))

    with pytest.raises(InvalidRow, match="the text of case 'q1' is another"):
        pair_answers(make("2 + 2?"), make("3 + 3?"))
    case = AnswerCase("q1", "", {"a": "1", "b": "2", "c": "3"})
    file = AnswerFile("all.csv", ("a", "b", "c"), (case,))
    with pytest.raises(InvalidRow, match=r"3 options \(a, b and c\).*--goal above:NAME"):
        pair_answers(file, {"q1": "x"})
    assert pick_answers(file, "a", "c").items[0].answers == {"a": "1", "c": "3"}
    with pytest.raises(UnknownName, match=r"all\.csv has no answers of 'd'"):
        pick_answers(file, "a", "d")
    with pytest.raises(InvalidParameter, match="both 'a'"):
        pick_answers(file, "a", "a")


@pytest.mark.parametrize("side", [0, 1])
def test_an_empty_answer_is_refused_with_its_side(side):
    sets = [{"q1": "x", "q2": "y"}, {"q1": "x", "q2": "y"}]
    sets[side]["q2"] = " \n"
    name = ("baseline", "candidate")[side]
    with pytest.raises(
        InvalidRow, match=rf"{name} has no answer, or an empty one, in 1 case \(q2\)"
    ):
        refuse_empty(pair_answers(*sets))
    assert pair_answers(*sets).empty == ((1, 0) if side == 0 else (0, 1))


def test_files_of_the_same_name_get_names_that_differ(tmp_path):
    files = []
    for folder in ("one", "two"):
        (tmp_path / folder).mkdir()
        files.append(write(tmp_path / folder / "answers.jsonl", [{"id": "a", "answer": folder}]))
    assert pair_answers(*files).names == ("one", "two")


def test_the_digest_is_of_ids_texts_and_answers_and_a_set_against_itself_is_identical():
    same = {"a": "x", "b": "y"}
    pairs = pair_answers(same, same)
    assert (pairs.identical, len(pairs.cases)) == (2, 2)

    def make(case="q1", text="Hi?", answer="Hi.", tags=()):
        file = AnswerFile("f", ("o",), (AnswerCase(case, text, {"o": answer}, tags),))
        return pair_answers(file, file).digests["baseline"]

    assert make() == make(tags=("x",))
    assert len({make(), make(case="q2"), make(text="Ho?"), make(answer="Ho.")}) == 4


def test_a_mean_over_cases_needs_every_case():
    def make(option, *prices):
        cases = (
            AnswerCase(f"q{i}", "", {option: "x"}, (), {} if p is None else {option: p})
            for i, p in enumerate(prices)
        )
        return AnswerFile(option, (option,), tuple(cases))

    pairs = pair_answers(make("old", 1.0, 3.0), make("new", 1.0, 2.0))
    assert pairs.find_mean("prices", "price") == (2.0, 1.5)
    pairs = pair_answers(make("old", 1.0, 3.0), make("new", 1.0, None))
    with pytest.raises(InvalidRow, match=r"new have no price in 1 case \(q1\)"):
        pairs.find_mean("prices", "price")


@pytest.mark.parametrize("given", [None, 3, ["x"], {"a": 1}, {1: "x"}])
def test_what_is_no_set_of_answers_is_refused(given):
    with pytest.raises(InvalidParameter, match="baseline"):
        pair_answers(given, {"a": "x"})


def test_folders_of_folders_of_lm_eval_are_read_and_named_by_what_tells_them_apart(tmp_path):
    for run in ("old", "new"):
        model = tmp_path / run / "llama"
        model.mkdir(parents=True)
        (model / "results_2026.json").write_text("{}")
        for task in ("gsm8k", "trivia"):
            rows = [{"doc_id": i, "doc": {"q": i}, "resps": [[f"{run} {i}"]]} for i in range(2)]
            for time in ("2026-01-01", "2026-02-01"):  # the last run counts
                write(model / f"samples_{task}_{time}.jsonl", rows)
    pairs = pair_answers(tmp_path / "old", tmp_path / "new")
    assert pairs.names == ("old", "new")
    assert [case.id for case in pairs.cases] == ["gsm8k 0", "gsm8k 1", "trivia 0", "trivia 1"]
    assert pairs.items[1].answers == {"old": "old 1", "new": "new 1"}
