"""The kinds of proxies: the operations each names are those of the interfaces."""

from __future__ import annotations

import pytest

from tidings.channel.vocabulary import Form, Side, Style
from tidings.client.transports.iiop_kinds import Kind, kind_of_type
from tidings.client.transports.iiop_lines import Line
from tidings.client.transports.iiop_objects import ADMINS
from tidings.client.transports.iiop_servants import servant_for
from tidings.cos.CosNotifyChannelAdmin_auto import ProxyType

KINDS = [Kind(side, style, form) for side in Side for style in Style for form in Form]


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.connect)
def test_the_operations_of_a_kind_exist(kind: Kind) -> None:
    assert {kind.connect, kind.disconnect} <= set(kind.interface.operations)
    assert kind.obtain in ADMINS[kind.side].operations
    assert kind_of_type(kind.side, ProxyType[f"{kind.style.name}_{kind.form.name}"]) == kind


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.connect)
def test_a_client_of_a_kind_has_its_interface(kind: Kind) -> None:
    form = "" if kind.form is Form.ANY else kind.form.name.title()
    name = f"{form}{kind.style.value.title()}{kind.side.value.title()}"
    assert servant_for(kind, Line()).INTERFACE.name == f"CosNotifyComm::{name}"


def test_typed_proxies_are_nobodys() -> None:
    assert kind_of_type(Side.CONSUMER, ProxyType.PUSH_TYPED) is None
