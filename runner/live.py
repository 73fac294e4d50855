"""What a process serves at the moment: one generation after the other, each whole and unchanged.

A reload reads the file anew, proves it, opens everything behind it, and only then takes the place
of what was served: an answer belongs to exactly one generation. Calls that run end on the one that
they began on, which closes after them. A broken change changes nothing.
"""

import asyncio
import contextlib
import gc
import logging
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from functools import partial
from typing import Final

from runner.app import Checked, Served, catalog_of, new_error_id, open_served, state_keys
from runner.bindings.watched import Behind, Watched
from runner.catalog.catalog import Catalog
from runner.catalog.resource import ResourceIndex
from runner.config.inputs import Changes, Inputs, stamp
from runner.errors import ConfigurationError, RunnerError
from runner.protocol.edition import PROMPTS, RESOURCES, TEMPLATES, TOOLS
from runner.protocol.listeners import Listeners
from runner.protocol.server import Protocol
from runner.tasks.runtime import TaskRuntime
from runner.transport.health import Standing
from runner.unexpected import log_unexpected

log = logging.getLogger("runner.reload")

POLL_S: Final = 0.1
"""How soon a change is seen; one that is still being written, once it is left alone."""
COLLECT_S: Final = 5.0
"""After a reload; one collection serves all that come close together."""
_LISTS: Final[Mapping[str, str]] = {
    TOOLS: "toolsListChanged",
    PROMPTS: "promptsListChanged",
    RESOURCES: "resourcesListChanged",
    TEMPLATES: "resourcesListChanged",
}
Protocols = Mapping[str, Protocol]
"""By path."""
Place = tuple[str, str]
"""The path of an endpoint, and a URI there."""
Opening = AbstractAsyncContextManager[Served]
"""What opens a catalog, and closes it."""
Take = Callable[[Catalog, Protocols], None]
"""Serves these from now on; what was served before ends with the calls that run on it."""


@dataclass(frozen=True, slots=True)
class Project:
    """Where what is served comes from."""

    load: Callable[[], Checked]
    """Reads and proves it anew; called in a thread."""
    inputs: Inputs
    """What it was read from first."""
    follows: bool = False
    """Changes of its files are seen by themselves; without it a reload is asked for."""


class Generation:
    """One catalog and what is open behind it, until it is retired and its last call has ended."""

    def __init__(self, catalog: Catalog, opening: Opening) -> None:
        self.catalog = catalog
        self._opened: asyncio.Future[Served] = asyncio.get_running_loop().create_future()
        self._retired = asyncio.Event()
        self._time_is_up = asyncio.Event()
        # Entered and left by one task, as the contexts of an author's `lifespan` may demand.
        self.task = asyncio.create_task(self._run(opening))

    async def _run(self, opening: Opening) -> None:
        async with opening as served:
            self._opened.set_result(served)
            await self._retired.wait()
            if served.tasks is not None:
                await self._end_tasks(served.tasks)
            await served.invoker.ended()

    async def _end_tasks(self, tasks: TaskRuntime) -> None:
        """Returns when no task runs here any more: they end, or the time is up."""
        ended = asyncio.create_task(tasks.ended())
        over = asyncio.create_task(self._time_is_up.wait())
        await asyncio.wait((ended, over), return_when=asyncio.FIRST_COMPLETED)
        over.cancel()
        await tasks.stop()
        await ended

    async def open(self) -> Served:
        """What it serves, once everything is open.

        Raises:
            StartError: something behind it cannot be opened.
        """
        try:
            await asyncio.wait((self.task, self._opened), return_when=asyncio.FIRST_COMPLETED)
        except asyncio.CancelledError:
            self.retire()  # nobody else knows of it yet
            raise
        if not self._opened.done():
            await self.task  # which raises why
        return self.served

    @property
    def served(self) -> Served:
        """What it serves; only once it is open."""
        return self._opened.result()

    def retire(self) -> None:
        """Takes no more calls; closes after those that run, and after its tasks."""
        self._retired.set()

    def stop_tasks(self) -> None:
        """Closes without waiting for tasks: they are stopped, and say so."""
        self._time_is_up.set()


