"""A MariaDB server of a test's own: with TLS, with settings that would undo ours, to be stopped."""

import os
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import pymysql
import pytest
import trustme

BOUND_S = 60.0


def _free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        port: int = listener.getsockname()[1]
        return port


@dataclass
class Server:
    """A server that runs between `start` and `stop`; its folder outlives a stop."""

    folder: Path
    options: tuple[str, ...]
    port: int = field(default_factory=_free_port)
    process: subprocess.Popen[bytes] | None = None

    @property
    def environment(self) -> dict[str, str]:
        """A folder for temporary files: a server that starts removes those that others left."""
        return {**os.environ, "TMPDIR": str(self.folder)}

    def start(self) -> None:
        """Returns when it answers."""
        self.process = subprocess.Popen(
            [
                *("mariadbd", "--no-defaults", "--user=root", "--bind-address=127.0.0.1"),
                *("--innodb-buffer-pool-size=16M", f"--datadir={self.folder / 'data'}"),
                *(f"--socket={self.folder / 's'}", f"--port={self.port}", *self.options),
            ],
            env=self.environment,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        end = time.monotonic() + BOUND_S
        while True:
            try:
                self.rows("SELECT 1")
            except pymysql.OperationalError:
                if time.monotonic() > end or self.process.poll() is not None:
                    raise
            else:
                return

    def stop(self) -> None:
        """Ends it at once, as a crash does."""
        assert self.process is not None
        self.process.kill()
        self.process.wait(BOUND_S)

    def rows(self, text: str) -> list[tuple[object, ...]]:
        """What it says to somebody else than the server under test."""
        with pymysql.connect(
            host="127.0.0.1", port=self.port, user="root", ssl_disabled=True, autocommit=True
        ) as connection:
            cursor = connection.cursor()
            cursor.execute(text)
            return [tuple(row) for row in cursor.fetchall()]

    def url(self, options: str = "", host: str = "127.0.0.1") -> str:
        """Of the database `lab`."""
        return f"mariadb://root@{host}:{self.port}/lab{options}"


@contextmanager
def mariadb_server(folder: Path, *options: str) -> Iterator[Server]:
    """A running server with the empty database `lab`; `folder` has `ca.pem`, which signed it."""
    authority = trustme.CA()
    authority.cert_pem.write_to_path(str(folder / "ca.pem"))
    trustme.CA().cert_pem.write_to_path(str(folder / "other.pem"))
    certificate = authority.issue_cert("localhost")
    certificate.private_key_pem.write_to_path(str(folder / "key.pem"))
    certificate.cert_chain_pems[0].write_to_path(str(folder / "cert.pem"))
    tls = [f"--ssl-ca={folder / 'ca.pem'}", f"--ssl-cert={folder / 'cert.pem'}"]
    server = Server(folder, (*tls, f"--ssl-key={folder / 'key.pem'}", *options))
    try:
        subprocess.run(
            [
                *("mariadb-install-db", "--no-defaults", "--user=root", "--skip-test-db"),
                *("--auth-root-authentication-method=normal", f"--datadir={folder / 'data'}"),
            ],
            check=True,
            env=server.environment,
            capture_output=True,
            timeout=BOUND_S,
        )
    except FileNotFoundError:
        if os.environ.get("MCP_RUN_SERVICES") == "optional":
            pytest.skip("MariaDB is not installed and services are optional")
        raise
    server.start()
    try:
        server.rows("CREATE DATABASE lab")
        yield server
    finally:
        server.stop()
