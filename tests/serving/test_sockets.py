"""The listening socket and what is said when there is none."""

import pytest

from runner.errors import StartError
from runner.serving.sockets import address_of, bind


def test_port_0_takes_a_free_port() -> None:
    with bind("127.0.0.1", 0) as sock:
        host, port = address_of(sock)
        assert host == "127.0.0.1"
        assert port > 0


def test_socket_listens_on_ipv6_too() -> None:
    with bind("[::1]", 0) as sock:
        assert address_of(sock)[0] == "::1"


def test_port_in_use_is_said_with_a_way_out() -> None:
    with bind("127.0.0.1", 0) as sock:
        port = address_of(sock)[1]
        with pytest.raises(StartError) as caught:
            bind("127.0.0.1", port)
    assert str(caught.value) == f"port {port} is in use"
    assert caught.value.hint == "choose another with --port"


def test_foreign_address_is_refused() -> None:
    with pytest.raises(StartError) as caught:
        bind("192.0.2.1", 0)
    assert str(caught.value) == "'192.0.2.1' is no address of this machine"
