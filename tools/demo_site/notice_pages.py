"""The pages of the Federal Register documents."""

from __future__ import annotations

from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING

from tools.demo_site.gpo_markup import Body
from tools.demo_site.template import Page

if TYPE_CHECKING:
    from tools.demo_site.gpo_xml import Document

_CRUMBS = (("Home", "/"), ("Federal Register documents", "/documents/"))


@dataclass(frozen=True)
class Notice:
    """A document with what its XML leaves to the issue around it: where and when it was published."""

    document: Document
    citation: str
    published: str
    slug: str
    keywords: tuple[str, ...]
    pdf: bool = False  # it has a PDF of its own beside it

    @property
    def path(self) -> str:
        return f"/documents/{self.published.replace('-', '/')}/{self.document.number}/{self.slug}/"

    @property
    def pdf_path(self) -> str:
        return f"{self.path}{self.document.number}.pdf"


def notice_html(notice: Notice) -> str:
    """The text of the document, as HTML."""
    doc = notice.document
    return f"""<h1>{escape(doc.subject)}</h1>
<p class="agency">{escape(doc.agency)}</p>
<p class="citation">{escape(doc.cfr)} · {escape(notice.citation)} · Document {escape(doc.number)}</p>
{Body(closed_up=True).html(doc.root)}"""


def notice_page(notice: Notice) -> Page:
    doc = notice.document
    pdf = ""
    if notice.pdf:
        pdf = (
            '\n<section class="pdf">\n<h2>Printed version</h2>\n'
            f'<p><a href="{notice.pdf_path}">PDF of document {doc.number}</a></p>\n'
            f'<object type="application/pdf" data="{notice.pdf_path}" width="600" height="400"></object>\n</section>'
        )
    return Page(
        path=notice.path,
        title=doc.subject,
        description=doc.summary,
        main=notice_html(notice) + pdf,
        keywords=notice.keywords,
        published=notice.published,
        modified=notice.published,
        crumbs=_CRUMBS,
        related=(
            ("12 CFR part 1026 at ecfr.gov", "https://www.ecfr.gov/current/title-12/chapter-X/part-1026"),
            ("All documents", "/documents/"),
        ),
        kind="Report",
    )
