"""Pages and files without regulation text: home, lists, the refusal, error pages, robots.txt, style sheet, seal."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from tools.demo_site.regulation_pages import ROOT, Regulation
from tools.demo_site.template import BASE, Page

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from tools.demo_site.notice_pages import Notice


_HOME = (("Home", "/"),)


def home_page(regulations: Sequence[Regulation], notices: Sequence[Notice]) -> Page:
    main = f"""<h1>Regulations Library</h1>
<p class="lead">Consumer financial protection regulations and the Federal Register documents that change them, as the
Government Publishing Office published them.</p>
<h2>Regulations</h2>
{_list_html((regulation.path, f"{regulation.name}: {regulation.act}") for regulation in regulations)}
<h2>Recent documents</h2>
{_list_html((notice.path, notice.document.subject) for notice in notices)}
<p>Programs may read the <a href="/data/">bulk data</a>.</p>"""
    about = "Consumer financial protection regulations and Federal Register documents."
    return Page("/", "Home", about, main, live=True, kind="WebSite")


def regulation_list(regulations: Sequence[Regulation], singles: Sequence[Page]) -> Page:
    main = f"""<h1>Regulations</h1>
<p>The Consumer Financial Protection Bureau’s regulations are in title 12, chapter X of the Code of Federal Regulations.
These parts are shown whole:</p>
{_list_html((regulation.path, f"{regulation.name}: {regulation.act}") for regulation in regulations)}
<p>Of 12 CFR Part 1024 (Regulation X, Real Estate Settlement Procedures Act) these pages are shown:</p>
{_list_html((page.path, page.title) for page in singles)}"""
    return Page(ROOT, "Regulations", "The regulations shown on this site, part by part.", main, crumbs=_HOME)


def document_list(notices: Sequence[Notice], blocked: str) -> Page:
    rows = [(notice.path, f"{notice.document.subject} ({notice.citation})") for notice in notices]
    rows.append((blocked, "Integrated Mortgage Disclosures; Delay of Effective Date (80 FR 43911)"))
    lead = "<h1>Federal Register documents</h1>\n<p>Rules and notices of the Bureau, oldest first.</p>"
    main = f"{lead}\n{_list_html(rows)}"
    return Page("/documents/", "Federal Register documents", "Rules and notices of the Bureau.", main, crumbs=_HOME)


def bulk_data(files: Sequence[tuple[str, int, str]]) -> Page:
    """*files*: path, size in bytes, SHA-256."""
    rows = "\n".join(
        f'<tr><th scope="row"><a href="{path}">{path.rpartition("/")[2]}</a></th><td>{size:,}</td>'
        f"<td><code>{digest}</code></td></tr>"
        for path, size, digest in files
    )
    main = f"""<h1>Bulk data</h1>
<p>The XML files from which these pages are made, as the Government Publishing Office published them. They are works of
the United States government and free of copyright. Each row gives the size in bytes and the SHA-256 of the file, so
that a copy can be checked against it.</p>
<table>
<caption>Files</caption>
<thead><tr><th scope="col">File</th><th scope="col">Bytes</th><th scope="col">SHA-256</th></tr></thead>
<tbody>
{rows}
</tbody>
</table>
<h2>From a program</h2>
<p>Please wait two seconds between requests and name yourself in the User-Agent:</p>
<pre><code>curl --user-agent "example-reader/1.0 (mail@example.org)" \\
     --remote-name {BASE}{files[0][0]}
sha256sum {files[0][0].rpartition("/")[2]}</code></pre>
<h2>Questions</h2>
<p>Questions about the files go to the Government Publishing Office, which makes them; questions about the regulations
to the agency that is named in them. The files are not changed after they have been published: a correction is a new
file.</p>"""
    return Page(
        "/data/", "Bulk data", "The XML files behind these pages, with sizes and checksums.", main, crumbs=_HOME
    )


def draft_page() -> Page:
    main = """<h1>Draft: § 1007.106 (not published)</h1>
<p>This page stands in the corner that robots.txt closes to programs. A collector that keeps to robots.txt never asks
for it, although pages link to it. If this sentence is ever found in a staging area, a promise was broken.</p>"""
    return Page("/drafts/regulations/1007/106/", "Draft § 1007.106", "Not for programs.", main, robots="noindex")


def request_access() -> bytes:
    """A refusal with status 200, in the form in which ecfr.gov and federalregister.gov have given it."""
    return b"""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>Federal Register :: Request Access</title>
<meta name="robots" content="noindex">
</head>
<body>
<header><h1>The Federal Register</h1><p>The Daily Journal of the United States Government</p></header>
<main>
<h2>Request Access</h2>
<p>Due to aggressive automated scraping of FederalRegister.gov and eCFR.gov, programmatic access to these sites is
limited to access to our extensive developer APIs.</p>
<p>If you are a person and see this page, solve the puzzle below and choose "Request Access". Your address is then let
through for about three months.</p>
<form method="post"><div class="captcha" aria-label="CAPTCHA (bot test)"></div><button>Request Access</button></form>
</main>
</body>
</html>
"""


def error_page(title: str, text: str) -> Page:
    """What the server sends where there is no page (any more)."""
    return Page("/", title, text, f"<h1>{title}</h1>\n<p>{text}</p>", robots="noindex", kind="")


def _list_html(rows: Iterable[tuple[str, str]]) -> str:
    items = "\n".join(f'<li><a href="{path}">{escape(text)}</a></li>' for path, text in rows)
    return f"<ul>\n{items}\n</ul>"


# Files of the site that are the same for any text: robots.txt, the style sheet, the seal.

ROBOTS = f"""# Programs are welcome, but not to drafts and search results.
User-agent: *
Disallow: /drafts/
Disallow: /search/

Sitemap: {BASE}/sitemap.xml
""".encode()
CSS = b"""body { font: 17px/1.5 Georgia, serif; margin: 0; color: #1b1b1b; }
.gov-banner, .site-header, .site-footer { background: #f0f0f0; padding: .5em 2em; font-family: sans-serif; }
.wrapper { max-width: 62em; margin: auto; padding: 1em 2em; }
.main-menu ul, .breadcrumbs ol { list-style: none; display: flex; gap: 1.5em; padding: 0; }
.skip-link { position: absolute; left: -99em; }
.level-2 { margin-left: 2em; } .level-3 { margin-left: 4em; } .level-4 { margin-left: 6em; }
table { border-collapse: collapse; } th, td { border: 1px solid #999; padding: .2em .6em; text-align: left; }
.sidebar { border-top: 1px solid #999; margin-top: 2em; font-size: 85%; }
.cookie-notice { position: fixed; bottom: 0; width: 100%; background: #112e51; color: #fff; padding: 0 2em; }
"""
SEAL = b"""<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 40 40">
<circle cx="20" cy="20" r="18" fill="#112e51"/>
</svg>
"""
