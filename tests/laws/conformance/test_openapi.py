"""Every answer of the service is one that its document tells of."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from schemathesis.core.failures import FailureGroup

from tests.laws.conformance.openapi.requests import ON_SPARK, Requests
from tests.laws.conformance.openapi.world import World
from tests.real.e2e.served import served
from tests.real.faults.fault import Fault, copied_package

GOOD, BAD = 9, 5
PARTS = 3  # no test takes longer than a minute


@contextmanager
def asked(folder: Path, package: Path | None = None) -> Iterator[Requests]:
    """A service to ask; that of another package if there is one."""
    env = {"PYTHONPATH": str(package)} if package is not None else {}
    with served(folder, "--iiop", "127.0.0.1:0", env=env) as service:
        world = World(service.url)
        try:
            yield Requests(service.url, world)
        finally:
            world.close()


@pytest.mark.slow
@pytest.mark.parametrize("part", range(PARTS))
def test_all_answers_are_documented(
    part: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with asked(tmp_path) as requests:
        operations = requests.operations[part::PARTS]
        for operation in operations:
            requests.examples(operation)
            requests.drawn(operation, GOOD, BAD)
    with capsys.disabled():
        print(f"\n{requests.tally}")  # noqa: T201 -- so that it is seen what was met
    assert len(requests.operations) > 60
    assert len(requests.tally.answers) == len(operations)
    told = requests.tally.answers.items()
    never = [label for label, found in told if not found[2] and ON_SPARK not in label]
    assert not never, "these never went well"


FAULTS = {
    "Server error": Fault(
        "an unknown filter is a fault of the service",
        "channel/filter_host.py",
        'return FilterNotFound(f"there is no filter {id}")',
        "raise KeyError(id)",
    ),
    "Undocumented status code": Fault(
        "an unknown filter has a status of its own",
        "errors.py",
        'code = "filter_not_found"\n',
        'code = "filter_not_found"\n    http_status = 418\n',
    ),
    "Undocumented Content-Type": Fault(
        "a filter is told as a page",
        "web/routes/operations.py",
        "return Response(status_code=204) if answer is None else _json(plain)",
        'return Response("{}", media_type="text/html") if row.tag == "filters" else _json(plain)',
    ),
    "Response violates schema": Fault(
        "a filter is told without its constraints",
        "web/routes/operations.py",
        "return Response(status_code=204) if answer is None else _json(plain)",
        'return _json({"kind": "filter"} if row.name == "see_filter" else plain)',
    ),
}


@pytest.mark.slow
@pytest.mark.parametrize("finding", FAULTS)
def test_a_planted_fault_is_found(finding: str, tmp_path: Path) -> None:
    FAULTS[finding].apply(copied_package(tmp_path))
    with asked(tmp_path / "service", tmp_path) as requests:
        (see,) = [one for one in requests.operations if one.label == "GET /v1/filters/{filter}"]
        with pytest.raises(FailureGroup) as found:
            requests.drawn(see, GOOD, BAD)
    assert finding in [one.title for one in found.value.exceptions]
