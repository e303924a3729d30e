"""Notices as XML documents of `notice.dtd`, and back; as HTML with the differences marked.

The elements are for everybody. What they have no place for, such as the types of values that no
property definition names, the interface's IDL or the time of arrival, stands in one processing
instruction at the end, as JSON: what must be changed in what the elements alone say to get the
whole notice. No validating reader looks at it.
"""

from __future__ import annotations

from collections.abc import Mapping
from json import dumps
from typing import Final, TypeAlias

from tidings.changes.documents import (
    Element,
    InvalidDocument,
    element,
    instruction,
    instructions,
    line_of,
    read_document,
    require_lxml,
    transformed,
    write_document,
)
from tidings.changes.interface_xml import interface_element
from tidings.changes.model import (
    ChangeKind,
    Notice,
    ServiceDescription,
    ServiceTypeDescription,
    TimeIndicator,
)
from tidings.changes.notice_event import notice_from, value_of
from tidings.clock import moment_text, moment_us
from tidings.errors import BadInput, InvalidEvent
from tidings.events.anyvalue import Value
from tidings.events.codecs.json_text import parse_json, write_json
from tidings.events.codecs.json_types import type_from_plain, type_to_plain
from tidings.events.codecs.json_values import TYPE, value_from_plain, value_to_plain
from tidings.events.texts import shortened
from tidings.events.typecode import Kind, TypeCode
from tidings.events.typetext import read_type, type_text
from tidings.trader.model import PropertyDef, PropertyMode

ROOT: Final = "ServiceChangeNotification"
_DTD: Final = "notice.dtd"
_REST: Final = "tidings"
"""The processing instruction with what the elements have no place for."""

_KINDS: Final = {
    ChangeKind.CHANGE_TYPE: ("Change_Of_Service_Type", "ChangeOfServiceTypeOfService"),
    ChangeKind.CHANGE_PROPERTY_VAL: (
        "Change_Of_Property_value",
        "ChangeOfPropertyValueOfService",
    ),
    ChangeKind.REMOVAL_SERVICE: ("Removal_Of_Service", "RemovalOfService"),
    ChangeKind.INSTANTIATION_SERVICE: ("Instantiation_Of_Service", "InstantiationOfService"),
}
_TIMES: Final = {
    TimeIndicator.ADVANCE: "In_Advance_Notification",
    TimeIndicator.IMMEDIATE: "Immediate_Notification",
}
_KIND_OF: Final = {body: kind for kind, (_, body) in _KINDS.items()}
_TIME_OF: Final = {name: time for time, name in _TIMES.items()}

Plain: TypeAlias = object
"""What JSON can say."""


def write_notice(notice: Notice) -> str:
    """Return a notice as an XML document."""
    require_lxml()
    root = _root(notice)
    rest = _changes(_plain(_read(root)), _plain(notice))
    if rest:
        root.append(instruction(_REST, dumps(rest, separators=(",", ":"))))
    return write_document(root)


def read_notice(text: str) -> Notice:
    """Return the notice in an XML document, or raise InvalidDocument."""
    root = read_document(text, ROOT, _DTD)
    found = _read(root)
    rest = _rest(root)
    if rest is None:
        return found
    try:
        whole = notice_from(value_from_plain(_changed(_plain(found), rest)))
    except (BadInput, ValueError) as error:
        raise InvalidDocument(f"<?{_REST} …?> cannot be used: {error}") from error
    if not _same(_root(whole), root):
        raise InvalidDocument(f"the elements say something else than <?{_REST} …?> does")
    return whole


def notice_html(text: str, *, whole: bool = True) -> str:
    """Return an XML notice as HTML with the differences marked.

    That is a document, or only its `article`, which brings no colours of its own.
    """
    root = read_document(text, ROOT, _DTD)
    notice = read_notice(text)
    verdict = {None: "", True: "yes", False: "no"}[notice.compatible]
    told = "\n".join(one.text.replace("\n", " ") for one in notice.differences)
    return transformed(
        root, "notice.xsl", whole="yes" if whole else "", compatible=verdict, told=told
    )


# The whole notice.


def _root(notice: Notice) -> Element:
    kind, body = _KINDS[notice.kind]
    header = element(
        "NotificationMessageHeader",
        "",
        element("MessageID", notice.id),
        element("MessageType", value=kind),
        element("TimeIndicator", value=_TIMES[notice.time_indicator]),
        element("Priority", str(notice.priority)),
        element("ExpiryTime", _moment(notice.expiry)),
    )
    return element(
        ROOT,
        "",
        header,
        element("NotificationMessageBody", "", element(body, "", *_body(notice))),
        element("AdditionalData", notice.additional),
    )


