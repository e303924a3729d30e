"""The facts that others have tested of service change notification, with the same outcome."""

from __future__ import annotations

from typing import Any

import pytest

from tests.edges.changes.world import DAY, FACTS, MINUTE, World, described
from tidings.changes import requests as r
from tidings.changes.model import ChangeKind, TimeIndicator
from tidings.changes.requests import ProxyType
from tidings.errors import (
    AlreadyConnected,
    AlreadyDisconnected,
    AlreadyHaveTheType,
    DuplicatedSubscriberID,
    ExceedConnectSubscriberLimit,
    ExceedSubscriberLimit,
    FilterNotFound,
    NotFoundProxy,
    NotFoundSubscriberID,
    TidingsError,
)
from tidings.trader import requests as t

PULL, SEQUENCE = ProxyType.PULL_STRUCTURED, ProxyType.PUSH_STRUCTURED_SEQUENCE
ALL = ["EV1", "EV2", "EV3", "EV4", "EV5"]


def outcomes(act: Any) -> list[str]:
    """What comes of doing something ten times."""
    found = []
    for number in range(1, 11):
        try:
            act(f"s{number}")
        except TidingsError as error:
            found.append(type(error).__name__)
        else:
            found.append("")
    return found


@pytest.mark.parametrize("limit", [5, 10])
def test_so_many_subscribers_register(limit: int) -> None:
    world = World()
    world.ask(r.SetChangeSettings(max_subscribers=limit))
    found = outcomes(lambda id: world.ask(r.RegisterSubscriber(id)))
    assert found == [""] * limit + [ExceedSubscriberLimit.__name__] * (10 - limit)
    with pytest.raises(DuplicatedSubscriberID):
        world.ask(r.RegisterSubscriber("s1"))


@pytest.mark.parametrize("limit", [5, 10])
def test_so_many_subscribers_connect(limit: int) -> None:
    world = World()
    world.ask(r.SetChangeSettings(max_connected_subscribers=limit))

    def connect(id: str) -> None:
        world.ask(r.RegisterSubscriber(id))
        world.proxy(PULL, id)

    found = outcomes(connect)
    assert found == [""] * limit + [ExceedConnectSubscriberLimit.__name__] * (10 - limit)
    world.proxy(SEQUENCE, "s1")  # it is connected already
    for proxy in ("PS01", "PS02"):
        world.ask(r.DisconnectProxySubscriber("s1", proxy))
    assert world.ask(r.SeeChangeStatus()).connected == limit - 1


@pytest.mark.parametrize(
    ("admin", "qos", "expected"),
    [
        pytest.param({"max_events_per_proxy": 5}, {}, ALL, id="MaxEventsPerProxy 5"),
        pytest.param({"max_events_per_proxy": 3}, {}, ALL[:3], id="MaxEventsPerProxy 3"),
        pytest.param({}, {"OrderPolicy": 3}, ["EV1", "EV5", "EV3", "EV2", "EV4"], id="by expiry"),
        pytest.param(
            {}, {"OrderPolicy": "PriorityOrder"}, ["EV2", "EV4", "EV3", "EV1", "EV5"],
            id="by priority",
        ),
        pytest.param(
            {"max_events_per_proxy": 3}, {"DiscardPolicy": 2}, ALL[1:4], id="discard by priority"
        ),
        pytest.param(
            {"discard_policy": 1}, {"MaxQueueLength": 2}, ALL[3:], id="MaxQueueLength 2, FIFO"
        ),
        pytest.param(
            {}, {"OrderPolicy": 2, "PriorityOverride": (
                {"constraint": "$Name == 'CP-Bank'", "priority": 9},)},
            ["EV2", "EV4", "EV5", "EV3", "EV1"], id="priority overridden",
        ),
    ],
)  # fmt: skip
def test_what_arrives_in_which_order(
    admin: dict[str, Any], qos: dict[str, Any], expected: list[str]
) -> None:
    world = World()
    world.subscriber(**admin)
    proxy = world.proxy(PULL, **qos)
    assert world.announce(*FACTS) == ALL
    assert world.pull(proxy) == [[id] for id in expected]


@pytest.mark.parametrize("in_minutes", [False, True])
def test_batches_are_sent_when_they_are_full_or_late(in_minutes: bool) -> None:
    world = World()
    world.subscriber()
    pacing = "5m" if in_minutes else 5 * MINUTE * 10
    proxy = world.proxy(SEQUENCE, MaximumBatchSize=2, PacingInterval=pacing)
    world.listen(proxy)
    world.announce(*FACTS)
    assert world.batches() == [["EV1", "EV2"], ["EV3", "EV4"]]
    world.pass_time(5 * MINUTE - 1)
    assert not world.batches()
    world.pass_time(1)
    assert world.batches() == [["EV5"]]


