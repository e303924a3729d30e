from __future__ import annotations

from itertools import product

from tidings.channel.vocabulary import Form, Side, Style
from tidings.cos.CosNotifyChannelAdmin_auto import ClientType, ProxyType
from tidings.servants.proxy_kinds import form_of, proxy_interface, proxy_type

PREFIX = {Form.ANY: "", Form.STRUCTURED: "Structured", Form.SEQUENCE: "Sequence"}


def test_each_of_the_twelve_kinds_has_the_interface_the_standard_names() -> None:
    for side, style, form in product(Side, Style, Form):
        mirrored = "Supplier" if side is Side.CONSUMER else "Consumer"
        name = f"{PREFIX[form]}Proxy{style.value.title()}{mirrored}"
        found = proxy_interface(side, style, form)
        assert found.id == f"IDL:omg.org/CosNotifyChannelAdmin/{name}:1.0"
        assert f"IDL:omg.org/CosNotifyChannelAdmin/Proxy{mirrored}:1.0" in found.ids


def test_those_of_the_event_service_have_its_interfaces() -> None:
    found = proxy_interface(Side.CONSUMER, Style.PULL, Form.ANY, bare=True)
    assert found.id == "IDL:omg.org/CosEventChannelAdmin/ProxyPullSupplier:1.0"
    found = proxy_interface(Side.SUPPLIER, Style.PUSH, Form.ANY, bare=True)
    assert found.id == "IDL:omg.org/CosEventChannelAdmin/ProxyPushConsumer:1.0"


def test_types_of_proxies_and_clients_are_numbered_as_in_the_standard() -> None:
    told = [proxy_type(style, form) for form in Form for style in Style]
    assert told == list(ProxyType)[:6]
    assert [form_of(client) for client in ClientType] == [0, 1, 2]
