"""`copeland gate`: from files to an exit code, with programs and a local endpoint as judges."""

import json
import re
import shlex
import signal
import subprocess
import sys
import time
from pathlib import Path
from xml.etree import ElementTree

import pytest
from commands import flat, run
from fake_chat import FakeChat, refuses, says

from copeland.errors import CopelandError
from copeland.study import open_study

pytestmark = pytest.mark.slow  # left out of `make fast`

JUDGE = """
import sys
left, right = sys.argv[1:3]
print("tie" if len(left) == len(right) else "left" if len(left) < len(right) else "right")
"""
SETS = ("--baseline", "old.jsonl", "--candidate", "new.jsonl")
LONG = "I think that it is {}, if you ask me."


def write(path, rows):
    Path(path).write_text("".join(json.dumps(row) + "\n" for row in rows))


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Two sets of 40 answers: the new ones are shorter, but for ten that are the same."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "300")
    write_sets(40)
    Path("judge.py").write_text(JUDGE)
    return tmp_path


def write_sets(cases, identical=10):
    rows = [{"id": f"q{i}", "input": f"What is {i} x {i}?"} for i in range(cases)]
    tags = [{"tags": "small" if i < cases // 2 else "large"} for i in range(cases)]
    write(
        "old.jsonl",
        [
            r | t | {"answer": LONG.format(i * i)}
            for i, (r, t) in enumerate(zip(rows, tags, strict=True))
        ],
    )
    write(
        "new.jsonl",
        [
            r | {"answer": LONG.format(i * i) if i < identical else f"{i * i}"}
            for i, r in enumerate(rows)
        ],
    )


def read_journal(path, judge="shorter"):
    """The votes of a judge's study; none while it is being made."""
    try:
        return open_study(f"gate by {judge}", f"sqlite:///{path}").votes()
    except CopelandError:
        return []


def gate(*words, judge=None, baseline="old.jsonl", candidate="new.jsonl"):
    own = judge or (
        "--command",
        f"{sys.executable} judge.py {{left}} {{right}}",
        "--voter",
        "shorter",
    )
    return run("gate", "--baseline", baseline, "--candidate", candidate, *own, *words)


def test_a_program_passes_a_better_candidate(folder):
    done = gate("--require", "better")
    assert done.exit_code == 0, done.stderr
    assert done.stdout.startswith(
        "By the judge shorter, on cases like these 40: new is better than old (theta "
    )
    assert "wrong at most 1 time in 20" in done.stdout
    assert "of them without a call" in done.stdout


def test_the_opposite_fails_and_a_cap_leaves_it_undecided(folder):
    done = gate(baseline="new.jsonl", candidate="old.jsonl")
    assert done.exit_code == 1
    assert "old is worse than new by more than .05" in done.stdout
    done = gate(
        "--require", "better", "--max-calls", "12", "--command", "echo tie", "--voter", "even"
    )
    assert done.exit_code == 3
    assert "Undecided: 1 of 2 judges prove the required claim." in done.stdout


def test_files_agree_with_each_other(folder):
    files = ("--out", "gate.json", "--junit", "gate.xml", "--summary", "gate.md")
    done = gate("--json", *files, "--certificate", "cert.json", "--require", "better")
    told = json.loads(done.stdout)
    assert json.loads(Path("gate.json").read_text()) == told
    assert told["exit_code"] == done.exit_code == 0
    xml = ElementTree.parse("gate.xml").getroot()
    assert xml.get("failures") == "0"
    assert told["sentence"] in Path("gate.md").read_text().replace("\\", "")
    verify = ("study", "verify", "cert.json", "--storage", "sqlite:///gate.journal.db")
    checked = run(*verify)
    assert checked.exit_code == 0 and "by the judge shorter: " in flat(checked.stdout)
    assert "new is proved better than old" in flat(checked.stdout)
    Path("cert.json").write_text(
        Path("cert.json").read_text().replace('"above": [1]', '"above": []')
    )
    refused = run(*verify)
    assert refused.exit_code == 1
    assert "its seal does not match" in refused.stdout
    again = gate(*files)
    assert again.exit_code == 2 and "require is better there" in again.stderr
    Path("gate.journal.db").unlink()
    again = gate(*files, "--require", "better")
    assert again.exit_code == 2 and "gate.json exists" in again.stderr


def test_a_second_run_pays_for_nothing(folder):
    gate("--out", "gate.json", "--require", "better")
    kept = read_journal("gate.journal.db")
    done = gate("--out", "gate.json", "--require", "better")  # its own file
    assert done.exit_code == 0, done.stderr
    assert read_journal("gate.journal.db") == kept
    assert (
        f"Earlier runs made {sum('judge' in one.source for one in kept)} calls of these."
        in done.stdout
    )
    done = gate("--out", "gate.json", "--force", "--by", "0.1")
    assert done.exit_code == 2
    assert "--require is better there and not-worse here and --by is 0.05 there" in done.stderr


@pytest.mark.parametrize("option", ["--out", "--junit", "--summary", "--certificate"])
def test_a_second_run_replaces_its_own_files_and_no_others(folder, option):
    words = ("--journal", "kept.db", "--require", "better", option, "file")
    assert gate(*words).exit_code == gate(*words).exit_code == 0
    Path("file").write_text("something that I wrote")
    done = gate(*words)
    assert done.exit_code == 2 and "file exists; name another file" in done.stderr
    assert Path("file").read_text() == "something that I wrote"


@pytest.mark.parametrize("swap", ["random", "confirm"])
def test_a_judge_that_always_says_left_does_not_pass(folder, swap):
    words = (
        "--command",
        "echo left",
        "--swap",
        swap,
        "--journal",
        "kept.db",
        "--population",
        "these",
    )
    done = gate(judge=words)
    assert done.exit_code == 3
    assert done.stdout.startswith("The judge echo follows the side, not the answer: ")
    assert "--accept-judge counts its verdicts as they are" in done.stdout
    done = gate("--accept-judge", judge=words)
    assert done.exit_code == 0
    assert done.stdout.startswith("By the judge echo, on these 40 cases: new ")


def chat(url, *more):
    limit = ("--option", "max_tokens=16")
    return ("--model", "small-model", "--url", url, "--key-variable", "", *limit, *more)


def prefers_short(request):
    left, right = re.findall(r"<(?:left|right) \w+>\n(.*?)\n</", request.prompt)
    if len(left) == len(right):
        return says("tie")
    return says("left" if len(left) < len(right) else "Verdict: B")


def test_a_model_at_an_endpoint_decides_and_is_paid_once(folder):
    words = (
        "--prices",
        "1,2",
        "--cost",
        "1",
        "--journal",
        "kept.db",
        "--require",
        "better",
        "--workers",
        "3",
    )
    with FakeChat(prefers_short) as fake:
        done = gate(*words, judge=chat(fake.url))
        calls = len(fake.requests)
        assert done.exit_code == 0, done.stderr
        assert (
            "small-model: at most 30 calls, which cost" in done.stderr
            and "passes with probability" in done.stderr
        )
        again = gate(*words, "--json", judge=chat(fake.url))
        assert len(fake.requests) == calls
    told = json.loads(again.stdout)
    assert told["calls"] == told["calls_before"] == calls
    # The endpoint bills 100 tokens read and 1 written for each call.
    assert told["tokens"] == 101 * calls
    assert told["cost"] == pytest.approx(calls * (100 * 1 + 1 * 2) / 1e6)
    assert done.stdout.startswith(
        "By the judge small-model, on cases like these 40: new is better than old"
    )


def test_an_endpoint_that_fails_is_an_error_and_keeps_what_was_judged(folder):
    with FakeChat(prefers_short, prefers_short, refuses(400, "no such model")) as fake:
        words = ("--journal", "kept.db", "--patience", "2", "--require", "better")
        done = gate(*words, judge=chat(fake.url))
    assert done.exit_code == 2
    assert (
        "failed 2 times in a row" in done.stderr and "What was judged is in kept.db." in done.stderr
    )
    assert [
        vote.outcome for vote in read_journal("kept.db", "small-model") if "judge" in vote.source
    ][-2:] == ["error", "error"]


def test_money_that_runs_out_leaves_it_undecided(folder):
    with FakeChat(prefers_short) as fake:
        words = ("--prices", "1,2", "--cost", "0.003", "--all", "--json")
        done = gate(*words, judge=chat(fake.url))
    told = json.loads(done.stdout)
    assert told["judges"][0]["reason"] == "cost"
    assert 0 < told["cost"] <= 0.003
    assert told["calls"] == len(fake.requests) < 30


def test_one_file_with_a_column_for_each_option(folder):
    rows = "".join(f"q{i},Hi {i}?,{LONG.format(i)!r},{i},maybe {i}\n" for i in range(30))
    Path("all.csv").write_text("id,input,polite,brief,other\n" + rows.replace("'", '"'))
    done = gate("--answers", "all.csv", "--require", "better", baseline="polite", candidate="brief")
    assert done.exit_code == 0, done.stderr
    assert "brief is better than polite" in done.stdout
    done = gate(baseline="all.csv")
    assert done.exit_code == 2
    assert (
        "3 options (polite, brief and “other”)" in done.stderr
        and "--goal above:NAME" in done.stderr
    )


def test_a_judge_that_says_only_tie_passes_nothing_unless_it_is_accepted(folder):
    words = (
        *SETS,
        "--command",
        "echo tie",
        "--journal",
        "kept.db",
        "--summary",
        "gate.md",
        "--population",
        "these",
    )
    done = run("gate", *words)
    assert done.exit_code == 3
    said = "The judge echo called every pair a tie (30 answers): "
    assert (
        done.stdout.startswith(said) and "Try it on answers that are plainly worse." in done.stdout
    )
    assert "called every pair a tie" in Path("gate.md").read_text()
    done = run("gate", *words, "--accept-judge")  # from the journal: no call is made again
    assert done.exit_code == 0 and "named an answer in 0 of" in done.stdout


def test_a_set_against_itself(folder):
    own = ("--command", f"{sys.executable} judge.py {{left}} {{right}}", "--max-calls", "20")
    done = run("gate", "--same", "old.jsonl", *own)
    assert done.exit_code == 0
    assert done.stdout.startswith(
        "Fit, as far as this check goes: the judge python does not follow the sides, by 19 cases and 19 calls."
    )
    done = run("gate", "--same", "old.jsonl", "--command", "echo left", "--max-calls", "40")
    assert done.exit_code == 1
    assert done.stdout.startswith("Not fit. The judge echo follows the side, not the answer:")
    told = json.loads(
        run("gate", "--same", "old.jsonl", "--same", "new.jsonl", *own, "--json").stdout
    )
    assert told["same"][0]["flips"] == 0 and told["same"][0]["fit"]
    assert run("gate", "--same", "old.jsonl", "--out", "x.json", *own).exit_code == 2


def test_each_of_several_judges_has_a_certificate(folder):
    judges = ("--command", f"{sys.executable} judge.py {{left}} {{right}}", "--command", "echo tie")
    own = (*judges, "--voter", "shorter", "--voter", "even", "--certificate", "cert.json")
    gate(judge=own)
    for name in ("shorter", "even"):
        storage = ("--storage", "sqlite:///cert.journal.db")
        done = run("study", "verify", f"cert-{name}.json", *storage)
        assert done.exit_code == 0 and f"by the judge {name}" in flat(done.stdout)
    assert gate(judge=own).exit_code != 2  # its own files


@pytest.mark.quick
@pytest.mark.parametrize("option", ["--out", "--junit", "--summary", "--certificate", "--journal"])
def test_a_file_that_cannot_be_written_is_refused_before_a_call(folder, option):
    words = ("--command", "echo tie", "--require", "better")
    done = run(
        "gate", "--baseline", "old.jsonl", "--candidate", "new.jsonl", *words, option, "none/x.json"
    )
    assert (done.exit_code, done.stdout) == (2, "")
    assert "there is no folder none" in done.stderr


def test_what_the_machine_refuses_is_an_error_and_never_looks_like_a_failed_gate(
    folder, monkeypatch
):
    def refuse(*_):
        raise OSError(28, "No space left on device", "gate.xml")

    monkeypatch.setattr("copeland.support.atomic_files.write_file", refuse)
    done = gate("--junit", "gate.xml", "--require", "better")
    assert (done.exit_code, done.stdout) == (2, "")
    assert "gate.xml: No space left on device." in done.stderr


def test_cases_that_do_not_join_are_named_unless_they_may_be_dropped(folder):
    lines = Path("new.jsonl").read_text().splitlines()
    Path("new.jsonl").write_text("\n".join(lines[:35]) + "\n")
    done = gate()
    assert done.exit_code == 2
    assert (
        "5 cases are in" in done.stderr
        and "(q35 in line 36, q36 in line 37, q37 in line 38 ...)" in done.stderr
    )
    done = gate("--inner", "--max-calls", "3")
    assert "3 calls give 3 verdicts" in done.stderr  # it went on


def test_ctrl_c_keeps_what_is_judged_and_the_next_run_goes_on(folder):
    Path("slow.py").write_text("import time; time.sleep(0.2)\nprint('tie')\n")
    code = "from copeland.cli import main; main()"
    words = [
        "gate",
        "--baseline",
        "old.jsonl",
        "--candidate",
        "new.jsonl",
        "--all",
        "--journal",
        "kept.db",
    ]
    words += ["--command", f"{sys.executable} slow.py"]
    with subprocess.Popen(
        [sys.executable, "-c", code, *words],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        deadline = time.monotonic() + 60
        while not (Path("kept.db").exists() and len(read_journal("kept.db", "python")) > 1):
            assert time.monotonic() < deadline and process.poll() is None
            time.sleep(0.05)
        process.send_signal(signal.SIGINT)
        out, _ = process.communicate(timeout=60)
    assert process.returncode == 130
    assert "Stopped: stopped by Ctrl-C; what was judged is recorded." in " ".join(out.split())
    kept = [vote.item for vote in read_journal("kept.db", "python")]
    assert len(kept) == len(set(kept)) >= 2


PAGE = Path(__file__).parents[2] / "docs" / "gate.md"


def test_the_first_command_of_the_page_says_what_the_page_shows(monkeypatch):
    blocks = re.findall(r"```\n(.*?)```", PAGE.read_text(), flags=re.DOTALL)
    command = next(block for block in blocks if block.startswith("copeland gate"))
    shown = blocks[blocks.index(command) + 1]
    monkeypatch.chdir(PAGE.parents[1])
    words = shlex.split(command.replace("python examples", f"{sys.executable} examples"))[1:]
    done = run(*words)
    assert done.exit_code == 0
    assert flat(done.stdout).startswith(flat(shown))


def test_the_page_has_the_table_of_the_options_and_few_words():
    assert "```{options}\ncopeland gate --help\n```" in PAGE.read_text()
    assert len(PAGE.read_text().split()) < 1_450  # the whole workflow among them


@pytest.mark.quick
def test_an_error_leaves_a_junit_file_and_a_summary_that_say_why(folder):
    files = ("--junit", "gate.xml", "--summary", "gate.md")
    words = (*files, "--patience", "2", "--command", "false")
    done = gate(judge=words)
    assert done.exit_code == 2 and "failed 2 times in a row" in done.stderr
    (case,) = ElementTree.parse("gate.xml").getroot().iter("error")
    assert "failed 2 times in a row" in case.get("message")
    assert Path("gate.md").read_text().startswith("## Gate error\n\n")
    Path("new.jsonl").write_text('{"id": "q0"}\n')
    assert gate(judge=words).exit_code == 2  # its own files are written anew
    assert "failed 2 times" not in Path("gate.md").read_text()
    Path("gate.md").write_text("mine")
    assert gate(judge=words).exit_code == 2 and Path("gate.md").read_text() == "mine"


def test_an_error_replaces_the_json_of_an_earlier_run(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rows = "\n".join(f"q{n},{{}} {n}" for n in range(30))
    for name, word in (("old", "no"), ("new", "yes")):
        (tmp_path / f"{name}.csv").write_text("id,answer\n" + rows.format(*[word] * 30) + "\n")
    (tmp_path / "judge.sh").write_text("echo right\n")
    words = ("gate", "--baseline", "old.csv", "--candidate", "new.csv", "--command", "sh judge.sh")
    words += ("--out", "gate.json", "--accept-judge")
    first = run(*words)
    assert first.exit_code in (0, 1, 3), first.output
    (tmp_path / "judge.sh").write_text("echo left\n")
    again = run(*words)
    assert again.exit_code == 2 and "is the journal of another gate: judges" in flat(again.stderr)
    told = json.loads((tmp_path / "gate.json").read_text())
    assert (told["outcome"], told["exit_code"]) == ("error", 2) and "journal" in told["error"]
