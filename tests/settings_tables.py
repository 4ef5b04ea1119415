"""What the docs say of every setting of a study and of every limit, from the code."""

import re

from copeland.study.log.events import LIMITS
from copeland.study.settings import SETTINGS

NAMES = {
    "name": "the name of a study, an option or a judge",
    "voter": "a voter",
    "event_id": "`event_id`",
    "source": "`source`",
    "item": "`item`",
    "text": "`text`",
    "path": "`path`",
}


def page_with_settings(text):
    """The page of settings with the rows of both tables written anew."""
    settings = [
        "| setting | default | must be | |",
        "|---|---|---|---|",
        *(_setting(name, one.metadata) for name, one in SETTINGS.items()),
    ]
    limits = ["| text | characters |", "|---|---|"]
    limits += [f"| {NAMES[name]} | {most:,} |" for name, most in LIMITS.items()]
    return _between(_between(text, "settings", settings), "limits", limits)


def _setting(name, told):
    usual = f"`{told['usual']}`" if told["usual"] else ""
    expected = told["rule"].expected if told["rule"] else ""
    return f"| `{name}` | {usual} | {expected} | {told['help']} |"


def _between(text, mark, lines):
    pattern = rf"(?<=<!-- {mark} -->\n).*?(?=<!-- end of {mark} -->)"
    return re.sub(pattern, lambda _: "\n".join(lines) + "\n", text, flags=re.DOTALL)
