"""What a study is to find out: who is best, the best few, who is better than a baseline, or tiers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from copeland.errors import InvalidParameter, nearest
from copeland.support.phrasing import quote_name

BEST, TOP, ABOVE, TIERS = "best", "top", "above", "tiers"


class Goal(NamedTuple):
    """What is to be proved, as people write it: ``best``, ``top:3``, ``above:NAME`` or ``tiers``."""

    kind: str = BEST
    number: int = 1  # of options, if these are the best few
    name: str = ""  # of the baseline

    @classmethod
    def parse(cls, text: str) -> Goal:
        """Read a goal; refuse what is none."""
        kind, _, rest = text.partition(":")
        if text in (BEST, TIERS):
            return cls(kind)
        if kind == TOP and rest.isdecimal() and int(rest) > 0:
            return cls(BEST) if int(rest) == 1 else cls(TOP, int(rest))
        if kind == ABOVE and rest:
            return cls(ABOVE, name=rest)
        raise InvalidParameter(
            f"goal is {text!r}; it must be 'best', 'top:3' or another number, 'above:NAME' or 'tiers'.",
            "goal",
        )

    def __str__(self) -> str:
        rest = {TOP: f":{self.number}", ABOVE: f":{self.name}"}
        return f"{self.kind}{rest.get(self.kind, '')}"

    def check(self, labels: Sequence[str]) -> None:
        """Refuse a goal that these options cannot have."""
        if self.number >= max(len(labels), 2):
            raise InvalidParameter(
                f"goal is 'top:{self.number}', but there are {len(labels)} options; ask for at most {len(labels) - 1}.",
                "goal",
            )
        if self.name and self.name not in labels:
            raise InvalidParameter(
                f"goal is 'above:{self.name}', but no option has that name; {nearest(self.name, labels)}",
                "goal",
            )

    def fits(self, labels: Sequence[str]) -> bool:
        """Tell whether there is anything to ask of these options alone: of a baseline, if it is one of them."""
        return len(labels) > self.number and (not self.name or self.name in labels)

    def baseline(self, labels: Sequence[str]) -> int | None:
        """Return which option all others are compared with, if any."""
        return labels.index(self.name) if self.name else None

    def with_number(self, labels: Sequence[str]) -> str:
        """Return the goal with its baseline by number, as an algorithm reads it."""
        return f"{self.kind}:{labels.index(self.name)}" if self.name else str(self)

    @property
    def end(self) -> str:
        """What has come true when it is reached, as in "until ..."."""
        return {
            BEST: "an option is proved best",
            TOP: f"the top {self.number} are proved",
            ABOVE: f"each option is proved better or worse than {quote_name(self.name)}",
            TIERS: "no more tiers can be told apart",
        }[self.kind]

    @property
    def aim(self) -> str:
        """What votes are to prove, as in "they do not prove ..."."""
        return {BEST: "which option is best"}.get(self.kind, "all that the goal asks for")

    @property
    def answer(self) -> str:
        """What duels are to find, as in "to be sure of ..."."""
        return {BEST: "a winner"}.get(self.kind, f"the goal {self}")


def is_goal(text: object) -> bool:
    """Tell whether a text is a goal."""
    try:
        return isinstance(text, str) and bool(Goal.parse(text))
    except InvalidParameter:
        return False
