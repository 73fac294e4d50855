"""What MCP demands of a server: every requirement with its clause, and the tests that hold it.

An id is never reused. A requirement is not `available` while the feature that it is about is not
built; a test fails on an available one without a test, and on a test of an unknown one.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

T = TypeVar("T", bound=Callable[..., object])


@dataclass(frozen=True)
class Requirement:
    """One thing that a server does."""

    level: str
    """M: MUST, S: SHOULD, D: a decision of this project."""
    clause: str
    """A page of MCP 2026-07-28, by subject."""
    behaviour: str
    available: bool


def requirement(*ids: str) -> Callable[[T], T]:
    """Marks a test as holding these requirements."""
    unknown = [name for name in ids if name not in REQUIREMENTS]
    assert not unknown, f"no such requirement: {unknown}"
    return lambda test: test


_LATER = """
P-115
P-140 P-141
P-142 P-143 P-144 P-145 P-146 P-150 P-151 P-152 P-153 P-154 P-155
P-190 P-191 P-192 P-193 P-194 P-195 P-196 P-210 P-211
"""

_TABLE = """\
P-001 | M | basic, messages | every message is JSON-RPC 2.0, UTF-8, one object
P-002 | M | basic, messages | ids: string or integer only; null, boolean, fraction refused with \
-32600
P-003 | M | basic, messages | responses and errors echo the request id with its type
P-004 | M | basic, messages | unreadable id: error has no id member
P-005 | M | basic, messages | notifications are never answered
P-006 | M | basic, messages | a batch array is refused (-32600)
P-007 | M | basic, messages | server never sends a JSON-RPC request
P-008 | M | basic, error codes | unassigned codes in -32020..-32099, and -32002, -32042, are \
never emitted
P-009 | D | basic, messages | output is strict JSON: no NaN, no Infinity
P-010 | M | basic, error codes | not JSON: 400, -32700
P-020 | M | basic, request metadata | missing or incomplete _meta: 400, -32602, key named
P-021 | M | basic, request metadata | request without clientInfo is served
P-022 | M | basic, request metadata | MCP-Protocol-Version missing or different from the body: \
400, -32020
P-023 | M | basic, request metadata | unserved version: -32022 with supported and echoed \
requested; HTTP 400
P-024 | D | basic, request metadata | supported equals supportedVersions, modern only
P-025 | M | basic, request metadata | unknown, removed or unadvertised method: 404, -32601
P-026 | M | basic/versioning | removed methods with a modern envelope (initialize, ping, \
logging/setLevel, resources/subscribe, resources/unsubscribe): 404, -32601
P-027 | M | basic/versioning | both eras served on one endpoint, decided per message
P-028 | M | basic, statelessness | nothing is inferred from earlier requests (version, \
capabilities, identity)
P-029 | M | basic, request metadata | undeclared but needed capability: -32021 with a \
requiredCapabilities object; HTTP 400
P-030 | D | basic, request metadata | header and envelope errors are sent as plain JSON before \
any SSE
P-040 | M | streamable-http, request headers | Mcp-Method missing, duplicated or different (case \
counts): 400, -32020
P-041 | M | streamable-http, request headers | Mcp-Name missing or different on tools/call, \
prompts/get, resources/read: 400, -32020
P-042 | M | streamable-http, request headers | header names match case-insensitively; \
surrounding whitespace ignored
P-043 | M | streamable-http, value encoding | base64 sentinel decoded before comparison in \
Mcp-Name and Mcp-Param-*
P-044 | M | streamable-http, value encoding | broken sentinel (alphabet, padding, UTF-8) or \
forbidden bytes: 400, -32020
P-045 | M | streamable-http, value encoding | value with only prefix or only suffix of the \
sentinel is literal
P-046 | M | streamable-http, x-mcp-header | annotated argument present, header missing or \
different: 400, -32020
P-047 | M | streamable-http, x-mcp-header | argument absent or null: header not demanded
P-048 | S | streamable-http, x-mcp-header | integer parameters compare numerically
P-049 | M | streamable-http, x-mcp-header | tools with an invalid x-mcp-header are refused at \
compile time
P-050 | M | streamable-http, responses | request answered as application/json or \
text/event-stream
P-051 | M | streamable-http, responses | accepted notification: 202, empty body
P-052 | M | streamable-http, responses | stream holds only related notifications, then one \
response, then ends
P-053 | S | streamable-http, responses | SSE has X-Accel-Buffering: no; keep-alive comments; no \
event ids
P-054 | M | streamable-http, responses | disconnect cancels the request; nothing more is sent
P-055 | S | streamable-http, responses | GET and DELETE: 405 with Allow
P-056 | M | streamable-http, security | bad Origin: 403; absent Origin passes; loopback origin \
passes on a loopback server
P-057 | S | streamable-http, security | binds to loopback by default; foreign Host refused there
P-058 | M | streamable-http, request headers | Mcp-Session-Id never issued; incoming one and \
Last-Event-ID ignored
P-059 | D | streamable-http, content negotiation | 406, 413, 415 policies
P-070 | M | basic, result metadata | every result has resultType
P-071 | S | basic, result metadata | every result _meta has serverInfo
P-072 | M | basic, result metadata | integer ttlMs >= 0 and cacheScope on the six cacheable \
results (and skills/list, skills/get), absent elsewhere
P-073 | M | server/utilities/caching | same cacheScope on all pages; caller-dependent data is \
private
P-074 | M | server/discover | server/discover works, with versions, capabilities, no body \
serverInfo
P-075 | M | basic, capabilities | advertised capabilities equal working methods
P-076 | M | basic, statelessness | lists do not change by connection or as a side effect of \
calls
P-077 | S | server/utilities/pagination | deterministic list order
P-078 | S | server/utilities/pagination | invalid cursor: -32602; cursor valid on any replica; \
no empty nextCursor
P-079 | S | basic, request metadata | unknown logLevel: -32602
P-080 | M | basic, request metadata | trace keys propagated; malformed ones dropped, never an \
error
P-090 | S | server/tools, definition | tool names: 1..128 of the allowed characters, unique
P-091 | M | server/tools, schemas | inputSchema root is type: object; schemas valid in their \
dialect, 2020-12 by default; unsupported dialect refused
P-092 | M | server/tools, schemas | no network $ref is ever fetched; unresolved external \
reference is an error
P-093 | S | server/tools, schemas | schema depth, size and validation time bounded
P-094 | M | server/tools, calling | unknown tool: -32602 (HTTP 400 modern, 200 legacy)
P-095 | S | server/tools, calling | argument validation failure: result with isError: true, \
fields named
P-096 | S | server/tools, calling | binding failures (SQL, HTTP, callable) are tool errors \
without internals
P-097 | M | server/tools, calling | with outputSchema, success carries conforming \
structuredContent
P-098 | M | server/tools, calling | any JSON value allowed as structuredContent; JSON text block \
beside it
P-099 | D | server/tools, calling | isError results carry no structuredContent
P-100 | M | server/tools, calling | content array always present; images and audio in base64 \
with mimeType
P-110 | M | server/resources | unknown resource: -32602 with data.uri; never empty contents
P-111 | M | server/resources | resources/templates/list answers whenever resources is advertised
P-112 | M | server/resources | URIs validated; no traversal outside configured roots
P-113 | M | server/resources | binary contents are base64 in blob
P-114 | S | server/prompts | unknown prompt, missing required argument: -32602
P-115 | M | server/utilities/completion | completion: at most 100 values; rate limited; \
access-checked
P-116 | M | server/utilities/logging | no notifications/message without logLevel; only at or \
above it; only on that request
P-117 | M | basic/utilities/progress | progress only with token, strictly rising, none after the \
end
P-120 | M | client input, multi round-trip | input_required only on tools/call, prompts/get, \
resources/read
P-121 | M | client input, multi round-trip | it has inputRequests or requestState
P-122 | M | client input, multi round-trip | only declared capabilities and modes are requested
P-123 | M | client input, multi round-trip | tampered, expired or foreign requestState: -32602
P-124 | S | client input, multi round-trip | state bound to principal, method, arguments; short \
expiry
P-125 | S | client input, multi round-trip | missing answer: asked again; surplus answers \
ignored; malformed answers never accepted
P-126 | M | client input, multi round-trip | decline and cancel handled
P-127 | M | client input, multi round-trip | no secrets through forms; URL mode rules kept
P-128 | S | client input, multi round-trip | any replica with the key can finish a flow begun on \
another
P-130 | M | basic/utilities/subscriptions | acknowledgement is the first message of a listen \
stream, with the granted subset
P-131 | M | basic/utilities/subscriptions | every listen message carries the subscription id \
with the request id's type
P-132 | M | basic/utilities/subscriptions | kinds not asked for are not sent
P-133 | S | basic/utilities/subscriptions | graceful end: result with subscription id; stdio \
also notifications/cancelled
P-134 | M | basic/utilities/subscriptions | client cancel of a listen: no further message, no \
response
P-140 | M | extension ui, server | view resource: ui://, MIME text/html;profile=mcp-app, HTML5 \
document
P-141 | M | extension ui, server | a tool's resourceUri exists
P-142 | M | extension ui, server | UI tools return meaningful content without UI support
P-143 | D | extension ui, server | _meta.ui on list and content entries; flat alias on tools
P-144 | D | extension ui, server | built view makes no undeclared network access and no CSP \
violation under the default policy
P-145 | M | extension ui, bridge | bridge: listener, ui/initialize, then initialized; checks \
event.source; answers teardown and ping
P-146 | D | extension ui, bridge | bridge treats error and isError alike; optional messages \
gated on host capabilities
P-150 | M | extension skills | skills extension implies resources, skills/list, skills/get
P-151 | M | extension skills | last path segment equals frontmatter name
P-152 | M | extension skills | entry lists every file once with right digest and size; \
frontmatter equals the file's
P-153 | M | extension skills | bytes served by resources/read hash to the digest in the entry
P-154 | M | extension skills | skills/get for unknown URI, directory read of a non-directory: \
-32602
P-155 | S | extension skills | 512 files and 16 MiB per skill not exceeded
P-160 | M | extension tasks | task results only to requests declaring the extension; tasks/* \
without it: -32021
P-161 | M | extension tasks | create result is flat with resultType: "task"; all other task \
results "complete"; no requestState
P-162 | M | extension tasks | task readable at once on every replica; ids unguessable; owner \
checked
P-163 | M | extension tasks | unknown task on tasks/get: -32602; tasks/list and tasks/result: \
-32601
P-164 | M | extension tasks | failed only for JSON-RPC errors; tool errors are completed
P-165 | M | extension tasks | Mcp-Name equals taskId on tasks methods
P-170 | M | legacy, lifecycle | initialize echoes a supported legacy version, else answers \
2025-11-25
P-171 | D | legacy, lifecycle | listChanged/subscribe claimed over stdio alone, where changes \
are followed; no session header
P-172 | M | legacy, methods | ping gives {}
P-173 | S | legacy, transport | absent MCP-Protocol-Version means 2025-03-26; every legacy \
request served without prior initialize
P-174 | D | legacy, transport | JSON-RPC errors of well-formed requests use HTTP 200
P-175 | D | legacy, methods | no modern result members in legacy results
P-176 | S | legacy, methods | resource not found: -32002
P-177 | D | legacy, shapes | non-object output wrapped in result, schema and value together
P-178 | M | legacy, batches | 2025-03-26 batches accepted; other versions refuse them
P-179 | D | legacy, shapes | content types unknown to the version are replaced
P-190 | M | basic/authorization, metadata | protected resource metadata at path-suffixed and \
root well-known, with resource and authorization_servers
P-191 | M | basic/authorization, challenges | no or invalid token: 401 with resource_metadata; \
error only if a token was sent
P-192 | S | basic/authorization, challenges | small scope: 403 insufficient_scope with the full \
scope list of the operation
P-193 | M | basic/authorization, tokens | audience, issuer, expiry, signature checked; foreign \
tokens refused
P-194 | M | basic/authorization, tokens | token never in query, never passed upstream, never \
logged
P-195 | S | basic/authorization, metadata | offline_access never offered or challenged
P-196 | M | basic/authorization, challenges | every request authorized on its own; broader \
scopes accepted where they imply narrower
P-200 | M | basic/transports/stdio | stdout carries only messages, one per line; user prints go \
to stderr
P-201 | M | basic/transports/stdio | cancelled request: no further message
P-202 | S | basic/transports/stdio | EOF or SIGTERM ends the process promptly
P-203 | D | basic/transports/stdio | both eras in one process; envelope decides; probe with \
server/discover answered at once
P-204 | D | basic/transports/stdio | malformed line: -32700 without id, process goes on
P-210 | M | basic/security | rate limits on tool calls and completions
P-211 | M | basic/security | per-item access control independent of list filtering and \
cacheScope
P-212 | M | basic/security | SQL arguments bound, never spliced
P-213 | M | basic/security | no credentials, personal data or internals in logs, log \
notifications, errors
P-214 | D | basic/security | outbound HTTP restricted by host; private ranges refused unless \
configured; redirects re-checked
P-215 | D | server/tools, definition | read-only hint never set on a statement that writes
"""


def _read(line: str) -> tuple[str, Requirement]:
    name, level, clause, behaviour = line.split(" | ", 3)
    return name, Requirement(level, clause, behaviour, name not in _LATER.split())


REQUIREMENTS = dict(_read(line) for line in _TABLE.splitlines())
