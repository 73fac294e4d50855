"""One prompt of the file → one frozen `Prompt`: its arguments, hidden ones, and its messages."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from runner.catalog.completion import Completion
from runner.catalog.content import AudioContent, ImageContent
from runner.catalog.expressions import Bind, Template
from runner.catalog.media import is_text, mime_of
from runner.catalog.plans import PythonPlan
from runner.catalog.prompt import (
    Argument,
    Embedding,
    MessageSource,
    Prompt,
    ResourceAt,
    Source,
)
from runner.catalog.resource import Resource, ResourceIndex
from runner.catalog.sql import SqlPlan
from runner.compile.completion import Asked, compile_completion
from runner.compile.expressions import Names, compile_expression, compile_template
from runner.compile.inherited import merged_binds
from runner.compile.server import compile_icons
from runner.compile.site import Site
from runner.compile.surroundings import Surroundings
from runner.compile.tools import CompiledTool
from runner.compile.usage import names_of
from runner.config.nodes import Scalar
from runner.config.spec.inputs import CompleteSpec
from runner.config.spec.offers import MessageResource, PromptMessage, PromptSpec
from runner.diagnostics import did_you_mean

_TEXT = "text/plain"
_MARKS = ("{{", "{%", "{#")


@dataclass(frozen=True, slots=True)
class PromptSurroundings:
    """What every prompt is compiled against."""

    around: Surroundings
    data: Mapping[str, bytes]
    """Files that are sent as they are, by path as written."""
    resources: Mapping[str, Resource]
    """Those that compiled."""


@dataclass(frozen=True, slots=True)
class CompiledPrompt:
    """A prompt, and what proving it needs to know."""

    prompt: Prompt
    suggesters: Sequence[CompiledTool] = ()


class PromptCompiler:
    """Compiles one prompt."""

    def __init__(self, name: str, spec: PromptSpec, site: Site, within: PromptSurroundings) -> None:
        self._name = name
        self._spec = spec
        self._site = site
        self._within = within
        self._arguments = {key.removesuffix("?"): key for key in spec.arguments}
        self._bound = merged_binds(spec, within.around.spec.defaults) or {}
        self._names = Names(frozenset((*self._arguments, *self._bound)))
        self._suggesters: list[CompiledTool] = []
        self._used: frozenset[str] = frozenset()
        """What the suggestions depend on."""

    def compile(self) -> CompiledPrompt | None:
        """The prompt; None where something keeps it from being served (all reported)."""
        spec, around = self._spec, self._within.around
        binds = self._binds()
        messages = self._messages()
        if binds is None or messages is None:
            return None
        arguments = self._listed()
        if arguments is None:
            return None
        used = frozenset().union(*(_names_of(message.source) for message in messages))
        kept = tuple(bind for bind in binds if bind.name in used)
        self._report_unused(used.union(self._used, *(bind.value.names for bind in kept)))
        prompt = Prompt(
            name=self._name,
            title=spec.title,
            description=spec.description,
            icons=compile_icons(spec.icons, self._site / "icons"),
            tags=spec.tags or around.spec.defaults.tags,
            arguments=arguments,
            binds=kept,
            messages=tuple(messages),
            max_bytes=around.budgets.response_body_bytes,
            scope_names=self._names.parameters,
        )
        return CompiledPrompt(prompt, tuple(self._suggesters))

    def _listed(self) -> tuple[Argument, ...] | None:
        found: list[Argument] = []
        for name, key in self._arguments.items():
            said = self._spec.arguments[key]
            completion: Completion | None = None
            if said.complete is not None:
                completion = self._completion(name, said.complete)
                if completion is None:
                    continue
            is_required = not key.endswith("?")
            found.append(Argument(name, said.title, said.description, is_required, completion))
        return tuple(found) if len(found) == len(self._arguments) else None

    def _completion(self, name: str, said: CompleteSpec) -> Completion | None:
        asked = Asked(
            name,
            self._site / "arguments" / self._arguments[name] / "complete",
            self._spec,
            {other: "string" for other in self._arguments if other != name},
        )
        compiled = compile_completion(said, asked, self._within.around)
        if compiled is None:
            return None
        if compiled.suggester is not None:
            self._suggesters.append(compiled.suggester)
            plan = compiled.suggester.tool.plan
            if isinstance(plan, SqlPlan | PythonPlan):
                self._used |= names_of(plan, self._names.parameters)
        return compiled.completion

    def _binds(self) -> list[Bind] | None:
        names = Names(frozenset(self._arguments))
        own = self._spec.bind or {}
        root = Site(self._site.document, self._site.faults)
        found: list[Bind] = []
        for name, scalar in self._bound.items():
            site = (self._site if name in own else root / "defaults") / "bind" / name
            if name in self._arguments:
                taken = site if name in own else self._site / "arguments" / self._arguments[name]
                taken.error_at_key(
                    "name-taken",
                    f"'{name}' is bound and an argument too; a bound one is never sent",
                    hint="remove it from one of the two",
                )
                continue
            value = compile_expression(scalar, site, names)
            if value is not None:
                found.append(Bind(name, value))
        return found if len(found) == len(self._bound) else None

    def _report_unused(self, used: frozenset[str]) -> None:
        unused = {name: ("arguments", key) for name, key in self._arguments.items()}
        unused |= {name: ("bind", name) for name in self._spec.bind or {} if name in self._bound}
        for name, (section, key) in unused.items():
            if name not in used:
                (self._site / section / key).warning(
                    "unused-parameter", f"'{name}' is used nowhere in this prompt"
                )

    def _messages(self) -> list[MessageSource] | None:
        spec, site = self._spec, self._site
        if spec.template is not None:
            scalar = spec.template.text or self._text_of(spec.template.file)
            # The short form has no key of its own; a scalar knows its place anyway.
            text = None if scalar is None else self._template(scalar, site / "template")
            return None if text is None else [MessageSource("user", text)]
        if not spec.messages:
            (site / "messages").error("missing-field", "expected at least one message, found none")
            return None
        found = [
            (message, self._source(message, site / "messages" / place))
            for place, message in enumerate(spec.messages)
        ]
        made = [MessageSource(said.role, source) for said, source in found if source is not None]
        return made if len(made) == len(found) else None

    def _source(self, message: PromptMessage, site: Site) -> Source | None:
        if message.text is not None:
            return self._template(message.text, site / "text")
        if message.image is not None:
            data = self._media(message.image, "image", site / "image")
            return None if data is None else ImageContent(data, mime_of(message.image))
        if message.audio is not None:
            data = self._media(message.audio, "audio", site / "audio")
            return None if data is None else AudioContent(data, mime_of(message.audio))
        return None if message.resource is None else self._resource(message.resource, site)

    def _template(self, scalar: Scalar, site: Site) -> Template | None:
        return compile_template(scalar, site, self._names)

    def _text_of(self, path: str | None) -> Scalar | None:
        """A file's text without the end of its last line."""
        found = None if path is None else self._within.around.texts.get(path)
        return None if found is None else replace(found, text=found.text.removesuffix("\n"))

    def _media(self, path: str, kind: str, site: Site) -> bytes | None:
        mime = mime_of(path)
        if not mime.startswith(f"{kind}/"):
            site.error(
                "wrong-media",
                f"expected {_KINDS[kind]}, found '{path}'",
                details=(f"its name says {mime}",),
            )
            return None
        return self._bytes(path, site)

    def _bytes(self, path: str, site: Site) -> bytes | None:
        """The file's content; None where it cannot be sent (reported here or where it was read)."""
        data = self._within.data.get(path)
        limit = self._within.around.budgets.response_body_bytes
        if data is not None and not data:
            site.error("wrong-media", f"the file '{path}' is empty")
            return None
        if data is not None and len(data) > limit:
            site.error(
                "file-too-large",
                f"expected a file of at most {limit} bytes, found {len(data)}",
                hint="make it smaller, or raise budgets.response_body",
            )
            return None
        return data

    def _resource(self, said: MessageResource, site: Site) -> Source | None:
        site = site / "resource"
        is_short = isinstance(site.document.find(site.path), Scalar)
        uri = self._template(said.uri, site if is_short else site / "uri")
        if said.text is not None:
            text = self._template(said.text, site / "text")
            if uri is None or text is None:
                return None
            return Embedding(uri, said.mime or _TEXT, text)
        if said.file is not None:
            return self._file(uri, said.file, said.mime, site / "file")
        if uri is None:
            return None
        is_fixed = not any(mark in uri.source for mark in _MARKS)
        if is_fixed and not self._is_served(uri, said.uri, site):
            return None
        return ResourceAt(uri, is_fixed)

    def _file(
        self, uri: Template | None, path: str, mime: str | None, site: Site
    ) -> Embedding | None:
        data = self._bytes(path, site)
        if uri is None or data is None:
            return None
        mime = mime or mime_of(path)
        if not is_text(mime):
            return Embedding(uri, mime, blob=data)
        try:
            text = data.decode("utf-8-sig")
        except UnicodeDecodeError:
            return Embedding(uri, mime, blob=data)
        return Embedding(uri, mime, Template(text, frozenset(), lambda _scope: text))

    def _is_served(self, uri: Template, scalar: Scalar, site: Site) -> bool:
        """The URI is that of a resource; reported otherwise."""
        served = self._within.resources
        if ResourceIndex(served.values()).find(uri.source) is not None:
            return True
        # One with faults of its own is not compiled; what refers to it is not at fault.
        if len(served) < len(site.entries("resources")) or site.may_have("resources", ""):
            return True
        known = [resource.uri for resource in served.values()]
        site.error(
            "unknown-resource",
            f"no resource has the URI '{uri.source}'",
            details=(f"known URIs: {', '.join(known) or 'none'}",),
            hint=did_you_mean(uri.source, known) or "text or file beside uri embeds it as it is",
            at=scalar.position,
        )
        return False


_KINDS = {"image": "an image", "audio": "a sound"}


def _names_of(source: Source) -> frozenset[str]:
    match source:
        case Template():
            return source.names
        case ResourceAt():
            return source.uri.names
        case Embedding():
            return source.uri.names | (frozenset() if source.text is None else source.text.names)
        case _:
            return frozenset()


def compile_prompts(within: PromptSurroundings, site: Site) -> Mapping[str, CompiledPrompt]:
    """The prompts by name, in the order of the file."""
    compiled = {
        name: PromptCompiler(name, spec, site / name, within).compile()
        for name, spec in within.around.spec.prompts.items()
    }
    return {name: item for name, item in compiled.items() if item is not None}
