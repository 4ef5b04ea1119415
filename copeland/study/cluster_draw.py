"""Which test case a ballot is about where cases come in clusters: clusters are drawn whole, one after the other."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache

from copeland.study.case_draw import Draw
from copeland.study.log.case_ledger import Case
from copeland.study.log.clusters import CaseClusters
from copeland.study.log.events import Pair
from copeland.support.rng import stream


@dataclass(frozen=True)
class ClusterDraw(Draw):
    """Cases by cluster, in the order that the seed gives their clusters."""

    clusters: CaseClusters
    is_begun: Callable[[Pair, str], bool]  # whether it has a case that was handed out for the pair

    def case(self, left: int, right: int, number: int) -> Case:
        """Return the case of a ballot that is the event of this number: of a cluster that was begun, if one has cases left.

        On cases like these, a new cluster is the next of an order that is the same for all pairs; on exactly these, a fresh draw.
        """
        pair = frozenset((left, right))
        left_over = self.list_left(pair)
        begun = next((case for case in left_over if self.is_begun(pair, self._of(case))), None)
        if begun is not None or not self.clusters.exact:
            return left_over[0] if begun is None else begun
        new = list(dict.fromkeys(map(self._of, left_over)))
        chosen = new[int(stream(self.seed, "cluster", number).integers(len(new)))]
        return next(case for case in left_over if self._of(case) == chosen)

    def has_more(self, pair: Pair, cluster: str) -> bool:
        """Tell whether a pair has a case of a cluster left."""
        taken = self.taken.get(pair, ())
        return any(case not in taken for case in self.clusters.members[cluster])

    def _of(self, case: Case) -> str:
        return self.clusters.cluster_of[case or ""]


def order_clusters(clusters: CaseClusters, seed: int) -> tuple[str, ...]:
    """Return all cases in the order that the seed gives their clusters, whatever the order they came in."""
    by_name = tuple(
        sorted((name, tuple(sorted(cases))) for name, cases in clusters.members.items())
    )
    return _in_order(by_name, seed)


@lru_cache(maxsize=8)
def _in_order(clusters: tuple[tuple[str, tuple[str, ...]], ...], seed: int) -> tuple[str, ...]:
    rng = stream(seed, "clusters")
    drawn = (clusters[i][1] for i in rng.permutation(len(clusters)))
    return tuple(cases[i] for cases in drawn for i in rng.permutation(len(cases)))
