"""A gate as a file that anybody can check: for each judge the certificate and the log of its study, and what only a gate has.

Whoever checks it makes each certificate again from its log, as of any study, weighs the judgments again, and compares what comes of it
with what the file says; with the answers at hand, their digests too. The seal finds accidental changes.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from copeland.errors import CopelandError, InvalidParameter
from copeland.formats.answers import AnswerCase
from copeland.gate.case_pairs import BASELINE, CANDIDATE, CasePairs
from copeland.gate.gate_result import GateResult, JudgeResult, Saving, weigh_judgments
from copeland.gate.gate_sentences import describe_gate
from copeland.gate.gate_settings import FIXED, GateSettings
from copeland.gate.judgments import find_clusters, read_judgments
from copeland.study.input_limits import json_of
from copeland.study.log.events import Event, from_json, to_json
from copeland.study.log.state import fold_log
from copeland.study.results.certificate_file import (
    certificate_to_file,
    objections_by_log,
    read_certificate_text,
    seal_of,
)
from copeland.support.atomic_files import read_text

VERSION = 2  # the format of these files
KEY = "gate_certificate"  # by which such a file is recognised
SIDES = (BASELINE, CANDIDATE)
ASSUMPTIONS = (
    "The preference is the judge's, as it answered here; it is not that of people.",
    "A case without an answer counts against every claim.",
    "Where both answers are the same text, neither is preferred, and an empty answer loses.",
    "A judge that follows the sides, or calls every pair a tie, proves nothing for the candidate, unless it was accepted (accept_judge).",
)


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
    proofs = [
        {
            "certificate": json.loads(certificate_to_file(study)[1]),
            "log": [json.loads(to_json(event)) for event in study.log()],
        }
        for study in result.studies
    ]
    sides = zip(SIDES, result.pairs.names, strict=True)
    content = {
        KEY: VERSION,
        **_describe(result),
        **{side: {"name": name, "digest": result.pairs.digest(side)} for side, name in sides},
        "settings": result.settings.describe_terms(),
        "max_calls": result.settings.max_calls,
        "most_calls": result.most_calls,
        "accept_judge": result.settings.accept_judge,
        "savings": [list(saving) for saving in result.savings],
        "cases": _list_cases(result.pairs),
        "proofs": proofs,
    }
    content["seal"] = seal_of(content)
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
    """Weigh the judgments of a file again; return what does not hold, in sentences.

    With ``pairs``, the answers, their digests and their cases must be those of the file.
    """
    changed = "the file was changed after it was written: its seal does not match its content."
    broken = () if content.get("seal") == seal_of(content) else (changed,)
    try:
        found = [*_recheck(content)]
    except (CopelandError, LookupError, TypeError, ValueError, AttributeError) as error:
        said = str(error) if isinstance(error, CopelandError) else "a part is missing or damaged."
        return *broken, f"nothing can be weighed again: {said}"
    return *broken, *found, *(() if pairs is None else _compare_answers(content, pairs))


def _describe(result: GateResult) -> dict[str, Any]:
    """What follows from the logs and the settings."""
    names = ("case", "left", "outcome", "preferred", "note")
    told = [judge.to_dict() for judge in result.judges]
    return {
        "statement": describe_gate(result),
        "outcome": result.outcome,
        "assumptions": list(ASSUMPTIONS),
        "judges": [
            {key: value for key, value in one.items() if key not in ("stopped", "reason")}
            | {"judgments": [[row[name] for name in names] for row in one["judgments"]]}
            for one in told
        ],
    }


def _recheck(content: Mapping[str, Any]) -> Iterator[str]:
    settings = GateSettings(
        **{name: content["settings"][name] for name in FIXED},
        max_calls=content["max_calls"],
        accept_judge=content["accept_judge"],
    )
    cases = tuple(
        AnswerCase(str(case), "", {}, tuple(tags), cluster=str(cluster))
        for case, tags, cluster in content["cases"]
    )
    pairs = CasePairs((content[BASELINE]["name"], content[CANDIDATE]["name"]), cases)
    clusters = find_clusters(cases, settings.cluster_weight, settings.exact)
    terms = settings.make_terms(len(cases), max(1, len(content["proofs"])), clusters)
    judges: list[JudgeResult] = []
    for told, proof in zip(content["judges"], content["proofs"], strict=True):
        log = [from_json(json.dumps(one)) for one in proof["log"]]
        yield from _check_log(content, told["judge"], proof["certificate"], log)
        state = fold_log(log)
        judgments, calls = read_judgments(log, state), state.tally.spent.calls
        judges.append(weigh_judgments(told["judge"], judgments, cases, terms, settings, calls))
    savings = tuple(Saving(*saving) for saving in content["savings"])
    most = content["most_calls"]
    found = GateResult(pairs, settings, terms, tuple(judges), savings, most_calls=most)
    for key, value in json.loads(json.dumps(_describe(found))).items():
        if content[key] != value:
            short = json.dumps(value) if key != "judges" else "what its judgments come to"
            yield f"its {key} should be: {short}"
    for key in content.keys() - {*_describe(found), *SIDES, *_OTHERS}:
        yield f"it says '{str(key)[:80]}', which no certificate of a gate says."


_OTHERS = (
    KEY,
    "settings",
    "max_calls",
    "most_calls",
    "accept_judge",
    "savings",
    "cases",
    "proofs",
    "seal",
)


def _check_log(
    content: Mapping[str, Any], judge: str, certificate: Any, log: list[Event]
) -> Iterator[str]:
    """What does not hold of a judge's study, and of what its log says of the gate."""
    filed = read_certificate_text(json.dumps(certificate), f"the certificate by {judge}")
    yield from (
        f"of the judge '{judge}': {said}" for said in objections_by_log(filed, log, filed.study)
    )
    told = (log[1].body or {}).get("gate", {})
    here = {side: content[side]["digest"] for side in SIDES} | content["settings"]
    for key, value in here.items():
        if told.get(key) != value:
            yield f"it says that {key} is {value!r}, but the log says {told.get(key)!r}."
    if judge not in told.get("judges", {}):
        yield f"it names the judge '{judge}', whom the log does not name."


def _list_cases(pairs: CasePairs) -> list[list[Any]]:
    """What a file says of the cases: their ids, tags and clusters."""
    return [[case.id, list(case.tags), case.cluster] for case in pairs.cases]


def _compare_answers(content: Mapping[str, Any], pairs: CasePairs) -> Iterator[str]:
    if content["cases"] != _list_cases(pairs):
        yield "it is about other cases than these."
    for side in SIDES:
        said, digest = str(content[side]["digest"]), pairs.digest(side)
        if said != digest:
            yield (
                f"the {side}'s answers are not those that were judged: theirs had the digest {said[:12]}, these "
                f"have {digest[:12]}."
            )
