"""Requests drawn from the service's own document, and what must be so of every answer."""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any, Final, TypeAlias

import schemathesis
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from requests import Session
from schemathesis import GenerationMode, Response
from schemathesis.checks import (
    content_type_conformance,
    not_a_server_error,
    response_headers_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from tests.laws.conformance.openapi.world import EVENT, World
from tests.patience import PATIENCE

# Generic over everything that a specification may be.
Operation: TypeAlias = Any
AnyCase: TypeAlias = Any

# It never ends.
_TAIL: Final = "/v1/channels/{channel}/tail"
_CHECKS: Final = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
]
# Path parameters of which no text is wrong.
_ANY_TEXT: Final = ("channel", "proxy", "producer")
# Their examples name constraints by number.
_NUMBERED: Final = ("PATCH /v1/filters/{filter}/constraints", "PATCH /v1/filters/{filter}/mapped")
ON_SPARK: Final = "/v1/jobs/"
"""Paths of what needs an archive and Spark; tests/edges/web/test_jobs.py has them with one."""
_LINES: Final = ("application/x-ndjson", "application/jsonl")


@schemathesis.serializer(*_LINES)
def _as_lines(context: Any, value: Any) -> bytes:
    return value.encode() if isinstance(value, str) else repr(value).encode()


class Tally:
    """How often an operation was answered how: in hundreds, such as 2 for all that went well."""

    def __init__(self) -> None:
        self.answers: dict[str, Counter[int]] = {}

    def count(self, label: str, status: int) -> None:
        """Counts an answer."""
        self.answers.setdefault(label, Counter())[status // 100] += 1

    def __str__(self) -> str:
        lines = [f"{label:75}{found[2]:5} × 2xx{found[4]:5} × 4xx"
                 for label, found in sorted(self.answers.items())]  # fmt: skip
        return "\n".join(lines)


class Requests:
    """Asks a service all that its document says can be asked.

    Args:
        url: Where it is.
        world: What is there.
    """

    def __init__(self, url: str, world: World) -> None:
        schema = schemathesis.openapi.from_url(f"{url}/v1/openapi.json")
        self._schemas = schema.raw_schema["components"]["schemas"]
        found: list[Operation] = [one.ok() for one in schema.get_all_operations()]  # type: ignore[union-attr]
        self.operations = [one for one in found if one.path != _TAIL]
        self.tally = Tally()
        self._world = world
        self._url = url
        self._session = Session()

    def examples(self, operation: Operation) -> None:
        """Sends the examples of bodies in the document, which must all go well."""
        known = self._world.parameters(operation.method, operation.path)
        names = [one.name for one in operation.path_parameters]
        for media_type, body in self._bodies(operation):
            places = {name: known[name][0] for name in names}
            case = operation.Case(path_parameters=places, body=body, media_type=media_type)
            self._steer_body(case)
            status = self._send(case)
            told = f"the example of {operation.label} is answered with {status}: {body}"
            excused = operation.label in _NUMBERED or ON_SPARK in operation.label
            assert status < 300 or excused, told

    def _bodies(self, operation: Operation) -> Iterator[Any]:
        taken = operation.definition.raw.get("requestBody", {}).get("content", {})
        for media_type, content in taken.items():
            name = content["schema"].get("$ref", "").rpartition("/")[2]
            schema = self._schemas[name] if name else content["schema"]
            whole = [content["example"]] if "example" in content else []
            whole += [one["value"] for one in content.get("examples", {}).values()]
            for body in whole + schema.get("examples", []):
                yield media_type, body

    def drawn(self, operation: Operation, good: int, bad: int) -> None:
        """Sends requests that fit the document, and some that do not; one half is steered."""
        _draw(operation.as_strategy(), good, self._one)
        named = (*operation.path_parameters, *operation.query, *operation.headers)
        if operation.body or any(one.name not in _ANY_TEXT for one in named):
            wrong = operation.as_strategy(generation_mode=GenerationMode.NEGATIVE)
            _draw(wrong, bad, self._one)

    def _one(self, case: AnyCase, data: st.DataObject) -> None:
        self._send(self._steered(case, data) if data.draw(st.booleans()) else _bounded(case))

    def _send(self, case: AnyCase) -> int:
        response: Response = case.call(base_url=self._url, session=self._session, timeout=PATIENCE)
        self.tally.count(case.operation.label, response.status_code)
        case.validate_response(response, checks=_CHECKS)
        return response.status_code

    def _steered(self, case: AnyCase, data: st.DataObject) -> AnyCase:
        """The same request for objects that are there."""
        known = self._world.parameters(case.operation.method, case.operation.path)
        for name in case.path_parameters or {}:
            if name in known:
                case.path_parameters[name] = data.draw(st.sampled_from(known[name]))
        self._steer_body(case)
        there = {"publisher": self._world.supplier, "version": 2}
        if isinstance(case.query, dict):
            case.query.update({name: there[name] for name in there if name in case.query})
        return _bounded(case)

    def _steer_body(self, case: AnyCase) -> None:
        body, world = case.body, self._world
        if not isinstance(body, dict):
            return
        if case.operation.path.endswith("/events"):
            case.body = EVENT if case.media_type == "application/json" else body
            return
        filter = world.mapping if case.operation.path.endswith("{purpose}") else world.filter
        values = {"filter": filter, "publisher": world.supplier, "channel": world.channel,
                  "proxy": world.pull}  # fmt: skip
        known = {name: values[name] for name in values if type(body.get(name)) is int}
        event = {"event": EVENT} if isinstance(body.get("event"), dict) else {}
        case.body = {**body, **known, **event}


def _bounded(case: AnyCase) -> AnyCase:
    """A pull waits for nothing."""
    if isinstance(case.body, dict) and "wait" in case.body:
        case.body["wait"] = 0
    return case


def _draw(
    strategy: st.SearchStrategy[AnyCase],
    count: int,
    judge: Callable[[AnyCase, st.DataObject], None],
) -> None:
    @settings(
        max_examples=count,
        database=None,
        derandomize=True,
        deadline=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(case=strategy, data=st.data())
    def each(case: AnyCase, data: st.DataObject) -> None:
        judge(case, data)

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of how examples are drawn; what is tested is elsewhere
        each()
