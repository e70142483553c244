"""One parse, and every word of the page in the tree, however broken the markup."""

from __future__ import annotations

import pytest

from rori_spiders.content.html import tree
from rori_spiders.content.html.tree import flatten, untangle
from rori_spiders.exceptions import UnreadableDocument
from tests.content.pages import markdown_of
from tests.support.cases import cases


@pytest.mark.parametrize("tag", ["font", "div", "b", "span", "ul><li", "table><tr><td", "blockquote", "section"])
@pytest.mark.parametrize("count", [250, 5000])
def test_tree_unclosed_tags_lose_no_word(tag: str, count: int) -> None:
    text = "".join(f"<{tag}>w{number} " for number in range(count))
    words = tree.parse(f"<body>{text}END</body>").text_content().split()
    assert words == [*(f"w{number}" for number in range(count)), "END"]


def test_tree_of_normal_depth_is_unchanged() -> None:
    root = tree.parse("<body>" + "<div>" * 40 + "x" + "</div>" * 40)
    assert len(root.findall(".//div")) == 40


def test_tree_rows_tangled_in_formatting_become_rows() -> None:
    rows = "".join(f"<TR><TD><FONT size=1><A HREF=/{n}.pdf>{n}/24<TD><FONT>Case {n}\n" for n in range(3))
    assert markdown_of(f"<TABLE>{rows}</TABLE>").split("\n")[2:] == [
        "| [0/24](https://www.example.gov/0.pdf) | Case 0 |",
        "| [1/24](https://www.example.gov/1.pdf) | Case 1 |",
        "| [2/24](https://www.example.gov/2.pdf) | Case 2 |",
    ]


def test_tree_content_in_head_or_after_body_is_in_body() -> None:
    root = tree.parse("<html><head><title>T</title></head><div>first</div><body>second</body><body>third</body></html>")
    assert root.find("body").text_content() == "firstsecondthird"
    assert len(root.findall("body")) == 1


@pytest.mark.parametrize(
    "page",
    [
        "<html><body><p>first</p></body><p>second</p> third</html>",
        "<html><body><p>first</p></body></html><p>second</p> third",
        "<p>first</p></HTML >\n<p>second</p> third",
        "<html><body><p>first</p></body></html><!-- x --><html><head></head><body><p>second</p> third</body></html>",
    ],
)
def test_tree_content_after_end_of_page_stays_in_order(page: str) -> None:
    assert "".join(tree.parse(page).find("body").text_content().split()) == "firstsecondthird"


def test_tree_control_characters_and_noncharacters_are_removed() -> None:
    assert tree.parse("<body>a\x00b\x0bc\ufdd0d\ufffee</body>").text_content() == "ab cde"


@pytest.mark.parametrize("text", ["", " \n\t", "\x00\x01", "<!-- only a comment -->"])
def test_tree_of_empty_page_is_error(text: str) -> None:
    with pytest.raises(UnreadableDocument):
        tree.parse(text)


def test_flatten_preserves_order_and_turns_deep_blocks_into_breaks() -> None:
    assert flatten("<div><b><div>x</div>y</b></div>", 2) == "<div><b><br>x<br>y</b></div>"


def test_flatten_tag_without_end_hides_no_end_tag_behind_it() -> None:
    assert flatten("<b><b><i<u</i</b>x</b>y</b>", 1) == "<b><i<u</i</b>xy</b>"


def test_flatten_does_not_count_what_html_closes_by_itself() -> None:
    assert flatten("<p>a<p>b<p>c<br>d", 1) == "<p>a<p>b<p>c<br>d"


def test_tree_open_definitions_stay_siblings() -> None:
    entries = "".join(f"<dt>Term {n}<dd>Definition {n}" for n in range(400))
    assert markdown_of(f"<dl>{entries}</dl>").count("\n: Definition") == 400
    assert untangle("<dl><dt>a<dd>b<dl><dt>c</dl><dt>d</dl>") == "<dl><dt>a</dt><dd>b<dl><dt>c</dl></dd><dt>d</dl>"


def test_untangle_closes_each_link_before_the_next() -> None:
    assert untangle("<a href=x>1<a href=y>2</a>3") == "<a href=x>1</a><a href=y>2</a>3"
    assert untangle("<a href=x>1</a> <font color=red>r</font> <a href=y>2</a>") == "<a href=x>1</a> r <a href=y>2</a>"


@cases("tag", ["source", "embed", "track", "wbr", "img", "input", "param"])
def test_tree_content_of_void_elements_is_not_lost(tag: str) -> None:
    html = f"<p>a</p><div>b<{tag} x=y>c<i>d</i>e<b>f</b></div>g"
    assert markdown_of(html).replace("*", "").split() == ["a", "bcdef", "g"]


@pytest.mark.parametrize(
    "text",
    ["<script>never closed <b>law</b>", "<!-- never closed <b>law</b>", "<script law", "<script>a</style><b>law</b>"],
)
def test_untangle_script_that_nothing_closes_stays(text: str) -> None:
    assert untangle(text) == text


@cases(
    ("text", "left"),
    [
        ("<STYLE x>a</style ><b>law</b>", " <b>law</b>"),
        ("<script>a<!-- b</script>c<!-- d --><b>law</b>", " c <b>law</b>"),
        ("<!-- <script> --><b>law</b><script>a</script>", " <b>law</b> "),
        ("<scripté>law</scripté>", "<scripté>law</scripté>"),
        ("<script>a</script>law<script>b", " law<script>b"),
    ],
)
def test_untangle_scripts_and_comments_go(text: str, left: str) -> None:
    assert untangle(text) == left
