"""Names that people read: which look alike and are not the same, and what to call voters whose names a server drew."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence

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
    return {
        voter: f"{noun} {place}" if is_random_name(voter) else voter
        for place, voter in enumerate(voters, 1)
    }
