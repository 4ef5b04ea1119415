"""Numbers to figures, tables and pages: values in, figures out; nothing is computed or shown here."""

from __future__ import annotations

from typing import TYPE_CHECKING

from copeland.runs import Runs

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from copeland.tuning import Tuner


def plot(runs: Runs | Tuner, lower_bound: float | None = None) -> Figure:
    """Return the regret curves of a simulation, or the scores of a tuning, as a matplotlib figure; save it with ``savefig``.

    Parameters
    ----------
    runs
        The simulation, or a tuner: then the score that it estimates, along each parameter and over the first two.
    lower_bound
        The value of :func:`copeland.limits.lower_regret` for its problem, drawn as a dashed line.

    Examples
    --------
    >>> import copeland
    >>> runs = copeland.simulate("cyclic-4", "ccb", horizon=1000, runs=5)
    >>> plot(runs).axes[0].get_xscale()
    'log'
    >>> from copeland.limits import lower_regret
    >>> plot(runs, lower_regret(copeland.load("cyclic-4"))).axes[0].lines[-1].get_label()
    'lower bound'
    """
    if not isinstance(runs, Runs):
        from copeland.report.landscapes import landscape_figure

        return landscape_figure(runs.landscape())
    from copeland.report.figures import regret_figure

    return regret_figure(runs, lower_bound)