def _body(notice: Notice) -> list[Element]:
    time = element("Time", _moment(notice.effective))
    if notice.kind is ChangeKind.CHANGE_TYPE:
        both = [
            _service(one, mark)
            for one, mark in ((notice.before, "ORIGINAL"), (notice.after, "CHANGED"))
            if one is not None
        ]
        return [*both, element("Reason", notice.reason), time]
    if notice.kind is ChangeKind.CHANGE_PROPERTY_VAL:
        return [
            _service(notice.described, "ORIGINAL"),
            element("DeleteProperties", "", *_properties(notice.deleted)),
            element("ModifyProperties", "", *_properties(notice.modified)),
            element("Reason", notice.reason),
            time,
        ]
    said = ("Objective", notice.objective)
    if notice.kind is ChangeKind.REMOVAL_SERVICE:
        said = ("Reason", notice.reason)
    return [_service(notice.described, "ORIGINAL"), element(*said), time]


def _read(root: Element) -> Notice:
    """Return what the elements alone say."""
    header, body, additional = root.iterchildren("*")
    (content,) = body.iterchildren("*")
    kind = _KIND_OF[content.tag]
    named = _one(header, "MessageType").get("value", "Change_Of_Service_Type")
    if named != _KINDS[kind][0]:
        raise InvalidDocument(
            f"the header says {named}, the body is a {content.tag}", line_of(content)
        )
    before, after = _read_services(content, kind)
    deleted = _read_properties(content.find("DeleteProperties"), before)
    modified = _read_properties(content.find("ModifyProperties"), before)
    return Notice(
        _text(header, "MessageID"),
        kind,
        _TIME_OF[_one(header, "TimeIndicator").get("value", "In_Advance_Notification")],
        _priority(_one(header, "Priority")),
        timestamp=0,
        expiry=_read_moment(_one(header, "ExpiryTime")),
        before=before,
        after=after,
        deleted=deleted,
        modified=modified,
        reason=content.findtext("Reason") or "",
        objective=content.findtext("Objective") or "",
        effective=_read_moment(_one(content, "Time")),
        additional=additional.text or "",
    )


def _read_services(
    content: Element, kind: ChangeKind
) -> tuple[ServiceDescription | None, ServiceDescription | None]:
    """Return the service before and after the change, as far as the elements say."""
    found: dict[str, ServiceDescription] = {}
    for one in content.iterchildren("ServiceDescription"):
        mark = str(one.get("type", "ORIGINAL_SERVICE"))
        if mark in found:
            raise InvalidDocument(f"there is another {mark} before it", line_of(one))
        found[mark] = _read_service(one)
    if kind is ChangeKind.CHANGE_TYPE:
        return found.get("ORIGINAL_SERVICE"), found.get("CHANGED_SERVICE")
    (service,) = found.values()
    return (None, service) if kind is ChangeKind.INSTANTIATION_SERVICE else (service, None)


# Descriptions.


def _service(service: ServiceDescription, mark: str) -> Element:
    return element(
        "ServiceDescription",
        "",
        _type(service.type),
        *_properties(service.properties),
        element("ObjectReference", service.reference),
        type=f"{mark}_SERVICE",
    )


def _read_service(found: Element) -> ServiceDescription:
    type_, *_ = found.iterchildren("*")
    described = _read_type(type_)
    properties = {
        str(one.get("Name")): _read_value(one, described.properties)
        for one in found.iterchildren("Property")
    }
    return ServiceDescription(described, properties, _text(found, "ObjectReference"))


def _type(type_: ServiceTypeDescription) -> Element:
    inner = [
        element(
            "PropertyDef",
            Name=one.name,
            Type=_type_text(one.value_type),
            Mode=one.mode.name,
        )
        for one in type_.properties
    ]
    if type_.base_types:
        names = (element("BaseServiceType", Name=name) for name in type_.base_types)
        inner.insert(0, element("BaseServiceTypes", "", *names))
    interface = []
    if type_.interface_id:
        interface.append(interface_element(type_.interface_id, type_.interface_idl))
    trader = element("TraderServiceType", "", *inner, Id=type_.name, Name=type_.name)
    return element("ServiceTypeDescription", "", *interface, trader)


def _read_type(found: Element) -> ServiceTypeDescription:
    trader = _one(found, "TraderServiceType")
    interface = found.find("Interface")
    return ServiceTypeDescription(
        str(trader.get("Name")),
        tuple(str(one.get("Name")) for one in trader.iterfind("BaseServiceTypes/BaseServiceType")),
        tuple(_read_property(one) for one in trader.iterchildren("PropertyDef")),
        "" if interface is None else str(interface.get("Id")),
    )


def _read_property(found: Element) -> PropertyDef:
    text = str(found.get("Type"))
    try:
        type_ = type_from_plain(parse_json(text)) if text.startswith("{") else read_type(text)
    except BadInput as error:
        raise InvalidDocument(f"property {found.get('Name')}: {error}", line_of(found)) from error
    return PropertyDef(str(found.get("Name")), type_, PropertyMode[found.get("Mode", "NORMAL")])


def _type_text(type_: TypeCode) -> str:
    text = type_text(type_)
    return write_json(type_to_plain(type_)).decode() if text is None else text


