"""What the routes share in their answers."""

from __future__ import annotations

from typing import Any, Final
from urllib.parse import quote

from fastapi import Response

CREATED: Final[dict[int | str, dict[str, Any]]] = {
    201: {
        "headers": {
            "Location": {
                "description": "Where the new object is.",
                "schema": {"type": "string"},
            }
        }
    }
}
"""The answer to a request that makes something."""

NOTHING: Final[dict[str, Any]] = {"status_code": 204, "response_class": Response}
"""The answer to a request that is done and has nothing to tell."""


def located(response: Response, *parts: object) -> None:
    """Says where the object is that was made."""
    response.headers["Location"] = "/v1/" + "/".join(quote(str(part), safe="") for part in parts)
