"""Whether those who see few colours can tell the lines of a figure apart."""

from itertools import combinations

import numpy as np
import pytest

from copeland.report.document import PALETTE, style_of

# Machado, Oliveira and Fernandes 2009, for linear RGB and a sense of colour that is wholly absent.
SIGHTS = {
    "all colours": np.eye(3),
    "protanopia": np.array(
        [
            [0.152286, 1.052583, -0.204868],
            [0.114503, 0.786281, 0.099216],
            [-0.003882, -0.048116, 1.051998],
        ]
    ),
    "deuteranopia": np.array(
        [
            [0.367322, 0.860646, -0.227968],
            [0.280085, 0.672501, 0.047413],
            [-0.011820, 0.042940, 0.968881],
        ]
    ),
}
XYZ = np.array(
    [
        [0.4124564, 0.3575761, 0.1804375],
        [0.2126729, 0.7151522, 0.0721750],
        [0.0193339, 0.1191920, 0.9503041],
    ]
)
APART = 10.0  # CIE 1976: 2.3 is the least that is seen at all, side by side


def lab(colour, sight):
    """A colour as it is seen, in CIELAB, whose distances are those that people see."""
    rgb = np.array([int(colour[at : at + 2], 16) for at in (1, 3, 5)]) / 255
    linear = np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4)
    xyz = XYZ @ np.clip(sight @ linear, 0, 1)
    f = np.cbrt(xyz / (XYZ @ np.ones(3)))
    return np.array([116 * f[1] - 16, 500 * (f[0] - f[1]), 200 * (f[1] - f[2])])


def differences(one, other, sight):
    """In how many ways two lines are seen to differ: colour, dashes, marker."""
    seen = np.linalg.norm(lab(one.colour, sight) - lab(other.colour, sight)) >= APART
    return int(seen) + (one.dashes != other.dashes) + (one.marker != other.marker)


@pytest.mark.quick
@pytest.mark.parametrize("sight", SIGHTS)
def test_any_two_of_the_colours_are_seen_apart(sight):
    for one, other in combinations(PALETTE, 2):
        assert np.linalg.norm(lab(one, SIGHTS[sight]) - lab(other, SIGHTS[sight])) >= APART


@pytest.mark.parametrize("sight", SIGHTS)
def test_twelve_lines_differ_in_colour_or_in_both_dashes_and_marker(sight):
    styles = [style_of(place) for place in range(12)]
    for one, other in combinations(styles, 2):
        coloured = differences(
            one._replace(dashes=0, marker=0), other._replace(dashes=0, marker=0), SIGHTS[sight]
        )
        assert coloured or differences(one, other, SIGHTS[sight]) >= 2


def test_lines_are_all_different_and_the_first_four_without_any_colour():
    assert len({style_of(place) for place in range(24)}) == 24
    assert len({style_of(place).dashes for place in range(4)}) == 4
