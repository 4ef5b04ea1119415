"""Losses shown together, from their definition: the oracle of :mod:`copeland.kernels.planner.prices`."""

from __future__ import annotations

from oracles.planner import PlainPlanner, evidence, held, nats, win_level

CHARGE = 1.0


def together(view: PlainPlanner, j: int, m: int) -> float:
    """Return J(m) of option j.

    Sort the claims against it by their nats and drop the m - 1 strongest; the index of the strongest left,
    and the nats of each further one less the charge. Claims of no more nats than the charge do not count. Of
    several that are as strong, that of the highest index may be left.
    """
    claims = sorted((x, z) for x, z in zip(nats(view)[:, j], evidence(view)[:, j], strict=True))
    counted = [claim for claim in reversed(claims) if claim[0] > CHARGE]
    left = counted[m - 1 :]
    if not left:
        return 0.0
    strongest = max(z for x, z in counted if x == left[0][0])
    return strongest + sum(x - CHARGE for x, _ in left[1:])


def shown(view: PlainPlanner, j: int) -> int:
    """Return the most losses of j that are shown, one by one or together."""
    level = view.levels[2]
    singly = int(held(view)[:, j].sum())
    return max([singly, *(m for m in range(1, view.k) if together(view, j, m) > level)])


def holds(view: PlainPlanner, c: int, l: int) -> bool:
    """Tell whether certificate (c, l) is proved: c beats all but l others, and each of them loses l times."""
    wins = int((evidence(view)[c] > win_level(view, l)).sum())
    others = [j for j in range(view.k) if j != c]
    return wins >= view.k - 1 - l and all(shown(view, j) >= l for j in others)
