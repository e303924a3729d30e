from __future__ import annotations

from fastapi import Response

from tidings.web.routes.answers import located


def test_each_part_of_a_place_is_escaped() -> None:
    response = Response()
    located(response, "channels", 3, "proxies", "a/b c")
    assert response.headers["location"] == "/v1/channels/3/proxies/a%2Fb%20c"
