"""JSON, YAML, plain text and the rest: kept as written, or refused with a sentence."""

from __future__ import annotations

import json

import pytest

from rori_spiders.content.documents import read
from rori_spiders.exceptions import UnreadableDocument
from tests.support.cases import cases

URL = "https://www.example.gov/api.json"


def test_json_is_one_line_a_value_with_numbers_as_written() -> None:
    document = read("json", b'{"b":1.10,"a":[1e400,{}],"s":"\\u00a7 \\"q\\"", "e":[]}', url=URL)
    assert document.format == "raw"
    assert document.markdown == (
        '```json\n{\n  "b": 1.10,\n  "a": [\n    1e400,\n    {}\n  ],\n  "s": "§ \\"q\\"",\n  "e": []\n}\n```\n'
    )


def test_json_layout_preserves_value() -> None:
    value = {"x": [1, [], {"y": "a, b: {c}"}], "z": None, "t": True, "q": 'say "[hi]"'}
    written = read("json", json.dumps(value).encode(), url=URL).markdown
    assert json.loads(written.removeprefix("```json\n").removesuffix("```\n")) == value


def test_json_title_is_found() -> None:
    assert read("json", b'{"info":{"title":"An API"}}', url=URL).title == "An API"
    assert read("json", b'[{"title":"x"}]', url=URL).title is None


@cases("body", [b'{"a":', b"{}", b"[]", b"null", b"[" * 100_000])
def test_json_truncated_empty_or_too_deep_is_unreadable(body: bytes) -> None:
    with pytest.raises(UnreadableDocument, match="JSON") as caught:
        read("json", body, url=URL)
    assert URL in str(caught.value)


def test_yaml_is_never_loaded() -> None:
    body = b"---\ninfo:\n  title: 'An API'\nx: &a [*a, *a]\n"
    document = read("text", body, url=URL)
    assert document.markdown == f"```yaml\n{body.decode().strip()}\n```\n"
    assert document.title == "An API"
    assert document.metadata == {"kind": "yaml"}


def test_code_fence_is_longer_than_any_within() -> None:
    assert read("text", b"```\na,b", url=URL, content_type="text/csv").markdown == "````csv\n```\na,b\n````\n"


def test_json_lines_stay_as_they_are() -> None:
    assert read("json", b'{"a":1.10}\n{"a":2}\n', url=URL).markdown == '```json\n{"a":1.10}\n{"a":2}\n```\n'
    with pytest.raises(UnreadableDocument, match="JSON"):
        read("json", b'{"a":1.10}\n{"a":', url=URL)


def test_json_duplicate_keys_are_both_written() -> None:
    assert read("json", b'{"a":1,"a":2}', url=URL).markdown == '```json\n{\n  "a": 1,\n  "a": 2\n}\n```\n'


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ('state,county,limit\nCA,"Los Angeles, city",1089300\nNY,Kings,1089300\n', "csv"),
        ("state\tcounty\tlimit\nCA\tX\t1\nNY\tY\t2\n", "csv"),
        (
            "First, second, and third.\nThe borrower, who pays, shall sign.\nNo, it is not so, or is it, perhaps?\n",
            None,
        ),
        ("a,b\n1,2\n3,4\n", None),
    ],
)
def test_delimited_rows_are_code_under_any_media_type(text: str, kind: str | None) -> None:
    document = read("text", text.encode(), url=URL, content_type="text/plain")
    assert document.metadata.get("kind") == kind
    assert document.markdown == (f"```csv\n{text.strip()}\n```\n" if kind else text)


def test_plain_text_stays_as_it_is() -> None:
    document = read("text", b"\xef\xbb\xbfTITLE I\r\n\r\n  1986. Indented   text\r\n", url=URL)
    assert document.markdown == "TITLE I\n\n  1986. Indented   text\n"
    assert (document.format, document.title) == ("raw", "TITLE I")


@pytest.mark.parametrize(
    ("body", "content_type", "text"),
    [
        ("§ 1".encode("cp1252"), None, "§ 1"),
        ("§ 1".encode("latin-1"), "text/plain; charset=iso-8859-1", "§ 1"),
        ("§ 1".encode("utf-16"), None, "§ 1"),
        ("§ 1".encode(), "text/plain; charset=no-such", "§ 1"),
    ],
)
def test_plain_text_charsets_are_decoded(body: bytes, content_type: str | None, text: str) -> None:
    assert read("text", body, url=URL, content_type=content_type).markdown == text + "\n"


def test_markdown_is_recognised_by_media_type() -> None:
    assert read("text", b"# Head\n\nText", url=URL, content_type="text/markdown").format == "markdown"


def test_plain_text_empty_or_binary_is_refused() -> None:
    with pytest.raises(UnreadableDocument, match="empty"):
        read("text", b" \n\x00", url=URL)
    with pytest.raises(UnreadableDocument, match=r"neither HTML.*50 4b 03 04"):
        read("binary", b"PK\x03\x04", url=URL, content_type="text/html")


def test_html_is_not_read_as_document() -> None:
    with pytest.raises(ValueError, match="html"):
        read("html", b"<p>", url=URL)
