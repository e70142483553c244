"""Sizes of a page, quickly: what is main, what is around it."""

from __future__ import annotations

from rori_spiders.content.html import tree
from rori_spiders.content.html.visible_text import Measured, measure_tree
from tests.support.cases import cases


def measure(text: str) -> Measured:
    return measure_tree(tree.parse(text))


def test_measure_main_text_excludes_navigation_and_links() -> None:
    found = measure(
        "<title>A  page</title><nav>menu <a href=x>link</a></nav>"
        "<main><h1>One</h1><p>two  three <a href=y>four</a></p></main>"
        "<script>not text</script><p hidden>not shown</p><footer>foot</footer>"
    )
    assert found.main_chars == len("One") + len("two three")
    assert found.words == 7
    assert (found.headings, found.links, found.scripts, found.title) == (1, 2, 1, "A page")


def test_measure_application_shell_has_no_main_text() -> None:
    found = measure('<body><div id="root"></div><script src="app.js"></script><noscript>Enable JavaScript</noscript>')
    assert found.main_chars == 0
    assert found.scripts == 1


@cases(
    ("head", "title"),
    [
        ("<title> </title><title>The  rule</title>", "The rule"),
        ("<svg><title>An icon</title></svg>", None),
        ("", None),
    ],
)
def test_measure_title_is_first_that_says_something(head: str, title: str | None) -> None:
    assert measure(f"{head}<p>x</p>").title == title


@cases(
    ("part", "unfilled"),
    [
        ("<div id=r>Loading...</div>", "Loading..."),
        ("<p>Please wait</p>", "Please wait"),
        ("<p>\n  ONE moment, please.</p>", "ONE moment, please."),
        ("<p>Fetching rates ...</p>", "Fetching rates ..."),
        ("<p>Retrieving rates...</p>", "Retrieving rates..."),
        ("<div><span>Loading current rates…</span></div>", "Loading current rates…"),
        ("<p>The limit is <b>{{ limit }}</b>.</p>", "{{ limit }}"),
        ("<div class='skeleton line'></div>", "skeleton line"),
        ("<div class=Shimmer></div>", "Shimmer"),
        ("<table aria-busy=true><tr><th>Docket</th></tr></table>", "table"),
        ("<p>Loading of vessels at night needs a permission.</p>", ""),
        ("<h2>Loading</h2><p>A vessel is loaded by day.</p>", "Loading"),
        ("<p hidden>Loading...</p>", ""),
        ("<p style='display: none'>Loading...</p>", ""),
        ("<button>Loading...</button>", ""),
        ("<footer><p>Loading...</p></footer>", ""),
        ("<pre>{{ limit }}</pre>", ""),
        ("<p><code>{{ limit }}</code></p>", ""),
        ("<div class='skeleton'>Bones</div>", ""),
        ("<div class=spinner></div>", ""),
    ],
)
def test_measure_part_that_scripts_are_to_fill_is_found(part: str, unfilled: str) -> None:
    assert measure(f"<main>{part}</main><script>1</script>").unfilled == unfilled
    assert measure(f"<main>{part}</main>").unfilled == ""
