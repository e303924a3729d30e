"""Addresses: of CORBA services, and of programs that they call back."""

from __future__ import annotations

import asyncio

import pytest

from tidings.client.transports.iiop_address import callback_address, object_url
from tidings.client.transports.iiop_scheme import is_corba
from tidings.errors import InvalidUsage, Unreachable
from tidings.events.reference import Reference
from tidings.orb.ior import make_reference


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("iiop://localhost", "corbaloc:iiop:1.2@localhost/NotificationService"),
        ("IIOP://[::1]:5/", "corbaloc:iiop:1.2@[::1]:5/NotificationService"),
        ("iiop://h:5/Key", "corbaloc:iiop:1.2@h:5/Key"),
        (" corbaloc::h/x ", "corbaloc::h/x"),
        ("IOR:00", "IOR:00"),
    ],
)
def test_short_addresses_stand_for_object_urls(url: str, expected: str) -> None:
    assert object_url(url) == expected


@pytest.mark.parametrize(
    ("url", "expected"),
    [("iiop://h", True), ("IOR:00", True), ("corbaname::h#x", True), ("http://h", False)],
)
def test_addresses_of_corba_services_are_known(url: str, expected: bool) -> None:
    assert is_corba(url) is expected


@pytest.mark.parametrize(
    ("listen", "expected"),
    [("10.0.0.7", ("10.0.0.7", 0)), ("h:80", ("h", 80)), ("[::1]:7", ("::1", 7))],
)
def test_a_program_may_say_where_it_listens(listen: str, expected: tuple[str, int]) -> None:
    assert asyncio.run(callback_address(listen, Reference())) == expected


def test_otherwise_it_is_the_address_on_the_way_to_the_service() -> None:
    service = make_reference("IDL:x:1.0", "127.0.0.1", 2809, b"x")
    assert asyncio.run(callback_address(None, service)) == ("127.0.0.1", 0)


def test_a_service_to_which_no_way_leads_is_told() -> None:
    with pytest.raises(InvalidUsage, match="has no address"):
        asyncio.run(callback_address(None, Reference()))
    nowhere = make_reference("IDL:x:1.0", "no.such.host.invalid", 2809, b"x")
    with pytest.raises(Unreachable, match="there is no way to"):
        asyncio.run(callback_address(None, nowhere))
