"""Every command and every public function, on input that means no good.

A command answers, or refuses with one sentence and an exit code. A function answers, or raises an error of
this package, or the OSError of a file that cannot be written. Commands are found in the program and functions in the public modules, so that new ones are
tried by themselves. COPELAND_FUZZ=20 tries twenty times as many cases, and other ones.
"""

import importlib
import inspect
import io
import json
import os
import pkgutil
import shutil
import signal
import traceback
import warnings
import zipfile
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path
from unittest.mock import patch

import numpy as np
import pytest
import typer
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from typer.testing import CliRunner

import copeland
from copeland.cli import app
from copeland.errors import CopelandError

TIMES = int(os.environ.get("COPELAND_FUZZ", "1"))
COMMAND_CASES, FUNCTION_CASES = 16, 3  # of each; a thousand in all
PATIENCE = 120  # seconds after which a case hangs

pytestmark = pytest.mark.slow  # left out of `make fast`


def cases(number):
    return settings(
        max_examples=number * TIMES,
        derandomize=TIMES == 1,
        deadline=None,
        database=None,
        phases=[Phase.generate, Phase.shrink] if TIMES > 1 else [Phase.generate],
        suppress_health_check=list(HealthCheck),
    )


# What there is to say


WORDS = [
    *("", " ", "\0", "é", "\ud800", "\x1b[31m", "[bold]", "x" * 5000, "-", "--", "{left}", "%s"),
    *("../..", "a=b", "tea", "green", "left", "ann", "null", "ccb:alpha=nan", "ccb:=", "١", "a,b"),
]
INTEGERS = [0, 1, 2, 3, -1, 10**30, -(10**30), 2**31, 2**63, 10**400]
REALS = [0.0, 0.5, 1.0, -1.0, 0.05, 1e-300, 1e300, float("nan"), float("inf"), -float("inf")]
NUMBERS = [
    *("0", "1", "2", "-1", "0.5", "nan", "inf", "-inf", "1e30", "-1e30", "1e400", "1e-400"),
    *("9" * 5000, "0x10", "", " 1", "1_0", "١", "1,5", "x"),
]
PROBLEMS = [
    *("cyclic-4", "easy-5", "easy-2", "implicit-5", "easy-1", "easy-0", "easy-999999999999"),
    *("easy-30000", f"easy-{'9' * 5000}", "implicit-999999999999", "implicit-1000000000"),
    *("order-5-U(.9,.1)", "order-3-99", "ranked-3-0", "planted-5-9-9", "planted-4-1-0"),
    *("easy-5:seed=x", "easy-5:seed=-1", "easy-5:seed=1e30", "easy-5:seed=1,seed=2", "easy-5:k=3"),
    *(
        "implicit-5:seed=-1",
        "implicit-5:seed=99999999999999999999",
        "mslr-informational",
        "x.csv:a",
    ),
    *(f"ranked-5-{'9' * 400}", "bradley-terry-3:scale=nan", "bradley-terry-3:scale=-1"),
]
URLS = [
    *("sqlite:///s.db", "sqlite:///s.db", "sqlite:///new.db", "sqlite://", "sqlite:///", "memory"),
    *("sqlite:///.", "sqlite:////", "sqlite:///no/such/folder.db", "mysql://x/y", "nonsense", ""),
    *("http://[::1", "postgresql://[::1", "postgresql://127.0.0.1:1/x", "sqlite:///random.csv"),
    *("postgresql://127.0.0.1:port/x", "sqlite:///s.db?mode=nonsense", "sqlite:///\0"),
]

