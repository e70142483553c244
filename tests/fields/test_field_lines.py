"""Lines of the log of fields, as a function of what was drawn."""

from __future__ import annotations

import json
from datetime import UTC, datetime

from rori_spiders.fields.records import Conflict, GroundedValue, Record, SourceQuote
from rori_spiders.fields.source_fields import next_line
from rori_spiders.ledger.pages.field_history import ExtractedRecord

NOON = datetime(2026, 2, 13, 12, tzinfo=UTC)
DRAWN = ExtractedRecord(
    values={"apr": None}, found={"apr": []}, record="{}", pages=2, complete=False, schema_hash="s", model="m",
    prompt_version="1",
)  # fmt: skip


def found(value: float, quote: str) -> GroundedValue:
    proof = SourceQuote(
        quote=quote, start=0, end=len(quote), heading_path="", occurrences=1, url=None, content_hash="h"
    )
    return GroundedValue(field="apr", value=value, proof=proof)


def test_field_lines_other_value_is_logged_other_place_is_not() -> None:
    first = next_line(None, "a", DRAWN, Record(), {}, now=NOON)
    assert first is None, "nothing was found, and nothing was held"
    disputed = Record(conflicts=(Conflict(field="apr", kept=found(5, "5 now"), other=found(6, "6 now")),))
    line = next_line(None, "a", DRAWN, disputed, {}, now=NOON)
    assert line is not None
    seq, text = line
    told = json.loads(text)
    assert (seq, told["seq"], told["changed"]) == (1, 1, [])
    assert [(one["kept"]["value"], one["other"]["value"]) for one in told["conflicts"]] == [(5, 6)]
    moved = Record(conflicts=(Conflict(field="apr", kept=found(5, "now 5"), other=found(6, "now 6")),))
    assert next_line(text, "a", DRAWN, moved, {}, now=NOON) is None
    settled = next_line(text, "a", DRAWN, Record(), {}, now=NOON)
    assert settled is not None and settled[0] == 2 and json.loads(settled[1])["conflicts"] == []
