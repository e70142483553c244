"""What was drawn from a source's pages by a language model, and each value that a field had."""

import sqlalchemy as sa
from alembic import op

revision = "0015"
down_revision = "0014"


def upgrade() -> None:
    time = sa.String(27).with_variant(sa.DateTime(timezone=True), "postgresql")  # as 0001 has it
    op.create_table(
        "field_records",
        sa.Column("source_id", sa.String(200), primary_key=True),
        sa.Column("drawn_at", time, nullable=False),
        sa.Column("pages", sa.Integer, nullable=False),
        sa.Column("complete", sa.Boolean, nullable=False),
        sa.Column("schema_hash", sa.String(64), nullable=False),
        sa.Column("model", sa.Text, nullable=False),
        sa.Column("prompt_version", sa.String(20), nullable=False),
        sa.Column("record", sa.Text, nullable=False),
    )
    op.create_table(
        "field_values",
        sa.Column("source_id", sa.String(200), primary_key=True),
        sa.Column("field", sa.String(64), primary_key=True),
        sa.Column("seq", sa.Integer, primary_key=True),
        sa.Column("value", sa.JSON),
        sa.Column("found", sa.JSON, nullable=False),
        sa.Column("because", sa.String(10), nullable=False),
        sa.Column("since", time, nullable=False),
        sa.Column("seen_at", time, nullable=False),
    )
