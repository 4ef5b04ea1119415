"""What the algorithms refuse: parameters outside the range of their paper."""

import pytest

from copeland import InvalidParameter
from copeland.algorithms.copeland_pac import kl_best_arm
from copeland.registry import algorithms, find

NAN, INF = float("nan"), float("inf")

# algorithms: {what the sentence says: parameters, each refused by itself}
REFUSED = {
    "beat-the-mean": {"gamma >= 1": {"gamma": (0.9, 0, -1)}},
    "borda-elimination": {"resolution is": {"resolution": (-1, 1)}},
    "ccb rucb rcs dts dts-plus merge-rucb": {"alpha > 1/2": {"alpha": (0.5, 0.1, -1)}},
    "ccb ecw-rmed": {"no threshold": {"threshold": ("eagre", "hoeffding", 3)}},
    "cpc": {"did you mean 'eager'": {"setting": ("egaer",)}, "margin": {"margin": (-0.1, 0.5)}},
    "cpc-pac cpc-goal": {
        "delta is": {"delta": (0, 1)},
        "margin is": {"margin": (-0.1, 0.5)},
        "epoch is": {"epoch": (-1, 0.5)},
    },
    "cpc-pac": {"cpc-goal plans for it": {"goal": ("tiers",)}},
    "cpc-goal": {
        "goal is": {"goal": ("worst", 3)},
        "ask for at most 3": {"goal": ("top:4",)},
        "no option has that name": {"goal": ("above:4",)},
    },
    "borda-elimination copeland-pac explore-then-verify pocowista random-walk": {
        "a failure probability lies between 0 and 1": {"delta": (0, 1, 2)},
        "resolution": {"resolution": (-1,)},
    },
    "copeland-pac explore-then-verify": {"resolution": {"resolution": (0.5,)}},
    "copeland-pac": {"epsilon": {"epsilon": (-0.1,)}},
    "doubler multisbm sparring rmed2 rmed2fh": {"alpha > 0": {"alpha": (0, -1)}},
    "ecw-rmed cw-rmed": {"> 0": {"alpha": (0, -1), "beta": (0,)}},
    "interleaved-filter": {"versions 1 and 2": {"version": (0, 3, 1.5)}},
    "merge-dts": {
        "above 0": {"alpha": (0,)},
        "at least 4": {"m": (3,)},
        "at least 1": {"shift": (0,)},
    },
    "merge-rucb": {
        "p >= 4": {"p": (3, 4.5)},
        "0 < delta < 1": {"delta": (0, 1)},
        "at least 1": {"shift": (-1, 0.5)},
    },
    "rankel": {"epsilon < 1/2": {"epsilon": (-0.1, 0.5)}},
    "rmed1 rmed2 rmed2fh": {"c, epsilon >= 0": {"c": (-1,), "epsilon": (-0.1,)}},
    "savage savage-condorcet pbr rankel": {"0 < delta < 1": {"delta": (-0.1, 1, 2)}},
    "versatile von-neumann-sparring": {"greater than 0": {"rate": (0, -2)}},
    "winner-stays-strong": {"beta > 1": {"beta": (1, 0.5, -2)}},
}


@pytest.mark.parametrize("names", REFUSED)
def test_parameters_out_of_range_are_refused(names):
    for name in names.split():
        for said, parameters in REFUSED[names].items():
            for parameter, values in parameters.items():
                for value in values:
                    with pytest.raises(InvalidParameter, match=said):
                        find(name).start(4, 100, **{parameter: value})


@pytest.mark.parametrize("name", algorithms())
def test_what_is_no_finite_number_is_none(name):
    """Kernels compare with it, and every comparison with NaN is false."""
    algorithm = find(name)
    for parameter, default in algorithm.parameters.items():
        if isinstance(default, int | float):
            for value in (NAN, INF):
                with pytest.raises(InvalidParameter, match="must be a number"):
                    algorithm.start(4, 100, **{parameter: value})


@pytest.mark.parametrize("name", [name for name, one in algorithms().items() if one.needs_horizon])
def test_a_horizon_that_is_needed_is_at_least_one(name):
    with pytest.raises(InvalidParameter, match="must know its horizon"):
        find(name).start(3)
    with pytest.raises(InvalidParameter, match="at least 1"):
        find(name).start(3, horizon=0)


@pytest.mark.parametrize("bad", [{"delta": 0}, {"delta": 1}, {"delta": 0.1, "epsilon": -1}])
def test_the_best_arm_is_looked_for_with_an_error_probability(bad):
    with pytest.raises(InvalidParameter):
        kl_best_arm(lambda i: 1, 2, **bad)
