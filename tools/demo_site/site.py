"""The whole site: which sources become which pages, and the files that are no pages."""

from __future__ import annotations

import json
from hashlib import sha256

from tools.demo_site import gpo_xml, notice_pages, pdf, regulation_pages, static_pages
from tools.demo_site.notice_pages import Notice
from tools.demo_site.regulation_pages import Regulation
from tools.demo_site.static_pages import CSS, ROBOTS, SEAL
from tools.demo_site.template import BASE, render_page

GONE = "/rules-policy/regulations/1007/interim-faq/"
MISSING = "/rules-policy/regulations/1007/106/"
BLOCKED = "/documents/2015/07/24/2015-18239/integrated-mortgage-disclosures-delay-of-effective-date/"
_XML = ("CFR-2012-title12-vol8-part1006", "CFR-2012-title12-vol8-part1007", "CFR-2012-title12-vol8-part1024")


def build_site_files() -> dict[str, bytes]:
    """Every file of the site by its path (relative, `/` between folders), in order."""
    f, g, x = _read_regulations()
    singles = [regulation_pages.leaf_page(x, x.part.leaf(key), in_part=False) for key in ("17", "e")]
    notices = _read_notices()
    pages = [
        static_pages.home_page((f, g), notices),
        static_pages.regulation_list((f, g), singles),
        *regulation_pages.regulation_pages(f),
        *regulation_pages.regulation_pages(g),
        *singles,
        static_pages.document_list(notices, BLOCKED),
        *map(notice_pages.notice_page, notices),
        static_pages.bulk_data([(path, len(body), sha256(body).hexdigest()) for path, body in _xml_files().items()]),
        static_pages.draft_page(),
    ]
    out = {f"{page.path}index.html": render_page(page) for page in pages}
    out |= _xml_files()
    out |= {notice.pdf_path: _notice_pdf(notice) for notice in notices if notice.pdf}
    out |= _sitemap_files(g) | _answer_files() | {"/robots.txt": ROBOTS, "/static/site.css": CSS}
    out["/static/seal.svg"] = SEAL
    return {path.lstrip("/"): out[path] for path in sorted(out)}


def _read_regulations() -> tuple[Regulation, Regulation, Regulation]:
    f, g, x = (gpo_xml.read_part(name) for name in _XML)
    return (
        Regulation(
            f,
            "Regulation F",
            "Fair Debt Collection Practices Act",
            ("debt collection", "state exemption", "Regulation F"),
            "How a state may apply for an exemption of a class of debt collection practices, and how it is decided.",
            "2011-12-16",
            related=(("15 U.S.C. 1692o", "https://www.govinfo.gov/link/uscode/15/1692o"),),
        ),
        Regulation(
            g,
            "Regulation G",
            "S.A.F.E. Mortgage Licensing Act—Federal Registration of Residential Mortgage Loan Originators",
            ("mortgage loan originators", "registration", "S.A.F.E. Act", "Regulation G"),
            "Registration of employees of federally regulated institutions who act as mortgage loan originators.",
            "2011-12-19",
            live=True,
            related=(
                ("Questions and answers on the interim rule", GONE),
                ("§ 1007.106", MISSING),
                ("Draft of § 1007.106", "/drafts/regulations/1007/106/"),
                ("12 U.S.C. 5101", "https://www.govinfo.gov/link/uscode/12/5101"),
            ),
        ),
        Regulation(
            x,
            "Regulation X",
            "Real Estate Settlement Procedures Act",
            ("RESPA", "escrow accounts", "settlement", "Regulation X"),
            "Settlement costs, escrow accounts and servicing of federally related mortgage loans.",
            "2011-12-20",
            related=(("12 U.S.C. 2601", "https://www.govinfo.gov/link/uscode/12/2601"),),
        ),
    )


def _read_notices() -> list[Notice]:
    approval, thresholds, assets = map(gpo_xml.read_document, ("FR-2013-27337", "FR-2014-18838", "FR-2014-30405"))
    lending = ("Truth in Lending", "Regulation Z", "thresholds")
    return [
        Notice(approval, "78 FR 69753", "2013-11-21", "information-collection-approval", ("Paperwork Reduction Act",)),
        Notice(thresholds, "79 FR 48015", "2014-08-15", "truth-in-lending-annual-threshold-adjustments", lending),
        Notice(assets, "79 FR 77855", "2014-12-29", "adjustment-to-asset-size-exemption-threshold", lending, pdf=True),
    ]


def _xml_files() -> dict[str, bytes]:
    return {f"/data/{name}.xml": gpo_xml.read_source(name) for name in _XML}


def _notice_pdf(notice: Notice) -> bytes:
    doc = notice.document
    return pdf.pdf_from_html(
        notice_pages.notice_html(notice), title=doc.subject, author=doc.agency, published=notice.published
    )


def _sitemap_files(regulation: Regulation) -> dict[str, bytes]:
    """A sitemap of one part and the index above it. It lists the page that is gone: sitemaps are seldom swept."""
    paths = [regulation.path, *map(regulation.path_of, regulation.part.leaves), GONE]
    urls = "\n".join(f"<url><loc>{BASE}{path}</loc><lastmod>2012-01-01</lastmod></url>" for path in paths)
    index = f"<sitemap><loc>{BASE}/sitemaps/regulation-g.xml</loc><lastmod>2012-01-01</lastmod></sitemap>"
    return {
        "/sitemaps/regulation-g.xml": _sitemap_xml("urlset", urls),
        "/sitemap.xml": _sitemap_xml("sitemapindex", index),
    }


def _sitemap_xml(kind: str, rows: str) -> bytes:
    start = f'<?xml version="1.0" encoding="UTF-8"?>\n<{kind} xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">'
    return f"{start}\n{rows}\n</{kind}>\n".encode()


def _answer_files() -> dict[str, bytes]:
    """What `demo.server` sends for paths that have no file: `answers.json`, by path; and the bodies beside it."""
    rules = {
        GONE: {"status": 410, "body": "gone.html"},
        BLOCKED: {"status": 200, "body": "request-access.html"},
        "*": {"status": 404, "body": "not-found.html"},
    }
    gone = static_pages.error_page(
        "This page has been removed", "The questions and answers on the interim rule were withdrawn."
    )
    missing = static_pages.error_page("Page not found", "There is no page at this address.")
    return {
        "/_answers/answers.json": (json.dumps(rules, indent=1) + "\n").encode(),
        "/_answers/gone.html": render_page(gone),
        "/_answers/not-found.html": render_page(missing),
        "/_answers/request-access.html": static_pages.request_access(),
    }
