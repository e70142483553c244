"""What was imported: captures of pages that others made. Nothing here is a request of ours, nor a version of a page."""

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
)

from rori_spiders.ledger.tables.base import AnyText, Json, UtcDateTime, metadata

#: Files that captures were imported from.
imports = Table(
    "imports",
    metadata,
    Column("import_id", String(36), primary_key=True),
    Column("kind", String(10), nullable=False),  # warc | wacz | folder | ecfr | fr | cdx
    Column("name", AnyText, nullable=False),  # of the file
    Column("sha256", String(64), nullable=False),  # of its bytes; of a server, of what was asked of which
    Column("software", AnyText),  # that wrote the file, by its own word
    Column("imported_by", String(100), nullable=False),
    Column("imported_at", UtcDateTime, nullable=False),
    UniqueConstraint("kind", "sha256"),
)

#: One record of such a file, written once.
imported_captures = Table(
    "imported_captures",
    metadata,
    Column("import_id", ForeignKey("imports.import_id"), primary_key=True),
    Column("record", String(500), primary_key=True),  # where it stands in the file
    Column("source_id", String(200)),
    Column("url", AnyText),  # NULL: so damaged that it names none
    Column("url_hash", String(64)),
    Column("captured_at", UtcDateTime),  # by the file's word
    Column("recorded_at", UtcDateTime, nullable=False),  # by us
    Column("trust", String(10)),  # archived | stated | publisher
    Column(
        "state", String(10), nullable=False
    ),  # imported | refused | unreadable | damaged | unchanged | absent | no_text
    Column("http_status", Integer),
    Column("content_type", AnyText),
    Column("verdict", String(20)),
    Column("rules", Json),  # of the verdict that fired
    Column("reason", AnyText),  # why it is not content
    Column("raw_hash", String(64)),  # of the bytes; the object with them, if the state is `imported`
    Column("content_hash", String(64)),  # of the text, which is an object
    Column("section_hashes", Json),
    Column("converter_version", String(20)),
    Column("body_chars", Integer),
    Column("title", AnyText),
    Column("published", String(40)),
    Index("ix_imported_captures_url", "url_hash", "captured_at"),
    Index("ix_imported_captures_source", "source_id", "captured_at"),
)

#: That an import was a mistake, or was none after all: each decision is a row, and the last one of an import holds.
import_withdrawals = Table(
    "import_withdrawals",
    metadata,
    Column("import_id", ForeignKey("imports.import_id"), primary_key=True),
    Column("seq", Integer, primary_key=True, autoincrement=False),  # 1, 2, ...
    Column("withdrawn", Boolean, nullable=False),
    Column("at", UtcDateTime, nullable=False),
    Column("actor", String(100), nullable=False),
    Column("reason", AnyText, nullable=False),
)

#: What differs between two imported texts of a page. Which two follow each other is found anew for each list: a later
#: import may bring one that lies between them, and one that is withdrawn takes its texts out.
imported_changes = Table(
    "imported_changes",
    metadata,
    Column("change_id", String(64), primary_key=True),  # SHA-256 of the four names below
    Column("import_id", String(36), nullable=False),  # of the later text
    Column("record", String(500), nullable=False),
    Column("from_import_id", String(36)),  # of the text before; NULL: there is none
    Column("from_record", String(500)),
    Column("kind", String(12), nullable=False),
    Column("importance", Integer, nullable=False),
    Column("details", Json, nullable=False),
    Column("described_at", UtcDateTime, nullable=False),
    ForeignKeyConstraint(("import_id", "record"), ("imported_captures.import_id", "imported_captures.record")),
    Index("ix_imported_changes_capture", "import_id", "record"),
)
