"""Figures that a notebook shows by itself, without pyplot; import it where a figure is made."""

from __future__ import annotations

from matplotlib.figure import Figure

from copeland.report.images import image

_PIXELS = 96  # of a screen, to the inch


class ShownFigure(Figure):
    """A matplotlib figure that is its own picture in a notebook."""

    def _repr_png_(self) -> tuple[bytes, dict[str, float]]:
        wide, high = (float(inches) * _PIXELS for inches in self.get_size_inches())
        return image(self, "png"), {"width": wide, "height": high}
