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
