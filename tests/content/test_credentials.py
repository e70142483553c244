"""A link keeps its target and loses the password in it; text stays as it is said."""

from __future__ import annotations

import pytest

from rori_spiders.content.convert import out_of_html, out_of_markdown, out_of_url
from tests.support.cases import cases


@pytest.mark.parametrize(
    ("markdown", "clean"),
    [
        ("see [it](https://u:p@a.gov/x)", "see [it](https://a.gov/x)"),
        ("![i](//u:p@a.gov/i.png) [b](<https://u@a.gov/x y>)", "![i](//a.gov/i.png) [b](<https://a.gov/x y>)"),
        ("[k](/f_(1)?api_key=1234&b=2) ?api_key=said", "[k](/f_(1)?api_key=[redacted]&b=2) ?api_key=said"),
        ('<td><a href="https://u:p@a.gov/">x</a></td>', '<td><a href="https://a.gov/">x</a></td>'),
    ],
)
def test_credentials_in_markdown_links_are_removed(markdown: str, clean: str) -> None:
    assert out_of_markdown(markdown) == clean


@pytest.mark.parametrize(
    "text",
    [
        "write to [us](mailto:info@a.gov), info@a.gov",
        "[x](https://a.gov/@user) [y](https://a.gov/?q=a@b)",
        "the form is https://user:password@host/path",
        "(see //comment@here) and a < b @ c > d",
    ],
)
def test_credentials_lookalikes_and_other_urls_stay(text: str) -> None:
    assert out_of_markdown(text) == text
    assert out_of_html(text) == text


def test_credentials_in_html_attributes_are_removed() -> None:
    assert out_of_html('<a href="/x?a=1&amp;password=x">?password=x</a>') == (
        '<a href="/x?a=1&amp;password=[redacted]">?password=x</a>'
    )
    html = "<a class=b href='https://u:p@a.gov/x'>https://u:p@a.gov/x</a><img src=//u@a.gov/i.png>"
    assert out_of_html(html) == "<a class=b href='https://a.gov/x'>https://u:p@a.gov/x</a><img src=//a.gov/i.png>"


@cases(
    "name",
    [
        *("api_key", "ApiKey", "access-token", "auth_token", "refresh_token", "id_token", "session-token", "jwt"),
        *("client_secret", "a-secret", "PASSWORD", "user_password", "passwd"),
        *("X-Amz-Signature", "X-Goog-Credential", "X-Amz-Security-Token"),
    ],
)
def test_credentials_of_each_name_are_removed_from_html(name: str) -> None:
    assert out_of_html(f"é<a href='/x?{name}=1234'>") == f"é<a href='/x?{name}=[redacted]'>"


def test_credentials_in_one_url_are_removed() -> None:
    assert out_of_url("https://u:p@ss@a.gov/@x") == "https://a.gov/@x"
    assert out_of_url("https://a.gov/@x") == "https://a.gov/@x"


@cases("piece", ["<a ", "<a" + "@", "](//", "<a =  ", '="//x', "=//a@", "<a =//@"])
def test_credentials_hostile_repetitions_end(piece: str) -> None:
    text = piece * 100_000 + "@>"
    assert out_of_markdown(text).endswith(">")
