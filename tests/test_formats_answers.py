"""Files of answers to test cases: each format against a file of its own kind, and what is said of wrong ones."""

import gzip
import json
import sys
from types import ModuleType, SimpleNamespace

import pytest
from helpers import count_calls

from copeland.errors import CopelandError, InvalidParameter, InvalidRow, MissingExtra
from copeland.formats import find_format, formats, read_votes
from copeland.formats.answers import AnswerCase, find_answer_format, read_answers
from copeland.study.judges import read_items
from copeland.study.judges.prompts import Item, cluster_items


def write_lines(path, records):
    path.write_text("".join(json.dumps(one) + "\n" for one in records))
    return path


def write_text(path, text):
    path.write_text(text)
    return path


# Plain tables


def test_a_column_for_each_option(tmp_path):
    path = tmp_path / "runs.csv"
    path.write_text(
        "id,input,GPT-4,Mine,tags,Mine price,gpt-4 seconds\nq1,2 + 2?,4,four,sums; easy,0.25,1.5\nq2,3?,3,,,,\n"
    )
    found = read_answers(path)
    assert found.options == ("GPT-4", "Mine")
    assert found.cases == (
        AnswerCase(
            "q1",
            "2 + 2?",
            {"GPT-4": "4", "Mine": "four"},
            ("sums", "easy"),
            {"Mine": 0.25},
            {"GPT-4": 1.5},
        ),
        AnswerCase("q2", "3?", {"GPT-4": "3", "Mine": ""}),  # an empty cell is an empty answer
    )


@pytest.mark.parametrize("column", ["answer", "output", "response", "completion"])
def test_one_option_goes_by_the_name_of_its_file(tmp_path, column):
    row = {"id": 7, "input": "2 + 2?", column: "4", "cost": 0.1, "latency": 2, "target": "4"}
    found = read_answers(write_lines(tmp_path / "old.jsonl", [{**row, "tags": ["a, b", "c"]}]))
    tags = ("a, b", "c")
    case = AnswerCase("7", "2 + 2?", {"old": "4"}, tags, {"old": 0.1}, {"old": 2.0}, expected="4")
    assert case.expected == "4"  # the reference answer, which is no option's
    assert (found.options, found.cases) == (("old",), (case,))


def test_a_column_tells_several_options_apart(tmp_path):
    head, rows = "id,model,answer\n", "q1,x,4\nq1,y,four\nq2,x,5\n"
    found = read_answers(write_text(tmp_path / "all.csv", head + rows))
    assert found.options == ("x", "y")
    assert [case.answers for case in found.cases] == [{"x": "4", "y": "four"}, {"x": "5"}]
    alone = read_answers(write_text(tmp_path / "new.csv", head + "q1,x,4\nq2,x,5\n"))
    assert alone.options == ("new",)


def test_every_way_to_keep_a_table_says_the_same(tmp_path):
    rows = [{"id": "q1", "input": "2?", "old": "2", "new": "two"}]
    text = "id,input,old,new\nq1,2?,2,two\n"
    write_text(tmp_path / "runs.csv", text)
    write_text(tmp_path / "runs.tsv", text.replace(",", "\t"))
    (tmp_path / "runs.csv.gz").write_bytes(gzip.compress(text.encode()))
    write_lines(tmp_path / "runs.jsonl", rows)
    write_text(tmp_path / "runs.json", json.dumps(rows, indent=1))
    arrow = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    parquet.write_table(arrow.Table.from_pylist(rows), tmp_path / "runs.parquet")
    read = [read_answers(path) for path in sorted(tmp_path.iterdir())]
    assert len(read) == 6
    assert {(one.options, str(one.cases)) for one in read} == {
        (read[0].options, str(read[0].cases))
    }


