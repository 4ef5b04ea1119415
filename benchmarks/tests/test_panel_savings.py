"""The measurement of what a panel is spared: it is as much as the docs say."""

import numpy as np
import pytest

from benchmarks.panel import FAMILIES, early_majority, fewest, panel, play


# Even who knew all answers beforehand could not save so much where all options go in a circle.
@pytest.mark.parametrize("family", sorted(FAMILIES.keys() - {"cycle of all"}))
def test_a_panel_of_five_is_spared_three_questions_in_five(family):
    panels = [panel(family, 12, 5, nth) for nth in range(5)]
    ratios = [early_majority(one, nth) / play(one, seed=nth) for nth, one in enumerate(panels)]
    assert np.median(ratios) >= 2.5


def test_nobody_settles_a_circle_of_all_in_two_fifths_of_the_questions():
    said = panel("cycle of all", 12, 5, 0)
    assert early_majority(said) / fewest(said) < 2.5
