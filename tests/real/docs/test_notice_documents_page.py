"""The page about notices as XML: its program and its documents, as they stand."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.edges.changes.test_documents import BAD, BARE
from tidings.changes.documents import InvalidDocument
from tidings.changes.requests import FilterEvents
from tidings.changes.subscription_xml import read_subscription
from tidings.changes.xml import read_notice, write_notice

PAGE = (Path(__file__).parents[3] / "docs" / "notice-documents.md").read_text(encoding="utf-8")


def blocks(language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", PAGE, re.DOTALL)


def test_the_program_reads_the_document_and_makes_a_page(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    document = blocks("xml")[0]
    Path("notice.xml").write_text(document)
    exec(compile(blocks("python")[0], "page", "exec"), {})
    printed = capsys.readouterr().out.strip()
    assert f"it prints `{printed}`" in PAGE
    assert "CU-Bank" in Path("notice.html").read_text()
    notice = read_notice(document)
    assert read_notice(write_notice(notice)) == notice


def test_the_filter_is_what_the_page_says() -> None:
    found = read_subscription(blocks("xml")[1])
    assert found.events is FilterEvents.CHANGE_SERVICE_EVENT
    assert found.services[0].constraint == "$BankName == 'CUBank' and $ReservedFund == 50000"


def test_the_errors_are_those_of_the_page() -> None:
    rows = re.findall(r"\| `(line [^`]*?)(?:…)?` \|", PAGE)
    told = []
    for change, _ in BAD:
        with pytest.raises(InvalidDocument) as error:
            read_notice(change(BARE))
        told.append(str(error.value))
    numbers = re.compile(r"^line \d+")
    for row in rows:
        said = numbers.sub("", row)
        assert any(numbers.sub("", one).startswith(said) for one in told), row
    assert len(rows) == 5
