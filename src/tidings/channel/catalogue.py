"""The operation catalogue: one row for each command and each question of the service.

A request's class declares its fields, and its docstring describes it and them. Its row says the
rest, once. Routes, JSON, the API's document, client calls, authorisation, retries, metrics, the
audit log, `tidings call` and the reference page are derived from the rows.

To add an operation: its class (`management.py`, or `questions.py` if it only looks), the function
that carries it out (`dispatch.py`, or `engine/viewing.py`), and its row here.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from enum import Enum
from inspect import cleandoc
from typing import Any, Final, NamedTuple

from tidings import jobs as j
from tidings.audit import Change, SeeChanges
from tidings.changes import interfaces as n
from tidings.changes import requests as s
from tidings.changes.model import Notice
from tidings.channel import commands as c
from tidings.channel import management as m
from tidings.channel import questions as q
from tidings.channel.constraint_views import (
    CheckedConstraint,
    Explanation,
    MatchCount,
    PropertiesSeen,
)
from tidings.channel.fate import Fate
from tidings.channel.property_errors import PropertyRange
from tidings.channel.settings import Settings
from tidings.channel.trail import Trail
from tidings.channel.views import (
    AdminInfo,
    AdminValues,
    Advertisement,
    ChannelInfo,
    DeadLetterInfo,
    FilterInfo,
    MappingInfo,
    ProxyInfo,
    QoSValues,
    ServiceStatus,
    SettingInfo,
)
from tidings.channel.vocabulary import Side
from tidings.cores import OperationDone, Question
from tidings.errors import (
    AlreadyConnected,
    AlreadyDisconnected,
    AlreadyMasked,
    ConnectionAlreadyActive,
    ConnectionAlreadyInactive,
    ConstraintNotFound,
    FilterNotFound,
    NotFound,
    NotFoundProxy,
    NotMasked,
    TidingsError,
    WrongState,
)
from tidings.federation import requests as f
from tidings.filters.constraint import EventTypePattern
from tidings.grants import requests as g
from tidings.grants.model import Grant, Principal
from tidings.idl.diff import Comparison
from tidings.live import requests as l
from tidings.live.model import ObjectInfo
from tidings.trader import requests as t
from tidings.trader.model import LinkInfo, ServiceType, TraderSettings
from tidings.trader.outside import ContinueQuery


class Right(Enum):
    """What whoever asks must be allowed to do; the engine says how it is found out."""

    MANAGE = "manage the channel, or the service if the request names no channel"
    MANAGE_FILTER = "manage the filter; its owner may"
    CREATE_FILTER = "subscribe"
    SUBSCRIBE = "subscribe to the channel"
    CREATE_PROXY = "publish or subscribe to the channel, by the side of the proxy"
    CHANGE_PLACE = "use the proxy, or manage the channel if it is not about a proxy"
    USE_PROXY = "use the proxy; its owner may"
    USE_DEAD_LETTER = "use the proxy that the dead letter was for"
    INSPECT = "inspect the channel, or the service if the request names no channel"
    KNOW = "do anything with the channel, or be a principal if the request names no channel"
    EXPORT = "publish to any channel"
    IMPORT = "subscribe to any channel"
    CHANGE_OFFER = "manage the service; who exported the offer may"
    CHANGE_OFFERS = "whatever each step needs"
    SUBSCRIBE_CHANGES = "subscribe to the channel service-changes"
    ANNOUNCE_CHANGES = "publish to the channel service-changes"
    SUBSCRIBER = "manage the service; who registered the subscriber may, or has told its password"
    EVOLVER = "manage the service; who registered the evolver may, or tells its password"
    ADMINISTER = "administer access"
    OWN_PASSWORD = "administer access; for its own password, know the old one"
    ANYBODY = "be anybody who may come in"
    ENGINE = "nobody but the service itself"


class Named(NamedTuple):
    """An answer that is one member of a JSON object; its value has the type `kind`."""

    name: str
    kind: Any
    example: Any = None


class Shown(NamedTuple):
    """An answer over HTTP that shows the object as it is after the command.

    `question` makes the question for it from the command and its answer. `part` is the part that
    is shown; empty for all of a new object, whose id is the answer.
    """

    kind: Any
    question: Callable[[Any, Any], Question[Any]]
    part: str = ""


@dataclass(frozen=True, slots=True, eq=False)
class Operation:
    """One row.

    Attributes:
        request: The class of the command or question.
        right: What it needs.
        http: Method and path. ``{place}`` stands for the path of a channel, admin or proxy,
            ``{holder}`` for that of an admin or proxy; other names are fields. Empty if it is not
            a request of its own over HTTP.
        summary: A few words for lists.
        tag: The group it belongs to.
        answer: The type of the answer; None for none.
        location: Where a new object is; names are fields, and ``id`` is the answer.
        created: Whether something is new; so if there is a location.
        lasts: Whether it is on the disk before it is answered.
        repeats: Whether it may be repeated when nobody knows whether it was carried out; None if
            the HTTP method says so.
        done: The error that says, to a repeated request, that it was carried out before.
        corba: The standard's operation, ``Interface::operation (fields)``, with the fields that
            are its arguments; the called object tells the others. ``{field}`` stands for a field's
            value, ``*`` for any letters, ``|`` divides alternatives. Empty if there is none.
        body: The field that is the whole body; empty if the body has a member for each field.
        hidden: Fields that only the service fills.
        renamed: Fields that are called otherwise in the body.
        side: Which of two operations on one path it is, by the side of the object.
        destroys: Whether something is lost for good; a method DELETE says so, too.
    """

    request: type
    right: Right
    http: str = ""
    summary: str = ""
    tag: str = ""
    answer: Any = None
    location: str = ""
    created: bool = False
    lasts: bool = False
    repeats: bool | None = None
    done: type[TidingsError] | None = None
    corba: str = ""
    body: str = ""
    hidden: tuple[str, ...] = ()
    renamed: Mapping[str, str] = field(default_factory=dict)
    side: Side | None = None
    destroys: bool = False

    @property
    def name(self) -> str:
        """What it is called: ``create_filter``."""
        words = self.request.__name__.replace("QoS", "Qos")
        return re.sub(r"(?<=[a-z])(?=[A-Z])", "_", words).lower()

    @property
    def method(self) -> str:
        """The HTTP method."""
        return self.http.partition(" ")[0]

    @property
    def path(self) -> str:
        """The HTTP path."""
        return self.http.partition(" ")[2]

    @property
    def status(self) -> int:
        """The HTTP status of a success."""
        if self.answer is None:
            return 204
        return 201 if self.created or self.location else 200

    @property
    def is_question(self) -> bool:
        """Whether the shell answers it itself."""
        return issubclass(self.request, Question)

    @property
    def is_change(self) -> bool:
        """Whether it changes something: whoever runs the service may want to know who did."""
        return self.method not in ("", "GET") and (self.lasts or self.repeats is not True)

    @property
    def safe(self) -> bool:
        """Whether it may be repeated when nobody knows whether it was carried out."""
        return self.method in _SAFE_METHODS if self.repeats is None else self.repeats

    @property
    def corba_operations(self) -> tuple[tuple[str, str], ...]:
        """The standard's interfaces and operations, with the patterns in them."""
        found = self.corba.partition(" (")[0].split(" | ") if self.corba else ()
        return tuple((one.partition("::")[0], one.partition("::")[2]) for one in found)

    @property
    def corba_arguments(self) -> tuple[str, ...]:
        """The fields that are arguments of the standard's operation."""
        return tuple(re.findall(r"\w+", self.corba.partition(" (")[2]))

    @property
    def places(self) -> tuple[str, ...]:
        """The paths, one for each kind of object that it may be about."""
        for word, kinds in (("{place}", _PLACES), ("{holder}", _PLACES[1:])):
            if word in self.path:
                return tuple(self.path.replace(word, kind) for kind in kinds)
        return (self.path,)

    @property
    def fields(self) -> tuple[str, ...]:
        """The names of the request's fields."""
        return tuple(getattr(self.request, "__match_args__", ()))

    @property
    def text(self) -> str:
        """What it does, as its class says."""
        return described(self.request)[0]

    @property
    def answer_text(self) -> str:
        """What the answer is, as its class says; empty for none."""
        found = re.search(r"^Answer: (.*?)(?:\n\n|\Z)", cleandoc(self.request.__doc__ or ""), _DOTS)
        told = "" if found is None else " ".join(found[1].split())
        return "" if told == "None." else told


