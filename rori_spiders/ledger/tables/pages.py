"""Pages over time: their versions, addresses, validators, links, the envelopes staged of them, and the fields drawn
from them.
"""

from sqlalchemy import (
    Boolean,
    Column,
    ForeignKey,
    ForeignKeyConstraint,
    Index,
    Integer,
    String,
    Table,
    UniqueConstraint,
    text,
)

from rori_spiders.ledger.tables.base import AnyText, Json, UtcDateTime, metadata

#: Of a page that was captured and is not gone; a query that says it word for word can use the index for it.
HELD = "last_seq > 0 AND gone_at IS NULL"
#: Of a version whose text differs from the one before; for the index in the same way.
MODIFIED = "change_type = 'modified'"

pages = Table(
    "pages",
    metadata,
    Column("page_id", Integer, primary_key=True),
    Column("source_id", String(200), nullable=False),
    Column("url", AnyText, nullable=False),
    Column("url_hash", String(64), nullable=False),
    Column("title", AnyText),
    Column("first_seen_at", UtcDateTime, nullable=False),
    Column("last_seen_at", UtcDateTime),  # last verdict `content`, or a 304 that confirms it
    Column("missing_since", UtcDateTime),  # first 404 or 410 after it was captured
    Column("gone_at", UtcDateTime),
    Column("last_seq", Integer, nullable=False, server_default="0"),  # versions.seq of the newest; 0: none yet
    Column("content_hash", String(64)),  # of the newest version
    Column("body_chars", Integer),
    Column("next_url", AnyText),  # the next page of its chain (rel=next), as last read
    UniqueConstraint("source_id", "url_hash"),
    Index("ix_pages_url", "url_hash"),  # what was held of a URL, whatever source
    # content_hash: which other page has this text
    Index("ix_pages_held", "source_id", "content_hash", sqlite_where=text(HELD), postgresql_where=text(HELD)),
)

page_aliases = Table(
    "page_aliases",
    metadata,
    Column("page_id", ForeignKey("pages.page_id"), primary_key=True),
    Column("url_hash", String(64), primary_key=True),
    Column("url", AnyText, nullable=False),
    Column("kind", String(12), nullable=False),  # redirect | canonical | moved
    Column("seen_at", UtcDateTime, nullable=False),
    Index("ix_page_aliases_url", "url_hash"),
)

page_validators = Table(
    "page_validators",
    metadata,
    Column("page_id", ForeignKey("pages.page_id"), primary_key=True),
    Column("tier", String(20), primary_key=True),
    Column("etag", AnyText),
    Column("last_modified", AnyText),
    Column("raw_hash", String(64), nullable=False),
    Column("seen_at", UtcDateTime, nullable=False),
)

page_links = Table(
    "page_links",
    metadata,
    Column("page_id", ForeignKey("pages.page_id"), primary_key=True),
    Column("position", Integer, primary_key=True),
    Column("url", AnyText, nullable=False),
)

versions = Table(
    "versions",
    metadata,
    Column("page_id", ForeignKey("pages.page_id"), primary_key=True),
    Column("seq", Integer, primary_key=True),  # 1, 2, ... per page
    Column("run_id", ForeignKey("runs.run_id"), nullable=False),
    Column("captured_at", UtcDateTime, nullable=False),
    Column("change_type", String(10), nullable=False),  # new | modified | deleted
    Column("content_hash", String(64), nullable=False),
    Column("html_hash", String(64)),
    Column("raw_object", String(64), nullable=False),  # the bytes as received
    Column("body_object", String(64), nullable=False),  # content.body
    Column("screenshot_object", String(64)),  # the picture of the page, where its source asks for one
    Column("section_hashes", Json, nullable=False),  # [[heading path, sha256], ...] in the order of the page
    Column("converter_version", String(20), nullable=False),
    Column("tier", String(20), nullable=False),
    Column("title", AnyText),
    Column("published", String(40)),
    Column("effective", String(40)),
    Column("publisher_version", AnyText),
    Index("ix_versions_captured", "page_id", "captured_at"),
    Index("ix_versions_time", "captured_at", "page_id"),
    Index("ix_versions_run", "run_id"),  # what each run counts at its end
    # what the objectives count of a week, without the rows
    Index(
        "ix_versions_modified",
        "captured_at",
        "run_id",
        sqlite_where=text(MODIFIED),
        postgresql_where=text(MODIFIED),
    ),
)

