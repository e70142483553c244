"""`diff`: what changed between two versions of a page, named by number, hash or day."""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING

import pytest

from rori_spiders.content import CONVERTER_VERSION
from rori_spiders.content.convert import convert
from rori_spiders.content.sections import content_hash, section_hashes
from rori_spiders.ledger.database import open_ledger
from rori_spiders.ledger.pages import page_history
from rori_spiders.ledger.runs import run_records
from rori_spiders.staging.store_factory import open_store
from tests.support.databases import write_empty_ledger
from tests.support.output_schema import find_problems
from tests.support.runs import opened
from tests.terminal.commands.conftest import BEGAN, START

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.support.project import Project
    from tests.terminal.commands.conftest import Result

    Typed = Callable[..., Result]

FIRST = "# Rule\n\n## § 1 Fees\n\nA lender may charge $25 within 30 days.\n\n## § 2 Dates\n\nFrom May 1, 2026.\n"
SECOND = FIRST.replace("may charge $25", "shall not charge $26")
THIRD = SECOND.replace("May 1, 2026", "June 1, 2026")
HTML = "<html><body><main><h1>Rule</h1><p>The fee is $25, as it always was, for any loan.</p></main></body></html>"


@dataclass
class Kept:
    """A page of `a-page` whose versions this keeps, a day apart from BEGAN on."""

    project: Project

    def add(self, text: str, *, url: str = START, converter: str = CONVERTER_VERSION, **more: str) -> str:
        """Keep *text* as the page's next version; gives the run that brought it."""
        store, ledger = open_store(self.project.staging), open_ledger(f"sqlite:///{self.project.ledger}")
        body, raw = store.put_object(text.encode()), store.put_object(more.pop("raw", text).encode())
        with ledger.begin() as connection:
            page = page_history.ensure_page(connection, "a-page", url, now=BEGAN)
            at = BEGAN + timedelta(days=page.last_seq)
            run = opened(connection, "a-page", at, method="scrape")
            values = {"tier": "http", "change_type": "modified" if page.last_seq else "new", **more}
            version = page_history.NewVersion(
                run_id=run.run_id,
                captured_at=at,
                content_hash=content_hash(text),
                raw_object=raw,
                body_object=body,
                section_hashes=section_hashes(text),
                converter_version=converter,
                **values,
            )
            page_history.add_version(connection, page.page_id, version, body_chars=len(text))
            run_records.close_run(connection, run.run_id, state="complete", reason=None, now=at)
        ledger.close()
        return run.run_id


@pytest.fixture
def kept(three: Project) -> Kept:
    write_empty_ledger(three.ledger)
    return Kept(three)


@pytest.fixture
def thrice(kept: Kept) -> Kept:
    for text in (FIRST, SECOND, THIRD):
        kept.add(text)
    return kept


def compared(said: Result) -> tuple[int, int]:
    found = json.loads(said.out)
    return found["from"]["version"], found["to"]["version"]


def test_diff_defaults_to_last_two_versions(thrice: Kept, typed: Typed) -> None:
    said = typed("diff", "a-page", START)
    assert (said.code, said.err) == (0, "")
    assert said.out.splitlines() == [
        f"a-page  {START}",
        f"from version 2, captured 2026-02-14 07:00 UTC, {content_hash(SECOND)[:12]}",
        f"to   version 3, captured 2026-02-15 07:00 UTC, {content_hash(THIRD)[:12]}",
        "1 section changed, 1 date changed.",
        "",
        "Rule > § 2 Dates",
        "  paragraph 2",
        "    From [-May-]{+June+} 1, 2026.",
        "    date: May 1, 2026 → June 1, 2026",
    ]


def test_diff_json_is_complete(thrice: Kept, typed: Typed) -> None:
    found = json.loads(typed("diff", "a-page", START, "--from", "1", "--to", "2", "--format", "json").out)
    assert find_problems("diff", found) == []
    assert found["to"] | {"run_id": ""} == {
        "url": START,
        "version": 2,
        "version_id": "1-2",
        "captured_at": "2026-02-14T07:00:00Z",
        "change_type": "modified",
        "content_hash": f"sha256:{content_hash(SECOND)}",
        "converter_version": CONVERTER_VERSION,
        "tier": "http",
        "run_id": "",
    }
    [section] = found["sections"]
    assert (section["change"], section["path"]) == ("changed", "Rule > § 1 Fees")
    assert {"kind": "amount", "old": "$25", "new": "$26"} in section["changes"][0]["marks"]
    assert found["summary"]["marks"] == {"operative": {"changed": 1, "added": 1}, "amount": {"changed": 1}}