_DOTS: Final = re.MULTILINE | re.DOTALL
_ATTRIBUTES: Final = "\n\nAttributes:\n"
_SAFE_METHODS: Final = frozenset({"GET", "HEAD", "PUT", "PATCH", "DELETE"})
_CHANNEL: Final = "/channels/{channel}"
_ADMIN: Final = f"{_CHANNEL}/admins/{{side}}/{{admin}}"
_PROXY: Final = f"{_CHANNEL}/proxies/{{proxy}}"
_PLACES: Final = (_CHANNEL, _ADMIN, _PROXY)


def described(kind: type) -> tuple[str, dict[str, str]]:
    """What docstrings say of a class, and of each attribute that it has or inherits."""
    head = cleandoc(kind.__doc__ or "").partition(_ATTRIBUTES)[0]
    parts = (re.sub(r"\s*Answer: .*", "", one, flags=re.DOTALL) for one in head.split("\n\n"))
    fields: dict[str, str] = {}
    for one in reversed(kind.__mro__):
        rest = cleandoc(one.__doc__ or "").partition(_ATTRIBUTES)[2].partition("\n\n")[0]
        lines = re.split(r"^ {4}(\w+): ", rest, flags=re.MULTILINE)[1:]
        fields |= zip(lines[::2], (" ".join(text.split()) for text in lines[1::2]), strict=True)
    return "\n\n".join(filter(None, parts)), fields


def checked(rows: Iterable[Operation]) -> tuple[Operation, ...]:
    """The rows, or ValueError if one is wrong; the message begins with its name."""
    found = tuple(rows)
    seen: dict[tuple[str, str, Side | None], str] = {}
    requests: set[type] = set()
    for row in found:
        problem = _problem(row) or ("has two rows" if row.request in requests else "")
        requests.add(row.request)
        for path in row.places if row.http else ():
            key = (row.method, re.sub(r"{\w+}", "{}", path), row.side)
            problem = problem or (f"is on the path of {seen[key]}" if key in seen else "")
            seen[key] = row.name
        if problem:
            raise ValueError(f"{row.name} {problem}")
    return found


def _problem(row: Operation) -> str:
    if not isinstance(row.right, Right):
        return f"needs a right that there is not: {row.right!r}"
    known = {*row.fields, "id"} | ({"place", "holder"} if "place" in row.fields else set())
    for what, text in (("path", row.path), ("location", row.location)):
        for name in re.findall(r"{(\w+)}", text):
            if name not in known:
                return f"has {{{name}}} in its {what}, which is not one of its fields"
    named = (row.body, *row.hidden, *row.renamed, *row.corba_arguments)
    for name in (*named, *re.findall(r"{(\w+)}", row.corba)):
        if name and name not in row.fields:
            return f"speaks of {name}, which is not one of its fields"
    if row.http and (row.method not in _METHODS or not row.path.startswith(("/", "{"))):
        return f"has no method and path: {row.http!r}"
    if not row.text:
        return "has no docstring"
    return ""


_METHODS: Final = frozenset({"DELETE", "GET", "PATCH", "POST", "PUT"})