# What would run for long if it were let, or leave this machine; and what a case needs to get far.
LIMITED = {
    "horizon": ["1", "100", "0", "-1", "nan", "inf", "1e30", "x"],
    "runs": ["1", "2", "0", "-1", "1e30", "nan", "9" * 5000],
    "jobs": ["1", "0", "-1", "x"],
    "marks": ["1", "3", "0", "-1", "1e30"],
    "comparisons": ["1", "50", "0", "-1", "1e30", "9" * 5000],
    "length": ["1", "5", "0", "-1", "1e30"],
    "worlds": ["1", "2", "0", "-1", "1e30"],
    "most": ["1", "20", "0", "-1", "nan"],
    "calls": ["1", "3", "0", "-1", "1e30", "x"],
    "patience": ["1", "2", "0", "-1", "x"],
    "only": ["nonsense", "small,nonsense", "nonsense,,"],
    "backend": ["loky", "nonsense", ""],
    "command": ["false", "echo maybe", "echo left", "no-such-program", "", "'", "echo {left", "\0"],
    "url": ["http://[::1", "nonsense", "", "http://", "http://127.0.0.1:x", "ftp://x", "http://\0"],
    "algorithm": ["ccb", "random", "cpc-pac", "ccb:alpha=nan", "ccb:alpha=1e999", "ccb:", ":", "x"],
    "problem": PROBLEMS,
    "matrix": PROBLEMS,
    "storage": URLS,
    "voters": ["independent", "dependent", "x"],
    "names": ["mslr-informational", "x", "", "\0"],
    "clicks": ["perfect", "random", "x"],
    "prices": ["1,2", "1", "nan,inf", "-1,1", "a,b", ",", "1e400,1"],
    "most_options": ["2", "150", "0", "-1", "1e30"],
    "queries": ["1", "3", "0", "-1", "1e30"],
    "documents": ["1", "3", "0", "-1", "1e30"],
    "features": ["3", "5", "0", "-1", "1e30"],
}
ALWAYS = set(LIMITED) & {
    *("horizon", "runs", "jobs", "comparisons", "worlds", "most", "calls", "patience", "only"),
    *("storage", "marks"),
}
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
    "page": ["new.html"],
    "voter": ["ann"],
}
PATHLIKE = ("FILE", "DIR", "html", "npz", "csv", "json", "PATH")


def npy(shape, descr="<f8", body=b""):
    text = f"{{'descr': '{descr}', 'fortran_order': False, 'shape': {shape}, }}".encode()
    text += b" " * (63 - (10 + len(text)) % 64) + b"\n"
    return b"\x93NUMPY\x01\x00" + len(text).to_bytes(2, "little") + text + body


def npz(**members):
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(f"{name}.npy", content)
    return file.getvalue()


CONTENTS = {
    "empty": b"",
    "random": np.random.default_rng(0).bytes(300),
    "nested": b"[" * 100_000,
    "nul": b"left,right,outcome\ngreen,\0,left\n",
    "latin": "name,text\n\xe9t\xe9,x\n".encode("latin-1"),
    "bom": b"\xef\xbb\xbfleft,right,outcome\ngreen,black,left\n",
    "quotes": b'left,right,outcome\n"green,black,left\n',
    "huge": npy((10**6, 10**6)),
    "hugezip": npz(
        p=npy((10**6, 10**6)), wins=npy((3, 3)), labels=npy((2,), "<U1", b"a\0\0\0b\0\0\0")
    ),
    "broken": npz(p=npy((2, 2), body=np.eye(2).tobytes()))[:-30],
    "bomb": npz(p=npy((1000, 1000), body=bytes(8_000_000))),
    "numbers": b"0.5,1e400\n-1,0.5\n",
    "rows": b"0.5,0.6\n0.4\n",
    "letor": b"1 qid:1 1:nan\n9 qid:1 99999999999:1\n0 qid: 1:1\n",
    "object": json.dumps({"format": 1, "p": [[1]], "labels": [None], "text": [{}]}).encode(),
    "list": b'[1, null, "x", {"a": [1e400]}]\n{"text": 5}\n',
    "long": b"left,right,outcome\n" + b"x" * 200_000 + b",black,left\n",
}
SUFFIXES = (".csv", ".json", ".npy", ".npz", ".txt", ".gz", "")
FILES = [
    *(f"{name}{suffix}" for name in CONTENTS for suffix in SUFFIXES),
    *("folder", "folder.csv", "folder.npz", "missing.csv", "missing/missing.npz", "x" * 300),
    *("\0.csv", "", ".", "/", "s.db", "results", "results/runs.npz"),
]


