import numpy as np
import pytest

import copeland
from copeland import InvalidParameter
from copeland.errors import UnknownProblem
from copeland.problems import generators, names, problem_of
from copeland.problems.catalogue import FAMILIES
from copeland.problems.implicit import as_matrix, implicit_order, probability
from copeland.theory import winners


def losses(m):
    return (m.p < 0.5).sum(axis=1)


@pytest.mark.parametrize(
    ("name", "condorcet", "copeland_winners"),
    [
        ("mslr-5", None, [0, 1, 2]),
        ("mslr-5-condorcet", 0, [0]),
        ("arxiv-6", 0, [0]),
        ("cyclic-4", 0, [0]),
        ("arithmetic-8", 0, [0]),
    ],
)
def test_printed_matrices_have_the_winners_their_papers_say(name, condorcet, copeland_winners):
    m = copeland.load(name)
    assert winners.condorcet_winner(m) == condorcet
    assert winners.copeland_winners(m).tolist() == copeland_winners


@pytest.mark.slow
def test_printed_matrices_are_the_data_to_the_printed_digits(real_matrix):
    files = {
        "mslr-5": "mslr_informational_5_noncondorcet",
        "mslr-5-condorcet": "mslr_informational_5_condorcet",
        "arxiv-6": "arxiv_6",
        "cyclic-4": "cyclic_4",
        "arithmetic-8": "arithmetic_8",
    }
    for name, file in files.items():
        assert np.abs(copeland.load(name).p - real_matrix(file).p).max() <= 0.00051, name


def test_synthetic_500_has_the_shape_of_the_papers_second_experiment():
    m = copeland.load("synthetic-500")
    assert winners.copeland_winners(m).tolist() == [0, 1, 2]
    assert sorted(winners.copeland_scores(m)) == [*range(497), 498, 498, 498]
    gap = np.abs(m.p - 0.5)[np.triu_indices(500, 1)]
    assert gap.min() >= 0.05 and gap.max() <= 0.45


@pytest.mark.parametrize(
    ("k", "c", "l"), [(8, 1, 0), (10, 1, 2), (12, 3, 1), (15, 4, 3), (20, 5, 2)]
)
def test_planted_tournaments_have_the_winners_and_losses_asked_for(k, c, l):
    for seed in range(5):
        m = generators.plant_winners(k, winners=c, losses=l, seed=seed)
        assert winners.copeland_winners(m).tolist() == list(range(c))
        assert losses(m)[0] == l


@pytest.mark.parametrize(("k", "c", "l"), [(10, 2, 0), (10, 6, 2), (3, 1, 2), (5, 0, 0)])
def test_impossible_tournaments_are_refused(k, c, l):
    with pytest.raises(InvalidParameter):
        generators.plant_winners(k, winners=c, losses=l)


def test_near_ties_are_among_the_losers_only():
    m = generators.near_tie(12, seed=1)
    tiny = np.isclose(np.abs(m.p - 0.5), 0.0005)
    assert not tiny[:3].any()
    assert 0.3 < tiny[3:, 3:][np.triu_indices(9, 1)].mean() < 0.7
    assert winners.copeland_winners(m).tolist() == [0, 1, 2]


def test_near_ties_and_bradley_terry_by_hand():
    m = copeland.load("near-tie-12-0.1:seed=1")
    assert set(np.abs(m.p - 0.5).round(9).ravel()) == {0, 0.0005, 0.1}
    assert m == copeland.load("near-tie-12:gap=0.1,seed=1")
    assert m.name == "near-tie-12-0.1"
    m = generators.bradley_terry([np.log(3), 0.0])
    assert m.p[0, 1] == pytest.approx(3 / 4)


@pytest.mark.sampled(10)
@pytest.mark.parametrize("family", FAMILIES, ids=lambda family: family.form)
def test_every_example_loads_and_a_seed_fixes_it(family):
    if family.example == "implicit-100000":
        assert problem_of(family.example).k == 100_000
        return
    assert copeland.load(family.example) == copeland.load(family.example)
    if family.random:
        one, two = (copeland.load(f"{family.example}:seed={seed}") for seed in (1, 2))
        assert one != two


def test_gaps_are_read_from_the_name():
    assert set(np.abs(copeland.load("order-5-0.1").p - 0.5).round(9).ravel()) == {0, 0.1}
    gap = np.abs(copeland.load("order-9-U(.2,.3)").p - 0.5)[np.triu_indices(9, 1)]
    assert 0.2 <= gap.min() < gap.max() <= 0.3


