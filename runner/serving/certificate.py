"""The certificate: tried before anything listens, so that a wrong one is told in words."""

import ssl

from runner.catalog.catalog import Tls
from runner.errors import StartError


def check_certificate(tls: Tls) -> None:
    """Returns if certificate and key can be read and belong together.

    Raises:
        StartError: says which file is wrong, and how.
    """
    for path in (tls.certificate, tls.key):
        try:
            with open(path, "rb"):
                pass
        except OSError as error:
            what = f"'{path}' cannot be read: {error.strerror}"
            raise StartError(
                what, hint="check serve.tls; paths start at the file's folder"
            ) from error
    try:
        # Without a password callback OpenSSL would ask the terminal for one.
        ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER).load_cert_chain(
            tls.certificate, tls.key, password=""
        )
    except ssl.SSLError as error:
        raise StartError(
            f"'{tls.certificate}' and '{tls.key}' are no certificate and its key",
            hint="both are PEM files, the key without a password, the certificate with its chain",
        ) from error