def _change(
    request: type,
    right: Right,
    http: str,
    summary: str,
    tag: str = "",
    **rest: Any,  # noqa: ANN401 -- as `Operation` has them
) -> Operation:
    """A command whose effect must be on the disk before it is answered."""
    return Operation(request, right, http, summary, tag, lasts=True, **rest)


_RANGES: Final = Named(
    "ranges", tuple[PropertyRange, ...], ({"name": "Priority", "low": -32767, "high": 32767},)
)

_CHANNELS: Final = (
    _change(m.CreateChannel, Right.MANAGE, "POST /channels", "Create a channel", "channels",
            answer=Shown(ChannelInfo, lambda _, id: q.SeeChannel(id)), location="/channels/{id}",
            hidden=("origin",), corba="EventChannelFactory::create_channel (qos, admin)"),
    _change(m.DestroyChannel, Right.MANAGE, f"DELETE {_CHANNEL}", "Destroy a channel", "channels",
            done=NotFound, corba="EventChannel::destroy"),
    _change(m.SetAdminProperties, Right.MANAGE, f"PATCH {_CHANNEL}/admin-properties",
            "Change its admin properties", "channels", body="properties",
            answer=Shown(AdminValues, lambda x, _: q.SeeChannel(x.channel), "admin"),
            corba="AdminPropertiesAdmin::set_admin (properties)"),
    Operation(c.DryRun, Right.USE_PROXY, f"POST {_CHANNEL}/dry-run", "Trace an event", "channels",
              answer=Trail, repeats=True, renamed={"item": "event", "proxy": "publisher"}),
    Operation(q.SeeChannels, Right.KNOW, "GET /channels", "All channels", "channels",
              answer=Named("channels", list[ChannelInfo]),
              corba="EventChannelFactory::get_all_channels"),
    Operation(q.SeeChannel, Right.KNOW, f"GET {_CHANNEL}", "One channel", "channels",
              answer=ChannelInfo, corba="EventChannelFactory::get_event_channel (channel)"),
    Operation(q.SeeAdvertisement, Right.INSPECT, f"GET {_CHANNEL}/types",
              "Which event types are offered and wanted", "channels", answer=Advertisement),
    Operation(q.CountMatching, Right.SUBSCRIBE, f"POST {_CHANNEL}/matching",
              "Count matching events", "channels", answer=MatchCount, repeats=True),
    Operation(q.SeeProperties, Right.SUBSCRIBE, f"GET {_CHANNEL}/properties",
              "Which properties events have", "channels", answer=PropertiesSeen),
    Operation(q.SeeHighestNumber, Right.KNOW, f"GET {_CHANNEL}/producers/{{producer}}",
              "How far a producer has come", "channels", answer=Named("highest", int | None, 41)),
    Operation(q.SeeFate, Right.INSPECT, f"GET {_CHANNEL}/events/{{number}}/fate",
              "What became of an event", "events", answer=Fate),
)  # fmt: skip

_ADMINS: Final = (
    _change(m.NewAdmin, Right.MANAGE, f"POST {_CHANNEL}/admins", "Create an admin", "admins",
            answer=Shown(AdminInfo, lambda x, id: q.SeeAdmin(x.channel, x.side, id)),
            location=f"{_CHANNEL}/admins/{{side}}/{{id}}",
            corba="EventChannel::new_for_{side}s (operator)"),
    _change(m.DestroyAdmin, Right.MANAGE, f"DELETE {_ADMIN}", "Destroy an admin", "admins",
            done=NotFound, corba="ConsumerAdmin::destroy | SupplierAdmin::destroy"),
    Operation(q.SeeAdmins, Right.INSPECT, f"GET {_CHANNEL}/admins", "All admins", "admins",
              answer=Named("admins", list[AdminInfo]),
              corba="EventChannel::get_all_*admins"),
    Operation(q.SeeAdmin, Right.INSPECT, f"GET {_ADMIN}", "One admin", "admins",
              answer=AdminInfo, corba="EventChannel::get_{side}admin (admin)"),
)  # fmt: skip

_PROXIES: Final = (
    _change(m.ObtainProxy, Right.CREATE_PROXY, f"POST {_CHANNEL}/proxies", "Create a proxy",
            "proxies", answer=Shown(ProxyInfo, lambda x, id: q.SeeProxy(x.channel, id)),
            location=f"{_CHANNEL}/proxies/{{id}}", hidden=("owner", "fence", "most_owned"),
            corba="ConsumerAdmin::obtain_notification_{style}_supplier | "
            "SupplierAdmin::obtain_notification_{style}_consumer (form)"),
    _change(m.Disconnect, Right.USE_PROXY, f"DELETE {_PROXY}", "Destroy a proxy", "proxies",
            hidden=("given_up",), done=NotFound, corba="Proxy*::disconnect_*"),
    _change(m.Suspend, Right.USE_PROXY, f"POST {_PROXY}/suspend", "Suspend", "proxies",
            repeats=True, done=ConnectionAlreadyInactive,
            corba="Proxy*::suspend_connection"),
    _change(m.Resume, Right.USE_PROXY, f"POST {_PROXY}/resume", "Resume", "proxies",
            repeats=True, done=ConnectionAlreadyActive,
            corba="Proxy*::resume_connection"),
    Operation(m.Purge, Right.USE_PROXY, f"POST {_PROXY}/purge", "Drop its backlog", "proxies",
              answer=Named("purged", int, 42), repeats=False, destroys=True),
    Operation(m.ObtainTypes, Right.USE_PROXY, f"POST {_PROXY}/known-types",
              "List event types offered or wanted", "proxies", repeats=True,
              answer=Named("types", tuple[EventTypePattern, ...], ("Auction::books",)),
              corba="ProxySupplier::obtain_offered_types | "
              "ProxyConsumer::obtain_subscription_types (mode)"),
    Operation(m.ValidateEventQoS, Right.USE_PROXY, f"POST {_PROXY}/event-qos/validate",
              "Check an event's quality of service", "proxies", body="properties", repeats=True,
              answer=_RANGES,
              corba="ProxySupplier::validate_event_qos | "
              "ProxyConsumer::validate_event_qos (properties)"),
    Operation(q.SeeProxies, Right.KNOW, f"GET {_CHANNEL}/proxies", "All proxies", "proxies",
              answer=Named("proxies", list[ProxyInfo]),
              corba="ConsumerAdmin::_get_*_suppliers | SupplierAdmin::_get_*_consumers"),
    Operation(q.SeeProxy, Right.KNOW, f"GET {_PROXY}", "One proxy", "proxies",
              answer=ProxyInfo, corba="ConsumerAdmin::get_proxy_supplier | "
              "SupplierAdmin::get_proxy_consumer (proxy)"),
)  # fmt: skip

