"""Which call follows which, as OpenAPI says it: what one answers is what the next one takes."""

from __future__ import annotations

from typing import Any

STUDY = {"study": "$request.path.study"}
CREATED = {"study": "$response.body#/study"}
LINKS: dict[str, tuple[str, dict[str, tuple[str, dict[str, str]]]]] = {  # by operation and status
    "create": ("201", {"ask": ("ask", CREATED), "look at it": ("about", CREATED)}),
    "ask": ("201", {"answer": ("tell", {**STUDY, "ballot": "$response.body#/ballots/0/id"})}),
    "tell": (
        "201",
        {
            "undo": ("undo", {**STUDY, "event_id": "$response.body#/event_id"}),
            "certify": ("certificate", {**STUDY, "at": "$response.body#/number"}),
            "answer again": ("tell", {**STUDY, "ballot": "$request.path.ballot"}),
            "close": ("close", STUDY),
        },
    ),
    "about": (
        "200",
        {"change an option": ("change", {**STUDY, "name": "$response.body#/options/0/name"})},
    ),
    "close": ("200", {"read": ("results", STUDY), "ask": ("ask", STUDY)}),
}


def linked(described: dict[str, Any]) -> dict[str, Any]:
    """Return the description of the calls with what follows from each."""
    for path in described["paths"].values():
        for operation in path.values():
            status, links = LINKS.get(operation["operationId"], ("", {}))
            if links:
                operation["responses"][status]["links"] = {
                    name: {"operationId": follows, "parameters": parameters}
                    for name, (follows, parameters) in links.items()
                }
    return described
