"""Completion links: where voters of a paid panel go after the last question, with the code that the panel gave them.

The code stays in the voter's own cookie. The log, the database and the pages of the owner never hold it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from urllib.parse import quote, urlsplit

from copeland.errors import InvalidParameter
from copeland.web.store import VotingPage

PLACE = "{code}"
LONGEST = 2_000  # characters of an address
CODE = 200  # characters of a code


def check_completion_address(url: str) -> str:
    """Return an address that voters may be sent to, or refuse it; an empty one is none."""
    if url and not (_is_safe(url) and not {"{", "}"} & {*url.replace(PLACE, "", 1)}):
        raise InvalidParameter(
            f"the completion link is '{url[:100]}'; give an https address in full, with {PLACE} behind the host and at most "
            "once, as in https://panel.example.org/done?pid={code}."
        )
    return url


def _is_safe(url: str) -> bool:
    """Tell whether an address is https, and every browser reads the same host in it."""
    try:
        parts = urlsplit(url)
        is_host = re.fullmatch(r"[A-Za-z0-9.-]+(:\d{1,5})?", parts.netloc) is not None
        is_host &= bool(parts.hostname) and parts.port != 0
    except ValueError:
        return False
    is_plain = re.fullmatch(r"[!-~]+", url) is not None and "\\" not in url
    return url.lower().startswith("https://") and is_host and is_plain and len(url) <= LONGEST


def check_code_name(name: str) -> str:
    """Return the name under which a panel puts its code into a link, or refuse it."""
    if not re.fullmatch(r"[A-Za-z0-9_.-]{1,40}", name):
        raise InvalidParameter(
            f"the name of the code is '{name[:40]}'; give letters and digits, as in pid."
        )
    return name


def read_code(page: VotingPage, query: Mapping[str, str]) -> str:
    """Return the code that a panel put into a link; empty if there is none, or none that can be one."""
    code = query.get(page.code_name, "") if page.completion else ""
    is_code = len(code) <= CODE and code.isprintable() and code.strip(".") != ""
    return code if is_code else ""


def write_completion_link(page: VotingPage, code: str) -> str:
    """Return where a voter goes after the last question; empty if nowhere, or only with a code that is not there."""
    if PLACE in page.completion and not code:
        return ""
    return page.completion.replace(PLACE, quote(code, safe=""))
