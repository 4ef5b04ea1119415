"""Every command on input that means no good.

It answers, or refuses with one sentence and an exit code. Commands are found in the program, so that new ones are tried by themselves.
"""

import signal
import traceback

import pytest
import typer
from fuzzing import ALWAYS, COMMAND_CASES, FILES, LIMITED, WORDS, cases, ending, place
from hypothesis import given
from hypothesis import strategies as st
from typer.testing import CliRunner

from copeland.cli import app

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("few_worlds")]  # left out of `make fast`

if not hasattr(signal, "SIGALRM"):
    pytest.skip("this system has no alarm clock", allow_module_level=True)


NUMBERS = [
    *("0", "1", "2", "-1", "0.5", "nan", "inf", "-inf", "1e30", "-1e30", "1e400", "1e-400"),
    *("9" * 5000, "0x10", "", " 1", "1_0", "١", "1,5", "x"),
]


# The value that gets a case further than any other; taken half of the time.
GOOD = {
    "name": ["tea"],
    "storage": ["sqlite:///s.db"],
    "horizon": ["100"],
    "runs": ["1"],
    "jobs": ["1"],
    "comparisons": ["20"],
    "worlds": ["1"],
    "most": ["20"],
    "calls": ["2"],
    "patience": ["1"],
    "problem": ["cyclic-4"],
    "matrix": ["cyclic-4", "estimate.npz"],
    "algorithm": ["ccb", "random"],
    "option": ["oolong", "green"],
    "outcome": ["left"],
    "ballot": ["2", "4"],
    "files": ["letor.txt"],
    "file": ["votes.csv", "cert.json"],
    "folder": ["results"],
    "letor": ["letor.txt"],
    "options": ["options.csv"],
    "items": ["items.jsonl", "items.csv"],
    "out": ["new.npz", "new.html", "new"],
    "baseline": ["old.csv"],
    "candidate": ["new.csv"],
    "same": ["old.csv"],
    "page": ["new.html"],
    "voter": ["ann"],
}


PATHLIKE = ("FILE", "DIR", "html", "npz", "csv", "json", "PATH")


def commands(command, path=()):
    yield path, command
    for name, one in getattr(command, "commands", {}).items():
        yield from commands(one, (*path, name))


PROGRAM = typer.main.get_command(app)
COMMANDS = dict(commands(PROGRAM))


def values(parameter):
    """Good and hostile values of an option or an argument."""
    name, metavar = parameter.name, parameter.metavar or ""
    good = GOOD.get(name, [])
    if name in LIMITED:
        hostile = LIMITED[name] + (FILES if name == "matrix" else [])
    elif metavar in ("N", "NUMBER") or name == "ballot":
        hostile = NUMBERS
    elif any(part in metavar for part in PATHLIKE) or name == "path":
        hostile = FILES
    else:
        hostile = WORDS
    wild = st.sampled_from(hostile)
    return st.one_of(st.sampled_from(good), wild) if good else wild


@st.composite
def lines(draw, path, command):
    """A command line."""
    words = list(path)
    for parameter in command.params:
        if parameter.name in ("help", "version", "install_completion", "show_completion"):
            continue  # completion depends on the shell that started the tests
        needed = parameter.required or parameter.name in ALWAYS
        given_at_all = draw(st.integers(0, 9)) < 9 if needed else draw(st.booleans())
        if not given_at_all and parameter.name not in ALWAYS:
            continue
        if getattr(parameter, "is_flag", False):
            words += parameter.opts[:1]
            continue
        for _ in range(draw(st.integers(1, 2)) if _many(parameter) else 1):
            value = draw(values(parameter))
            words += (
                [value] if parameter.param_type_name == "argument" else [parameter.opts[0], value]
            )
    return words


def _many(parameter):
    return getattr(parameter, "multiple", False) or parameter.nargs == -1


def check(words, result):
    """One sentence and an exit code, or an answer."""
    told = f"copeland {' '.join(map(repr, words))}"[:600]
    if not isinstance(result.exception, SystemExit | None):
        trace = "".join(traceback.format_exception(result.exception))
        pytest.fail(f"{told}\n{trace[-3000:]}")
    assert result.exit_code in (0, 1, 2, 3, 130), told  # 3: a gate is undecided
    assert "Traceback" not in result.output, told
    said = result.stderr.splitlines()
    assert all(line.startswith(("copeland: ", "Written")) for line in said), (told, said)
    if result.exit_code == 2:
        assert said and len(said[-1]) < 20_000, (told, said)


def _commands():
    """The commands; one of them is tried by `make fast` too."""
    for path in COMMANDS:
        marks = [pytest.mark.quick] if path == ("winners",) else []
        yield pytest.param(path, id="-".join(path) or "copeland", marks=marks)


@pytest.mark.parametrize("path", list(_commands()))
def test_a_command_answers_or_refuses_in_a_sentence(template, path):
    command = COMMANDS[path]

    @cases(COMMAND_CASES)
    @given(
        lines(path, command), st.sampled_from(["", "l\nq\n", "\0\n\n", "left\nu\nx\nb\n", "é\n"])
    )
    def tried(words, keys):
        with place(template), ending():
            check(words, CliRunner().invoke(app, words, input=keys, prog_name="copeland"))

    tried()
