"""Bad input of judges: each case gets one sentence, with the file, the line if one is to blame, and what to do."""

import pytest
from commands import flat, run

pytestmark = pytest.mark.slow  # left out of `make fast`

OK = b"id,input,answer\nq1,2 + 2?,4\nq2,3 + 3?,6\n"
STUDY = ("study", "judge", "sums", "--command", "true")
ITEMS = {
    b"": "{file}, line 1: the file is empty; it must name its columns first.",
    b"id,text\n": "{file}: there are no cases in it; give it a line for each.",
    b"id,text\nq1,a\nq1,b\n": "{file}, line 3: the case 'q1' was there before (line 2); give each case its own id.",
    b"id,text\nq1,a\n,b\n": "{file}, line 3: its id is empty; fill it in.",
    b"id,text\nq1,1, 2 or 3?\n": "{file}, line 2: expected 2 fields, but it has 3; put texts with commas or line breaks in quotation marks.",
    b'id,text\nq1,"a\n': "{file}, line 2: unexpected end of data; check its quotation marks.",
    b"id,text\nq1,\xff\n": "{file}, line 2: it is not text in UTF-8, nor in UTF-16 with a byte order mark; save it as UTF-8.",
    b"A,B\na,b\n": "{file}, line 1: there is no column 'id' for the id of each case, nor case, case_id, name, question_id, input, text, prompt or question; "
    "the columns are a and b.",
    b"id,text,C\nq1,a,b\n": "no item has an answer of the option 'A'; there are answers of C. Call the options of the study as the file of items does.",
    b"id,text\nq1,a\nq2,b\nq3,c\n": "this study is judged on 2 test cases, and there are 3 items; give all cases as items.",
}
LINES = {
    b'{"id": 1, "text": "a"}\n{\n': '{file}, line 2: it is not a JSON object with a value for each column, such as {{"column": "value"}}.',
    b'{"id": 1, "text": "a", "A": ["b"]}\n': "{file}, line 1: its answer is not text but a list.",
}
PROMPTS = {
    b"": "{file} does not show {{left}} and {{right}}; put both options into it, in single braces.",
    b"{left} or {{right}}?": "{file} does not show {{right}}; put both options into it, in single braces.",
    b"{left}\n{right}\n{question}": "{file}, line 3: there is no field {{question}}; the fields are {{left}}, {{right}}, {{item}}, {{expected}} and "
    "{{mark}}, and {{{{question}}}} stands for {{question}} itself.",
    b"\xff{left}{right}": "{file} cannot be read: it is not text in UTF-8; save it as UTF-8.",
}
ANSWERS = {
    b"": "{file}, line 1: the file is empty; it must name its columns first.",
    b"id,answer\n": "{file}: there are no cases in it; give it a line for each.",
    b"id,answer\nq1,4\nq1,5\n": "{file}, line 3: the case 'q1' has an answer of 'new' before (line 2); give each case its own id.",
    b"id,answer\nq1,4\nq3,5\n": "1 case is in old.csv only (q2 in line 3) and 1 case is in {file} only (q3 in line 3); give both the same cases, or drop "
    "what only one of them has with --inner (inner=True).",
    b"id,input,answer\nq1,2 + 2?,4\nq2,3 + 4?,7\n": "{file}, line 3: the text of case 'q2' is another in a file before (old.csv, line 3); give the same id "
    "to the same case only.",
    b"id,answer\nq1,4\nq2,\xff\n": "{file}, line 3: it is not text in UTF-8, nor in UTF-16 with a byte order mark; save it as UTF-8.",
    b"input,answer\n2 + 2?,4\n": "{file}, line 1: there is no column 'id' for the id of each case, nor case, case_id, name or question_id; the columns "
    "are input and answer.",
    b"id,input\nq1,2 + 2?\n": "{file}, line 1: there is no column 'answer', nor one for each option; the columns are id and input.",
}
ANSWER_LINES = {
    b'{"id": 1, "answer": "a"}\n["b"]\n': '{file}, line 2: it is not a JSON object with a value for each column, such as {{"column": "value"}}.',
    b'{"id": 1, "answer": null}\n': "{file}: none of its 1 answers is there; every run failed.",
}
TABLE = [
    *[("items.csv", *case, (*STUDY, "--items", "items.csv")) for case in ITEMS.items()],
    *[("items.jsonl", *case, (*STUDY, "--items", "items.jsonl")) for case in LINES.items()],
    (
        "items.txt",
        b" \n",
        "{file}: there are no cases in it; give it a line for each.",
        (*STUDY, "--items", "items.txt"),
    ),
    (
        "items.txt",
        b"a\nb\na\n",
        "{file}, line 3: the case 'a' was there before (line 1); give each case its own id.",
        (*STUDY, "--items", "items.txt"),
    ),
    (
        "none.csv",
        None,
        "{file} cannot be read: No such file or directory.",
        (*STUDY, "--items", "none.csv"),
    ),
    *[
        (
            "prompt.txt",
            *case,
            (
                "study",
                "judge",
                "sums",
                "--model",
                "m",
                "--url",
                "http://localhost:9",
                "--prompt",
                "prompt.txt",
            ),
        )
        for case in PROMPTS.items()
    ],
    *[
        (name, *case, ("gate", "--baseline", "old.csv", "--candidate", name, "--command", "true"))
        for name, table in (("new.csv", ANSWERS), ("new.jsonl", ANSWER_LINES))
        for case in table.items()
    ],
]


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("COPELAND_STORAGE", raising=False)
    (tmp_path / "old.csv").write_bytes(OK)
    run("study", "create", "sums", "-o", "A", "-o", "B", "--judge", "--cases", "2")
    return tmp_path


FIRST, *OTHERS = TABLE


@pytest.mark.parametrize(
    ("file", "content", "sentence", "words"),
    [pytest.param(*FIRST, marks=pytest.mark.quick), *OTHERS],
)
def test_bad_input_is_refused_in_one_sentence(folder, file, content, sentence, words):
    if content is not None:
        (folder / file).write_bytes(content)
    done = run(*words)
    assert (done.exit_code, done.stdout) == (2, "")
    assert flat(done.stderr) == f"copeland: {sentence.format(file=file)}"
