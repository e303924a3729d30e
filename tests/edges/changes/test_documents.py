"""XML notices from anybody: bounded, without entities or files, refused with place and reason."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Final

import pytest

from tidings.api.operations import request_from
from tidings.changes import documents
from tidings.changes.documents import MAX_DOCUMENT, InvalidDocument
from tidings.changes.interface_xml import interface_element
from tidings.changes.model import (
    ChangeKind,
    Notice,
    ServiceDescription,
    ServiceTypeDescription,
    TimeIndicator,
)
from tidings.changes.requests import AddSubscriberFilter, FilterEvents
from tidings.changes.subscription_xml import read_subscription
from tidings.changes.xml import notice_html, read_notice, write_notice
from tidings.channel.catalogue import OPERATIONS
from tidings.errors import LimitExceeded, MissingExtra
from tidings.events import typecode as tc
from tidings.events.anyvalue import Value
from tidings.events.fields import fields_for
from tidings.events.structured import StructuredEvent
from tidings.filters.parse import parse
from tidings.filters.to_python import to_python
from tidings.idl.diff import Difference
from tidings.trader.model import PropertyDef, PropertyMode

IDL: Final = "interface {} {{ {} }};"
BALANCE: Final = "float balance(in string account);"
NAME: Final = PropertyDef("Name", tc.STRING, PropertyMode.MANDATORY)
OLD: Final = ServiceDescription(
    ServiceTypeDescription(
        "Bank", (), (NAME,), "IDL:Bank:1.0", IDL.format("Bank", f"{BALANCE} void deposit();")
    ),
    {"Name": "ISEL <b>Bank</b>", "Rate": 5.0},
    "IOR:01",
)
NEW: Final = ServiceDescription(
    ServiceTypeDescription(
        "Bank_2",
        ("Bank",),
        (NAME,),
        "IDL:Bank_2:1.0",
        IDL.format("Bank_2", f"{BALANCE} void deposit(in float sum); void transfer();"),
    ),
    {"Name": "ISEL <b>Bank</b>", "Fee": 1},
    "IOR:02",
)
NOTICE: Final = Notice(
    "EV4",
    ChangeKind.CHANGE_TYPE,
    TimeIndicator.IMMEDIATE,
    10,
    1_700_000_000_000_000,
    expiry=1_800_000_000_000_000,
    before=OLD,
    after=NEW,
    reason="a new <law>",
    compatible=False,
    differences=(Difference("operation deposit", "changed", False, "parameters", "sum is new"),),
)
DOCUMENT: Final = write_notice(NOTICE)
BARE: Final = re.sub(r" *<\?tidings .*\?>\n", "", DOCUMENT)
"""As another service would write it."""


def test_a_document_of_another_service_is_read_by_its_definitions() -> None:
    found = read_notice(BARE.replace("?>", "?><!DOCTYPE ServiceChangeNotification>", 1))
    assert found.before is not None
    assert found.after is not None
    assert found.before.properties == OLD.properties
    assert found.after.type.properties == NEW.type.properties
    assert found.after.type.interface_id == "IDL:Bank_2:1.0"
    assert (found.expiry, found.reason) == (NOTICE.expiry, NOTICE.reason)


def test_a_document_is_ascii_whatever_it_says() -> None:
    text = "ธนาคาร 🔔"
    document = write_notice(replace(NOTICE, reason=text, offer=text))
    assert document.isascii()
    assert read_notice(document).reason == read_notice(document).offer == text


def _in(before: str, after: str) -> Callable[[str], str]:
    def changed(text: str) -> str:
        assert before in text
        return text.replace(before, after, 1)

    return changed


BOMB: Final = "<!DOCTYPE ServiceChangeNotification [" + "".join(
    f'<!ENTITY a{n + 1} "{f"&a{n};" * 10}">' for n in range(9)
)
HEAD: Final = "?>\n"
BAD: Final[list[tuple[Callable[[str], str], str]]] = [
    (_in(HEAD, f"{HEAD}{BOMB}]>"), "line 2: the DOCTYPE has declarations"),
    (_in(HEAD, f"{HEAD}<!-- a -->\n<!DOCTYPE x [<!ENTITY y SYSTEM 'file:///etc/hostname'>]>"),
     "line 3: the DOCTYPE has declarations"),
    (_in(HEAD, f"{HEAD}<!DOCTYPE x PUBLIC 'a' 'http://192.0.2.1/b'>"), "no entity or element"),
    (_in("a new", "&y; a new"), "malformed: Entity 'y' not defined"),
    (_in("a new", "&#0; a new"), "malformed: xmlParseCharRef"),
    (_in("<Time/>", "<Time>"), "malformed: Opening and ending tag mismatch"),
    (lambda text: text[:400], "malformed"),
    (lambda _: "", "malformed"),
    (lambda text: f"\ud800{text}", "character 1 is a lone surrogate"),
    (lambda _: "<Notice/>", "line 1: the root element is Notice, and must be Service"),
    (_in("<Priority>10</Priority>", ""), "line 3: .*NotificationMessageHeader"),
    (_in("<Priority>10<", "<Priority>high<"), "line 7: Priority: 'high' is no whole number"),
    (_in('value="Imm', 'value="X'), 'line 6: .*"X'),
    (_in("2027-01-15T08:00:00Z", "Wed 7 Mar"), "line 8: ExpiryTime: 'Wed 7 Mar' is no time"),
    (_in('"Name" Type="string"', '"Name" Type="x"'), "property Name: 'x' names no type"),
    (_in("CHANGED_SERVICE", "ORIGINAL_SERVICE"), "there is another ORIGINAL_SERVICE before it"),
    (_in("Change_Of_Service_Type", "Removal_Of_Service"), "the header says Removal_Of_Service"),
]  # fmt: skip


@pytest.mark.parametrize(("change", "problem"), BAD)
def test_a_bad_document_is_refused_with_place_and_reason(
    change: Callable[[str], str], problem: str
) -> None:
    with pytest.raises(InvalidDocument, match=problem):
        read_notice(change(BARE))


def test_elements_and_what_they_have_no_place_for_say_the_same() -> None:
    lie = DOCUMENT.replace('<?tidings {".":{', '<?tidings {".":{"reason":{"=":"good"},')
    with pytest.raises(InvalidDocument, match="the elements say something else"):
        read_notice(lie)
    for rest in ("[]", "{", '{".":{"none":{}}}', '{".":{"id":{".":{"a":{}}}}}', '{"-":["id"]}'):
        end = "</ServiceChangeNotification>"
        with pytest.raises(InvalidDocument, match=r"<\?tidings"):
            read_notice(BARE.replace(end, f"<?tidings {rest}?>{end}"))


def test_a_document_is_bounded() -> None:
    with pytest.raises(LimitExceeded, match=f"more than {MAX_DOCUMENT}"):
        read_notice(BARE.replace("a new", "a" * MAX_DOCUMENT))
    with pytest.raises(LimitExceeded, match="more than 100000"):
        read_subscription(SUBSCRIPTION.replace("Printer", "P" * 100_000))
    with pytest.raises(LimitExceeded, match="the document has"):
        write_notice(replace(NOTICE, reason="a" * MAX_DOCUMENT))


def test_nothing_outside_is_read(tmp_path: Path) -> None:
    (tmp_path / "notice.dtd").write_text("<!ELEMENT nothing EMPTY>")
    place = f'<!DOCTYPE ServiceChangeNotification SYSTEM "{tmp_path}/notice.dtd">'
    assert read_notice(BARE.replace(HEAD, HEAD + place, 1)).id == "EV4"


def test_differences_are_marked() -> None:
    shown = notice_html(DOCUMENT)
    marked = re.findall(r'<tr class="(\w+)"><td><code>([^<]*)</code>', shown)
    assert [(what, mark) for mark, what in marked if mark != "same"] == [
        ("Rate", "removed"),
        ("Fee", "added"),
        ("name", "changed"),
        ("base", "added"),
        ("id", "changed"),
        ("deposit", "changed"),
        ("transfer", "added"),
    ]
    assert "Not compatible" in shown
    assert "<li>sum is new</li>" in shown
    assert "a new &lt;law&gt;" in shown
    assert "ISEL &lt;b&gt;Bank&lt;/b&gt;" in shown
    assert "prefers-color-scheme: dark" in shown
    assert shown.startswith("<!DOCTYPE html")
    part = notice_html(DOCUMENT, whole=False)
    assert "<style" not in part
    assert "<article" in part


def test_changed_properties_are_marked() -> None:
    deleted: dict[str, Value] = {"Rate": 5.0}
    modified: dict[str, Value] = {"Name": "CP-Bank", "Fee": 2}
    shown = notice_html(
        write_notice(
            Notice(
                "EV3", ChangeKind.CHANGE_PROPERTY_VAL, TimeIndicator.ADVANCE, 5, 0,
                before=OLD, deleted=deleted, modified=modified,
            )
        )
    )  # fmt: skip
    marked = re.findall(r'<tr class="(\w+)"><td><code>(Name|Rate|Fee)</code>', shown)
    assert marked == [("changed", "Name"), ("removed", "Rate"), ("added", "Fee")]


def test_without_lxml_the_error_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(documents, "etree", None)
    for act in (lambda: write_notice(NOTICE), lambda: read_notice(DOCUMENT)):
        with pytest.raises(MissingExtra, match=r"pip install tidings\[xml\]"):
            act()


SUBSCRIPTION: Final = """<?xml version="1.0"?>
<SubscriptionData>
  <EventType>ChangeEvent</EventType>
  <ServiceDescription>
    <ServiceTypeName>BankService</ServiceTypeName>
    <Property Name="BankName" Value="CU 'Bank'"/>
    <Property Name="ReservedFund" Value="-50000"/>
    <Property Name="Rate" Value="2.5"/>
    <Property Name="Code" Value="'007'"/>
    <Property Name="Open" Value="TRUE"/>
    <ObjectReference> IOR:001543 </ObjectReference>
  </ServiceDescription>
  <ServiceDescription><ServiceTypeName>Printer</ServiceTypeName></ServiceDescription>
  <ServiceDescription><ObjectReference>IOR:00</ObjectReference></ServiceDescription>