def test_what_json_leaves_out_is_no_answer_and_repeated_ids_are_named(tmp_path):
    rows = [{"id": 1, "old": "a", "new": None}, {"id": 2, "old": "b"}, {"id": 3, "new": ""}]
    found = read_answers(write_lines(tmp_path / "runs.jsonl", rows))
    assert [case.answers for case in found.cases] == [{"old": "a"}, {"old": "b"}, {"new": ""}]
    path = write_text(tmp_path / "old.csv", "id,answer\nq1,a\nq2,b\nq1,c\nq1,d\nq2,e\nq3,f\n")
    with pytest.raises(InvalidRow) as error:
        read_answers(path)
    said = (
        "line 4: the case 'q1' has an answer of 'old' before (line 2), and so for 1 more; give each"
    )
    assert f"{path}, {said}" in str(error.value)
    path = write_lines(tmp_path / "old.jsonl", [{"id": 1, "answer": {"a": 1}}])
    with pytest.raises(InvalidRow, match="line 1: its answer is not text but a dict"):
        read_answers(path)
    path = write_lines(tmp_path / "none.jsonl", [{"id": 1, "answer": None}])
    with pytest.raises(InvalidRow, match="none of its 1 answers is there"):
        read_answers(path)
    (tmp_path / "both").mkdir()
    write_text(tmp_path / "both" / "new.csv", "id,input,answer\nq1,2?,b\n")
    write_text(tmp_path / "both" / "old.csv", "id,input,answer\nq1,3?,c\n")
    with pytest.raises(InvalidRow, match=r"old\.csv.*: the text of case 'q1' is another"):
        read_answers(tmp_path / "both")
    with pytest.raises(InvalidRow, match="there are no files in the folder"):
        (tmp_path / "empty").mkdir()
        read_answers(tmp_path / "empty")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("input,answer\n2?,2\n", "there is no column 'id' for the id of each case"),
        ("id,input\nq1,2?\n", "there is no column 'answer', nor one for each option"),
        ("id,input,price\nq1,2?,1\n", "there is no column 'answer', nor one for each option"),
        ("id,answer,Answer\nq1,2,2\n", "2 columns are called 'answer'"),
        ("id,old,Old\nq1,2,2\n", "2 columns are called 'old'"),
        ("id,answer\n,2\n", "line 2: its id is empty"),
        ("id,answer,price\nq1,2,much\n", "line 2: price is 'much'; it must be a number"),
        ("id,answer,seconds\nq1,2,-1\n", "line 2: seconds is '-1'; it must be a number"),
        ("id,answer,price\nq1,2,nan\n", "price is 'nan'"),
        ("id,model,answer\nq1,,2\n", "line 2: its model is empty"),
        ("id,answer\n", "there are no cases in it"),
    ],
)
def test_a_wrong_table_gets_a_sentence_with_the_column(tmp_path, text, said):
    path = write_text(tmp_path / "old.csv", text)
    with pytest.raises(InvalidRow) as error:
        read_answers(path)
    assert said in str(error.value) and str(path) in str(error.value)


def test_a_column_says_which_cases_hang_together(tmp_path):
    rows = "q1,2?,2,two,arithmetic,book\nq2,3?,3,three,,book\n"
    path = write_text(tmp_path / "runs.csv", f"id,input,old,new,Cluster,source\n{rows}")
    found = read_answers(path)
    assert found.options == ("old", "new", "source")  # it is a column like any other
    assert [case.cluster for case in found.cases] == ["arithmetic", ""]
    found = read_answers(path, cluster="source")
    assert [case.cluster for case in found.cases] == ["book", "book"]
    with pytest.raises(InvalidRow, match="no column 'author', which is to say which cases hang"):
        read_answers(path, cluster="author")
    path = results_file(tmp_path / "results.json", [result(0, 0, "a", "x")])
    with pytest.raises(InvalidParameter, match="a file of promptfoo, which has no column 'page'"):
        read_answers(path, cluster="page")


def test_files_of_a_folder_must_name_the_same_cluster(tmp_path):
    write_text(tmp_path / "new.csv", "id,answer,cluster\nq1,b,x\nq2,b,y\n")
    write_text(tmp_path / "old.csv", "id,answer\nq1,c\nq2,c\n")
    assert [case.cluster for case in read_answers(tmp_path).cases] == ["x", "y"]
    write_text(tmp_path / "old.csv", "id,answer,cluster\nq1,c,x\nq2,c,z\n")
    with pytest.raises(InvalidRow, match="case 'q2' is of two clusters, 'y' and 'z'"):
        read_answers(tmp_path)


# Folders


