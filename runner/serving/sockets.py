"""The listening socket: made once by the parent and inherited by every worker."""

import errno
import socket

from runner.errors import StartError

BACKLOG = 2048


def bind(host: str, port: int) -> socket.socket:
    """A listening socket on `host` and `port`; port 0 takes a free one.

    Raises:
        StartError: the address is in use, unknown, or not allowed.
    """
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    sock = socket.socket(family, socket.SOCK_STREAM)
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        sock.bind((host.strip("[]"), port))
        sock.listen(BACKLOG)
    except OSError as error:
        sock.close()
        raise _start_error(host, port, error) from error
    sock.setblocking(False)
    sock.set_inheritable(True)
    return sock


def address_of(sock: socket.socket) -> tuple[str, int]:
    """The host and port that `sock` really has."""
    name = sock.getsockname()
    return str(name[0]), int(name[1])


def _start_error(host: str, port: int, error: OSError) -> StartError:
    match error.errno:
        case errno.EADDRINUSE:
            return StartError(f"port {port} is in use", hint="choose another with --port")
        case errno.EACCES:
            return StartError(f"port {port} is not allowed", hint="ports below 1024 need rights")
        case errno.EADDRNOTAVAIL:
            return StartError(f"'{host}' is no address of this machine")
        case _:
            return StartError(f"'{host}' cannot be listened on", hint="check serve.host")
