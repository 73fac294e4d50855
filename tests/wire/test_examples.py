"""The example messages of the contract that this server keeps, held against the schemas."""

import json
from pathlib import Path

import pytest

from runner.codec.json import encode
from tests.wire.client import an_app, modern_headers
from tests.wire.http_client import send
from tests.wire.recording import validator
from tests.wire.serving import a_protocol

EXAMPLES = json.loads((Path(__file__).parent / "examples.json").read_text("utf-8"))
BEYOND = [
    {"code": -32602, "message": "No tool is named 'orders_by_city'"},
    {"code": -32602, "message": "No tool is named 'cancel_order'"},
    {"code": -32601, "message": "No method is named 'subscriptions/listen'"},
]
"""What stands behind the envelope and is not served here: nothing that could change, for one."""
REQUESTS = [item for item in EXAMPLES if item["type"].endswith("Request")]


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda item: item["type"])
def test_example_is_valid(example: dict[str, str]) -> None:
    validator(example["schema"], example["type"]).validate(example["message"])


@pytest.mark.parametrize("example", REQUESTS, ids=lambda item: item["type"])
def test_example_request_is_understood(example: dict[str, dict[str, object]]) -> None:
    """It gets as far as the method itself."""
    message = example["message"]
    headers = {} if message["method"] == "initialize" else modern_headers(message)

    response = send(an_app(a_protocol()), encode(message), headers)

    error = json.loads(response.body).get("error")
    assert error in (None, *BEYOND)
