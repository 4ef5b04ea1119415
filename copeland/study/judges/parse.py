"""The outcome that a judge's answer states: one clear verdict, or a failure, never a guess."""

from __future__ import annotations

import re
import string
from collections.abc import Iterator, Mapping
from typing import Any

from copeland.errors import CopelandError
from copeland.study.log.events import ERROR, LEFT, OUTCOMES, RIGHT, TIE
from copeland.support.json_texts import objects_in
from copeland.support.phrasing import join_names, shorten
from copeland.support.vote_tables import outcome_word

ANSWERS = tuple(outcome for outcome in OUTCOMES if outcome != ERROR)
KEYS = ("outcome", "verdict", "winner", "choice")  # of a JSON object
REASONS = ("reason", "reasoning", "explanation", "rationale", "why")

# Quantifiers are bounded, so that no text takes long to look through.
_DRESS = "[*_`~]{0,6}"
_NOUN = "(?:response|answer|option|candidate|assistant|model|output|text|side|one)"
_NAMED = re.compile(
    rf"((?:a\s)?tie|both[ _-]bad|skip)\b|(?:the\s)?(?:{_NOUN}\s)?"
    rf"(?:([ab12])(?!\w)|(left|right|first|second)\b(?:\s{_NOUN}\b)?)",
    re.IGNORECASE,
)
_LEAD = r"(?:(?:so|thus|hence|therefore|overall|finally|my|our|the|final)\b[ ,]{0,3}){0,4}"
_MARK = re.compile(
    rf"(?P<begins>^[ \t*_`~#-]{{0,12}}{_LEAD})?"
    r"\b(?:verdict|final\s{1,3}answer|winner|outcome|choice|decision|judge?ment|preference)"
    rf"{_DRESS}(?:\s{{1,3}}is)?\s{{0,3}}[:：]{_DRESS}\s{{0,9}}{_DRESS}",
    re.IGNORECASE | re.MULTILINE,
)
_OPENING = "\"'(["
_ENDING = re.compile(
    rf"[\"')\]]{{0,2}}{_DRESS}(?:[.!;]?{_DRESS}[ \t]{{0,9}}(?:\n|\Z)|[.!;]{_DRESS}\s|\s?[–—]|\s-\s"
    r"|,?\s(?:because|since|as)\b|\s?\((?P<aside>[^()]{0,200})\))",
    re.IGNORECASE,
)
_BRACKETS = re.compile(r"\[\[([^\[\]]{1,20})\]\]")
_STATED = re.compile(
    rf"{_MARK.pattern}[\"'(\[]?(?:{_NAMED.pattern})|{_BRACKETS.pattern}|\{{[^{{}}]{{0,2000}}\}}",
    re.IGNORECASE | re.MULTILINE,
)
_FENCE = re.compile(r"^[ \t]{0,9}(?:```|~~~)\w{0,20}[ \t]{0,9}$", re.MULTILINE)

_AROUND = string.whitespace + string.punctuation  # what may stand around a word
_LONGEST_QUOTE = 120

_Sides = Mapping[str, str]  # what each word stands for


class JudgeFailed(CopelandError, RuntimeError):
    """A judge gave no answer, or one that is no outcome."""


class Reasoned(str):
    """An outcome, and why the judge chose it: what a judge returns that gives a reason.

    Examples
    --------
    >>> said = Reasoned("left", "It is shorter.")
    >>> said, said.reason
    ('left', 'It is shorter.')
    """

    __slots__ = ("reason",)
    reason: str

    def __new__(cls, outcome: str, reason: str = "") -> Reasoned:
        """Return an outcome with its reason."""
        self = super().__new__(cls, outcome)
        self.reason = reason
        return self


def parse_word(answer: object) -> str:
    """Return the outcome that one word says, whatever its case and the punctuation around it."""
    word = outcome_word(" ".join(str(answer).strip(_AROUND).replace("-", " ").split()))
    if not isinstance(answer, str) or word not in ANSWERS:
        raise JudgeFailed(
            f"it answered {quote_answer(answer)}; expected one of {', '.join(ANSWERS)}."
        )
    return word


def quote_answer(answer: object) -> str:
    """Return an answer in quotes, on one line and no longer than a line."""
    return f"'{shorten(answer, _LONGEST_QUOTE)}'"


