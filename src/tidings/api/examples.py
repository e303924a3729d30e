"""Examples of bodies and answers for the API's document; by the class they show."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from tidings import jobs as j
from tidings.audit import Change
from tidings.changes import interfaces as n
from tidings.changes import requests as s
from tidings.channel import commands as c
from tidings.channel import constraint_views as w
from tidings.channel import management as m
from tidings.channel import questions as q
from tidings.channel import views as v
from tidings.channel.fate import Fate
from tidings.channel.settings import Settings
from tidings.channel.trail import Trail
from tidings.federation import requests as f
from tidings.grants import requests as g
from tidings.live import requests as live
from tidings.trader import requests as t

CONSTRAINT: Final = {"text": "$price < 20 and $title ~ 'python'", "types": ["Auction::books"]}
MAPPED: Final = {**CONSTRAINT, "value": {"$type": "short", "value": 5}}
_EVENT: Final = {"domain": "Auction", "type": "books", "data": {"price": 12.5}}
_FILTERS: Final = {"priority_filter": None, "lifetime_filter": None}
_JUDGED: Final = {
    "seq": 1041,
    "arrival": 1760000000000000,
    "domain": "Auction",
    "type": "books",
    "name": "lot 7",
    "result": "true",
}
_TYPES: Final = {"added": ["Auction::books"], "removed": ["Auction::*"]}

_SIDES: Final = [
    {"adapter": "r", "service": "roads", "kind": "tidings", "parameters": {"channel": "roads"}},
    {
        "adapter": "m",
        "service": "plant",
        "kind": "mqtt",
        "parameters": {"host": "10.0.0.7", "user": "tidings", "password": "file:/etc/tidings/mqtt"},
        "mapping": {"out": [{"when": "$rate > 300", "drop": True}]},
        "flow": {"deny": "$event_name == 'Test'", "rate": 500},
    },
]

EXAMPLES: Final[Mapping[type, tuple[dict[str, Any], ...]]] = {
    # What is asked for.
    c.Ack: ({"seqs": [1041, 1042]},),
    c.DryRun: ({"event": _EVENT},),
    c.Failed: ({"seqs": [1041], "reason": "the database is away"},),
    c.Reject: ({"seqs": [1041], "reason": "the order is unknown"},),
    g.CreatePrincipal: ({"name": "till-3", "roles": ["tills"]},),
    g.ChangePrincipal: ({"disabled": True},),
    g.CreateGrant: (
        {"to": "role:tills", "verbs": ["publish"], "channels": ["sales-*"], "types": ["Shop::*"]},
    ),
    g.CreateReference: ({"channel": 1, "proxy": 7, "label": "till 3"},),
    g.AddCertificate: (
        {
            "certificate": "-----BEGIN CERTIFICATE-----\nMIIBszCCAVmgAwIBAgIUJ9c=\n"
            "-----END CERTIFICATE-----\n",
            "label": "radar-7",
        },
    ),
    g.CreateToken: ({"label": "till 3, main hall"},),
    g.SetPassword: ({"password": "correct horse battery", "old": "a better one than this"},),
    f.CreateGateway: ({"name": "tower", "sides": _SIDES},),
    f.ChangeGateway: ({"sides": _SIDES},),
    f.AskFederation: (
        {
            "kind": "subscribe",
            "what": "subject = Speed and rate > 30",
            "source": "roads",
            "targets": "plant, hall-*",
        },
    ),
    f.ProbeFederation: ({"at": "roads", "to": "plant"},),
    j.StartBacktest: ({"constraint": "$price < 10", "channels": ["auctions"], "since": "7d"},),
    j.StartReport: ({"channels": ["auctions"], "since": "24h"},),
    j.StartAudit: ({"since": "2026-11-01", "until": "2026-12-01"},),
    m.AddConstraints: ({"constraints": [CONSTRAINT, "$severity >= 3"]},),
    m.AddFilter: ({"filter": 4},),
    m.AddMapped: ({"mapped": [MAPPED]},),
    m.CreateChannel: (
        {"name": "auctions", "qos": {"OrderPolicy": "PriorityOrder"}, "persistent": True},
    ),
    m.CreateFilter: ({"constraints": [CONSTRAINT, "$severity >= 3"]},),
    m.CreateMapping: ({"default": {"$type": "short", "value": 0}, "mapped": [MAPPED]},),
    m.ModifyConstraints: ({"delete": [2], "replace": {"1": CONSTRAINT}},),
    m.ModifyMapped: ({"delete": [2], "replace": {"1": MAPPED}},),
    m.NewAdmin: ({"side": "consumer", "operator": "or"},),
    m.ObtainProxy: (
        {"name": "billing", "constraints": ["$price > 100"], "types": ["Auction::books"]},
        {"side": "supplier", "form": "sequence"},
    ),
    m.ObtainTypes: ({"mode": "all_now_updates_on"},),
    m.OfferChange: (_TYPES,),
    m.SetMapping: ({"filter": 5},),
    q.CheckConstraint: ({"text": "$prise < 20", "known": {"price": ["number"]}},),
    q.ExplainConstraint: ({**CONSTRAINT, "event": _EVENT},),
    q.CountMatching: ({**CONSTRAINT, "last": 1000, "most": 20},),
    q.DropDeadLetters: ({"channel": 1, "proxy": 7, "filter": "$price < 1", "most": 500},),
    q.RedriveDeadLetters: ({"channel": 1, "filter": "$price > 100", "most": 500},),
    m.SubscriptionChange: (_TYPES,),
    t.AddServiceType: (
        {
            "name": "Office::Printer",
            "interface": "IDL:office/Printer:1.0",
            "properties": [
                {"name": "cost", "value_type": "double", "mode": "mandatory"},
                {"name": "features", "value_type": "sequence<string>"},
            ],
        },
    ),
    t.ExportOffer: (
        {
            "type": "Office::Printer",
            "reference": "corbaloc::10.0.0.9:2809/printer-7",
            "properties": {"cost": 12.5, "features": ["duplex", "colour"]},
        },
    ),
    t.ModifyOffer: ({"delete": ["features"], "properties": {"cost": 9.5}},),
    t.WithdrawMatchingOffers: ({"type": "Office::Printer", "constraint": "cost > 20"},),
    t.QueryOffers: (
        {
            "type": "Office::Printer",
            "constraint": "cost < 20 and 'duplex' in features",
            "preference": "min cost",
            "policies": {"return_card": 10},
            "desired": ["cost"],
        },
    ),
    n.LoadInterfaces: (
        {"file": "Bank.idl", "text": "module Bank { interface Account { void close(); }; };"},
    ),
    n.CompareInterfaces: (
        {
            "before_text": "interface Account { void close(); };",
            "after_text": "interface Account { void close(); void open(); };",
        },
    ),
    t.AddLink: ({"name": "campus", "target": "corbaloc::10.0.0.8:2809/TradingService"},),
    t.ModifyLink: ({"default_rule": "local_only", "limiting_rule": "always"},),
    live.SetObjects: (
        {
            "objects": [
                {
                    "tag": "flight/DLH4AB",
                    "attributes": {"latitude": 47.1, "longitude": 15.4, "height": 3200},
                }
            ]
        },
    ),
    live.DeleteObjects: ({"pattern": "flight/DLH"},),
    live.SeeLiveObjects: (
        {
            "pattern": "flight/",
            "area": {"south": 46, "west": 14, "north": 48, "east": 17},
            "filter": "$height > 3000",
            "attributes": ["height"],
        },
    ),
    t.SetTraderSettings: ({"max_search_card": 100000, "def_search_card": 100000},),
    s.CreateProxySubscriber: ({"type": "pull_xml"},),
    s.AddSubscriberFilter: (
        {
            "filter": {
                "events": "change_service_event",
                "services": [{"type": "Bank", "constraint": "$ReservedFund > 100000"}],
            },
            "proxy_id": "PS01",
        },
    ),
    s.SetSubscriberQoS: ({"properties": {"OrderPolicy": 2, "PacingInterval": "5m"}},),
    s.AnnounceChanges: (
        {
            "changes": [
                {
                    "kind": "removal_service",
                    "reason": "it is broken",
                    "before": {"type": {"name": "Printer"}, "properties": {"Speed": 20}},
                }
            ]
        },
    ),
    s.RegisterSubscriber: ({"subscriber": "ann", "password": "tell me"},),
    s.RegisterEvolver: ({"evolver": "isel", "address": "https://isel.example"},),
    t.ReplaceOffer: (
        {
            "type": "Office::Printer",
            "reference": "corbaloc::10.0.0.9:2809/printer-8",
            "properties": {"cost": 9.5},
        },
    ),
    t.ChangeOffers: (
        {
            "steps": [
                {
                    "action": "export",
                    "type": "Office::Printer",
                    "reference": "corbaloc::10.0.0.9:2809/a",
                },
                {
                    "action": "export",
                    "type": "Office::Printer",
                    "reference": "corbaloc::10.0.0.9:2809/b",
                },
            ]
        },
    ),
    # What is answered.
    v.AdminInfo: (
        {
            "channel": 1,
            "side": "consumer",
            "id": 2,
            "operator": "and",
            "qos": {"Priority": 0, "OrderPolicy": "AnyOrder"},
            "filters": {"1": 4},
            "types": ["Auction::*"],
            "proxies": [7, 9],
            **_FILTERS,
        },
    ),
    v.ServiceStatus: (
        {
            "version": "1.4.0",
            "ready": True,
            "channels": 3,
            "losses": "",
            "warnings": ["iiop.open_loopback is set: CORBA clients on this machine do everything"],
        },
    ),
    f.GatewayInfo: (
        {
            "name": "tower",
            "system": "tidings",
            "paused": False,
            "draining": False,
            "sides": [
                {
                    "adapter": "m",
                    "service": "plant",
                    "kind": "mqtt",
                    "state": "down",
                    "cause": "10.0.0.7:1883 cannot be reached: Connection refused",
                    "since": 1760000000000000,
                    "waiting": 3,
                }
            ],
            "fresh": 1041,
            "carried": 17,
            "problem": "",
        },
    ),
    v.SettingInfo: (
        {
            "name": "store.retention_age",
            "value": "30 d",
            "source": "file",
            "origin": "/etc/tidings/tidings.toml, line 8",
            "allowed": "a time or none",
            "text": "Segments older than this go; none keeps them whatever their age.",
            "live": True,
        },
    ),
    v.Advertisement: (
        {
            "offered": ["Auction::books"],
            "wanted": ["Auction::*"],
            "offers": {"proxy 3": ["Auction::books"]},
            "wants": {"7": ["Auction::*"]},
        },
    ),
    v.ChannelInfo: (
        {
            "id": 1,
            "name": "auctions",
            "origin": "0123456789abcdef0123456789abcdef",
            "qos": {
                "EventReliability": "Persistent",
                "ConnectionReliability": "Persistent",
                "Priority": 0,
                "Timeout": 0,
                "OrderPolicy": "AnyOrder",
            },
            "admin": {"MaxQueueLength": 0, "MaxConsumers": 0, "RejectNewEvents": True},
            "supplier_admins": [0],
            "consumer_admins": [0],
            "suppliers": 1,
            "consumers": 2,
            "accepted": 1042,
            "waiting": 3,
            "plan": 5,
            "seq": 1042,
        },
    ),
    w.CheckedConstraint: (
        {
            "valid": True,
            "printed": "$prise < 20",
            "remarks": [
                {
                    "level": "warning",
                    "problem": "no event has a field 'prise'",
                    "hint": "did you mean $price?",
                    "position": 0,
                    "line": 1,
                    "column": 1,
                }
            ],
        },
    ),
    w.Explanation: (
        {
            "result": "true",
            "verdict": "matches: $price < 20 is TRUE ($price = 12.5)",
            "parts": [
                {"depth": 0, "text": "$price < 20", "result": "true", "value": "", "error": ""},
                {"depth": 1, "text": "$price", "result": "value", "value": "12.5", "error": ""},
            ],
            "more": 0,
        },
    ),
    w.MatchCount: (
        {
            "events": 1000,
            "matched": 1,
            "errors": 2,
            "since": 1760000000000000,
            "matching": [_JUDGED],
            "others": [{**_JUDGED, "seq": 1042, "result": "error"}],
        },
    ),
    w.PropertiesSeen: (
        {
            "events": 200,
            "complete": True,
            "properties": [
                {"name": "price", "part": "data", "kinds": ["number"], "events": 200},
                {"name": "Priority", "part": "header", "kinds": ["number"], "events": 3},
            ],
        },
    ),
    Change: (
        {
            "number": 17,
            "at": 1_760_000_000_000_000,
            "principal": "owner",
            "operation": "destroy_channel",
            "about": "channel 3",
            "channel": "roads",
            "result": "done",
            "credential": 2,
            "door": "HTTP",
            "peer": "192.0.2.7",
            "refused": False,
            "count": 1,
        },
    ),
    v.DeadLetterInfo: (
        {
            "id": 12,
            "channel": 1,
            "proxy": 7,
            "seq": 1041,
            "arrival": 1760000000000000,
            "at": 1760000060000000,
            "causes": [{"at": 1760000060000000, "reason": "the order is unknown"}],
            "event": _EVENT,
        },
    ),
    Fate: (
        {
            "channel": 1,
            "number": 1041,
            "record": "kept",
            "arrival": 1760000000000000,
            "plan": 5,
            "rules": 5,
            "counts": {"delivered": 1},
            "copies": [
                {
                    "proxy": 7,
                    "name": "billing",
                    "state": "delivered",
                    "at": 1760000000004000,
                    "letter": None,
                    "earlier": [],
                }
            ],
            "complete": True,
            "unknown": [],
        },
    ),
    v.FilterInfo: (
        {
            "kind": "filter",
            "id": 4,
            "version": 2,
            "constraints": {"1": CONSTRAINT},
            "holders": 1,
            "owner": "",
            "private": False,
        },
    ),
    v.MappingInfo: (
        {
            "kind": "mapping",
            "id": 5,
            "version": 2,
            "mapped": {"1": MAPPED},
            "default": {"$type": "short", "value": 0},
            "holders": 1,
            "owner": "",
        },
    ),
    m.CreatedFilter: ({"id": 4, "constraints": [1, 2]},),
    v.ProxyInfo: (
        {
            "channel": 1,
            "id": 7,
            "side": "consumer",
            "style": "push",
            "form": "structured",
            "admin": 0,
            "name": "billing",
            "owner": "",
            "qos": {"Priority": 0, "OrderPolicy": "AnyOrder"},
            "filters": {"1": 4},
            "types": ["Auction::books"],
            "connected": True,
            "attached": True,
            "suspended": False,
            "waiting": 3,
            "spilled": 0,
            "in_flight": 1,
            "failures": 0,
            "counts": {"delivered": 1038, "expired": 1},
            **_FILTERS,
        },
    ),
    Settings: (
        {
            "narrowed": {"ConnectionReliability": [0, 0]},
            "default_operator": "and",
            "inheritance": "copied",
        },
    ),
    Trail: (
        {
            "plan": 5,
            "now": 1760000000000000,
            "accepted": True,
            "recipients": [7],
            "steps": [
                {"stage": "channel", "proxy": None, "passed": True, "reason": "there is room"},
                {
                    "stage": "consumer",
                    "proxy": 7,
                    "passed": True,
                    "reason": "passed",
                    "priority": 0,
                    "expiry": None,
                    "start": None,
                },
            ],
        },
    ),
}
