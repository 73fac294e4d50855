"""Who a request is from, where no token says it: the one decision, per transport.

Anonymous callers over HTTP are the configured identity or nobody in particular; with an `auth:`
section that does not admit them they are refused.
"""

from runner.catalog.caller import ANONYMOUS, Caller
from runner.catalog.catalog import Identities


def http_caller(identities: Identities) -> Caller | None:
    """The caller of an HTTP request without credentials; None: such a request is refused."""
    return identities.anonymous


def stdio_caller(identities: Identities) -> Caller:
    """The caller over stdio, where the process itself is the proof."""
    return identities.stdio or ANONYMOUS
