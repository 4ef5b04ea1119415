"""Problems by name: printed matrices, families of generated ones, and files."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import copeland.problems.download as data
import copeland.problems.generators as generators
from copeland.errors import InvalidParameter, UnknownProblem, nearest
from copeland.matrix import PreferenceMatrix, is_matrix_file, list_file_types
from copeland.problems.implicit import as_matrix, implicit_order
from copeland.problems.problem import Problem, matrix_problem
from copeland.support.rng import stream
from copeland.support.spec import Spec


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


LARGEST_WRITTEN_OUT = 5_000
LONGEST_NAME = 200  # characters of a family's name: more digits mean nothing

_NUMBER = r"\d*\.?\d+"
_WORDS = {  # what a word of a form stands for, in the order of the arguments
    **dict.fromkeys("KCLB", r"(\d+)"),
    **dict.fromkeys(("LOGIT", "SD"), f"({_NUMBER})"),
    "NAME": "(.+)",
    "GAP": rf"({_NUMBER}|U\({_NUMBER},{_NUMBER}\))",
}


@dataclass(frozen=True)
class Family:
    """Problems made by a rule; a random one is redrawn for every run unless a seed is named."""

    form: str  # how to write it
    example: str
    about: str
    make: Callable[..., PreferenceMatrix | Problem]
    random: bool = True

    def match(self, name: str) -> list[Any] | None:
        """Return the arguments that a name spells, None if it is not of this family."""
        pattern = "-".join(_WORDS.get(word, word) for word in self.form.split("-"))
        found = re.fullmatch(pattern, name)
        if found is None or len(name) > LONGEST_NAME:
            return None
        return [_value(text) for text in found.groups()]


FAMILIES = [
    Family(
        "synthetic-500",
        "synthetic-500",
        "the paper's second experiment: three winners in a cycle, then an order; gaps U(.05, .45)",
        generators.synthetic_500,
        random=False,
    ),
    Family(
        "order-K-GAP",
        "order-20-U(.01,.5)",
        "three winners in a cycle, then an order; every gap GAP, or drawn from U(a,b)",
        generators.order,
    ),
    Family(
        "ranked-K-LOGIT",
        "ranked-20-1",
        "three winners in a cycle, then an order; neighbours in rank are LOGIT apart (Bradley-Terry)",
        generators.ranked_order,
        random=False,
    ),
    Family(
        "near-tie-K",
        "near-tie-20",
        "order-K-U(.05,.45), where half of the pairs among the losers have a gap of .0005",
        generators.near_tie,
    ),
    Family(
        "near-tie-K-GAP",
        "near-tie-20-0.1",
        "order-K-GAP, where half of the pairs among the losers have a gap of .0005",
        generators.near_tie,
    ),
    Family(
        "easy-K",
        "easy-20",
        "a coin flip picks each pair's winner, who wins with probability U(.6, 1) (Bengs et al. 2023)",
        generators.easy,
    ),
    Family(
        "medium-K",
        "medium-20",
        "a coin flip picks each pair's winner, who wins with probability U(.55, .7) (Bengs et al. 2023)",
        generators.medium,
    ),
    Family(
        "tournament-K",
        "tournament-12",
        "a coin flip picks each pair's winner, gaps U(.02, .45)",
        generators.tournament,
    ),
    Family(
        "tournament-K-GAP",
        "tournament-12-U(.01,.1)",
        "a coin flip picks each pair's winner; every gap GAP, or drawn from U(a,b)",
        generators.tournament,
    ),
    Family(
        "total-order-K-GAP",
        "total-order-12-U(.01,.1)",
        "an order without a cycle; every gap GAP, or drawn from U(a,b)",
        generators.total_order,
    ),
    Family(
        "rotated-K-GAP",
        "rotated-12-U(.05,.45)",
        "option 0 beats all; the others form a cycle, and each beats the half that follows; gaps GAP",
        generators.rotated_circle,
    ),
    Family(
        "blocks-K-B-GAP",
        "blocks-12-3-U(.05,.45)",
        "B blocks form a cycle, with an order within each; every gap GAP, or drawn from U(a,b)",
        generators.blocks,
    ),
    Family(
        "planted-K-C-L",
        "planted-20-3-2",
        "a random tournament with C Copeland winners of L losses each, gaps U(.02, .45)",
        generators.plant_winners,
    ),
    Family(
        "bradley-terry-K",
        "bradley-terry-10",
        "a total order: strengths from a normal distribution of standard deviation 1",
        generators.bradley_terry,
    ),
    Family(
        "implicit-K",
        "implicit-100000",
        "order-K-U(.05,.45), which computes p(i, j) instead of storing it: for huge K",
        implicit_order,
        random=False,
    ),
    Family(
        "part-K-of-NAME",
        "part-4-of-arithmetic-8",
        "K options drawn from another problem or file; condorcet=True or False draws with or without a Condorcet winner",
        generators.part,
    ),
    Family(
        "perturbed-SD-of-NAME",
        "perturbed-0.01-of-mslr-5",
        "another problem or file with normal noise of standard deviation SD on every pair",
        generators.add_noise,
    ),
]


def names() -> list[str]:
    """Return the names of the printed problems and the forms of the families.

    Examples
    --------
    >>> "mslr-5" in names(), len(names()) > 5
    (True, True)
    """
    return [*PRINTED, *(family.form for family in FAMILIES)]


def list_problems() -> list[str]:
    """Return names that :func:`~copeland.simulate` takes: printed, to be fetched, one of each family.

    Examples
    --------
    >>> "mslr-5" in list_problems(), "easy-20" in list_problems()
    (True, True)
    """
    return [*PRINTED, *data.datasets(), *(family.example for family in FAMILIES)]


def load(name: str | Path, key: str | None = None) -> PreferenceMatrix:
    """Return the matrix of a built-in name, or of a file: a matrix, or votes (:meth:`PreferenceMatrix.load`).

    Parameters
    ----------
    name
        A name may carry parameters: ``"easy-20:seed=3"``.
    key
        The array to take from an .npz file.

    Examples
    --------
    >>> load("cyclic-4").p[0].tolist()
    [0.5, 0.6, 0.6, 0.6]
    """
    made = _make(name, key)
    if isinstance(made, PreferenceMatrix):
        return made
    if made.k > LARGEST_WRITTEN_OUT:
        raise InvalidParameter(f"{name} has no matrix to load: its {made.k} options are implicit.")
    return as_matrix(made)


def problem_of(problem: Problem | PreferenceMatrix | str | Path) -> Problem:
    """Return the problem that a matrix, a name or a file stands for.

    Examples
    --------
    >>> problem_of("mslr-5").k
    5
    """
    if isinstance(problem, Problem):
        return problem
    made = problem if isinstance(problem, PreferenceMatrix) else _make(problem)
    return made if isinstance(made, Problem) else matrix_problem(made)


def redrawn(problem: str) -> bool:
    """Tell whether a simulation redraws the problem for every run: a random family without a seed.

    Examples
    --------
    >>> redrawn("tournament-7"), redrawn("mslr-5")
    (True, False)
    """
    if _is_file(problem):
        return False
    spec = Spec.parse(problem)
    family = _family_of(spec.name)
    return family is not None and family.random and "seed" not in spec.params


def problem_of_run(problem: str, seed: int, run: int) -> Problem:
    """Return the draw of a random family that run number ``run`` meets.

    Examples
    --------
    >>> problem_of_run("tournament-7", seed=0, run=3).k
    7
    """
    drawn = int(stream(seed, "problem", problem, run).integers(2**31))
    return problem_of(f"{problem}{',' if ':' in problem else ':'}seed={drawn}")


def _is_file(name: str | Path) -> bool:
    if isinstance(name, Path):
        return True
    return _family_of(name) is None and is_matrix_file(name)


def _family_of(name: str) -> Family | None:
    return next((family for family in FAMILIES if family.match(name) is not None), None)


def _make(given: str | Path, key: str | None = None) -> PreferenceMatrix | Problem:
    if _is_file(given):
        return PreferenceMatrix.load(given, key)
    name = str(given)
    spec = Spec.parse(name)
    printed = PRINTED.get(spec.name)
    if printed is not None or spec.name in data.datasets():
        if spec.params:
            kind = "downloaded" if printed is None else "printed"
            raise InvalidParameter(f"{spec.name} is a {kind} matrix; it takes no parameters.")
        return data.load(spec.name) if printed is None else printed.matrix(spec.name)
    family = _family_of(spec.name)
    if family is not None:
        return _build_problem(family, spec)
    shown = name if len(name) <= LONGEST_NAME else f"{name[:LONGEST_NAME]}..."
    raise UnknownProblem(
        f"there is no problem '{shown}', nor is it a file ending in {', '.join(list_file_types())}; "
        f"{nearest(spec.name, list_problems())}"
    )


def _build_problem(family: Family, spec: Spec) -> PreferenceMatrix | Problem:
    read = family.match(spec.name) or []
    arguments = [load(value) if isinstance(value, str) else value for value in read]
    try:
        return family.make(*arguments, **spec.params)
    except InvalidParameter:
        raise
    except (TypeError, ValueError, OverflowError):
        raise InvalidParameter(
            f"{spec}: {family.form} does not take these parameters; as in {family.example}:seed=3."
        ) from None


def _value(text: str) -> Any:
    """Read a number, a range U(a,b), or the name of another problem, out of a name."""
    if text.startswith("U("):
        low, high = text[2:-1].split(",")
        return float(low), float(high)
    if re.fullmatch(_NUMBER, text):
        return int(text) if text.isdigit() else float(text)
    return text