def test_an_implicit_problem_is_its_matrix_written_out_with_gaps_spread_by_a_hash():
    problem = implicit_order(7, seed=3)
    m = as_matrix(problem)
    assert np.allclose(winners.copeland_scores(m) / 6, problem.scores)
    assert all(probability(problem.world, i, j) == m.p[i, j] for i in range(7) for j in range(7))
    gap = np.abs(as_matrix(implicit_order(60)).p - 0.5)[np.triu_indices(60, 1)]
    counts, _ = np.histogram(gap, bins=8, range=(0.05, 0.45))
    expected = len(gap) / 8
    assert ((counts - expected) ** 2 / expected).sum() < 24.3  # chi-squared, 7 degrees, 0.1 %


@pytest.mark.slow
def test_a_simulation_on_an_implicit_problem_equals_one_on_its_matrix():
    problem = implicit_order(6, seed=1)
    implicit = copeland.simulate(problem, "random", 5000, seed=1).curves[0]
    written = copeland.simulate(as_matrix(problem), "random", 5000, seed=2).curves[0]
    assert implicit.regret[0, -1] == pytest.approx(written.regret[0, -1], rel=0.05)


def test_names_are_listed_and_orders_have_the_winners_that_their_names_say():
    assert {"mslr-5", "synthetic-500", "order-K-GAP"} <= set(names())
    m = copeland.load("rotated-12-U(.05,.45):seed=2")
    assert winners.condorcet_winner(m) == 0
    assert set(losses(m)[1:].tolist()) == {6}  # of eleven in a circle each loses to five, and to 0
    m = copeland.load("total-order-9-U(.01,.1):seed=4")
    assert losses(m).tolist() == list(range(9))


# Families beyond the papers' own


def test_blocks_and_tournaments_are_as_their_names_say():
    m = copeland.load("blocks-6-3-0.1")
    beats = (m.p > 0.5).astype(int).tolist()
    assert beats[0] == [0, 1, 0, 1, 1, 0]  # its own block is 0 and 3, the next one 1 and 4
    assert beats[5] == [1, 0, 0, 1, 0, 0]
    assert winners.copeland_winners(m).tolist() == [0, 1, 2]
    gap = np.abs(copeland.load("tournament-9-U(.2,.3)").p - 0.5)[np.triu_indices(9, 1)]
    assert 0.2 <= gap.min() < gap.max() <= 0.3
    assert copeland.load("tournament-9-U(.02,.45):seed=3") == copeland.load("tournament-9:seed=3")


@pytest.mark.parametrize("condorcet", [True, False])
def test_a_part_is_drawn_with_or_without_a_condorcet_winner(condorcet):
    whole = copeland.load("order-12-0.1")
    for seed in range(5):
        m = copeland.load(f"part-4-of-order-12-0.1:seed={seed},condorcet={condorcet}")
        assert (winners.condorcet_winner(m) is not None) == condorcet
        chosen = [whole.labels.index(label) for label in m.labels]
        assert np.array_equal(m.p, whole.p[np.ix_(chosen, chosen)])


def test_a_part_may_be_of_a_file_and_noise_moves_every_pair_a_little(tmp_path):
    file = tmp_path / "m.csv"
    copeland.load("arithmetic-8").save(file)
    assert copeland.load(f"part-3-of-{file}").k == 3
    assert problem_of(f"part-3-of-{file}:seed=1").name == "part-3-of-m"
    m, whole = copeland.load("perturbed-0.01-of-mslr-5:seed=1"), copeland.load("mslr-5")
    moved = np.abs(m.p - whole.p)[np.triu_indices(5, 1)]
    assert moved.min() > 0 and moved.max() < 0.05


@pytest.mark.parametrize(
    ("call", "error", "sentence"),
    [
        (lambda: copeland.load("implicit-100000"), InvalidParameter, "implicit"),
        (lambda: copeland.load("cyclic4"), UnknownProblem, "did you mean 'cyclic-4'"),
        (lambda: copeland.load("order-2-0.1"), InvalidParameter, "at least 3"),
        (lambda: copeland.load("order-5-0.7"), InvalidParameter, "between 0 and 0.5"),
        (lambda: copeland.load("mslr-5:seed=1"), InvalidParameter, "takes no parameters"),
        (lambda: copeland.load("easy-5:sede=1"), InvalidParameter, "does not take"),
        (lambda: copeland.load("missing.csv"), copeland.InvalidMatrix, "no such file"),
        (lambda: copeland.load("part-9-of-mslr-5"), InvalidParameter, "take 2 to 5"),
        (
            lambda: copeland.load("part-3-of-arithmetic-8:condorcet=False"),
            InvalidParameter,
            "without a Condorcet winner",
        ),
        (lambda: copeland.load("blocks-8-4-0.1"), InvalidParameter, "odd"),
        (lambda: copeland.load("perturbed-2-of-mslr-5"), InvalidParameter, "below 1"),
    ],
)
def test_what_cannot_be_is_refused_in_a_sentence(call, error, sentence):
    with pytest.raises(error, match=sentence):
        call()
