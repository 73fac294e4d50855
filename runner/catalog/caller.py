"""Who calls: the identity in every request.

Knows nothing of tokens; `runner.auth` makes callers, policies and expressions read them.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Caller:
    """An identity; the principal is (`issuer`, `subject`)."""

    user_id: str | None = None
    email: str | None = None
    client_id: str | None = None
    scopes: frozenset[str] = frozenset()
    issuer: str | None = None
    claims: Mapping[str, object] = field(default_factory=dict, repr=False)
    authenticated: bool = False

    @property
    def principal(self) -> str:
        """The key of everything kept per caller; `anonymous` where nobody is known."""
        return f"{self.issuer or ''}|{self.user_id}" if self.user_id is not None else "anonymous"


ANONYMOUS = Caller()
