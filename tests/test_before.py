"""Results from before: their folders still open, and the same seeds still give the same numbers."""

from pathlib import Path

import numpy as np
import pytest

import copeland
from copeland.simulation import result_folder

FOLDER = Path(__file__).parent / "before"
CALLS = {
    "simulation": {
        "problem": "cyclic-4",
        "algorithms": ["ccb", "savage", "scb:resolution=0.01"],
        "horizon": [300, 3000],
        "seed": 5,
        "regret": "half",
    },
    "redrawn": {"problem": "easy-5", "algorithms": ["cpc", "random"], "horizon": 2000, "seed": 6},
}

CHANGED = ["cpc"]  # whose rule is another since: several pairs show a loss together


@pytest.mark.parametrize("name", ["simulation", pytest.param("redrawn", marks=pytest.mark.slow)])
def test_a_folder_from_before_opens_and_holds_the_numbers_of_today(name):
    before = result_folder.read(FOLDER / name)
    today = copeland.simulate(**CALLS[name], runs=3, marks=20, compiled=False)
    assert (before.problem, before.k, before.key) == (today.problem, today.k, today.key)
    assert (before.redrawn, before.regret) == (today.redrawn, today.regret)
    same = ~np.isin(before.columns()["algorithm"], CHANGED)
    assert same.any()
    for column, values in before.columns().items():
        assert np.array_equal(values[same], today.columns()[column][same]), column
    assert [c.independent for c in before.curves] == [c.independent for c in today.curves]
