"""Settings from several places, one above the other: flags, environment, files, defaults.

Every value keeps where it came from, so that a message about a wrong one can say it.
"""

from __future__ import annotations

import difflib
import os
import re
import tomllib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, NamedTuple

from pydantic import ValidationError

from tidings.channel.views import SettingInfo, SettingSource
from tidings.errors import InvalidUsage
from tidings.events.texts import shortened
from tidings.server.kinds import from_text, is_secret, right
from tidings.server.settings import (
    LIVE,
    WITHOUT_EFFECT,
    ServerSettings,
    setting_fields,
    setting_texts,
    shown_settings,
    tree_of,
)

DEFAULT_FILE: Final = Path("tidings.toml")
"""Read if it is there and no other file is named."""

_PREFIX: Final = "TIDINGS_"
# Variables with our prefix that belong to the command line, to clients and to the tests.
_FOREIGN: Final = frozenset(
    f"{_PREFIX}{name}"
    for name in ["ARCHIVE", "CA", "CONTEXT", "CONTEXTS", "SOAK_ROUNDS", "TOKEN", "TRACEBACK", "URL"]
)
_SECRET: Final = "***"
_MOST_FILE: Final = 1_000_000


class Given(NamedTuple):
    """A value as somebody wrote it, and where: a file and its line, a variable, a flag."""

    value: object
    origin: str


Layer = dict[str, Given]
"""Settings by their whole name, such as `http.port`."""


@dataclass(frozen=True, slots=True)
class Loaded:
    """Settings that fit together, where the others than defaults come from, and warnings."""

    settings: ServerSettings
    origins: Mapping[str, str]
    warnings: tuple[str, ...] = ()

    def told(self) -> tuple[SettingInfo, ...]:
        """Every setting as people may see it; secrets stay secret."""
        texts, values, fields = setting_texts(), shown_settings(self.settings), setting_fields()
        found = []
        for name, value in values.items():
            origin = self.origins.get(name, "")
            allowed = right(fields[name], brief=True)
            source = _source(name, origin)
            found.append(
                SettingInfo(name, value, source, origin, allowed, texts[name], name in LIVE)
            )
        return tuple(found)


def _source(name: str, origin: str) -> SettingSource:
    if not origin:
        return SettingSource.DEFAULT
    if origin == environment_name(name):
        return SettingSource.ENVIRONMENT
    return SettingSource.COMMAND_LINE if origin.startswith("--") else SettingSource.FILE


@dataclass(frozen=True, slots=True)
class Sources:
    """Where settings come from; they can be read again.

    Attributes:
        file: The settings file; None for `tidings.toml`, if that is there.
        properties: A file of old properties; None for none.
        flags: Settings from the command line by their whole name, with the flag.
        environ: The environment.
    """

    file: Path | None = None
    properties: Path | None = None
    flags: Mapping[str, Given] = field(default_factory=dict)
    environ: Mapping[str, str] = field(default_factory=lambda: os.environ)

    def load(self) -> Loaded:
        """Read everything; flags override the environment, then file, then old properties.

        Raises:
            InvalidUsage: Something is unreadable, unknown, wrong, or does not fit the rest; every
                such thing is named with its place.
        """
        problems: list[str] = []
        warnings: list[str] = []
        merged: Layer = {}
        if self.properties is not None:
            merged |= _properties(self.properties, warnings)
        file = self.file or (DEFAULT_FILE if DEFAULT_FILE.exists() else None)
        if file is not None:
            merged |= _file_layer(file, problems)
        merged |= _environment_layer(self.environ, problems)
        merged |= self.flags
        settings = _validated(merged, problems)
        if settings is None or problems:
            raise InvalidUsage("\n".join(problems))
        for name, missing in WITHOUT_EFFECT.items():
            section, key = name.split(".")
            idle = setting_fields()[name].default
            if name in merged and getattr(getattr(settings, section), key) != idle:
                warnings.append(f"{name} ({merged[name].origin}) has no effect yet: {missing}")
        warnings += _without_door(settings, merged)
        return Loaded(settings, {name: one.origin for name, one in merged.items()}, tuple(warnings))


def _without_door(settings: ServerSettings, merged: Layer) -> list[str]:
    """What to say of settings of a CORBA door that is not there."""
    if settings.iiop.enabled:
        return []
    return [
        f"{name} ({one.origin}) has no effect: iiop.enabled is false; --iiop sets it"
        for name, one in merged.items()
        if name.partition(".")[0] in {"ior_file", "naming"}
        and setting_fields()[name].default != one.value
    ]


def environment_name(name: str) -> str:
    """The variable of a setting: `TIDINGS_HTTP__PORT` for `http.port`."""
    return _PREFIX + name.upper().replace(".", "__")


def _properties(path: Path, warnings: list[str]) -> Layer:
    found, ignored = read_old_properties(path, _text(path))
    warnings.extend(ignored)
    return {name: Given(value, origin) for name, (value, origin) in found.items()}