def test_the_files_of_a_folder_are_joined_by_id(tmp_path):
    write_text(tmp_path / "new.csv", "id,answer,tags\nq2,b,y\nq1,a,x\n")
    write_text(tmp_path / "old.csv", "id,input,answer,price\nq1,2?,c,.5\nq3,3?,d,1\n")
    (tmp_path / ".hidden").write_text("no table")
    found = read_answers(tmp_path)
    assert found.options == ("new", "old")
    assert found.cases == (
        AnswerCase("q2", "", {"new": "b"}, ("y",)),
        AnswerCase("q1", "2?", {"new": "a", "old": "c"}, ("x",), {"old": 0.5}),
        AnswerCase("q3", "3?", {"old": "d"}, (), {"old": 1.0}),
    )


# promptfoo


def result(test, prompt, provider, output, **more):
    """A result with the fields that promptfoo 0.123 writes."""
    label = ["Say {{q}}", "Shout {{q}}"][prompt % 2]
    return {
        "cost": 0.002,
        "gradingResult": None,
        "id": f"r{test}{prompt}",
        "latencyMs": 450,
        "namedScores": {},
        "prompt": {"raw": label.replace("{{q}}", "hello"), "label": label, "config": {}},
        "promptId": "p",
        "promptIdx": prompt,
        "provider": {"id": provider, "label": ""},
        "response": {"output": output, "cached": False, "tokenUsage": {"total": 9}},
        "score": 1,
        "success": True,
        "testCase": {"vars": {"q": f"hello {test}"}, "metadata": {"category": "greet"}},
        "testIdx": test,
        "vars": {"q": f"hello {test}"},
        "failureReason": 0,
        **more,
    }


def results_file(path, results, **more):
    inner = {"version": 3, "timestamp": "2026", "prompts": [], "results": results, "stats": {}}
    outer = {"evalId": "eval-1", "results": inner, "config": {}, "shareableUrl": None, **more}
    return write_text(path, json.dumps(outer))


def test_results_of_promptfoo_are_answers_of_prompts_and_providers(tmp_path):
    both = [(0, "openai:small"), (1, "openai:small"), (2, "local"), (3, "local")]
    rows = [result(t, p, by, f"{t}{p}") for t in range(2) for p, by in both]
    found = read_answers(results_file(tmp_path / "results.json", rows))
    assert found.options == (
        "openai:small: Say {{q}}",
        "openai:small: Shout {{q}}",
        "local: Say {{q}}",
        "local: Shout {{q}}",
    )
    case = found.cases[1]
    assert (case.id, case.text, case.tags) == ("1", "hello 1", ("greet",))
    assert list(case.answers.values()) == ["10", "11", "12", "13"]
    assert set(case.prices.values()) == {0.002} and set(case.seconds.values()) == {0.45}
    lines = read_answers(write_lines(tmp_path / "results.jsonl", rows))
    assert (lines.options, lines.cases) == (found.options, found.cases)


def test_promptfoo_has_options_ids_and_failures(tmp_path):
    def options(*columns):
        rows = [result(0, p, by, "x") for p, by in columns]
        return read_answers(results_file(tmp_path / "results.json", rows)).options

    assert options((0, "a"), (2, "b")) == ("a", "b")
    assert options((0, "a"), (1, "a")) == ("Say {{q}}", "Shout {{q}}")
    assert options((0, "a"), (2, "a")) == ("a (1)", "a (2)")  # the same twice, to see noise
    named = {"vars": {"q": "hi", "lang": "en"}, "metadata": {"id": "greet-1", "tags": ["a", "b"]}}
    row = result(0, 0, "a", {"text": "hi"}, testCase=named, vars=named["vars"])
    case = read_answers(results_file(tmp_path / "results.json", [row])).cases[0]
    assert (case.id, case.text, case.tags) == ("greet-1", "q: hi\nlang: en", ("a", "b"))
    assert list(case.answers.values()) == ['{"text": "hi"}']
    failed = result(0, 2, "b", None, error="timeout", failureReason=2)
    del failed["response"]
    rows = [result(0, 0, "a", "x"), failed]
    found = read_answers(results_file(tmp_path / "results.json", rows))
    assert found.options == ("a", "b") and found.cases[0].answers == {"a": "x"}


