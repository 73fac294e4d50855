"""What one client may take of a process before its request is read; both engines keep to it."""

from typing import Final

HEAD_BYTES: Final = 64 * 1024
"""For the line and the headers of one request; common proxies allow less."""
HEAD_S: Final = 30.0
"""From the first byte of a request to the end of its headers."""
