"""The sections of a page: together they are all of its text, each with its hash and its anchor on the page."""

from __future__ import annotations

from hashlib import sha256
from pathlib import Path

from rori_spiders.content.chunking import parts_of
from rori_spiders.content.convert import Converted, digest
from tests.support.cases import cases

FOLDERS = (Path(__file__).parent / "fixtures", Path(__file__).parent / "documents" / "fixtures")
FILES = sorted(file for folder in FOLDERS for file in folder.glob("*/*") if file.stem in {"page", "input"})
URL = "https://www.ecfr.gov/current/title-12/part-1099"


def page(html: str) -> Converted:
    return digest(f"<html><body><main>{html}</main></body></html>".encode(), url=URL)


def anchors(html: str) -> list[str | None]:
    return [part.anchor for part in page(html).outline if part.level]


@cases("file", FILES, ids=lambda file: file.parent.name)
def test_outline_every_offset_is_correct(file: Path) -> None:
    converted = digest(file.read_bytes(), url=URL)
    text, end = converted.markdown, 0
    for part in converted.outline:
        section = text[part.start : part.end]
        heading = section.partition("\n")[0]
        assert part.start == end
        assert part.hash == sha256(section.encode()).hexdigest()
        assert not part.level or (
            heading.startswith("#" * part.level + " ") and heading.lstrip("# ").strip() in part.path
        )
        end = part.end
    assert end == len(text)
    for citation in converted.citations:
        cited = text[citation.start : citation.end]
        assert cited == cited.strip() and any(map(str.isalnum, cited))
    assert tuple(dict.fromkeys(one.canonical for one in converted.citations)) == converted.hints.cross_references


def test_outline_sections_have_names_of_ledger() -> None:
    parts = parts_of("Before.\n\n# A\n\nx\n\n## B\n\ny\n\n## B\n\nz\n", {})
    assert [(part.path, part.level, part.start) for part in parts] == [
        ("", 0, 0),
        ("A", 1, 9),
        ("A > B", 2, 17),
        ("A > B (2)", 2, 26),
    ]
    assert parts_of("", {}) == ()


@cases(
    ("html", "found"),
    [
        ("<h2 id=scope>Scope</h2><p>x</p>", ["scope"]),
        ("<h2><a name=scope></a>Scope &amp; <i>more</i></h2><p>x</p>", ["scope"]),
        ("<p>x</p><a id=scope></a><h2>Scope</h2><p>x</p>", ["scope"]),
        ("<section id=scope><h2>Scope</h2><p>x</p></section><p>y</p>", ["scope"]),
        ("<section id=all><p>x</p><h2>Scope</h2><p>x</p></section>", [None]),
        ("<h2 id='a b'>Scope</h2><p>x</p>", [None]),
        ("<h2 id=one>Scope</h2><p>x</p><h2 id=two>Scope</h2><p>y</p>", ["one", "two"]),
        ("<h2 id=one>Scope</h2><p>x</p><table><tr><td><h2 id=two>Scope</h2></td><td>1</td></tr></table>", [None]),
        ("<h2>Scope_of *this*</h2><p>x</p><h3 id=x>1 &lt; 2 [x](y)</h3><p>y</p>", [None, "x"]),
    ],
    ids=["id", "old anchor", "anchor before", "block", "not its block", "blank", "two", "one of two", "escaped"],
)
def test_outline_heading_has_own_anchor_or_none(html: str, found: list[str | None]) -> None:
    assert anchors(html) == found


def test_outline_offsets_are_those_of_text_without_credentials() -> None:
    link = '<p><a href="https://user:password@www.example.gov/?api_key=1234567890">The rule</a>, 12 CFR 1024.5(b).</p>'
    converted = page(f"<h1>Rule</h1>{link * 3}<h2>Next</h2><p>See 15 U.S.C. 1681b.</p>")
    text = converted.markdown
    assert "password" not in text and "1234567890" not in text
    cited = [text[citation.start : citation.end] for citation in converted.citations]
    assert cited == ["12 CFR 1024.5(b)"] * 3 + ["15 U.S.C. 1681b"]
    assert text[converted.outline[1].start :].startswith("## Next\n")
    assert converted.outline[1].hash == sha256(text[converted.outline[1].start :].encode()).hexdigest()


def test_outline_offsets_are_those_of_cleaned_utf8() -> None:
    converted = digest(b'{"a": "\xed\xa0\x80 \\ud83d\\ude00 12 CFR 1024.5"}', url=URL, content_type="application/json")
    converted.markdown.encode()
    assert [converted.markdown[one.start : one.end] for one in converted.citations] == ["12 CFR 1024.5"]


def test_outline_long_heading_is_not_repeated_for_each_section() -> None:
    parts = parts_of("# " + "long " * 50_000 + "\n\n" + "## Next\n\nx\n\n" * 1_000, {})
    assert len(parts) == 1_001
    assert sum(len(part.path) for part in parts) < 400_000


def test_outline_many_sections_and_citations_end() -> None:
    converted = digest(
        ("# § 1024.5 Scope\n\n12 CFR 1024.6, 1024.7\n\n" * 5_000).encode(), url=URL, content_type="text/plain"
    )
    assert len(converted.citations) >= 10_000
