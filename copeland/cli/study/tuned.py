"""How a study of a space is told in the terminal: what is proved, and what is estimated."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from copeland.cli.shell import print_json, show

if TYPE_CHECKING:
    from copeland.study import Study


def show_tuned(work: Study, as_json: bool) -> None:
    """Say where a study of a space stands."""
    if as_json:
        print_json(described(work))
    else:
        show(str(work.verdict()))


def described(work: Study) -> dict[str, Any]:
    """Return where a study of a space stands, ready for JSON."""
    from copeland.study.meaning.tuned import tuned_verdict

    tuned = work.tuned()
    verdict = tuned_verdict(tuned)
    return {
        "study": tuned.name,
        "votes": tuned.votes,
        "open": tuned.open,
        "closed": tuned.closed,
        "estimated": asdict(tuned.found),
        "audits": [asdict(one) | {"statement": one.statement} for one in tuned.audits],
        "verdict": {
            "claim": verdict.claim,
            "proved": verdict.proved,
            "shown": verdict.shown,
            "advice": verdict.advice,
            "assumptions": verdict.assumptions,
        },
        "settings": work.settings.to_dict(),
    }


def show_proved(work: Study, as_json: bool) -> bool:
    """Say what audits prove, and what that assumes; return whether they prove anything."""
    told = described(work)
    if as_json:
        print_json({key: told[key] for key in ("study", "votes", "audits", "settings")})
    else:
        assumed = ["\nThat assumes:", *(f"- {one}" for one in told["verdict"]["assumptions"])]
        show(*told["verdict"]["proved"], *(assumed if told["audits"] else []))
    return any(one["bound"] > 0 for one in told["audits"])


def listed(work: Study) -> dict[str, Any]:
    """Return the row of a study of a space in a list, without any estimate: that takes a while."""
    books = work.books()
    return {
        "study": work.name,
        "options": books.k,
        "votes": books.votes,
        "verdict": "open",
        "best": [],
        "leader": None,
        "closed": books.closed,
        "stands": "points of a space: see its status",
    }
