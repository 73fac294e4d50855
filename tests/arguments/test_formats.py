"""The one checker of formats, text by text."""

import pytest

from runner.arguments.formats import CHECKERS, EXPECTED, FORMATS

_GOOD = {
    "uuid": ["3f2b8c1e-9d4a-4c6b-8e7f-0a1b2c3d4e5f", "3F2B8C1E-9D4A-4C6B-8E7F-0A1B2C3D4E5F"],
    "date": ["2026-01-31", "2024-02-29"],
    "date-time": ["2026-01-31T12:00:00Z", "2026-01-31t23:59:59.123456789+05:30"],
    "time": ["12:30:00", "00:00:00.5", "12:30:00Z", "12:30:00-03:00"],
    "duration": ["PT15M", "P3D", "P1Y2M3DT4H5M6.5S", "P2W"],
    "email": ["ann@example.com", "a.b+c@localhost"],
    "uri": ["https://example.com/a?b=c#d", "urn:isbn:1", "mailto:a@b.de", "x:%20"],
    "hostname": ["example.com", "a-b"],
    "ipv4": ["127.0.0.1"],
    "ipv6": ["::1"],
}
_BAD = {
    "uuid": ["", "3f2b8c1e9d4a4c6b8e7f0a1b2c3d4e5f", "{3f2b8c1e-9d4a-4c6b-8e7f-0a1b2c3d4e5f}"],
    "date": ["2026-02-30", "2026-1-1", "20260131", "2026-01-31T00:00:00Z", "２０２６-01-31",
             "2026-W01-1"],
    "date-time": ["2026-01-31T12:00:00", "2026-01-31 12:00:00Z", "2026-02-30T12:00:00Z",
                  "2026-01-31T24:00:00Z", "2026-01-31T12:00:00Z\n"],
    "time": ["24:00:00", "12:30", "noon"],
    "duration": ["P", "PT", "P1", "1D", "P1W2D", "PT1.5M"],
    "email": ["ann", "@example.com", "a b@example.com", "a@-b.de", "a@b@c.de", f"{'a' * 65}@b.de"],
    "uri": ["example.com", "/a", "https:", "http://a b", "x:%2", "x:#a#b", "http://é"],
    "hostname": ["", "-a", "a..b", "a" * 64],
    "ipv4": ["256.0.0.1", "1.2.3", "01.2.3.4"],
    "ipv6": ["1", "::g"],
}  # fmt: skip


@pytest.mark.parametrize(("name", "text"), [(n, t) for n, texts in _GOOD.items() for t in texts])
def test_a_text_of_the_format_is_accepted(name: str, text: str) -> None:
    assert FORMATS[name](text) is True


@pytest.mark.parametrize(("name", "text"), [(n, t) for n, texts in _BAD.items() for t in texts])
def test_another_text_is_refused(name: str, text: str) -> None:
    assert FORMATS[name](text) is False


def test_every_checked_format_has_words_and_every_other_accepts_all() -> None:
    assert set(EXPECTED) == set(FORMATS)
    assert all(CHECKERS[name]("\n") for name in set(CHECKERS) - set(FORMATS))