def test_old_results_of_promptfoo_know_a_test_by_its_variables(tmp_path):
    rows = [result(t, p, "ab"[p // 2], f"{t}{p}") for t in range(2) for p in (0, 2)]
    for row in rows:
        for key in ("testIdx", "promptIdx", "testCase", "promptId", "id"):
            del row[key]
    old = {"version": 2, "timestamp": "2024", "results": rows, "table": {}, "stats": {}}
    path = write_text(tmp_path / "old.json", json.dumps({"results": old, "config": {}}, indent=1))
    found = read_answers(path)
    assert found.options == ("a", "b")
    assert [case.answers for case in found.cases] == [
        {"a": "00", "b": "02"},
        {"a": "10", "b": "12"},
    ]


def test_runs_of_a_test_of_promptfoo_are_one_cluster(tmp_path):
    """As --repeat 2 writes them: every run has a number of its own and the same variables."""
    rows = [result(t, 0, "a", f"{t}") for t in (3, 0, 2, 1)]
    for row in rows:
        row["vars"] = {"q": f"hello {row['testIdx'] // 2}"}
    found = read_answers(results_file(tmp_path / "results.json", rows))
    told = {case.id: case.cluster for case in found.cases}
    assert told == {"0": "0", "1": "0", "2": "2", "3": "2"}
    for row in rows:
        row["testCase"] = {"metadata": {"id": f"greet-{row['testIdx'] // 2}"}}
    found = read_answers(results_file(tmp_path / "results.json", rows))
    told = {case.id: (case.cluster, case.answers["a"]) for case in found.cases}
    assert told == {
        "greet-0": ("greet-0", "0"),
        "greet-0 (run 2)": ("greet-0", "1"),
        "greet-1": ("greet-1", "2"),
        "greet-1 (run 2)": ("greet-1", "3"),
    }
    rows[0]["testCase"]["metadata"]["cluster"] = "page 7"
    found = read_answers(results_file(tmp_path / "results.json", rows))
    assert found.cases[0].cluster == "page 7"


# Inspect


def sample(id, input, completion, **more):
    usage = {"m": SimpleNamespace(total_cost=0.25), "grader": SimpleNamespace(total_cost=None)}
    return SimpleNamespace(
        **{
            "id": id,
            "epoch": 1,
            "input": input,
            "output": SimpleNamespace(completion=completion),
            "metadata": {},
            "model_usage": usage,
            "total_time": 1.5,
            "error": None,
            "target": ["4", "four"],
            **more,
        }
    )


@pytest.fixture
def fake_inspect(monkeypatch):
    """Inspect's reader, which returns the log that a test puts here; the real one is tried where it is installed."""
    log = SimpleNamespace(eval=SimpleNamespace(model="openai/small", task="sums"), samples=[])
    package, reader = ModuleType("inspect_ai"), ModuleType("inspect_ai.log")
    monkeypatch.setattr(reader, "read_eval_log", lambda path: log, raising=False)
    monkeypatch.setitem(sys.modules, "inspect_ai", package)
    monkeypatch.setitem(sys.modules, "inspect_ai.log", reader)
    return log


def test_samples_of_inspect_are_answers_of_the_model(tmp_path, fake_inspect):
    told = [
        SimpleNamespace(role="system", text="Be brief."),
        SimpleNamespace(role="user", text="?"),
    ]
    fake_inspect.samples = [
        sample("q1", "2 + 2?", "4", metadata={"category": "sums", "author": "ann"}),
        sample("q1", "2 + 2?", "four", epoch=2),
        sample(2, told, "", model_usage={}),
        sample(3, told[1:], "x", error=SimpleNamespace(message="timeout")),
    ]
    found = read_answers(write_text(tmp_path / "log.eval", "zip"))
    model, seconds, target = "openai/small", {"openai/small": 1.5}, "4\nfour"
    assert found.options == (model,)
    assert found.cases == (
        AnswerCase("q1", "2 + 2?", {model: "4"}, ("sums",), {model: 0.25}, seconds, "q1", target),
        AnswerCase(
            "q1 (epoch 2)", "2 + 2?", {model: "four"}, (), {model: 0.25}, seconds, "q1", target
        ),
        AnswerCase("2", "system: Be brief.\nuser: ?", {model: ""}, (), {}, seconds, "2", target),
        AnswerCase("3", "?", {}, (), {model: 0.25}, seconds, "3", target),
    )
    fake_inspect.samples = [sample(n, "?", "x", metadata={"cluster": "doc"}) for n in (1, 2)]
    found = read_answers(tmp_path / "log.eval")
    assert [case.cluster for case in found.cases] == ["doc", "doc"]


def test_a_log_in_json_is_known_by_its_keys(tmp_path, fake_inspect):
    fake_inspect.samples = [sample("q1", "2?", "2")]
    fake_inspect.eval.model = "none/none"
    keys = {"version": 2, "status": "success", "eval": {}, "plan": {}, "samples": []}
    path = write_text(tmp_path / "log.json", json.dumps(keys, indent=2))
    assert read_answers(path).options == ("sums",)  # the task, as an agent has no one model
    fake_inspect.samples = None
    with pytest.raises(InvalidRow, match=r"log\.json: the log has no samples"):
        read_answers(path)


def test_without_inspect_its_extra_is_named(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "inspect_ai", None)
    monkeypatch.setitem(sys.modules, "inspect_ai.log", None)
    with pytest.raises(MissingExtra, match=r"copeland\[inspect\]"):
        read_answers(write_text(tmp_path / "log.eval", "zip"))


@pytest.mark.parametrize("kind", ["eval", "json"])
def test_a_log_that_inspect_writes_is_read(tmp_path, kind):
    pytest.importorskip("inspect_ai", reason="Inspect is a large extra")
    from inspect_ai.log import (
        EvalConfig,
        EvalDataset,
        EvalLog,
        EvalSample,
        EvalSpec,
        write_eval_log,
    )
    from inspect_ai.model import ModelOutput

    made = [
        EvalSample(
            id=id, epoch=1, input="?", target="", output=ModelOutput.from_content("m", id * 2)
        )
        for id in ("q1", "q2")
    ]
    spec = EvalSpec(
        created="2026-01-01T00:00:00+00:00",
        task="sums",
        dataset=EvalDataset(),
        model="m",
        config=EvalConfig(),
    )
    path = tmp_path / f"log.{kind}"
    write_eval_log(EvalLog(status="success", eval=spec, samples=made), str(path))
    found = read_answers(path)
    assert [case.answers for case in found.cases] == [{"m": "q1q1"}, {"m": "q2q2"}]
    with pytest.raises(InvalidRow, match="Inspect cannot read it as a log"):
        read_answers(write_text(tmp_path / "wrong.eval", "no log"))


# lm-evaluation-harness


def harness_sample(doc, answer, filter="none"):
    """A line as version 0.4 writes it for a task that generates."""
    return {
        "doc_id": doc,
        "doc": {"question": f"{doc} + 1?"},
        "target": "4",
        "arguments": {"gen_args_0": {"arg_0": f"Q: {doc} + 1?", "arg_1": {"until": ["\n"]}}},
        "resps": [[answer]],
        "filtered_resps": [answer[:1]],
        "filter": filter,
        "metrics": ["exact_match"],
        "doc_hash": "d",
        "prompt_hash": "p",
        "target_hash": "t",
        "exact_match": 1.0,
    }


def test_samples_of_the_harness_are_answers_of_the_model_in_its_folder(tmp_path):
    (tmp_path / "org__small").mkdir()
    rows = [harness_sample(d, f"{d} is it", f) for f in ("strict", "flexible") for d in (3, 4)]
    found = read_answers(write_lines(tmp_path / "org__small" / "samples_gsm8k_2026.jsonl", rows))
    assert found.options == ("org__small",)
    assert [(case.id, case.text) for case in found.cases] == [
        ("3", "Q: 3 + 1?"),
        ("4", "Q: 4 + 1?"),
    ]
    assert found.cases[0].answers == {"org__small": "3 is it"}
    assert found.cases[0].expected == "4"
    assert read_answers(write_lines(tmp_path / "mine.jsonl", rows)).options == ("mine",)


def test_tasks_of_the_harness_without_text_are_refused(tmp_path):
    chosen = {**harness_sample(1, "x"), "resps": [[["-1.5", "False"]], [["-2.5", "True"]]]}
    with pytest.raises(InvalidRow, match="line 1: its resps hold no text"):
        read_answers(write_lines(tmp_path / "samples.jsonl", [chosen]))


# All


GOOD = {"lm-eval": harness_sample(1, "x"), "promptfoo": result(0, 0, "a", "x")}
NEEDED = [("lm-eval", c) for c in ("doc_id", "doc", "resps")] + [
    ("promptfoo", c) for c in ("provider", "prompt")
]


@pytest.mark.parametrize(("name", "column"), NEEDED)
def test_a_missing_column_is_named(tmp_path, name, column):
    record = {key: value for key, value in GOOD[name].items() if key != column}
    path = write_lines(tmp_path / "wrong.jsonl", [record])
    with pytest.raises(
        InvalidRow, match=rf"no (column )?'{column}', which the format {name} needs"
    ):
        read_answers(path, name)


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ({"results": {"version": 3}, "config": {}}, "its 'results' in 'results' are not a list"),
        ({"results": [], "config": {}}, "its 'results' is not an object"),
        ({"rows": [], "more": 1}, "with more and rows, and no known format: inspect needs eval,"),
    ],
)
def test_a_wrong_object_is_named_by_its_keys(tmp_path, content, said):
    path = write_text(tmp_path / "results.json", json.dumps(content, indent=1))
    with pytest.raises(InvalidRow) as error:
        read_answers(path)
    assert said in str(error.value) and str(path) in str(error.value)


@pytest.mark.sampled(10)
@pytest.mark.slow
@pytest.mark.parametrize("name", [one.name for one in formats().values() if one.answers])
@pytest.mark.parametrize(
    "value", [None, 3, "text", [], {}, [None], {"results": 3}, {"results": {"results": [{}, 3]}}]
)
@pytest.mark.parametrize("end", [".json", ".jsonl", ".csv", ".eval"])
def test_a_file_of_anything_is_cases_or_a_sentence(tmp_path, fake_inspect, name, value, end):
    path = write_text(tmp_path / f"odd{end}", json.dumps(value))
    for read in (lambda: read_answers(path), lambda: read_answers(path, name)):
        with pytest.raises(CopelandError) as error:
            read()
        assert str(path) in str(error.value)


@pytest.mark.sampled(10)
@pytest.mark.parametrize("value", [None, 3, "text", [], {}, [None], [3], {"a": 3}, {"output": [3]}])
@pytest.mark.parametrize(
    "column", ["prompt", "provider", "response", "testCase", "testIdx", "vars", "cost", "latencyMs"]
)
def test_anything_inside_a_result_is_a_case_or_a_sentence(tmp_path, column, value):
    path = results_file(tmp_path / "odd.json", [{**result(0, 0, "a", "x"), column: value}])
    try:
        assert len(read_answers(path).cases) == 1
    except CopelandError as error:
        assert str(path) in str(error)


def test_votes_and_answers_are_not_confused(tmp_path):
    path = results_file(tmp_path / "results.json", [result(0, 0, "a", "x")])
    with pytest.raises(
        InvalidParameter, match="promptfoo holds answers, not votes; those that are"
    ):
        read_votes(path, "promptfoo")
    with pytest.raises(
        InvalidParameter, match=r"lmarena holds votes; those with answers .* inspect"
    ):
        read_answers(path, "lmarena")
    assert find_answer_format(path) is find_format("promptfoo")


PLUGIN = """
from pathlib import Path
from copeland.formats import Format
from copeland.formats.answer_cases import OptionAnswer, gather_cases

def read(path: Path):
    return gather_cases(str(path), [OptionAnswer("q1", "cup", path.read_text())])

CUPS = Format("cups", "Cups.", suffixes=(".cup",), read=None, answers=read)
"""


def test_an_installed_package_adds_a_format_of_answers(tmp_path, monkeypatch):
    monkeypatch.setattr("copeland.formats._registry", dict(formats()))
    info = tmp_path / "cups_of_answers-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: cups-of-answers\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[copeland.formats]\ncups = cups_of_answers:CUPS\n")
    (tmp_path / "cups_of_answers.py").write_text(PLUGIN)
    monkeypatch.syspath_prepend(tmp_path)
    found = read_answers(write_text(tmp_path / "tea.cup", "warm"))
    assert found.cases[0].answers == {"cup": "warm"}


