"""In which clusters the test cases of a study come: fixed when it is created, and kept in its first event."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

from copeland.certificate.cluster_evidence import CASES, WEIGHTS, Clusters
from copeland.errors import InvalidParameter
from copeland.study.log.events import check_text
from copeland.support.phrasing import join_names

ByCluster = Mapping[str, Collection[str]]  # the names of cases


@dataclass(frozen=True)
class CaseClusters:
    """The cases of each cluster, in their order.

    Parameters
    ----------
    members
        The names of cases by cluster.
    cluster_of
        The cluster of each case.
    weight
        What counts the same: every case (``"cases"``) or every cluster (``"equal"``).
    exact
        Whether what is proved is about exactly these.
    """

    members: Mapping[str, tuple[str, ...]]
    cluster_of: Mapping[str, str]
    weight: str
    exact: bool

    @classmethod
    def of(cls, told: Mapping[str, Any], exact: bool) -> CaseClusters:
        """Return the clusters that :meth:`to_dict` wrote."""
        members = {name: tuple(cases) for name, cases in told["cases"].items()}
        cluster_of = {case: name for name, cases in members.items() for case in cases}
        return cls(members, cluster_of, str(told["weight"]), exact)

    def to_dict(self) -> dict[str, Any]:
        """Return the clusters as the first event of a log has them."""
        return {
            "weight": self.weight,
            "cases": {name: [*all] for name, all in self.members.items()},
        }

    @property
    def terms(self) -> Clusters:
        """What a certificate says of them."""
        return Clusters(len(self.members), max(map(len, self.members.values())), self.weight)

    @property
    def matter(self) -> bool:
        """Whether it matters that cases come in clusters.

        It does not if each has one case, nor where the statement is about exactly these cases and every case counts the same.
        """
        sizes = {len(cases) for cases in self.members.values()}
        if self.exact:
            return len(sizes) > 1 and self.weight != CASES
        return max(sizes) > 1


def check_cases(told: ByCluster, weight: str) -> None:
    """Refuse what are no cases by cluster."""
    if weight not in WEIGHTS:
        raise InvalidParameter(
            f"cluster_weight is {weight!r}; it must be {join_names([repr(one) for one in WEIGHTS], last='or')}.",
            "cluster_weight",
        )
    seen: set[str] = set()
    for cluster, cases in told.items():
        if isinstance(cases, str) or not isinstance(cases, Collection) or not cases:  # pyright: ignore[reportUnnecessaryIsInstance]
            raise _refuse(f"of the cluster {cluster!r} are {cases!r}; give a list of their names.")
        for name in (cluster, *cases):
            check_text("a case, as an ", item=name)
            if name is None or not name.strip():  # pyright: ignore[reportUnnecessaryComparison]
                raise _refuse(f"have the name {name!r}; give each case and cluster its own.")
        for case in cases:
            if case in seen:
                raise _refuse(f"have '{case}' twice; give each its own name.")
            seen.add(case)
    if not seen:
        raise _refuse("are none; give some by cluster, or say how many there are.")


def _refuse(reason: str) -> InvalidParameter:
    return InvalidParameter(f"cases {reason}", "cases")
