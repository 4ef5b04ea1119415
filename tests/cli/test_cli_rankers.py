"""`copeland rankers`."""

import json

import pytest
from commands import run, values

import copeland

pytestmark = pytest.mark.slow  # left out of `make fast`


@pytest.fixture
def letor_file(tmp_path):
    from copeland.ranking import letor, synthetic

    letor.write(synthetic(queries=6, documents=8, features=5, seed=1), tmp_path / "train.txt")
    return tmp_path / "train.txt"


def estimate_words(letor_file, out, *more):
    return ("rankers", "estimate", letor_file, "--comparisons", "600", "--out", out, *more)


def test_rankers_estimate_writes_a_matrix_that_every_command_reads(letor_file, tmp_path):
    out = tmp_path / "m.npz"
    done = run(*estimate_words(letor_file, out, "--json"))
    assert done.exit_code == 0, done.stderr
    told = json.loads(done.stdout)
    assert (told["rankers"], told["comparisons_of_each_pair"]) == (5, 600)
    assert values("winners", out)["k"] == 5
    assert not list(tmp_path.glob("*.parts"))


@pytest.mark.nightly
@pytest.mark.parametrize("more", [(), ("--adaptive",)], ids=["", "adaptive"])
def test_rankers_estimate_counts_the_same_on_a_cluster(letor_file, tmp_path, more):
    for backend in ("loky", "dask"):
        out = tmp_path / f"{backend}.npz"
        words = ("--backend", backend, "--jobs", "2", *more)
        assert run(*estimate_words(letor_file, out, *words)).exit_code == 0
    assert (copeland.load(tmp_path / "dask.npz").p == copeland.load(tmp_path / "loky.npz").p).all()


@pytest.mark.quick
def test_rankers_estimate_does_not_overwrite_without_force(letor_file, tmp_path):
    out = tmp_path / "m.npz"
    out.write_bytes(b"mine")
    done = run(*estimate_words(letor_file, out))
    assert done.exit_code == 2
    assert "--force" in done.stderr
    assert out.read_bytes() == b"mine"
