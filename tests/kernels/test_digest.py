"""A kernel is compiled anew when what numba reads of it changes, and only then."""

import numpy as np
import pytest

from copeland.kernels.compiler import cache_anchor
from copeland.kernels.compiler.compile import bind_parts
from copeland.kernels.compiler.digest import digest_kernels, digest_sources

SOURCE = """
from copeland.kernels.mark import kernel
LIMIT = 3
TABLE = np.array([1.0, 2.0])

@kernel
def weigh(i):
    return TABLE[i]

@kernel
def total(n):
    sum = 0.0
    for i in range(n):
        sum += weigh(i) if i < LIMIT else 0.5
    return sum

def plain():
    return 1
"""


def functions(source, name="made"):
    space = {"np": np, "__name__": name}
    exec(compile(source, "<made>", "exec"), space)
    return space


def digest(source, name="made", **parts):
    return digest_kernels(functions(source, name)["total"], parts)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("LIMIT = 3", "LIMIT = 3  # of a table"),
        ("LIMIT = 3\n", "\n\n\nLIMIT = 3\n"),
        ("def total(n):\n", 'def total(n):\n    """Return the sum."""\n'),
        ("def plain():\n    return 1", "def plain():\n    return 2"),
    ],
)
def test_comments_docstrings_lines_and_other_functions_compile_nothing_anew(old, new):
    assert digest(SOURCE) == digest(SOURCE.replace(old, new))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("LIMIT = 3", "LIMIT = 4"),
        ("LIMIT = 3", "LIMIT = 3.0"),
        ("[1.0, 2.0]", "[1.0, 2.5]"),
        ("[1.0, 2.0]", "[1, 2]"),
        ("return TABLE[i]", "return 2 * TABLE[i]"),
        ("else 0.5", "else 0.25"),
        ("weigh(i) if i <", "weigh(i) if i >"),
        ("@kernel\ndef weigh", "@apart\ndef weigh"),
    ],
)
def test_what_numba_reads_compiles_anew(old, new):
    source = SOURCE.replace("import kernel", "import apart, kernel")
    assert digest(source) != digest(source.replace(old, new))


def test_names_code_and_places_of_parts_count():
    record = "from typing import NamedTuple\nclass State(NamedTuple):\n    wins: int\n"
    given = [record, record.replace("State", "Record"), record.replace("wins", "losses")]
    digests = {digest(one + SOURCE) for one in given} | {digest(record + SOURCE, name="elsewhere")}
    assert len(digests) == 4
    one, other = functions(SOURCE), functions(SOURCE.replace("return TABLE[i]", "return 0.0"))
    given = {digest(SOURCE), digest(SOURCE, weigh=other["weigh"]), digest(SOURCE, LIMIT=9)}
    assert len(given) == 3
    assert digest(SOURCE, weigh=one["weigh"]) == digest(SOURCE)


def test_a_part_that_is_bound_already_counts_with_all_that_is_in_it():
    def bound(source):
        space = functions(source)
        return bind_parts(space["weigh"], {}, "weigh", compile=True, whole=False)

    other = SOURCE.replace("[1.0, 2.0]", "[9.0, 9.0]")
    assert digest(SOURCE, weigh=bound(SOURCE)) != digest(SOURCE, weigh=bound(other))


def test_kernels_that_call_each_other_have_a_digest_and_lie_beside_a_file_that_never_changes():
    source = SOURCE.replace("return TABLE[i]", "return total(i - 1) if i else 0.0")
    assert digest(source) == digest(source) != digest(SOURCE)
    kept = bind_parts(functions(SOURCE)["total"], {}, "total", compile=True, keep=True)
    assert kept.py_func.__code__.co_filename == cache_anchor.__file__


def test_results_depend_on_plain_functions_too_but_not_on_comments(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(tmp_path)

    def digest_of(name, text):
        (tmp_path / f"{name}.py").write_text(text)
        __import__(name)
        return digest_sources(name)

    header = "import numpy as np\n"
    first = digest_of("mod_a", header + SOURCE)
    assert first == digest_of("mod_b", f'"""A module."""\n# why\n{header}{SOURCE}')
    assert first != digest_of("mod_c", header + SOURCE.replace("return 1", "return 2"))
