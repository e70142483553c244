"""What a page states of its place, its rights and what it replaces; and where it states nothing."""

from __future__ import annotations

import lxml.html

from rori_spiders.content.metadata.statements import PageStatements, read_statements
from tests.support.cases import cases

_LIST = """<script type="application/ld+json">{"@context": "https://schema.org", "@type": "BreadcrumbList",
"itemListElement": [{"@type": "ListItem", "position": 2, "item": {"@id": "/rules", "name": "Rules"}},
{"@type": "ListItem", "position": 1, "name": "Home"}]}</script>"""
_NAV = '<nav aria-label="Breadcrumb"><ol><li><a href="/">Home</a> ›</li><li>Late  fees</li></ol></nav>'
_MARKED = """<ol itemscope itemtype="https://schema.org/BreadcrumbList"><li><span itemprop="name">Home</span>
<meta itemprop="position" content="1"></li><li><span itemprop="name">Guides</span></li></ol>"""


@cases(
    ("html", "stated"),
    [
        (_LIST, PageStatements(("Home", "Rules"))),
        (_LIST + _NAV, PageStatements(("Home", "Rules"))),
        (_NAV, PageStatements(("Home", "Late fees"))),
        (_MARKED, PageStatements(("Home", "Guides"))),
        ('<ul class="usa_breadcrumb breadcrumbs"><li>Home<li>Fees</ul>', PageStatements(("Home", "Fees"))),
        ("<nav><ol><li>Home<li>Fees</ol></nav>", PageStatements()),
        ('<nav aria-label="breadcrumbs"><ol><li>Home</ol></nav>', PageStatements()),
        (
            '<a rel="license" href="/cc0">CC0</a><a rel="nofollow license" href="/cc0">again</a>',
            PageStatements(rights="https://a.gov/cc0"),
        ),
        ('<a rel="license" href="/cc0">photo</a><a rel="license" href="/by">text</a>', PageStatements()),
        ('<meta name="dcterms.rights" content="Public domain">', PageStatements(rights="Public domain")),
        ('<link rel="predecessor-version" href="/v1">', PageStatements(supersedes="https://a.gov/v1")),
        ('<meta name="dcterms:replaces" content="Notice 2019-4">', PageStatements(supersedes="Notice 2019-4")),
        ("<p>This notice supersedes the notice of July 21.</p>", PageStatements()),
    ],
)
def test_statements_are_those_of_the_page(html: str, stated: PageStatements) -> None:
    root = lxml.html.document_fromstring(f"<html><head></head><body>{html}</body></html>")
    assert read_statements(root, "https://a.gov/fees") == stated