@pytest.fixture(scope="module")
def template(tmp_path_factory):
    """A folder with good files and with files of every hostile content under every name."""
    from copeland.forecast.races import forecast_of
    from copeland.ranking import all_features, letor, synthetic
    from copeland.ranking.clicks import click_model
    from copeland.ranking.estimation import Protocol, estimate

    folder = tmp_path_factory.mktemp("fuzz")
    for name, content in CONTENTS.items():
        for suffix in SUFFIXES:
            (folder / f"{name}{suffix}").write_bytes(content)
    for name in ("folder", "folder.csv", "folder.npz"):
        (folder / name).mkdir()
    work = copeland.create_study("tea", ["green", "black", "white"], f"sqlite:///{folder}/s.db")
    for _ in range(3):
        work.tell(work.ask(voter="ann"), "left", voter="ann")
    work.ask(voter="ann")
    work.export(folder / "votes.csv")
    (folder / "cert.json").write_text(_certificate(work))
    forecast_of(work.standing().start, 1, 1)  # compiles what plans need before any clock runs
    work.storage.dispose()
    (folder / "options.csv").write_text("name,text\ngreen,grass\nblack,earth\n")
    (folder / "items.csv").write_text("name,text\none,1\ntwo,2\n")
    (folder / "items.jsonl").write_text('"one"\n{"text": "two"}\n')
    runs = copeland.simulate("cyclic-4", "random", 10, 2)
    copeland.results.write(runs, folder / "results")
    collection = synthetic(queries=2, documents=3, features=5, seed=0)
    letor.write(collection, folder / "letor.txt")
    protocol = Protocol(click_model("perfect", 5), 20)
    found = estimate(collection, all_features(collection), protocol, folder / "parts")
    found.save(folder / "estimate.npz")
    shutil.copytree(folder, folder.with_name("kept"))
    return folder


def _certificate(work):
    from copeland.study.meaning.filing import certificate_to_file

    return certificate_to_file(work)[1]


@contextmanager
def place(template):
    """The folder to be in, put in order afterwards; no network, no cache of others, no keys."""
    before, environment = Path.cwd(), dict(os.environ)
    os.environ |= {
        "COPELAND_CACHE": str(template / "cache"),
        "COPELAND_DATA_URL": "http://127.0.0.1:1",
        "OPENAI_API_KEY": "",
        "COLUMNS": "100",
    }
    os.chdir(template)
    there = snapshot(template)
    try:
        yield
    finally:
        os.chdir(before)
        os.environ.clear()
        os.environ.update(environment)
        restore(template, there)


def snapshot(folder):
    """When each file was written."""
    return {path: path.stat().st_mtime_ns for path in folder.rglob("*")}


def restore(folder, before):
    """Bring every file back that was written meanwhile, and remove what is new."""
    kept = folder.with_name("kept")
    for path in sorted(folder.rglob("*"), reverse=True):
        if path not in before:
            shutil.rmtree(path) if path.is_dir() else path.unlink()
        elif path.is_file() and path.stat().st_mtime_ns != before[path]:
            shutil.copy2(kept / path.relative_to(folder), path)
    for path in before:
        if not path.exists():
            shutil.copy2(kept / path.relative_to(folder), path)


class Hang(BaseException):
    """A case that does not end."""


@contextmanager
def ending():
    """Refuse to wait for ever."""

    def stop(*_):
        raise Hang(f"no end after {PATIENCE} seconds")

    before = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, PATIENCE)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


if not hasattr(signal, "SIGALRM"):
    pytest.skip("this system has no alarm clock", allow_module_level=True)


