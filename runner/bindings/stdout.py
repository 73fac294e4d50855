"""Keeps stdout for the protocol: over stdio every byte there is a message.

A print of an author's function, a C library's write to descriptor 1, a child process's output:
all of it goes to stderr, because descriptor 1 itself is turned away while the server runs.
"""

import contextlib
import ctypes
import logging
import os
import sys
from collections.abc import Iterator
from typing import BinaryIO, Final

from runner.errors import StartError

STDOUT: Final = 1
STDERR: Final = 2


@contextlib.contextmanager
def protocol_stdout() -> Iterator[BinaryIO]:
    """The real stdout, unbuffered, as the only handle to it; it is put back at the end.

    Raises:
        StartError: the process has no stdout.
    """
    _flush()
    try:
        real = os.dup(STDOUT)  # not inherited by child processes
    except OSError as error:
        raise StartError("stdout is closed, so that no client can be answered") from error
    elsewhere = _stderr()
    os.dup2(elsewhere, STDOUT)
    try:
        with (
            open(real, "wb", buffering=0, closefd=False) as handle,
            contextlib.redirect_stdout(sys.stderr),
        ):
            yield handle
    finally:
        _flush()
        os.dup2(real, STDOUT)
        os.close(real)
        if elsewhere != STDERR:
            os.close(elsewhere)


@contextlib.contextmanager
def logged_warnings() -> Iterator[None]:
    """Python's warnings go to the logger `py.warnings`, in every mode."""
    logging.captureWarnings(True)
    try:
        yield
    finally:
        logging.captureWarnings(False)


def _stderr() -> int:
    """Descriptor 2; where it is closed, one that swallows."""
    try:
        os.fstat(STDERR)
    except OSError:
        return os.open(os.devnull, os.O_WRONLY)
    return STDERR


def _flush() -> None:
    """Empties Python's and C's buffers into what descriptor 1 is now."""
    if sys.stdout is not None:
        sys.stdout.flush()
    if os.name == "posix":
        ctypes.CDLL(None).fflush(None)
