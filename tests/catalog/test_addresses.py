"""The rules of which addresses may be dialled."""

import ipaddress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runner.catalog.addresses import is_disguised, reach, reach_of_host


@pytest.mark.parametrize(
    ("address", "expected"),
    [
        ("8.8.8.8", "public"),
        ("127.0.0.1", "private"),
        ("127.255.255.254", "private"),
        ("10.1.2.3", "private"),
        ("172.16.0.1", "private"),
        ("172.32.0.1", "public"),
        ("192.168.1.1", "private"),
        ("169.254.169.254", "private"),
        ("100.64.0.1", "private"),
        ("0.0.0.0", "never"),
        ("224.0.0.1", "never"),
        ("255.255.255.255", "never"),
        ("2606:4700::1111", "public"),
        ("::1", "private"),
        ("::", "never"),
        ("fe80::1%eth0", "private"),
        ("fd00::1", "private"),
        ("ff02::1", "never"),
        ("::ffff:127.0.0.1", "private"),
        ("::ffff:8.8.8.8", "public"),
        ("::127.0.0.1", "never"),
        ("64:ff9b::10.0.0.1", "private"),
        ("64:ff9b::8.8.8.8", "public"),
        ("64:ff9b:1::10.0.0.1", "never"),
        ("2002:7f00:1::", "never"),
        ("2001:0:4136:e378::1", "never"),
        ("::ffff:0:127.0.0.1", "never"),
        ("example.com", "never"),
    ],
)
def test_an_address_reaches_as_far_as_its_block(address: str, expected: str) -> None:
    assert reach(address) == expected


@given(st.ip_addresses(v=4))
def test_an_embedded_address_reaches_as_far_as_the_plain_one(
    address: ipaddress.IPv4Address,
) -> None:
    plain = reach(str(address))
    assert reach(f"::ffff:{address}") == plain
    assert reach(f"64:ff9b::{address}") == plain


@given(st.ip_addresses())
def test_nothing_public_is_special_to_the_standard_library(
    address: ipaddress.IPv4Address | ipaddress.IPv6Address,
) -> None:
    special = (
        address.is_loopback,
        address.is_link_local,
        address.is_multicast,
        address.is_unspecified,
        address.is_reserved,
    )
    is_translated = str(address).startswith(("64:ff9b::", "::ffff:"))
    assert reach(str(address)) != "public" or is_translated or not any(special)


@pytest.mark.parametrize(
    "host", ["2130706433", "0x7f000001", "0x7f.1", "0177.0.0.1", "127.1", "127.0.0.1.", "1.2.3.256"]
)
def test_a_number_that_is_no_plain_address_is_a_disguise(host: str) -> None:
    assert is_disguised(host)
    assert reach_of_host(host) == "never"


@pytest.mark.parametrize(
    ("host", "expected"),
    [
        ("api.example.com", None),
        ("1.example", None),
        ("localhost", "private"),
        ("api.localhost.", "private"),
        ("127.0.0.1", "private"),
        ("8.8.8.8", "public"),
        ("::1", "private"),
    ],
)
def test_the_text_of_a_host_tells_only_of_addresses_and_localhost(
    host: str, expected: str | None
) -> None:
    assert reach_of_host(host) == expected
