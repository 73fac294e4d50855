"""What the server that is fuzzed does in Python."""

import os

from runner import Context, Form, Roots, Sample

NAME = {"name": {"type": "string", "minLength": 1}}
COLOUR = {"colour": {"enum": ["red", "blue"], "type": "string"}}
GREET = [{"role": "user", "content": {"type": "text", "text": "Greet."}}]


def process() -> int:
    return os.getpid()


async def report(context: Context) -> str:
    for done in (1, 2, 3):
        context.progress(done, 3, "on the way")
        context.log("info", "still there")
    return "done"


async def ask_name(context: Context) -> str:
    reply = await context.elicit("What is your name?", NAME, key="name")
    return f"Hello, {reply.content['name']}!" if reply else "Hello, stranger!"


async def ask_twice(context: Context) -> str:
    name = await context.elicit("What is your name?", NAME, key="name")
    if not name:
        return "nobody"
    colour = await context.elicit("Which colour?", COLOUR, key="colour")
    return f"{name.content['name']}: {colour.content['colour']}" if colour else "no colour"


async def ask_all(context: Context) -> int:
    schema = {"type": "object", "properties": NAME}
    replies = await context.ask(
        {
            "name": Form("Name?", schema),
            "greeting": Sample({"messages": GREET, "maxTokens": 100}),
            "roots": Roots(),
        }
    )
    return len(replies)


def words(value: str) -> list[str]:
    return [word for word in ("apple", "pear") if word.startswith(value)]
