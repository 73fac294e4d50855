"""The one checker of formats: which texts are a `uuid`, a `date`, a `uri` …

Every validator of the program, for arguments and for results, is given these functions, so that no
library's own reading counts. A format that is not in `FORMATS` is an annotation and is not checked.
Source: JSON Schema 2020-12, validation, section 7.3; RFC 3339, RFC 3986, RFC 9562.
"""

import re
from collections.abc import Callable, Mapping
from datetime import date
from ipaddress import AddressValueError, IPv4Address, IPv6Address

_CLOCK = r"(?:[01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9](?:\.[0-9]+)?"
_OFFSET = r"(?:[Zz]|[+-](?:[01][0-9]|2[0-3]):[0-5][0-9])"
_DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}\Z")
_DATE_TIME = re.compile(rf"([0-9]{{4}}-[0-9]{{2}}-[0-9]{{2}})[Tt]{_CLOCK}{_OFFSET}\Z")
_TIME = re.compile(rf"{_CLOCK}{_OFFSET}?\Z")
_UUID = re.compile(r"[0-9a-fA-F]{8}-(?:[0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}\Z")
_DURATION = re.compile(
    r"P(?:[0-9]+W|(?=[0-9T])(?:[0-9]+Y)?(?:[0-9]+M)?(?:[0-9]+D)?"
    r"(?:T(?=[0-9])(?:[0-9]+H)?(?:[0-9]+M)?(?:[0-9]+(?:\.[0-9]+)?S)?)?)\Z"
)
_LABEL = r"[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?"
_HOST = re.compile(rf"{_LABEL}(?:\.{_LABEL})*\Z")
_LOCAL = re.compile(r"[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+(?:\.[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+)*\Z")
_URI = re.compile(
    r"[A-Za-z][A-Za-z0-9+.-]*:(?:[A-Za-z0-9._~:/?#\[\]@!$&'()*+,;=-]|%[0-9A-Fa-f]{2})+\Z"
)


def _is_date(text: str) -> bool:
    if not _DATE.match(text):
        return False
    try:
        date.fromisoformat(text)
    except ValueError:
        return False
    return True


def _is_date_time(text: str) -> bool:
    found = _DATE_TIME.match(text)
    return found is not None and _is_date(found[1])


def _is_host(text: str) -> bool:
    return len(text) <= 253 and _HOST.match(text) is not None


def _is_email(text: str) -> bool:
    local, _, domain = text.rpartition("@")
    return len(local) <= 64 and _LOCAL.match(local) is not None and _is_host(domain)


def _is_uri(text: str) -> bool:
    return text.count("#") <= 1 and _URI.match(text) is not None


def _matches(pattern: re.Pattern[str]) -> Callable[[str], bool]:
    return lambda text: pattern.match(text) is not None


def _is_address(kind: type[IPv4Address] | type[IPv6Address]) -> Callable[[str], bool]:
    def check(text: str) -> bool:
        try:
            kind(text)
        except AddressValueError:
            return False
        return True

    return check


FORMATS: Mapping[str, Callable[[str], bool]] = {
    "uuid": _matches(_UUID),
    "date": _is_date,
    "date-time": _is_date_time,
    "time": _matches(_TIME),
    "duration": _matches(_DURATION),
    "email": _is_email,
    "uri": _is_uri,
    "hostname": _is_host,
    "ipv4": _is_address(IPv4Address),
    "ipv6": _is_address(IPv6Address),
}
"""By the name in a schema; each says whether a text is one."""

EXPECTED: Mapping[str, str] = {
    "uuid": "a UUID such as 3f2b8c1e-9d4a-4c6b-8e7f-0a1b2c3d4e5f",
    "date": "a date such as 2026-01-31",
    "date-time": "a date and time with offset such as 2026-01-31T12:00:00Z",
    "time": "a time such as 12:30:00",
    "duration": "an ISO 8601 duration such as PT15M or P3D",
    "email": "an email address",
    "uri": "a URI with its scheme such as https://example.com/",
    "hostname": "a host name",
    "ipv4": "an IPv4 address",
    "ipv6": "an IPv6 address",
}
"""What a fault says was expected."""


def _accept(_text: str) -> bool:
    return True


CHECKERS: dict[str, Callable[[str], bool]] = {
    **dict.fromkeys(
        (
            "idn-email", "idn-hostname", "iri", "iri-reference", "uri-reference", "uri-template",
            "json-pointer", "relative-json-pointer", "regex",
        ),
        _accept,
    ),
    **FORMATS,
}  # fmt: skip
"""`FORMATS`, and for every other format of the standard a checker that accepts all: the validator's
own is not asked."""
