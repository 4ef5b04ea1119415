"""A yardstick for the server: a bare application that keeps each vote and shows a pair, and does nothing else.

`python -m benchmarks.bare FILE PORT OPTIONS`. Its votes are as durable as a study's; it plans, proves and checks nothing.
"""

from __future__ import annotations

import random
import sqlite3
import sys
import threading
import time

import uvicorn
from fastapi import FastAPI, Request
from jinja2 import Environment, PackageLoader
from starlette.responses import HTMLResponse, RedirectResponse

from copeland.web.pages.vote import Form, ShownBallot, Side
from copeland.web.render import render_text
from copeland.web.store import VotingPage

PAIRS = 20


def application(file: str, options: int) -> FastAPI:
    """Return the application."""
    app, turn = FastAPI(), threading.Lock()
    kept = sqlite3.connect(file, check_same_thread=False, isolation_level=None)
    for line in (
        "PRAGMA journal_mode = WAL",
        "PRAGMA synchronous = FULL",
        "CREATE TABLE votes (id INTEGER PRIMARY KEY, voter TEXT, ballot TEXT, outcome TEXT, time REAL)",
    ):
        kept.execute(line)
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
        how = {"happened": "Vote kept. ", "undo": True, "done": done, "of": PAIRS}
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
        row = request.cookies["voter"], ballot, outcome, time.time()
        with turn:
            kept.execute(
                "INSERT INTO votes (voter, ballot, outcome, time) VALUES (?, ?, ?, ?)", row
            )
        done = int(ballot.partition("-")[0]) + 1
        return shown(done) if done < PAIRS else HTMLResponse('<p data-said="Vote kept. Thanks.">')

    return app


if __name__ == "__main__":
    made = application(sys.argv[1], int(sys.argv[3]))
    uvicorn.run(
        made, host="127.0.0.1", port=int(sys.argv[2]), access_log=False, log_level="warning"
    )
