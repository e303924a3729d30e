"""The audit trail of the CORBA door: who was refused, and the address of its client."""

from __future__ import annotations

from tests.edges.servants.scenes import ANN, Scene, new_scene, refused
from tests.edges.servants.worlds import numbered
from tidings.channel.management import ObtainProxy
from tidings.channel.vocabulary import Form, Side, Style
from tidings.cores import OperationDone
from tidings.cos.CosNotifyChannelAdmin_auto import EventChannel, StructuredProxyPushConsumer
from tidings.orb.exceptions import NO_PERMISSION, OBJECT_NOT_EXIST
from tidings.servants.service import NIL

HERE = ("IIOP", "127.0.0.1")


def noted(scene: Scene) -> list[OperationDone]:
    """What goes into the trail from now on."""
    lines: list[OperationDone] = []
    scene.service.host.operations._tell = lines.append
    return lines


def shown(line: OperationDone) -> tuple[object, ...]:
    return line.door, line.peer, line.principal, line.operation, line.result, line.refused


async def test_changes_and_refusals_have_the_address_of_the_client() -> None:
    async with new_scene() as scene:
        lines = noted(scene)
        await scene.channel()
        assert [shown(line) for line in lines] == [
            (*HERE, "owner", "create_channel", "done", False)
        ]
        hers = scene.known(EventChannel, "channel", (1,), ANN)
        await refused(hers.destroy(), NO_PERMISSION)
        assert shown(lines[-1]) == (*HERE, "ann", "destroy_channel", "forbidden", True)


async def test_a_refused_push_is_noted_and_an_accepted_one_is_not() -> None:
    async with new_scene() as scene:
        await scene.channel()
        obtain = ObtainProxy(1, Side.SUPPLIER, Style.PUSH, Form.STRUCTURED)
        proxy = await scene.service.host.ask(obtain)
        lines = noted(scene)
        mine = scene.known(StructuredProxyPushConsumer, "proxy", (1, proxy))
        await mine.connect_structured_push_supplier(NIL)
        await mine.push_structured_event(numbered(1))
        hers = scene.known(StructuredProxyPushConsumer, "proxy", (1, proxy), ANN)
        await refused(hers.push_structured_event(numbered(2)), NO_PERMISSION)
        assert [shown(line) for line in lines] == [(*HERE, "ann", "push", "forbidden", True)]


async def test_a_key_that_is_not_ours_is_a_failed_login_and_a_name_is_none() -> None:
    async with new_scene() as scene:
        await scene.channel()
        lines = noted(scene)
        for key in (b"\x01guessed", b"\x01guessed again"):
            forged = scene.server.reference(key, EventChannel.INTERFACE)
            await refused(scene.stub(EventChannel, forged).get_qos(), OBJECT_NOT_EXIST)
        [line] = lines  # the second is counted
        assert shown(line) == (*HERE, "anonymous", "authenticate", "forbidden", True)
        assert scene.service.host.operations.failed_logins == {("IIOP", "forbidden"): 2}
