"""One resource of the file → one frozen `Resource`: its URI, and the hidden tool that reads it."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from runner.catalog.completion import Completion
from runner.catalog.expressions import Template, TreeTemplate
from runner.catalog.media import mime_of
from runner.catalog.plans import DirectoryPlan, FilePlan, Plan, ValuePlan
from runner.catalog.resource import Resource
from runner.catalog.tool import ResultText, Tool, ToolAnnotations, Words
from runner.catalog.uris import UriTemplate, UriTemplateError, uri_template
from runner.compile.allowed import CompiledSource, hold_to_sources
from runner.compile.completion import (
    Asked,
    CompiledCompletion,
    compile_completion,
    compile_listing,
)
from runner.compile.inherited import with_defaults
from runner.compile.schemas.input import compile_input
from runner.compile.server import compile_icons
from runner.compile.site import Site
from runner.compile.surroundings import Surroundings
from runner.compile.tools import CompiledTool, compile_hidden
from runner.config.spec.inputs import ParameterSpec
from runner.config.spec.tools import ToolSpec
from runner.errors import Kind

TAKEN_SCHEMES: Final = ("ui", "skill")
"""What extensions of the protocol use."""
_URI: Final = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*):[!#$%&'()*+,./0-9:;=?@A-Z\[\]_a-z~{}-]*")
_PERCENT: Final = re.compile(r"%(?![0-9A-Fa-f]{2})")
_TOOL_FIELDS: Final = ("bind", "sql", "database", "http", "python", "result", "tags")
_NOT_FOUND: Final = Words(Template("", frozenset(), lambda _scope: "there is no such resource"))
_READS: Final = ToolAnnotations(
    read_only=True, destructive=False, idempotent=True, open_world=False
)


@dataclass(frozen=True, slots=True)
class CompiledResource:
    """A resource, and what proving it needs to know."""

    resource: Resource
    compiled: CompiledTool
    suggesters: Sequence[CompiledTool] = ()
    sources: Sequence[CompiledSource] = ()


def tool_key(name: str) -> str:
    """How the hidden tool of a resource is named; no listed tool can have such a name."""
    return f"resource:{name}"


class ResourceCompiler:
    """Compiles one resource."""

    def __init__(self, name: str, site: Site, around: Surroundings, *, folder: str) -> None:
        self._name = name
        self._site = site
        self._around = around
        self._folder = Path(folder)
        self._spec = around.spec.resources[name]

    def compile(self) -> CompiledResource | None:
        """The resource; None where something keeps it from being served (all reported)."""
        spec = self._spec
        if not self._is_uri():
            return None
        template = self._template()
        if template is None and "{" in spec.uri:
            return None
        inputs = self._inputs(() if template is None else template.variables)
        if inputs is None:
            return None
        compiled = self._tool(inputs, template)
        if compiled is None:
            return None
        site, around = self._site / "input", self._around
        compiled, sources = hold_to_sources(compiled, inputs, site, spec.database, around)
        completions = self._completions(inputs, compiled.tool)
        if completions is None:
            return None
        found = replace(compiled.tool, errors={**compiled.tool.errors, Kind.MISSING: _NOT_FOUND})
        resource = Resource(
            name=self._name,
            uri=spec.uri,
            template=template,
            title=spec.title,
            description=spec.description,
            icons=compile_icons(spec.icons, self._site / "icons"),
            tags=found.tags,
            mime=spec.mime or self._mime_of_plan(found.plan),
            tool=found,
            complete={name: item.completion for name, item in completions.items()},
        )
        suggesters = [item.suggester for item in completions.values() if item.suggester]
        proven = replace(compiled, tool=found)
        return CompiledResource(resource, proven, suggesters, tuple(sources.values()))

    def _completions(
        self, inputs: Mapping[str, ParameterSpec], tool: Tool
    ) -> Mapping[str, CompiledCompletion] | None:
        """The sources of suggestions by variable; a path is completed from the folder's files."""
        found: dict[str, CompiledCompletion | None] = {}
        for name, spec in inputs.items():
            asked = Asked(
                name,
                self._site / "input" / name / "complete",
                self._spec,
                {other: item.type or "string" for other, item in inputs.items() if other != name},
                self._spec.database,
            )
            if spec.complete is not None:
                found[name] = compile_completion(spec.complete, asked, self._around)
            elif name in tool.input.allowed:
                source = tool.input.allowed[name].source
                found[name] = CompiledCompletion(Completion(source=source))
            elif isinstance(tool.plan, DirectoryPlan):
                found[name] = compile_listing(tool.plan.root, asked, self._around)
        sound = {name: item for name, item in found.items() if item is not None}
        return sound if len(sound) == len(found) else None

    def _is_uri(self) -> bool:
        uri, site = self._spec.uri, self._site / "uri"
        found = _URI.fullmatch(uri)
        if found is None or _PERCENT.search(uri):
            site.error(
                "bad-uri",
                f"expected a URI such as docs://style, found '{uri}'",
                hint="a scheme, a colon, and no blanks; percent-encode other characters",
            )
            return False
        if found[1].lower() in TAKEN_SCHEMES:
            site.error(
                "taken-scheme",
                f"'{found[1]}:' belongs to an extension of the protocol",
                hint="choose a scheme of your own",
            )
            return False
        return True

    def _template(self) -> UriTemplate | None:
        if "{" not in self._spec.uri and "}" not in self._spec.uri:
            return None
        try:
            return uri_template(self._spec.uri)
        except UriTemplateError as fault:
            (self._site / "uri").error("bad-uri-template", str(fault))
            return None

    def _inputs(self, variables: tuple[str, ...]) -> Mapping[str, ParameterSpec] | None:
        """A parameter for each variable; what `input` says of another name is a fault."""
        said = self._spec.input or {}
        is_right = True
        for written in said:
            if written not in variables:
                is_right = False
                (self._site / "input" / written).error_at_key(
                    "unknown-variable",
                    f"'{written}' is no variable of the URI",
                    hint=f"the URI has {', '.join(variables)}" if variables else "it has none",
                )
        text = ParameterSpec.model_construct(type="string", _fields_set={"type"})
        return {name: said.get(name, text) for name in variables} if is_right else None

    def _tool(
        self, inputs: Mapping[str, ParameterSpec], template: UriTemplate | None
    ) -> CompiledTool | None:
        spec = self._spec
        if spec.file is not None or spec.directory is not None or spec.text is not None:
            return self._static(inputs, template)
        key = tool_key(self._name)
        said = {name: getattr(spec, name) for name in _TOOL_FIELDS if name in spec.model_fields_set}
        written = ToolSpec.model_construct(
            **said,
            input=inputs,
            writes="false",
            description=self._name,
            _fields_set={*said, "input", "writes", "description"},
        )
        merged = with_defaults(written, self._around.spec.defaults)
        return compile_hidden(key, self._site, written, merged, self._around)

    def _static(
        self, inputs: Mapping[str, ParameterSpec], template: UriTemplate | None
    ) -> CompiledTool | None:
        spec = self._spec
        plan = self._static_plan(template)
        holder = ToolSpec.model_construct(input=inputs, _fields_set={"input"})
        schema = compile_input(
            holder,
            self._site,
            schemas=self._around.schemas,
            input_elements=self._around.budgets.input_elements,
        )
        if plan is None or schema is None:
            return None
        budgets = self._around.budgets
        tool = Tool(
            name=tool_key(self._name),
            title=None,
            description=None,
            icons=(),
            tags=spec.tags or self._around.spec.defaults.tags,
            input=schema,
            output=None,
            annotations=_READS,
            binds=(),
            checks=(),
            plan=plan,
            text=ResultText(),
            max_bytes=budgets.response_body_bytes,
            errors={},
            timeout_s=budgets.timeout_s,
        )
        return CompiledTool(tool, ())

    def _static_plan(self, template: UriTemplate | None) -> Plan | None:
        spec, site = self._spec, self._site
        if spec.directory is not None:
            return self._directory_plan(spec.directory, template)
        if template is not None:
            field = "file" if spec.file is not None else "text"
            (site / "uri").error("no-variables", f"a {field} has one URI, without variables")
            return None
        if spec.file is not None:
            return FilePlan(str(self._folder / spec.file), spec.mime or mime_of(spec.file))
        text = spec.text or ""
        return ValuePlan(TreeTemplate(frozenset(), lambda _scope: text))

    def _directory_plan(self, folder: str, template: UriTemplate | None) -> DirectoryPlan | None:
        variables = () if template is None else template.variables
        if len(variables) != 1 or f"{{+{variables[0]}}}" not in self._spec.uri:
            (self._site / "uri").error(
                "no-path",
                "a directory needs one variable in its URI, which is the path",
                hint="such as docs://{+path}",
            )
            return None
        return DirectoryPlan(str(self._folder / folder), variables[0], self._spec.mime)

    def _mime_of_plan(self, plan: Plan) -> str | None:
        match plan:
            case FilePlan():
                return plan.mime
            case ValuePlan():
                return "text/plain"
            case _:
                return None


def compile_resources(
    around: Surroundings, site: Site, *, folder: str
) -> Mapping[str, CompiledResource]:
    """The resources by name, in the order of the file."""
    names = around.spec.resources
    compilers = {name: ResourceCompiler(name, site / name, around, folder=folder) for name in names}
    compiled = {name: compiler.compile() for name, compiler in compilers.items()}
    found = {name: item for name, item in compiled.items() if item is not None}
    _refuse_twins(found, lambda name: site / name / "uri")
    return found


def _refuse_twins(found: Mapping[str, CompiledResource], site: Callable[[str], Site]) -> None:
    first: dict[str, str] = {}
    for name, item in found.items():
        other = first.setdefault(item.resource.uri, name)
        if other != name:
            site(name).error("same-uri", f"'{other}' has the same URI")
