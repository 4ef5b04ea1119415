"""The address of a database: what it may be, and what of it may be shown."""

from __future__ import annotations

import re
from contextlib import suppress
from urllib.parse import quote_plus

from sqlalchemy import exc
from sqlalchemy.engine import URL, make_url

from copeland.errors import StorageError

FORMS = "sqlite:///file.db, postgresql://user@host/database, or 'memory'"
HIDDEN = "***"  # a password


def is_lost(url: str) -> bool:
    """Tell whether an address names a database that ends with the program.

    Examples
    --------
    >>> is_lost("sqlite://"), is_lost("memory"), is_lost("sqlite:///votes.db")
    (True, True, False)
    """
    parsed = parse_url(url)
    return parsed.get_backend_name() == "sqlite" and parsed.database in (None, "", ":memory:")


def parse_url(url: str | None) -> URL:
    """Return an address as SQLAlchemy has it; refuse what is none of a database for studies."""
    if url is None or url == "memory":
        return make_url("sqlite://")
    backend, parsed = "", make_url("sqlite://")
    with suppress(exc.ArgumentError, exc.NoSuchModuleError, ValueError):
        parsed = make_url(url)
        backend = parsed.get_backend_name()
    if not backend:  # without the error as the cause, which may quote the address
        raise StorageError(f"'{_redact_text(url)}' is not the address of a database; give {FORMS}.")
    if backend == "sqlite":
        if parsed.query:
            raise StorageError(
                f"'{url}': the address of a SQLite file ends with its name; leave out the '?' and what follows."
            )
        return parsed.set(drivername="sqlite")
    if backend in ("postgresql", "postgres"):
        return parsed.set(drivername="postgresql+psycopg")
    raise StorageError(f"studies cannot be stored in {backend}; give {FORMS}.")


def _is_secret(parameter: str) -> bool:
    """Tell whether a parameter of an address is not to be shown, by its name."""
    return any(word in parameter.lower() for word in ("pass", "secret", "token", "key"))


def hide_secrets(url: URL, text: str) -> str:
    """Return a text without the passwords of an address."""
    given = [url.password, *(value for name, value in url.query.items() if _is_secret(name))]
    texts = [text for one in given for text in ([one] if isinstance(one, str) else one or ())]
    for secret in sorted(
        filter(None, texts), key=len, reverse=True
    ):  # none is cut by another in it
        text = text.replace(secret, HIDDEN)
    return text


def hide_passwords(url: URL) -> str:
    """Return an address without passwords, wherever they stand in it."""
    query = {name: HIDDEN if _is_secret(name) else value for name, value in url.query.items()}
    shown = url.set(query=query).render_as_string(hide_password=True)
    return shown.replace(quote_plus(HIDDEN), HIDDEN)


def _redact_text(text: str) -> str:
    """Return what should have been an address up to where a user, a password or a query may begin."""
    if text.startswith("sqlite"):  # a file has no password
        return text
    known = re.match(r"[^:/?@=]*(?:://)?", text)
    assert known is not None
    return text if known[0] == text else f"{known[0]}{HIDDEN}"
