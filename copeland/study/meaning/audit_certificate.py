"""What the audits of a study of a space prove, as a certificate: made from the books, and made again to check it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal

from copeland.errors import InvalidParameter
from copeland.study.meaning.tuned import ASSUMED, Audited, audits_of
from copeland.study.record.audits import AuditLog
from copeland.study.record.books import Books, require_tuning
from copeland.study.record.events import Event
from copeland.study.record.texts import json_of
from copeland.study.record.tuning import Tuning, key_of
from copeland.tuning import Space
from copeland.tuning.spaces import lacks_constraint

FORMAT = 1
_NEAR = 1e-9  # bounds that differ by less are the same on another machine
_KINDS = {"point": dict, "votes": int, "of": int, "bound": (int, float), "delta": (int, float)}


@dataclass(frozen=True)
class AuditCertificate:
    """What audits prove of points of a space; made by :func:`audit_certificate`."""

    space: str  # as text
    audits: tuple[Audited, ...]

    @property
    def verdict(self) -> Literal["proved", "open"]:
        """Whether any audit proves anything."""
        return "proved" if any(one.bound > 0 for one in self.audits) else "open"

    @property
    def statement(self) -> str:
        """What is proved, in sentences."""
        return " ".join(one.statement for one in self.audits) or "Nothing is proved yet."

    @property
    def assumptions(self) -> tuple[str, ...]:
        """What must hold so that the error probabilities do."""
        return ASSUMED

    @property
    def lacks_constraint(self) -> bool:
        """Whether the constraint of the space is a function, without which nobody can draw its points."""
        return lacks_constraint(self.space)

    def to_dict(self) -> dict[str, Any]:
        """Return what a file says of it, as plain values."""
        return {"format": FORMAT, **asdict(self)}

    @classmethod
    def from_json(cls, text: str) -> AuditCertificate:
        """Return the certificate that a file holds."""
        content = json_of(text)
        if content.get("format") != FORMAT or "envelope" not in content:
            raise InvalidParameter("this text is no certificate of audits that this version reads.")
        space, audits = content.get("space"), content["audits"]
        if not isinstance(audits, list) or not all(map(_is_audit, audits)):
            raise InvalidParameter("this text does not say what was audited.")
        if not isinstance(space, str):
            raise InvalidParameter("this text does not say of which space it is.")
        Space.parameters_in(space)  # which refuses what is none
        return cls(space, tuple(Audited(**one) for one in audits))


def _is_audit(told: Any) -> bool:
    if not isinstance(told, dict) or told.keys() != _KINDS.keys():
        return False
    fits = all(isinstance(told[name], kind) for name, kind in _KINDS.items())
    shares = fits and all(0 <= told[name] <= 1 for name in ("bound", "delta"))
    return shares and not any(isinstance(value, bool) for value in told.values())


def audit_certificate(books: Books, space: Space) -> AuditCertificate:
    """Return what the audits of a study prove; ``space`` has the constraint, which books do not."""
    tuning = require_tuning(books)
    tuning.give(space)
    return AuditCertificate(books.settings.space, audits_of(tuning))


def audit_objections(
    said: AuditCertificate, books: Books, space: Space, past: Sequence[Event]
) -> Iterator[str]:
    """Make a certificate again from the books after past events; yield what does not hold, in sentences."""
    if said.space != books.settings.space:
        yield "it is about another space than the study."
        return
    found, tuning = audit_certificate(books, space), require_tuning(books)
    if len(said.audits) != len(found.audits):
        yield f"it is about {len(said.audits)} audits, but the study had {len(found.audits)} then."
    for nth, (one, other) in enumerate(zip(said.audits, found.audits, strict=False), 1):
        yield from (f"audit {nth}: {words}" for words in _differences(one, other))
    for nth, log in enumerate(tuning.audits.all, 1):
        yield from (f"audit {nth}: {words}" for words in _misdrawn(tuning, nth, log, past))


def _differences(said: Audited, found: Audited) -> Iterator[str]:
    """What a certificate says of an audit, and the votes do not."""
    for name in ("point", "votes", "of", "delta"):
        one, other = getattr(said, name), getattr(found, name)
        if one != other:
            yield f"it says that {name} is {one!r}, but in the study it is {other!r}."
    if not abs(said.bound - found.bound) <= _NEAR:
        yield f"it says that the share is at least {said.bound:.6g}, but the votes prove {found.bound:.6g}."


def _misdrawn(tuning: Tuning, nth: int, log: AuditLog, past: Sequence[Event]) -> Iterator[str]:
    """What a proof takes for granted of a log: its share of delta, and opponents by the draw."""
    share = tuning.settings.delta / (nth * (nth + 1))
    if log.delta != share:
        yield f"its error probability is {log.delta:.6g}, but its share is {share:.6g}."
    point = tuning.points[log.option]
    for ballot, place in log.ballots.items():
        asked = past[ballot - 1]
        met = [side for side in (asked.left, asked.right) if side != log.option]
        drawn = key_of(log.opponent(tuning.space, point, place))
        if [key_of(tuning.points[side or 0]) for side in met] != [drawn]:
            yield f"ballot {ballot} is not about the opponent that was drawn."
