"""The demo's pages as the collector keeps them: all of the law, none of the boilerplate, the same on each visit."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from rori_spiders.content.convert import convert
from rori_spiders.content.html import tree
from rori_spiders.content.html.visible_text import measure_tree
from rori_spiders.terminal.demo.working_copy import edit_figure, packaged_site
from tests.terminal.demo.test_build import PAGES, main_of
from tests.terminal.demo.test_server import LIVE, PDF, ask

if TYPE_CHECKING:
    from pathlib import Path

LAW = [name for name in PAGES if re.search(r"/\d+/|/[ae]/", name) and not name.startswith("drafts/")]
BOILERPLATE = [
    "Skip to main content",
    "An official website",
    "Current time",
    "This site uses cookies",
    "Was this page helpful",
    "Page last updated",
    "Demonstration copy",
    "Related links",
]


def plain(text: str) -> str:
    """*text* without white space and markdown's signs."""
    return re.sub(r"</?su[bp]>|[\s\\*_#|`>]|\]\([^)]*\)|\[", "", text)


def markdown_of(base: str, path: str) -> str:
    answer = ask(base, path)
    return str(convert(answer.body, url=base + path, content_type=answer.headers["content-type"]).markdown)


@pytest.mark.parametrize("name", LAW)
def test_demo_law_pages_lose_no_text(base: str, name: str) -> None:
    kept = plain(markdown_of(base, f"/{name.removesuffix('index.html')}"))
    blocks = [block for block in main_of(name).iter("h1", "p", "td") if block.get("class") != "page-stamp"]
    texts = [plain(str(block.text_content())) for block in blocks]
    assert [text for text in texts if text not in kept] == []


@pytest.mark.parametrize("name", PAGES)
def test_demo_pages_keep_no_boilerplate(base: str, name: str) -> None:
    markdown = markdown_of(base, f"/{name.removesuffix('index.html')}")
    assert [words for words in BOILERPLATE if words in markdown] == []


@pytest.mark.parametrize("name", [name for name in PAGES if "/1007/" in name and not name.startswith("drafts/")])
def test_demo_page_requested_twice_gives_same_text(base: str, name: str) -> None:
    path = f"/{name.removesuffix('index.html')}"
    assert markdown_of(base, path) == markdown_of(base, path)


def test_demo_edit_changes_one_line(base: str, folder: Path) -> None:
    before = markdown_of(base, LIVE).splitlines()
    change = edit_figure(folder)
    after = markdown_of(base, LIVE).splitlines()
    changed = [(old, new) for old, new in zip(before, after, strict=True) if old != new]
    assert len(changed) == 1
    assert change.before in changed[0][0]
    assert change.after in changed[0][1]


def test_demo_pdf_reads_like_its_page(base: str) -> None:
    assert "the asset threshold is $2,060,000,000" in " ".join(markdown_of(base, PDF).split())


def test_demo_collected_pages_are_long_enough() -> None:
    site, collected = packaged_site(), [*LAW, "data/index.html"]
    lengths = {name: measure_tree(tree.parse(site[name].decode())).main_chars for name in collected}
    assert {name: chars for name, chars in lengths.items() if chars < 500} == {}
