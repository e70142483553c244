"""Sizes of a page, quickly: what is main, what is around it."""

from __future__ import annotations

from rori_spiders.content.html.visible_text import measure


def test_measure_main_text_excludes_navigation_and_links() -> None:
    found = measure(
        b"<title>A  page</title><nav>menu <a href=x>link</a></nav>"
        b"<main><h1>One</h1><p>two  three <a href=y>four</a></p></main>"
        b"<script>not text</script><p hidden>not shown</p><footer>foot</footer>"
    )
    assert found.main_chars == len("One") + len("two three")
    assert found.words == 7
    assert (found.headings, found.links, found.scripts, found.title) == (1, 2, 1, "A page")


def test_measure_unreadable_body_is_zero() -> None:
    found = measure(b"")
    assert not found.is_readable
    assert found.main_chars == found.words == 0


def test_measure_application_shell_has_no_main_text() -> None:
    found = measure(b'<body><div id="root"></div><script src="app.js"></script><noscript>Enable JavaScript</noscript>')
    assert found.main_chars == 0
    assert found.scripts == 1
