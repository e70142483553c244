"""Who refers to whom: paragraphs, pages, what is not there, and what only the publisher has."""

from __future__ import annotations

import json
from argparse import Namespace
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest

from rori_spiders.corpus.chunks.chunk_file import lines_of_document
from rori_spiders.corpus.chunks.references import Reference, references_between
from rori_spiders.corpus.documents.document import build_document
from rori_spiders.exceptions import ActionRefused, StagingError
from rori_spiders.terminal.corpus.listings import write_references
from rori_spiders.urls.canonical import url_hash
from tests.corpus.publishing.conftest import Corpus, corpus, ledger
from tests.corpus.publishing.factories import DOMAIN

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["corpus", "ledger"]
PART = "https://www.ecfr.gov/current/title-12/part-1024"
GUIDE = "https://www.hud.gov/guide"
RULE = "https://www.federalregister.gov/documents/rule"
REMOVED = "https://www.hud.gov/former"
LONG = "The servicer shall comply with what is asked of it here. " * 12
TEXTS = {
    PART: f"""# PART 1024—REAL ESTATE SETTLEMENT PROCEDURES ACT

## § 1024.17 Escrow accounts.

(a) *General.* {LONG}

(b) *Limits.* (1) {LONG}

(2) {LONG} See § 1024.21(b) and § 1024.99.

## § 1024.21 Transfers.

(a) *Definitions.* {LONG}

(b) *Notices.* {LONG}
""",
    GUIDE: "# Guide\n\nSee 12 CFR 1024.17(b)(2), 12 CFR 1024.21(f), Regulation X and 15 U.S.C. 1601; "
    f"[rule]({RULE}#top), [old]({REMOVED}), [other](https://www.hud.gov/other), "
    "again 12 CFR 1024.17(b)(2) and RESPA section 8.",
    RULE: "# Rule\n\n## PART 1024—REAL ESTATE\n\n### § 1024.17 Escrow accounts.\n\n(a) As amended. See § 1024.41.",
}


def references(texts: dict[str, str] = TEXTS) -> list[Reference]:
    lines: list[dict[str, Any]] = []
    ids = {url: f"web_{url_hash(url)[:8]}_x" for url in texts}
    for url, body in texts.items():
        made = build_document(
            body, title=None, description=None, language="en", source_url=url, source_subtype="web_page",
            doc_id=ids[url], run_id="r",
        )  # fmt: skip
        lines += map(json.loads, lines_of_document(made, {}).lines)
    found = list(references_between(lines, ids, {REMOVED}))
    chunks = {line["id"] for line in lines}
    assert {one.target_chunk for one in found} - {None} <= chunks
    return found


def test_references_between_documents_are_resolved_or_not() -> None:
    guide = f"web_{url_hash(GUIDE)[:8]}_x"
    told = {one.citation: one.resolution for one in references() if one.doc_id == guide}
    assert told == {
        "12 C.F.R. § 1024.17(b)(2)": "exact",
        "12 C.F.R. § 1024.21(f)": "missing",
        "Regulation X": "exact",
        "15 U.S.C. § 1601": "outside",
        "RESPA § 8": "unknown",
        RULE: "exact",
        REMOVED: "missing",
    }


def test_references_lead_to_the_part_itself_not_to_its_amendment() -> None:
    [found] = [one for one in references() if one.citation == "12 C.F.R. § 1024.17(b)(2)"]
    assert found.target_doc == f"web_{url_hash(PART)[:8]}_x"
    without = {url: text for url, text in TEXTS.items() if url != PART}
    told = {one.citation: one.resolution for one in references(without)}
    assert told["12 C.F.R. § 1024.17(b)(2)"] == "part"  # an amendment is not the section: nothing is missing there
    assert told["12 C.F.R. § 1024.41"] == "outside"


def test_references_within_a_part_name_what_is_not_there() -> None:
    its = {one.citation: one for one in references() if one.doc_id == f"web_{url_hash(PART)[:8]}_x"}
    assert its["12 C.F.R. § 1024.21(b)"].resolution == "exact"
    assert its["12 C.F.R. § 1024.99"].resolution == "missing"
    assert TEXTS[PART][its["12 C.F.R. § 1024.99"].start : its["12 C.F.R. § 1024.99"].end] == "1024.99"


