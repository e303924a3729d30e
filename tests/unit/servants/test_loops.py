"""Channels of two services that feed each other: an event goes round once."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from tests.unit.servants.worlds import (
    PERSISTENT,
    StructuredPushConsumer,
    World,
    joined,
    kind_of,
    numbered,
    numbers,
    opened,
    run,
    until,
)
from tidings.channel.vocabulary import Form, Side, Style
from tidings.cos import CosNotifyChannelAdmin_auto as admin
from tidings.orb.aio import Options, Orb
from tidings.servants.service import NIL

CONNECT = {
    Form.ANY: ("connect_any_push_consumer", "connect_any_push_supplier"),
    Form.STRUCTURED: ("connect_structured_push_consumer", "connect_structured_push_supplier"),
    Form.SEQUENCE: ("connect_sequence_push_consumer", "connect_sequence_push_supplier"),
}


async def feed(
    source: World, first: admin.EventChannel, target: World, second: admin.EventChannel, form: Form
) -> None:
    """Has a channel of one service feed one of another."""
    out = await source.proxy(first, Side.CONSUMER, Style.PUSH, form)
    into = await target.proxy(second, Side.SUPPLIER, Style.PUSH, form)
    consumer, supplier = CONNECT[form]
    await getattr(into, supplier)(NIL)
    await getattr(out, consumer)(into._reference)


@pytest.mark.parametrize("form", list(Form))
def test_events_that_come_back_are_dropped(form: Form) -> None:
    async def scene(tmp_path: Path) -> None:
        async with Orb(Options(close_seconds=0.2)) as client:
            await client.listen()
            async with (
                opened(client, tmp_path / "here") as here,
                opened(client, tmp_path / "there", secret=b"another secret of tests") as there,
            ):
                # On the way their contents may come from the disk: so do the paths.
                first, second = await here.channel(*PERSISTENT), await there.channel(*PERSISTENT)
                kind = kind_of(StructuredPushConsumer)
                seen, _ = await joined(here, first, kind)
                far, _ = await joined(there, second, kind)
                await feed(here, first, there, second, form)
                await feed(there, second, here, first, form)
                supply = await here.proxy(first, Side.SUPPLIER, Style.PUSH, Form.STRUCTURED)
                await supply.connect_structured_push_supplier(NIL)
                for number in range(3):
                    await supply.push_structured_event(numbered(number))
                loops = here.service.clients.loops
                await until(lambda: loops.dropped >= (1 if form is Form.SEQUENCE else 3))
                await until(lambda: len(far.got) == 3)
                # What began there goes here, and not back.
                supply = await there.proxy(second, Side.SUPPLIER, Style.PUSH, Form.STRUCTURED)
                await supply.connect_structured_push_supplier(NIL)
                await supply.push_structured_event(numbered(3))
                await until(lambda: there.service.clients.loops.dropped)
                assert numbers(seen.got) == numbers(far.got) == [0, 1, 2, 3]
                assert sum("a loop of channels" in each.detail for each in here.host.notices) == 1

    with TemporaryDirectory() as folder:
        run(scene(Path(folder)))
