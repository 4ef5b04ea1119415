"""Values at a prompt and in a notebook: short, telling, and harmless whatever they are called."""

from dataclasses import replace

import numpy as np
import pytest

import copeland
from copeland.simulation.runs import Curves, Runs

HOSTILE = "<script>alert(1)</script>\x1b[31m"


def matrix(k, best="even"):
    p = np.full((k, k), 0.5)
    if best == "first":
        p[0, 1:], p[1:, 0] = 0.75, 0.25
    return copeland.PreferenceMatrix(p, [f"o{i}" for i in range(k)], "tea")


def curves(name, regret):
    table = np.array(regret, dtype=float)[:, None]
    ones = np.ones_like(table, dtype=np.int64)
    return Curves(name, {}, np.array([100]), table, ones * 50, ones, ones == 1, 0.1)


def runs(*found):
    return Runs("soup", 3, "key", False, 100, 0, "definition-1", np.array([100]), found)


def test_a_matrix_is_shown_with_its_winners_and_only_so_large():
    assert repr(matrix(3, "first")) == (
        "<PreferenceMatrix 'tea' of 3 options: o0, o1, o2; Condorcet winner o0>"
    )
    assert repr(matrix(2)).endswith("; Copeland winners o0 and o1>")
    assert "o7, ... (20 in all); Copeland winners" in repr(matrix(20))
    for name in ("mslr-5", "cyclic-4", "easy-20:seed=3"):
        m = copeland.load(name)
        best = [m.labels[i] for i in copeland.winners.copeland_winners(m)]
        assert repr(m).split("winner")[1].lstrip("s ").startswith(best[0])
        assert ("Condorcet" in repr(m)) == (copeland.winners.condorcet_winner(m) is not None)
    page = matrix(40, "first")._repr_html_()
    assert page.count("<tr>") == 13 and "<p>... and 28 more.</p>" in page
    assert ">0.75</td>" in page and "o12" not in page
    assert "more" not in matrix(12, "first")._repr_html_()


def test_runs_say_who_ran_on_what_and_the_regret_with_its_error():
    found = runs(curves("ccb", [10, 14]), curves("rucb", [20]))
    # The standard deviation of 10 and 14 is 2.83, over the root of 2 runs.
    assert repr(found) == (
        "<Runs of ccb and rucb on soup: 2 runs to t = 100; regret ccb 12 ± 2, rucb 20 ± ?>"
    )
    row = "<tr><th>ccb</th><td>2</td><td>12</td><td>2</td><td>50</td><td>100%</td></tr>"
    assert row in found._repr_html_()


def test_cells_are_coloured_by_who_wins_and_numbers_of_runs_are_shown_in_full():
    page = matrix(3, "first")._repr_html_()
    assert '<td style="background: rgba(0, 114, 178, 0.35)">0.75</td>' in page
    assert '<td style="background: rgba(213, 94, 0, 0.35)">0.25</td>' in page
    assert "<td>0.5</td>" in page
    assert "regret ccb 1,234,567 ± " in repr(runs(curves("ccb", [1234566, 1234568])))
    assert repr(runs()).startswith("<Runs of  on soup: 0 run")


def test_a_certificate_is_shown_with_its_scores_and_which_option_to_take():
    found = copeland.certify([[0, 90], [30, 0]], labels=["tea", "milk"])
    assert repr(found) == f"<Certificate: {found.statement}>"
    page = found._repr_html_()
    assert found.statement in page and page.index("<th>tea</th>") < page.index("<th>milk</th>")
    assert "<tr><th>tea</th><td>1</td><td>1</td></tr>" in page
    found = copeland.certify([[0, 900], [300, 0]], margin=0.1)
    assert found.advice and found.advice in found._repr_html_()


@pytest.mark.parametrize(
    "value",
    [
        copeland.PreferenceMatrix([[0.5, 0.7], [0.3, 0.5]], [HOSTILE, "b"], HOSTILE),
        copeland.certify([[0, 90], [30, 0]], labels=[HOSTILE, "b"]),
        replace(runs(curves(HOSTILE, [1])), problem=HOSTILE),
    ],
    ids=["matrix", "certificate", "runs"],
)
def test_names_do_nothing_where_they_are_shown(value):
    assert "\x1b" not in repr(value)
    assert "<script" not in value._repr_html_() and "\x1b" not in value._repr_html_()
