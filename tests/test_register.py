"""Registration by name: what a file calls `select` is `select`, and a part with a wrong name is noticed."""

from dataclasses import replace

import pytest

from copeland.errors import InvalidAlgorithm, InvalidParameter
from copeland.registry import TARGETS, _module_at, _registry, algorithms, find, register

HEAD = """
from copeland.algorithms.random import State
from copeland.algorithms.random import init as begin
from copeland.algorithms.random import recommend as best, select as two
from copeland.kernels import kernel
from copeland.registry import register

def init(k):
    return begin(k)

@kernel
def select(state, t, rng):
    return two(state, t, rng)

@kernel
def update(state, winner, loser, rng):
    count(state, winner, loser)

@kernel
def count(state, winner, loser):
    state.wins[winner, loser] += 1

@kernel
def recommend(state):
    return best(state)
"""
FOOT = 'MINE = register(__name__, name="mine", paper="", summary="", target="copeland")\n'
FINISHED = """
@kernel
def {}(state):
    return False
"""


@pytest.fixture
def load(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(tmp_path / "nowhere")  # what the file adds is taken away again

    def run(*texts):
        file = tmp_path / "mine.py"
        file.write_text("\n".join(texts))
        _module_at.cache_clear()
        return _module_at(file)

    yield run
    _registry.pop("mine", None)


def test_parts_are_the_functions_of_their_names_unless_others_are_given(load):
    module = load(HEAD, FINISHED.format("finished"), FOOT)
    mine = module.MINE
    assert (mine.init, mine.select, mine.update) == (module.init, module.select, module.update)
    assert (mine.recommend, mine.finished) == (module.recommend, module.finished)
    assert mine.rest is mine.tie is None
    assert find("mine") is mine
    changed = FOOT.replace(")", ", recommend=best, finished=None)")
    mine = load(HEAD, FINISHED.format("finished"), changed).MINE
    assert mine.recommend is find("random").recommend
    assert mine.finished is None


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("finnished", "nothing calls `finnished`, .* did you mean 'finished'?"),
        ("is_done", "nothing calls `is_done`, and no part .* known names: absorb, advance, .*tie"),
    ],
)
def test_a_kernel_that_nothing_calls_is_refused(load, name, sentence):
    with pytest.raises(InvalidAlgorithm, match=sentence):
        load(HEAD, FINISHED.format(name), FOOT)


def test_a_function_that_is_missing_or_misspelt_is_refused(load):
    with pytest.raises(InvalidAlgorithm, match="did you mean 'absorb'"):
        load(HEAD, "def absorbe(state, wins, ties): ...", FOOT)
    load(HEAD, "def average_play(state): ...", FOOT)
    with pytest.raises(InvalidAlgorithm, match=r"nothing calls `recomend`.*mean 'recommend'"):
        load(HEAD.replace("def recommend", "def recomend"), FOOT)
    with pytest.raises(InvalidAlgorithm, match="defines no function `init` above `register`"):
        load(HEAD.replace("def init", "def init_otherwise"), FOOT)
    with pytest.raises(InvalidAlgorithm, match=r"no function `finished` above .* its foot"):
        load(HEAD, FOOT, FINISHED.format("finished"))
    imported = "from copeland.algorithms.ccb import rest"
    with pytest.raises(InvalidAlgorithm, match="give `rest=` if the function is from another file"):
        load(HEAD, imported, FOOT)
    assert load(HEAD, imported, FOOT.replace(")", ", rest=rest)")).MINE.rest is not None


def test_a_variant_is_registered_by_fields_and_never_by_name_in_place_of_a_file(load):
    load(HEAD, FINISHED.format("finished_early"), FOOT)
    with pytest.raises(InvalidAlgorithm, match="given 'mine'; give an Algorithm, or __name__"):
        register("mine", name="mine")
    mine = register(find("random"), name="mine")
    assert find("mine") is mine and mine.select is find("random").select


@pytest.mark.parametrize(
    ("target", "sentence"),
    [
        ("best", r"mine: target is 'best'; known names: borda, condorcet, copeland, "),
        ("Copelnd", r"target is 'Copelnd'; did you mean 'copeland'\?"),
        (None, "target is None; known names: "),
    ],
)
def test_a_notion_of_winner_that_is_not_known_is_refused(target, sentence):
    with pytest.raises(InvalidParameter, match=sentence):
        replace(find("ccb"), name="mine", target=target)


def test_every_notion_of_winner_has_an_algorithm():
    assert {one.target for one in algorithms().values()} == set(TARGETS)
