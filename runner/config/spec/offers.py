"""`resources`, `prompts`, `skills`, `apps`, `endpoints`: what else a server offers, and where."""

from collections.abc import Mapping
from typing import Annotated, Literal

from pydantic import BeforeValidator, Field

from runner.config.spec.bindings import HttpSpec, Sql
from runner.config.spec.inputs import CompleteForm, Parameters
from runner.config.spec.leaves import ExpressionText, Flag, LocatedText, TemplateText, Text, Word
from runner.config.spec.model import ListOf, Section, short
from runner.config.spec.server import IconSpec
from runner.config.spec.tools import AccessSpec, ResultSpec


class ResourceSpec(Section):
    """A resource, or with `{name}` in its URI a resource template."""

    uri: Text
    """The URI; `{name}` is one encoded segment, `{+name}` a path."""
    title: Text | None = None
    """The name shown to people."""
    description: Text | None = None
    """What it holds."""
    icons: tuple[IconSpec, ...] = ()
    """Icons shown by clients."""
    tags: ListOf[Text] = ()
    """Words that `endpoints` select by."""
    mime: Text | None = None
    """Its media type."""
    input: Parameters | None = None
    """The variables of the URI."""
    bind: Mapping[str, ExpressionText] | None = None
    """Hidden parameters."""
    file: Text | None = None
    """A file."""
    directory: Text | None = None
    """A folder; needs `{+path}` in the URI."""
    text: Text | None = None
    """The text itself."""
    sql: Sql | None = None
    """A query."""
    database: Text | None = None
    """Its database."""
    http: HttpSpec | None = None
    """A call of an HTTP API."""
    python: LocatedText | None = None
    """A callable."""
    result: ResultSpec | None = None
    """The shape of the result."""
    access: AccessSpec | None = None
    """Who may read it."""


class ArgumentSpec(Section):
    """An argument of a prompt."""

    title: Text | None = None
    """The name shown to people."""
    description: Text | None = None
    """What to write."""
    complete: CompleteForm | None = None
    """Where suggestions come from."""


class MessageResource(Section):
    """A resource of this server; with `text` or `file` contents that need be no resource."""

    uri: TemplateText
    """A template that gives the URI."""
    text: TemplateText | None = None
    """A template: the text that is embedded under the URI."""
    file: Text | None = None
    """The path of a file that is embedded under the URI."""
    mime: Text | None = None
    """The media type of `text` or `file`."""


class PromptMessage(Section):
    """One message of a prompt."""

    role: Word[Literal["user", "assistant"]]
    """Who says it."""
    text: TemplateText | None = None
    """A template."""
    resource: (
        Annotated[
            MessageResource,
            BeforeValidator(short("uri"), json_schema_input_type=Text | MessageResource),
        ]
        | None
    ) = None
    """A resource of this server by its URI, or contents to embed."""
    image: Text | None = None
    """The path of an image."""
    audio: Text | None = None
    """The path of a sound."""


class TemplateFile(Section):
    """A template, in place or in a file."""

    text: TemplateText | None = None
    """The template."""
    file: Text | None = None
    """Its path."""


class PromptSpec(Section):
    """A prompt made of a template or of messages."""

    title: Text | None = None
    """The name shown to people."""
    description: Text | None = None
    """What it is for."""
    icons: tuple[IconSpec, ...] = ()
    """Icons shown by clients."""
    tags: ListOf[Text] = ()
    """Words that `endpoints` select by."""
    arguments: Mapping[str, ArgumentSpec] = Field(default_factory=dict)
    """By name; a name that ends in `?` is optional."""
    template: (
        Annotated[
            TemplateFile, BeforeValidator(short("text"), json_schema_input_type=Text | TemplateFile)
        ]
        | None
    ) = None
    """One user message."""
    messages: tuple[PromptMessage, ...] | None = None
    """Several messages."""
    bind: Mapping[str, ExpressionText] | None = None
    """Hidden arguments."""
    access: AccessSpec | None = None
    """Who may use it."""


class SkillOverride(Section):
    """What one skill does otherwise."""

    path: Text | None = None
    """Its path in `skill://`."""
    allow_hidden: Flag = False
    """Serve hidden files too."""
    access: AccessSpec | None = None
    """Who may read it."""


class SkillsSection(Section):
    """Skills: every SKILL.md below a folder."""

    directory: Text
    """The folder."""
    skills: Mapping[str, SkillOverride] = Field(default_factory=dict)
    """Overrides by skill name."""


class ViewSpec(Section):
    """Settings of one view."""

    title: Text | None = None
    """The name shown to people."""
    csp: Mapping[str, ListOf[Text]] | None = None
    """Hosts that the view may reach, by kind."""
    permissions: ListOf[Text] = ()
    """Browser permissions that it asks for."""
    domain: Text | None = None
    """The origin that it wants."""
    border: Flag | None = None
    """Drawn with a border."""


class AppsSection(Section):
    """Views: every `<name>/index.html` below a folder."""

    directory: Text
    """The folder."""
    views: Mapping[str, ViewSpec] = Field(default_factory=dict)
    """Settings by view name."""


class EndpointSpec(Section):
    """One address of this process and what it offers."""

    path: Text
    """The path."""
    tools: ListOf[Text] = ()
    """Names or globs of the tools that it offers; `*` is all of them."""
    resources: ListOf[Text] = ()
    """Names or globs of the resources that it offers."""
    prompts: ListOf[Text] = ()
    """Names or globs."""
    skills: ListOf[Text] = ()
    """Names or globs."""
    tags: ListOf[Text] = ()
    """Of what is chosen, only what has one of these."""
    writes: Flag = True
    """`false` drops every tool that writes."""
    access: AccessSpec | None = None
    """Who may use it."""
    title: Text | None = None
    """Stands in the place of the server's."""
    instructions: Text | None = None
    """Stand in the place of the server's."""