def test_references_of_a_paragraph_that_may_be_there_are_not_missing() -> None:
    gap = TEXTS[PART].replace("(b) *Notices.*", "(d) *Notices.*")
    told = {
        one.citation: one.resolution for one in references({**TEXTS, PART: gap.replace("1024.21(b)", "1024.21(d)")})
    }
    assert told["12 C.F.R. § 1024.21(d)"] == "part"


def test_references_of_a_range_name_what_stands_between() -> None:
    text = TEXTS[PART].replace("(2) ", f"(2) {LONG}\n\n(3) {LONG}\n\n(4) ")
    guide = "# Guide\n\n12 CFR 1024.17(b)(1) through (4); §§ 1024.17–1024.30; 12 CFR 1024.17(b)(2) and (b)(4)."
    guide += " 15 U.S.C. 1601-1667."
    text += f"\n## § 1024.30 Scope.\n\n(a) {LONG}\n"
    its = [one for one in references({PART: text, GUIDE: guide}) if one.doc_id == f"web_{url_hash(GUIDE)[:8]}_x"]
    told = {one.citation.removeprefix("12 C.F.R. § "): guide[one.start : one.end] for one in its}
    assert told["1024.17(b)(3)"] == "12 CFR 1024.17(b)(1) through (4)" and told["1024.21"] == "1024.17–1024.30"
    assert {one.resolution for one in its if one.kind == "cfr"} == {"exact"}
    assert [name for name in told if "U.S.C." in name] == ["15 U.S.C. § 1601", "15 U.S.C. § 1667"]


def test_references_to_a_page_that_is_the_part_by_its_address_lead_to_it() -> None:
    contents = {
        PART: "# Regulation X\n\nIts sections are pages.",
        GUIDE: TEXTS[GUIDE] + " 12 CFR part 1024",
    }
    told = {one.citation: one for one in references(contents)}
    for name in ("Regulation X", "12 C.F.R. Part 1024"):
        assert (told[name].resolution, told[name].target_doc) == ("exact", f"web_{url_hash(PART)[:8]}_x")
    assert told["12 C.F.R. § 1024.21(f)"].resolution == "outside", "a table of contents lacks nothing"


def test_references_by_links_with_brackets_in_their_address() -> None:
    wiki = "https://www.hud.gov/wiki/Escrow_(2014)"
    [found] = references({GUIDE: f"# Guide\n\nSee [it]({wiki}).", wiki: "# Escrow\n\nText."})
    assert (found.citation, found.resolution) == (wiki, "exact")


def test_write_references_lists_who_refers(corpus: Corpus, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    session: Any = SimpleNamespace(store=corpus.store)

    def listed(**options: Any) -> list[dict[str, Any]]:
        opts = {"domain": DOMAIN, "format": "json", "to": None, "from_page": None, "resolution": None, **options}
        assert write_references(session, Namespace(**opts)) == 0
        return list(json.loads(capsys.readouterr().out))

    with pytest.raises(ActionRefused, match="no published version yet"):
        listed()
    link = f"https://{DOMAIN}/a"
    corpus.publish({"a": "# A\n\nText of 15 U.S.C. 1601.", "b": f"# B\n\nSee [a]({link}) and 15 U.S.C. 1601(a)."})
    [found] = listed(to=link)
    assert (found["from_url"], found["to_url"], found["resolution"]) == (f"https://{DOMAIN}/b", link, "exact")
    assert [one["from_url"][-1] for one in listed(to="15 U.S.C. § 1601")] == ["a", "b"]
    assert len(listed(from_page=f"https://{DOMAIN}/b", resolution="outside")) == 1
    opts = {"domain": DOMAIN, "format": "table", "to": None, "from_page": None, "resolution": "missing"}
    write_references(session, Namespace(**opts))
    assert "0 of 3 references of version 1" in capsys.readouterr().out
    file = tmp_path / "staged" / "domains" / DOMAIN / "corpora" / "v1" / "references.jsonl"
    file.write_bytes(b"")
    with pytest.raises(StagingError, match="does not match its manifest"):
        listed()
    file.unlink()
    with pytest.raises(StagingError, match=r"references.jsonl is missing: the version is incomplete"):
        listed()
