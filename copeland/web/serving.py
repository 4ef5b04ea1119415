"""A server about to start: its storage, its admin's token, and a study to try if one is wished for."""

from __future__ import annotations

import os

from fastapi import FastAPI

from copeland.study import Storage, create_study
from copeland.web.app import create_app
from copeland.web.server import Config, Server

SETTINGS = {  # for other processes
    "storage": "COPELAND_SERVE_STORAGE",
    "url": "COPELAND_SERVE_URL",
    "judges": "COPELAND_SERVE_JUDGES",
}
DEMO = "Welcome lines"
LINES = {
    "plain": "Welcome back. Here is what changed since you were last here.",
    "short": "Hello again.",
    "question": "Good to see you. What would you like to do today?",
    "list": "Welcome back:\n- 3 new replies\n- 1 invitation\n- nothing overdue",
    "warm": "There you are! We kept your place, and your tea is still warm.",
}


def prepared(storage: str, url: str, demo: bool) -> str:
    """Make the tables and, if wished for, a study to try; return the admin's new token."""
    kept = Storage(storage)
    server = Server(Config(storage, url), kept)
    if demo and DEMO not in kept.names():
        create_study(DEMO, LINES, kept, voters="people", batch=10)
        key = kept.key(DEMO)
        server.keep.add_page(key, {"question": "Which line welcomes you better?", "per_voter": 10})
        server.keep.add_links(key, server.signer, ["Open link"], personal=False)
    token = server.new_admin_token()
    kept.dispose()
    return token


def application(storage: str, url: str, secret: str, judges: str = "") -> FastAPI:
    """Return the application of one process."""
    return create_app(Config(storage, url, secret, judges))


def from_environment() -> FastAPI:
    """Return the application of one of several processes."""
    names = {field: os.environ.get(name, "") for field, name in SETTINGS.items()}
    return application(**names, secret=os.environ.get("COPELAND_SECRET", ""))
