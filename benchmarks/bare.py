"""A yardstick for the server: a bare application that keeps each vote and shows a pair, and does nothing else.

`python -m benchmarks.bare ADDRESS PORT OPTIONS`. Its votes are as durable as a study's; it plans, proves and checks nothing.
Visitors make the same requests here and there: they begin, open the first pair, and answer as many as a study deals.
"""

from __future__ import annotations

import random
import sqlite3
import sys
import threading
import time
from collections.abc import Callable

import uvicorn
from fastapi import FastAPI, Request
from jinja2 import Environment, PackageLoader
from starlette.responses import HTMLResponse, RedirectResponse

from copeland.study.settings import BATCH
from copeland.web.pages.vote import Form, ShownBallot, Side
from copeland.web.render import render_text
from copeland.web.store import VotingPage

Row = tuple[str, str, str, float]
TABLE = "CREATE TABLE votes (id {} PRIMARY KEY, voter TEXT, ballot TEXT, outcome TEXT, time {})"
INSERT = "INSERT INTO votes (voter, ballot, outcome, time) VALUES ({})"


def sqlite_keeper(file: str) -> Callable[[Row], None]:
    """Return what keeps a vote in SQLite: one at a time, as SQLite does."""
    kept, turn = (
        sqlite3.connect(file, check_same_thread=False, isolation_level=None),
        threading.Lock(),
    )
    for line in (
        "PRAGMA journal_mode = WAL",
        "PRAGMA synchronous = FULL",
        TABLE.format("INTEGER", "REAL"),
    ):
        kept.execute(line)

    def keep(row: Row) -> None:
        with turn:
            kept.execute(INSERT.format("?, ?, ?, ?"), row)

    return keep


def postgres_keeper(address: str) -> Callable[[Row], None]:
    """Return what keeps a vote in PostgreSQL, with a connection for each thread."""
    import psycopg

    with psycopg.connect(address, autocommit=True) as first:
        first.execute("DROP TABLE IF EXISTS votes")
        first.execute(TABLE.format("BIGINT GENERATED ALWAYS AS IDENTITY", "DOUBLE PRECISION"))
    own = threading.local()

    def keep(row: Row) -> None:
        if not hasattr(own, "connection"):
            own.connection = psycopg.connect(address, autocommit=True)
        own.connection.execute(INSERT.format("%s, %s, %s, %s"), row)

    return keep


def application(address: str, options: int) -> FastAPI:
    """Return the application; the address is that of PostgreSQL, or a file."""
    app = FastAPI()
    keep = postgres_keeper(address) if "://" in address else sqlite_keeper(address)
    texts = [f"Text number {i}. " * 6 for i in range(options)]
    pair = Environment(
        loader=PackageLoader("copeland.web"), autoescape=True, auto_reload=False
    ).get_template("pair.html")

    def shown(done: int) -> HTMLResponse:
        sides = [
            Side(label, render_text("text", text), None, "", 0, 0)
            for label, text in zip("AB", random.sample(texts, 2), strict=True)
        ]
        ballot = ShownBallot(f"{done}-{random.random()}", (sides[0], sides[1]), False)
        said = {
            "page": VotingPage(1, "load", "load"),
            "ballot": ballot,
            "base": "",
            "csrf": "x" * 22,
        }
        how = {"happened": "Vote kept. ", "undo": True, "done": done, "of": BATCH}
        return HTMLResponse(
            pair.render(**said, **how, outcomes=("left", "right", "tie", "both_bad", "skip"))
        )

    @app.post("/v/bare")
    def begin() -> RedirectResponse:
        answer = RedirectResponse("/vote/bare", 303)
        answer.set_cookie("voter", f"{random.random()}")
        return answer

    @app.get("/vote/bare")
    def first() -> HTMLResponse:
        return shown(0)

    @app.post("/vote/bare")
    def vote(request: Request, form: Form) -> HTMLResponse:
        ballot, outcome = str(form["ballot"]), str(form["outcome"])
        keep((request.cookies["voter"], ballot, outcome, time.time()))
        done = int(ballot.partition("-")[0]) + 1
        return shown(done) if done < BATCH else HTMLResponse('<p data-said="Vote kept. Thanks.">')

    return app


if __name__ == "__main__":
    made = application(sys.argv[1], int(sys.argv[3]))
    uvicorn.run(
        made, host="127.0.0.1", port=int(sys.argv[2]), access_log=False, log_level="warning"
    )