_HOLDERS: Final = (
    _change(m.SetQoS, Right.CHANGE_PLACE, "PATCH {place}/qos", "Change its quality of service",
            body="properties", corba="QoSAdmin::set_qos (properties)",
            answer=Shown(QoSValues, lambda x, _: q.question_at(x.place), "qos")),
    Operation(m.ValidateQoS, Right.CHANGE_PLACE, "POST {place}/qos/validate",
              "Check a quality of service", body="properties", repeats=True,
              answer=_RANGES, corba="QoSAdmin::validate_qos (properties)"),
    _change(m.OfferChange, Right.CHANGE_PLACE, "PATCH {holder}/types", "Change its event types",
            side=Side.SUPPLIER, corba="NotifyPublish::offer_change (added, removed)"),
    _change(m.SubscriptionChange, Right.CHANGE_PLACE, "PATCH {holder}/types",
            "Change its event types", "", side=Side.CONSUMER,
            corba="NotifySubscribe::subscription_change (added, removed)"),
    _change(m.AddFilter, Right.CHANGE_PLACE, "POST {holder}/filters", "Attach a filter",
            answer=Named("attachment", int, 1), location="{holder}/filters/{id}",
            corba="FilterAdmin::add_filter (filter)"),
    _change(m.RemoveFilter, Right.CHANGE_PLACE, "DELETE {holder}/filters/{attachment}",
            "Detach a filter", "", done=FilterNotFound,
            corba="FilterAdmin::remove_filter (attachment)"),
    _change(m.RemoveAllFilters, Right.CHANGE_PLACE, "DELETE {holder}/filters",
            "Detach all filters", "", corba="FilterAdmin::remove_all_filters"),
    _change(m.SetMapping, Right.CHANGE_PLACE, "PUT {holder}/mappings/{purpose}",
            "Give it a mapping filter", "",
            corba="ConsumerAdmin::_set_{purpose}_filter | ProxySupplier::_set_{purpose}_filter "
            "(filter)"),
)  # fmt: skip

_FILTERS: Final = (
    _change(m.CreateFilter, Right.CREATE_FILTER, "POST /filters", "Create a filter", "filters",
            answer=m.CreatedFilter, location="/filters/{id}", hidden=("owner",),
            corba="FilterFactory::create_filter (grammar)"),
    _change(m.CreateMapping, Right.CREATE_FILTER, "POST /mapping-filters",
            "Create a mapping filter", "filters", answer=m.CreatedFilter,
            location="/filters/{id}", hidden=("owner",),
            corba="FilterFactory::create_mapping_filter (grammar, default)"),
    Operation(q.SeeFilters, Right.INSPECT, "GET /filters", "Filters", "filters",
              answer=Named("filters", list[FilterInfo | MappingInfo])),
    Operation(q.SeeFilter, Right.INSPECT, "GET /filters/{filter}", "One filter", "filters",
              answer=FilterInfo | MappingInfo,
              corba="Filter::get_all_constraints | MappingFilter::get_all_mapping_constraints"),
    Operation(q.CheckConstraint, Right.KNOW, "POST /constraints/check", "Check a constraint",
              "filters", answer=CheckedConstraint, repeats=True),
    Operation(q.ExplainConstraint, Right.KNOW, "POST /constraints/explain",
              "Explain a constraint", "filters", answer=Explanation, repeats=True,
              renamed={"item": "event"}),
    _change(m.DestroyFilter, Right.MANAGE_FILTER, "DELETE /filters/{filter}", "Destroy a filter",
            "filters", done=NotFound, corba="Filter::destroy | MappingFilter::destroy"),
    _change(m.AddConstraints, Right.MANAGE_FILTER, "POST /filters/{filter}/constraints",
            "Add constraints", "filters", created=True,
            answer=Named("constraints", list[int], (3, 4)),
            corba="Filter::add_constraints (constraints)"),
    _change(m.ModifyConstraints, Right.MANAGE_FILTER, "PATCH /filters/{filter}/constraints",
            "Change constraints", "filters", done=ConstraintNotFound,
            corba="Filter::modify_constraints (delete, replace)"),
    _change(m.ClearFilter, Right.MANAGE_FILTER, "DELETE /filters/{filter}/constraints",
            "Remove all constraints", "filters", corba="Filter::remove_all_constraints | "
            "MappingFilter::remove_all_mapping_constraints"),
    _change(m.AddMapped, Right.MANAGE_FILTER, "POST /filters/{filter}/mapped",
            "Add constraints with values", "filters", created=True,
            answer=Named("constraints", list[int], (3, 4)),
            corba="MappingFilter::add_mapping_constraints (mapped)"),
    _change(m.ModifyMapped, Right.MANAGE_FILTER, "PATCH /filters/{filter}/mapped",
            "Change constraints with values", "filters", done=ConstraintNotFound,
            corba="MappingFilter::modify_mapping_constraints (delete, replace)"),
)  # fmt: skip

