"""The verdict on a panel's study in words: what is settled, whose answers are missing, what would settle it."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from copeland.study.options import ACTIVE
from copeland.study.results.analysis import Analysis
from copeland.study.results.panel_standing import PanelStanding
from copeland.support.phrasing import NAME, capital, format_count, join_names, shorten_names

PAIRS = 5  # to ask, named in a sentence


def name_panel_leaders(
    votes: Analysis, panel: PanelStanding, likelier: Callable[[Analysis], str]
) -> str:
    """Return who leads, in a few words, where nobody is sure to be best of all options."""
    if votes.standing.votes == 0:
        return "There are no answers yet; any option could be best."
    first = join_names([votes.names[i] for i in votes.leaders])
    lead = f"{first} leads" if len(votes.leaders) == 1 else f"{first} are tied for first"
    cycle = ", in a cycle" if votes.in_circle else ""
    if panel.active.best:
        best = join_names([votes.names[i] for i in panel.active.best])
        return (
            f"{best} {'is' if len(panel.active.best) == 1 else 'are'} best of the active options. With those "
            "that are paused, none is sure to be best."
        )
    if votes.standing.closed:
        return f"{lead}{cycle}; the study was closed before any option was sure to be best."
    if not panel.members_to_ask:
        return f"{lead} so far{cycle}. No option is sure to be best, and nothing can be asked."
    return f"{lead} so far{cycle}.{likelier(votes)} Keep going: no option is sure to be best yet."


def list_panel_proofs(votes: Analysis, panel: PanelStanding) -> Iterator[str]:
    """Yield what is settled, whatever the missing answers say."""
    found, options = votes.certificate, votes.standing.options
    both = [found.statement]
    if panel.active.active != found.active:
        both.append(panel.active.statement)
    yield from both if found.best else reversed(both)  # what is decided comes first
    out = [votes.names[i] for i in votes.among if i not in found.possible]
    if out:
        yield f"Ruled out: {join_names(out)}."
    gone = [i for i in found.best if options[i].state != ACTIVE]
    if gone:
        states = join_names([f"{votes.names[i]} is {options[i].state}" for i in gone])
        yield f"{states}; the first statement is about that option too."


def panel_leading(votes: Analysis) -> Iterator[str]:
    """Yield how many others those beat who lead."""
    others = votes.rivals
    among = list(votes.among)
    for i in votes.leaders if len(votes.leaders) <= PAIRS else ():
        even = (
            others - int((votes.sure[i, among] > 0).sum()) - int((votes.sure[among, i] > 0).sum())
        )
        besides = f" ({format_count(even, 'pair')} even or without answers)" if even else ""
        yield (
            f"By the answers so far, {votes.names[i]} beats {votes.scores[i]} of the "
            f"{format_count(others, 'other')}{besides}."
        )


def panel_answers(panel: PanelStanding) -> Iterator[str]:
    """Yield how many answers each member has given, and who is excused."""
    names = _short(panel)
    given = [f"{names[name]} {n:,}" for name, n in zip(panel.members, panel.given, strict=True)]
    yield f"Answers given: {join_names(given)}."
    if panel.excused:
        are = "is" if len(panel.excused) == 1 else "are"
        excused = join_names([names[name] for name in panel.excused])
        yield f"{excused} {are} excused: the study does not wait for their missing answers."


def panel_advice(votes: Analysis, panel: PanelStanding) -> Iterator[str]:
    """Yield what would settle it, and who is to be asked."""
    if votes.standing.closed or panel.active.best:
        return
    if not panel.members_to_ask:
        yield "Fewer than 2 options are active, so nothing can be asked; resume one, or add one."
        return
    outlook, missing = votes.outlook, panel.active.missing
    assert outlook.champion is not None
    scope = "" if panel.active.active is None else " of the active options"
    if votes.standing.votes and votes.remaining is not None:
        asked = [
            f"{votes.names[need.first]} against {votes.names[need.second]}"
            for need in outlook.pairs
        ]
        yield (
            f"{capital(votes.remaining.words)} of the {missing:,} missing answers settle it in four of five cases. Next, to make "
            f"sure that {votes.names[outlook.champion]} is best{scope}: {join_names(asked, PAIRS)}."
        )
    yield f"Still to be asked: {join_names([_short(panel)[name] for name in panel.members_to_ask])}."


def _short(panel: PanelStanding) -> dict[str, str]:
    """The members as they stand in sentences."""
    return dict(zip(panel.members, shorten_names(panel.members, NAME), strict=True))
