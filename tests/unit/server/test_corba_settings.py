"""What the settings of the CORBA door take, and what they become."""

from __future__ import annotations

from dataclasses import replace

import pytest
from pydantic import ValidationError

from tidings.admission import AdmissionLimits
from tidings.orb.aio import Address, Bidirectional, Options
from tidings.servants.calls import ClientOptions
from tidings.server.config import ServerSettings
from tidings.server.corba_settings import IiopSection, client_options, orb_options, read_address

LIMITS = AdmissionLimits(1_000, 250, 250)


def refusal(**sections: dict[str, object]) -> str:
    with pytest.raises(ValidationError) as caught:
        ServerSettings.model_validate(sections)
    return str(caught.value.errors()[0]["msg"])


@pytest.mark.parametrize(
    ("text", "address"),
    [
        ("host", ("host", 5)),
        ("host:0", ("host", 0)),
        ("10.0.0.1:2809", ("10.0.0.1", 2809)),
        ("[::1]:2809", ("::1", 2809)),
        ("[::1]", ("::1", 5)),
        ("host:65536", None),
        ("::1", None),
        ("a:b", None),
        ("", None),
        ("two words", None),
    ],
)
def test_addresses(text: str, address: tuple[str, int] | None) -> None:
    assert read_address(text, 5) == address


def test_the_defaults_are_those_of_the_orb_and_for_this_machine() -> None:
    section = IiopSection()
    assert not section.enabled
    assert section.host == "127.0.0.1"
    options = orb_options(section, LIMITS)
    assert replace(options, targets=None) == Options(call_seconds=ClientOptions().call_seconds)
    assert options.targets is not None
    answers = [options.targets.allows(each, 1) for each in ("127.0.0.1", "::1", "10.0.0.1")]
    assert answers == [True, True, False]
    assert options.targets.allows("10.0.0.1", 1, given_by="10.0.0.1")
    assert client_options(section) == ClientOptions()


def test_what_is_set_reaches_the_orb() -> None:
    section = IiopSection.model_validate(
        {
            "advertise_host": "events.example",
            "alternates": ["a:1", "b"],
            "bidirectional": "same-host",
            "max_message": "1 MiB",
            "call_patience": "2 s",
            "probe_after": "1 min",
        }
    )
    options = orb_options(section, LIMITS)
    assert options.advertise == Address("events.example", 0)
    assert options.alternates == (Address("a", 1), Address("b", 2809))
    assert options.accept_bidirectional is Bidirectional.SAME_HOST
    assert options.limits.message_size == 2**20
    assert (client_options(section).call_seconds, client_options(section).probe_seconds) == (2, 60)


def test_what_does_not_fit_together() -> None:
    on: dict[str, object] = {"enabled": True}
    assert "advertise_host" in refusal(iiop={**on, "advertise_port": 5})
    twice: dict[str, object] = {"factory": "x", "agent": "x"}
    assert "one file twice" in refusal(iiop=on, ior_file=twice)
    assert "naming.factory" in refusal(iiop=on, naming={"enabled": True})
    wrong: dict[str, object] = {"enabled": True, "factory": "f", "url": "http://x"}
    assert "naming: " in refusal(iiop=on, naming=wrong)
    assert "naming: " in refusal(iiop=on, naming={"enabled": True, "factory": "a//b"})
    refusal(iiop={"alternates": ["a:b:c"]})
    refusal(iiop={"callback_networks": ["10.0.0.0/99"]})
    ServerSettings.model_validate({"naming": {"enabled": True}})  # no door, so no matter