_LETTERS: Final = (
    Operation(q.SeeDeadLetters, Right.USE_DEAD_LETTER, "GET /dead-letters", "Dead letters",
              "dead letters", answer=Named("dead_letters", list[DeadLetterInfo])),
    Operation(q.CountDeadLetters, Right.USE_DEAD_LETTER, "GET /dead-letters/count",
              "How many dead letters", "dead letters", answer=Named("count", int, 42)),
    Operation(q.RedriveDeadLetter, Right.USE_DEAD_LETTER, "POST /dead-letters/{id}/redrive",
              "Redrive a dead letter", "dead letters"),
    Operation(q.RedriveDeadLetters, Right.USE_DEAD_LETTER, "POST /dead-letters/redrive",
              "Redrive dead letters", "dead letters", answer=Named("redriven", int, 42),
              renamed={"matching": "filter"}),
    Operation(q.DropDeadLetter, Right.USE_DEAD_LETTER, "DELETE /dead-letters/{id}",
              "Drop a dead letter", "dead letters", done=NotFound),
    Operation(q.DropDeadLetters, Right.USE_DEAD_LETTER, "POST /dead-letters/drop",
              "Drop dead letters", "dead letters", answer=Named("dropped", int, 42),
              renamed={"matching": "filter"}, repeats=False, destroys=True),
    Operation(q.SeeRules, Right.KNOW, "GET /rules", "What the service allows", "overview",
              answer=Settings),
    Operation(q.SeeStatus, Right.KNOW, "GET /status", "How the service is", "overview",
              answer=ServiceStatus),
    Operation(q.SeeSettings, Right.INSPECT, "GET /settings", "Settings", "overview",
              answer=Named("settings", list[SettingInfo])),
    Operation(SeeChanges, Right.ADMINISTER, "GET /changes", "Who changed what", "overview",
              answer=Named("changes", list[Change])),
    Operation(OperationDone, Right.ENGINE),
)  # fmt: skip

_ACCESS: Final = (
    _change(g.CreatePrincipal, Right.ADMINISTER, "POST /principals", "Create a principal",
            "access"),
    _change(g.ChangePrincipal, Right.ADMINISTER, "PATCH /principals/{name}",
            "Change a principal", "access"),
    _change(g.DeletePrincipal, Right.ADMINISTER, "DELETE /principals/{name}",
            "Delete a principal", "access", done=NotFound),
    Operation(g.SeePrincipals, Right.ADMINISTER, "GET /principals", "All principals", "access",
              answer=Named("principals", list[Principal])),
    _change(g.CreateGrant, Right.ADMINISTER, "POST /grants", "Grant something", "access",
            answer=Named("grant", int, 3), created=True, hidden=("created_by",)),
    _change(g.RevokeGrant, Right.ADMINISTER, "DELETE /grants/{grant}", "Revoke a grant",
            "access", done=NotFound),
    Operation(g.SeeGrants, Right.ADMINISTER, "GET /grants", "Grants", "access",
              answer=Named("grants", list[Grant])),
    Operation(g.CreateToken, Right.ADMINISTER, "POST /principals/{principal}/tokens",
              "Create a token", "access", answer=g.NewToken, repeats=False),
    Operation(g.CreateReference, Right.ADMINISTER, "POST /principals/{principal}/references",
              "Create a CORBA reference", "access", answer=g.NewReference, repeats=False),
    Operation(g.SetPassword, Right.OWN_PASSWORD, "PUT /principals/{principal}/password",
              "Set a password", "access", repeats=False),
    _change(g.AddCertificate, Right.ADMINISTER, "POST /principals/{principal}/certificates",
            "Add a certificate", "access", answer=Named("credential", int, 7), created=True),
    Operation(g.AddCredential, Right.ENGINE, lasts=True),
    _change(g.RevokeCredential, Right.ADMINISTER, "DELETE /credentials/{credential}",
            "Revoke a credential", "access", done=NotFound),
    Operation(g.SeeCredentials, Right.ADMINISTER, "GET /credentials", "Credentials", "access",
              answer=Named("credentials", list[g.CredentialInfo])),
    Operation(g.SeeMyself, Right.ANYBODY, "GET /whoami", "Who asks", "access", answer=g.Myself),
)  # fmt: skip

_JOBS: Final = (
    *(_change(kind, Right.ADMINISTER, f"POST /jobs/{word}", f"Start {article} {word}", "jobs",
              answer=Shown(j.JobInfo, lambda _, id: j.SeeJob(id)), location="/jobs/{id}",
              hidden=("by",))
      for kind, article, word in ((j.StartBacktest, "a", "backtest"),
                                  (j.StartReport, "a", "report"),
                                  (j.StartAudit, "an", "audit"))),
    Operation(j.SeeJobs, Right.ADMINISTER, "GET /jobs", "All jobs", "jobs", answer=j.JobList),
    Operation(j.SeeJob, Right.ADMINISTER, "GET /jobs/{job}", "One job", "jobs", answer=j.JobInfo),
    Operation(j.SeeJobResult, Right.ADMINISTER, "GET /jobs/{job}/result", "What a job has found",
              "jobs", answer=j.JobResult),
    _change(j.CancelJob, Right.ADMINISTER, "POST /jobs/{job}/cancel", "Cancel a job", "jobs"),
    _change(j.DeleteJob, Right.ADMINISTER, "DELETE /jobs/{job}", "Delete a job", "jobs",
            done=NotFound),
    *(Operation(kind, Right.ENGINE) for kind in (j.JobEnded, j.JobProgress, j.JobsReady)),
)  # fmt: skip

