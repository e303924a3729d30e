"""A notice comes back from its XML document, whatever stands in it."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from tests.edges.changes.test_documents import DOCUMENT
from tests.laws.change_strategies import notices
from tests.laws.strategies import Draw, texts, values_of
from tidings.changes.model import Notice, ServiceDescription
from tidings.changes.notice_event import event_of
from tidings.changes.xml import notice_html, read_notice, write_notice
from tidings.errors import BadInput
from tidings.events.anyvalue import Any as AnyValue
from tidings.events.anyvalue import unboxed

BANK = """
module demo {
  enum AccountType { saving, current };
  typedef sequence<string, 9> Names;
  interface Named { readonly attribute string title; attribute Names others; };
  interface Bank : Named {
    const long most = 7;
    exception NoSuch { string account; long code; };
    oneway void ping();
    float balance(in string account, out AccountType type) raises (NoSuch);
    Object find(inout fixed<9, 2> sum, in Names names);
  };
};
"""
_nasty = st.sampled_from(
    [
        "]]>",
        "?>",
        "<a href='x'>",
        "&amp;",
        "\r\n\t ",
        " \x00\x1b\x85",
        "\ufffe\uffff",
        "\ufffd",
        "🔔",
        "5",
    ]
)


@st.composite
def documented(draw: Draw) -> Notice:
    """Notices as services make them, and such as nobody does."""
    notice = draw(notices())
    reason, objective, id = (draw(st.one_of(_nasty, texts)) for _ in range(3))
    notice = replace(notice, reason=reason, objective=objective, id=f"EV{id}")
    if draw(st.booleans()):
        before, after = described(draw, notice.before), described(draw, notice.after)
        notice = replace(notice, before=before, after=after)
    return notice


def described(draw: Draw, service: ServiceDescription | None) -> ServiceDescription | None:
    """The service with an interface, and with values of the types that it declares."""
    if service is None:
        return None
    type_ = replace(service.type, interface_id="IDL:demo/Bank:1.0", interface_idl=BANK)
    values = {
        one.name: unboxed(AnyValue(one.value_type, draw(values_of(one.value_type))))
        for one in type_.properties
    }
    nasty = {"note": draw(_nasty)} if draw(st.booleans()) else {}
    return replace(service, type=type_, properties=values | nasty)


@given(documented())
def test_a_notice_comes_back_from_its_document_and_is_shown(notice: Notice) -> None:
    document = write_notice(notice)
    assert event_of(read_notice(document)) == event_of(notice)
    shown = notice_html(document, whole=False)
    assert shown.count("<article") == shown.count("</article>") == 1
    assert "<a href='x'>" not in shown


@given(st.data())
def test_a_damaged_document_is_refused_as_such(data: st.DataObject) -> None:
    text = DOCUMENT
    at = data.draw(st.integers(0, len(text)))
    damaged = (
        text[:at]
        + data.draw(st.one_of(_nasty, st.just("")))
        + text[at + data.draw(st.integers(0, 9)) :]
    )
    try:
        read_notice(damaged)
    except BadInput as error:
        assert str(error)  # noqa: PT017 -- either answer is right; another error is not
