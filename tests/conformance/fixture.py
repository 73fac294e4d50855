"""What the conformance fixture does in Python: content blocks, reports and questions."""

import asyncio
import base64
import json
import re
from pathlib import Path

from runner import (
    AudioContent,
    Context,
    EmbeddedResource,
    Form,
    ImageContent,
    Roots,
    Sample,
    TextContent,
    ToolError,
)

PNG = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAAC0lEQVR4nGNgAAIAAAUAAXpeqz8="
)
WAV = base64.b64decode("UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQAAAAA=")
NAME = {"name": {"type": "string", "description": "Your name"}}
CAPITAL = [{"role": "user", "content": {"type": "text", "text": "What is the capital of France?"}}]


CHANGING = Path(__file__).with_name("changing") / "one.yaml"


def change_tool() -> str:
    return _change("test_changing: {description: Version (\\d+)., value")


def change_prompt() -> str:
    return _change("test_changing: {description: Version (\\d+)., template")


def _change(pattern: str) -> str:
    """Counts a description up, and puts the new file in the place of the old one."""
    text = CHANGING.read_text(encoding="utf-8")
    found = re.search(pattern, text)
    assert found is not None
    new = CHANGING.with_suffix(".new")
    whole = f"{text[: found.start(1)]}{int(found[1]) + 1}{text[found.end(1) :]}"
    new.write_text(whole, encoding="utf-8")
    new.replace(CHANGING)
    return "changed"


def simple_text() -> str:
    return "This is a simple text response for testing."


def image() -> list[ImageContent]:
    return [ImageContent(PNG, "image/png")]


def audio() -> list[AudioContent]:
    return [AudioContent(WAV, "audio/wav")]


def embedded() -> list[EmbeddedResource]:
    text = "This is an embedded resource content."
    return [EmbeddedResource("test://embedded-resource", text, mime_type="text/plain")]


def mixed() -> list[TextContent | ImageContent | EmbeddedResource]:
    uri, text = "test://mixed-content-resource", '{"test":"data","value":123}'
    return [
        TextContent("Multiple content types test:"),
        ImageContent(PNG, "image/png"),
        EmbeddedResource(uri, text, mime_type="application/json"),
    ]


def progress(context: Context) -> str:
    for done in (0, 50, 100):
        context.progress(done, 100, f"Completed step {done} of 100")
    return "done"


def logging(context: Context) -> str:
    for word in ("started", "processing", "completed"):
        context.log("info", f"Tool execution {word}")
    return "logged"


async def needs_sampling(context: Context) -> str:
    await context.sample(CAPITAL, max_tokens=100)
    return "the client has a model"


async def ask_name(context: Context) -> str:
    reply = await context.elicit("What is your name?", NAME, key="user_name")
    return f"Hello, {reply.content['name']}!" if reply else "Hello, stranger!"


async def ask_model(context: Context) -> str:
    reply = await context.sample(CAPITAL, max_tokens=100, key="capital_question")
    return json.dumps(reply["content"])


async def ask_roots(context: Context) -> str:
    return f"{len(await context.roots(key='client_roots'))} folders"


async def ask_state(context: Context) -> str:
    await context.elicit("Please confirm", {"ok": {"type": "boolean"}}, key="confirm")
    return "state-ok"


async def ask_several(context: Context) -> str:
    schema = {"type": "object", "properties": NAME, "required": ["name"]}
    greeting = [{"role": "user", "content": {"type": "text", "text": "Write a greeting."}}]
    replies = await context.ask(
        {
            "user_name": Form("What is your name?", schema),
            "greeting": Sample({"messages": greeting, "maxTokens": 50}),
            "client_roots": Roots(),
        }
    )
    return f"{len(replies)} answers"


async def ask_twice(context: Context) -> str:
    name = await context.elicit("Step 1: What is your name?", NAME, key="step1")
    colour = {"color": {"type": "string"}}
    reply = await context.elicit("Step 2: Which color do you like?", colour, key="step2")
    return f"{name.content['name']} likes {reply.content['color']}"


async def ask_what_is_possible(context: Context) -> str:
    if "sampling" in context.request.capabilities:
        await context.sample(CAPITAL, max_tokens=100)
    elif "elicitation" in context.request.capabilities:
        await context.elicit("What is your name?", NAME)
    return "asked"


def template(id: str) -> str:
    found = {"id": id, "templateTest": True, "data": f"Data for ID: {id}"}
    return json.dumps(found, separators=(",", ":"))


async def ask_context(context: Context, topic: str) -> str:
    fields = {"context": {"type": "string"}}
    reply = await context.elicit(f"What is {topic} about?", fields, key="user_context")
    return f"Context: {reply.content['context']}" if reply else "No context."


def greet(name: str) -> str:
    return f"Hello, {name}!"


async def compute(seconds: float, label: str = "") -> str:
    await asyncio.sleep(seconds)
    return f"computed {label}"


def fail() -> str:
    raise ToolError("This job fails.")


async def delete(filename: str, context: Context) -> str:
    fields = {"confirm": {"type": "boolean"}}
    reply = await context.elicit(f"Delete {filename}?", fields)
    return f"deleted {filename}" if reply.content.get("confirm") else "kept"


async def ask_two(context: Context) -> str:
    schema = {"type": "object", "properties": NAME, "required": ["name"]}
    replies = await context.ask(
        {"first": Form("Who is first?", schema), "second": Form("Who is second?", schema)}
    )
    return f"{len(replies)} answers"
