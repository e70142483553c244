"""Law that stands beside the content region, or in a block that is called like boilerplate, stays."""

from __future__ import annotations

from rori_spiders.content.convert import convert
from tests.content.pages import page_text
from tests.support.cases import cases

LAW = "The exemption threshold is $2,060,000,000 and a creditor may not charge a fee before the consumer receives it. "
MAIN = f"<h1>T</h1><p>{LAW * 5}</p>"


@cases(
    "html",
    [
        f"<main>{MAIN}</main><section><h2>Appendix A</h2><p>THE PART</p></section>",
        f"<main>{MAIN}</main><section id=footnotes><p>1 THE PART</p></section>",
        f"<main>{MAIN}</main><div><p>(b) The part THE PART that goes on for a line of the text.</p></div>",
        f"<main>{MAIN}</main><main><h2>More</h2><p>THE PART {LAW}</p></main>",
        f"<div><div id=content>{MAIN}</div></div><div class=appendix><p>THE PART</p></div>",
        f"<main>{MAIN}</main><section><h2>Who is exempt</h2><p>{LAW}</p><p>THE PART {LAW}</p></section>",
        f"<div><div id=content>{MAIN * 2}</div><div><p>{LAW}</p><p>THE PART {LAW}</p></div></div>",
        f"<main>{MAIN}</main><div class=alert><p>THE PART is stayed by order of the court.</p></div>",
    ],
    ids=["appendix", "footnotes", "enumerated", "second main", "named", "prose", "prose beside a name", "stayed"],
)
def test_adjacent_law_stays(html: str) -> None:
    text = page_text(html)
    assert text.index("# T") < text.index("THE PART")


@cases(
    "html",
    [
        f"<main>{MAIN}</main><div><p>Sign up for news of the agency (by post).</p></div>",
        f"<main>{MAIN}</main><div><p>(202) 555-0100 is the number of the agency that you may call.</p></div>",
        f"<main>{MAIN}</main><div><p>Cookies are {LAW}</p><p>They are {LAW}</p></div>",
        f"<div><p>{LAW}</p><p>They are {LAW}</p></div><main>{MAIN * 3}</main>".replace("fee before", "ad before"),
        f"<main>{MAIN}</main><aside><p>{LAW}</p><p>They are {LAW}</p></aside>".replace("fee before", "ad before"),
        f"<main>{MAIN}</main><div><h2>Appendix A</h2><ul><li><a href=/a>Appendix A to part 1, all of it</a></ul></div>",
    ],
    ids=["news", "telephone", "cookies", "before it", "aside", "links"],
)
def test_adjacent_text_that_is_not_law_is_removed(html: str) -> None:
    assert "They are" not in page_text(html)
    assert page_text(html).count("Sign up") + page_text(html).count("555-0100") + page_text(html).count("Appendix") == 0


def test_adjacent_text_on_pages_of_others_is_removed() -> None:
    body = f"<main>{MAIN}</main><section id=footnotes><p>1 THE PART</p></section>"
    head = '<meta property="og:type" content="article">'
    for before in ("", head):
        page = convert(f"<html><head>{before}</head><body>{body}</body></html>".encode(), url="https://x.example/a")
        assert "# T" in page.markdown


@cases("name", ["share-of-loss", "signup-fees", "cookie-policy", "newsletter", "toolbar-rules"])
def test_adjacent_boilerplate_name_removes_no_law(name: str) -> None:
    law = f"<div class={name}>(f) The part {LAW}</div>"
    links = f"<div class={name}>Send it to <a href=/x>a friend</a></div>"
    text = page_text(f"<main>{MAIN * 3}{law}{links}</main>")
    assert "(f) The part" in text
    assert "Send it" not in text
