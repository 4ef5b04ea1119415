"""A gate as a file that anybody can check: every verdict in its order, and all that it takes to weigh them again.

The seal finds accidental changes. Beyond that, whoever checks draws the same questions by the seed, counts the verdicts, weighs them, and
compares what comes of it with what the file says; with the answers at hand, their digests too.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any

from copeland.errors import CopelandError, InvalidParameter
from copeland.gate.case_pairs import BASELINE, CANDIDATE, CasePair, CasePairs
from copeland.gate.claims import GateTerms
from copeland.gate.gate_loop import make_judge_result
from copeland.gate.gate_result import GateResult, JudgeResult, Saving
from copeland.gate.gate_sentences import describe_gate
from copeland.gate.gate_settings import FIXED, GateSettings
from copeland.gate.judgments import IDENTICAL, UNANSWERED, Judgment
from copeland.gate.questions import Question, draw_questions
from copeland.study.input_limits import json_of
from copeland.study.log.events import OUTCOMES, TIE
from copeland.study.results.agreement import JudgeAgreement
from copeland.support.atomic_files import read_text
from copeland.support.phrasing import format_count

VERSION = 1  # the format of these files
KEY = "gate_certificate"  # by which such a file is recognised
ASSUMPTIONS = (
    "The preference is the judge's, as it answered here; it is not that of people.",
    "The order of the questions was drawn by the seed, which was chosen before any answer was known.",
    "A question without an answer counts against every claim.",
    "Where both answers are the same text, neither is preferred.",
    "A judge that follows the sides proves nothing for the candidate, unless it was accepted (accept_judge).",
    "Nor does one that calls every pair a tie.",
)

_CLOSE = 1e-9


def make_certificate(result: GateResult) -> str:
    """Return the text of a certificate file.

    Examples
    --------
    >>> from copeland.gate import run_gate
    >>> old, new = ({f"q{i}": word for i in range(20)} for word in ("hm", "yes"))
    >>> result = run_gate(old, new, {"shorter": lambda a, b, item: "left" if a.text == "yes" else "right"})
    >>> find_objections(json.loads(make_certificate(result)))
    ()
    """
    content = _describe(result)
    content["seal"] = _seal(content)
    lines = [f"{json.dumps(key)}: {json.dumps(value)}" for key, value in content.items()]
    return "{\n" + ",\n".join(lines) + "\n}\n"


def read_gate_certificate(path: str | Path) -> dict[str, Any] | None:
    """Return what a certificate file of a gate says; None if it is another file."""
    try:
        content = json_of(read_text(path))
    except ValueError as error:
        if isinstance(error, CopelandError):
            raise
        raise InvalidParameter(f"{path} {error}.") from None
    if not isinstance(content, dict) or KEY not in content:
        return None
    if content[KEY] != VERSION:
        raise InvalidParameter(
            f"{path} has format {str(content[KEY])[:40]}; this version reads format {VERSION}."
        )
    return content


def find_objections(content: Mapping[str, Any], pairs: CasePairs | None = None) -> tuple[str, ...]:
    """Weigh the verdicts of a file again; return what does not hold, in sentences.

    Parameters
    ----------
    content
        What the file says.
    pairs
        The answers, if they are at hand: their digests and their cases must be those of the file.
    """
    broken = content.get("seal") != _seal(content)
    changed = "the file was changed after it was written: its seal does not match its content."
    try:
        found = [*_recheck(content)]
    except (
        CopelandError,
        LookupError,
        TypeError,
        ValueError,
        AttributeError,
        ArithmeticError,
    ) as error:
        said = str(error) if isinstance(error, CopelandError) else "a part is missing or damaged."
        found = [f"nothing can be weighed again: {said}"]
    else:
        found += [] if pairs is None else _compare_answers(content, pairs)
    return (*([changed] if broken else []), *found)


def _describe(result: GateResult) -> dict[str, Any]:
    sides = zip((BASELINE, CANDIDATE), result.pairs.names, strict=True)
    identical = [place for place, case in enumerate(result.pairs.cases) if case.identical]
    return {
        KEY: VERSION,
        "statement": result.sentence,
        "outcome": result.outcome,
        **{side: {"name": name, "digest": result.pairs.digest(side)} for side, name in sides},
        "settings": result.settings.describe_terms(),
        "max_calls": result.settings.max_calls,
        "accept_judge": result.settings.accept_judge,
        "savings": [list(saving) for saving in result.savings],
        "assumptions": list(ASSUMPTIONS),
        "cases": [case.id for case in result.pairs.cases],
        "identical": identical,
        "judges": [
            {
                "judge": judge.judge,
                "calls": judge.calls,
                "outcome": judge.finding.outcome,
                "claims": list(judge.finding.claims),
                "theta": judge.tally.verdicts.theta,
                "interval": list(judge.interval),
                "counts": [*judge.tally.verdicts, judge.tally.unanswered],
                "verdicts": [one.outcome for one in judge.judgments],
                "changed": [one.place for one in judge.judgments if one.flipped],
            }
            for judge in result.judges
        ],
    }


def _seal(content: Mapping[str, Any]) -> str:
    """The digest of all that a file says besides."""
    said = {key: value for key, value in content.items() if key != "seal"}
    return sha256(json.dumps(said, sort_keys=True).encode()).hexdigest()


def _recheck(content: Mapping[str, Any]) -> Iterator[str]:
    settings = GateSettings(
        **{name: content["settings"][name] for name in FIXED},
        max_calls=content["max_calls"],
        accept_judge=content["accept_judge"],
    )
    same = set(content["identical"])
    cases = [str(case) for case in content["cases"]]
    if not cases or not same <= set(range(len(cases))):
        raise InvalidParameter("its cases are damaged.")
    pairs = CasePairs(
        (content[BASELINE]["name"], content[CANDIDATE]["name"]),
        tuple(
            CasePair(case, "", "", "" if place in same else "another")
            for place, case in enumerate(cases)
        ),
    )
    questions = draw_questions(len(cases), settings.population, settings.swap, settings.seed)
    terms = settings.make_terms(len(questions), max(1, len(content["judges"])))
    judges: list[JudgeResult] = []
    for told in content["judges"]:
        judgments = _read_judgments(
            told["verdicts"], set(told["changed"]), questions, same, settings
        )
        judges.append(
            make_judge_result(
                told["judge"],
                judgments,
                pairs=pairs,
                questions=questions,
                terms=terms,
                settings=settings,
                calls=told["calls"],
                reason="",
                stopped="",
            )
        )
        yield from _compare(told, judges[-1])
    yield from _compare_whole(content, _make_result(content, pairs, settings, terms, judges))


def _read_judgments(
    verdicts: Sequence[Any],
    changed: set[int],
    questions: Sequence[Question],
    same: set[int],
    settings: GateSettings,
) -> list[Judgment]:
    if len(verdicts) > len(questions):
        raise InvalidParameter(
            f"it has {len(verdicts):,} verdicts on {format_count(len(questions), 'question')}."
        )
    if not changed <= set(range(len(verdicts))):
        raise InvalidParameter("it names answers that changed, but has no verdict on them.")
    found = []
    for place, (outcome, question) in enumerate(zip(verdicts, questions, strict=False)):
        free = question.case in same and not settings.judge_identical
        if outcome not in OUTCOMES and outcome != IDENTICAL:
            raise InvalidParameter(f"its verdict {place + 1:,} is '{outcome}', which is none.")
        if (outcome == IDENTICAL) != free:
            raise InvalidParameter(
                f"its verdict {place + 1:,} does not belong to the question that the seed draws there."
            )
        flipped = _read_flip(place, outcome, place in changed, settings)
        found.append(Judgment(place, *question, outcome, flipped=flipped))
    return found


def _read_flip(place: int, outcome: str, is_changed: bool, settings: GateSettings) -> bool | None:
    """Return whether swapped sides changed an answer; None if that was not asked, as where the first answer was a tie."""
    both = settings.swap == "confirm"
    if is_changed and not (both and outcome == TIE):
        raise InvalidParameter(
            f"its verdict {place + 1:,} cannot have changed with the sides: it is '{outcome}'."
        )
    if is_changed:
        return True
    return False if both and outcome not in (TIE, IDENTICAL, *UNANSWERED) else None


def _make_result(
    content: Mapping[str, Any],
    pairs: CasePairs,
    settings: GateSettings,
    terms: GateTerms,
    judges: Sequence[JudgeResult],
) -> GateResult:
    savings = tuple(Saving(*saving) for saving in content["savings"])
    agreement = JudgeAgreement()
    return GateResult(pairs, settings, terms, tuple(judges), agreement, (), savings, 0, 0.0, 0)


def _compare(told: Mapping[str, Any], found: JudgeResult) -> Iterator[str]:
    """What is said of a judge, against what its verdicts come to."""
    whose = f"of the judge '{found.judge}', it says that"
    counts = [*found.tally.verdicts, found.tally.unanswered]
    if told["counts"] != counts:
        yield f"{whose} wins, losses, ties and questions without an answer are {told['counts']}, but they are {counts}."
    if told["claims"] != list(found.finding.claims):
        yield f"{whose} {_join(told['claims'])} is proved, but {_join(found.finding.claims)} is."
    if told["outcome"] != found.finding.outcome:
        yield f"{whose} the outcome is {told['outcome']}, but it is {found.finding.outcome}."
    numbers = zip(
        [told["theta"] or 0.0, *told["interval"]],
        [found.tally.verdicts.theta or 0.0, *found.interval],
        strict=True,
    )
    if any(not abs(a - b) <= _CLOSE for a, b in numbers):
        low, high = found.interval
        yield f"{whose} theta is {told['theta']}, but it is {found.tally.verdicts.theta}, {low:.4f} to {high:.4f}."


def _compare_whole(content: Mapping[str, Any], found: GateResult) -> Iterator[str]:
    if content["outcome"] != found.outcome:
        yield f"it says that the gate is {content['outcome']}, but it is {found.outcome}."
    sentence = describe_gate(found)
    if content["statement"] != sentence:
        yield f"its statement should be: {sentence}"
    if list(content["assumptions"]) != list(ASSUMPTIONS):
        yield "it does not say what it assumes."


def _compare_answers(content: Mapping[str, Any], pairs: CasePairs) -> Iterator[str]:
    if content["cases"] != [case.id for case in pairs.cases]:
        yield "it is about other cases than these."
    for side in (BASELINE, CANDIDATE):
        said, digest = str(content[side]["digest"]), pairs.digest(side)
        if said != digest:
            yield (
                f"the {side}'s answers are not those that were judged: theirs had the digest {said[:12]}, these "
                f"have {digest[:12]}."
            )
    identical = [place for place, case in enumerate(pairs.cases) if case.identical]
    if content["identical"] != identical:
        yield "other cases have the same answer twice than it says."


def _join(claims: Sequence[str]) -> str:
    return ", ".join(claims) or "nothing"