#: What each version changed, derived from the texts once both are held (comparison/change_description.py).
changes = Table(
    "changes",
    metadata,
    Column("page_id", Integer, primary_key=True),
    Column("seq", Integer, primary_key=True),  # the version's
    Column("source_id", String(200), nullable=False),
    Column("at", UtcDateTime, nullable=False),  # when the version was captured
    Column("from_seq", Integer),  # the text that it is compared with; NULL: there is none before
    Column("kind", String(12), nullable=False),
    Column("importance", Integer, nullable=False),  # 0 initial, 1 low, 2 medium, 3 high
    Column("details", Json, nullable=False),
    Column("described_at", UtcDateTime, nullable=False),
    ForeignKeyConstraint(("page_id", "seq"), ("versions.page_id", "versions.seq")),
    # The list by importance ranks all open changes, and reads no other column of them.
    Index("ix_changes_time", "at", "page_id", "seq", "importance", "source_id"),
    Index("ix_changes_source", "source_id", "at"),
)

#: How a change stands among those of its importance (comparison/change_weight.py), and with which it belongs together.
#: Derived from `changes` and made anew when a line like it changes again. No row: not weighed yet.
change_weights = Table(
    "change_weights",
    metadata,
    Column("page_id", Integer, primary_key=True),
    Column("seq", Integer, primary_key=True),
    Column("points", Integer, nullable=False),
    Column("rules", Json, nullable=False),  # the ids of those that gave the points
    Column("site", String(260), nullable=False),
    Column("shape", String(12), nullable=False),  # of the line that changed; empty: of none that could recur
    Column("edit", String(12), nullable=False),  # of the site; empty: a whole page, or described before this was kept
    Column("publication", String(300), nullable=False),  # comparison/change_log.py
    ForeignKeyConstraint(("page_id", "seq"), ("changes.page_id", "changes.seq")),
    Index("ix_change_weights_shape", "site", "shape"),
    Index("ix_change_weights_edit", "edit"),
    Index("ix_change_weights_publication", "publication"),
)

#: What a person said of a change last; `actions` has all of it. No row: nobody has.
change_reviews = Table(
    "change_reviews",
    metadata,
    Column("page_id", Integer, primary_key=True),
    Column("seq", Integer, primary_key=True),
    Column("decision", String(12), nullable=False),  # material | not_material | closed
    Column("reason", AnyText),
    Column("reviewed_by", String(100), nullable=False),
    Column("reviewed_at", UtcDateTime, nullable=False),
    ForeignKeyConstraint(("page_id", "seq"), ("changes.page_id", "changes.seq")),
)

#: Who is to look at a change, as the last action says. No row: nobody in particular.
change_assignments = Table(
    "change_assignments",
    metadata,
    Column("page_id", Integer, primary_key=True),
    Column("seq", Integer, primary_key=True),
    Column("assignee", String(100), nullable=False),
    Column("due_on", String(10)),  # 2026-11-30: to be decided by the end of this day in UTC
    Column("assigned_by", String(100), nullable=False),
    Column("assigned_at", UtcDateTime, nullable=False),
    ForeignKeyConstraint(("page_id", "seq"), ("changes.page_id", "changes.seq")),
)

envelopes = Table(
    "envelopes",
    metadata,
    Column("envelope_id", String(36), primary_key=True),
    Column("run_id", ForeignKey("runs.run_id"), nullable=False),
    Column("source_id", String(200), nullable=False),
    Column("url", AnyText, nullable=False),
    Column("url_hash", String(64), nullable=False),
    Column("state", String(10), nullable=False),  # reserved | staged | indexed | pruning | pruned
    Column("path", AnyText, nullable=False, unique=True),
    Column("file_hash", String(64), nullable=False),
    Column("index_line", AnyText, nullable=False),
    Column("content_hash", String(64), nullable=False),
    Column("change_type", String(10), nullable=False),
    Column("reserved_at", UtcDateTime, nullable=False),
    Column("staged_at", UtcDateTime),
    Column("confirmed_at", UtcDateTime),
    Column("pruned_at", UtcDateTime),
    Column("newest", Boolean, nullable=False, server_default="1"),  # of its page; never pruned
    Column("announced_at", UtcDateTime),  # when the webhook took it
    UniqueConstraint("run_id", "url_hash"),
    Index("ix_envelopes_page", "source_id", "url_hash"),
    Index("ix_envelopes_state", "state"),
    Index("ix_envelopes_announced", "announced_at", "staged_at"),
    Index("ix_envelopes_confirmed", "confirmed_at"),
)


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
