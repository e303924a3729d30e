"""Settings that change while the service runs: what can be applied is, the rest is named."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Mapping
from dataclasses import replace

from pydantic import ValidationError

from tidings.clock import utc_now
from tidings.engine.host import Host
from tidings.errors import InvalidUsage, TidingsError
from tidings.server.build import archive_plan, built_app, reloaded_options, retention
from tidings.server.layers import Loaded, Sources
from tidings.server.logs import Logs
from tidings.server.requests import RequestLog
from tidings.server.settings import LIVE, ServerSettings, flat, tree_of
from tidings.server.tls import Tls
from tidings.server.tokens import make_token, owner_token
from tidings.web.state import WebState

log = logging.getLogger(__name__)


def changes(before: ServerSettings, after: ServerSettings) -> list[str]:
    """The names of the settings that differ."""
    old = {name: value for name, _, value in flat(before)}
    return [name for name, _, value in flat(after) if value != old[name]]


class Reloader:
    """Reads the settings again and applies to its parts what a reload can change."""

    def __init__(
        self,
        sources: Sources,
        loaded: Loaded,
        host: Host,
        web: WebState,
        door: RequestLog,
        logs: Logs,
        tls: Tls | None = None,
    ) -> None:
        self._loaded = loaded
        self._sources = sources
        self._host = host
        self._web = web
        self._door = door
        self._logs = logs
        self._tls = tls
        self._one_at_a_time = asyncio.Lock()

    @property
    def settings(self) -> ServerSettings:
        """The settings in force."""
        return self._loaded.settings

    async def reload(self) -> bool:
        """Reads and applies; whether the settings were good. If not, nothing was changed."""
        async with self._one_at_a_time:
            return await self._reload()

    async def _reload(self) -> bool:
        try:
            loaded = await asyncio.to_thread(self._sources.load)
            changed = changes(self.settings, loaded.settings)
            merged = _merged(self.settings, loaded.settings)
            made = await asyncio.to_thread(make_token, merged)
            token = await asyncio.to_thread(owner_token, merged)
            if self._tls is not None:
                await asyncio.to_thread(self._tls.load, merged.tls, utc_now())
                loaded = replace(loaded, warnings=(*loaded.warnings, *self._tls.warnings))
        except TidingsError as error:
            for line in str(error).splitlines():
                log.error("not reloaded, the settings stay as they were: %s", line)
            return False
        for text in loaded.warnings:
            log.warning("%s", text)
        if made is not None:
            log.info("the owner's token is in %s", made)
        await self._apply(merged, token)
        self._loaded = Loaded(merged, _merged_origins(self._loaded.origins, loaded.origins))
        self._host.told_settings = self._loaded.told()
        _tell(changed)
        return True

    async def _apply(self, settings: ServerSettings, token: str | None) -> None:
        self._logs.hide(() if token is None else (token,))
        self._logs.change(settings.log.level, settings.log.format)
        keeping = self._host.housekeeping
        keeping.retention = retention(settings)
        keeping.disk_quota = settings.store.disk_quota
        archiving, plan = self._host.archiving, archive_plan(settings.archive)
        if archiving is not None and plan is not None and plan != archiving.plan:
            archiving.change(plan)
        options = reloaded_options(self._web.options, settings, token)
        if options != self._web.options:
            # The door is built around its options. Making it takes a while, the change a moment.
            app = await asyncio.to_thread(built_app, self._host, options)
            self._web.options = options
            app.state.web = self._web
            self._door.app = app
            log.info("the token, the allowed hosts or the allowed origins are new")


def _merged(current: ServerSettings, read: ServerSettings) -> ServerSettings:
    """The settings in force after taking over the live ones; they must fit together, too."""
    both = zip(flat(current), flat(read), strict=True)
    merged = {name: new if name in LIVE else old for (name, _, old), (_, _, new) in both}
    try:
        return ServerSettings.model_validate(tree_of(merged))
    except ValidationError as error:
        told = [str(one["msg"]) for one in error.errors(include_url=False)]
        raise InvalidUsage("\n".join(told)) from None


def _merged_origins(current: Mapping[str, str], read: Mapping[str, str]) -> dict[str, str]:
    """Where the merged settings come from."""
    kept = {name: origin for name, origin in current.items() if name not in LIVE}
    return kept | {name: origin for name, origin in read.items() if name in LIVE}


def _tell(changed: list[str]) -> None:
    applied = [name for name in changed if name in LIVE]
    waiting = [name for name in changed if name not in LIVE]
    log.info("reloaded: %s", f"{', '.join(applied)} changed" if applied else "nothing changed")
    if waiting:
        log.warning("%s: changed, but only a restart applies it", ", ".join(waiting))
