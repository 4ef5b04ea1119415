"""Who votes in trials of ballots, what they say, and what of it is true."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from itertools import combinations, product
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from copeland.study.case_draw import CaseDraw, order_cases
from copeland.study.kinds.panel_sitting import panel_of
from copeland.study.log.case_ledger import CaseLedger
from copeland.study.settings import JUDGE, PANEL, PEOPLE

if TYPE_CHECKING:
    from benchmarks.ballot_trials import Trial

CASES = {2: 100, 3: 60, 8: 60}  # by the number of options
MOST = 8  # options there can be, those included that are added


class Opinion(NamedTuple):
    """What one voter says: a ranking, but perhaps the opposite of the first two options."""

    places: Sequence[float]
    is_odd: bool = False

    def prefers(self, i: int, j: int) -> bool:
        """Tell whether i wins against j."""
        return (self.places[i] < self.places[j]) != (self.is_odd and i + j == 1)


class World(NamedTuple):
    """The options, and what is true of them."""

    name: str
    k: int
    p: float = 0.5  # that the first beats the second; every other pair is even
    aims: bool = False  # whether the pair is asked that is nearest to a wrong claim, or any

    def draw(self, rng: np.random.Generator) -> Opinion:
        """Return what one voter says."""
        *places, odd = rng.random(MOST + 1).tolist()
        return Opinion(places, places[0] < places[1] and odd > 2 * self.p)

    def draw_cases(self, rng: np.random.Generator, n: int) -> list[Opinion]:
        """Return n opinions, of which the first beats the second in exactly a share p, and every other pair is even."""
        half = rng.random((n // 2, MOST))
        said = [Opinion(places) for places in (*half.tolist(), *(1 - half).tolist())]
        won = [case for case, opinion in enumerate(said) if opinion.prefers(0, 1)]
        for case in rng.permutation(won)[: round((0.5 - self.p) * n)]:
            said[case] = said[case]._replace(is_odd=True)
        return said

    def truth(self) -> np.ndarray:
        """Return P(i wins against j)."""
        p = np.full((MOST, MOST), 0.5)
        p[0, 1], p[1, 0] = self.p, 1 - self.p
        return p


class Electorate:
    """Who votes: independent visitors, who say what they like."""

    def begin(self, trial: Trial) -> None:
        """Draw what is fixed before anybody is asked."""
        self._truth = trial.world.truth()

    def ask(self, trial: Trial) -> None:
        """Hand out what the next voter gets, if there is anything to ask."""
        pairs = trial.pairs()
        if pairs:
            trial.hand_out(None, trial.choose(pairs), trial.world.draw(trial.rng))

    def truth(self, trial: Trial) -> np.ndarray:
        """Return P(i wins against j)."""
        return self._truth


class People(Electorate):
    """People who are dealt all pairs, and answer by a ranking of their own."""

    def ask(self, trial: Trial) -> None:
        said, pairs = trial.world.draw(trial.rng), trial.pairs()
        voter = f"person {trial.state.number}"
        for n in trial.rng.permutation(len(pairs)):
            trial.hand_out(voter, pairs[n], said)


class Judges(Electorate):
    """A judge with test cases, on each of which it has a ranking."""

    def begin(self, trial: Trial) -> None:
        super().begin(trial)
        n = trial.state.settings.cases
        self._cases = tuple(f"{case}" for case in range(n))
        if trial.state.settings.finite is not None:
            said = trial.world.draw_cases(trial.rng, n)
        else:
            said = [trial.world.draw(trial.rng) for _ in range(n)]
        self._said = dict(zip(self._cases, said, strict=True))
        self._asked: defaultdict[frozenset[int], set[str]] = defaultdict(set)

    def ask(self, trial: Trial) -> None:
        settings, taken = trial.state.settings, self._find_taken(trial)
        for without in (self._asked, {}):  # at first only what was never asked
            shown = {pair: taken[pair] | without.get(pair, set()) for pair in taken}
            fixed = settings.finite is None
            cases = order_cases(self._cases, settings.seed) if fixed else self._cases
            draw = CaseDraw(cases, shown, settings.seed, fixed)
            pairs = [pair for pair in trial.pairs() if not draw.is_spent(frozenset(pair))]
            if pairs:
                pair = trial.choose(pairs)
                case = draw.case(*pair, trial.state.number + 1)
                self._asked[frozenset(pair)].add(case)
                trial.hand_out("judge", pair, self._said[case], case)
                return

    def _find_taken(self, trial: Trial) -> dict[frozenset[int], set[str]]:
        """The cases of each pair that have a vote, or whose ballot is under way."""
        ledger = trial.state.ledger
        assert isinstance(ledger, CaseLedger)
        taken = {pair: set(ledger.votes_on(pair)) for pair in map(frozenset, trial.pairs())}
        for entry in ledger.under_way(trial.now).values():
            taken.get(frozenset((entry.left, entry.right)), set()).add(entry.item)
        return taken


class Panel(Electorate):
    """A panel, of which each member has a ranking."""

    def begin(self, trial: Trial) -> None:
        self._members = trial.state.settings.panel
        self._said = {name: trial.world.draw(trial.rng) for name in self._members}

    def ask(self, trial: Trial) -> None:
        panel = panel_of(trial.state)
        held = {(one.voter, one.left, one.right) for one in panel.under_way(trial.now).values()}
        free = [
            (name, pair)
            for name in panel.members_due
            for pair in trial.pairs()
            if not panel.has_answered(name, *pair) and (name, *pair) not in held
        ]
        if free:
            pair = trial.choose(list({pair: None for _, pair in free}))
            who = [name for name, one in free if one == pair]
            name = who[int(trial.rng.integers(len(who)))]
            trial.hand_out(name, pair, self._said[name])

    def truth(self, trial: Trial) -> np.ndarray:
        """Return 1 where most members prefer i, once all have answered who are waited for; 0 or 1/2 where not."""
        won = np.zeros((trial.state.k, trial.state.k))
        for (i, j), name in product(combinations(range(trial.state.k), 2), self._members):
            winner = trial.standing.get((name, frozenset((i, j))))
            if winner is None and name not in trial.excused:
                winner = i if self._said[name].prefers(i, j) else j
            if winner is not None:
                won[winner, i + j - winner] += 1
        return (np.sign(won - won.T) + 1) / 2


ELECTORATES: dict[str, Callable[[], Electorate]] = {PEOPLE: People, JUDGE: Judges, PANEL: Panel}
