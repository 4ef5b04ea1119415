"""What stands at the top of the package: it is there, it is listed, and an example shows its use."""

import doctest
import inspect
import subprocess
import sys

import pytest
from helpers import needs_example

import copeland

WITHOUT_EXAMPLE = {"__version__"}
WITHOUT_EXAMPLE |= {"Problem"}  # a word in its file would have every algorithm compiled anew


@pytest.mark.parametrize("name", copeland.__all__)
def test_every_name_at_the_top_is_there_and_says_what_it_is(name):
    assert name == "__version__" or inspect.getdoc(getattr(copeland, name))


def is_shown(name):
    return name not in WITHOUT_EXAMPLE and needs_example(getattr(copeland, name))


@pytest.mark.parametrize("name", sorted(filter(is_shown, copeland.__all__)))
def test_every_name_at_the_top_has_an_example(name):
    text = inspect.getdoc(getattr(copeland, name)) or ""
    assert doctest.DocTestParser().get_examples(text)


@pytest.mark.slow
def test_dir_shows_what_is_public_before_and_after_it_is_used():
    code = (
        "import copeland; before = dir(copeland); copeland.Study; copeland.support.tasks; "
        "assert dir(copeland) == before; print(*before)"
    )
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    shown = out.stdout.split()
    customary = {name for name in shown if name.startswith("__") and name.endswith("__")}
    assert set(shown) - customary == set(copeland.__all__) - {"__version__"}


def test_every_name_is_known_to_the_type_checker_and_listed_as_simulate_takes_it():
    source = inspect.getsource(copeland).split("if TYPE_CHECKING:")[1].split("__all__")[0]
    assert [name for name in copeland.__all__ if name not in source] == ["__version__"]
    assert {"ccb", "cpc-pac", "random"} <= set(copeland.list_algorithms())
    for name in copeland.list_problems():
        if name not in copeland.problems.download.datasets():
            assert copeland.problems.problem_of(name).k >= 2