_GATEWAY: Final = "/gateways/{gateway}"
_FEDERATION: Final = (
    _change(f.CreateGateway, Right.ADMINISTER, "POST /gateways", "Create a gateway", "federation",
            created=True),
    _change(f.ChangeGateway, Right.ADMINISTER, f"PATCH {_GATEWAY}", "Change a gateway's sides",
            "federation"),
    _change(f.PauseGateway, Right.ADMINISTER, f"POST {_GATEWAY}/pause", "Pause a gateway",
            "federation", repeats=True, done=WrongState),
    _change(f.DrainGateway, Right.ADMINISTER, f"POST {_GATEWAY}/drain", "Drain a gateway",
            "federation", repeats=True),
    _change(f.ResumeGateway, Right.ADMINISTER, f"POST {_GATEWAY}/resume", "Resume a gateway",
            "federation", repeats=True, done=WrongState),
    _change(f.DeleteGateway, Right.ADMINISTER, f"DELETE {_GATEWAY}", "Delete a gateway",
            "federation", done=NotFound),
    Operation(f.SeeGateways, Right.INSPECT, "GET /gateways", "All gateways", "federation",
              answer=Named("gateways", tuple[f.GatewayInfo, ...])),
    Operation(f.SeeGateway, Right.INSPECT, f"GET {_GATEWAY}", "One gateway", "federation",
              answer=f.GatewayInfo),
    Operation(f.SeeGatewayConfig, Right.ADMINISTER, f"GET {_GATEWAY}/config",
              "How a gateway is set up", "federation", answer=f.GatewayConfig),
    _change(f.AskFederation, Right.ADMINISTER, f"POST {_GATEWAY}/requests",
            "Make a standing request", "federation", repeats=False),
    Operation(f.SeeFederationRequests, Right.INSPECT, f"GET {_GATEWAY}/requests",
              "Standing requests", "federation",
              answer=Named("requests", tuple[f.RequestInfo, ...])),
    Operation(f.SeeFederation, Right.INSPECT, f"GET {_GATEWAY}/services",
              "The services of the federation", "federation",
              answer=Named("services", tuple[f.MapService, ...])),
    Operation(f.SeeContext, Right.INSPECT, f"GET {_GATEWAY}/context",
              "What survives of events' context", "federation",
              answer=Named("context", tuple[f.ContextInfo, ...])),
    Operation(f.ProbeFederation, Right.ADMINISTER, f"POST {_GATEWAY}/probes", "Send a probe",
              "federation", answer=Named("probe", str, "G1~4f2a-7"), repeats=True),
    Operation(f.SeeProbe, Right.INSPECT, f"GET {_GATEWAY}/probes/{{probe}}",
              "What became of a probe", "federation", answer=f.ProbeInfo),
    *(Operation(kind, Right.ENGINE) for kind in (f.GatewaysReady, f.GatewayRuns)),
    Operation(f.GatewayRemembers, Right.ENGINE, lasts=True),
)  # fmt: skip

_TYPE: Final = "/trader/types/{type}"
_OFFER: Final = "/trader/offers/{offer}"
_LINK: Final = "/trader/links/{link}"
_ITERATOR: Final = "/trader/iterators/{iterator}"
_TRADER: Final = (
    _change(t.AddServiceType, Right.MANAGE, "POST /trader/types", "Add a service type", "trader",
            answer=Named("incarnation", int, 4), created=True),
    _change(t.RemoveServiceType, Right.MANAGE, f"DELETE {_TYPE}", "Remove a service type",
            "trader", done=NotFound),
    _change(t.MaskServiceType, Right.MANAGE, f"POST {_TYPE}/mask", "Mask a service type",
            "trader", repeats=True, done=AlreadyMasked),
    _change(t.UnmaskServiceType, Right.MANAGE, f"POST {_TYPE}/unmask", "Unmask a service type",
            "trader", repeats=True, done=NotMasked),
    Operation(t.SeeServiceTypes, Right.IMPORT, "GET /trader/types", "All service types",
              "trader", answer=Named("types", tuple[ServiceType, ...])),
    Operation(t.SeeIncarnation, Right.IMPORT),
    Operation(t.SeeServiceType, Right.IMPORT, f"GET {_TYPE}", "One service type", "trader",
              answer=ServiceType),
    Operation(t.SeeFullServiceType, Right.IMPORT, f"GET {_TYPE}/full",
              "One service type with all it inherits", "trader", answer=ServiceType),
    _change(t.ExportOffer, Right.EXPORT, "POST /trader/offers", "Export an offer", "trader",
            answer=Named("offer", str, "Office::Printer/7"), created=True, hidden=("owner",)),
    _change(t.ModifyOffer, Right.CHANGE_OFFER, f"PATCH {_OFFER}", "Change an offer", "trader",
            repeats=False),
    _change(t.ReplaceOffer, Right.CHANGE_OFFER, f"POST {_OFFER}/replacement",
            "Replace an offer by one of another type", "trader", created=True,
            answer=Named("offer", str, "Office::Plotter/8")),
    _change(t.ChangeOffers, Right.CHANGE_OFFERS, "POST /trader/changes",
            "Change several offers as one", "trader", repeats=False, hidden=("owner",),
            answer=Named("offers", tuple[str, ...], ("Office::Printer/7", "Office::Printer/9"))),
    Operation(t.OffersChanged, Right.ENGINE),
    _change(t.WithdrawOffer, Right.CHANGE_OFFER, f"DELETE {_OFFER}", "Withdraw an offer",
            "trader", done=NotFound),
    _change(t.WithdrawMatchingOffers, Right.MANAGE, "POST /trader/withdrawals",
            "Withdraw offers by a constraint", "trader", repeats=False, destroys=True,
            answer=Named("withdrawn", tuple[str, ...], ("Office::Printer/7",))),
    Operation(t.SeeOffers, Right.IMPORT, "GET /trader/offers", "All offers", "trader",
              answer=Named("offers", tuple[t.OfferInfo, ...])),
    Operation(t.SeeOffer, Right.IMPORT, f"GET {_OFFER}", "One offer", "trader",
              answer=t.OfferInfo),
    Operation(t.QueryOffers, Right.IMPORT, "POST /trader/query", "Find offers", "trader",
              answer=t.QueryAnswer, repeats=True),
    Operation(ContinueQuery, Right.ENGINE),
    Operation(t.SeeFoundOffers, Right.IMPORT, f"GET {_ITERATOR}", "More found offers", "trader",
              answer=t.OfferPage),
    Operation(t.EndIterator, Right.IMPORT, f"DELETE {_ITERATOR}", "End an iterator", "trader",
              repeats=True, done=NotFound),
    _change(t.AddLink, Right.MANAGE, "POST /trader/links", "Add a link", "trader", created=True),
    _change(t.ModifyLink, Right.MANAGE, f"PATCH {_LINK}", "Change a link's rules", "trader"),
    _change(t.RemoveLink, Right.MANAGE, f"DELETE {_LINK}", "Remove a link", "trader",
            done=NotFound),
    Operation(t.SeeLinks, Right.IMPORT, "GET /trader/links", "All links", "trader",
              answer=Named("links", tuple[LinkInfo, ...])),
    Operation(t.SeeLink, Right.IMPORT, f"GET {_LINK}", "One link", "trader", answer=LinkInfo),
    Operation(t.SeeTraderSettings, Right.IMPORT, "GET /trader/settings", "The trader's settings",
              "trader", answer=TraderSettings),
    _change(t.SetTraderSettings, Right.MANAGE, "PATCH /trader/settings",
            "Change the trader's settings", "trader"),
)  # fmt: skip

