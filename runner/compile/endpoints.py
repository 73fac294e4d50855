"""`endpoints` → what each address offers: a selection of the file's tools, resources and prompts.

A selection hides, it does not take apart: a step may call a tool that its endpoint does not offer.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Final, TypeVar

from runner.catalog.catalog import Endpoint
from runner.catalog.prompt import Prompt
from runner.catalog.resource import Resource
from runner.catalog.tool import Tool
from runner.compile.server import check_path
from runner.compile.site import Site
from runner.config.spec.offers import EndpointSpec
from runner.config.spec.root import ServerSpec
from runner.diagnostics import did_you_mean

EVERYTHING: Final = "*"
_NOT_YET: Final = ("skills",)
"""What this version refuses to choose; `runner.config.availability` says so."""
_GLOB: Final = frozenset("*?[")

Item = TypeVar("Item", Tool, Resource, Prompt)


@dataclass(frozen=True, slots=True)
class Offered:
    """What endpoints choose from, by name, in the order of the file."""

    tools: Mapping[str, Tool]
    resources: Mapping[str, Resource]
    prompts: Mapping[str, Prompt]

    @property
    def items(self) -> tuple[Tool | Resource | Prompt, ...]:
        """All of them."""
        return (*self.tools.values(), *self.resources.values(), *self.prompts.values())


def compile_endpoints(
    spec: ServerSpec, root: Site, offered: Offered, *, instructions: str | None
) -> tuple[Endpoint, ...]:
    """The endpoints of the file, or one at `serve.path` with everything.

    `instructions` are the server's, which an endpoint may replace.
    """
    if "endpoints" not in spec.model_fields_set:
        whole = (offered.tools, instructions, offered.resources, offered.prompts)
        return (Endpoint(spec.serve.path, *whole),)
    site = root / "endpoints"
    if not root.entries("endpoints"):
        site.error("nothing-offered", "no endpoint is given, so that nothing would be served")
    _refuse_twins(spec.endpoints, site)
    return tuple(
        _Selection(found, root, site / name).endpoint(name, offered, instructions)
        for name, found in spec.endpoints.items()
    )


def _refuse_twins(specs: Mapping[str, EndpointSpec], site: Site) -> None:
    """Paths that differ in slashes at their end alone are one address."""
    first: dict[str, str] = {}
    for name, spec in specs.items():
        other = first.setdefault(spec.path.rstrip("/"), name)
        if other != name:
            (site / name / "path").error("same-path", f"'{other}' has the same path")


class _Selection:
    """What one endpoint chooses."""

    def __init__(self, spec: EndpointSpec, root: Site, site: Site) -> None:
        self._spec = spec
        self._root = root
        self._site = site
        self._is_explained = any(
            site.document.find((*site.path, field)) is not None for field in _NOT_YET
        )
        """Another fault says, or hides, why it may offer nothing."""

    def endpoint(self, name: str, offered: Offered, instructions: str | None) -> Endpoint:
        spec = self._spec
        check_path(spec.path, self._site / "path")
        tools = self._chosen("tools", spec.tools, offered.tools, is_offered=self._may_offer)
        resources = self._chosen("resources", spec.resources, offered.resources)
        prompts = self._chosen("prompts", spec.prompts, offered.prompts)
        self._check_tags(offered)
        if not (tools or resources or prompts or self._is_explained):
            self._report_nothing()
        return Endpoint(
            spec.path,
            tools,
            instructions if spec.instructions is None else spec.instructions,
            resources,
            prompts,
            name=name,
            title=spec.title,
        )

    def _may_offer(self, tool: Tool) -> bool:
        return self._spec.writes or tool.annotations.read_only

    def _chosen(
        self,
        section: str,
        patterns: Iterable[str],
        offered: Mapping[str, Item],
        *,
        is_offered: Callable[[Item], bool] = lambda _: True,
    ) -> dict[str, Item]:
        """What the patterns match, in the order of the file; a pattern without a match is told."""
        written = (*self._root.entries(section), *offered)
        chosen: set[str] = set()
        for index, pattern in enumerate(patterns):
            matched = {name for name in written if fnmatchcase(name, pattern)}
            if not matched and pattern != EVERYTHING:
                self._report_no_match(section, index, pattern, written)
            chosen |= matched
        if not chosen <= offered.keys():
            self._is_explained = True
        return {
            name: item
            for name, item in offered.items()
            if name in chosen and self._has_tag(item) and is_offered(item)
        }

    def _has_tag(self, item: Tool | Resource | Prompt) -> bool:
        return not self._spec.tags or not set(self._spec.tags).isdisjoint(item.tags)

    def _check_tags(self, offered: Offered) -> None:
        sections = {
            "tools": offered.tools,
            "resources": offered.resources,
            "prompts": offered.prompts,
        }
        if any(set(self._root.entries(name)) - found.keys() for name, found in sections.items()):
            return
        known = sorted({tag for item in offered.items for tag in item.tags})
        for index, tag in enumerate(self._spec.tags):
            if tag not in known:
                self._is_explained = True
                message, hint = f"nothing has the tag '{tag}'", did_you_mean(tag, known)
                self._at("tags", index).error("no-match", message, hint=hint)

    def _report_no_match(
        self, section: str, index: int, pattern: str, known: Iterable[str]
    ) -> None:
        self._is_explained = True
        if self._root.may_have(section, pattern):
            return
        kind = section.removesuffix("s")
        is_glob = not _GLOB.isdisjoint(pattern)
        message = f"no {kind} matches '{pattern}'" if is_glob else f"no {kind} is named '{pattern}'"
        self._at(section, index).error("no-match", message, hint=did_you_mean(pattern, known))

    def _at(self, field: str, index: int) -> Site:
        """The place of an entry of a list that may be written as one text."""
        spot = self._site / field
        one = spot / index
        return spot if one.document.find(one.path) is None else one

    def _report_nothing(self) -> None:
        spec = self._spec
        filters = [*(["'tags'"] if spec.tags else []), *([] if spec.writes else ["'writes'"])]
        hint = None
        if not (spec.tools or spec.resources or spec.prompts):
            reason, hint = "it chooses nothing", 'say tools: ["*"] to offer every tool'
        elif filters:
            reason = f"nothing of what it chooses is left by {' and '.join(filters)}"
        else:
            reason = "the file has nothing of what it chooses"
        self._site.error_at_key(
            "nothing-offered", "the endpoint offers nothing", details=(reason,), hint=hint
        )
