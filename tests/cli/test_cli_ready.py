"""copeland compile and copeland doctor."""

import pytest
from commands import flat, run, values

from copeland.registry import find
from copeland.simulation.compilation import compile_ahead, find_cache_file, is_ready
from copeland.version import __version__


@pytest.mark.quick
def test_an_algorithm_is_compiled_once_and_then_ready():
    compile_ahead("random")
    assert is_ready(find("random"))
    said = flat(run("compile", "random").stdout)
    assert "random: was compiled before." in said and "1 algorithm in" in said
    told = values("compile", "random")
    assert [one["algorithm"] for one in told] == ["random"]
    assert told[0]["was_ready"] and told[0]["reason"] == ""


def test_what_was_not_compiled_is_not_ready(monkeypatch, tmp_path):
    kept = find_cache_file(find("random"))
    monkeypatch.setattr(
        "copeland.simulation.compilation.find_cache_file", lambda _one: tmp_path / kept.name
    )
    assert not is_ready(find("random"))


def test_a_misspelt_algorithm_is_named_before_anything_is_compiled():
    refused = run("compile", "random", "rando")
    assert refused.exit_code == 2 and "there is no algorithm 'rando'" in flat(refused.stderr)
    assert refused.stdout == ""


@pytest.mark.slow
def test_the_doctor_tells_versions_extras_and_what_is_compiled():
    compile_ahead("random")
    said = flat(run("doctor").stdout)
    assert f"copeland {__version__}" in said and "numba" in said and "random" in said
    told = values("doctor")
    assert told["compiled"]["random"] is True
    assert told["extras"]["pandas"] == []
    assert told["caches"]


@pytest.mark.slow
def test_the_doctor_names_what_an_extra_lacks(monkeypatch):
    from copeland.cli import algorithms

    lacks = {"pandas"}
    version = algorithms._version
    monkeypatch.setattr(algorithms, "_version", lambda name: "" if name in lacks else version(name))
    assert "extra pandas: lacks pandas" in flat(run("doctor").stdout)
