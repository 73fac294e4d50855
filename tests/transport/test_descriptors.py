"""Descriptors whose other end goes away."""

import asyncio
import os

from runner.transport.descriptors import Input, Output


def test_output_whose_reader_is_gone_says_so() -> None:
    async def main() -> bool:
        reader, writer = os.pipe()
        os.close(reader)
        output = Output(writer)
        output.put(b"{}")
        await output.flush()
        output.close()
        os.close(writer)
        return output.is_broken

    assert asyncio.run(main())


def test_input_that_cannot_be_read_is_at_its_end() -> None:
    async def main() -> bytes:
        reader, writer = os.pipe()
        os.close(reader)
        data = await Input(writer).read()
        os.close(writer)
        return data

    assert asyncio.run(main()) == b""


def test_output_counts_what_nobody_has_read_yet() -> None:
    """A message in pieces, whose size is not known, counts as a mebibyte."""
    large = b"x" * 1_000_000

    async def main() -> tuple[int, int]:
        reader, writer = os.pipe()
        output = Output(writer)
        output.put(large)
        output.put(iter([b"y", b"z"]))
        unread = output.unwritten_bytes
        drained = asyncio.create_task(asyncio.to_thread(read_all, reader))
        await output.flush()
        read = output.unwritten_bytes
        os.close(writer)
        assert await drained == large + b"\nyz\n"
        output.close()
        return unread, read

    assert asyncio.run(main()) == (len(large) + 1 + 1024 * 1024, 0)


def read_all(descriptor: int) -> bytes:
    """Everything up to the end."""
    with os.fdopen(descriptor, "rb") as file:
        return file.read()
