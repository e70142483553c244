"""One pass over a response gives what the steps give one by one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from rori_spiders.content.convert import digest
from rori_spiders.content.html import tree
from rori_spiders.content.html.links import discover
from rori_spiders.content.html.visible_text import measure_tree
from rori_spiders.content.options import Options
from rori_spiders.exceptions import UnreadableDocument
from rori_spiders.verdicts import PageExpectation, judge, page_evidence
from rori_spiders.workers import assessment
from rori_spiders.workers.assessment import assess_response

if TYPE_CHECKING:
    from lxml.html import HtmlElement

URL = "https://a.example.gov/rules/"
TEXT = "The limit for a loan is $1,300 under 12 CFR 1026.32. " * 20
PAGE = (
    f"<html><head><title>Rules</title><link rel=next href=/rules/2></head><body><nav><a href=/>Home</a></nav><main>"
    f"<h1>Rules</h1><p>{TEXT}</p><p>Caf\u00e9 <a href='/menu?q=caf\u00e9'>menu</a></p></main></body></html>"
)


def given(body: bytes, content_type: str = "text/html") -> dict[str, Any]:
    return {"status": 200, "url": URL, "headers": {"Content-Type": content_type}, "body": body, "known": None}


@pytest.mark.parametrize(
    ("body", "content_type"),
    [(PAGE.encode(), "text/html; charset=utf-8"), (PAGE.encode("cp1252"), "text/html; charset=windows-1252")],
    ids=["utf-8", "windows-1252"],
)
def test_assess_response_of_a_page_gives_what_each_step_gives_alone(body: bytes, content_type: str) -> None:
    made = assess_response(**given(body, content_type), is_measured=True, options=Options())
    assert made.verdict == judge(status=200, url=URL, headers={"Content-Type": content_type}, body=body)
    assert made.measured == measure_tree(tree.parse(PAGE))
    assert made.links == discover(body, url=URL, content_type=content_type)
    assert made.converted == digest(body, url=URL, content_type=content_type)


def test_assess_response_applies_the_selectors_of_the_source() -> None:
    options = Options(remove_selectors=("h1",))
    made = assess_response(**given(PAGE.encode()), is_measured=False, options=options)
    assert made.measured is None
    assert made.converted == digest(PAGE.encode(), url=URL, content_type="text/html", options=options)


def test_assess_response_of_a_document_converts_it_and_looks_for_no_links() -> None:
    made = assess_response(**given(b'{"a": "text"}', "application/json"), is_measured=True, options=Options())
    assert made.converted == digest(b'{"a": "text"}', url=URL, content_type="application/json")
    assert (made.measured, made.links) == (None, None)


def test_assess_response_of_what_is_no_content_converts_nothing() -> None:
    made = assess_response(**given(b"<html><body></body></html>"), is_measured=True, options=Options())
    assert not made.verdict.is_content
    assert (made.converted, made.links, made.measured) == (None, None, None)


def test_assess_response_of_an_unreadable_document_keeps_the_reason() -> None:
    made = assess_response(**given(b"%PDF-1.7 broken", "application/pdf"), is_measured=True, options=Options())
    assert made.verdict.is_content
    assert isinstance(made.converted, UnreadableDocument)


def test_assess_response_without_memory_raises_for_the_pool(monkeypatch: pytest.MonkeyPatch) -> None:
    def convert(*_args: object, **_kwargs: object) -> None:
        raise UnreadableDocument("the page cannot be read") from MemoryError()

    monkeypatch.setattr(assessment, "digest", convert)
    with pytest.raises(UnreadableDocument):
        assess_response(**given(PAGE.encode()), is_measured=True, options=Options())


def test_assess_response_parses_a_page_once(monkeypatch: pytest.MonkeyPatch) -> None:
    parse, parsed = tree.parse, []

    def counted(text: str) -> HtmlElement:
        parsed.append(text)
        return parse(text)

    def parse_for_judging(*_args: object) -> None:
        raise AssertionError("parsed again")

    monkeypatch.setattr(tree, "parse", counted)
    monkeypatch.setattr(page_evidence, "_gather", parse_for_judging)
    assess_response(**given(PAGE.encode()), is_measured=True, options=Options())
    assert len(parsed) == 1


def test_assess_response_with_text_behind_end_of_page_judges_as_alone() -> None:
    body = b"<html><title>Rules</title><body></body></html>" + TEXT.encode()
    made = assess_response(**given(body), is_measured=True, options=Options())
    assert made.verdict == judge(status=200, url=URL, headers={"Content-Type": "text/html"}, body=body)


def test_assess_response_reads_text_behind_megabytes_of_inline_data() -> None:
    data = f"<script>var data = '{'A' * 3_000_000}';</script>"
    made = assess_response(**given(PAGE.replace("<body>", f"<body>{data}").encode()), is_measured=False)
    assert made.verdict.is_content


def test_assess_response_wall_behind_megabytes_of_inline_data_is_detected() -> None:
    picture = f"<img src='data:image/png;base64,{'A' * 3_000_000}'>"
    body = f"<html><title>Access denied</title>{picture}<h1>Access denied</h1><p>Your request was blocked.</p></html>"
    assert assess_response(**given(body.encode()), is_measured=False).verdict.kind == "denied"


#: A wall in the surroundings of its site, which rules that count all text of a page do not see through.
MENU = "".join(f"<div><a href='/{n}'>Topic number {n}</a> and its forms</div>" for n in range(40))
WALL = (
    f"<html><head><title>Library</title></head><body><div class='nav-menu'>{MENU}</div><main><h1>Planned outage</h1>"
    "<p>The online library is offline this weekend. Please come back on Monday.</p></main></body></html>"
)


def test_assess_response_wall_with_long_menus_is_judged_by_its_converted_text() -> None:
    assert judge(status=200, url=URL, headers={}, body=WALL.encode()).is_content
    made = assess_response(**given(WALL.encode()), is_measured=True, options=Options())
    assert (made.verdict.kind, made.converted) == ("maintenance", None)


def test_assess_response_labelled_name_alone_under_sign_in_is_login_wall() -> None:
    page = b"<html><title>Sign In</title><h2>Sign In</h2><form><label>Username</label><input name='u'></form></html>"
    assert _judged(page) == "login_wall"
    assert _judged(page.replace(b"Username", b"Docket number")) == "content"


def test_assess_response_maintenance_in_the_name_of_a_list_is_content() -> None:
    page = b"<title>%s</title><h1>%s</h1><p>The licensing system rests on the first Sunday of each month.</p>"
    assert _judged(page.replace(b"%s", b"System maintenance calendar")) == "content"
    assert _judged(page.replace(b"%s", b"Service unavailable at branch offices")) == "content"
    assert _judged(page.replace(b"%s", b"En maintenance")) == "maintenance"


def _judged(page: bytes) -> str:
    return assess_response(
        status=200,
        url="https://a.gov/x",
        headers={"Content-Type": "text/html"},
        body=page,
        known=None,
        is_measured=True,
        options=Options(),
    ).verdict.kind


def test_assess_response_page_with_its_expected_text_is_no_wall() -> None:
    known = PageExpectation(must_contain=("online library",))
    made = assess_response(**(given(WALL.encode()) | {"known": known}), is_measured=True, options=Options())
    assert made.verdict.is_content


def test_assess_response_doubtful_page_that_is_not_held_is_unknown() -> None:
    body = b"<title>Town</title><h3>The page of permits isn't available</h3><p>The bureau prints permits on paper.</p>"
    made = assess_response(**given(body), is_measured=True, options=Options())
    assert (made.verdict.kind, made.verdict.is_doubtful) == ("unknown", True)
    held = assess_response(
        **(given(body) | {"known": PageExpectation(last_good_chars=20)}), is_measured=True, options=Options()
    )
    assert held.verdict.is_content


def test_assess_response_rendered_page_in_a_wrong_charset_is_garbled() -> None:
    plain = PAGE.encode()
    rendered = PAGE.encode().decode("cp1252").encode()
    made = assess_response(**given(rendered, "text/html; charset=utf-8"), is_measured=True, plain=(plain, "text/html"))
    assert made.differs is not None
    assert made.differs.garbled == ("Caf\u00c3\u00a9",)
    assert made.differs.charset == "utf-8"
    same = assess_response(**given(plain, "text/html; charset=utf-8"), is_measured=True, plain=(plain, "text/html"))
    assert same.differs is not None
    assert same.differs.garbled == ()
