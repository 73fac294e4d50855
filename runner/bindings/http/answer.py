"""What an answer of an API becomes: a value, a text, bytes, nothing, or an error.

JSON becomes the structured value, its long integers as texts. Text becomes a text block; an image
or a sound its block; other bytes an embedded resource. A body that is not there (204, 205, 304,
HEAD, nothing sent) is null, whatever type is claimed. Words in errors are ours alone.
"""

import codecs
import re
from email.message import Message
from http import HTTPStatus
from typing import Literal

from runner.bindings.http.wire import Answer
from runner.catalog.call import Outcome
from runner.catalog.content import (
    AudioContent,
    ContentBlock,
    EmbeddedResource,
    ImageContent,
    TextContent,
)
from runner.codec.json import JsonFault, decode_exact
from runner.errors import BindingError, Kind

Form = Literal["json", "text", "bytes"]
_JSON_TYPE = re.compile(r"(application|text)/(json|.+\+json)\Z")
_TEXT_TYPE = re.compile(
    r"text/.+|application/(xml|javascript|ecmascript|yaml|toml|sql|x-ndjson|x-www-form-urlencoded"
    r"|.+\+(xml|yaml))|image/svg\+xml\Z"
)
_WITHOUT_BODY = frozenset({204, 205, 304})
_MAX_RESPONSE_TEXT = 4096
"""Characters of a failure's text body that `errors:` templates see."""
_HARMFUL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")


def refuse_failure(answer: Answer, retry_after_s: float | None) -> None:
    """Lets success and 304 pass.

    Raises:
        BindingError: of kind `status` for everything else, with the body as `response`.
    """
    status = answer.status
    if status < HTTPStatus.MULTIPLE_CHOICES or status == HTTPStatus.NOT_MODIFIED:
        return
    phrase = f" ({_phrase(status)})" if _phrase(status) else ""
    message = f"the API answered with status {status}{phrase}"
    if status < HTTPStatus.BAD_REQUEST:
        message += ", a redirect that is not followed"
    elif retry_after_s is not None:
        message += f"; it asks to wait {retry_after_s:.0f} s"
    raise BindingError(Kind.STATUS, message, status=status, response=_response(answer))


def _phrase(status: int) -> str:
    try:
        return HTTPStatus(status).phrase
    except ValueError:
        return ""


def _response(answer: Answer) -> object:
    """A failure's body for `errors:` templates: JSON, else cleaned text, else null."""
    try:
        return json_of(answer)
    except BindingError:
        if not answer.body or _form_of(answer) != "text":
            return None
        return _HARMFUL.sub("", _text_of(answer)[:_MAX_RESPONSE_TEXT])


def is_empty(answer: Answer, method: str) -> bool:
    """Whether the answer has no body, by its status, its request or in fact."""
    return method == "HEAD" or answer.status in _WITHOUT_BODY or not answer.body


def json_of(answer: Answer) -> object:
    """The body as a JSON value, whatever its content type.

    Raises:
        BindingError: it is no JSON.
    """
    charset = _charset(answer)
    body = answer.body
    try:
        if charset not in ("utf-8", "ascii"):
            body = body.decode(charset).encode()
        return decode_exact(body.removeprefix(codecs.BOM_UTF8))
    except (JsonFault, UnicodeError) as error:
        raise BindingError(Kind.INVALID, "the API's answer is no JSON") from error


def outcome_of(answer: Answer, form: Form | None, *, tool: str) -> Outcome:
    """The outcome of an answer that has a body, read as `form` or as its content type says.

    Raises:
        BindingError: it should be JSON and is none.
    """
    match form or _form_of(answer):
        case "json":
            return Outcome(value=json_of(answer))
        case "text":
            text = _text_of(answer)
            return Outcome(value=text, is_structured=False, content=[TextContent(text)])
        case "bytes":
            return Outcome(is_structured=False, content=[_block(answer, tool)])


def _form_of(answer: Answer) -> Form:
    kind = _type(answer).get_content_type() if "content-type" in answer.headers else ""
    if _JSON_TYPE.match(kind):
        return "json"
    if _TEXT_TYPE.match(kind):
        return "text"
    if kind:
        return "bytes"
    return _guess(answer.body)


def _guess(body: bytes) -> Form:
    """The form of a body without a content type."""
    try:
        decode_exact(body)
    except JsonFault:
        return "text" if _is_text(body) else "bytes"
    return "json"


def _is_text(body: bytes) -> bool:
    try:
        body.decode()
    except UnicodeError:
        return False
    return True


def _type(answer: Answer) -> Message:
    """The content type; the standard library's reader of it takes anything."""
    message = Message()
    message["content-type"] = answer.headers.get("content-type", "")
    return message


def _charset(answer: Answer) -> str:
    """The charset that the content type names, UTF-8 where it names none that is known."""
    name = _type(answer).get_content_charset("utf-8")
    try:
        "".encode(name)  # refuses what is no charset, such as `zip`, which `lookup` would find
    except (LookupError, ValueError):
        return "utf-8"
    return codecs.lookup(name).name


def _text_of(answer: Answer) -> str:
    text = answer.body.decode(_charset(answer), errors="replace")
    return text.removeprefix("\ufeff")


def _block(answer: Answer, tool: str) -> ContentBlock:
    kind = _type(answer).get_content_type() if "content-type" in answer.headers else None
    mime = kind or "application/octet-stream"
    if mime.startswith("image/"):
        return ImageContent(answer.body, mime)
    if mime.startswith("audio/"):
        return AudioContent(answer.body, mime)
    return EmbeddedResource(f"result://{tool}", blob=answer.body, mime_type=mime)
