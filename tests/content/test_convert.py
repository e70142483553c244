"""Pages whole: each folder of `fixtures` holds a page, the markdown and the facts expected of it.

Made by us, but for `bill`, which is a bill of the 119th Congress (a U.S. government work, from govinfo.gov).
"""

from __future__ import annotations

import json
import pickle
import subprocess
import sys
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest

from rori_spiders.content.convert import Converted, convert, digest
from rori_spiders.content.options import Options
from rori_spiders.exceptions import ConversionError, UnreadableDocument
from tests.support.cases import cases

CASES = sorted(folder for folder in (Path(__file__).parent / "fixtures").iterdir() if folder.is_dir())


def recorded(page: Converted) -> dict[str, Any]:
    """What of a converted page stands in `expected.json`: all but its text, its hashes, what citations decide and what
    plug-ins had to do with it.
    """
    facts = asdict(page)
    for elsewhere in ("markdown", "html", "citations", "outline", "converter_version", "plugin_problems"):
        del facts[elsewhere]
    facts["metadata"] = {name: value for name, value in facts["metadata"].items() if value}
    left_out = {"cross_references", "complexity", "unread_pages", "recognised_pages", "ocr_pages"}  # of PDFs
    facts["hints"] = {name: value for name, value in facts["hints"].items() if name not in left_out}
    return json.loads(json.dumps(facts))  # type: ignore[no-any-return]


def read_case(folder: Path) -> tuple[bytes, str, dict[str, Any]]:
    expected = json.loads((folder / "expected.json").read_text(encoding="utf-8"))
    return (folder / "page.html").read_bytes(), expected.pop("url"), expected


@cases("folder", CASES, ids=lambda folder: folder.name)
def test_convert_page_gives_expected_markdown_and_facts(folder: Path) -> None:
    body, url, expected = read_case(folder)
    page = digest(body, url=url, content_type="text/html")
    assert page.markdown == (folder / "expected.md").read_text(encoding="utf-8")
    assert recorded(page) == expected


@pytest.mark.slow
def test_convert_other_process_gives_same_bytes() -> None:
    """Sets and dictionaries are ordered anew in each process: none of that may reach the text or the facts."""
    code = (
        "import hashlib, pickle, sys; from pathlib import Path;"
        "from rori_spiders.content.convert import digest;"
        "bodies = [Path(folder, 'page.html').read_bytes() for folder in sys.argv[1:]];"
        "pages = [repr(digest(body, url='https://a.example.gov/x')) for body in bodies];"
        "print(hashlib.sha256(repr(pages).encode()).hexdigest())"
    )
    outputs = {
        subprocess.run(
            [sys.executable, "-c", code, *map(str, CASES)],
            env={"PYTHONHASHSEED": seed, "PYTHONPATH": str(Path(__file__).parents[2])},
            capture_output=True,
            check=True,
            text=True,
        ).stdout
        for seed in ("1", "4242")
    }
    assert len(outputs) == 1


def test_digest_crosses_to_other_process() -> None:
    body, url, _ = read_case(CASES[0])
    page = digest(body, url=url)
    assert pickle.loads(pickle.dumps(page)) == page


def test_convert_markdown_and_title_leave_rest_uncomputed() -> None:
    body, url, _ = read_case(CASES[0])
    page = convert(body, url=url)
    assert page.markdown
    assert page.title
    assert not {"metadata", "links", "citations", "hints", "outline", "language"} & set(vars(page))


def test_convert_document_is_recognised_by_its_bytes() -> None:
    page = convert(b'{"part": 1024}', url="https://api.example.gov/x", content_type="text/html")
    assert "1024" in page.markdown
    assert page.extraction.way == "document"


@cases(
    ("body", "options"),
    [
        (b"", Options()),
        (b"   \n\t ", Options()),
        (b"<html><body></body></html>", Options()),
        (b"<html><head><title>Only a title</title></head><body><script>x()</script></body></html>", Options()),
        (b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\x00\x01", Options()),
    ],
    ids=["nothing", "white space", "an empty body", "scripts alone", "an image"],
)
def test_convert_body_without_text_is_unreadable(body: bytes, options: Options) -> None:
    with pytest.raises(UnreadableDocument):
        convert(body, url="https://example.gov/", options=options)


def test_convert_content_selector_must_match() -> None:
    body = (
        "<body><main><p>Main</p></main><div class=law><p>§ 1</p></div><div class=law><p>§ 2</p></div></body>".encode()
    )
    page = convert(body, url="https://example.gov/", options=Options(content_selector=".law"))
    assert page.markdown == "§ 1\n\n§ 2\n"
    assert page.extraction.way == "selector"
    with pytest.raises(ConversionError, match="matches nothing"):
        convert(body, url="https://example.gov/", options=Options(content_selector=".statute"))
    with pytest.raises(ConversionError, match="not a CSS selector"):
        convert(body, url="https://example.gov/", options=Options(content_selector="div[[["))


def test_convert_remove_selectors_remove_elements() -> None:
    body = b"<body><main><p>Kept text of the page.</p><p class=promo>Buy now</p></main></body>"
    page = convert(body, url="https://example.gov/", options=Options(remove_selectors=(".promo",)))
    assert page.markdown == "Kept text of the page.\n"


def test_convert_one_changed_digit_changes_one_section_hash() -> None:
    body, url, _ = read_case(next(folder for folder in CASES if folder.name == "regulation"))
    before, after = (digest(text, url=url) for text in (body, body.replace(b"$1,300", b"$1,301")))
    changed = [old[0] for old, new in zip(before.section_hashes, after.section_hashes, strict=True) if old != new]
    assert changed == ["§ 1099.5 Coverage of this part > (b) Thresholds"]
    assert len(before.markdown) == len(after.markdown)