_INTERFACE: Final = "/interfaces/{interface}"
_INTERFACES: Final = (
    Operation(n.LoadInterfaces, Right.MANAGE, "POST /interfaces", "Load interfaces", "interfaces",
              answer=Named("interfaces", tuple[n.LoadedInterface, ...]), repeats=False),
    _change(n.RemoveInterface, Right.MANAGE, f"DELETE {_INTERFACE}", "Remove an interface",
            "interfaces", done=NotFound),
    Operation(n.SeeInterfaces, Right.IMPORT, "GET /interfaces", "All interfaces", "interfaces",
              answer=Named("interfaces", tuple[n.InterfaceInfo, ...])),
    Operation(n.SeeInterface, Right.IMPORT, f"GET {_INTERFACE}", "One interface", "interfaces",
              answer=n.InterfaceText),
    Operation(n.CompareInterfaces, Right.IMPORT, "POST /interfaces/compare",
              "Compare two versions of an interface", "interfaces", answer=Comparison,
              repeats=True),
    Operation(n.KeepInterfaces, Right.ENGINE, lasts=True),
)  # fmt: skip

_OBJECT: Final = "/live/objects/{object}"
_LIVE: Final = (
    Operation(l.SetObjects, Right.EXPORT, "PATCH /live/objects", "Set live objects", "live",
              repeats=True, hidden=("owner",),
              answer=Named("numbers", tuple[int, ...], (17, 4))),
    _change(l.DeleteObject, Right.EXPORT, f"DELETE {_OBJECT}", "Delete a live object", "live",
            hidden=("owner",), done=NotFound),
    Operation(l.DeleteObjects, Right.MANAGE, "POST /live/deletions",
              "Delete live objects by their tags", "live", repeats=False, destroys=True,
              answer=Named("deleted", int, 12)),
    Operation(l.DropObjects, Right.ENGINE, lasts=True),
    Operation(l.SeeLiveObject, Right.IMPORT, f"GET {_OBJECT}", "One live object", "live",
              answer=ObjectInfo),
    Operation(l.SeeLiveObjects, Right.IMPORT, "POST /live/search", "Find live objects", "live",
              answer=Named("objects", tuple[ObjectInfo, ...]), repeats=True),
    Operation(l.LookAtObjects, Right.IMPORT),
)  # fmt: skip

