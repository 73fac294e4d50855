"""Sealed texts: what the server gives out and takes back, and nobody else can make or change.

A seal proves who wrote a value and for what purpose; it hides nothing. Keys come in as arguments,
newest first: the first one seals, every one opens, so that keys can be changed without a break.
"""

import base64
import binascii
import hashlib
import hmac
from collections.abc import Sequence
from typing import Final

from runner.codec.json import Json, JsonFault, decode, encode

MAC_BYTES: Final = 16
"""128 bits: nobody guesses one, and cursors stay short."""


class SealError(ValueError):
    """The text was not sealed by one of these keys for this purpose."""


class Seal:
    """Seals JSON values for a purpose: a value sealed for one is none for another."""

    def __init__(self, keys: Sequence[bytes]) -> None:
        if not keys:
            raise ValueError("a seal needs a key")
        self._keys = tuple(keys)

    def close(self, value: Json, *, purpose: bytes) -> str:
        """The sealed text of a JSON-safe value; safe in a URL."""
        body = encode(value)
        sealed = _mac(self._keys[0], body, purpose) + body
        return base64.urlsafe_b64encode(sealed).rstrip(b"=").decode("ascii")

    def open(self, text: str, *, purpose: bytes) -> Json:
        """The value that was sealed.

        Raises:
            SealError: the text is broken, of another key or of another purpose.
        """
        try:
            sealed = base64.b64decode(
                text.encode("ascii") + b"=" * (-len(text) % 4), altchars=b"-_", validate=True
            )
        except (binascii.Error, UnicodeEncodeError) as error:
            raise SealError("not a sealed text") from error
        if base64.urlsafe_b64encode(sealed).rstrip(b"=").decode("ascii") != text:
            raise SealError("not a sealed text")
        mac, body = sealed[:MAC_BYTES], sealed[MAC_BYTES:]
        if not any(hmac.compare_digest(mac, _mac(key, body, purpose)) for key in self._keys):
            raise SealError("not sealed for this purpose by this server")
        try:
            return decode(body)
        except JsonFault as error:
            raise SealError("not a sealed JSON value") from error


def _mac(key: bytes, body: bytes, purpose: bytes) -> bytes:
    bound = len(purpose).to_bytes(8, "big") + purpose + body
    return hmac.new(key, bound, hashlib.sha256).digest()[:MAC_BYTES]
