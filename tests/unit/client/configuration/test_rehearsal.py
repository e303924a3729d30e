"""Cases of rehearsals; the law is in `test_applying.py`."""

from __future__ import annotations

import pytest

from tests.unit.client.configuration.worlds import applied, on_services
from tidings import event
from tidings.client.client import Client
from tidings.client.configuration.reading import read_configuration
from tidings.client.configuration.rehearsal import rehearse
from tidings.client.configuration.state import find_configuration
from tidings.errors import AdminLimitExceeded

QOS = "version = 1\n[channels.a]\nqos = {{ EventReliability = {0}, ConnectionReliability = {0} }}\n"
BEST_EFFORT, PERSISTENT = QOS.format(0), QOS.format(1)


def test_the_reliability_of_a_channel_with_a_publisher_can_be_changed() -> None:
    async def scene(client: Client) -> str:
        await applied(client, read_configuration(BEST_EFFORT))
        publisher = await client.publisher("a")
        wanted = read_configuration(PERSISTENT)
        await rehearse(wanted, await find_configuration(client.transport))
        await applied(client, wanted)
        trail = (await publisher.publish_traced(event("D", "T", header={"EventReliability": 1})))[1]
        return trail.steps[1].reason

    assert on_services(scene) == "applied: EventReliability (Persistent)"


def test_proxies_without_a_name_count_in_a_rehearsal() -> None:
    limited = "version = 1\n[channels.a.admin-properties]\nMaxConsumers = 2\n"
    more = limited + "[channels.a.subscriptions.p]\n[channels.a.subscriptions.q]\n"

    async def scene(client: Client) -> str:
        await applied(client, read_configuration(limited))
        await client.subscribe("a")
        found = await find_configuration(client.transport)
        wanted = read_configuration(more)
        with pytest.raises(AdminLimitExceeded) as said:
            await rehearse(wanted, found)
        with pytest.raises(AdminLimitExceeded) as refused:
            await applied(client, wanted)
        assert str(said.value) == str(refused.value)
        return str(said.value)

    assert on_services(scene) == "MaxConsumers is 2: the channel has that many already"
