"""Small matrices as printed in papers, with their sources."""

from __future__ import annotations

from dataclasses import dataclass

from copeland.matrix import PreferenceMatrix


@dataclass(frozen=True)
class Printed:
    """A matrix typed in from a paper."""

    about: str
    source: str
    rows: str

    def matrix(self, name: str) -> PreferenceMatrix:
        """Return it under a name."""
        rows = [[float(cell) for cell in row.split()] for row in self.rows.strip().splitlines()]
        return PreferenceMatrix(rows, name=name)


PRINTED = {
    "mslr-5": Printed(
        "five feature rankers of MSLR, informational clicks: no Condorcet winner; 0, 1 and 2 form a cycle",
        "Wu & Liu 2016, Appendix D.1.3 (three digits as printed)",
        """
        .500 .484 .519 .529 .518
        .516 .500 .481 .530 .539
        .481 .519 .500 .504 .512
        .471 .470 .496 .500 .503
        .482 .461 .488 .497 .500
        """,
    ),
    "mslr-5-condorcet": Printed(
        "five feature rankers of MSLR, informational clicks: option 0 beats all",
        "Wu & Liu 2016, Appendix D.1.3 (three digits as printed)",
        """
        .500 .535 .613 .757 .765
        .465 .500 .580 .727 .738
        .387 .420 .500 .659 .669
        .243 .273 .341 .500 .510
        .235 .262 .331 .490 .500
        """,
    ),
    "arxiv-6": Printed(
        "six search functions of a preprint archive, by interleaving; options 3 and 5 tie exactly",
        "Yue & Joachims 2011",
        """
        .50 .55 .55 .54 .61 .61
        .45 .50 .55 .55 .58 .60
        .45 .45 .50 .54 .51 .56
        .46 .45 .46 .50 .54 .50
        .39 .42 .49 .46 .50 .51
        .39 .40 .44 .50 .49 .50
        """,
    ),
    "cyclic-4": Printed(
        "option 0 beats all at .6, the others beat each other in a cycle at .9",
        "Komiyama, Honda, Kashima & Nakagawa 2015",
        """
        .5 .6 .6 .6
        .4 .5 .9 .1
        .4 .1 .5 .9
        .4 .9 .1 .5
        """,
    ),
    "arithmetic-8": Printed(
        "a total order: p_ij = .5 + .05 (j - i)",
        "Komiyama, Honda, Kashima & Nakagawa 2015",
        "\n".join(" ".join(f"{0.5 + 0.05 * (j - i):.2f}" for j in range(8)) for i in range(8)),
    ),
}
