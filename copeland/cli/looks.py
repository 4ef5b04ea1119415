"""How the figure of a simulation shall look: options that several commands take."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated

import typer

from copeland.report.plot_options import LOOK, PlotOptions

YScale = Annotated[str, typer.Option(help="Regret in the figure: linear or log.")]
XScale = Annotated[str, typer.Option(help="Time in the figure: log or linear.")]
Width = Annotated[
    str, typer.Option(help="The figure's width: double, a page, or single, a column of a journal.")
]
Spread = Annotated[
    str,
    typer.Option(help="The figure's bands: quantiles of the runs, errors of the mean, or none."),
]
By = Annotated[
    str | None, typer.Option(help="algorithm: axes of its own for each, the others in grey.")
]


def words(look: PlotOptions) -> Iterator[str]:
    """Give the options that make a look, but for those that are as by default."""
    for name, value, usual in zip(LOOK._fields, look, LOOK, strict=True):
        if value != usual:
            yield from (f"--{name}", str(value))
