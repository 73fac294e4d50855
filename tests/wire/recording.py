"""Every message that a test sees is held against the published schema of its version."""

import functools
import json
from pathlib import Path

from jsonschema import Draft202012Validator

SCHEMAS = Path(__file__).parent.parent / "schema"
MODERN_SCHEMA, LEGACY_SCHEMA = "2026-07-28", "2025-11-25"

_RESPONSES = {
    (MODERN_SCHEMA, "tools/list"): "ListToolsResultResponse",
    (MODERN_SCHEMA, "tools/call"): "CallToolResultResponse",
    (MODERN_SCHEMA, "server/discover"): "DiscoverResultResponse",
    (MODERN_SCHEMA, "subscriptions/listen"): "SubscriptionsListenResultResponse",
    (MODERN_SCHEMA, "resources/list"): "ListResourcesResultResponse",
    (MODERN_SCHEMA, "resources/templates/list"): "ListResourceTemplatesResultResponse",
    (MODERN_SCHEMA, "resources/read"): "ReadResourceResultResponse",
    (MODERN_SCHEMA, "prompts/list"): "ListPromptsResultResponse",
    (MODERN_SCHEMA, "prompts/get"): "GetPromptResultResponse",
    (MODERN_SCHEMA, "completion/complete"): "CompleteResultResponse",
}
_RESULTS = {
    "initialize": "InitializeResult",
    "ping": "EmptyResult",
    "logging/setLevel": "EmptyResult",
    "tools/list": "ListToolsResult",
    "tools/call": "CallToolResult",
    "resources/list": "ListResourcesResult",
    "resources/templates/list": "ListResourceTemplatesResult",
    "resources/read": "ReadResourceResult",
    "prompts/list": "ListPromptsResult",
    "prompts/get": "GetPromptResult",
    "completion/complete": "CompleteResult",
}
_NOTIFICATIONS = {
    "notifications/progress": "ProgressNotification",
    "notifications/message": "LoggingMessageNotification",
    "notifications/subscriptions/acknowledged": "SubscriptionsAcknowledgedNotification",
    "notifications/tools/list_changed": "ToolListChangedNotification",
    "notifications/prompts/list_changed": "PromptListChangedNotification",
    "notifications/resources/list_changed": "ResourceListChangedNotification",
    "notifications/resources/updated": "ResourceUpdatedNotification",
    "notifications/tasks": "JSONRPCNotification",  # of an extension: the core's schema has none
}


@functools.cache
def validator(schema: str, name: str) -> Draft202012Validator:
    """The validator of one type of a published schema."""
    document = json.loads((SCHEMAS / f"{schema}.json").read_text("utf-8"))
    return Draft202012Validator({"$ref": f"#/$defs/{name}", "$defs": document["$defs"]})


def check(message: object, schema: str, method: str = "") -> None:
    """Fails unless a server may send `message` in answer to `method`."""
    assert isinstance(message, dict)
    validator(schema, "JSONRPCMessage").validate(message)
    if "error" in message:
        validator(schema, "JSONRPCErrorResponse").validate(message)
        if message["error"]["code"] == -32022:
            validator(MODERN_SCHEMA, "UnsupportedProtocolVersionError").validate(message)
    elif "method" in message:
        validator(schema, _NOTIFICATIONS[message["method"]]).validate(message)
        assert "id" not in message
    elif schema == MODERN_SCHEMA:
        # The core's schema does not know the handle of a task.
        is_task = message["result"].get("resultType") == "task"
        name = "" if is_task else _RESPONSES.get((schema, method), "")
        name = name or "JSONRPCResultResponse"
        validator(schema, name).validate(message)
    else:
        validator(schema, _RESULTS.get(method, "Result")).validate(message["result"])