# Commands


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
        if parameter.name == "help" or parameter.name == "version":
            continue
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
    assert result.exit_code in (0, 1, 2, 130), told
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
        # The runner would make the whole program anew for every case, which takes longer than the case.
        made = patch("typer.testing._get_command", lambda _: PROGRAM, create=True)
        with place(template), ending(), made:
            check(words, CliRunner().invoke(app, words, input=keys, prog_name="copeland"))

    tried()


# Functions


def public(module):
    """The public callables of a module: those that it names, or those that it defines."""
    for name in getattr(module, "__all__", None) or sorted(vars(module)):
        value = getattr(module, name)
        if name.startswith("_") or not callable(value) or _is_error(value):
            continue
        if getattr(value, "_is_protocol", False):  # says what others have, and cannot be called
            continue
        if hasattr(module, "__all__") or getattr(value, "__module__", "") == module.__name__:
            yield value


def _is_error(value):
    return isinstance(value, type) and issubclass(value, BaseException | Warning)


def callables():
    """Every public function, constructor and method, by name."""
    # Those of archives leave it to whoever reads a file to name it; those of errors and words are told by this package alone.
    hidden = {
        "cli",
        "kernels",
        "testing",
        "algorithms",
        "experiments",
        "cells",
        "archives",
        "errors",
        "words",
    }
    names = ["copeland", "copeland.study.judges", "copeland.problems.generators"]
    names += [f"copeland.{m.name}" for m in pkgutil.iter_modules(copeland.__path__)]
    names += [f"copeland.ranking.{m}" for m in ("letor", "trec", "clicks", "evaluation")]
    for name in names:
        if name.split(".")[-1] in hidden:
            continue
        for value in public(importlib.import_module(name)):
            yield f"{value.__module__}.{value.__qualname__}", value
            if isinstance(value, type):
                for method, one in inspect.getmembers(value):
                    if not method.startswith("_") and callable(one) and method in vars(value):
                        yield f"{value.__module__}.{value.__qualname__}.{method}", one


CALLABLES = dict(callables())


@cache
def samples(kind):
    """Good values of a type of this package; None if there is no way to make one up."""
    make = {
        "PreferenceMatrix": lambda: [
            copeland.load("cyclic-4"),
            copeland.PreferenceMatrix(np.full((3, 3), 0.5)),
        ],
        "Problem": lambda: [*map(copeland.problems.problem_of, ("cyclic-4", "implicit-5"))],
        "Policy": lambda: [copeland.Policy("ccb", 3, 0)],
        "Algorithm": lambda: [copeland.registry.algorithms()["ccb"]],
        "Runs": lambda: [copeland.simulate("cyclic-4", "random", 10, 2, compiled=False)],
        "Collection": lambda: [_collection()],
        "Ranker": lambda: copeland.ranking.all_features(_collection()),
        "Certificate": lambda: [copeland.certificate.certify([[0, 9], [1, 0]])],
        "Option": lambda: [copeland.study.Option("x")],
        "Study": lambda: [copeland.create_study("tea", ["green", "black", "left or right"])],
    }
    return make[kind]() if kind in make else None


def _collection():
    return copeland.ranking.synthetic(queries=2, documents=3, features=5, seed=0)


ARRAYS = [
    *(
        [],
        [[]],
        [[[]]],
        5,
        None,
        "x",
        [[1, 2], [3]],
        [[0, 1], [2, 0]],
        [[0, 9], [1, 0]],
        [[0.5] * 2] * 2,
    ),
    *(
        [[0, 10**400], [1, 0]],
        [[float("nan")] * 2] * 2,
        [["a", "b"], ["c", "d"]],
        [[0, -1], [1, 0]],
    ),
    *(np.zeros((0, 0)), np.full((2, 2), np.inf), np.eye(3), np.zeros((2, 3)), np.ones(4), {"a": 1}),
    *(np.full((3, 3), 0.5), [[0, 1e308], [1e308, 0]], [[0, 2**60], [1, 0]], [0, 1, 2], [2, 1, 0]),
]


