"""Programs as judges."""

import json
import sys
import tracemalloc

import pytest
from tiny_study import A, B, TinyStudy, program

from copeland.errors import InvalidParameter
from copeland.study import Option
from copeland.study.judges import Candidate, CommandJudge, Item, JudgeFailed, judge_study

SHORTER = "import sys; a, b = sys.argv[1:3]; print('left' if len(a) < len(b) else 'right')"


def test_a_program_reads_options_from_its_arguments_without_a_shell():
    judge = CommandJudge(program(SHORTER, "{left} {right}"))
    assert (judge(A, B), judge(B, A)) == ("left", "right")
    echo = "import sys; print(sys.argv[1:], file=sys.stderr); sys.exit(1)"
    judge = CommandJudge(program(echo, "{left} --than={right} {left.name} {item}"))
    with pytest.raises(JudgeFailed) as failed:
        judge(A, B, "; rm -r /")
    assert repr(["tea", "--than=a 'cup' of $(coffee)", "A", "; rm -r /"]) in str(failed.value)


def test_a_program_without_places_reads_json_from_its_input_if_it_likes():
    code = "import json, sys; d = json.load(sys.stdin); print(d[d['item']['text']]['text'])"
    judge = CommandJudge(program(code))
    left, right = Option("A", "both_bad"), Option("B", "tie")
    assert (judge(left, right, "left"), judge(left, right, Item("q", "right"))) == (
        "both_bad",
        "tie",
    )
    assert CommandJudge(program("print('left')"))(A, Option("B", "x" * 10**6)) == "left"


def test_a_program_is_given_the_place_of_an_options_file_inside_the_folder(tmp_path):
    code = "import os, sys; print(os.path.basename(sys.argv[1]))"
    judge = CommandJudge(program(code, "{left.path} {right.path}"))
    left, outside = (Candidate("A", path=path, folder=tmp_path) for path in ("tie", "../tie"))
    right = Candidate("B", path=str(tmp_path / "b.png"), folder=tmp_path)
    assert judge(left, right) == "tie"
    with pytest.raises(JudgeFailed, match="outside the folder"):
        judge(outside, right)


@pytest.mark.parametrize(
    ("code", "sentence"),
    [
        ("import sys; sys.exit('first\\nno such model')", "ended with code 1: no such model."),
        ("import sys; sys.exit(3)", "ended with code 3: nothing on standard error."),
        ("pass", "printed nothing"),
        ("print('left or right')", "answered 'left or right'; expected one of left, right"),
        ("print('error')", "answered 'error'; expected one of"),
    ],
)
def test_a_program_that_fails_says_why(code, sentence):
    with pytest.raises(JudgeFailed, match=sentence):
        CommandJudge(program(code))(A, B)


@pytest.mark.slow
def test_a_program_that_takes_too_long_is_ended_with_what_it_started():
    code = (
        "import subprocess, sys, time\n"
        "subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(60)'])\n"
        "time.sleep(60)"
    )
    with pytest.raises(JudgeFailed, match=r"no answer within 0\.3 seconds"):
        CommandJudge(f"{sys.executable} -c {json.dumps(code)}".replace("\\n", "\n"), timeout=0.3)(
            A, B
        )


def test_a_program_that_prints_without_end_is_ended():
    with pytest.raises(JudgeFailed, match="printed more than 100,000 bytes; it must print one"):
        CommandJudge(program("while True: print('left ' * 1000)"), timeout=60)(A, B)


@pytest.mark.slow
def test_a_program_may_complain_at_length_and_the_last_line_is_quoted():
    tracemalloc.start()
    complaint = "import sys; print('x' * 30_000_000 + chr(10) + 'no luck', file=sys.stderr); "
    assert CommandJudge(program(complaint + "print('left')"))(A, B) == "left"
    with pytest.raises(JudgeFailed, match="ended with code 2: no luck"):
        CommandJudge(program(complaint + "sys.exit(2)"))(A, B)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 5_000_000


@pytest.mark.parametrize(
    ("command", "sentence"),
    [
        ("", "the command is empty"),
        ("no-such-program-here {left} {right}", "there is no program 'no-such-program-here'"),
        (f"{sys.executable} 'x", "No closing quotation"),
        (f"{sys.executable} {{left}}", r"does not show \{right\}"),
    ],
)
def test_a_command_that_cannot_work_is_refused_at_once(command, sentence):
    with pytest.raises(InvalidParameter, match=sentence):
        CommandJudge(command)


def test_a_failing_program_leaves_an_error_in_the_study():
    study = TinyStudy(enough=1)
    done = judge_study(study, CommandJudge(program("1/0"), name="zero"), patience=2)
    assert study.outcomes == ["error", "error"]
    assert "'zero' failed 2 times in a row" in done.stopped
    assert "ZeroDivisionError" in done.stopped