def parse_outcome(answer: str, first: str = LEFT) -> str:
    r"""Return the one outcome that an answer states; A, 1 and first are the side that was shown ``first``.

    It is stated by one word that is the whole answer or an outcome alone on the first line, or by marks: a
    line that begins as in ``Verdict: A``, double brackets as in ``[[B]]`` (``[[C]]`` is a tie), or a JSON object
    as in ``{"winner": "left"}``. Words outside of a mark never count. ``Verdict: A`` within a line may be a
    quotation: alone it states nothing, but it can contradict.

    Examples
    --------
    >>> parse_outcome("Both are short.\n\n**Verdict:** B, because it is polite."), parse_outcome("[[C]]")
    ('right', 'tie')
    >>> parse_outcome("The left one says [[A]]. My verdict: [[B]]")
    Traceback (most recent call last):
        ...
    copeland.study.judges.parse.JudgeFailed: it answered 'The left one says [[A]]. My verdict: [[B]]', which
    says both left and right; expected one of them.
    """
    text, sides = _FENCE.sub("", answer.replace("\r\n", "\n")).strip(), _sides(first)
    try:
        stated = {*_alone(text, sides), *_read_brackets(text, sides), *_objects(text, sides)}
    except ValueError as error:
        raise JudgeFailed(f"it answered {quote_answer(answer)}, which {error}.") from None
    marked, quotations = _read_marks(text, sides)
    stated |= marked
    if not stated or None in stated:
        raise JudgeFailed(
            f"it answered {quote_answer(answer)}; expected one of {', '.join(ANSWERS)}, alone or as in "
            "'Verdict: left'."
        )
    said = sorted(map(str, stated | quotations))
    if len(said) > 1:
        both = join_names(said)
        raise JudgeFailed(
            f"it answered {quote_answer(answer)}, which says both {both}; expected one of them."
        )
    return said[0]


def find_reason(answer: str) -> str:
    """Return why an answer states its outcome: what its JSON object says, or all of it; nothing if it is a bare verdict."""
    text = _FENCE.sub("", answer).strip()
    objects = list(objects_in(text))
    told = (one[key] for one in objects for key in one if outcome_word(key) in REASONS)
    reason = next((one for one in told if isinstance(one, str)), None)
    if reason is not None:
        return reason
    rest = _STATED.sub(" ", text).strip(_AROUND)
    return text if re.search(r"\w", rest) and outcome_word(rest) not in _sides(LEFT) else ""


def _sides(first: str) -> _Sides:
    second = LEFT if first == RIGHT else RIGHT
    return {outcome: outcome for outcome in ANSWERS} | {
        **dict.fromkeys(("a", "1", "first"), first),
        **dict.fromkeys(("b", "2", "second"), second),
    }


def _alone(text: str, sides: _Sides) -> Iterator[str]:
    """Yield what one word says that is all of the answer, or an outcome that is its first line."""
    line, _, more = text.partition("\n")
    word = outcome_word(line.strip(_AROUND))
    heading = line.startswith("#") or line.rstrip("*_ ").endswith(":")
    if line.startswith("{") or (more and heading):
        return
    if word in (ANSWERS if more else sides):
        yield sides[word]


def _read_brackets(text: str, sides: _Sides) -> Iterator[str]:
    """Yield what double brackets say, where they name an outcome; texts have others too."""
    known = {**sides, "c": TIE}
    for found in _BRACKETS.finditer(text):
        word = outcome_word(found[1])
        if word in known:
            yield known[word]


def _objects(text: str, sides: _Sides) -> Iterator[str | None]:
    """Yield what JSON objects say under the keys of a verdict; None for what is no outcome."""
    unread: list[Any] = list(objects_in(text))
    while unread:
        value = unread.pop()
        if isinstance(value, dict):
            for key, said in value.items():
                if outcome_word(key) in KEYS and not isinstance(said, dict | list):
                    word = said.strip() if isinstance(said, str) else ""
                    named = _NAMED.fullmatch(word)
                    if not _BRACKETS.fullmatch(word):  # which are read as such
                        yield named and _match_side(named, sides)
        if isinstance(value, dict | list):
            unread += value.values() if isinstance(value, dict) else value


def _read_marks(text: str, sides: _Sides) -> tuple[set[str | None], set[str | None]]:
    """Return what marks say that begin a line, None for what is no outcome, and what others say."""
    stated: set[str | None] = set()
    quotations: set[str | None] = set()
    for mark in _MARK.finditer(text):
        value = text[mark.end() : mark.end() + 300]
        if value.startswith(("[[", "{")):  # which are read as such
            continue
        said = _clear(value.lstrip(_OPENING), sides)
        if mark["begins"] is not None:
            stated.add(said)
        elif said is not None:
            quotations.add(said)
    return stated, quotations


def _clear(value: str, sides: _Sides) -> str | None:
    """Return the outcome that comes after a mark; None if what follows may take it back."""
    named = _NAMED.match(value)
    ending = named and _ENDING.match(value, named.end())
    if not named or not ending:
        return None
    meant = _match_side(named, sides)
    others = {found for found in map(sides.get, _words(ending["aside"])) if found}
    return meant if others <= {meant} else None


def _words(aside: str | None) -> list[str]:
    """The words of an aside that may name a side; a small a is an article."""
    return [word.lower() for word in re.findall(r"\w+", aside or "") if word != "a"]


def _match_side(named: re.Match[str], sides: _Sides) -> str:
    return sides[outcome_word(named[named.lastindex or 0]).removeprefix("a_")]