_CHANGES: Final = "/service-changes"
_SUBSCRIBER: Final = f"{_CHANGES}/subscribers/{{subscriber}}"
_PROXY_OF: Final = f"{_SUBSCRIBER}/proxies/{{proxy_id}}"
_EVOLVER: Final = f"{_CHANGES}/evolvers/{{evolver}}"
_TAG: Final = "service changes"
_SERVICE_CHANGES: Final = (
    Operation(s.RegisterSubscriber, Right.SUBSCRIBE_CHANGES, f"POST {_CHANGES}/subscribers",
              "Register a subscriber", _TAG, repeats=False,
              hidden=("digest", "principal")),
    Operation(s.UnregisterSubscriber, Right.SUBSCRIBER, f"POST {_SUBSCRIBER}/unregister",
              "End a subscriber", _TAG, repeats=False, destroys=True),
    Operation(s.GetAdminSubscriber, Right.SUBSCRIBER, f"POST {_SUBSCRIBER}/admin",
              "Use a subscriber by its password", _TAG, repeats=True,
              answer=s.SubscriberInfo, hidden=("principal",)),
    Operation(s.SeeSubscribers, Right.INSPECT, f"GET {_CHANGES}/subscribers", "All subscribers",
              _TAG, answer=Named("subscribers", tuple[s.SubscriberInfo, ...])),
    Operation(s.SeeSubscriber, Right.SUBSCRIBER, f"GET {_SUBSCRIBER}", "One subscriber", _TAG,
              answer=s.SubscriberInfo),
    _change(s.CreateProxySubscriber, Right.SUBSCRIBER, f"POST {_SUBSCRIBER}/proxies",
            "Create a proxy of a subscriber", _TAG, created=True,
            answer=Named("proxy", str, "PS01")),
    _change(s.DestroyProxySubscriber, Right.SUBSCRIBER, f"DELETE {_PROXY_OF}",
            "End a proxy of a subscriber", _TAG, done=NotFoundProxy),
    _change(s.DestroyAllProxySubscribers, Right.SUBSCRIBER, f"DELETE {_SUBSCRIBER}/proxies",
            "End all proxies of a subscriber", _TAG),
    Operation(s.SeeProxySubscriber, Right.SUBSCRIBER, f"GET {_PROXY_OF}",
              "One proxy of a subscriber", _TAG, answer=s.ProxySubscriberInfo),
    _change(s.ConnectProxySubscriber, Right.SUBSCRIBER, f"POST {_PROXY_OF}/connect",
            "Connect a subscriber", _TAG, done=AlreadyConnected),
    _change(s.DisconnectProxySubscriber, Right.SUBSCRIBER, f"POST {_PROXY_OF}/disconnect",
            "Disconnect a subscriber", _TAG, done=AlreadyDisconnected),
    Operation(s.PullNotices, Right.SUBSCRIBER, f"POST {_PROXY_OF}/pull", "Take notices", _TAG,
              answer=Named("notices", tuple[Notice, ...])),
    _change(s.SetSubscriberQoS, Right.SUBSCRIBER, f"PATCH {_SUBSCRIBER}/qos",
            "Set a subscriber's quality of service", _TAG),
    _change(s.AddSubscriberFilter, Right.SUBSCRIBER, f"POST {_SUBSCRIBER}/filters",
            "Add a filter of a subscriber", _TAG, created=True, answer=Named("filter", str, "F1")),
    _change(s.RemoveSubscriberFilter, Right.SUBSCRIBER,
            f"POST {_SUBSCRIBER}/filters/{{filter_id}}/remove", "Remove a filter of a subscriber",
            _TAG, done=FilterNotFound),
    _change(s.RemoveSubscriberFilters, Right.SUBSCRIBER, f"POST {_SUBSCRIBER}/filters/clear",
            "Remove all filters of a subscriber", _TAG, repeats=True),
    Operation(s.RegisterEvolver, Right.ANNOUNCE_CHANGES, f"POST {_CHANGES}/evolvers",
              "Register a service evolver", _TAG, repeats=False,
              hidden=("digest", "principal")),
    Operation(s.UnregisterEvolver, Right.EVOLVER, f"POST {_EVOLVER}/unregister",
              "End a service evolver's registration", _TAG, repeats=False,
              destroys=True),
    Operation(s.SeeEvolvers, Right.INSPECT, f"GET {_CHANGES}/evolvers", "All service evolvers",
              _TAG, answer=Named("evolvers", tuple[s.EvolverInfo, ...])),
    Operation(s.AnnounceChanges, Right.EVOLVER, f"POST {_EVOLVER}/announcements",
              "Announce changes in advance", _TAG, repeats=False,
              answer=Named("notices", tuple[str, ...], ("EV1",))),
    Operation(s.SeeChangeSettings, Right.INSPECT, f"GET {_CHANGES}/settings",
              "Settings of service changes", _TAG, answer=s.ChangeSettings),
    _change(s.SetChangeSettings, Right.MANAGE, f"PATCH {_CHANGES}/settings",
            "Change settings of service changes", _TAG),
    Operation(s.SeeChangeStatus, Right.INSPECT, f"GET {_CHANGES}/status",
              "How service change notification is", _TAG, answer=s.ChangeStatus),
    *(Operation(kind, Right.ENGINE) for kind in (
        s.EndSubscription, s.NoticesDelayed, s.NoticesPublished, s.PutChannel, s.PutSubscription,
        s.SubscriptionPut)),
)  # fmt: skip

_EVENTS: Final = (
    Operation(c.Ack, Right.USE_PROXY, f"POST {_PROXY}/ack", "Acknowledge events", "events",
              repeats=True),
    Operation(c.Failed, Right.USE_PROXY, f"POST {_PROXY}/retry", "Give events back", "events",
              repeats=True, hidden=("gone", "behind")),
    Operation(c.Reject, Right.USE_PROXY, f"POST {_PROXY}/reject", "Reject events", "events",
              repeats=True),
    *(Operation(kind, Right.USE_PROXY)
      for kind in (c.CancelPull, c.Polled, c.Redrive)),
    # What was handed over as the line broke is gone, whether or not it is asked for again.
    Operation(c.Pull, Right.USE_PROXY, repeats=True, corba="Proxy*::pull* | Proxy*::try_pull*"),
    Operation(c.Push, Right.USE_PROXY, corba="Proxy*::push*"),
    Operation(m.Connect, Right.USE_PROXY, lasts=True, repeats=True, done=AlreadyConnected,
              corba="Proxy*::connect_*"),
    Operation(m.Detach, Right.USE_PROXY),
    Operation(m.Confine, Right.ENGINE, lasts=True),
    *(Operation(kind, Right.ENGINE)
      for kind in (c.Bound, c.ClockSet, c.Idle, c.Lost, c.Refilled, c.RefusePersistent,
                   c.Revoke, c.Tick, c.Withhold)),
)  # fmt: skip

CATALOGUE: Final = checked(
    (
        *_EVENTS,
        *_CHANNELS,
        *_PROXIES,
        *_ADMINS,
        *_HOLDERS,
        *_FILTERS,
        *_LETTERS,
        *_ACCESS,
        *_JOBS,
        *_FEDERATION,
        *_TRADER,
        *_INTERFACES,
        *_LIVE,
        *_SERVICE_CHANGES,
    )
)
"""All operations."""

OPERATIONS: Final[Mapping[type, Operation]] = {row.request: row for row in CATALOGUE}
"""The operations by the class of their requests."""