class Live:
    """What one process serves, and its change."""

    def __init__(
        self,
        project: Project,
        keys: list[bytes],
        take: Take,
        *,
        keeps_session: bool = False,
        standing: Standing | None = None,
    ) -> None:
        """`keys` are those of the start; they hold on where the file gives none;
        `keeps_session` over stdio, where clients are told of changes that come unasked alone;
        `standing` is told whether the newest version is served, and what is behind it."""
        self.listeners = Listeners()
        self._standing = standing or Standing()
        self._project = project
        self._keeps_session = keeps_session
        self._keys = keys
        self._take = take
        self._current: Generation | None = None
        self._allowed_seen = 0
        """The revision of the allowed values that is listed."""
        self._served: Protocols = {}
        self._before: list[Generation] = []
        """Retired, and not closed yet."""
        self._collecting: asyncio.TimerHandle | None = None
        self._asked = asyncio.Event()
        self._changes = Changes(project.inputs)
        self._indexes: Mapping[str, ResourceIndex] = {}
        self._behind: Mapping[Place, Behind | None] = {}
        self._watched: Watched[Place] = Watched(stamp)
        self._seen: int | None = None
        """The changes of the listeners that `_behind` knows of; None: another catalog is served."""

    def ask(self) -> None:
        """Asks for a reload, whatever the files say."""
        self._asked.set()

    async def begin(self, catalog: Catalog) -> None:
        """Serves a catalog.

        Raises:
            StartError: something behind it cannot be opened.
        """
        keys = state_keys(catalog, self._keys)
        generation = Generation(catalog, self._opening(catalog, keys))
        served = await generation.open()
        protocols = served.protocols
        self._keys = keys
        before, self._current = self._current, generation
        self._behind = {}
        self._seen = None
        self._indexes = {
            endpoint.path: ResourceIndex(endpoint.resources.values())
            for endpoint in catalog.endpoints
        }
        self._allowed_seen = served.invoker.allowed.revision
        self._take(catalog, protocols)
        self._standing.reaches = served.reaches
        self._tell(self._served, protocols)
        self._served = protocols
        if before is not None:
            before.retire()
            self._before.append(before)
            before.task.add_done_callback(partial(self._bury, before))

    def _opening(self, catalog: Catalog, keys: list[bytes]) -> Opening:
        """What opens it; clients are told of changes where changes come by themselves."""
        comes = self._project.follows or bool(catalog.sources) or not self._keeps_session
        told = self.listeners if comes else None
        return open_served(catalog, keys, told, keeps_session=self._keeps_session)

    def _bury(self, generation: Generation, _task: asyncio.Task[None]) -> None:
        self._before.remove(generation)
        if self._collecting is None:
            loop = asyncio.get_running_loop()
            self._collecting = loop.call_later(COLLECT_S, self._collect)

    def _collect(self) -> None:
        """What ended is let go: it was frozen, beside what stays, when it was new."""
        self._collecting = None
        gc.unfreeze()
        gc.collect()
        gc.freeze()

    async def end(self, until: float = 0) -> None:
        """Closes what is open; tasks may run until then, in the loop's time."""
        if self._collecting is not None:
            self._collecting.cancel()
        if self._current is None:
            return
        self._current.retire()
        loop = asyncio.get_running_loop()
        stops = [loop.call_at(until, item.stop_tasks) for item in (*self._before, self._current)]
        await asyncio.gather(self._current.task, *(item.task for item in self._before))
        for stop in stops:
            stop.cancel()

    def _tell(self, before: Protocols, after: Protocols) -> None:
        """Tells who listens what has changed."""
        for path, old in before.items():
            if path in after:
                self.listeners.lists_changed(path, _changed(old.lists, after[path].lists))
            else:
                self.listeners.end(path)

    async def follow(self) -> None:
        """Sees changes until it is cancelled."""
        while True:
            is_asked = await self._wait()
            if is_asked:
                await asyncio.to_thread(self._changes.renew)
            if is_asked or await self._has_changed():
                await self._reload()
            self.follow_allowed()
            await self._look_if_due()

    def follow_allowed(self) -> None:
        """Lists the allowed values as they were read last, and lets those that are old be read.

        A change of any makes all lists anew, which `refresh` keeps from happening often.
        """
        if self._current is None or not self._current.catalog.sources:
            return
        served = self._current.served
        allowed = served.invoker.allowed
        if allowed.revision != self._allowed_seen:
            self._allowed_seen = allowed.revision
            protocols = served.renew()
            self._take(self._current.catalog, protocols)
            self._tell(self._served, protocols)
            self._served = protocols
        allowed.look()

    async def _look_if_due(self) -> None:
        clock = asyncio.get_running_loop().time
        await self._meet_streams()
        began = clock()
        if self._watched.is_due(began):
            await self.look_at_resources()
            self._watched.took(began, clock())

    async def _wait(self) -> bool:
        """Returns when it is time to look again, or asked to; whether it was asked to."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(POLL_S):
                await self._asked.wait()
        is_asked = self._asked.is_set()
        self._asked.clear()
        return is_asked

    async def _has_changed(self) -> bool:
        return self._project.follows and await asyncio.to_thread(self._changes.have_come)

    async def _reload(self) -> None:
        """Serves what the files say now; if that cannot be served, goes on as before."""
        was_broken, self._standing.is_newest = not self._standing.is_newest, False
        try:
            checked = await asyncio.to_thread(self._project.load)
            await asyncio.to_thread(self._changes.take, checked.inputs)
            catalog = catalog_of(checked)
            await self.begin(catalog)
        except ConfigurationError as error:
            faults = [fault for fault in error.diagnostics if fault.severity == "error"]
            for fault in faults:
                log.warning("%s: %s: %s", fault.position, fault.code, fault.message)
            log.warning("the change has faults; the version before it is served on")
        except RunnerError as error:
            log.warning("the change cannot be served, the version before it is: %s", error)
        except Exception as error:
            log_unexpected(log, error, "reload", error_id=new_error_id())
        else:
            self._standing.is_newest = True
            # Whoever was told of faults is told that they are gone.
            level = logging.WARNING if was_broken else logging.INFO
            log.log(level, "reloaded %s %s", catalog.identity.name, catalog.identity.version)

    async def look_at_resources(self) -> None:
        """Tells of files that changed behind resources that somebody listens to."""
        await self._meet_streams()
        if not self._watched:
            return
        for place in await asyncio.to_thread(self._watched.look):
            self.listeners.resource_updated(*place)

    async def _meet_streams(self) -> None:
        """Knows the files of streams that are new, and forgets those that nobody listens to."""
        if self._seen != self.listeners.changes:
            self._seen = self.listeners.changes
            self._watch()
            await asyncio.to_thread(self._watched.meet)

    def _watch(self) -> None:
        """Looks at what is listened to now, as it is served now."""
        self._behind = {
            place: self._behind[place] if place in self._behind else self._find(place)
            for path, uris in self.listeners.uris().items()
            for place in ((path, uri) for uri in uris)
        }
        self._watched.replace(
            {place: behind for place, behind in self._behind.items() if behind is not None}
        )

    def _find(self, place: Place) -> Behind | None:
        path, uri = place
        found = self._indexes[path].find(uri) if path in self._indexes else None
        return None if found is None else (found[0].tool.plan, found[1])


def _changed(
    before: Mapping[str, Sequence[object]], after: Mapping[str, Sequence[object]]
) -> set[str]:
    """The lists that clients see otherwise (keys of `listeners.LISTS`)."""
    return {name for method, name in _LISTS.items() if before.get(method) != after.get(method)}
