"""What `scrapy extract` prints beside its values: how many answers were rejected, and with --explain why."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, cast

from scrapy.settings import Settings

from rori_spiders.fields.config import load_config
from rori_spiders.fields.records import Conflict, GroundedValue, Record, SourceQuote, UngroundedValue
from rori_spiders.fields.schema import define_fields
from rori_spiders.terminal.fields import extraction
from rori_spiders.terminal.fields.extraction import ExtractedRows, ExtractionRequest, run_extraction

if TYPE_CHECKING:
    import pytest

    from rori_spiders.crawl.adhoc.forked_worker import ForkedWorker

_URL = "https://www.hud.gov/loans"


def _value(value: float, quote: str) -> GroundedValue:
    return GroundedValue(
        field="apr",
        value=value,
        proof=SourceQuote(quote=quote, start=0, end=len(quote), heading_path="Rates", url=_URL),
    )


def test_extracted_rows_explain_each_rejected_answer_and_conflict(capsys: pytest.CaptureFixture[str]) -> None:
    found = ExtractedRows(pages=1)
    kept, other = _value(6.5, "6.5 percent"), _value(7.0, "7 percent")
    lie = UngroundedValue(
        field="fee",
        value=9,
        quote="a fee\nof \x1b[31m$9 " + "x" * 300,
        reason="quote_not_found",
        says="not there",
        url=_URL,
    )
    silent = UngroundedValue(
        field="fees.amount", value="10", quote=None, reason="no_quote", says="none was given", url=_URL, item=2
    )
    found.take(
        Record(found=(kept,), conflicts=(Conflict(field="apr", kept=kept, other=other),), unsupported=(lie, silent))
    )
    assert found.print_summary() == 0
    assert "2 answers rejected (--explain says why); 1 conflict" in capsys.readouterr().err
    found.print_explanation()
    first, second, third = capsys.readouterr().err.splitlines()
    assert first.startswith("rejected fee = 9: quote_not_found: not there (quote 'a fee of ")
    assert "\x1b" not in first
    assert first.endswith(f"xxx...'; {_URL})")
    assert second == f"rejected fees[2].amount = '10': no_quote: none was given (no quote; {_URL})"
    assert third == (
        f"conflict apr: 6.5 is kept, 7.0 is not (quotes '6.5 percent' of {_URL} and '7 percent' of {_URL})"
    )


def test_extracted_rows_stream_prints_each_value_once(capsys: pytest.CaptureFixture[str]) -> None:
    found, first, second = ExtractedRows(), _value(6.5, "6.5 percent"), _value(7.0, "7 percent")
    for of_pages in ((first,), (first, second), (first, second)):
        found.stream(Record(found=of_pages))
    lines = capsys.readouterr().out.splitlines()
    assert [json.loads(line)["value"] for line in lines] == [6.5, 7.0]


def test_run_extraction_stopped_by_ctrl_c_keeps_what_was_found(monkeypatch: pytest.MonkeyPatch) -> None:
    async def stopped(*arguments: Any) -> None:
        arguments[-1].take(Record(found=(_value(6.5, "6.5 percent"),)))
        raise KeyboardInterrupt

    monkeypatch.setattr(extraction, "_extract_pages", stopped)
    fields = define_fields(["apr:number:annual rate", "fee:number:fee"])
    wanted = ExtractionRequest([_URL], fields, load_config())
    found = run_extraction(Settings(), wanted, cast("ForkedWorker", None))
    assert found.is_stopped and [row["value"] for row in found.rows] == [6.5] and found.missing == ["fee"]