def arguments(name, annotation):
    """Hostile values of an annotation; None where only what the function itself offers will do."""
    text = annotation if isinstance(annotation, str) else inspect.formatannotation(annotation)
    found = [one for part in _parts(text) if (one := _of(name, part)) is not None]
    return st.one_of(found) if found else None


def _parts(text):
    """The members of a union, brackets kept together."""
    parts, depth = [""], 0
    for letter in text:
        depth += (letter in "[(") - (letter in "])")
        if letter == "|" and depth == 0:
            parts.append("")
        else:
            parts[-1] += letter
    return [part.strip() for part in parts]


def _of(name, part):
    outer, _, inner = part.partition("[")
    outer, inner = outer.rsplit(".", 1)[-1], inner.removesuffix("]")
    if outer == "tuple" and inner and "..." not in inner:
        members = [arguments(name, one.strip()) for one in inner.split(",")]
        return None if None in members else st.tuples(*members)
    if outer in ("Sequence", "Iterable", "Collection", "list", "tuple") and inner:
        each = arguments(name, inner.removesuffix(", ..."))
        return None if each is None else st.lists(each, max_size=4)
    if samples(outer):
        return st.sampled_from(samples(outer))
    if outer in ("ArrayLike", "NDArray", "Reals", "Ints", "Floats", "Bools"):
        return st.sampled_from(ARRAYS)
    if outer in ("Path", "PathLike"):
        return st.sampled_from([*FILES, "votes.csv", "letor.txt", "results", "estimate.npz"]).map(
            Path
        )
    if name in LIMITED and outer in ("int", "float"):
        numbers = [value for word in LIMITED[name] if (value := _number(word)) is not None]
        return st.sampled_from(
            [int(v) for v in numbers if _whole(v)] if outer == "int" else numbers
        )
    if name in LIMITED and outer == "str":
        return st.sampled_from(LIMITED[name])
    return {
        "str": st.sampled_from([*WORDS, *(PROBLEMS if name == "name" else ())]),
        "int": st.sampled_from(INTEGERS),
        "float": st.sampled_from(REALS),
        "bool": st.booleans(),
        "None": st.none(),
        "bytes": st.sampled_from(list(CONTENTS.values())),
    }.get(outer)


def _number(word):
    with suppress(ValueError):
        return float(word)
    return None


def _whole(value):
    return np.isfinite(value) and value == int(value)


@st.composite
def calls(draw, function):
    """Arguments of a function; None if they cannot be made up."""
    positional, named = [], {}
    for name, parameter in inspect.signature(function).parameters.items():
        if name == "self":
            owner = samples(function.__qualname__.split(".")[0])
            if not owner:
                return None
            positional.append(draw(st.sampled_from(owner)))
            continue
        must = parameter.default is inspect.Parameter.empty or name in ALWAYS
        if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
            continue
        known = arguments(name, parameter.annotation)
        if known is None and must:
            return None
        if known is not None and (must or draw(st.booleans())):
            named[name] = draw(known)
    return positional, named


@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # an old name is an answer too
@pytest.mark.parametrize("name", CALLABLES)
def test_a_function_answers_or_raises_an_error_of_this_package(template, name):
    function = CALLABLES[name]
    try:
        inspect.signature(function)
    except ValueError:
        pytest.skip("it has no signature")

    @cases(FUNCTION_CASES)
    @given(calls(function))
    def tried(called):
        if called is None:
            return
        positional, named = called
        with place(template), ending(), warnings.catch_warnings():
            try:
                result = function(*positional, **named)
                if inspect.isgenerator(result):
                    list(result)
            except CopelandError as error:
                assert str(error)
            except OSError as error:  # what the system itself says of a file
                assert error.strerror
            except Exception as error:
                trace = "".join(traceback.format_exception(error))
                pytest.fail(f"{name}(*{positional!r:.400}, **{named!r:.400})\n{trace[-2500:]}")

    tried()
