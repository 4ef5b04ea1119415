"""Numbers to figures, tables and pages: values in, figures out; nothing is computed or shown here."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from copeland.runs import Runs


def plot(runs: Runs) -> Figure:
    """Return the regret curves of a simulation as a matplotlib figure; save it with ``savefig``.

    Examples
    --------
    >>> import copeland
    >>> figure = plot(copeland.simulate("cyclic-4", "ccb", horizon=1000, runs=5))
    >>> figure.axes[0].get_xscale()
    'log'
    """
    from copeland.report.figures import regret_figure

    return regret_figure(runs)
