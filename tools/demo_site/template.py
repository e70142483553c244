"""What stands around the text on every page: head, banners, menus, search, breadcrumbs, stamps, footer.

The collector must take none of it for content, so it is as much as such pages really have.
"""

from __future__ import annotations

import json
from calendar import month_name
from dataclasses import dataclass
from datetime import date
from html import escape

BASE = "http://127.0.0.1:8799"  # `demo.server` puts its own address in its place
SITE_NAME = "Regulations Library"
# Filled in by the server on each request, as server-side includes are.
CLOCK = '<!--#echo var="CLOCK"-->'
FORM_NONCE = '<!--#echo var="NONCE"-->'

_MENU = (
    ("Regulations", "/rules-policy/regulations/"),
    ("Regulation F", "/rules-policy/regulations/1006/"),
    ("Regulation G", "/rules-policy/regulations/1007/"),
    ("Federal Register documents", "/documents/"),
    ("Bulk data", "/data/"),
)


@dataclass(frozen=True)
class Page:
    """One page to be written. `main` is HTML; dates are ISO."""

    path: str
    title: str
    description: str
    main: str
    keywords: tuple[str, ...] = ()
    author: str = "Consumer Financial Protection Bureau"
    published: str = "2011-12-19"
    modified: str = "2012-01-01"
    crumbs: tuple[tuple[str, str], ...] = ()  # text, path; outermost first, the page itself not among them
    related: tuple[tuple[str, str], ...] = ()
    live: bool = False  # a clock and a form token, and no validators: a page that is never the same twice
    robots: str = "index, follow"
    kind: str = "WebPage"  # of schema.org, for JSON-LD; "" for none


def render_page(page: Page) -> bytes:
    """The whole HTML document of *page*, in UTF-8."""
    head = "\n".join(_head_html(page))
    return f"""<!DOCTYPE html>
<html lang="en">
<head>
{head}
</head>
<body>
{_header_html(page)}
<div class="wrapper">
{_breadcrumbs_html(page)}
<main id="main" class="content__main">
{page.main}
<p class="page-stamp">Page last updated: <time>{_format_day(page.modified)}</time></p>
</main>
{_aside_html(page)}
</div>
{_FOOTER}
</body>
</html>
""".encode()


def _head_html(page: Page) -> list[str]:
    title, description = escape(page.title), escape(page.description)
    url = BASE + page.path
    names = {
        "description": description,
        "keywords": escape(", ".join(page.keywords)),
        "author": escape(page.author),
        "robots": page.robots,
        "dcterms.title": title,
        "dcterms.created": page.published,
        "dcterms.issued": page.published,
        "dcterms.modified": page.modified,
    }
    properties = {
        "og:type": "article" if page.kind == "Report" else "website",
        "og:site_name": SITE_NAME,
        "og:title": title,
        "og:description": description,
        "og:url": url,
        "og:image": f"{BASE}/static/seal.svg",
        "article:published_time": page.published,
        "article:modified_time": page.modified,
    }
    return [
        '<meta charset="utf-8">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        f"<title>{title} | {SITE_NAME}</title>",
        *(f'<meta name="{name}" content="{value}">' for name, value in names.items() if value),
        *(f'<meta property="{name}" content="{value}">' for name, value in properties.items()),
        f'<link rel="canonical" href="{url}">',
        '<link rel="stylesheet" href="/static/site.css">',
        *_json_ld(page, url),
    ]


def _json_ld(page: Page, url: str) -> list[str]:
    if not page.kind:
        return []
    facts = {
        "@context": "https://schema.org",
        "@type": page.kind,
        "name": page.title,
        "url": url,
        "datePublished": page.published,
        "dateModified": page.modified,
        "publisher": {"@type": "GovernmentOrganization", "name": page.author},
    }
    text = json.dumps(facts).replace("<", "\\u003c")
    return [f'<script type="application/ld+json">{text}</script>']


def _header_html(page: Page) -> str:
    clock = f'<div class="clock" role="timer">Current time: {CLOCK}</div>' if page.live else ""
    token = f'<input type="hidden" name="csrf_token" value="{FORM_NONCE}">' if page.live else ""
    menu = "\n".join(f'<li><a href="{path}">{escape(text)}</a></li>' for text, path in _MENU)
    return f"""<a class="skip-link" href="#main">Skip to main content</a>
<section class="gov-banner" aria-label="Official website of the United States government">
<p>An official website of the United States government</p>
<details>
<summary>Here’s how you know</summary>
<p><strong>Official websites use .gov.</strong> A .gov website belongs to an official government organization in the
United States.</p>
<p><strong>Secure .gov websites use HTTPS.</strong> A lock means you’ve safely connected to the .gov website.</p>
</details>
</section>
<header class="site-header" role="banner">
<a class="logo" href="/"><img src="/static/seal.svg" alt="Seal" width="40" height="40"> {SITE_NAME}</a>
{clock}
<form class="search" role="search" action="/search/" method="get">
{token}
<label for="q">Search</label>
<input id="q" name="q" type="search" placeholder="Search this site">
<button type="submit">Search</button>
</form>
<nav class="main-menu" aria-label="Main menu">
<ul>
{menu}
</ul>
</nav>
</header>"""


def _breadcrumbs_html(page: Page) -> str:
    if not page.crumbs:
        return ""
    steps = "".join(f'<li><a href="{path}">{escape(text)}</a></li>' for text, path in page.crumbs)
    return f'<nav class="breadcrumbs" aria-label="Breadcrumbs"><ol>{steps}</ol></nav>'


def _aside_html(page: Page) -> str:
    links = "\n".join(f'<li><a href="{path}">{escape(text)}</a></li>' for text, path in page.related)
    related = f'<section class="related-links">\n<h2>Related links</h2>\n<ul>\n{links}\n</ul>\n</section>'
    return f"""<aside class="sidebar">
{related if links else ""}
<section class="share-bar" aria-label="Share this page">
<h2>Share</h2>
<ul>
<li><a href="mailto:?subject={escape(page.title[:40])}">Email</a></li>
<li><a href="javascript:window.print()">Print this page</a></li>
</ul>
</section>
<section class="feedback">
<h2>Was this page helpful to you?</h2>
<button>Yes</button> <button>No</button>
</section>
</aside>"""


_FOOTER = """<footer class="site-footer" role="contentinfo">
<nav aria-label="Footer">
<ul>
<li><a href="/">Home</a></li>
<li><a href="/data/">Bulk data</a></li>
<li><a href="https://www.ecfr.gov/current/title-12/chapter-X">eCFR: 12 CFR chapter X</a></li>
<li><a href="https://www.govinfo.gov/app/collection/cfr">GovInfo: Code of Federal Regulations</a></li>
</ul>
</nav>
<p>Demonstration copy, served on this computer only. The text is that of the day named on the page, and not the law in
force.</p>
</footer>
<div class="cookie-notice" role="dialog" aria-label="Cookie notice">
<p>This site uses cookies to count visits. By using it you agree to that.</p>
<button type="button">Accept</button>
</div>
<script>document.querySelector(".cookie-notice button").onclick = e => e.target.parentNode.remove();</script>"""


def _format_day(iso: str) -> str:
    """2012-01-01 as such pages write it: January 1, 2012."""
    day = date.fromisoformat(iso)
    return f"{month_name[day.month]} {day.day}, {day.year}"