# Items of judges


def test_items_may_be_results_logs_tables_of_cases_or_what_they_were(tmp_path, fake_inspect):
    failed = result(1, 0, "a", "x", error="timeout")
    del failed["response"]
    rows = [result(0, 0, "a", "x"), result(0, 2, "b", "y"), failed]
    path = results_file(tmp_path / "results.json", rows)
    assert read_items(path) == [Item("0", "hello 0", {"a": "x", "b": "y"}, ("greet",), "0")]
    fake_inspect.samples = [sample("q1", "2?", "2", metadata={"tags": "sums"})]
    path = write_text(tmp_path / "log.eval", "zip")
    answer, target = {"openai/small": "2"}, "4\nfour"
    assert read_items(path) == [Item("q1", "2?", answer, ("sums",), "q1", target)]
    write_text(tmp_path / "mine.csv", "id,answer\nq1,two\n")
    assert read_items(tmp_path)[0].answers == {"openai/small": "2", "mine": "two"}
    path = write_text(tmp_path / "runs.csv", "id,input,A,B,tags\nq1,2?,2,two,sums\n")
    assert read_items(path) == [Item("q1", "2?", {"A": "2", "B": "two"}, ("sums",))]
    path.write_text("id,input,A,B\nq1,2?,2,two\nq1,2?,2,two\n")
    with pytest.raises(
        InvalidRow, match=r"line 3: the case 'q1' has an answer of 'A' before \(line 2\)"
    ):
        read_items(path)
    path = write_lines(
        tmp_path / "items.jsonl", [{"text": "2?", "id": 3, "expected": 2}, {"text": "3?", "id": 4}]
    )
    assert read_items(path) == [Item("3", "2?", expected="2"), Item("4", "3?")]


