"""Sessions of ``python -m asyncio`` on pages: run on a loop, compared with what is shown."""

from __future__ import annotations

import ast
import asyncio
import contextlib
import doctest
import inspect
import io
import traceback
import types
from typing import Any

__all__ = ["differences"]

# As long as callbacks that an example has set off may take to be heard.
_PAUSE_SECONDS = 0.01


async def differences(text: str, names: dict[str, Any]) -> list[str]:
    """Runs a session; for each example that goes otherwise, what was shown and what came."""
    session = doctest.DocTestParser().get_doctest(text, names, "page", None, 0)
    found = []
    for example in session.examples:
        written = io.StringIO()
        with contextlib.redirect_stdout(written):
            error = await _played(example.source, names)
            await asyncio.sleep(_PAUSE_SECONDS)
        if not _same(example, written.getvalue(), error):
            found.append(f"{example.source}shown: {example.want}came: {written.getvalue()}{error}")
    assert session.examples
    return found


async def _played(source: str, names: dict[str, Any]) -> str:
    """Runs one example; the error it raised, as the last lines of a traceback."""
    code = compile(source, "page", "single", flags=ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)
    try:
        answer = types.FunctionType(code, names)()
        if inspect.iscoroutine(answer):
            await answer
    except Exception as error:  # noqa: BLE001 -- compared with what is shown
        return "".join(traceback.format_exception_only(error))
    return ""


def _same(example: doctest.Example, written: str, error: str) -> bool:
    if example.exc_msg is not None:
        # A class is shown by the module it is imported from.
        return error.partition(": ")[2] == example.exc_msg.partition(": ")[2]
    return not error and doctest.OutputChecker().check_output(example.want, written, 0)
