"""A service with something of everything in it, so that requests meet objects that are there."""

from __future__ import annotations

import json
from collections.abc import Callable
from contextlib import ExitStack, suppress
from time import monotonic, sleep
from typing import Any, Final
from urllib.parse import quote

import httpx2
from websockets.sync.client import connect

from tests.patience import PATIENCE

EVENT: Final = {"domain": "Auction", "type": "books", "data": {"price": 12.5}}
PRIORITY: Final = {"$type": "short", "value": 1}
# Small numbers are drawn often: what has them may end at any time.
_DECOYS: Final = 20
TYPE: Final = "Main"
REFERENCE: Final = "corbaloc::192.0.2.9:2809/printer"
MAIN, SPARE = "main", "spare"


class World:
    """Objects of a running service, by the names that path parameters have.

    What a request may end or change for good is a spare one, and there again for the next.

    Args:
        url: Where the service is.
    """

    def __init__(self, url: str) -> None:
        self._open = ExitStack()
        self._client = self._open.enter_context(httpx2.Client(base_url=url, timeout=PATIENCE))
        for number in range(_DECOYS):
            self._ask("POST", "/v1/channels", {"name": f"decoy {number}"})
            self._filter()
        self._parties = 0
        self._ask("POST", "/v1/channels", {"name": MAIN})
        self.channel = int(self._ask("GET", f"/v1/channels/{MAIN}")["id"])
        self.pull = self._proxy(name="pull", style="pull")
        self.push = self._proxy(name="push")
        self.supplier = self._proxy(name="supplier", side="supplier")
        self.filter = self._filter()
        self.mapping = int(self._ask("POST", "/v1/mapping-filters", {"default": PRIORITY})["id"])
        self._ask("POST", "/v1/principals", {"name": MAIN})
        self.grant = self._grant()
        self.credential = [self._credential() for _ in range(_DECOYS)][-1]
        self._ask("POST", "/v1/principals", {"name": "ann"})
        self._ask("PUT", "/v1/principals/ann/password", {"password": "correct horse battery"})
        self._gateway(MAIN)
        self.probe = self._probe()
        self._ask("POST", "/v1/trader/types", {"name": TYPE})
        self._interface(MAIN)
        self.offer = self._offer()
        self._object("hall/main")
        self._ask("POST", "/v1/trader/links", {"name": MAIN, "target": REFERENCE})
        self.publish()
        # Only what is connected can be suspended.
        line = self._open.enter_context(connect(url.replace("http", "ws", 1) + "/v1/ws"))
        line.send(json.dumps({"op": "connect", "id": 1, "line": 1, "proxy": self.push,
                              "channel": self.channel, "notices": False}))  # fmt: skip
        assert json.loads(line.recv(timeout=PATIENCE)) == {"op": "ok", "id": 1}

    def close(self) -> None:
        """Leaves the service alone."""
        self._open.close()

    def publish(self) -> None:
        """Sends an event with a mark."""
        body = {"event": EVENT, "producer": "hall", "number": 1}
        self._ask("POST", f"/v1/channels/{MAIN}/events", body)

    def parameters(self, method: str, path: str) -> dict[str, list[object]]:
        """Values for the path parameters of an operation that stand for something.

        Args:
            method: Of the operation, in lower case.
            path: Of the operation, with the names in braces.
        """
        known: dict[str, list[object]] = {
            "channel": [MAIN, self.channel],
            "proxy": [self.pull, "pull", self.push, self.supplier],
            "side": ["consumer", "supplier"],
            "admin": [0],
            "filter": [self.filter, self.mapping],
            "producer": ["hall"],
            "number": [1],
            "name": [MAIN],
            "principal": [MAIN],
            "grant": [self.grant],
            "credential": [self.credential],
            "job": [1],
            "purpose": ["priority"],
            "gateway": [MAIN],
            "probe": [self.probe],
            "type": [TYPE],
            "interface": [quote(f"IDL:{MAIN}:1.0", safe="")],
            "object": [quote("hall/main", safe="")],
            "offer": [self.offer],
            "link": [MAIN],
            "iterator": [self._iterator()],
        }
        if "{subscriber}" in path:
            known.update(self._spare_subscriber(connected=not path.endswith("/connect")))
        elif "{evolver}" in path:
            known["evolver"] = [self._evolver()]
        for ending, make in self._spares.items():
            if path.endswith(ending) and (method in ("delete", "patch") or "{" not in ending):
                known.update(make(self))
        return known

    def _ask(self, method: str, path: str, body: object = None) -> Any:
        response = self._client.request(method, path, json=body)
        response.raise_for_status()
        return response.json() if response.content else None

    def _proxy(self, **given: str) -> int:
        return int(self._ask("POST", f"/v1/channels/{MAIN}/proxies", given)["id"])

    def _filter(self) -> int:
        return int(self._ask("POST", "/v1/filters", {"constraints": ["$price > 1"]})["id"])

    def _grant(self) -> int:
        # Nobody administers: with an administrator, requests without a token would be refused.
        asked = {"to": MAIN, "verbs": ["publish"]}
        return int(self._ask("POST", "/v1/grants", asked)["grant"])

    def _credential(self) -> int:
        return int(self._ask("POST", f"/v1/principals/{MAIN}/tokens", {})["credential"])

    def _spare_subscriber(self, *, connected: bool) -> dict[str, list[object]]:
        """A new one, with a proxy to pull from and a filter."""
        self._parties += 1
        name = f"spare{self._parties}"
        self._ask("POST", "/v1/service-changes/subscribers", {"subscriber": name})
        where = f"/v1/service-changes/subscribers/{name}"
        self._ask("POST", f"{where}/proxies", {"type": "pull_structured"})
        self._ask("POST", f"{where}/filters", {"filter": {}})
        if connected:
            self._ask("POST", f"{where}/proxies/PS01/connect", {})
        return {"subscriber": [name], "proxy_id": ["PS01"], "filter_id": ["F1"]}

    def _evolver(self) -> str:
        self._parties += 1
        name = f"spare{self._parties}"
        self._ask("POST", "/v1/service-changes/evolvers", {"evolver": name})
        return name

    def _spare_principal(self) -> dict[str, list[object]]:
        with suppress(httpx2.HTTPStatusError):
            self._ask("POST", "/v1/principals", {"name": SPARE})
        return {"name": [SPARE]}

    def _spare_grant(self) -> dict[str, list[object]]:
        return {"grant": [self._grant()]}

    def _spare_credential(self) -> dict[str, list[object]]:
        return {"credential": [self._credential()]}

    def _gateway(self, name: str) -> None:
        sides = [
            {
                "adapter": "r",
                "service": "roads",
                "kind": "tidings",
                "parameters": {"channel": MAIN},
            },
            {"adapter": "p", "service": "plant", "kind": "memory", "parameters": {"name": name}},
        ]
        self._ask("POST", "/v1/gateways", {"name": name, "system": name, "sides": sides})

    def _probe(self) -> str:
        """Sends a probe, once the gateway runs."""
        deadline = monotonic() + PATIENCE
        while True:
            try:
                found = self._ask(
                    "POST", f"/v1/gateways/{MAIN}/probes", {"at": "roads", "to": "plant"}
                )
            except httpx2.HTTPStatusError:
                if monotonic() > deadline:
                    raise
                sleep(0.05)
            else:
                return str(found["probe"])

    def _type(self, name: str) -> str:
        with suppress(httpx2.HTTPStatusError):
            self._ask("POST", "/v1/trader/types", {"name": name})
        return name

    def _offer(self) -> str:
        asked = {"type": TYPE, "reference": REFERENCE, "properties": {"cost": 1.5, "features": 1}}
        return quote(self._ask("POST", "/v1/trader/offers", asked)["offer"], safe="")

    def _interface(self, name: str) -> str:
        for more in ("", "void close();"):  # two versions, to be compared
            text = f"interface {name} {{ {more} }};"
            self._ask("POST", "/v1/interfaces", {"file": f"{name}.idl", "text": text})
        return quote(f"IDL:{name}:1.0", safe="")

    def _object(self, tag: str) -> str:
        self._ask("PATCH", "/v1/live/objects", {"objects": [{"tag": tag}]})
        return quote(tag, safe="")

    def _spare_object(self) -> dict[str, list[object]]:
        return {"object": [self._object("spare/1")]}

    def _deleted(self) -> dict[str, list[object]]:
        """Objects that may be deleted by their tags."""
        self._object("flight/DLH4AB")
        return {}

    def _spare_interface(self) -> dict[str, list[object]]:
        return {"interface": [self._interface(SPARE)]}

    def _iterator(self) -> int:
        asked = {"type": TYPE, "how_many": 0}
        return int(self._ask("POST", "/v1/trader/query", asked)["iterator"])

    def _spare_type(self) -> dict[str, list[object]]:
        return {"type": [self._type("Spare")]}

    def _masked_type(self) -> dict[str, list[object]]:
        with suppress(httpx2.HTTPStatusError):
            self._ask("POST", f"/v1/trader/types/{self._type('Spare')}/mask")
        return {"type": ["Spare"]}

    def _unmasked_type(self) -> dict[str, list[object]]:
        with suppress(httpx2.HTTPStatusError):
            self._ask("POST", f"/v1/trader/types/{self._type('Spare')}/unmask")
        return {"type": ["Spare"]}

    def _spare_offer(self) -> dict[str, list[object]]:
        return {"offer": [self._offer()]}

    def _withdrawn(self) -> dict[str, list[object]]:
        """An offer that may be withdrawn by a constraint."""
        self._type("Office::Printer")
        asked = {"type": "Office::Printer", "reference": REFERENCE, "properties": {"cost": 25.0}}
        self._ask("POST", "/v1/trader/offers", asked)
        return {}

    def _replaced(self) -> dict[str, list[object]]:
        self._type("Office::Printer")
        return self._spare_offer()

    def _spare_link(self) -> dict[str, list[object]]:
        with suppress(httpx2.HTTPStatusError):
            self._ask("POST", "/v1/trader/links", {"name": SPARE, "target": REFERENCE})
        return {"link": [SPARE]}

    def _spare_gateway(self) -> dict[str, list[object]]:
        with suppress(httpx2.HTTPStatusError):
            self._gateway(SPARE)
        return {"gateway": [SPARE]}

    def _running_gateway(self) -> dict[str, list[object]]:
        self._spare_gateway()
        with suppress(httpx2.HTTPStatusError):
            self._ask("POST", f"/v1/gateways/{SPARE}/resume")
        return {"gateway": [SPARE]}

    def _spare_channel(self) -> dict[str, list[object]]:
        with suppress(httpx2.HTTPStatusError):  # it is there
            self._ask("POST", "/v1/channels", {"name": SPARE})
        return {"channel": [SPARE]}

    def _spare_proxy(self) -> dict[str, list[object]]:
        with suppress(httpx2.HTTPStatusError):
            self._proxy(name=SPARE)
        return {"proxy": [SPARE]}

    def _spare_admin(self) -> dict[str, list[object]]:
        asked = {"side": "consumer", "operator": "and"}
        made = self._ask("POST", f"/v1/channels/{MAIN}/admins", asked)
        return {"side": ["consumer"], "admin": [made["id"]]}

    def _spare_filter(self) -> dict[str, list[object]]:
        return {"filter": [self._filter()]}

    def _attached(self, place: str) -> list[object]:
        path = f"/v1/channels/{MAIN}/{place}/filters"
        self._ask("DELETE", path)
        return [self._ask("POST", path, {"filter": self.filter})["attachment"]]

    def _attached_to_proxy(self) -> dict[str, list[object]]:
        return {"proxy": [self.pull], "attachment": self._attached(f"proxies/{self.pull}")}

    def _attached_to_admin(self) -> dict[str, list[object]]:
        return {"side": ["supplier"], "attachment": self._attached("admins/supplier/0")}

    def _dead_letter(self) -> dict[str, list[object]]:
        place = f"/v1/channels/{MAIN}/proxies/{self.pull}"
        self._ask("POST", f"/v1/channels/{MAIN}/events", EVENT)
        seqs = [one["seq"] for one in self._ask("POST", f"{place}/pull", {"most": 9})["events"]]
        self._ask("POST", f"{place}/reject", {"seqs": seqs})
        return {"id": [self._ask("GET", "/v1/dead-letters")["dead_letters"][-1]["id"]]}

    def _suspended(self) -> dict[str, list[object]]:
        with suppress(httpx2.HTTPStatusError):
            self._ask("POST", f"/v1/channels/{MAIN}/proxies/{self.push}/suspend")
        self._spare_gateway()
        with suppress(httpx2.HTTPStatusError):
            self._ask("POST", f"/v1/gateways/{SPARE}/pause")
        return {"proxy": [self.push], "gateway": [SPARE]}

    def _resumed(self) -> dict[str, list[object]]:
        with suppress(httpx2.HTTPStatusError):
            self._ask("POST", f"/v1/channels/{MAIN}/proxies/{self.push}/resume")
        return {"proxy": [self.push]}

    def _pulled(self) -> dict[str, list[object]]:
        return {"proxy": [self.pull]}

    def _mapping(self) -> dict[str, list[object]]:
        return {"filter": [self.mapping]}

    # By the end of the path; with a name in braces, only for what changes the object.
    _spares: Final[dict[str, Callable[[World], dict[str, list[object]]]]] = {
        "/principals/{name}": _spare_principal,
        "/grants/{grant}": _spare_grant,
        "/credentials/{credential}": _spare_credential,
        "/gateways/{gateway}": _spare_gateway,
        "/pause": _running_gateway,
        "/trader/types/{type}": _spare_type,
        "/trader/offers/{offer}": _spare_offer,
        "/trader/links/{link}": _spare_link,
        "/mask": _unmasked_type,
        "/unmask": _masked_type,
        "/interfaces/{interface}": _spare_interface,
        "/live/objects/{object}": _spare_object,
        "/live/deletions": _deleted,
        "/trader/withdrawals": _withdrawn,
        "/trader/query": _withdrawn,
        "/trader/changes": _withdrawn,
        "/replacement": _replaced,
        "/trader/offers": _withdrawn,
        "/drain": _running_gateway,
        "/channels/{channel}": _spare_channel,
        "/channels/{channel}/qos": _spare_channel,
        "/channels/{channel}/admin-properties": _spare_channel,
        "/proxies/{proxy}": _spare_proxy,
        "/proxies/{proxy}/qos": _spare_proxy,
        "/proxies/{proxy}/types": _spare_proxy,
        "/admins/{side}/{admin}": _spare_admin,
        "/filters/{filter}": _spare_filter,
        "/filters/{filter}/constraints": _spare_filter,
        "/proxies/{proxy}/filters/{attachment}": _attached_to_proxy,
        "/admins/{side}/{admin}/filters/{attachment}": _attached_to_admin,
        "/mapped": _mapping,
        "/pull": _pulled,
        "/ack": _pulled,
        "/retry": _pulled,
        "/reject": _pulled,
        "/dead-letters/{id}": _dead_letter,
        "/redrive": _dead_letter,
        "/suspend": _resumed,
        "/resume": _suspended,
    }