def test_items_may_come_in_clusters(tmp_path):
    path = write_text(
        tmp_path / "items.csv", "name,text,A,cluster,doc\nq1,2?,two,sums,7\nq2,3?,3,,7\n"
    )
    assert read_items(path) == [
        Item("q1", "2?", {"A": "two", "doc": "7"}, cluster="sums"),
        Item("q2", "3?", {"A": "3", "doc": "7"}),
    ]
    assert cluster_items(read_items(path)) == {"sums": ["q1"], "q2": ["q2"]}
    assert cluster_items(read_items(path, "doc")) == {"7": ["q1", "q2"]}
    path = write_lines(tmp_path / "items.jsonl", [{"text": "2?", "cluster": 3, "doc": "x"}])
    assert [item.cluster for item in (*read_items(path), *read_items(path, "doc"))] == ["3", "x"]
    path = write_text(tmp_path / "runs.csv", "id,input,A,B,page\nq1,2?,2,two,9\n")
    assert read_items(path, "page")[0].cluster == "9"


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("items.txt", "2?\n", "lines of text have no column 'doc'"),
        ("items.csv", "name,text\nq1,2?\n", "line 1: there is no column 'doc', which is to say"),
        ("items.jsonl", '{"text": "2?"}\n', "line 1: there is no column 'doc', which is to say"),
        ("runs.csv", "id,input,A\nq1,2?,2\n", "there is no column 'doc', which is to say"),
    ],
)
def test_a_column_of_clusters_that_is_not_there_is_named(tmp_path, name, text, said):
    with pytest.raises(InvalidRow, match=said):
        read_items(write_text(tmp_path / name, text), "doc")


# Speed


def make_files(folder, answers):
    """Many answers in each format, two of each case, or one of each."""
    cases = range(answers // 2)
    pairs = [result(t, p, "ab"[p // 2], "An answer.") for t in cases for p in (0, 2)]
    yield results_file(folder / "results.json", pairs)
    yield write_lines(folder / "results.jsonl", pairs)
    yield write_lines(folder / "mine.jsonl", [harness_sample(d, "x") for d in range(answers)])
    rows = "".join(f"q{t},What?,An answer.,Another.,sums\n" for t in cases)
    yield write_text(folder / "runs.csv", "id,input,old,new,tags\n" + rows)
    yield write_lines(folder / "old.jsonl", [{"id": n, "answer": "x"} for n in range(answers)])


@pytest.mark.slow
def test_an_answer_is_read_by_a_few_calls(tmp_path):
    for path in make_files(tmp_path, 3000):
        answers = []
        calls = count_calls(lambda path=path, found=answers: found.append(read_answers(path)))
        assert sum(len(case.answers) for case in answers[0].cases) == 3000
        assert calls < 200 * 3000, path