def test_diff_html_is_escaped(kept: Kept, typed: Typed) -> None:
    kept.add("A <script>x</script> fee of $5 applies here.")
    kept.add("A <script>x</script> fee of $6 applies here.")
    page = typed("diff", "a-page", START, "--format", "html").out
    assert page.startswith("<!DOCTYPE html>")
    assert "<script" not in page
    assert "<del>$5</del><ins>$6</ins>" in page


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        (("--from", "1"), (1, 3)),
        (("--to", "2"), (1, 2)),
        (("--from", "v1", "--to", "v3"), (1, 3)),
        (("--from", content_hash(FIRST)[:8]), (1, 3)),
        (("--from", f"sha256:{content_hash(FIRST)}", "--to", content_hash(SECOND)[:6].upper()), (1, 2)),
        (("--from", "2026-02-13"), (1, 3)),
        (("--from", "2026-02-14"), (2, 3)),
        (("--from", "2026-02-14T06:59:59Z"), (1, 3)),
        (("--from", "2026-02-14T07:00:00"), (2, 3)),
        (("--from", "2030-01-01", "--to", "1"), (3, 1)),
    ],
)
def test_diff_versions_by_number_hash_and_day(
    thrice: Kept, typed: Typed, options: tuple[str, ...], expected: tuple[int, int]
) -> None:
    assert compared(typed("diff", "a-page", START, *options, "--format", "json")) == expected


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("a-page", START, "--from", "9"), "Versions:\n     3  2026-02-15 07:00 UTC  modified"),
        (("a-page", START, "--from", "2026-02-12"), "no version of this page as of 2026-02-12"),
        (("a-page", START, "--from", "2026-13-12"), "expected a date or time"),
        (("a-page", START, "--from", ""), "no version '' of this page"),
        (("a-page", START, "--to", "1"), "version 1 is the first"),
        (("a-page", f"{START}other"), f"Its pages:\n  {START}\n"),
        (("a-pag", START), "Sources with pages:\n  a-page\n"),
        (("a-page", "http://[bad"), "is not a valid page URL"),
        (("a-page", START, "--format", "csv"), "invalid choice"),
    ],
)
def test_diff_unknown_version_is_refused_with_choices(
    thrice: Kept, typed: Typed, words: tuple[str, ...], told: str
) -> None:
    said = typed("diff", *words)
    assert (said.code, said.out) == (2, "")
    assert told in said.err


def test_diff_before_first_collection_is_refused(three: Project, typed: Typed) -> None:
    said = typed("diff", "a-page", START)
    assert (said.code, said.err.splitlines()[0]) == (2, "scrapy diff: nothing collected yet: run `scrapy collect`")
    assert not three.ledger.parent.exists()


def test_diff_ambiguous_hash_is_refused(kept: Kept, typed: Typed) -> None:
    texts = [f"text {n}" for n in range(700)]
    starts: dict[str, str] = {}
    for text in texts:
        start = content_hash(text)[:4]
        if start in starts:
            kept.add(starts[start])
            kept.add(text)
            assert "matches several hashes" in typed("diff", "a-page", START, "--from", start).err
            return
        starts[start] = text
    pytest.fail("no two of these texts have hashes that begin alike")


def test_diff_redirected_url_finds_page(thrice: Kept, typed: Typed) -> None:
    ledger = open_ledger(f"sqlite:///{thrice.project.ledger}")
    with ledger.begin() as connection:
        page = page_history.find_page(connection, "a-page", START)
        assert page is not None
        page_history.add_alias(connection, page.page_id, f"{START}old", kind="redirect", now=BEGAN)
    ledger.close()
    assert compared(typed("diff", "a-page", f"{START}old", "--format", "json")) == (2, 3)


def test_diff_removed_page_is_reported(kept: Kept, typed: Typed) -> None:
    kept.add(FIRST)
    kept.add("", change_type="deleted")
    said = typed("diff", "a-page", START)
    assert "Version 2 is the page's removal: it has no text." in said.out
    assert "[-A lender may charge $25 within 30 days.-]" in said.out


def test_diff_converter_upgrade_is_no_page_change(kept: Kept, typed: Typed) -> None:
    now = convert(HTML.encode(), url=START).markdown
    kept.add("Rule\nThe fee is $25", converter="0", raw=HTML)
    kept.add(now, raw=HTML)
    said = typed("diff", "a-page", START)
    assert "Version 1 is of converter 0" in said.out
    assert "The page itself did not change: only the converter did." in said.out
    assert "The two texts are the same." in said.out


def test_diff_change_beside_upgrade_is_reported(kept: Kept, typed: Typed) -> None:
    kept.add("Rule\nThe fee is $25", converter="0", raw=HTML)
    kept.add(convert(HTML.replace("$25", "$26").encode(), url=START).markdown)
    assert "1 section changed, 1 amount changed." in typed("diff", "a-page", START).out


def test_diff_unconvertible_bytes_are_reported(kept: Kept, typed: Typed) -> None:
    kept.add("The fee is $25", converter="0", raw="%PDF-1.4 broken")
    kept.add("The fee is $26")
    said = typed("diff", "a-page", START)
    assert said.code == 0
    assert "part of what differs may be the converters' work" in said.out
    assert "1 section changed, 1 amount changed." in said.out


def test_diff_versions_by_two_tiers_are_reported(kept: Kept, typed: Typed) -> None:
    kept.add("The fee is $25")
    kept.add("The fee is $26", tier="browser")
    assert "Version 1 came by http, version 2 by browser" in typed("diff", "a-page", START).out


def test_diff_missing_text_is_reported(thrice: Kept, typed: Typed) -> None:
    digest = content_hash(THIRD)
    (thrice.project.staging / "_objects" / digest[:2] / f"{digest}.gz").unlink()
    said = typed("diff", "a-page", START)
    assert said.code == 3
    assert f"the text of version 3, object {digest}, is missing" in said.err


def test_diff_control_characters_reach_no_terminal(kept: Kept, typed: Typed) -> None:
    kept.add("# A\x1b[31m\n\nThe fee is \x1b[2J25 dollars")
    kept.add("# A\x1b[31m\n\nThe fee is \x1b[2J26 dollars")
    for form in ("text", "html"):
        assert "\x1b" not in typed("diff", "a-page", START, "--format", form).out


def test_runs_show_lists_changed_sections(kept: Kept, typed: Typed) -> None:
    kept.add(FIRST)
    run_id = kept.add(SECOND)
    lines = typed("runs", "show", run_id).out.splitlines()
    at = lines.index("Changes:")
    assert lines[at + 1 : at + 4] == [
        f"  {START}",
        "      changed: Rule > § 1 Fees",
        f"      scrapy diff a-page {START} --to 2",
    ]
