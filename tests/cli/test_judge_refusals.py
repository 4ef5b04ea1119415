"""Files of judges that are empty or no text: one sentence, with the file. Of others tests/snapshots/sessions.txt has the sentences."""

import pytest
from commands import flat, run

OK = b"id,input,answer\nq1,2 + 2?,4\nq2,3 + 3?,6\n"
JUDGE = "study judge sums --command true --items items.csv"
MODEL = "study judge sums --model m --url http://localhost:9 --prompt prompt.txt"
GATE = "gate --baseline old.csv --candidate new.csv --command true"
EMPTY = "line 1: the file is empty; it must name its columns first."
NO_TEXT = "it is not text in UTF-8, nor in UTF-16 with a byte order mark; save it as UTF-8."


@pytest.mark.quick
@pytest.mark.parametrize(
    ("file", "content", "sentence", "words"),
    [
        ("items.csv", b"", f", {EMPTY}", JUDGE),
        ("items.csv", b"id,text\nq1,\xff\n", f", line 2: {NO_TEXT}", JUDGE),
        ("prompt.txt", b"", " does not show {left} and {right}; put both options into it", MODEL),
        ("prompt.txt", b"\xff{left}{right}", " cannot be read: it is not text in UTF-8", MODEL),
        ("new.csv", b"", f", {EMPTY}", GATE),
        ("new.csv", b"id,answer\nq1,4\nq2,\xff\n", f", line 3: {NO_TEXT}", GATE),
    ],
)
def test_a_file_that_is_no_text_is_refused_in_one_sentence(
    tmp_path, monkeypatch, file, content, sentence, words
):
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("COPELAND_STORAGE", raising=False)
    (tmp_path / "old.csv").write_bytes(OK)
    run("study", "create", "sums", "-o", "A", "-o", "B", "--judge", "--cases", "2")
    (tmp_path / file).write_bytes(content)
    done = run(*words.split())
    assert (done.exit_code, done.stdout) == (2, "")
    assert flat(done.stderr).startswith(f"copeland: {file}{sentence}")
