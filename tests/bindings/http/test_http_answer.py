"""What answers become: values, texts, blocks, nothing."""

from collections.abc import Iterator

import pytest

from runner.catalog.call import Outcome
from runner.catalog.content import (
    AudioContent,
    ContentBlock,
    EmbeddedResource,
    ImageContent,
    TextContent,
)
from runner.errors import BindingError, Kind
from tests.bindings.http.upstream import (
    HTTPBIN,
    answering,
    api,
    http,
    invoke,
    plan,
    program,
    raw_server,
    run,
)


@pytest.fixture(scope="module")
def httpbin() -> Iterator[str]:
    with program(HTTPBIN) as url:
        yield url


def outcome(answer: bytes, method: str = "GET", **fields: object) -> Outcome:
    async def work() -> Outcome:
        async with raw_server(answering(answer)) as url:
            return await invoke(plan(method, "/x", **fields), api(url))

    return run(work())


def failure(answer: bytes, **fields: object) -> BindingError:
    with pytest.raises(BindingError) as caught:
        outcome(answer, "GET", **fields)
    return caught.value


def plain(text: str) -> Outcome:
    return Outcome(value=text, is_structured=False, content=[TextContent(text)])


@pytest.mark.parametrize(
    ("answer", "method"),
    [
        (b"HTTP/1.1 204 No Content\r\nContent-Type: application/json\r\n\r\n", "GET"),
        (http("205 Reset Content", Content_Type="application/json"), "DELETE"),
        (http("200 OK", Content_Type="application/json"), "GET"),
        (b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n", "HEAD"),
        (b"HTTP/1.1 304 Not Modified\r\n\r\n", "GET"),
        (http("201 Created", Location="/x/1"), "POST"),
    ],
    ids=["204", "205", "empty-200", "HEAD", "304", "empty-201"],
)
@pytest.mark.parametrize("response", [None, "json", "text", "bytes"])
def test_answer_without_a_body_is_null(answer: bytes, method: str, response: str | None) -> None:
    assert outcome(answer, method, response=response) == Outcome(value=None)


@pytest.mark.parametrize(
    "kind",
    [
        "application/json",
        "application/problem+json",
        "text/json",
        "APPLICATION/JSON; charset=utf-8",
    ],
)
def test_json_types_become_the_structured_value(kind: str) -> None:
    assert outcome(http("200 OK", b'{"a": [1]}', Content_Type=kind)) == Outcome(value={"a": [1]})


def test_digits_of_long_integers_are_kept() -> None:
    body = b'{"id": 12345678901234567890123, "small": 1}'
    found = outcome(http("200 OK", body, Content_Type="application/json"))
    assert found.value == {"id": "12345678901234567890123", "small": 1}


@pytest.mark.parametrize(
    ("body", "charset"),
    [
        ("ü".join('""').encode("latin-1"), "iso-8859-1"),
        ('"ü"'.encode("utf-16"), "utf-16"),
        (b'\xef\xbb\xbf"\xc3\xbc"', "utf-8"),
        (b'"\xc3\xbc"', "zip"),
        (b'"\xc3\xbc"', "no-such-charset"),
    ],
    ids=["latin-1", "utf-16", "mark", "no-charset", "unknown"],
)
def test_charset_of_json_is_read(body: bytes, charset: str) -> None:
    kind = f"application/json; charset={charset}"
    assert outcome(http("200 OK", body, Content_Type=kind)).value == "ü"


@pytest.mark.parametrize("body", [b"<html>", b"{", b'"\xff"', b"NaN", b"[" * 5000])
def test_invalid_json_is_an_error_without_its_text(body: bytes) -> None:
    error = failure(http("200 OK", body, Content_Type="application/json"))
    assert (error.kind, str(error)) == (Kind.INVALID, "the API's answer is no JSON")


def test_json_is_read_from_a_wrong_type_where_it_is_asked_for() -> None:
    answer = http("200 OK", b"[1]", Content_Type="text/html")
    assert outcome(answer, response="json").value == [1]
    assert outcome(answer, select=lambda value: value).value == [1]


@pytest.mark.parametrize(
    "kind", ["text/plain", "text/html; charset=utf-8", "application/xml", "application/atom+xml"]
)
def test_text_types_become_a_text_block(kind: str) -> None:
    assert outcome(http("200 OK", "grüße".encode(), Content_Type=kind)) == plain("grüße")


def test_charset_of_text_is_read_and_wrong_bytes_are_marked() -> None:
    latin = http("200 OK", b"\xfc", Content_Type="text/plain; charset=latin1")
    assert outcome(latin) == plain("ü")
    assert outcome(http("200 OK", b"a\xfc", Content_Type="text/plain")) == plain("a\ufffd")


def test_json_asked_for_as_text_stays_text() -> None:
    answer = http("200 OK", b'{"a":1}', Content_Type="application/json")
    assert outcome(answer, response="text") == plain('{"a":1}')


@pytest.mark.parametrize(
    ("kind", "block"),
    [
        ("image/png", ImageContent(b"\x00\x01", "image/png")),
        ("audio/ogg", AudioContent(b"\x00\x01", "audio/ogg")),
        (
            "application/pdf",
            EmbeddedResource("result://demo", blob=b"\x00\x01", mime_type="application/pdf"),
        ),
    ],
)
def test_other_types_become_a_block_of_their_bytes(kind: str, block: ContentBlock) -> None:
    found = outcome(http("200 OK", b"\x00\x01", Content_Type=kind))
    assert found == Outcome(is_structured=False, content=[block])


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (b"[1]", Outcome(value=[1])),
        (b"hello", plain("hello")),
        (
            b"\xff\x00",
            Outcome(
                is_structured=False,
                content=[
                    EmbeddedResource(
                        "result://demo", blob=b"\xff\x00", mime_type="application/octet-stream"
                    )
                ],
            ),
        ),
    ],
    ids=["json", "text", "bytes"],
)
def test_body_without_a_type_is_what_it_looks_like(body: bytes, expected: Outcome) -> None:
    assert outcome(http("200 OK", body)) == expected


