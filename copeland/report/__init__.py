"""Numbers to figures, tables and pages: values in, figures out; nothing is computed or shown here."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Protocol, cast

from copeland.errors import InvalidParameter
from copeland.simulation.runs import Runs

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from copeland.orders import Ranking
    from copeland.tuning import Tuner


class Drawable(Protocol):
    """What knows its own figure, as the audit of judges does."""

    def draw_figure(self) -> Figure:
        """Return it."""
        ...


def plot(
    runs: Runs | Tuner | Ranking | Drawable,
    ax: Axes | None = None,
    *,
    yscale: str = "linear",
    xscale: str = "log",
    width: str = "double",
    algorithms: str | Sequence[str] | None = None,
    lower_bound: float | bool | None = None,
    spread: str = "quantiles",
    by: str | None = None,
) -> Figure:
    """Return the regret curves of a simulation, the scores of a tuning, or a ranking as a matplotlib figure; save it with ``savefig``.

    Parameters
    ----------
    runs
        The simulation; or a tuner: then the score that it estimates, along each parameter and over the first two; or what
        :func:`copeland.rank` and :meth:`Study.ranking` return: then each option with its interval, tier and possible
        ranks; or what :func:`copeland.audit_judges` returns: then each judge's share of every pair beside people's. Only a
        simulation takes other parameters.
    ax
        Axes of your own to draw on; by default those of a new figure.
    yscale, xscale
        ``"linear"`` or ``"log"``. Many curves are easiest to tell apart with both logarithmic.
    width
        ``"single"``, a column of a journal (3.4 inches), or ``"double"``, its page (7.2 inches).
    algorithms
        The names of those to draw; by default all. Each keeps its colour.
    lower_bound
        True draws the least regret that theory allows as a dashed line, if the problem has a name or a file. Otherwise
        give what :func:`copeland.limits.lower_regret` returns for the problem.
    spread
        What the bands are: ``"quantiles"``, the middle 90 % of the runs; ``"errors"``, two standard errors of the
        mean; or ``"none"``.
    by
        ``"algorithm"`` gives each algorithm axes of its own, with the others in grey.

    Examples
    --------
    >>> import copeland
    >>> runs = copeland.simulate("cyclic-4", "ccb", horizon=1000, runs=5)
    >>> plot(runs).axes[0].get_xscale()
    'log'
    >>> figure = plot(runs, yscale="log", width="single", lower_bound=True)
    >>> figure.axes[0].lines[-1].get_label(), float(figure.get_figwidth())
    ('lower bound', 3.4)
    """
    from matplotlib.axes import Axes

    from copeland.orders.rank import Ranking
    from copeland.report.plot_options import LOOK, PlotOptions, least_regret

    look = PlotOptions(yscale, xscale, width, spread, by, algorithms)
    if not isinstance(runs, Runs):
        is_own = hasattr(runs, "draw_figure")
        what = "ranking" if isinstance(runs, Ranking) else "audit" if is_own else "tuner"
        article = "an" if what == "audit" else "a"
        if look != LOOK or ax is not None or lower_bound is not None:
            raise InvalidParameter(
                f"{article} {what} is drawn in one way; give nothing but the {what}."
            )
        if isinstance(runs, Ranking):
            from copeland.report.ranking_figure import ranking_figure

            return ranking_figure(runs)
        if is_own:
            return cast(Drawable, runs).draw_figure()
        from copeland.report.landscape_figure import landscape_figure

        return landscape_figure(cast(Any, runs).landscape())
    from copeland.report.regret_figure import regret_figure

    if not isinstance(ax, Axes | None):
        raise InvalidParameter(f"ax is {ax!r}; give matplotlib axes, or a number as lower_bound=.")
    limit = least_regret(runs) if lower_bound is True else lower_bound
    return regret_figure(runs, None if limit is False else limit, look, ax=ax)
