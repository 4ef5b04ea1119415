"""Names and numbers as they stand in sentences; which names look alike, and what to call voters whose names a server drew."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

from copeland.support.escaping import inert

LISTED = 8  # names in a sentence
NAME = 40  # letters of a name in a sentence

_PROSE = re.compile(  # names that a sentence would swallow
    "all|and|another|any|best|both|each|either|every|everything|it|left|more|most|neither|no|nobody|none|not|nothing|one|or|"
    "other|others|right|same|some|that|the|them|they|this|tie|tied|what|which|yes"
)

# Letters of Cyrillic and Greek that look like Latin ones in most fonts, and what they look like.
_FOREIGN = (
    "\u0430\u0435\u043e\u0440\u0441\u0443\u0445\u0456\u0458\u0455"
    "\u04bb\u0501\u051b\u051d\u04cf"
    "\u0410\u0412\u0415\u041a\u041c\u041d\u041e\u0420\u0421\u0422"
    "\u0423\u0425\u0406\u0408\u0405\u051a\u051c"
    "\u03bf\u0391\u0392\u0395\u0396\u0397\u0399\u039a\u039c\u039d"
    "\u039f\u03a1\u03a4\u03a5\u03a7"
)
_LATIN = "aeopcyxijshdqwlABEKMHOPCTYXIJSQWoABEZHIKMNOPTYX"
_TWINS = str.maketrans(_FOREIGN, _LATIN)
# What is drawn as nothing, besides the characters that control the form of others (category Cf).
_UNSEEN = re.compile("[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u3164\ufe00-\ufe0f\uffa0]")
_RANDOM = re.compile(r"(voter|visitor)-[0-9a-f]{12}")


def quote_name(name: str) -> str:
    """Return a name as it stands in a sentence: in quotation marks if it could be read as a part of it."""
    prose = _PROSE.fullmatch(name.lower()) or re.search(r"[\s,;()\"“”]|[.:!?]$", name)
    return f"“{name}”" if prose else name


def quote_names(names: Iterable[str]) -> list[str]:
    """Return names as they stand in a sentence."""
    return list(map(quote_name, names))


def join_names(names: Sequence[str], most: int = LISTED, last: str = "and") -> str:
    """Return names as in a sentence; of very many, the first ones."""
    if len(names) > most:
        names = [*names[: most - 1], f"{len(names) - most + 1} more"]
    return (
        f" {last} ".join([", ".join(names[:-1]), names[-1]]) if len(names) > 1 else "".join(names)
    )


def some(names: Sequence[str], most: int = LISTED, between: str = ", ") -> str:
    """Return names one after the other; of very many, the first ones and their number.

    Examples
    --------
    >>> some(["a", "b", "c"]), some(["a", "b", "c"], 2)
    ('a, b, c', 'a, b, ... (3 in all)')
    """
    shown = between.join(names[:most])
    return shown if len(names) <= most else f"{shown}{between}... ({len(names)} in all)"


def format_count(number: int, what: str) -> str:
    """Return a number of things."""
    return f"{number:,} {what}{'' if number == 1 else 's'}"


def about(number: float) -> str:
    """Return a number as an estimate is told: with two digits.

    Examples
    --------
    >>> about(7), about(1649), about(123_456)
    ('7', '1,600', '120,000')
    """
    return f"{int(float(f'{number:.2g}')):,}"


def format_money(amount: float, about: bool = False) -> str:
    """Return dollars as people write them; ``about``: as an estimate."""
    if 0 < amount < 0.01:
        return "under $0.01"
    return f"{'about ' if about else ''}${amount:,.2f}"


def percent(share: float, digits: int = 0) -> str:
    """Return a share as a percentage, never 0 or 100 where it only comes near; of two shares, the larger is never written as less."""
    step = 10.0**-digits  # in percent
    if 0 < 100 * share < step:
        return f"under {step:g} %"
    if 100 - step < 100 * share < 100:
        return f"over {100 - step:g} %"
    return f"{100 * share:.{digits}f} %"


def percent_chance(chance: float) -> str:
    """Return an estimated chance as a percentage, never 0 or 100: an estimate rules nothing out.

    So two chances under 1 % look alike, whether or not one of them came up in none of the worlds that were drawn.
    """
    return percent(min(max(chance, 1e-9), 1 - 1e-9))


def letters(text: str) -> int:
    """Return how wide a text is, in letters; those of some scripts are twice as wide."""
    if text.isascii():
        return len(text)
    widths = list(map(unicodedata.east_asian_width, text))
    return len(text) + widths.count("W") + widths.count("F")


def measure_names(names: Iterable[str]) -> tuple[int, int]:
    r"""Return how many lines the longest of some names has, and how wide the widest line is, in letters.

    Examples
    --------
    >>> measure_names(["green\ntea", "milk"])
    (2, 5)
    """
    lines = widest = 1
    for name in names:
        found = name.split("\n")
        lines, widest = max(lines, len(found)), max(widest, *map(letters, found))
    return lines, widest


def shorten_names(names: Sequence[str], most: int, lines: int = 1) -> list[str]:
    """Return names that still differ in lines of at most so many letters; too long ones lose their end."""
    plain, numbered, found = [], [], []
    for place, name in enumerate(names, 1):
        whole = " ".join(inert(name).split())
        plain.append(wrap_name(whole, most, lines))
        numbered.append(wrap_name(whole, most, lines, f" ({place})"))
    times = Counter(plain)
    for name, with_number in zip(plain, numbered, strict=True):
        found.append(with_number if times[name] > 1 else name)
    # A number may make a name that another has already.
    return numbered if len(set(found)) < len(found) else found


def wrap_name(name: str, most: int, lines: int, tail: str = "") -> str:
    r"""Return a name in a few lines of at most so many letters, without its end if need be, and a tail.

    Examples
    --------
    >>> wrap_name("ccb:alpha=1.01,variant=printed", 14, 3)
    'ccb:alpha=\n1.01,variant=\nprinted'
    >>> wrap_name("a name that goes on and on", 12, 2)
    'a name that\ngoes on and…'
    """
    # Every letter takes room, so what comes after these does not fit in any case.
    found = _lines(name[: most * lines + 1] + tail, most)
    if len(found) > lines:
        rest = "".join(found[lines - 1 :]).removesuffix(tail)
        found[lines - 1 :] = [f"{_beginning(rest, most - 1 - len(tail))}…{tail}"]
    return "\n".join(map(str.strip, found))


def _lines(text: str, most: int) -> list[str]:
    """A text as lines, broken after a space or a mark if that can be, with what they are broken after."""
    found = [""]
    for piece in re.split(r"(?<=[\s:;,/_=-])", text):
        if letters((found[-1] + piece).rstrip()) > most:
            found += _break_word(piece, most)
        else:
            found[-1] += piece
    return list(filter(None, found)) or [""]


def _break_word(piece: str, most: int) -> list[str]:
    """What has no place to be broken at, broken where a line is full."""
    found = []
    while letters(piece.rstrip()) > most:
        # A line holds a letter at least, and no accent begins one.
        length = max(len(_first(piece, most)), 1)
        while length < len(piece) and unicodedata.combining(piece[length]):
            length += 1
        found.append(piece[:length])
        piece = piece[length:]
    return [*found, piece]


def _beginning(name: str, most: int) -> str:
    """The same as :func:`_first`, but no letter without its accents."""
    taken = len(_first(name, most))
    while 0 < taken < len(name) and unicodedata.combining(name[taken]):
        taken -= 1
    return name[:taken]


def _first(name: Iterable[str], most: int) -> str:
    """Return as much of the beginning of a name as has at most so many letters."""
    taken, width = [], 0
    for letter in name:
        width += letters(letter)
        if width > most:
            break
        taken.append(letter)
    return "".join(taken)


def shorten(text: object, most: int) -> str:
    """Return a text on one line, inert, and of at most so many characters."""
    line = inert(" ".join(str(text).split()))
    return line if len(line) <= most else f"{line[: most - 1]}…"


def capital(sentence: str) -> str:
    """Return a sentence as it begins on a page."""
    return sentence[:1].upper() + sentence[1:]


# Names that look alike, and names that a server drew


def look_of(text: str) -> str:
    """Return what a text looks like: texts of the same look cannot be told apart by reading."""
    text = unicodedata.normalize("NFC", text)
    seen = "".join(letter for letter in text if unicodedata.category(letter) != "Cf")
    return " ".join(_UNSEEN.sub("", seen).translate(_TWINS).split())


def find_twins(names: Iterable[str]) -> tuple[str, str] | None:
    """Return two names that are the same or look the same, None if there are none."""
    looks: dict[str, str] = {}
    for name in names:
        look = look_of(name)
        if look in looks:
            return looks[look], name
        looks[look] = name
    return None


def is_random_name(voter: str) -> bool:
    """Tell whether a server drew a voter's name, so that it says nothing to anybody."""
    return _RANDOM.fullmatch(voter) is not None


def name_voters(voters: Sequence[str], noun: str = "voter") -> dict[str, str]:
    """Return what to call each voter: a name that somebody gave, or a number."""
    names = {}
    for place, voter in enumerate(voters, 1):
        names[voter] = f"{noun} {place}" if is_random_name(voter) else voter
    return names


_QUOTED = 60  # characters of a value that is no name


def quote_value(value: Any) -> str:
    """Return any value as it stands in an error, cut if it is long."""
    shown = repr(value[:_QUOTED] if isinstance(value, str | bytes) else value)
    return shown if len(shown) <= 4 * _QUOTED else f"{shown[: 4 * _QUOTED]}…"