@pytest.mark.parametrize(
    ("status", "phrase"),
    [
        ("400 x", " (Bad Request)"),
        ("418 x", " (I'm a Teapot)"),
        ("599 x", ""),
        ("404 secret", " (Not Found)"),
    ],
)
def test_failure_is_told_by_its_number_and_our_words(status: str, phrase: str) -> None:
    error = failure(http(status, b"inner words", Content_Type="text/plain"))
    number = int(status[:3])
    assert str(error).lower() == f"the api answered with status {number}{phrase}".lower()
    assert error.status == number


@pytest.mark.parametrize(
    ("body", "kind", "response"),
    [
        (b'{"error": "gone"}', "application/problem+json", {"error": "gone"}),
        (b"a\x1b[31mb\x00c\n", "text/plain", "a[31mbc\n"),
        (b"\x00\x01", "image/png", None),
        (b"x" * 100_000, "text/plain", "x" * 4096),
        (b"", "application/json", None),
    ],
    ids=["json", "cleaned", "bytes", "cut", "empty"],
)
def test_body_of_a_failure_is_kept_for_the_author_s_words(
    body: bytes, kind: str, response: object
) -> None:
    error = failure(http("404 Not Found", body, Content_Type=kind))
    assert error.response == response


def test_selected_part_is_the_value() -> None:
    answer = http("200 OK", b'{"a": 1}', Content_Type="application/json")

    def select(value: object) -> object:
        assert isinstance(value, dict)
        return value["a"]

    assert outcome(answer, select=select).value == 1


@pytest.mark.parametrize("path", ["/gzip", "/deflate"])
def test_httpbin_s_compressed_answers_are_read(httpbin: str, path: str) -> None:
    value = run(invoke(plan("GET", path), api(httpbin))).value
    assert isinstance(value, dict)
    assert value.get("gzipped") or value.get("deflated")


@pytest.mark.parametrize("status", [400, 404, 500])
def test_httpbin_s_failures_are_told(httpbin: str, status: int) -> None:
    with pytest.raises(BindingError) as caught:
        run(invoke(plan("GET", f"/status/{status}"), api(httpbin)))
    assert caught.value.status == status


def test_httpbin_s_image_is_an_image(httpbin: str) -> None:
    content = run(invoke(plan("GET", "/image/png"), api(httpbin))).content
    assert content is not None
    assert [type(block) for block in content] == [ImageContent]


def test_httpbin_s_streamed_bytes_are_counted(httpbin: str) -> None:
    streamed = plan("GET", "/stream-bytes/100000", max_bytes=50_000)
    with pytest.raises(BindingError, match="larger than 50000 bytes"):
        run(invoke(streamed, api(httpbin)))
