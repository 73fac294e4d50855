"""What is said of a certificate that does not do."""

from pathlib import Path

import pytest
import trustme

from runner.catalog.catalog import Tls
from runner.errors import StartError
from runner.serving.certificate import check_certificate


@pytest.fixture
def pair(tmp_path: Path) -> Tls:
    """A certificate and its key."""
    issued = trustme.CA().issue_cert("127.0.0.1")
    certificate, key = tmp_path / "certificate.pem", tmp_path / "key.pem"
    issued.cert_chain_pems[0].write_to_path(str(certificate))
    issued.private_key_pem.write_to_path(str(key))
    return Tls(str(certificate), str(key))


def refusal(tls: Tls) -> tuple[str, str | None]:
    with pytest.raises(StartError) as caught:
        check_certificate(tls)
    return str(caught.value), caught.value.hint


def test_certificate_with_its_key_will_do(pair: Tls) -> None:
    check_certificate(pair)


def test_missing_file_is_named(pair: Tls) -> None:
    Path(pair.key).unlink()
    assert refusal(pair) == (
        f"'{pair.key}' cannot be read: No such file or directory",
        "check serve.tls; paths start at the file's folder",
    )


@pytest.mark.parametrize("which", ["another key", "no PEM"])
def test_files_that_do_not_belong_together_are_told(pair: Tls, which: str) -> None:
    if which == "no PEM":
        Path(pair.key).write_text("key")
    else:
        trustme.CA().issue_cert("127.0.0.1").private_key_pem.write_to_path(pair.key)
    assert refusal(pair) == (
        f"'{pair.certificate}' and '{pair.key}' are no certificate and its key",
        "both are PEM files, the key without a password, the certificate with its chain",
    )
