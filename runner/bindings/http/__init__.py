"""The live side of HTTP plans: requests of APIs, guarded and bounded.

`HttpBinding` runs one plan with an `ApiClient`, of which there is one an API.
"""

from runner.bindings.http.binding import HttpBinding
from runner.bindings.http.client import ApiClient, open_api

__all__ = ["ApiClient", "HttpBinding", "open_api"]