def test_a_batch_of_five_in_two_hours() -> None:
    world = World()
    world.subscriber()
    proxy = world.proxy(SEQUENCE, MaximumBatchSize=5, PacingInterval="2h")
    world.listen(proxy)
    world.announce(FACTS[0])
    world.announce(*FACTS[1:4])
    world.pass_time(119 * MINUTE)
    assert not world.batches()
    world.pass_time(MINUTE)
    assert world.batches() == [["EV1", "EV2", "EV3", "EV4"]]
    world.announce(*FACTS)
    assert world.batches() == [["EV5", "EV6", "EV7", "EV8", "EV9"]]


def test_the_lowest_priority_goes_when_the_channel_is_full() -> None:
    world = World()
    world.subscriber(max_queue_length=10, discard_policy=2)
    proxy = world.proxy(PULL)
    priorities = [7, 3, 9, 8, 6, 5, 4, 7, 2, 6, 8]
    for priority in priorities:
        world.announce(r.Announcement(ChangeKind.REMOVAL_SERVICE, described("X"),
                                      priority=priority))  # fmt: skip
    assert world.pull(proxy) == [[f"EV{n}"] for n in range(1, 12) if n != 9]


F1 = r.FilterContent(
    services=(r.TraderFilter("Bank", "$Name == 'ISEL-Bank' and $ReservedFund > 100000"),)
)
F2 = r.FilterContent(services=(r.TraderFilter("Printer"),))
NEW = r.FilterContent(r.FilterEvents.INSTANTIATION_SERVICE_EVENT)
CHANGED = r.FilterContent(r.FilterEvents.CHANGE_SERVICE_EVENT)
ONE = r.FilterContent(references=("corbaloc::192.0.2.9/Printer",))
MIXED = r.FilterContent(
    r.FilterEvents.CHANGE_SERVICE_EVENT, (r.TraderFilter("Bank"),), ONE.references
)


@pytest.mark.parametrize(
    ("above", "own", "expected"),
    [
        ((), (F1, F2), "234"),
        ((F1, F2), (), "234"),
        ((F1,), (F2,), ""),
        ((NEW,), (F2,), ""),
        ((NEW,), (CHANGED,), ""),
        ((CHANGED,), (F1,), "4"),
        ((CHANGED, NEW), (F1, ONE), "234"),
        ((), (NEW,), "15"),
        ((), (CHANGED,), "234"),
        ((), (ONE,), "23"),
        ((), (MIXED,), "234"),
        ((), (r.FilterContent(services=(r.TraderFilter("Printer", "$Speed > 20"),)),), ""),
        ((), (r.FilterContent(services=(r.TraderFilter("Printer", "$Missing > 2"),)), NEW), "15"),
        ((), (), "12345"),
    ],
)
def test_filters_choose(
    above: tuple[r.FilterContent, ...], own: tuple[r.FilterContent, ...], expected: str
) -> None:
    world = World()
    world.subscriber()
    proxy = world.proxy(PULL)
    for one in above:
        world.ask(r.AddSubscriberFilter("ann", one))
    for one in own:
        world.ask(r.AddSubscriberFilter("ann", one, proxy))
    world.announce(*FACTS)
    assert [batch[0][2:] for batch in world.pull(proxy)] == list(expected)


def test_filters_are_seen_and_removed() -> None:
    world = World()
    world.subscriber()
    proxy = world.proxy(PULL)
    see = r.SeeProxySubscriber("ann", proxy)
    added = [world.ask(r.AddSubscriberFilter("ann", one, proxy)) for one in (F1, F2)]
    assert added == ["F1", "F2"]
    assert world.ask(see).filters == {"F1": F1, "F2": F2}
    world.ask(r.RemoveSubscriberFilter("ann", "F2", proxy))
    assert list(world.ask(see).filters) == ["F1"]
    with pytest.raises(FilterNotFound):
        world.ask(r.RemoveSubscriberFilter("ann", "F2", proxy))
    world.announce(*FACTS)
    assert world.pull(proxy) == [["EV4"]]
    world.ask(r.RemoveSubscriberFilters("ann", proxy))
    assert not world.ask(see).filters
    world.announce(FACTS[1])
    assert world.pull(proxy) == [["EV6"]]
    assert world.ask(r.AddSubscriberFilter("ann", F1, proxy)) == "F3"


def test_every_kind_of_proxy_gets_all_notices() -> None:
    world = World()
    world.subscriber()
    world.ask(r.SetSubscriberQoS("ann", {"MaximumBatchSize": 2, "PacingInterval": "5m"}))
    proxies = {world.proxy(type_): type_ for type_ in ProxyType}
    assert list(proxies) == ["PS01", "PS02", "PS03", "PS04", "PS05", "PS06"]
    world.announce(*FACTS)
    for proxy, type_ in proxies.items():
        if type_.pulls:
            batches = world.pull(proxy, 2)
        else:
            world.listen(proxy)
            world.pass_time(5 * MINUTE)
            batches = world.batches()
        if type_.is_sequence:
            assert batches == [["EV1", "EV2"], ["EV3", "EV4"], ["EV5"]], type_
        else:
            assert [id for batch in batches for id in batch] == ALL, type_