</SubscriptionData>
"""


def test_a_subscription_is_read() -> None:
    found = read_subscription(SUBSCRIPTION)
    assert found.events is FilterEvents.CHANGE_SERVICE_EVENT
    assert found.references == ("IOR:001543", "IOR:00")
    assert [one.type for one in found.services] == ["BankService", "Printer"]
    assert found.services[1].constraint == ""
    matches = to_python(parse(found.services[0].constraint))
    bank: dict[str, Value] = {
        "BankName": "CU 'Bank'", "ReservedFund": -50000, "Rate": 2.5, "Code": "007", "Open": True,
    }  # fmt: skip
    for name, value in (("Open", True), ("Rate", 2.4), ("Code", 7)):
        event = StructuredEvent("", "", "", {}, bank | {name: value}, None)
        assert (matches(fields_for(event, 0)) is True) is (value is True)


@pytest.mark.parametrize(
    ("before", "after", "problem"),
    [
        (">ChangeEvent<", ">Any<", "line 3: EventType: 'Any' is none of ChangeEvent, New"),
        ("<ServiceTypeName>BankService</ServiceTypeName>", "", "line 4: properties are those"),
        ('"BankName"', '"Bank Name"', "line 6: 'Bank Name' is not the name of a property"),
        ("</EventType>", "</EventType><EventType/>", "content does not follow the DTD"),
        ("<SubscriptionData>", "<!DOCTYPE x [<!ENTITY y 'z'>]><SubscriptionData>", "DOCTYPE"),
    ],
)
def test_a_bad_subscription_is_refused(before: str, after: str, problem: str) -> None:
    with pytest.raises(InvalidDocument, match=problem):
        read_subscription(_in(before, after)(SUBSCRIPTION))


BANK_IDL: Final = """
module demo {
  interface Named { readonly attribute string title; void rename(in string title); };
  interface Bank : Named {
    const long most = 7;
    exception NoSuch { string account; };
    attribute sequence<string, 9> owners;
    oneway void ping();
    Object find(inout fixed<9, 2> sum, out demo::Bank other) raises (NoSuch);
  };
};
"""


def test_an_interface_is_written_with_all_that_it_inherits() -> None:
    found = interface_element("IDL:demo/Bank:1.0", BANK_IDL)
    told = [
        (one.tag, *(value for name, value in one.items() if name not in ("Id", "Version")))
        for one in found.iter("*")
    ]
    assert told == [
        ("Interface", "demo::Bank"),
        ("BaseInterfaces",),
        ("BaseInterface", "demo::Named"),
        ("Link", "IDL:demo/Bank:1.0", "IDL:demo/Named:1.0"),
        ("Constant", "most", "long", "7"),
        ("Attribute", "title", "string", "READONLY", "YES"),
        ("Attribute", "owners", "sequence<string, 9>", "NORMAL"),
        ("Operation", "rename", "void", "NORMAL", "YES"),
        ("Parameter", "title", "string", "IN"),
        ("Operation", "ping", "void", "ONEWAY"),
        ("Operation", "find", "Object", "NORMAL"),
        ("Parameter", "sum", "fixed<9,2>", "INOUT"),
        ("Parameter", "other", "demo::Bank", "OUT"),
        ("Exception", "demo::Bank::NoSuch"),
        ("Member", "account", "string"),
    ]
    assert next(found.iter("Operation")).get("Id") == "IDL:demo/Named/rename:1.0"
    for id, idl in (("IDL:demo/Other:2.1", BANK_IDL), ("demo::Other", "interface {")):
        bare = interface_element(id, idl)
        assert (len(bare), bare.get("Name")) == (0, "demo::Other")


def test_a_new_service_is_described_as_it_is() -> None:
    made = replace(NOTICE, kind=ChangeKind.INSTANTIATION_SERVICE, before=None, objective="more")
    found = read_notice(re.sub(r" *<\?tidings .*\?>\n", "", write_notice(made)))
    assert found.before is None
    assert found.after is not None
    assert (found.after.properties, found.objective) == (NEW.properties, "more")


def test_the_api_takes_a_filter_as_a_document() -> None:
    given = {"subscriber": "me", "proxy_id": "PS01", "filter": SUBSCRIPTION}
    made = request_from(OPERATIONS[AddSubscriberFilter], given)
    assert made == AddSubscriberFilter("me", read_subscription(SUBSCRIPTION), "PS01")
    given["filter"] = SUBSCRIPTION.replace("ChangeEvent", "Change")
    with pytest.raises(InvalidDocument, match="line 3: EventType"):
        request_from(OPERATIONS[AddSubscriberFilter], given)
