"""The pages of the CFR parts: an index with a table of contents, one page a section, one an appendix, one to print."""

from __future__ import annotations

from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING

from tools.demo_site.gpo_markup import Body
from tools.demo_site.template import Page

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tools.demo_site.gpo_xml import Leaf, Part

ROOT = "/rules-policy/regulations/"
_CRUMBS = (("Home", "/"), ("Regulations", ROOT))


@dataclass(frozen=True)
class Regulation:
    """A part with what its XML says only in capitals, or not at all."""

    part: Part
    letter: str
    act: str
    keywords: tuple[str, ...]
    about: str
    published: str
    live: bool = False
    related: tuple[tuple[str, str], ...] = ()

    @property
    def path(self) -> str:
        return f"{ROOT}{self.part.number}/"

    @property
    def name(self) -> str:
        return f"12 CFR Part {self.part.number} ({self.letter})"

    def path_of(self, leaf: Leaf) -> str:
        return f"{self.path}{leaf.key}/"

    def page(self, path: str, title: str, description: str, main: str, crumbs: tuple[tuple[str, str], ...]) -> Page:
        return Page(
            path=path,
            title=title,
            description=description,
            main=main,
            keywords=self.keywords,
            published=self.published,
            crumbs=crumbs,
            related=self.related,
            live=self.live,
            kind="Legislation",
        )


def index_page(regulation: Regulation) -> Page:
    """The part's first page: what it is, its contents, authority and source."""
    part = regulation.part
    rows = "\n".join(
        f'<li><a href="{regulation.path_of(leaf)}">{escape(leaf.heading)}</a></li>' for leaf in part.leaves
    )
    main = f"""<h1>{regulation.name}</h1>
<p class="lead">{escape(regulation.act)}</p>
<p>{escape(regulation.about)}</p>
<p>The text shown here is that of the annual edition of the Code of Federal Regulations, title 12, volume 8, revised as
of January 1, 2012. Choose a section from the contents, or read the
<a href="{regulation.path}print/">whole part on one page</a>.</p>
<h2>Contents</h2>
<ul class="contents">
{rows}
</ul>
<h2>Authority</h2>
<p>{escape(part.authority)}</p>
<h2>Source</h2>
<p>{escape(part.source)}</p>"""
    return regulation.page(regulation.path, f"{regulation.name}: {regulation.act}", regulation.about, main, _CRUMBS)


def leaf_page(regulation: Regulation, leaf: Leaf, *, in_part: bool = True) -> Page:
    """The page of one section or appendix; *in_part*: with links to the part's index, the next and the previous."""
    around = _neighbours(regulation, leaf) if in_part else ""
    main = f"<h1>{escape(leaf.heading)}</h1>\n{Body().html(leaf.body)}\n{around}"
    crumbs = (*_CRUMBS, (f"Part {regulation.part.number}", regulation.path)) if in_part else _CRUMBS
    description = f"{leaf.heading} Part of {regulation.name}, {regulation.act}."
    return regulation.page(regulation.path_of(leaf), leaf.heading, description, main, crumbs)


def print_page(regulation: Regulation) -> Page:
    """All of the part on one page, to be printed: the same text once more, which a manifest excludes."""
    body = Body()
    main = "\n".join(f"<h2>{escape(leaf.heading)}</h2>\n{body.html(leaf.body)}" for leaf in regulation.part.leaves)
    title = f"{regulation.name}, print version"
    return regulation.page(f"{regulation.path}print/", title, regulation.about, f"<h1>{title}</h1>\n{main}", _CRUMBS)


def regulation_pages(regulation: Regulation) -> Iterator[Page]:
    yield index_page(regulation)
    for leaf in regulation.part.leaves:
        yield leaf_page(regulation, leaf)
    yield print_page(regulation)


def _neighbours(regulation: Regulation, leaf: Leaf) -> str:
    leaves = regulation.part.leaves
    place = leaves.index(leaf)
    links = [f'<a class="up" href="{regulation.path}">Contents of part {regulation.part.number}</a>']
    if place > 0:
        before = leaves[place - 1]
        links.insert(0, f'<a rel="prev" href="../{before.key}/">Previous: {escape(before.label)}</a>')
    if place + 1 < len(leaves):
        after = leaves[place + 1]
        links.append(f'<a rel="next" href="../{after.key}/">Next: {escape(after.label)}</a>')
    return f'<nav class="pagination" aria-label="Sections">{" ".join(links)}</nav>'