def test_a_subscriber_lives() -> None:
    world = World()
    world.subscriber()
    for type_ in ProxyType:
        world.ask(r.CreateProxySubscriber("ann", type_))
    with pytest.raises(AlreadyHaveTheType, match="PS02"):
        world.ask(r.CreateProxySubscriber("ann", PULL))
    assert world.ask(r.SeeProxySubscriber("ann", "PS04")).type is ProxyType(3)
    (channel,) = world.factory.channels.values()
    assert [one.id for one in world.ask(r.SeeSubscriber("ann")).proxies] == [
        name.removeprefix("ann/") for name in channel.names
    ]
    world.ask(r.DestroyProxySubscriber("ann", "PS01"))
    with pytest.raises(NotFoundProxy):
        world.ask(r.DestroyProxySubscriber("ann", "PS01"))
    assert "ann/PS01" not in channel.names
    assert world.ask(r.CreateProxySubscriber("ann", ProxyType(0))) == "PS07"
    world.ask(r.DestroyAllProxySubscribers("ann"))
    assert not channel.names
    world.ask(r.CreateProxySubscriber("ann", PULL))
    world.ask(r.UnregisterSubscriber("ann"))
    assert not channel.names
    with pytest.raises(NotFoundSubscriberID):
        world.ask(r.GetAdminSubscriber("ann"))


def test_a_disconnected_subscriber_finds_its_notices() -> None:
    world = World()
    world.subscriber()
    proxy = world.proxy(PULL)
    with pytest.raises(AlreadyConnected):
        world.ask(r.ConnectProxySubscriber("ann", proxy))
    world.ask(r.DisconnectProxySubscriber("ann", proxy))
    with pytest.raises(AlreadyDisconnected):
        world.ask(r.DisconnectProxySubscriber("ann", proxy))
    world.announce(*FACTS)
    world.ask(r.ConnectProxySubscriber("ann", proxy))
    assert world.pull(proxy) == [[id] for id in ALL]


# The trader.


def trading() -> tuple[World, str]:
    """A world with a printer that was offered before anybody subscribed."""
    world = World()
    world.ask(t.AddServiceType("Printer", "IDL:Printer:1.0"))
    world.ask(t.AddServiceType("Printer_2", "IDL:Printer:2.0", (), ("Printer",)))
    offer: str = world.ask(t.ExportOffer("Printer", "corbaloc::192.0.2.9/p", {"Speed": 20}))
    world.subscriber()
    world.listen(world.proxy(ProxyType.PUSH_STRUCTURED))
    return world, offer


def test_a_withdrawal_is_told() -> None:
    world, offer = trading()
    world.ask(t.WithdrawOffer(offer))
    (told,) = world.notices()
    assert (told.kind, told.time_indicator) == (
        ChangeKind.REMOVAL_SERVICE, TimeIndicator.IMMEDIATE,
    )  # fmt: skip
    assert told.before is not None
    assert (told.before.type.name, told.before.properties) == ("Printer", {"Speed": 20})
    assert (told.offer, told.priority, told.expiry) == (offer, 5, world.now + 7 * DAY)


@pytest.mark.parametrize("withdraw", [False, True])
def test_another_type_is_one_notice(withdraw: bool) -> None:
    world, offer = trading()
    asked = t.ReplaceOffer(offer, "Printer_2", "corbaloc::192.0.2.9/q", {"Speed": 30}, withdraw)
    assert world.ask(asked) == "Printer_2/2"
    (told,) = world.notices()
    assert told.kind is ChangeKind.CHANGE_TYPE
    assert told.before is not None
    assert told.after is not None
    assert [
        (one.type.name, one.type.base_types, one.type.interface_id, one.properties["Speed"])
        for one in (told.before, told.after)
    ] == [
        ("Printer", (), "IDL:Printer:1.0", 20),
        ("Printer_2", ("Printer",), "IDL:Printer:2.0", 30),
    ]
    left = [one.id for one in world.ask(t.SeeOffers())]
    assert left == ([] if withdraw else [offer]) + ["Printer_2/2"]


def test_a_change_of_properties_is_told() -> None:
    world, offer = trading()
    world.ask(t.ModifyOffer(offer, ("Speed",), {"Name": "HP"}))
    (told,) = world.notices()
    assert told.kind is ChangeKind.CHANGE_PROPERTY_VAL
    assert (told.deleted, told.modified, told.after) == ({"Speed": 20}, {"Name": "HP"}, None)
    with pytest.raises(TidingsError):
        world.ask(t.ModifyOffer(offer, ("Speed",), {}))
    assert not world.notices()
