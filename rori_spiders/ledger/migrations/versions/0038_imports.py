"""Captures that others made, and the files that they were imported from."""

import sqlalchemy as sa
from alembic import op

revision = "0038"
down_revision = "0037"


def upgrade() -> None:
    time = sa.String(27).with_variant(sa.DateTime(timezone=True), "postgresql")  # as 0001 has it
    op.create_table(
        "imports",
        sa.Column("import_id", sa.String(36), primary_key=True),
        sa.Column("kind", sa.String(10), nullable=False),
        sa.Column("name", sa.Text, nullable=False),
        sa.Column("sha256", sa.String(64), nullable=False),
        sa.Column("software", sa.Text),
        sa.Column("imported_by", sa.String(100), nullable=False),
        sa.Column("imported_at", time, nullable=False),
        sa.UniqueConstraint("kind", "sha256"),
    )
    op.create_table(
        "imported_captures",
        sa.Column("import_id", sa.String(36), sa.ForeignKey("imports.import_id"), primary_key=True),
        sa.Column("record", sa.String(500), primary_key=True),
        sa.Column("source_id", sa.String(200)),
        sa.Column("url", sa.Text),
        sa.Column("url_hash", sa.String(64)),
        sa.Column("captured_at", time),
        sa.Column("recorded_at", time, nullable=False),
        sa.Column("trust", sa.String(10)),
        sa.Column("state", sa.String(10), nullable=False),
        sa.Column("http_status", sa.Integer),
        sa.Column("content_type", sa.Text),
        sa.Column("verdict", sa.String(20)),
        sa.Column("rules", sa.JSON),
        sa.Column("reason", sa.Text),
        sa.Column("raw_hash", sa.String(64)),
        sa.Column("content_hash", sa.String(64)),
        sa.Column("section_hashes", sa.JSON),
        sa.Column("converter_version", sa.String(20)),
        sa.Column("body_chars", sa.Integer),
        sa.Column("title", sa.Text),
        sa.Column("published", sa.String(40)),
    )
    op.create_index("ix_imported_captures_url", "imported_captures", ["url_hash", "captured_at"])
    op.create_index("ix_imported_captures_source", "imported_captures", ["source_id", "captured_at"])
