"""Functions are verbs, and a file name says what is in one file: a stranger finds things by their names."""

import ast
import re
from collections import Counter
from pathlib import Path

import pytest

import copeland

PACKAGE = Path(copeland.__file__).parent
FILES = sorted(PACKAGE.rglob("*.py"))

PARTICIPLE = re.compile(
    r"_?(\w+_)*(found|told|said|kept|shown|made|asked|given|held|drawn|\w+[^e]ed)"
)
QUESTION = re.compile(r"_?(is|are|was|has|does)_")  # answered by yes or no

STAYS = {
    "connection_made",  # asyncio calls it so
    "data_received",  # the same
    "a3_closed",  # what the paper calls it
    "best_unused",  # public
    "charged",  # public: judges of other packages have it
    "check_compiled_equals_interpreted",  # public, and "check" is its verb
    "compiled",  # public
    "crowded",  # parts of the Algorithm record, which other packages define
    "drawn",  # public, of a Space
    "finished",
    "joined",  # public
    "kept",
    "log_theorem_1_expected",
    "next_expired",  # a kernel: another name would compile every algorithm anew
    "position_based",  # public: the click model of that name
    "relabelled",  # public
    "snapped",
}
TWICE = {  # a subject and its pages or commands, or the kernels of it
    "app",
    "arrays",
    "ballots",
    "clicks",
    "create",
    "forecast",
    "images",
    "judges",
    "live",
    "options",
    "plan",
    "rankers",
    "results",
    "voting",
}


def functions(path):
    """The names of a file's functions and methods; a property is a value, whose name is no verb."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            marks = {ast.unparse(mark).rpartition(".")[2] for mark in node.decorator_list}
            if not marks & {"property", "cached_property"}:
                yield node.name


@pytest.mark.slow
def test_a_function_is_a_verb_and_no_participle():
    refused = [
        f"{path.relative_to(PACKAGE)}: {name}"
        for path in FILES
        for name in functions(path)
        if PARTICIPLE.fullmatch(name) and not QUESTION.match(name) and name not in STAYS
    ]
    assert refused == []


def test_a_file_name_is_used_once_or_twice_on_purpose():
    times = Counter(path.stem for path in FILES if path.stem != "__init__")
    several = {name: n for name, n in times.items() if n > (2 if name in TWICE else 1)}
    assert several == {}
