"""A figure as part of a page: in the page's ink, on light and on dark, with words for those who cannot see it."""

import html
import re

from matplotlib.collections import QuadMesh
from matplotlib.figure import Figure

from copeland.report.document import image, inline_svg
from copeland.study.report.study_figures import PAPER

_NARROW = 5.0  # inches: what a telephone shows legibly; wider ones are scrolled there


def picture(figure: Figure, alt: str) -> str:
    """Return a figure as lines of HTML for a page in Markdown."""
    for shades in figure.findobj(QuadMesh):  # whose cells would be a path each, and take megabytes
        shades.set_rasterized(True)
    svg = inline_svg(image(figure, "svg"))
    svg = re.sub(r' d="[^"]+"', _shorter, svg)
    svg = svg.replace("stroke: #000000", "stroke: currentColor")
    svg = re.sub(r"(<path [^>]*fill: )#ffffff", rf"\1{PAPER}", svg)  # the ground of a panel
    svg = svg.replace(PAPER, "var(--color-background-primary)")
    svg = re.sub(r"\n\s*\n", "\n", svg)  # a blank line would end the HTML
    words = html.escape(alt, quote=True)
    opening = f'<svg role="img" aria-label="{words}"'
    kind = "figure wide" if figure.get_figwidth() > _NARROW else "figure"
    return f'<div class="{kind}">\n{svg.replace("<svg", opening, 1).strip()}\n</div>'


def _shorter(path: re.Match[str]) -> str:
    """The points of a line on one line, to a hundredth of a point."""
    return re.sub(r"(\.\d\d)\d+", r"\1", re.sub(r"\s*\n\s*", "", path[0]))
