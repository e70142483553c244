"""Fields: what was drawn from a source's pages, each value that a field had, and what the log of fields is told."""

from sqlalchemy import Boolean, Column, Integer, String, Table

from rori_spiders.ledger.tables.base import AnyText, Json, UtcDateTime, metadata

field_records = Table(
    "field_records",
    metadata,
    Column("source_id", String(200), primary_key=True),
    Column("drawn_at", UtcDateTime, nullable=False),
    Column("pages", Integer, nullable=False),
    Column("complete", Boolean, nullable=False),  # S2: no list among the fields, and no field null
    Column("schema_hash", String(64), nullable=False),  # of the definitions
    Column("model", AnyText, nullable=False),
    Column("prompt_version", String(20), nullable=False),
    Column("record", AnyText, nullable=False),  # JSON: found, conflicts, unsupported (fields/records.py)
)

field_values = Table(
    "field_values",
    metadata,
    Column("source_id", String(200), primary_key=True),
    Column("field", String(64), primary_key=True),
    Column("seq", Integer, primary_key=True),  # 1, 2, ... of a field; the highest is the value of now
    Column("value", Json),  # of a list all its items; None: it has no value any more
    Column("found", Json, nullable=False),  # its items, each with its proof, as last drawn
    Column("because", String(10), nullable=False),  # first | page | redrawn (by other fields, model or prompt)
    Column("since", UtcDateTime, nullable=False),  # when it was first drawn
    Column("seen_at", UtcDateTime, nullable=False),  # when it was last drawn
)

field_lines = Table(
    "field_lines",
    metadata,
    Column("source_id", String(200), primary_key=True),
    Column("seq", Integer, primary_key=True),  # 1, 2, ... of a source
    Column("made_at", UtcDateTime, nullable=False),
    Column("text", AnyText, nullable=False),  # the line of ``_fields.jsonl``, letter for letter
    Column("logged", Boolean, nullable=False),  # whether it is in the staging area
)
