"""The first pages tell the truth: their examples run, and what they name is there."""

from __future__ import annotations

import doctest
import re
from pathlib import Path

import pytest

from tests.real.docs.consoles import Shown, commands, written_by
from tests.real.docs.pages import ROOT, blocks, page

PAGES = [
    "README.md",
    "ARCHITECTURE.md",
    "CONTRIBUTING.md",
    "CHANGELOG.md",
    *(str(file.relative_to(ROOT)) for file in sorted((ROOT / "docs").rglob("*.md"))),
]


@pytest.mark.parametrize("shown", commands("README.md"), ids=lambda shown: shown.command[:40])
def test_every_command_writes_what_is_shown(shown: Shown) -> None:
    assert written_by(shown.command, ROOT) == shown.output


@pytest.mark.parametrize("name", ["README.md", "docs/matching.md"])
def test_the_programs_run_as_shown(name: str) -> None:
    programs = [block for block in blocks(page(name)) if block.language == "python"]
    assert programs
    for block in programs:
        test = doctest.DocTestParser().get_doctest(block.text, {}, name, None, block.line)
        assert test.examples
        result = doctest.DocTestRunner(verbose=False).run(test)
        assert result.failed == 0


def test_the_two_commands_are_verbs_of_the_makefile() -> None:
    first = next(blocks(page("README.md")))
    verbs = [line.removeprefix("make ") for line in first.text.splitlines()]
    assert verbs == ["demo", "test"]
    for verb in verbs:
        assert re.search(rf"^{verb}:", page("Makefile"), re.MULTILINE)


@pytest.mark.parametrize("name", PAGES)
def test_links_lead_somewhere(name: str) -> None:
    text = re.sub(r"^```.*?^```$", "", page(name), flags=re.MULTILINE | re.DOTALL)
    for target in re.findall(r"\]\(([^)\s]+)\)", text):
        path, _, anchor = target.partition("#")
        if ":" in path:
            continue
        file = (ROOT / name).parent / path if path else ROOT / name
        assert file.exists(), target
        if anchor:
            assert anchor in _anchors(file), target


def _anchors(file: Path) -> set[str]:
    headings = re.findall(r"^#+ (.+)$", file.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def test_every_file_that_the_architecture_names_is_there() -> None:
    named = set(re.findall(r"`((?:[a-z_]+/)*[a-z_]+(?:\.py|/))`", page("ARCHITECTURE.md")))
    assert len(named) > 15
    to_come = {"engine/"}
    for name in named - to_come:
        assert (ROOT / "src/tidings" / name).exists(), name


def test_the_architecture_lists_every_folder_of_the_package() -> None:
    folders = {
        path.name for path in (ROOT / "src/tidings").iterdir() if (path / "__init__.py").exists()
    }
    layers = next(b for b in blocks(page("ARCHITECTURE.md")) if b.text.startswith("cli\n")).text
    assert folders <= set(re.findall(r"\w+", layers))
