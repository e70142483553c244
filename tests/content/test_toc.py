"""A page's own table of contents goes where its entries stand on the page; tables of sections and indexes stay."""

from __future__ import annotations

import pytest

from tests.content.pages import page_text
from tests.support.cases import cases

LAW = "<p>The creditor shall give the consumer the disclosures of this section, in writing, before settlement.</p>"
ENTRIES = "".join(f'<li><a href="#s{n}">Topic number {n}</a></li>' for n in range(5))
SECTIONS = "".join(f'<h2 id="s{n}">Topic number {n}</h2>{LAW}' for n in range(5))


@pytest.mark.parametrize(
    "contents",
    [
        f"<h2>On this page</h2><ul>{ENTRIES}</ul>",
        f"<div class=toc><p>Table of contents</p><ol>{ENTRIES}</ol></div>",
        f"<div class=toc><h2>Contents</h2><ul>{ENTRIES.replace('>Topic', '>1.2 Topic')}</ul></div>",
        f"<div class=in-page-nav><ul>{ENTRIES}</ul></div>",
        f"<details><summary>Contents</summary><ul>{ENTRIES}</ul></details>",
    ],
    ids=["heading", "named", "numbered", "named alone", "folded"],
)
@pytest.mark.parametrize(
    "sections",
    [SECTIONS, SECTIONS.replace('<h2 id="', '<a name="').replace('">Topic', '"></a><h2>Topic')],
    ids=["ids", "names before"],
)
def test_toc_is_removed_and_no_word_is_lost(contents: str, sections: str) -> None:
    whole = page_text(f"<main><h1>T</h1>{LAW}{sections}</main>")
    assert page_text(f"<main><h1>T</h1>{LAW}{contents}{sections}</main>") == whole


@cases(
    "page",
    [
        f"<h2>Contents</h2><ul>{ENTRIES.replace('#', '/part/')}</ul>{SECTIONS}",
        f"<h2>Contents</h2><ul>{ENTRIES}</ul>{LAW * 5}",
        f"<h2>Contents</h2><ul>{ENTRIES}</ul>{SECTIONS}".replace("Topic", "§ 1024.5 Topic"),
        f"<h2>Contents</h2><ul>{ENTRIES.replace('number', 'that says more')}</ul>{SECTIONS}",
        f"<p>The Board finds that:</p><ul>{ENTRIES}</ul>{SECTIONS}",
        f"<h2>Contents</h2><p>{LAW}</p><ul>{ENTRIES}</ul>{SECTIONS}",
        f"<h2>Contents</h2><ul>{ENTRIES}</ul>{SECTIONS.replace('Topic number 4', 'What follows')}",
        f"<h2>Contents</h2><ul>{ENTRIES.replace('2</a>', '2</a> (repealed)')}</ul>{SECTIONS}",
        f"<h2>Contents</h2><ul>{ENTRIES}<li>Topic number 9 [Reserved]</ul>{SECTIONS}",
        f"<div class=toc><h2>Contents</h2><ul>{ENTRIES.replace('</a>', '</a> 1/1/26')}</ul></div>{SECTIONS}",
        f"<div class=toc><p>As of 5 May 2025</p><ul>{ENTRIES}</ul></div>{SECTIONS}",
        f"<h2>Contents</h2><ul>{ENTRIES.replace('>Topic number 3', '>30 days, Topic number 3')}</ul>{SECTIONS}",
        f"<h2>Contents</h2><ul>{ENTRIES.replace('number 3', 'number 3: $500')}</ul>{SECTIONS}",
    ],
    ids=[
        *("of other pages", "of nothing here", "of sections", "other words", "a list of the text", "after text"),
        *("the only place of a title", "a note", "a reserved entry", "dates", "a date over it", "days", "an amount"),
    ],
)
def test_toc_lookalike_stays(page: str) -> None:
    assert page_text(f"<main><h1>T</h1>{LAW}{page}</main>").count("](https://www.example.gov/") == 5
