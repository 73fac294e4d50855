"""Whatever comes in, on either transport, what goes out is a valid message, and soon.

Every example is a handful of right requests, each with up to three mutations. 10,000 messages are
sent, the same ones every time; `bench/fuzz.py` sends others, as many as it is told.
"""

import json
import os
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from runner.codec.json import JsonFault, decode
from tests.fuzz.mutations import MUTATIONS, TREE_MUTATIONS, Wire, mutated
from tests.fuzz.served import Message, Served, serving
from tests.fuzz.starts import starts
from tests.requirements import requirement
from tests.wire.recording import check_exchange, sent_over_stdio, takes_more

ASKED: Final = os.environ.get("MCP_RUN_FUZZ_MESSAGES")
MESSAGES: Final = int(ASKED or "10000")
BATCH: Final = 20
"""Messages of an example."""
STATUSES: Final = {200, 202, 400, 403, 404, 406, 413, 415}
WITHOUT_MESSAGE: Final = {202, 403, 404, 406, 413, 415}
NEVER: Final = ("Traceback", "site-packages", ".py", 'File \\"', "<locals>", " object at 0x")
EXAMPLES: Final = settings(
    max_examples=max(1, MESSAGES // 2 // BATCH),
    deadline=None,
    database=None,
    derandomize=ASKED is None,
    print_blob=True,
    phases=(Phase.generate, Phase.shrink),
    suppress_health_check=list(HealthCheck),
)
seeds = st.integers(0, 2**32)
trees = st.tuples(st.integers(0, TREE_MUTATIONS - 1), seeds)
anywhere = st.tuples(st.integers(0, len(MUTATIONS) - 1), seeds)
changes = st.lists(trees | anywhere, max_size=3)
batches = st.lists(st.tuples(st.integers(0, 2**16), changes), min_size=BATCH, max_size=BATCH)
Batch = list[tuple[int, list[tuple[int, int]]]]


class Begun:
    """Every start; each is right."""

    def __init__(self, wires: Sequence[Wire]) -> None:
        self.wires = wires

    def made(self, batch: Batch) -> list[Wire]:
        """The messages of an example, each under an id of its own."""
        count = len(self.wires)
        return [
            mutated(self.wires[start % count].numbered(100 + number), mutations)
            for number, (start, mutations) in enumerate(batch)
        ]


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with serving(tmp_path_factory.mktemp("fuzz")) as found:
        yield found


@pytest.fixture(scope="module")
def begun(served: Served) -> Begun:
    return Begun(starts(lambda wire: result_of(served, wire)))


def result_of(served: Served, wire: Wire) -> Mapping[str, object]:
    response = served.over_http(wire)
    result = response.messages[-1].get("result")
    assert isinstance(result, dict), response
    return result


def check_text(served: Served, message: object) -> None:
    """It tells nothing of the inside."""
    text = json.dumps(message)
    for word in (*NEVER, str(served.folder)):
        assert word not in text
    assert "Internal error" not in text, text


def test_every_start_is_right(served: Served, begun: Begun) -> None:
    """Else nothing behind the first check would ever be reached.

    Wrong are removed methods, and questions to clients that can answer none.
    """
    found: Counter[object] = Counter()
    for wire in begun.wires:
        response = served.over_http(wire)
        check_exchange(wire.sent(), response.messages)
        for message in response.messages:
            error = message.get("error")
            found[error["code"] if isinstance(error, dict) else "right"] += 1
    assert found.pop("right") > 150
    assert found == {-32601: 8, -32021: 5, -32603: 8, -32600: 1}


@requirement("P-001", "P-007", "P-008", "P-009", "P-010")
@EXAMPLES
@given(batches)
def test_mutated_requests_are_answered_over_http(
    served: Served, begun: Begun, batch: Batch
) -> None:
    served.errors.found.clear()
    for wire in begun.made(batch):
        response = served.over_http(wire)
        assert response.status in STATUSES
        assert response.is_whole or b"acknowledged" in response.body
        if response.has_messages:
            with takes_more("what is wrong here need not be refused"):
                check_exchange(wire.sent(), response.messages)
            check_text(served, response.messages)
        else:
            assert response.status in WITHOUT_MESSAGE
    assert served.errors.found == []


@requirement("P-001", "P-003", "P-007", "P-200", "P-204")
@EXAMPLES
@given(batches)
def test_mutated_lines_are_answered_over_stdio(served: Served, begun: Begun, batch: Batch) -> None:
    served.errors.found.clear()
    lines = [wire.body.replace(b"\n", b" ") for wire in begun.made(batch)]
    messages = served.over_stdio(lines)
    with takes_more("what is wrong here need not be refused"):
        check_exchange(sent_over_stdio(b"\n".join(lines)), messages)
    check_text(served, messages)
    assert served.errors.found == []
    answers = Counter(map(identity, messages))
    for id_, count in requests(lines).items():
        assert answers[id_] == count, id_


def identity(message: Message) -> str:
    """The id of an answer, with its type; nothing of a notification."""
    return "" if "method" in message else json.dumps(message.get("id"))


def requests(lines: list[bytes]) -> Counter[str]:
    """How many answers are due to each id: those of whole requests that nobody cancels."""
    found: Counter[str] = Counter()
    cancelled = set()
    for line in lines:
        try:
            message = decode(line)
        except JsonFault:
            continue
        match message:
            case {"method": "notifications/cancelled", "params": {"requestId": id_}}:
                cancelled.add(json.dumps(id_))
            case {"jsonrpc": "2.0", "method": str(), "id": int() | str() as id_}:
                if not isinstance(id_, bool):
                    found[json.dumps(id_)] += 1
    return Counter({id_: count for id_, count in found.items() if id_ not in cancelled})
