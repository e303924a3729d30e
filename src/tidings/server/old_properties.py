"""The properties file of an early notification service, read as settings of this one.

Lines are `Key = Value`; all keys stand under one prefix, such as
`de.unimuenchen.informatik.mnm.NotificationService.`; lines that begin with `#` or `!` say nothing.
"""

from __future__ import annotations

import difflib
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Final

from tidings.errors import InvalidUsage
from tidings.events.texts import shortened


def _truth(text: str) -> object:
    return {"true": True, "false": False}.get(text.lower(), text)


def _number(text: str) -> object:
    return int(text) if text.isascii() and text.isdigit() and len(text) < 20 else text


_Reader = Callable[[str], object]

OLD_KEYS: Final[Mapping[str, tuple[str, _Reader]]] = {
    "notificationserviceiorfile": ("ior_file.factory", str),
    "filterfactoryiorfile": ("ior_file.filter_factory", str),
    "dumpdir": ("store.dir", str),
    "name": ("naming.factory", str),
    "filterfactoryname": ("naming.filter_factory", str),
    "bind": ("", _truth),
    "namingservice": ("naming.enabled", _truth),
    "http": ("http.enabled", _truth),
    "httpport": ("http.port", _number),
    "nsspecurl": ("help.constraint_url", str),
    "debug": ("log.level", _number),
}
"""Which setting an old key is, and how its value is read; `bind` is none."""


def read_old_properties(path: Path, text: str) -> tuple[dict[str, tuple[object, str]], list[str]]:
    """Read an old file: values by setting with their places, and warnings.

    Raises:
        InvalidUsage: Lines are not properties, keys are unknown, occur twice, or have several
            prefixes; all of them are named.
    """
    found: dict[str, tuple[object, str]] = {}
    notes: list[str] = []
    problems: list[str] = []
    seen: dict[str, int] = {}
    prefixes: dict[str, int] = {}
    for number, line in enumerate(text.splitlines(), 1):
        stripped = line.strip()
        if not stripped or stripped[0] in "#!":
            continue
        where = f"{path}, line {number}"
        key, value = _pair(stripped)
        prefix, _, last = key.rpartition(".")
        problem = _problem(key, last, seen)
        if problem:
            problems.append(f"{where}: {problem}")
            continue
        seen[last] = number
        prefixes.setdefault(prefix, number)
        name, read = OLD_KEYS[last]
        if name:
            found[name] = (read(value), f"{where} ({last})")
        else:
            notes.append(f"{where}: {last} has no meaning here: there is no location daemon")
    if len(prefixes) > 1:
        told = ", ".join(f"{one or 'none'} in line {n}" for one, n in prefixes.items())
        problems.append(f"{path}: all keys have one prefix, not several: {told}")
    if problems:
        raise InvalidUsage("\n".join(problems))
    return found, notes


def _pair(line: str) -> tuple[str, str]:
    ends = [at for at in (line.find("="), line.find(":")) if at >= 0]
    if not ends:
        return "", line
    return line[: min(ends)].strip(), line[min(ends) + 1 :].strip()


def _problem(key: str, last: str, seen: Mapping[str, int]) -> str:
    if not key:
        return "this is no property: a line is Key = Value"
    if last in seen:
        return f"{last} stands in line {seen[last]} already"
    if last not in OLD_KEYS:
        near = difflib.get_close_matches(last.lower(), OLD_KEYS, 1)
        hint = f"did you mean {near[0]}?" if near else f"known are {', '.join(OLD_KEYS)}"
        return f"{shortened(last)}: unknown; {hint}"
    return ""
