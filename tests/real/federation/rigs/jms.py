"""ActiveMQ, speaking STOMP on loopback, without a web console."""

from __future__ import annotations

import asyncio
import itertools
import re
import socket
import subprocess
import tempfile
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import stompman
from cryptography import x509
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import (
    BestAvailableEncryption,
    load_pem_private_key,
    pkcs12,
)

from tests.patience import PATIENCE
from tests.real.federation import rigs
from tests.real.federation.rigs.amqp import free_port
from tidings.events.build import event
from tidings.events.structured import StructuredEvent

_NAMES = itertools.count()
_HOME = Path("/usr/share/activemq")
_BROKER = """
<beans xmlns="http://www.springframework.org/schema/beans"
  xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:schemaLocation="
    http://www.springframework.org/schema/beans
    http://www.springframework.org/schema/beans/spring-beans.xsd
    http://activemq.apache.org/schema/core
    http://activemq.apache.org/schema/core/activemq-core.xsd">
  <broker xmlns="http://activemq.apache.org/schema/core" brokerName="tidings" useJmx="false"
          dataDirectory="{place}/data" advisorySupport="false" schedulerSupport="false">
    <persistenceAdapter>
      <kahaDB directory="{place}/data" journalMaxFileLength="8mb"/>
    </persistenceAdapter>
    {plugins}
    {tls}
    <transportConnectors>
      <transportConnector name="stomp" uri="stomp://127.0.0.1:{port}"/>
      {connector}
    </transportConnectors>
  </broker>
</beans>
"""
_USERS = """
    <plugins><simpleAuthenticationPlugin><users>
      <authenticationUser username="{user}" password="{password}" groups="all"/>
    </users></simpleAuthenticationPlugin></plugins>
"""
_TLS = """
    <sslContext><sslContext keyStore="file:{place}/service.p12" keyStoreType="PKCS12"
      keyStorePassword="secret"/></sslContext>
"""
_CONNECTOR = '<transportConnector name="tls" uri="stomp+ssl://127.0.0.1:{port}"/>'
USER, PASSWORD = "gateway", "pass:word\\with signs"


def _key_store(certificates: Path) -> bytes:
    """The service's certificate and key as Java takes them."""
    key = load_pem_private_key((certificates / "service.key").read_bytes(), None)
    assert isinstance(key, ec.EllipticCurvePrivateKey)
    certificate = x509.load_pem_x509_certificate((certificates / "service.pem").read_bytes())
    protected = BestAvailableEncryption(b"secret")
    return pkcs12.serialize_key_and_certificates(b"service", key, certificate, None, protected)


class Native(rigs.Native):
    """Headers are what it sets and sees: it knows nothing of our bodies."""

    def __init__(self, client: stompman.Client, destination: str) -> None:
        self._client = client
        self._destination = destination
        self.waiting: asyncio.Queue[stompman.MessageFrame] = asyncio.Queue()

    async def publish(self, sent: StructuredEvent) -> None:
        await self.send(b"", {"event_name": sent.name, **{n: str(v) for n, v in sent.data.items()}})

    async def send(self, body: bytes, headers: dict[str, str]) -> None:
        await self._client.send(body, self._destination, headers=headers, receipt_timeout=PATIENCE)

    async def received(self) -> AsyncIterator[StructuredEvent]:
        while True:
            headers: Any = (await self.waiting.get()).headers
            data = {"license_no": headers["license_no"], "rate": float(headers["rate"])}
            yield event("", "", headers["event_name"], data)


class Rig(rigs.Rig):
    """One broker; with a folder of `certificates` it speaks TLS, too."""

    def __init__(self, certificates: Path | None = None) -> None:
        self.certificates = certificates

    def start(self) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="activemq-")
        self._place = Path(self._folder.name)
        self.port, self.tls_port = free_port(), free_port()
        (self._place / "broker.xml").write_text(self._configuration())
        try:
            self.restart()
        except BaseException:
            self.stop()
            raise

    def _configuration(self) -> str:
        tls = connector = ""
        if self.certificates is not None:
            (self._place / "service.p12").write_bytes(_key_store(self.certificates))
            tls = _TLS.format(place=self._place)
            connector = _CONNECTOR.format(port=self.tls_port)
        users = _USERS.format(user=USER, password=PASSWORD)
        return _BROKER.format(
            place=self._place, port=self.port, plugins=users, tls=tls, connector=connector
        )

    def restart(self) -> None:
        command = [
            *("java", "-Xmx128m", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC"),
            *("--add-opens", "java.base/java.lang=ALL-UNNAMED"),
            *("--add-opens", "java.base/java.net=ALL-UNNAMED"),
            *("--add-opens", "java.base/java.util=ALL-UNNAMED"),
            *(f"-Dactivemq.{name}={self._place}" for name in ("home", "base")),
            *("-cp", f"{_HOME}/lib/*:{_HOME}/lib/optional/*", "org.apache.activemq.console.Main"),
            *("start", f"xbean:file:{self._place}/broker.xml"),
        ]
        with (self._place / "out").open("ab") as out:
            self._process = subprocess.Popen(
                command, cwd=self._place, stdin=subprocess.DEVNULL, stdout=out, stderr=out
            )
        until = time.monotonic() + PATIENCE
        while not self._answers():
            assert self._process.poll() is None, (self._place / "out").read_text()
            assert time.monotonic() < until
            time.sleep(0.05)

    def _answers(self) -> bool:
        """Whether it speaks: whoever asks without a password is told the version as well."""
        try:
            with socket.create_connection(("127.0.0.1", self.port), 1) as line:
                line.settimeout(PATIENCE)
                line.sendall(
                    f"CONNECT\naccept-version:1.2\nhost:x\nlogin:{USER}\n"
                    f"passcode:{PASSWORD}\n\n\0".encode()
                )
                found = re.search(rb"server:(\w+)/([\d.]+)", line.recv(4_096))
        except OSError:
            return False
        assert found is not None
        self.part = (found[1].decode(), found[2].decode())
        return True

    def kill(self) -> None:
        self._process.kill()
        self._process.wait(PATIENCE)

    def stop(self) -> None:
        self.kill()
        self._folder.cleanup()

    def parameters(self) -> dict[str, Any]:
        given = {"user": USER, "password": PASSWORD, "heartbeat": 5}
        return {"port": self.port, "topic": f"suite-{next(_NAMES)}", **given}

    @asynccontextmanager
    async def native(self, parameters: dict[str, Any]) -> AsyncIterator[rigs.Native]:
        server = stompman.ConnectionParameters("127.0.0.1", self.port, USER, PASSWORD)
        async with stompman.Client([server], on_error_frame=None) as client:
            made = Native(client, f"/topic/{parameters['topic']}")
            heard = await client.subscribe_with_manual_ack(
                f"/topic/{parameters['topic']}",
                made.waiting.put,
                ack="auto",
                headers={"selector": "event_name = 'Speed'"},
                receipt_timeout=PATIENCE,
            )
            yield made
            await heard.unsubscribe()