def _text(path: Path) -> str:
    try:
        if path.stat().st_size > _MOST_FILE:
            raise InvalidUsage(f"{path} has more than {_MOST_FILE} octets: it holds no settings")
        return path.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise InvalidUsage(f"the settings file {path} cannot be read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise InvalidUsage(f"the settings file {path} is no UTF-8 text") from error


def _file_layer(path: Path, problems: list[str]) -> Layer:
    text = _text(path)
    try:
        tree = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise InvalidUsage(f"{path}: this is no TOML: {error}") from error
    known = setting_fields()
    layer: Layer = {}
    for section, content in tree.items():
        if section not in ServerSettings.model_fields:
            problems.append(_unknown(_origin(path, text, section), section, _sections(known)))
        elif not isinstance(content, dict):
            problems.append(f"{_origin(path, text, section)}: {section} is a section: write "
                            f"[{section}] and its settings below")  # fmt: skip
        else:
            for key, value in content.items():
                name = f"{section}.{key}"
                origin = _origin(path, text, name)
                if name in known:
                    layer[name] = Given(value, origin)
                else:
                    problems.append(_unknown(origin, name, known))
    return layer


def _sections(known: Iterable[str]) -> list[str]:
    return [*ServerSettings.model_fields, *known]


def _unknown(origin: str, name: str, known: Iterable[str]) -> str:
    folded = {one.lower(): one for one in known}
    # A setting without its section is the first one of that name.
    near = [one for one in folded if one.endswith(f".{name.lower()}")]
    near = near or difflib.get_close_matches(name.lower(), folded, 1)
    hint = f"did you mean {folded[near[0]]}?" if near else "`tidings settings show` lists all"
    return f"{origin}: {shortened(name).strip(chr(39))}: unknown; {hint}"


# A line that begins a table or sets a key. Texts and lists over several lines could hold lines
# that look alike; a wrong number then stands in a message, nothing else.
_TABLE_LINE: Final = re.compile(r"\s*\[\s*([^\[\]]+?)\s*\]\s*(?:#.*)?")
_KEY_LINE: Final = re.compile(r"""\s*([\w."'-]+(?:\s*\.\s*[\w"'-]+)*)\s*=""")


def _origin(path: Path, text: str, name: str) -> str:
    """The file and line where a setting or section is first set."""
    table = ""
    for number, line in enumerate(text.splitlines(), 1):
        if (match := _TABLE_LINE.fullmatch(line)) is not None:
            table = _plain(match[1])
            found = table
        elif (match := _KEY_LINE.match(line)) is not None:
            found = _plain(f"{table}.{match[1]}" if table else match[1])
        else:
            continue
        if found == name or found.startswith(f"{name}."):
            return f"{path}, line {number}"
    outer = name.rpartition(".")[0]  # an inline table sets it on the line of its own
    return _origin(path, text, outer) if outer else str(path)


def _plain(key: str) -> str:
    return re.sub(r"[\s\"']", "", key)


def _environment_layer(environ: Mapping[str, str], problems: list[str]) -> Layer:
    known = setting_fields()
    names = {environment_name(name): name for name in known}
    layer: Layer = {}
    for variable, text in environ.items():
        if not variable.startswith(_PREFIX) or variable in _FOREIGN:
            continue
        if variable in names:
            name = names[variable]
            layer[name] = Given(from_text(known[name], text), variable)
        else:
            problems.append(_unknown("environment", variable, names))
    return layer


def _validated(merged: Layer, problems: list[str]) -> ServerSettings | None:
    """The settings; None if they are wrong, which is then among the problems."""
    try:
        return ServerSettings.model_validate(tree_of({n: one.value for n, one in merged.items()}))
    except ValidationError as error:
        problems += {_problem(one, merged): None for one in error.errors(include_url=False)}
        return None


def _problem(error: Any, merged: Layer) -> str:  # noqa: ANN401 -- one of pydantic's
    name = ".".join(map(str, error["loc"][:2]))
    if name not in merged:
        return str(error["msg"])
    about = setting_fields()[name]
    value, origin = merged[name]
    written = _SECRET if is_secret(about) else shortened(value)
    return f"{origin}: {name} is {written}; right is {right(about)}"


# The properties file of an early notification service, read as settings of this one. Lines are
# `Key = Value`; all keys stand under one prefix, such as
# `de.unimuenchen.informatik.mnm.NotificationService.`; lines that begin with `#` or `!` say
# nothing.


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

    InvalidUsage names all lines that are not properties and all keys that are unknown, occur
    twice or have several prefixes.
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
        problem = _property_problem(key, last, seen)
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


def _property_problem(key: str, last: str, seen: Mapping[str, int]) -> str:
    if not key:
        return "this is no property: a line is Key = Value"
    if last in seen:
        return f"{last} stands in line {seen[last]} already"
    if last not in OLD_KEYS:
        near = difflib.get_close_matches(last.lower(), OLD_KEYS, 1)
        hint = f"did you mean {near[0]}?" if near else f"known are {', '.join(OLD_KEYS)}"
        return f"{shortened(last)}: unknown; {hint}"
    return ""
