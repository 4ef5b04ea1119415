"""Which call follows which, as OpenAPI says it: what one answers is what the next one takes."""

from __future__ import annotations

from typing import Any

STUDY = {"study": "$request.path.study"}


def links_to(**calls: tuple[str, dict[str, str]]) -> dict[str, Any]:
    """Return what the answer of a call says of the calls that follow: each by a title, its operation and what it takes."""
    return {
        "links": {
            title.replace("_", " "): {"operationId": operation, "parameters": parameters}
            for title, (operation, parameters) in calls.items()
        }
    }
