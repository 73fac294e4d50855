"""What goes on after its call was answered."""

import asyncio
from pathlib import Path

from runner import Context


async def later(name: str) -> str:
    await asyncio.sleep(0.05)
    return f"Hello, {name}!"


async def ask_later(context: Context) -> str:
    reply = await context.elicit("What is your name?", {"name": {"type": "string"}}, key="name")
    return f"Hello, {reply.content['name']}!"


async def hang(folder: str) -> str:
    Path(folder, "began").touch()
    try:
        await asyncio.Event().wait()
    finally:
        Path(folder, "ended").touch()
    return "never"
