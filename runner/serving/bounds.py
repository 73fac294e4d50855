"""What one client may take of a process before its request is read; both engines keep to it."""

from typing import Final

HEAD_BYTES: Final = 64 * 1024
"""For the line and the headers of one request; common proxies allow less."""
HEAD_S: Final = 30.0
"""From the first byte of a request to the end of its headers."""
STALL_S: Final = 30.0
"""For a client to take the next part of an answer; who takes nothing is cut off."""
PART_BYTES: Final = 64 * 1024
"""Of an answer: handed on and waited for at once."""
LEAST_BYTES: Final = 16 * 1024
"""To be taken within `STALL_S`."""
