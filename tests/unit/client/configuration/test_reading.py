from __future__ import annotations

import pytest

from tidings.channel.vocabulary import Form, Operator, Side, Style
from tidings.client.configuration.model import DEFAULT_ADMIN
from tidings.client.configuration.reading import read_configuration
from tidings.errors import BadInput
from tidings.filters.constraint import EventTypePattern


def faults(text: str) -> list[str]:
    with pytest.raises(BadInput) as caught:
        read_configuration(f"version = 1\n{text}")
    return str(caught.value).split("\n")


def test_everything_has_a_default() -> None:
    found = read_configuration("version = 1\n[channels.a.subscriptions.s]\n")
    channel = found.channels["a"]
    proxy = channel.proxies[Side.CONSUMER]["s"]
    assert (proxy.style, proxy.form, proxy.admin) == (Style.PUSH, Form.STRUCTURED, DEFAULT_ADMIN)
    assert (proxy.constraints, proxy.filters, proxy.types) == (None, (), ())
    assert channel.admins[Side.CONSUMER][DEFAULT_ADMIN].operator is Operator.AND
    assert channel.qos["Priority"] == 0
    assert channel.qos["EventReliability"] == channel.qos["ConnectionReliability"] == 1


def test_quality_of_service_goes_down_the_tree() -> None:
    found = read_configuration(
        """
        version = 1
        [channels.a.qos]
        Priority = 3
        OrderPolicy = "FifoOrder"
        [channels.a.consumer-admins.x.qos]
        Priority = 5
        [channels.a.subscriptions.s]
        admin = "x"
        [channels.a.subscriptions.t]
        """
    ).channels["a"]
    proxies = found.proxies[Side.CONSUMER]
    assert [proxies[name].qos["Priority"] for name in "st"] == [5, 3]
    assert proxies["s"].qos["OrderPolicy"] == 1


def test_event_types_as_texts_or_tables() -> None:
    types = 'types = ["D::T", "T", { domain = "a::b", type = "c" }]'
    found = read_configuration(f"version = 1\n[channels.a.subscriptions.s]\n{types}")
    assert found.channels["a"].proxies[Side.CONSUMER]["s"].types == (
        EventTypePattern("*", "T"),
        EventTypePattern("D", "T"),
        EventTypePattern("a::b", "c"),
    )


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("chanels = 1", "chanels: unknown; did you mean 'channels'?"),
        ("[channels.a]\nqoss = 1", "channels.a.qoss: unknown; did you mean 'qos'?"),
        (
            "[channels.a.qos]\nPrioritie = 1",
            "channels.a.qos: Prioritie: no property has this name; did you mean Priority?",
        ),
        (
            "[channels.a.qos]\nEventReliability = 'Forever'",
            (
                "channels.a.qos: EventReliability: the value is of the wrong type; "
                "write BestEffort or Persistent"
            ),
        ),
        (
            "[channels.a.qos]\nPriority = 99999",
            "channels.a.qos: Priority: this value is outside the legal range; use -32767 to 32767",
        ),
        ("[channels.a]\nqos = 3", "channels.a.qos: must be a table of properties"),
        ("[channels]\na = 3", "channels.a: must be a table"),
        ("channels = 3", "channels: must be a table of tables"),
        (
            "[channels.a.admin-properties]\nMaxQueueLength = -1",
            (
                "channels.a.admin-properties: MaxQueueLength: this value is outside the legal "
                "range; use 0 to 2147483647"
            ),
        ),
        (
            "[channels.a.subscriptions.s]\nadmin = 'x'",
            "channels.a.subscriptions.s.admin: 'x' is none; known are default",
        ),
        (
            "[channels.a.subscriptions.s]\nfilters = ['cheap']",
            (
                "channels.a.subscriptions.s.filters[0]: the file has no [filters.cheap]; "
                "it has no [filters.…] at all"
            ),
        ),
        (
            "[channels.a.subscriptions.s]\npriority = 'm'",
            (
                "channels.a.subscriptions.s.priority: the file has no [mappings.m]; "
                "it has no [mappings.…] at all"
            ),
        ),
        (
            "[channels.a.suppliers.s]\npriority = 'm'",
            "channels.a.suppliers.s.priority: mapping filters are for the consumers' side",
        ),
        (
            "[channels.a.subscriptions.s]\nstyle = 'pul'",
            "channels.a.subscriptions.s.style: 'pul' is none; did you mean 'pull'?",
        ),
        ("[filters.f]\nconstraints = ['$a']", "filters.f: nothing in the file uses it"),
        (
            "[channels.a.subscriptions.s]\nconstraints = ['$a = 1']",
            "channels.a.subscriptions.s.constraints[0]: line 1, column 4: '=' has no meaning here",
        ),
        (
            "[channels.a.subscriptions.s]\nconstraints = [{ txt = '$a' }]",
            "channels.a.subscriptions.s.constraints[0].txt: unknown; did you mean 'text'?",
        ),
        (
            "[channels.a.subscriptions.s]\nconstraints = [3]",
            (
                "channels.a.subscriptions.s.constraints[0]: a constraint is a text, "
                "or { text = …, types = […] }"
            ),
        ),
        (
            "[channels.a.subscriptions.s]\nconstraints = '$a'",
            "channels.a.subscriptions.s.constraints: must be a list",
        ),
        (
            "[channels.a.subscriptions.s]\ntypes = [3]",
            "channels.a.subscriptions.s.types[0]: write Domain::Type, or { domain = …, type = … }",
        ),
        ("[mappings.m]\nmapped = [3]", "mappings.m: must have a default"),
        ('[channels.""]', 'channels."": must have a name'),
        (
            "[channels.a.consumer-admins.x]\noperator = 'xor'",
            "channels.a.consumer-admins.x.operator: 'xor' is none; did you mean 'or'?",
        ),
    ],
)
def test_faults_have_their_place(text: str, fault: str) -> None:
    assert fault in faults(text)


def test_all_faults_are_told_at_once() -> None:
    assert len(faults("[channels.a]\nx = 1\ny = 1\n[channels.b.subscriptions.s]\nform = 1")) == 3


@pytest.mark.parametrize("purpose", ["priority", "lifetime"])
def test_mapping_values_have_the_type_of_their_use(purpose: str) -> None:
    text = f"""
    [mappings.m]
    default = "text"
    [channels.a.subscriptions.s]
    {purpose} = "m"
    """
    [told] = faults(text)
    assert told.startswith(f"channels.a.subscriptions.s.{purpose}: a {purpose} is of the type ")
    written = told.partition("; write each as ")[2].replace("…", "3")
    assert read_configuration("version = 1" + text.replace('"text"', written)).mappings


def test_values_of_one_mapping_have_one_type() -> None:
    text = """
    [mappings.m]
    default = { "$type" = "short", value = 0 }
    mapped = [{ text = "TRUE", value = "text" }, { text = "TRUE" }]
    [channels.a.subscriptions.s]
    priority = "m"
    """
    first, second, *_ = faults(text)
    assert first.startswith("mappings.m.mapped[0]: the value for 'TRUE' is a ")
    assert second == "mappings.m.mapped[1]: must have a value"


@pytest.mark.parametrize("version", ["", "version = 2", "version = true", "version = '1'"])
def test_another_version_is_not_read(version: str) -> None:
    with pytest.raises(BadInput, match="version: this reads version = 1"):
        read_configuration(version)


def test_no_toml() -> None:
    with pytest.raises(BadInput, match=r"this is no TOML: .*line 2"):
        read_configuration("version = 1\nchannels = [,]\n")