# Values: a text as it is, others as in JSON; their types are those of the definitions.


def _properties(values: Mapping[str, Value]) -> list[Element]:
    return [element("Property", Name=name, Value=_value(one)) for name, one in values.items()]


def _value(value: Value) -> str:
    plain = value_to_plain(value)
    if isinstance(plain, dict) and TYPE in plain:
        plain = plain["value"]
    return plain if isinstance(plain, str) else write_json(plain).decode()


def _read_properties(found: Element | None, service: ServiceDescription | None) -> dict[str, Value]:
    known = () if service is None else service.type.properties
    inner = () if found is None else found.iterchildren("Property")
    return {str(one.get("Name")): _read_value(one, known) for one in inner}


def _read_value(found: Element, known: tuple[PropertyDef, ...]) -> Value:
    text = str(found.get("Value", ""))
    type_ = next((one.value_type for one in known if one.name == found.get("Name")), None)
    if type_ is not None and type_.unaliased.kind in (Kind.STRING, Kind.WSTRING):
        plain: Plain = text
    else:
        try:
            plain = parse_json(text)
        except BadInput:
            plain = text
    if type_ is not None:
        try:
            return value_from_plain({TYPE: type_to_plain(type_), "value": plain})
        except InvalidEvent:  # the trader takes no such value, but an announcement may have it
            pass
    try:
        return value_from_plain(plain)
    except InvalidEvent:
        return text


# Single texts.


def _one(found: Element, tag: str) -> Element:
    inner = found.find(tag)
    assert inner is not None  # the DTD says so
    return inner


def _text(found: Element, tag: str) -> str:
    return found.findtext(tag) or ""


def _moment(microseconds: int | None) -> str:
    try:
        return "" if microseconds is None else moment_text(microseconds)
    except OverflowError:
        return ""


def _read_moment(found: Element) -> int | None:
    text = (found.text or "").strip()
    try:
        return moment_us(text, 0) if text else None
    except BadInput as error:
        raise InvalidDocument(
            f"{found.tag}: {shortened(text)} is no time; write 2026-11-15T08:30:00Z", line_of(found)
        ) from error


def _priority(found: Element) -> int:
    text = (found.text or "").strip()
    try:
        return int(text[:20])
    except ValueError as error:
        raise InvalidDocument(
            f"Priority: {shortened(text)} is no whole number", line_of(found)
        ) from error


# What the elements have no place for.


def _plain(notice: Notice) -> Plain:
    return parse_json(write_json(value_to_plain(value_of(notice))))


def _changes(told: Plain, wanted: Plain) -> Plain:
    """Return what must change in `told` to get `wanted`; nothing, or an object.

    Its members are as in the objects, to change them further; `=` has values to set, `-` the
    names to leave out.
    """
    if not (isinstance(told, dict) and isinstance(wanted, dict)):
        return {"=": wanted} if write_json(told) != write_json(wanted) else None
    added = {name: one for name, one in wanted.items() if name not in told}
    gone = [name for name in told if name not in wanted]
    if [*(name for name in told if name in wanted), *added] != list(wanted):
        return {"=": wanted}  # the order counts, too
    found: dict[str, object] = {}
    inner = {name: _changes(told[name], one) for name, one in wanted.items() if name in told}
    if any(inner.values()):
        found["."] = {name: one for name, one in inner.items() if one}
    if added:
        found["+"] = added
    if gone:
        found["-"] = gone
    return found


def _changed(told: Plain, changes: Plain) -> Plain:
    """Return what `_changes` was made for; ValueError or KeyError if it was not."""
    if not isinstance(changes, dict):
        raise InvalidDocument("it is not an object")
    if "=" in changes:
        return changes["="]
    inner, added, gone = changes.get(".", {}), changes.get("+", {}), changes.get("-", [])
    if not (isinstance(told, dict) and isinstance(inner, dict) and isinstance(added, dict)):
        raise InvalidDocument("it changes members of what has none")
    if not isinstance(gone, list) or not inner.keys() <= told.keys():
        raise InvalidDocument("it changes members that are not there")
    kept = {
        name: _changed(one, inner[name]) if name in inner else one
        for name, one in told.items()
        if name not in gone
    }
    return kept | added


def _rest(root: Element) -> Plain:
    for one in instructions(root, _REST):
        try:
            return parse_json(one.text or "")
        except BadInput as error:
            raise InvalidDocument(f"<?{_REST} …?>: {error}", line_of(one)) from error
    return None


def _same(one: Element, other: Element) -> bool:
    """Whether two elements have the same names, attributes and texts."""
    inner, others = list(one.iterchildren("*")), list(other.iterchildren("*"))
    return (
        one.tag == other.tag
        and one.items() == other.items()
        and len(inner) == len(others)
        and (bool(inner) or (one.text or "") == (other.text or ""))
        and all(map(_same, inner, others))
    )
