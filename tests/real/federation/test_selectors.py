"""What ActiveMQ itself does with the selectors that we write: its own classes, in a JVM."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from random import Random
from typing import Any

from py4j.java_gateway import GatewayParameters, JavaGateway, launch_gateway

from tests.laws.dialect_reference import Selector
from tests.laws.dialect_worlds import ServiceView, Texts
from tests.laws.test_dialects import is_nan, world
from tidings.events.paths import Path as Place
from tidings.filters.dialects import jms
from tidings.filters.dialects.writing import Seen

JARS = Path("/usr/share/activemq/lib")


@contextmanager
def activemq() -> Iterator[Any]:
    """The packages of ActiveMQ."""
    jars = os.pathsep.join(map(str, sorted(JARS.glob("*.jar"))))
    port = launch_gateway(classpath=jars, die_on_exit=True, javaopts=["-Xmx128m"])
    gateway = JavaGateway(gateway_parameters=GatewayParameters(port=port))
    try:
        yield gateway.jvm.org.apache.activemq
    finally:
        gateway.shutdown()


def selects(broker: Any, text: str, values: dict[str, Any]) -> bool:
    """Whether a message with these properties is selected."""
    message = broker.command.ActiveMQMessage()
    for name, value in values.items():
        message.setObjectProperty(name, value)
    context = broker.filter.NonCachedMessageEvaluationContext()
    context.setMessageReference(message)
    return bool(broker.selector.SelectorParser.parse(text).matches(context))


def test_activemq_selects_what_is_wanted(record_real_part: Callable[[str, str], None]) -> None:
    rng = Random(16)
    with activemq() as broker:
        record_real_part("ActiveMQ selectors", broker.ActiveMQConnectionMetaData.PROVIDER_VERSION)
        exact = 0
        for _ in range(500):
            wanted, scene, matches = world(rng)
            view = ServiceView(rng, scene)

            def long(path: Place, view: ServiceView = view) -> Seen | None:
                seen = view.names(path)
                value = view.values.get(seen.name) if seen else None
                return None if isinstance(value, int) and value >= 2**63 else seen

            written = jms.write(wanted, long)
            values = {name: one for name, one in view.values.items() if not _too_long(one)}
            selected = not written.text or selects(broker, written.text, values)
            assert selected or not matches, (written, values)
            nan = any(map(is_nan, values.values()))
            assert selected is matches or not written.exact or nan, (written, values)
            exact += written.exact
        assert exact > 100
        for _ in range(200):  # and our model of it, on which the laws rest, is right
            texts = Texts(rng)
            text = texts.selector()
            model = Selector(text, activemq=True).matches(texts.values)
            assert selects(broker, text, texts.values) is model, (text, texts.values)


def _too_long(value: object) -> bool:
    return isinstance(value, int) and value >= 2**63
