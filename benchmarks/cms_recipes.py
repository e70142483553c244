"""What the recipes of the package gain on pages of their systems: `python -m benchmarks.cms_recipes [--sealed]`.

Pages made by template, as the systems lay them out by themselves: six parts of text, and what stands around and below.
The surroundings are split in halves, of two and two; of the sealed half only totals are printed. Systems without a
recipe of the package are listed to show what one could gain.
"""

from __future__ import annotations

import argparse
import random
from typing import TYPE_CHECKING, NamedTuple

from benchmarks.content_labels import found, read
from benchmarks.templates import structure
from rori_spiders.comparison.recipe_trial import list_packaged_recipes
from rori_spiders.content.convert import convert
from rori_spiders.content.options import Options

if TYPE_CHECKING:
    from collections.abc import Callable


class Surroundings(NamedTuple):
    """A page around ``{body}``, and what of it is no text of the agency."""

    html: str
    boilerplate: tuple[str, ...]


_DRUPAL = """<html><head><title>Guide</title><meta name="Generator" content="Drupal 10"></head><body>
<header class="usa-header"><a href="/">Header menu item</a></header><main id="main-content">
<nav class="tabs"><ul class="tabs primary"><li><a href="/v">View tab</a></li></ul></nav>
<h1 class="page-title">Guide</h1><article class="node">
<div class="node__content"><div class="field--name-body">{body}</div></div>REST</article></main>
<footer class="usa-footer"><p>Footer words of the agency</p></footer></body></html>"""
_CONFLUENCE = """<html><head><title>Guide</title><meta name="ajs-remote-user" content="">
<meta name="confluence-base-url" content="/"></head><body id="com-atlassian-confluence">
<div class="acs-side-bar"><a href="/s">Space shortcuts</a></div>
<div id="main"><div id="main-header"><ol id="breadcrumbs"><li><a href="/d">Dashboard crumb</a></li></ol>
<h1 id="title-text">Guide</h1></div><div id="content" class="page view">META<div id="main-content" class="wiki-content">
{body}</div>REST</div></div><div id="footer">Powered by Atlassian Confluence 7.19</div></body></html>"""
_SHAREPOINT = """<html><head><title>Guide</title><script>var _spPageContextInfo = {}</script></head><body><form>
<div id="s4-ribbonrow"><a href="/b">Page ribbon</a></div><div id="s4-workspace"><div id="pageTitle"><h1>Guide</h1></div>
<div id="sideNavBox"><ul><li><a href="/q">Quick launch entry</a></li></ul></div><div id="contentBox">REST
<div id="DeltaPlaceHolderMain"><div class="ms-rtestate-field">{body}</div></div></div></div></form></body></html>"""
_AEM = """<html><head><title>Guide</title><link href="/etc.clientlibs/a.css"></head><body><div class="root">
<nav class="cmp-breadcrumb"><ol><li>Crumb one</li></ol></nav><h1 class="cmp-title__text">Guide</h1>
<div class="cmp-text">{body}</div>REST<div class="cmp-experiencefragment--footer"><p>Footer fragment words</p></div>
</div></body></html>"""
_COMMENT = "I read this twice and I am very happy indeed."
_THREAD = (
    "<section class='comments field--name-comment' id='comments'><h2>Comments</h2><article class='comment'><h3><a"
    f" href='/c'>Great idea</a></h3><p>{_COMMENT}</p><ul class='links inline'><li><a href='/l'>Log in to post</a></li>"
    "</ul></article></section>"
)
_OLD_THREAD = f"<div id='comments' class='comment-wrapper'><div class='submitted'>By Anon</div><p>{_COMMENT}</p></div>"
_LINKS = "<div class='node__links'><ul class='links inline'><li><a href='/a'>Add new comment</a></li></ul></div>"
_META = "<div class='page-metadata'>Created by <a href='/u'>Jane Roe</a>, last modified on May 04, 2026</div>"
_LIKES = (
    "<div id='likes-and-labels-container'><span class='like-summary'>Be the first to like this</span>"
    "<div id='labels-section'><ul class='label-list'><li>No labels</li></ul></div></div>"
)
_WIKI_THREAD = (
    "<div id='comments-section' class='pageSection'><h2>1 Comment</h2><ol class='comment-threads'><li><h4>Sam Poe</h4>"
    f"<div class='comment-content'><p>{_COMMENT}</p></div></li></ol></div>"
)
_HELPFUL = "<div class='feedback'><p>Was this page helpful to you today?</p><button>Yes</button></div>"
_SCRIPT = "<div id='pageStatusBar'>It looks like your browser does not have JavaScript enabled.</div>"
_TEASER = "<div class='cmp-sharing'><a href='/f'>Share on Facebook</a></div>"
_WORDS = (_COMMENT, "Add new comment", "By Anon", "Log in to post", "Jane Roe", "Be the first to like", "No labels",
          "Was this page helpful", "It looks like your browser", "Share on Facebook", "Header menu item", "View tab",
          "Footer words", "Space shortcuts", "Dashboard crumb", "Powered by", "Page ribbon", "Quick launch entry",
          "Crumb one", "Footer fragment words")  # fmt: skip
