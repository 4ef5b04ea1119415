"""Documented modules of the last release are still found, with a warning."""

import importlib
import sys
import warnings

import pytest

import copeland
from copeland.support.moved_modules import MOVED


@pytest.mark.parametrize("old", MOVED)
def test_an_old_path_leads_to_the_new_module_and_warns(old):
    sys.modules.pop(old, None)
    with warnings.catch_warnings(record=True) as caught:  # a parent may warn too
        warnings.simplefilter("always")
        found = importlib.import_module(old)
    assert f"{old} is now called {MOVED[old]}." in [str(warning.message) for warning in caught]
    assert found is importlib.import_module(MOVED[old])
    assert found.__spec__.name == MOVED[old]


def test_short_names_of_the_package_do_not_warn():
    assert copeland.winners is importlib.import_module("copeland.theory.winners")
    assert copeland.limits is importlib.import_module("copeland.theory.lower_bounds")


def test_other_names_are_not_found():
    with pytest.raises(ModuleNotFoundError):
        importlib.import_module("copeland.archives")
