"""A gate as a file that anybody can check: for each judge the certificate and the log of its study, and what only a gate has.

Whoever checks it makes each certificate again from its log, as of any study, weighs the judgments again, and compares what comes of it
with what the file says; with the answers at hand, their digests too. The seal finds accidental changes.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from copeland.errors import CopelandError, InvalidParameter
from copeland.formats.answers import AnswerCase
from copeland.gate.case_pairs import CasePairs
from copeland.gate.gate_result import GateResult, JudgeResult, Saving, weigh_judgments
from copeland.gate.gate_sentences import describe_gate
from copeland.gate.gate_settings import FIXED, GateSettings
from copeland.gate.judgments import read_judgments
from copeland.study.input_limits import json_of
from copeland.study.log.events import Event, from_json, to_json
from copeland.study.log.state import StudyState, fold_log
from copeland.study.results.certificate_file import (
    certificate_to_file,
    objections_by_log,
    read_certificate_text,
    seal_of,
)
from copeland.support.atomic_files import read_text

VERSION = 3  # the format of these files
KEY = "gate_certificate"  # by which such a file is recognised
ASSUMPTIONS = (
    "The preference is the judge's, as it answered here; it is not that of people.",
    "A case without an answer counts against every claim.",
    "Where both answers are the same text, neither is preferred, and an empty answer loses.",
    "A judge that follows the sides, or calls every pair a tie, proves nothing for the candidate, unless it was accepted (accept_judge).",
)


def make_certificate(result: GateResult) -> str:
    """Return the text of a certificate file."""
    proofs = [
        {
            "certificate": json.loads(certificate_to_file(study)[1]),
            "log": [json.loads(to_json(event)) for event in study.log()],
        }
        for study in result.studies
    ]
    content = {
        KEY: VERSION,
        "statement": describe_gate(result),
        "outcome": result.outcome,
        "assumptions": list(ASSUMPTIONS),
        "names": list(result.pairs.names),
        "gate": result.identity,
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


def _recheck(content: Mapping[str, Any]) -> Iterator[str]:
    told, own = content["gate"], ("max_calls", "accept_judge")
    settings = GateSettings(
        **{name: told[name] for name in FIXED}, **{name: content[name] for name in own}
    )
    cases = tuple(
        AnswerCase(str(case), "", {}, tuple(tags), cluster=str(cluster))
        for case, tags, cluster in content["cases"]
    )
    old, new = content["names"]
    pairs, proofs = CasePairs((old, new), cases), content["proofs"]
    terms = settings.make_terms(pairs.items, max(1, len(proofs)))
    judges: list[JudgeResult] = []
    for judge, proof in zip(told["judges"] if proofs else (), proofs, strict=True):
        log = [from_json(json.dumps(one)) for one in proof["log"]]
        state = fold_log(log)
        yield from _check_log(content, judge, proof["certificate"], log, state)
        said = read_judgments(log, state), pairs.items, terms, settings, state.tally.spent.calls
        judges.append(weigh_judgments(judge, *said))
    savings = tuple(Saving(*saving) for saving in content["savings"])
    most = content["most_calls"]
    result = GateResult(pairs, settings, terms, tuple(judges), savings, most_calls=most)
    remade = json.loads(make_certificate(replace(result, identity=told)))
    for key, value in remade.items():
        if key not in ("proofs", "seal") and content[key] != value:
            yield f"its {key} should be: {json.dumps(value)}"
    for key in content.keys() - remade.keys():
        yield f"it says '{str(key)[:80]}', which no certificate of a gate says."


def _check_log(
    content: Mapping[str, Any], judge: str, certificate: Any, log: list[Event], state: StudyState
) -> Iterator[str]:
    """What does not hold of a judge's study, and of what its log says of the gate."""
    filed = read_certificate_text(json.dumps(certificate), f"the certificate by {judge}")
    for said in objections_by_log(filed, log, filed.study):
        yield f"of the judge '{judge}': {said}"
    logged = (log[1].body or {}).get("gate", {})
    logged = {**logged, "names": [option.name for option in state.options]}
    for key, value in {**content["gate"], "names": content["names"]}.items():
        if logged.get(key) != value:
            yield f"it says that {key} is {value!r}, but the log says {logged.get(key)!r}."


def _list_cases(pairs: CasePairs) -> list[list[Any]]:
    return [[case.id, list(case.tags), case.cluster] for case in pairs.cases]


def _compare_answers(content: Mapping[str, Any], pairs: CasePairs) -> Iterator[str]:
    if content["cases"] != _list_cases(pairs):
        yield "it is about other cases than these."
    for side, digest in pairs.digests.items():
        said = str(content["gate"][side])
        if said != digest:
            yield (
                f"the {side}'s answers are not those that were judged: theirs had the digest {said[:12]}, these "
                f"have {digest[:12]}."
            )