#: By system, its page and what stands below the text: the first two of the development half, the others sealed.
SYSTEMS: dict[str, tuple[str, tuple[tuple[str, str], ...]]] = {
    "drupal": (_DRUPAL, (("", _THREAD), ("", _LINKS), ("", _OLD_THREAD), ("", _THREAD + _LINKS + _HELPFUL))),
    "confluence": (
        _CONFLUENCE,
        ((_META, _LIKES), ("", _WIKI_THREAD), (_META, _WIKI_THREAD), (_META, _LIKES + _WIKI_THREAD)),
    ),
    "sharepoint": (_SHAREPOINT, (("", _SCRIPT), ("", _HELPFUL), ("", ""), ("", _SCRIPT + _HELPFUL))),
    "adobe": (_AEM, (("", _TEASER), ("", _HELPFUL), ("", ""), ("", _TEASER + _HELPFUL))),
}


def surroundings(system: str, *, is_sealed: bool) -> list[Surroundings]:
    page, variants = SYSTEMS[system]
    made = [page.replace("META", meta).replace("REST", rest) for meta, rest in variants[2 * is_sealed :][:2]]
    return [Surroundings(html, tuple(words for words in _WORDS if words in html)) for html in made]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sealed", action="store_true", help="the sealed half, totals only")
    parser.add_argument("--pages", type=int, default=40, help="of each system")
    options = parser.parse_args()
    makers: list[Callable[[structure.Words], structure.Part]] = list(
        structure.SEALED if options.sealed else structure.DEVELOPMENT
    )
    recipes = list_packaged_recipes()
    for system in SYSTEMS:
        recipe, left, kept, labels = recipes.get(system), [0, 0], [0, 0], [0, 0]
        around = surroundings(system, is_sealed=options.sealed)
        for number in range(options.pages):
            words = structure.Words(f"{number}-{system}-{options.sealed}")
            parts = [make(words) for make in random.Random(number).sample(makers, 6)]  # noqa: S311  # the same each time
            one = around[number % len(around)]
            body = one.html.replace("{body}", "".join(part.html for part in parts)).encode()
            label: dict[str, list[str]] = {kind: [] for kind in ("headings", "cells", "enumerators", "links")}
            label |= {"keep": [said for part in parts for said in part.keep], "drop": list(one.boilerplate)}
            for at, given in enumerate((Options(), recipe.applied_to(Options()) if recipe is not None else Options())):
                assert recipe is None or recipe.fits(body), f"{system}: the page has no sign of its recipe"
                page = found(label, read(convert(body, url=structure.URL, options=given).markdown, structure.URL))
                kept[at] += sum(is_there for _, is_there in page["keep"])
                left[at] += sum(is_there for _, is_there in page["drop"])
            labels = [labels[0] + len(label["keep"]), labels[1] + len(label["drop"])]
        with_it = f"with its recipe {left[1]}, {kept[1]}" if recipe is not None else "no recipe"
        print(
            f"{system:11} boilerplate left {left[0]} of {labels[1]}, phrases kept {kept[0]} of {labels[0]}; {with_it}"
        )


if __name__ == "__main__":
    main()
