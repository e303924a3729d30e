"""The settings as a page of documentation has them, made of the model."""

from __future__ import annotations

from typing import Final

from tidings.server.config import LIVE, WITHOUT_EFFECT, ServerSettings, setting_fields
from tidings.server.kinds import right, shown

BEGIN: Final = "<!-- made by `tidings settings document` -->"
END: Final = "<!-- end of what was made -->"


def settings_table() -> str:
    """A table for each section, in Markdown."""
    known = setting_fields()
    parts = []
    for section, about in ServerSettings.model_fields.items():
        kind = about.annotation
        words = (getattr(kind, "__doc__", "") or "").strip()
        rows = [
            _row(
                name,
                field.description or "",
                right(field, brief=True),
                shown(field, field.get_default()),
            )
            for name, field in known.items()
            if name.startswith(f"{section}.")
        ]
        head = "| setting | default | what it is | right is | reload |\n|---|---|---|---|---|\n"
        parts.append(f"### {section}\n\n{words}\n\n{head}" + "\n".join(rows))
    return "\n\n".join(parts)


def _row(name: str, words: str, fits: str, default: str) -> str:
    if name in WITHOUT_EFFECT:
        words = f"{words} Without effect yet: {WITHOUT_EFFECT[name]}."
    live = "yes" if name in LIVE else "restart"
    cells = (f"`{name}`", f"`{default}`", words, fits, live)
    return f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in cells)} |"
